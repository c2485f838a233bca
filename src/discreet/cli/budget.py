"""``discreet budget``: what was spent and what is left, and changing it."""

import json
from typing import Any

import click

from discreet.accounting.filters import Totals
from discreet.cli.ledger_location import LedgerLocation
from discreet.errors import DataError
from discreet.exact import decimal_above
from discreet.ledger import Balance, BudgetScope
from discreet.ledger.declarations import BudgetCap, Period
from discreet.privacy.losses import Budget
from discreet.text_table import printable

RECENT = 5
NEVER = "never"


class DefaultShowGroup(click.Group):
    """A group whose first word may be a ledger: ``budget LEDGER``, ``budget LEDGER set``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [word for word in args if not word.startswith("-")]
        if words and words[0] not in self.commands:
            if len(words) > 1 and words[1] in self.commands:
                args.remove(words[1])
                args.insert(0, words[1])
            elif "--help" not in args:
                args.insert(0, "show")
        return super().parse_args(ctx, args)


@click.group(cls=DefaultShowGroup, name="budget")
def budget() -> None:
    """What was spent and what is left of each data set.

    \b
    discreet budget LEDGER
    discreet budget set LEDGER --dataset visits --epsilon 5 --why "a second survey"
    discreet budget set LEDGER --dataset visits --rho 0.1 --why "counted in zCDP"
    discreet budget set visits.toml --why "as the board decided"

    LEDGER is a file, a postgresql:// address, or the TOML file that names one.
    """


@budget.command(hidden=True)
@click.argument("ledger")
@click.option("--dataset", help="Only this data set.")
@click.option("--json", "as_json", is_flag=True, help="Exact numbers, for programs.")
def show(ledger: str, dataset: str | None, as_json: bool) -> None:
    """Spent and left of each data set, by whom and for what."""
    place = LedgerLocation.read(ledger)
    with place.open_to_read() as opened:
        balances = list(opened.balances(dataset or place.dataset))
        names = [balance.dataset for balance in balances if balance.analyst is None]
        recent = {name: opened.asked(RECENT, name) for name in names}
        location = opened.place
    if as_json:
        plain_balances = [balance_data(balance) for balance in balances]
        click.echo(json.dumps({"ledger": location, "accounts": plain_balances}, ensure_ascii=False))
        return
    from discreet.cli.terminal import show_balances

    if not balances:
        click.echo(f"{printable(location)} declares no data set yet.")
        return
    show_balances(balances, recent)


@budget.command(name="set")
@click.argument("ledger")
@click.option("--dataset", help="The data set; the TOML file's own unless stated.")
@click.option("--epsilon", help="The new ε: 1, 0.5 or 1/3.")
@click.option("--rho", help="The new ρ, for a budget in zCDP: 0.1.")
@click.option("--delta", help="The new δ: 1e-6, or 0 for none.")
@click.option(
    "--period",
    type=click.Choice([*(period.value for period in Period), NEVER]),
    help="How often it starts again.",
)
@click.option("--analyst", help="The budget of this analyst, within that of the data set.")
@click.option(
    "--each-analyst", is_flag=True, help="The budget of every analyst who has none of their own."
)
@click.option("--none", "nothing", is_flag=True, help="Take the analyst's budget back.")
@click.option("--why", required=True, help="The reason, for whoever reads the ledger later.")
@click.option("--who", help="Who decides; the operating system's user unless stated.")
@click.option("--json", "as_json", is_flag=True, help="Exact numbers, for programs.")
def set_(
    ledger: str,
    dataset: str | None,
    epsilon: str | None,
    rho: str | None,
    delta: str | None,
    period: str | None,
    analyst: str | None,
    each_analyst: bool,
    nothing: bool,
    why: str,
    who: str | None,
    as_json: bool,
) -> None:
    """Change a budget from now on.

    The change is an entry of the ledger; what was spent stays spent. What is not stated is as the
    TOML file says, if it is named and declares the budget, and as before otherwise.
    """
    place = LedgerLocation.read(ledger)
    name = dataset or place.dataset
    if name is None:
        raise DataError(
            "no data set is named. A ledger can hold several, each with its budget. Add --dataset."
        )
    has_values = any(value is not None for value in (epsilon, rho, delta, period))
    field = "analyst_budget" if each_analyst else "budget"
    # The policy declares nothing about one analyst, nor about another data set.
    wanted = place.cap(field) if analyst is None and name == place.dataset else None
    clear = not has_values if nothing else has_values or wanted is not None
    if not clear or (analyst is not None and each_analyst):
        raise DataError(
            "the change is not clear. It sets a budget, or takes back that of one analyst or of "
            "each. Write --epsilon 3 or --rho 0.1 for a data set; --analyst ann or --each-analyst "
            "with --epsilon 1, --rho 0.1 or --none."
        )
    whose = analyst or (BudgetScope.EACH_ANALYST if each_analyst else BudgetScope.DATASET)
    with place.open_to_write() as opened:
        declared = opened.declaration(name)
        before = declared.analyst_cap if each_analyst else opened.balance(name, analyst).cap
        starting_cap = wanted or before
        chosen = None if nothing else chosen_budget(epsilon, rho, delta, starting_cap)
        if period is not None:
            span = read_period(period)
        elif starting_cap is not None:
            span = starting_cap.period
        else:
            span = declared.cap.period if each_analyst else None
        opened.set_budget(name, chosen, whose=whose, period=span, why=why, who=who)
        balance = opened.balance(name, analyst)
    if as_json:
        click.echo(json.dumps(balance_data(balance), ensure_ascii=False))
        return
    from discreet.cli.terminal import show_balances

    if analyst is None:
        show_balances([balance], {})
    else:
        click.echo(printable(str(balance)))
    if balance.guarantee is not None:
        click.echo(balance.guarantee)


def chosen_budget(
    epsilon: str | None, rho: str | None, delta: str | None, found: BudgetCap | None
) -> Budget:
    """The budget as stated; what is not stated is as it was found.

    So is how δ is split, unless a budget in ε becomes one in ρ or the other way.
    """
    amounts: dict[str, Any] = {"epsilon": epsilon, "rho": rho}
    if found is None:
        if epsilon is None and rho is None:
            raise DataError(
                "no ε is stated, and there is no budget yet whose ε it could keep. A budget caps "
                "how much one person can change the odds of all answers. Add --epsilon 1, or "
                "--rho 0.1 for one in zCDP."
            )
        return Budget(**amounts, delta=delta or 0)
    before = found.budget
    if epsilon is None and rho is None:
        amounts = {"epsilon": before.epsilon, "rho": before.rho}
    same_kind = (amounts["rho"] is None) == (before.rho is None)
    part = before.conversion_delta if delta is None and same_kind else None
    return Budget(
        **amounts,
        delta=before.delta if delta is None else delta,
        conversion_delta=part,
    )


def read_period(period: str) -> Period | None:
    """The period that was chosen."""
    return None if period == NEVER else Period.read(period)


def balance_data(balance: Balance) -> dict[str, Any]:
    """A balance as plain data: amounts are decimal texts, and what was spent is rounded up."""
    return {
        "dataset": balance.dataset,
        "analyst": balance.analyst,
        "budget": None if balance.cap is None else balance.cap.to_data(),
        "window": balance.window,
        "spent": _totals_data(balance.spent),
        "lifetime": _totals_data(balance.lifetime),
        "share_left": None if balance.cap is None else float(balance.share_left),
        "questions": {
            "charged": balance.charges,
            "released": balance.released,
            "lost": balance.lost,
            "pending": balance.pending,
        },
        "suspended": balance.suspended,
        "suspensions": balance.suspensions,
        "guarantee": balance.guarantee,
    }


def _totals_data(totals: Totals) -> dict[str, str | None]:
    return {
        "epsilon": None if totals.epsilon is None else decimal_above(totals.epsilon),
        "delta": decimal_above(totals.delta),
        "rho": decimal_above(totals.rho),
    }
