"""260 questions of analysts: each has the plan, the groups and the price that were read by hand.

A difference is either a defect or a change that a person must read: ``python -m
tests.sql.corpus.rewrite`` writes the files anew, and the difference is the review.
"""

import re
import time
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from statistics import median
from typing import Any

import pytest

from discreet.errors import DiscreetError, Front
from discreet.plan.schema import ROW, Schema
from discreet.question.check import checked_question
from discreet.sql.read.select import parse_select
from tests.sql.corpus.facts import FOLDER, Case, accepted_facts, cases, parts, refused_facts
from tests.sql.corpus.rewrite import rewritten
from tests.sql.corpus.schemas import SCHEMAS, VISITS
from tests.support.cases import each

ACCEPTED, REFUSED = cases("accepted"), cases("refused")
_REMEDIES = {
    *("Add", "Ask", "Compare", "Count", "Cut", "Declare", "Give", "Group", "Join", "Order", "Put"),
    *("Read", "Select", "Take", "Use", "Write"),
    *("Existing", "After", "Aggregates", "DISTINCT"),  # what exists, or where a word may stand
}


@each("case", ACCEPTED, ids=str)
def test_an_accepted_question_has_the_plan_and_the_price_that_were_reviewed(case: Case) -> None:
    assert accepted_facts(case.sql, case.schema) == case.expected


@each("case", ACCEPTED, ids=str)
def test_the_shares_of_a_question_add_up_to_its_price(case: Case) -> None:
    price = case.expected["price"]
    free = all(line["block"] == "Size" for line in price)
    assert sum(Fraction(line["epsilon"]) for line in price) == (0 if free else 1)


@each("case", REFUSED, ids=str)
def test_a_refused_question_has_the_message_that_was_reviewed(case: Case) -> None:
    expected = {name: part for name, part in case.expected.items() if name != "instead"}
    assert refused_facts(case.sql, case.schema) == expected


@each("case", REFUSED, ids=str)
def test_a_refusal_says_fact_rule_and_remedy(case: Case) -> None:
    fact, rule, remedy = (case.expected[part] for part in ("fact", "rule", "remedy"))
    assert fact[-1] in ".?"
    assert rule[-1] == remedy[-1] == "."
    assert remedy.split()[0] in _REMEDIES


def names_of(schema: Schema) -> set[str]:
    """All names that are declared."""
    tables = [*schema.private.values(), *schema.public.values()]
    units = {one.unit for one in schema.private.values()} | {schema.unit}
    columns = {name for one in (schema, *tables) for name in one.columns}
    return {schema.name, *schema.private, *schema.public, *units, *columns} - {ROW}


def odd(name: str) -> str:
    return name if name == ROW else f"zq_{name}_7"


def with_odd_names(schema: Schema) -> Schema:
    """The same declarations, with names that no example would ever have."""

    def renamed(columns: Mapping[str, Any]) -> dict[str, Any]:
        return {odd(name): one for name, one in columns.items()}

    private = {
        odd(name): replace(one, columns=renamed(one.columns), unit=odd(one.unit))
        for name, one in schema.private.items()
    }
    public = {
        odd(name): replace(one, columns=renamed(one.columns), most=renamed(one.most))
        for name, one in schema.public.items()
    }
    return replace(
        schema,
        name=odd(schema.name),
        unit=odd(schema.unit),
        columns=renamed(schema.columns),
        private=private,
        public=public,
    )


