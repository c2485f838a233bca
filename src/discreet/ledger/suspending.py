"""A data set of which nothing may be asked until its keeper has looked.

What only rows can show, such as a cell that nobody can decode, is seen when a question that was
paid for has no answer.  It is told once: from then on every question is refused, whatever it asks,
so that nobody can find out by many questions whose row it was.
Why: docs/decisions/one_bit.md
"""

from typing import Final, Literal

from discreet.errors import LedgerCorruptError, LedgerError
from discreet.ledger.declaring import current_declaration, read_reason
from discreet.ledger.entries import Entry
from discreet.ledger.journal import Journal, Pen
from discreet.ledger.standing import Standing

Reason = Literal["failed", "abandoned", "cancelled", "unrecorded"]
"""Why an answer is lost: its run ended in an error, nobody works on it any more, whoever asked
broke it off, or it was there and could not be written down."""

OUTSIDE: Final = frozenset({"cancelled", "unrecorded"})
"""The reasons that rows cannot have caused."""


def give_up(pen: Pen, charge: Entry, reason: Reason) -> None:
    """Write down that a charge has no answer; where rows may be the cause, that suspends."""
    pen.append(
        "lost",
        charge.dataset,
        {"reason": reason},
        analyst=charge.analyst,
        key=charge.key,
        charge=charge.sequence,
    )
    if reason not in OUTSIDE:
        pen.append("suspended", charge.dataset, {})


def give_up_dead(journal: Journal, pen: Pen, standing: Standing) -> bool:
    """Give up each charge that is pending and that nobody works on; whether there was one.

    Its process died between the charge and the answer, and what it was reading may have been why.
    """
    dead = journal.dead(pen.records, standing)
    for sequence in dead:
        charge = pen.records.entry(sequence)
        if charge is None:
            raise LedgerCorruptError(
                f"entry {sequence} of the ledger is gone. A charge is never removed. Run discreet "
                "ledger verify, and restore a backup that it accepts."
            )
        give_up(pen, charge, "abandoned")
    return bool(dead)


def resume(journal: Journal, dataset: str, *, who: str, why: str) -> None:
    """Let questions be asked of a suspended data set again."""
    reason = read_reason(why, "a corrupt page was restored")
    with journal.writing() as pen:
        current_declaration(pen, dataset, new=False)
        standing = journal.read_standing(pen.records, dataset, "")
        if not give_up_dead(journal, pen, standing) and standing.suspended is None:
            raise LedgerError(
                f"the data set {dataset!r} is not suspended. Only one that is can be resumed. Look "
                "at it with discreet budget. Nothing was changed."
            )
        pen.append("resumed", dataset, {"who": who, "why": reason})
