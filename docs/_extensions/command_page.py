"""Writes the page of commands from the commands themselves.

python docs/_extensions/command_page.py writes docs/reference/commands.md; a test compares the two.
"""

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from discreet.cli.main import discreet

PAGE = Path(__file__).parents[1] / "reference" / "commands.md"


def page() -> str:
    """The page as Markdown."""
    context = click.Context(discreet, info_name="discreet")
    found = list(commands(context))
    parts = [
        "# Commands",
        "",
        "`discreet COMMAND --help` shows the same in a terminal. [Ask on the command line]"
        "(../how-to/ask_on_the_command_line.md) shows the commands at work, [keep a ledger]"
        "(../how-to/keep_a_ledger.md) those for whoever is responsible for a budget.",
        "",
        "| command | |",
        "| --- | --- |",
        *(f"| [`{name}`](#{name.replace(' ', '-')}) | {_first(one)} |" for name, _, one in found),
        "",
        str(discreet.epilog).replace("Ends with", "A command ends with"),
        "",
        *(line for name, at, one in found for line in _described(name, at, one)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def commands(within: click.Context) -> Iterator[tuple[str, click.Context, click.Command]]:
    """Every command that can be typed, with its whole name."""
    group = within.command
    assert isinstance(group, click.Group)
    for word in group.list_commands(within):
        command = group.get_command(within, word)
        assert command is not None
        at = click.Context(command, info_name=word, parent=within)
        if isinstance(command, click.Group):
            yield from commands(at)
        else:
            yield at.command_path, at, command


def _first(command: click.Command) -> str:
    return _cell((command.help or "").partition("\n\n")[0])


def _described(name: str, context: click.Context, command: click.Command) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (f"## {name}", "", "```text", f"{name} {usage}", "```", "")
    for paragraph in re.split(r"\n\s*\n", (command.help or "").replace("\b\n", "")):
        if paragraph.strip().startswith("discreet "):
            yield from ("```text", cleandoc(paragraph), "```", "")
        else:
            yield from (_plain(paragraph), "")
    shown = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if shown:
        yield from ("| option | |", "| --- | --- |")
        for option in shown:
            record = option.get_help_record(context)
            assert record is not None
            yield f"| `{_cell(record[0])}` | {_plain(_cell(record[1]))} |"
        yield ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _plain(text: str) -> str:
    """Text in which no sign means anything to Markdown."""
    return re.sub(r"(?<!\\)([*_<\[])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