DECLARED = set().union(*map(names_of, SCHEMAS.values()))
PROSE = {"joined", "kind", "day", "stay", "state", "next", "plan", "code", "year", "hour", "id"}
"""Names that are words of English, too; for those of the examples there is a law."""
FURTHER = [
    "SELECT CORR(stay) FROM visits",
    "SELECT CORR(stay, stay) FROM visits",
    "SELECT PEOPLE(stay, age) FROM visits",
    "SELECT PEOPLE(stay) FROM visits",
    "SELECT QUANTILE(stay, [0.2, 0.5]) + 1 FROM visits",
    "SELECT SUM(stay) OVER (PARTITION BY ward) FROM visits",
    "SELECT ward, NTH_VALUE(COUNT(*), 2) OVER (ORDER BY ward) FROM visits GROUP BY ward",
    "SELECT ward, LAST_VALUE(stay) FROM visits GROUP BY ward",
    "SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS w GROUP BY ward",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ward UNION ALL SELECT 1, 2 FROM visits",
    "SELECT WIDTH_BUCKET(age, 9, 1, 3), COUNT(*) FROM visits GROUP BY 1",
    "SELECT AVG(LN(stay)) FROM visits",
    "SELECT SUM(LENGTH(diagnosis)) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE stay",
    "SELECT DAYNAME(admitted), COUNT(*) FROM visits GROUP BY 1",
    "SELECT COUNT(*) FROM visits GROUP BY CUBE (ward, diagnosis)",
    "SELECT SUM(COUNT(*)) OVER (ORDER BY ward) FROM visits GROUP BY ward",
]
"""Questions about visits whose refusals have examples."""


@each("schema, sql", [(one.schema, one.sql) for one in REFUSED] + [(VISITS, q) for q in FURTHER])
def test_a_refusal_names_the_tables_own_columns(schema: Schema, sql: str) -> None:
    own = names_of(schema)
    words = re.compile(r"'[^']*'|\b[A-Za-z_]\w*\b")
    asked = words.sub(lambda found: odd(found[0]) if found[0] in own else found[0], sql)
    declared = with_odd_names(schema)
    with pytest.raises(DiscreetError) as caught:
        checked_question(parse_select(asked, declared), declared)
    said = caught.value.text(Front.SQL) + caught.value.text(Front.PYTHON)
    strange = set(re.findall(r"\b[A-Za-z_]\w*\b", said)) & (DECLARED - PROSE)
    assert strange <= set(re.findall(r"\w+", asked)), said


def test_a_remedy_that_names_a_column_of_the_examples_would_be_noticed() -> None:
    """The control: with the names as they are, remedies do name columns of the table."""
    with pytest.raises(DiscreetError, match=r"GROUP BY ward"):
        parse_select("SELECT * FROM visits", VISITS)


@each("case", [one for one in REFUSED if "instead" in one.expected], ids=str)
def test_what_a_refusal_recommends_is_accepted(case: Case) -> None:
    checked_question(parse_select(case.expected["instead"], case.schema), case.schema)


def test_the_place_of_a_refusal_is_that_of_its_subject() -> None:
    text = "SELECT ward,\n       COUNT(*) AS n,\n       AVG(staay) AS m\nFROM visits GROUP BY 1"
    with pytest.raises(DiscreetError) as caught:
        parse_select(text, VISITS)
    assert parts(str(caught.value))["place"] == "line 3, column 12"
    assert text.split("\n")[2][11:].startswith("staay")


def test_the_corpus_is_as_large_as_it_claims() -> None:
    assert len(ACCEPTED) == 169
    assert len(REFUSED) == 93
    assert len({one.sql for one in [*ACCEPTED, *REFUSED]}) == 262
    assert len({str(one) for one in [*ACCEPTED, *REFUSED]}) == 262


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_is_what_rewriting_it_gives(name: str) -> None:
    text = (FOLDER / f"{name}.toml").read_text()
    assert rewritten(tomllib.loads(text), SCHEMAS[name]) == text


def test_a_changed_fact_would_be_noticed() -> None:
    case = ACCEPTED[0]
    line = case.expected["price"][0]
    assert accepted_facts(case.sql, case.schema) != {
        **case.expected,
        "price": [{**line, "steps": str(int(line["steps"]) + 1)}],
    }
    with pytest.raises(AssertionError, match="is accepted"):
        refused_facts(case.sql, case.schema)


def test_an_ordinary_question_is_planned_in_milliseconds() -> None:
    taken = []
    for case in ACCEPTED:
        start = time.process_time()
        accepted_facts(case.sql, case.schema)
        taken.append(time.process_time() - start)
    assert median(taken) < 0.02
