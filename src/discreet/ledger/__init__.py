"""The durable record of what was spent."""

from discreet.ledger.anchors import Anchor
from discreet.ledger.balances import Asked, Balance
from discreet.ledger.book import Ledger as Ledger
from discreet.ledger.declaring import Account
from discreet.ledger.entries import Entry
from discreet.ledger.payments import Charge
from discreet.ledger.periods import Period
from discreet.ledger.spending import spending as spending
from discreet.ledger.verification import Problem, Report

__all__ = [
    "Account",
    "Anchor",
    "Asked",
    "Balance",
    "Charge",
    "Entry",
    "Period",
    "Problem",
    "Report",
]
