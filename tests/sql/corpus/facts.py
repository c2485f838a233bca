"""What is expected of the corpus, and what the code says of it: in words that a person can check.

A file of the corpus has questions that are ``accepted``, each with its plan and its price at ε = 1,
and such that are ``refused``, each with its message in three parts.
"""

import re
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError
from discreet.measures.counts import Partition
from discreet.measures.extremes import Extreme
from discreet.measures.measure import Measure
from discreet.measures.moments import Moments
from discreet.measures.quantiles import Ranks
from discreet.measures.relations import Relations
from discreet.measures.sums import FixedTotal, Total
from discreet.plan.expressions import expression_text, number_text
from discreet.plan.schema import Schema
from discreet.question.check import Question, checked_question
from discreet.release.price import price_question
from discreet.sql.read.allow_list import AGGREGATE_NAMES, OFFERED
from discreet.sql.read.select import parse_select
from tests.sql.corpus.schemas import SCHEMAS
from tests.support.measuring import share

FOLDER = Path(__file__).parent
DELTA = Fraction(1, 10**6)
"""Paid where groups are found privately, and nowhere else."""
_PLACE = re.compile(r"line \d+, column \d+: ")
_SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-Z('])")


@dataclass(frozen=True)
class Case:
    """A question of the corpus, and what is expected of it."""

    schema: Schema
    file: str
    asks: str
    sql: str
    expected: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.file}: {self.asks}"


def cases(kind: str) -> list[Case]:
    """The questions that are accepted, or refused, of all files."""
    found = []
    for name, schema in SCHEMAS.items():
        for one in tomllib.loads((FOLDER / f"{name}.toml").read_text())[kind]:
            asks, sql = one.pop("asks"), one.pop("sql").strip("\n")
            found.append(Case(schema, name, asks, sql, one))
    return found


def accepted_facts(sql: str, schema: Schema) -> dict[str, Any]:
    """The plan, the groups and the price of a question."""
    query = parse_select(sql, schema)
    question = checked_question(query, schema)
    delta = DELTA if question.selects_keys else Fraction(0)
    priced = price_question(question, Fraction(1), delta)
    lines = []
    if priced.selection is not None:
        answers = priced.selection.answers
        lines.append(
            {
                "block": "Selection",
                "of": "" if answers is None else type(answers).__name__,
                "steps": "",
                "worth": str(question.unit.group_cap),
                "epsilon": str(priced.selection.epsilon),
            }
        )
    lines += [
        {
            "block": _kind(one.measure),
            "of": _subject(one.measure),
            "steps": str(one.sensitivity.l1),
            "worth": _worth(one.measure, one.sensitivity.l1 or 0, question),
            "epsilon": str(one.epsilon),
        }
        for one in priced.priced
    ]
    cells = question.cells
    return {"plan": query.text, "groups": "private" if cells is None else cells, "price": lines}


def refused_facts(sql: str, schema: Schema) -> dict[str, Any]:
    """The error of a question, and its message: where, fact, rule and remedy."""
    try:
        checked_question(parse_select(sql, schema), schema)
    except DiscreetError as error:
        return {"error": type(error).__name__} | parts(str(error))
    raise AssertionError("the question is accepted")


def parts(message: str) -> dict[str, str]:
    """A message in its parts; lists of everything that is offered are left out."""
    short = message.replace(OFFERED, "{OFFERED}").replace(AGGREGATE_NAMES, "{STATISTICS}")
    place = _PLACE.match(short)
    at = "" if place is None else place.group()
    said = _SENTENCES.split(short[len(at) :])
    first = 2 if len(said) > 3 and said[1].startswith("Did you mean") else 1
    fact, rule, remedy = said[:first], said[first:-1], said[max(first, len(said) - 1) :]
    return {
        "place": at.removesuffix(": "),
        "fact": " ".join(fact),
        "rule": " ".join(rule),
        "remedy": " ".join(remedy),
    }


def _kind(block: Measure) -> str:
    """What is measured."""
    name = type(block).__name__
    if isinstance(block, Moments):
        return name + " with squares" * block.squares + " and rows" * block.rows
    if isinstance(block, Partition):
        return name + " and rest" * block.rest
    return name


def _subject(block: Measure) -> str:
    """The expression that is measured, or those that are."""
    if isinstance(block, Partition):
        return "; ".join(map(expression_text, block.nodes))
    part = getattr(block, "value", block)
    node = getattr(part, "node", None)
    text = "" if node is None else expression_text(node)
    if isinstance(block, Ranks):
        return f"{text} at {', '.join(map(number_text, block.levels))}"
    return (
        f"{text}, {'largest' if block.largest else 'least'}" if isinstance(block, Extreme) else text
    )


def _worth(block: Measure, sensitivity: int, question: Question) -> str:
    """The sensitivity in rows, people, values, or the column's own unit; squared for squares."""
    amount = Fraction(sensitivity, share(block, question.unit))
    if isinstance(block, Relations):
        amount /= sum(block.row_sizes)
    if isinstance(block, Total | Moments | FixedTotal):
        squares = isinstance(block, Moments) and block.squares
        amount *= block.value.range.grid.step ** (2 if squares else 1)
    return number_text(amount)
