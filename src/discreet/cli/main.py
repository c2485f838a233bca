"""The command ``discreet`` and its words."""

import sys
from typing import NoReturn

import click

from discreet.cli.budget import budget
from discreet.cli.exits import run
from discreet.cli.ledger import ledger


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Ends with 0: done; 1: a fault; 2: the request was wrong; 3: not enough budget; "
    "4: charged, but no answer; 5: a verification failed.",
)
@click.version_option(sys.modules["discreet"].__version__, message="discreet %(version)s")
def discreet() -> None:
    """Answers about people that give nobody away."""


discreet.add_command(budget)
discreet.add_command(ledger)


def main() -> NoReturn:
    """Run the command that was typed."""
    run(lambda: discreet(prog_name="discreet"))
