"""The command ``discreet`` and its words."""

import sys
from io import TextIOWrapper
from typing import NoReturn

import click

from discreet.cli.ask import ask
from discreet.cli.budget import budget
from discreet.cli.demo import demo
from discreet.cli.exits import run
from discreet.cli.init import init
from discreet.cli.ledger import ledger
from discreet.cli.plan import plan
from discreet.cli.table import table


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Ends with 0: done; 1: a fault; 2: the request was wrong; 3: not enough budget; "
    "4: charged, but no answer; 5: a verification failed.",
)
@click.version_option(sys.modules["discreet"].__version__, message="discreet %(version)s")
def discreet() -> None:
    """Answers about people that give nobody away."""


for word in (demo, init, plan, ask, budget, table, ledger):
    discreet.add_command(word)


def main() -> NoReturn:
    """Run the command that was typed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # An answer that is paid for is shown, also where ε has no letter.
            stream.reconfigure(errors="backslashreplace")
    run(lambda: discreet(prog_name="discreet"))
