"""Declaring a data set, and changing what was declared: always an entry, never a correction."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from shlex import quote
from typing import Any

from discreet.errors import DataError, DeclarationError, Remedy
from discreet.exact import decimal_text
from discreet.ledger.accounts import one_line
from discreet.ledger.declarations import BudgetCap, DatasetDeclaration, read_cap, read_declaration
from discreet.ledger.journal import Journal, JournalWriter


class BudgetScope(Enum):
    """The scope of a budget: the data set's, or that of each analyst without their own."""

    DATASET = "the data set"
    EACH_ANALYST = "each analyst"


ScopeOrAnalyst = BudgetScope | str


def declare(journal: Journal, dataset: str, declaration: DatasetDeclaration, who: str) -> None:
    """Declare a data set; a known one must be declared as it is."""
    with journal.store.reading() as records:
        declared = records.situation(dataset, "").declared
    if declared is None:
        with journal.writing() as pen:
            declared = pen.records.situation(dataset, "").declared
            if declared is None:
                body = {"who": who, "why": None, "from": None, "to": declaration.to_data()}
                pen.append("dataset", dataset, body)
                return
    current = read_declaration(declared.body)
    differences = current.differences(declaration)
    if differences:
        differences_text = "; ".join(
            f"{name}: {old} there, {new} here" for name, old, new in differences
        )
        raise DeclarationError(
            f"the data set {dataset!r} is declared in another way in the ledger {_place(journal)}: "
            f"{differences_text}. A data set keeps its budget and its declarations, whoever opens "
            f"it. Open it as it was declared{_remedy(journal, dataset, current, declaration)}"
        )


def _remedy(
    journal: Journal, dataset: str, old: DatasetDeclaration, new: DatasetDeclaration
) -> str:
    """How to write down the change from one declaration to another."""
    if old.neighbors != new.neighbors:
        return ", or under another name: what was spent is in terms of its neighbors."
    ways = []
    for whose, before, after in (
        ("", old.cap, new.cap),
        (" --each-analyst", old.analyst_cap, new.analyst_cap),
    ):
        if before == after:
            continue
        if not journal.store.durable or (after is not None and not after.budget.usual_split):
            ways.append("ledger.set_budget(…, why=…)")
            continue
        place = f"{quote(_place(journal))} --dataset {quote(dataset)}{whose}"
        ways.append(f'discreet budget set {place} {_options(before, after)} --why "…"')
    if old.details != new.details:
        ways.append('discreet table update POLICY --why "…"')
    return f"; or write down the change, with its reason: {', and '.join(dict.fromkeys(ways))}"


def _options(before: BudgetCap | None, after: BudgetCap | None) -> str:
    if after is None:
        return "--none"
    budget = after.budget
    amounts = {"--epsilon": budget.epsilon, "--rho": budget.rho, "--delta": budget.delta}
    stated = " ".join(f"{name} {_written(one)}" for name, one in amounts.items() if one is not None)
    if after.period is not None:
        return f"{stated} --period {after.period.value}"
    return stated + (" --period never" if before is None or before.period is not None else "")


def _written(value: Fraction) -> str:
    """A number that reads back as the same one."""
    text = decimal_text(value)
    return str(value) if text.startswith("≈") else text


def change_budget(
    journal: Journal,
    dataset: str,
    cap: BudgetCap | None,
    *,
    whose: ScopeOrAnalyst,
    who: str,
    why: str,
) -> None:
    """Give a data set, each of its analysts or one of them another cap from now on."""
    reason = read_reason(why)
    with journal.writing() as pen:
        current = current_declaration(pen, dataset)
        old: dict[str, Any] | None
        new: dict[str, Any] | None
        if isinstance(whose, str):
            allotted = pen.records.situation(dataset, whose).allotted
            before = None if allotted is None else read_cap(allotted.body)
            old = None if before is None else before.to_data()
            new = None if cap is None else cap.to_data()
        else:
            old, new = current.to_data(), _changed(current, dataset, cap, whose).to_data()
        body = {"who": who, "why": reason, "from": old, "to": new}
        pen.append("budget", dataset, body, analyst=whose if isinstance(whose, str) else None)


def _changed(
    current: DatasetDeclaration, dataset: str, cap: BudgetCap | None, whose: BudgetScope
) -> DatasetDeclaration:
    if whose is BudgetScope.EACH_ANALYST:
        return replace(current, analyst_cap=cap)
    if cap is None:
        raise DeclarationError(
            f"the data set {dataset!r} must have a budget. Only an analyst's can be taken back. "
            "Name the analyst, or set another budget."
        )
    return replace(current, cap=cap)


def change_details(
    journal: Journal, dataset: str, details: Mapping[str, Any], *, who: str, why: str
) -> None:
    """Declare other details from now on.  Neighbors stay: what was spent is in their terms."""
    reason = read_reason(why)
    with journal.writing() as pen:
        current = current_declaration(pen, dataset)
        new = replace(current, details=details)
        body = {"who": who, "why": reason, "from": current.to_data(), "to": new.to_data()}
        pen.append("details", dataset, body)


def current_declaration(
    pen: JournalWriter, dataset: str, *, new: bool = True
) -> DatasetDeclaration:
    """What the data set is declared to be; ``new``: one that is not may yet be declared."""
    declared = pen.records.situation(dataset, "").declared
    if declared is None:
        raise unknown_dataset_error(dataset, pen.records.datasets(), new=new)
    return read_declaration(declared.body)


def unknown_dataset_error(dataset: str, known: list[str], *, new: bool = True) -> DeclarationError:
    """The error of a data set that the ledger does not know; ``new``: it may yet be declared."""
    names = ", ".join(map(repr, known[:10])) or "none"
    declare = Remedy(
        python="Use one of these names, or declare it: "
        f'ledger.declare({dataset!r}, neighbors="add-remove", budget=dp.Budget(epsilon=1)).',
        sql="Use one of these names, or ask its first question, which declares it.",
    )
    return DeclarationError(
        f"the data set {dataset!r} is not declared in this ledger. It knows: {names}.",
        declare if new else "Use one of these names.",
    )


def read_reason(why: object, example: str = "a second survey was added") -> str:
    """Why something was changed: one line, and not an empty one."""
    reason = one_line(why) if isinstance(why, str) else ""
    if not reason:
        raise DataError(
            "the change has no reason. Whoever reads the ledger later must find out why it was "
            "made.",
            Remedy(
                python=f'State it: why="{example}".',
                sql=f"State it, such as: {example}.",
                command=f'State it: --why "{example}".',
            ),
        )
    return reason


def _place(journal: Journal) -> str:
    return journal.store.place
