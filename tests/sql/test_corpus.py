"""260 questions of analysts: each has the plan, the groups and the price that were read by hand.

A difference is either a defect or a change that a person must read: ``python -m
tests.sql.corpus.rewrite`` writes the files anew, and the difference is the review.
"""

import time
import tomllib
from fractions import Fraction
from statistics import median

import pytest

from discreet.errors import DiscreetError
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
    assert len(ACCEPTED) == 168
    assert len(REFUSED) == 93
    assert len({one.sql for one in [*ACCEPTED, *REFUSED]}) == 261
    assert len({str(one) for one in [*ACCEPTED, *REFUSED]}) == 261


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
