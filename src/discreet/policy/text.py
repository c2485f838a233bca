"""The text of a file in which somebody declares something."""

from pathlib import Path
from typing import Final

_LONGEST: Final = 1 << 24


def declared_text(path: Path) -> tuple[str | None, str]:
    """The text, or None and why it cannot be read.

    A file that is too long is not read in part: what stands at its end may be a limit.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            return None, "is longer than 16 MiB"
        return data.decode("utf-8-sig"), ""
    except FileNotFoundError:
        return None, "is not there"
    except IsADirectoryError:
        return None, "is a folder"
    except UnicodeDecodeError:
        return None, "is not UTF-8 text"
    except (OSError, ValueError):
        return None, "cannot be read"
