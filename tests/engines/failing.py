"""Questions about a column that cannot be read in one person's row, asked around that person.

Whether a question fails may depend on the columns that it names and on the rows, never on what
its conditions choose: otherwise *which* of many questions fails would read a value exactly.
"""

from collections.abc import Sequence
from typing import Any

import discreet as dp
from discreet.engines.base import Engine
from discreet.errors import UnansweredError
from discreet.plan.schema import PartnerTable, Schema
from discreet.question.check import checked_question
from discreet.sql.read.select import parse_select

PERSON = 77
"""Whose y cannot be read."""
PEOPLE = 200
"""People 1 to 200: x is the id, tag is a or b; others holds the same ids."""

COLUMNS = {"x": dp.number(0, 1000), "y": dp.number(-100, 100), "tag": dp.text()}
DECLARED = Schema(
    name="t",
    columns=COLUMNS,
    unit="id",
    max_rows=2,
    max_groups=2,
    private={"others": PartnerTable(columns={"z": dp.number(0, 1000)}, unit="id", max_rows=2)},
)

NAMED = [
    "SELECT COUNT(*) AS n FROM t WHERE y > 0",
    "SELECT COUNT(*) AS n FROM t WHERE x > 100 AND y > 0",
    "SELECT COUNT(*) AS n FROM t WHERE y > 0 AND x > 100",
    "SELECT COUNT(*) AS n FROM t WHERE x = 0.125 AND y > 0",
    "SELECT COUNT(*) AS n FROM t WHERE NOT (x >= 70 AND x <= 80) AND y > 0",
    "SELECT COUNT(*) AS n FROM t WHERE x < 70 OR (x > 80 AND y > 0)",
    "SELECT COUNT(*) AS n FROM t WHERE x IS NULL AND y IS NULL",
    "SELECT COUNT(*) AS n FROM t WHERE x = 0.25 AND y > 0",
    "SELECT SUM(y) AS s FROM t WHERE tag = 'nobody'",
    "SELECT SUM(y) FILTER (WHERE x < 5) AS s FROM t",
    "SELECT SUM(CASE WHEN x < 5 THEN y END) AS s FROM t",
    "SELECT AVG(y) AS m, COUNT(*) AS n FROM t WHERE x < 5",
    "SELECT MEDIAN(y) AS m FROM t WHERE x < 5",
    "SELECT MAX(y) AS m FROM t WHERE x < 5",
    "SELECT COUNT(DISTINCT y) AS d FROM t WHERE x < 5",
    "SELECT COUNT(DISTINCT id) AS d FROM t WHERE x < 5 AND y > 0",
    "SELECT BINS(y, -10, 0, 10) AS b, COUNT(*) AS n FROM t WHERE x < 5 GROUP BY 1",
    "SELECT tag, SUM(y) AS s FROM t WHERE x < 5 GROUP BY tag",
    "SELECT SUM(s) AS s FROM (SELECT id, SUM(y) AS s FROM t WHERE x < 5 GROUP BY id) AS p",
    "SELECT SUM(y) AS s FROM (SELECT * FROM t WHERE x < 5) AS p WHERE x < 3",
    "SELECT SUM(y) AS s FROM t JOIN others AS o ON t.id = o.id WHERE z = 0.125",
    "SELECT SUM(y) AS s FROM t JOIN (SELECT * FROM others WHERE z = 0.125) AS o ON t.id = o.id",
    "SELECT SUM(z) AS s FROM others AS o JOIN (SELECT * FROM t WHERE x < 5) AS p ON p.id = o.id "
    "WHERE y > 0",
    "SELECT SUM(z) AS s FROM others AS o LEFT JOIN t ON t.id = o.id WHERE x < 5 AND y > 0",
]
"""All of these name y, and none of what they choose but the first has the person in it."""
OTHERS = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT COUNT(*) AS n FROM t WHERE x > 70",
    "SELECT SUM(x) AS s FROM t WHERE tag = 'a'",
    "SELECT tag, COUNT(*) AS n FROM t GROUP BY tag",
    "SELECT SUM(z) AS s FROM t JOIN others AS o ON t.id = o.id",
]
"""These do not name it."""


def fails(engine: Engine, text: str) -> bool:
    """Whether a question is left unanswered; it is bound before, as it is when it is charged."""
    question = checked_question(parse_select(text, DECLARED), DECLARED)
    cells: Any = None
    with engine.prepared(question, question.measures, question.unit):
        try:
            if question.selects_keys:
                engine.candidates(question)
                cells = [("a",)]
            engine.measure(question, question.measures, cells, question.unit)
        except UnansweredError:
            return True
    return False


def wrong(engine: Engine, texts: Sequence[str], *, failing: bool) -> list[str]:
    """The questions that do otherwise."""
    return [text for text in texts if fails(engine, text) is not failing]
