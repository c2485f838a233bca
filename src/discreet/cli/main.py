"""The command ``discreet`` and its words."""

import sys
from collections.abc import Callable
from importlib import import_module
from io import TextIOWrapper
from typing import Final, NoReturn

import click

from discreet.cli.exit_codes import run_command

_WORDS: Final[dict[str, Callable[[], click.Command]]] = {
    "demo": lambda: import_module("discreet.cli.demo").demo,
    "init": lambda: import_module("discreet.cli.init").init,
    "profile": lambda: import_module("discreet.cli.profile").profile,
    "info": lambda: import_module("discreet.cli.info").info,
    "plan": lambda: import_module("discreet.cli.ask").plan,
    "ask": lambda: import_module("discreet.cli.ask").ask,
    "budget": lambda: import_module("discreet.cli.budget").budget,
    "table": lambda: import_module("discreet.cli.table").table,
    "ledger": lambda: import_module("discreet.cli.ledger").ledger,
    "survey": lambda: import_module("discreet.cli.survey").survey,
    "learn": lambda: import_module("discreet.cli.learn").learn,
    "completion": lambda: import_module("discreet.cli.completion").completion,
    "doctor": lambda: import_module("discreet.cli.doctor").doctor,
}


class LazyGroup(click.Group):
    """Commands that are loaded when they are typed: doctor runs where a package is missing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_WORDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _WORDS[cmd_name]() if cmd_name in _WORDS else None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Ends with 0: done; 1: a fault; 2: the request was wrong; 3: not enough budget; "
    "4: no answer, charged or suspended; 5: a verification failed.",
)
@click.version_option(sys.modules["discreet"].__version__, message="discreet %(version)s")
def discreet() -> None:
    """Answers about people that give nobody away."""


def main() -> NoReturn:
    """Run the command that was typed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # An answer that is paid for is shown, also where ε has no letter.
            stream.reconfigure(errors="backslashreplace")
    run_command(lambda: discreet(prog_name="discreet"))
