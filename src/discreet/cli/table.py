"""``discreet table``: changing what a table is declared to be, and resuming one.

Both are entries of its ledger.
"""

import json

import click

from discreet.errors import DataError, DeclarationError
from discreet.text_table import printable


@click.group()
def table() -> None:
    """The declarations of a table, and whether it may be asked."""


@table.command()
@click.argument("policy")
@click.option("--why", required=True, help="The reason, for whoever reads the ledger later.")
@click.option("--who", help="Who decides; the operating system's user unless stated.")
def update(policy: str, why: str, who: str | None) -> None:
    """Declare from now on what the policy says: columns, bounds and caps.

    What was spent stays spent, and past answers keep the declarations they were made under.  The
    unit and the neighbors cannot change, since what was spent is in their terms; a budget is
    changed by discreet budget set.
    """
    from discreet.cli.ledger_location import LedgerLocation
    from discreet.policy import read_policy
    from discreet.release.open_table import read_declarations

    declarations = read_declarations(**read_policy(policy))
    declarations.engine().close()  # names are compared, and no row is read
    schema, details = declarations.schema, declarations.schema.to_data()
    place = LedgerLocation.read(policy)
    with place.open_to_write() as ledger:
        before = ledger.declaration(schema.name)
        if before.details.get("unit") != details["unit"]:
            raise DeclarationError(
                f"the unit would change from {before.details.get('unit')!r} to "
                f"{details['unit']!r}. What was spent protects the one and says nothing about the "
                "other. Declare the table under another name, with a budget of its own."
            )
        if before.neighbors != schema.neighbors:
            raise DeclarationError(
                f"the neighbors would change from {before.neighbors} to "
                f"{schema.neighbors}. What was spent is in terms of the one. Declare the "
                "table under another name, with a budget of its own."
            )
        names = dict.fromkeys([*details, *before.details])  # one may be declared no longer
        changed = [name for name in names if before.details.get(name) != details.get(name)]
        if not changed:
            click.echo("The ledger says the same as the policy. Nothing was changed.")
            return
        ledger.set_details(schema.name, details, why=why, who=who)
    click.echo(f"Changed from now on: {', '.join(changed)}. What was spent stays spent.")


@table.command()
@click.argument("policy", metavar="POLICY|LEDGER")
@click.option("--dataset", help="The data set; the TOML file's own unless stated.")
@click.option("--why", required=True, help="What was found, for whoever reads the ledger later.")
@click.option("--who", help="Who decides; the operating system's user unless stated.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def resume(policy: str, dataset: str | None, why: str, who: str | None, as_json: bool) -> None:
    """Let a suspended table be asked again.

    A table is suspended when a question was paid for and has no answer, and rows may be the cause.
    Look at the data first, outside of discreet: each time it fails, whoever asked learns that once.
    """
    from discreet.cli.ledger_location import LedgerLocation

    place = LedgerLocation.read(policy)
    name = dataset or place.dataset
    if name is None:
        raise DataError(
            "no data set is named. A ledger can hold several, each is resumed by itself. Add "
            "--dataset."
        )
    with place.open_to_write() as ledger:
        ledger.resume(name, why=why, who=who)
        times, shown = ledger.suspensions(name), ledger.place
    if as_json:
        click.echo(json.dumps({"ledger": shown, "dataset": name, "suspensions": times}))
        return
    from discreet.privacy.number_text import plural

    often = plural(times, "time")
    click.echo(f"{printable(name)} can be asked again. It was suspended {often} in all.")
