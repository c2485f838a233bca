"""``discreet table``: changing what a table is declared to be, as an entry of its ledger."""

import click

from discreet.errors import DeclarationError


@click.group()
def table() -> None:
    """The declarations of a table."""


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
    from discreet.cli.places import Place
    from discreet.cli.questions import declared
    from discreet.policy import read_policy

    arguments = read_policy(policy)
    opened = declared(arguments)
    details = opened.schema.to_data()
    opened.close()
    place = Place.read(policy)
    with place.open_to_write() as ledger:
        before = ledger.declaration(arguments["name"])
        if before.details.get("unit") != details["unit"]:
            raise DeclarationError(
                f"the unit would change from {before.details.get('unit')!r} to "
                f"{details['unit']!r}. What was spent protects the one and says nothing about the "
                "other. Declare the table under another name, with a budget of its own."
            )
        if before.neighbors != opened.schema.neighbors:
            raise DeclarationError(
                f"the neighbors would change from {before.neighbors} to "
                f"{opened.schema.neighbors}. What was spent is in terms of the one. Declare the "
                "table under another name, with a budget of its own."
            )
        changed = [name for name, part in details.items() if before.details.get(name) != part]
        if not changed:
            click.echo("The ledger says the same as the policy. Nothing was changed.")
            return
        ledger.set_details(arguments["name"], details, why=why, who=who)
    click.echo(f"Changed from now on: {', '.join(changed)}. What was spent stays spent.")
