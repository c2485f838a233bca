"""``discreet info``: what may be asked of a table."""

import json

import click

from discreet.text_table import printable


@click.command()
@click.argument("policy")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def info(policy: str, as_json: bool) -> None:
    """What may be asked of a table, with an example for each column, and what not.

    It is free: no row is read, and of the ledger only what is left of the budget. Every example is
    accepted as it stands; discreet plan says what it would cost.
    """
    from discreet.cli.terminal import console
    from discreet.errors import Front
    from discreet.policy import read_policy
    from discreet.release.info import table_info
    from discreet.release.open_table import read_declarations

    declared = read_declarations(**read_policy(policy))
    about = table_info(
        declared.schema, None if declared.budget is None else declared.account().state
    )
    if as_json:
        click.echo(json.dumps(about.to_dict(), ensure_ascii=False))
        return
    for line in about.text(console().width, Front.COMMAND).split("\n"):
        click.echo(printable(line))
