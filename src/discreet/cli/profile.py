"""``discreet profile``: how many people have how many rows, paid for once, and the best caps."""

import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from discreet.cli.terminal import spinner
from discreet.errors import Front, QueryError, caught_by
from discreet.privacy.losses import read_epsilon

if TYPE_CHECKING:
    from discreet.release.caps import SuggestedCaps
    from discreet.release.profile import Profile
    from discreet.release.table import Table


@click.command()
@click.argument("policy")
@click.option("--spend", help="A part of the whole budget: 5%.")
@click.option("--epsilon", help="What it may cost instead: 0.05.")
@click.option("--rho", help="What it may cost in zCDP instead: 0.001.")
@click.option("--by", metavar="COLUMNS", help="Grouping columns, with commas; all unless stated.")
@click.option("--rows-in-a-group", is_flag=True, help="Also rows in each person's fullest group.")
@click.option("--suggest", is_flag=True, help="The caps that suit questions best, free.")
@click.option("--write", is_flag=True, help="Put the suggested caps into the policy and in force.")
@click.option(
    "--for-epsilon",
    help="The price of the questions that caps are suggested for: a tenth of the budget if it is "
    "not stated.",
)
@click.option("--again", is_flag=True, help="Pay for another one, of the same data.")
@click.option("--analyst", help="Who asks; the operating system's user unless stated.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def profile(
    policy: str,
    spend: str | None,
    epsilon: str | None,
    rho: str | None,
    by: str | None,
    rows_in_a_group: bool,
    suggest: bool,
    write: bool,
    for_epsilon: str | None,
    again: bool,
    analyst: str | None,
    as_json: bool,
) -> None:
    """How many people have how many rows, and are in how many groups: once, and privately.

    \b
    discreet profile visits.toml --spend 5% --suggest

    It is paid for once for each version of the data (version = "2026-11" in the policy), and
    remembered: from then on every plan and answer says how much the caps leave out. Without a
    price, the one that is remembered is shown, which is free.
    """
    from discreet.policy import read_policy
    from discreet.release.open_table import read_declarations

    arguments = read_policy(policy)
    with caught_by(Front.POLICY):
        declared = read_declarations(**arguments)
        opened = declared.opened()
    with closing(opened) as table, spinner("counting") as tell:
        tell(table.engine().progress)
        if for_epsilon is not None:
            read_epsilon(for_epsilon)  # before anything is paid
        columns = None if by is None else [name.strip() for name in by.split(",")]
        known = table.remembered_profile()
        found = table.profile(
            spend=spend,
            epsilon=epsilon,
            rho=rho,
            by=columns,
            rows_in_a_group=rows_in_a_group,
            again=again,
            analyst=analyst,
        )
        caps, refused = None, ""
        if suggest or write:
            try:  # the profile is paid for, and is shown whatever it suggests
                caps = table.suggest_caps(epsilon=for_epsilon)
            except QueryError as refusal:
                refused = refusal.text(Front.COMMAND)
        paid = known is None or known.entry != found.entry
        if write and caps is not None:
            _put_in_force(policy, table, caps, found)
        if as_json:
            data = found.to_data() | {"paid_now": paid}
            if caps is not None:
                data["suggested"] = caps.values | {"epsilon": str(caps.epsilon)}
            click.echo(json.dumps(data, ensure_ascii=False))
            return
        _show(table, found, caps, paid=paid, written=write, refused=refused)


def _put_in_force(policy: str, table: "Table", caps: "SuggestedCaps", found: "Profile") -> None:
    """Write the caps into the policy, and declare them in the ledger."""
    from discreet.policy.policy_file import PolicyFile

    file = PolicyFile.read(policy)
    file.path.write_text(file.with_numbers(caps.values), "utf-8", newline="")
    details = replace(table.schema, **caps.values).to_data()  # type: ignore[arg-type]
    if details != table.declared:
        why = f"caps suggested by the profile of entry {found.entry}"
        table.ledger.set_details(table.name, details, why=why)


def _show(
    table: "Table",
    found: "Profile",
    caps: "SuggestedCaps | None",
    *,
    paid: bool,
    written: bool,
    refused: str,
) -> None:
    from discreet.cli.terminal import console, show_left, show_profile

    show_profile(found, table.schema)
    out = console()
    if caps is not None:
        out.print()
        out.print(str(caps), markup=False)
        if written:
            out.print("written into the policy, and in force", style="dim")
        elif any(getattr(table.schema, name) != cap for name, cap in caps.values.items()):
            out.print(
                "To use them, add --write; or write these lines into the policy, and then: "
                'discreet table update POLICY --why "caps by the profile"',
                markup=False,
                style="dim",
            )
    if refused:
        out.print()
        out.print(f"No caps are suggested: {refused}", markup=False)
    out.print()
    word = "paid now" if paid else "already paid"
    out.print(f"{word}: entry {found.entry} of the ledger", markup=False, style="dim")
    show_left(out, table.budget)
