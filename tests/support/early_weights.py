"""A rule that is wrong: rows are weighed by how many there are before a join, not after it."""

from dataclasses import replace
from typing import Any

from sqlglot import exp

from discreet.plan.expressions import Constant, Named
from discreet.question.check import Question
from discreet.question.query import Pair, Selected, origin
from discreet.sql.write import queries

_sums_query = queries.sums_query


def sums_by_rows_before_a_join(question: Question, *given: Any) -> Any:
    """The shipped query of sums, with shares by the rows of the first side of a join alone."""
    query, columns = _sums_query(question, *given)
    if not isinstance(question.source, Pair):
        return query, columns
    source = question.source
    kept = tuple((name, Named(name)) for name in origin(source.second, question.declared).columns)
    nobody = Selected(source.second, kept, (Constant(False),))
    alone = replace(source, second=nobody, keep=True)
    early, _ = _sums_query(replace(question, source=alone, remaining=()), *given)
    body, shares = (_given(early, name).this.copy() for name in ("measured", "shares"))
    for table in shares.find_all(exp.Table):
        table.set("this", exp.to_identifier("first_side"))
    _given(query, "shares").set("this", shares)
    query = query.with_("first_side", body, copy=False)
    first = query.args["with_"].expressions  # before the shares, which read it
    first.insert(0, first.pop())
    return query, columns


def _given(query: exp.Select, name: str) -> exp.CTE:
    return next(one for one in query.ctes if one.alias == name)
