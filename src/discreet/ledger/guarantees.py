"""What is promised of the answers so far, where the budget was changed on the way.

Each charge fitted the cap that held when it was made.  From the first answer on, what is asked may
depend on answers, so a cap that was lowered later says nothing of what was, or might have been,
asked before.  What holds is the promise of the smallest budget that every cap since then fits
into: the largest ε, the largest δ of the questions and the largest δ for the conversion.
Proof: docs/proofs/filters.md
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from discreet.ledger.entries import Entry
from discreet.ledger.records import Records
from discreet.ledger.terms import Cap, exact_budget, read_cap, read_declaration

_AT_MOST = Fraction(1)


def guarantee(records: Records, dataset: str, analyst: str | None, cap: Cap) -> str:
    """What is promised of an account whose cap is ``cap`` now."""
    held = [cap, *_caps_since_the_first_charge(records, dataset, analyst)]
    if None in held:
        return (
            "Nothing is promised of all answers together: there was no such budget when some could "
            f"be given. {_from_now_on(cap)}"
        )
    return promised(cap, [one for one in held if one is not None])


def promised(cap: Cap, held: Sequence[Cap]) -> str:
    """The promise of a cap, given all the caps that held since the first charge.

    >>> from discreet.privacy.budget import Budget
    >>> low, high = Cap(budget=Budget(epsilon=1)), Cap(budget=Budget(epsilon=3))
    >>> promised(high, [low]) == high.guarantee
    True
    >>> promised(low, [high]).split(". ")[0]
    'All answers together, for all time, are (ε, δ)-DP with ε = 3, δ = 0'
    """
    caps = {cap, *held}
    if any(one.period is not cap.period for one in caps):
        return (
            "Nothing is promised of all answers together: the budget started again at other times "
            f"when some could be given. {_from_now_on(cap)}"
        )
    question_delta = max(one.budget.question_delta for one in caps)
    conversion_delta = max(one.budget.conversion_delta for one in caps)
    delta = question_delta + conversion_delta
    if delta >= _AT_MOST:
        return f"Nothing is promised of all answers together. {_from_now_on(cap)}"
    epsilon = max(one.budget.epsilon for one in caps)
    whole = Cap(budget=exact_budget(epsilon, delta, conversion_delta), period=cap.period)
    if whole == cap:
        return cap.guarantee
    return (
        f"{whole.guarantee} That is more than the budget says, since others held after the first "
        f"question. {_from_now_on(cap)}"
    )


def _from_now_on(cap: Cap) -> str:
    together = "all answers" if cap.period is None else f"the answers of one {cap.period}"
    return f"From now on no question is answered that would bring {together} over {cap.budget}."


def _caps_since_the_first_charge(
    records: Records, dataset: str, analyst: str | None
) -> Iterator[Cap | None]:
    """The caps under which anything could be charged after an answer; None where there was none."""
    entries = records.declared(dataset, analyst)
    ends = [*(entry.sequence for entry in entries[1:]), records.head().sequence + 1]
    own: Cap | None = None
    declared: Entry | None = None
    begun = False
    for entry, end in zip(entries, ends, strict=True):
        if entry.analyst is None:
            declared = entry
        else:
            own = read_cap(entry.body)
        begun = begun or records.charged(dataset, analyst, entry.sequence, end)
        if declared is not None and begun:
            declaration = read_declaration(declared.body)
            yield declaration.cap if analyst is None else own or declaration.analyst_cap
