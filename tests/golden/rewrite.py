"""Write the golden files anew, to be read line by line before they are kept: ./dev golden

Those of earlier versions stay as they are.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden.comparing import FOLDER, keep
from tests.golden.subjects import SUBJECTS


def main() -> None:
    """Rewrite every file, and say which changed."""
    changed = []
    for name, files in SUBJECTS.items():
        with TemporaryDirectory() as folder:
            changed += keep(FOLDER / name, files(Path(folder)))
    for name in changed:
        print(f"tests/golden/files/{name}")
    print(f"{len(changed)} golden files changed")


if __name__ == "__main__":
    main()
