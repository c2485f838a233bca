"""The page of commands says what the commands themselves say."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
try:
    import command_page  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)


def test_the_page_is_what_the_commands_say() -> None:
    written = command_page.page()
    assert command_page.PAGE.read_text("utf-8") == written, (
        "run python docs/_extensions/command_page.py"
    )


def test_no_command_is_left_out() -> None:
    written = command_page.page()
    for name in ("ask", "budget set", "ledger verify", "survey serve", "completion"):
        assert f"## discreet {name}\n" in written
