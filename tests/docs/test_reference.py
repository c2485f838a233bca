"""The reference holds the public names, all of them and no others; each named proof exists."""

import re
from pathlib import Path
from types import ModuleType

import discreet

ROOT = Path(__file__).parents[2]


def public_names(module: ModuleType, prefix: str = "") -> set[str]:
    """The names that a module offers; those of a module inside it with their path."""
    names = set()
    for name in module.__all__:
        thing = getattr(module, name)
        if isinstance(thing, ModuleType):
            names |= public_names(thing, f"{prefix}{name}.")
        else:
            names.add(prefix + name)
    return names


def test_every_public_name_stands_in_the_reference() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    text = "\n".join(page.read_text("utf-8") for page in pages)
    documented = re.findall(r"^\.\. auto\w+:: discreet\.([\w.]+)", text, flags=re.MULTILINE)
    assert len(documented) == len(set(documented))
    assert set(documented) == public_names(discreet) - {"__version__"}


def test_every_proof_that_the_source_names_exists() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"docs/proofs/[\w-]+\.md", source))
    assert named
    assert {name for name in named if not (ROOT / name).is_file()} == set()
