"""The durable record of what was spent."""

from discreet.ledger.balances import Balance, PaidQuestion
from discreet.ledger.charges import Charge
from discreet.ledger.declarations import Period
from discreet.ledger.declare import BudgetScope
from discreet.ledger.entries import Anchor, Entry
from discreet.ledger.ledger import Ledger as Ledger
from discreet.ledger.ledger import spending as spending
from discreet.ledger.verification import Problem, Report

__all__ = [
    "Anchor",
    "Balance",
    "BudgetScope",
    "Charge",
    "Entry",
    "PaidQuestion",
    "Period",
    "Problem",
    "Report",
]
