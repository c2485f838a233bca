"""Claims that every engine keeps beside DuckDB: the same rows give the same integers."""

import datetime
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import inf, nan
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engines.base import SIZES, Engine, SizeKind, people_by_size, rows_without_unit
from discreet.errors import QueryError
from discreet.measures.measure import SHARE, Measure, Norm
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn, Schema
from discreet.privacy.sensitivity import Neighbors
from discreet.question import query
from discreet.question.arrangements import subsets
from discreet.question.builder import col
from discreet.question.check import Question, checked_question
from discreet.question.query import GroupingSets, RunningTotal
from discreet.release.profile import counted_by
from discreet.release.top_groups import public_cells
from discreet.sql.read.select import parse_select
from discreet.sql.write import queries
from tests.support import drawn_sql as drawn
from tests.support.hospital import visits_columns
from tests.support.measuring import (
    BOUNDS,
    GROUPINGS,
    LEFT_OUT,
    SELECTED,
    UNITS,
    Vector,
    as_double,
    asked,
    every_block,
    integers,
    ranked,
    schema,
)

TYPES = {
    "id": "text",
    "x": "double precision",
    "ward": "text",
    "flag": "boolean",
    "tag": "text",
    "z": "double precision",
    "code": "double precision",
    "level": "double precision",
}
NUMBERS = [None, nan, inf, -inf, 0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 0.1, 0.5]
NUMBERS += [1.0, 2.5, -2.5, 2.675, 7.0, 9.75, 1.5e-9, 2.0**40 + 0.5, 2.0**53, -(2.0**63), 1e99]
NUMBERS += [1e200, 1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308]
TEXTS = [
    None,
    "",
    "a",
    "b",
    "it's",
    "A",
    "Ä",
    "ä",
    "日本語",
    "👍",
    "e\u0301",
    " a",
    "a ",
    "B\\",
    "%",
]
IDS = [None, "", "p", "q", "P", "日本", "p ", "é", "e\u0301", "1", "01"]
WARDS = [None, "A", "B", "it's", "D", "a", "E", "A "]


def adversarial() -> list[tuple[Any, ...]]:
    """Rows with every odd value, many ids double, and one person with many rows."""
    rows: list[tuple[Any, ...]] = []
    for place in range(400):
        rows.append(
            (
                IDS[place * 7 % len(IDS)],
                NUMBERS[place % len(NUMBERS)],
                WARDS[place * 3 % len(WARDS)],
                (None, True, False)[place % 3],
                TEXTS[place * 5 % len(TEXTS)],
                NUMBERS[place * 11 % len(NUMBERS)],
                (None, 1.0, 2.0, 7.0, 3.5, nan, inf)[place % 7],
                (None, 0.0, 3.0, 1.0, 2.5, -1.0, -0.0, nan)[place % 8],
            )
        )
    return rows + [("many", 1.5, "A", True, "a", 1.0, 1.0, 2.0)] * 300


def questions(
    *, quick: bool = False
) -> "list[tuple[str, Schema, Question, tuple[Measure, ...], Any]]":
    """Every kind of block for every grouping, unit, relation of neighbors and kind of bounds."""
    found = []
    bounds = ["around zero", "vast"] if quick else list(BOUNDS)
    for unit, neighbors, grouping in product(UNITS, Neighbors, GROUPINGS):
        for x in bounds if grouping in ("no groups", "category") else bounds[:1]:
            for where in ((), (col("z") * 3 > 1,)):
                declared = schema(
                    neighbors, unit, x, max_rows_per_group=(None, 1, 2)[len(found) % 3]
                )
                question, blocks = every_block(declared, GROUPINGS[grouping], where)
                label = f"{unit} {neighbors.value} {grouping} {x} {len(where)}"
                found.append((label, declared, question, blocks, SELECTED.get(grouping)))
    for unit, (grouping, where) in product(UNITS, LEFT_OUT.items()):
        declared = schema(unit=unit)
        question, blocks = every_block(declared, GROUPINGS[grouping], where)
        label = f"{unit} {grouping}, some left out"
        found.append((label, declared, question, blocks, SELECTED.get(grouping)))
    return found


ARRANGED = {
    "all tables": (("ward", "flag", "level"), GroupingSets(subsets(3))),
    "some tables": (("flag", "code", "ward"), GroupingSets(((0, 1), (2,)))),
    "bins and a total": ((col("z").bins([-1, 0, 2, 5]), "flag"), GroupingSets(((0,), ()))),
    "running totals": (("ward", "level"), RunningTotal(1)),
}
"""Keys, and how their groups are measured together."""


def together() -> "list[tuple[str, Schema, Question]]":
    """Every kind of sum for every arrangement, unit and relation of neighbors."""
    sums = {"n": dp.rows(), "s": col("x").sum(), "c": col("x").count()}
    sums |= {"t": (col("z") - 2).sum()}  # of either sign
    means = {"n": dp.rows(), "m": col("x").mean(), "v": col("z").var()}
    return [
        (f"{unit} {neighbors.value} {name} {len(outputs)}", declared, question)
        for unit, neighbors, name in product(UNITS, Neighbors, ARRANGED)
        for outputs in (sums, means)
        for declared in (schema(neighbors, unit, "around zero"),)
        for keys, arranged in (ARRANGED[name],)
        for question in (asked(declared, outputs, keys, (col("z") * 3 > 1,), arranged),)
    ]


def measured(
    engine: Engine, question: Question, blocks: Any, cells: Any, norm: Norm = Norm.L1
) -> dict[Measure, Vector]:
    """The true integers of all blocks, in two questions: none has moments of both kinds."""
    squared = [block for block in blocks if getattr(block, "squares", False)]
    rest = [block for block in blocks if block not in squared]
    found = integers(engine, question, squared, cells, norm)  # type: ignore[arg-type]
    return found | integers(engine, question, rest, cells, norm)  # type: ignore[arg-type]


def check_alike(pair: tuple[Engine, Engine], question: Question, blocks: Any, cells: Any) -> None:
    """Two engines have the same integers, by weights of either norm, and the same candidates."""
    here, there = pair
    for norm in norms(question):
        assert measured(here, question, blocks, cells, norm) == measured(
            there, question, blocks, cells, norm
        ), norm
    assert ranked(here, question, cells) == ranked(there, question, cells)
    if question.selects_keys:
        for share in shares(question):
            assert keys(here, question, share) == keys(there, question, share), share
    elif question.keys:
        chosen = public_cells(question, [(question.cells or 1) - 1, 0])
        assert measured(here, question, blocks, chosen) == measured(there, question, blocks, chosen)


def shares(question: Question) -> list[int | None]:
    """The ways to find keys: by people and, where there are any, by what they add to each."""
    return [None, SHARE] if question.unit.by_person else [None]


def norms(question: Question) -> list[Norm]:
    """The norms by which people are weighed in different ways."""
    unit = question.unit.weighed_by(Norm.L2)
    apart = unit.by_person and Norm.L2 in (unit.row_weights.norm, unit.group_weights.norm)
    return list(Norm) if apart else [Norm.L1]


def keys(engine: Engine, question: Question, share: int | None = None) -> Vector:
    """The candidates of a question's unlisted keys."""
    found = engine.candidates(question, share=share)
    counts = found.counts.open().tolist()
    return dict(zip(found.released(range(len(counts))), counts, strict=True))  # type: ignore[arg-type]


def many_rows() -> tuple[Schema, list[Question]]:
    """Questions about one person with a million rows, 0 to 12 in turn; one is by groups."""
    declared = Schema(
        name="t",
        columns={"x": dp.number(0, 10)},
        unit="id",
        max_rows=3,
        max_groups=2,
        max_rows_per_group=2,
    )
    sums = {"n": dp.rows(), "s": dp.col("x").sum()}
    by_bins = (col("x").bins([1, 2, 5, 6, 9]),)
    return declared, [
        asked(declared, sums | {"m": dp.col("x").median()}),
        asked(declared, sums | {"v": dp.col("x").var(), "p": dp.people()}, by_bins),
    ]


def quotients() -> list[int]:
    """Around the squares of all sizes up to 2^30, where a float's root may be the next number."""
    random = Random(1)
    bases = {0, 1, 2, 3, 2**15, 2**26, 94906265, 94906266, 94906267, 2**29, 2**30 - 1, 2**30}
    bases |= {random.randrange(2**30) for _ in range(2000)}
    bases |= {random.randrange(2**30 - 2**12, 2**30) for _ in range(2000)}
    around = {base**2 + change for base in bases for change in (-2, -1, 0, 1, 2)}
    return sorted(one for one in around if 0 <= one <= 2**60)


def rooted() -> exp.Select:
    """What is written to find the whole roots of a table of numbers."""
    numbers = exp.select("quotient").from_("numbers")
    weight = queries._whole_root(2**30)
    return queries._beside(queries._rooted(numbers), "rooted", weight, "weight")


# ---------------------------------------------------------------------- joins, people, lookups

DECLARED = drawn.schema()
PATIENTS = DECLARED.private["patients"]
LOOKUP = DECLARED.public["wards"]


def types(columns: Mapping[str, Column], unit: str | None) -> dict[str, str]:
    found = {name: _type(column) for name, column in columns.items()}
    return found if unit is None else found | {unit: "text"}


def _type(column: Column) -> str:
    if isinstance(column, BooleanColumn):
        return "boolean"
    if isinstance(column, NumberColumn):
        return "date" if column.dated else "double precision"
    return "double precision" if isinstance(column, CategoryColumn) and column.numeric else "text"


def held(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """What columns of these types can hold of the rows; PostgreSQL's texts have no zero byte."""
    return [tuple(_held(row[name], kind) for name, kind in kinds.items()) for row in rows]


def _held(value: Any, kind: str) -> Any:
    if kind == "double precision":
        return as_double(value)
    if kind == "boolean":
        return {"true": True, "false": False, "FALSE": False}.get(value)
    if kind == "date":
        try:
            return None if value is None else datetime.date.fromisoformat(value)
        except ValueError:
            return None
    return None if value is None else str(value).replace("\0", "0")


def offered(engine: Engine, question: Question) -> bool:
    """Whether an engine answers a question; nothing else may keep it from that."""
    with suppress(QueryError), engine.prepared(question, question.measures, question.unit):
        return True
    return False


JOINS = [
    "SELECT COUNT(*) AS n FROM visits v JOIN patients p ON v.id = p.pid",
    "SELECT COUNT(*) AS n, SUM(v.stay) AS s, AVG(p.mass) AS m FROM visits v LEFT JOIN patients p "
    "ON v.id = p.pid AND v.ward = p.ward AND p.age > 17 WHERE v.level < 3",
    "SELECT v.ward, COUNT(*) AS n, COUNT(DISTINCT p.tag) AS k FROM visits v JOIN patients p "
    "ON v.id = p.pid WHERE p.smoker AND (v.flag OR p.age > v.stay) GROUP BY v.ward",
    "SELECT SUM(o.stay) AS s, MEDIAN(p.age) AS m FROM visits v JOIN visits o ON v.id = o.id "
    "JOIN patients p ON o.id = p.pid AND p.mass > 0 WHERE v.stay > 1",
    "SELECT SUM(q.n) AS s FROM (SELECT v.id, COUNT(*) AS n FROM visits v JOIN patients p "
    "ON v.id = p.pid WHERE v.stay > 1 GROUP BY v.id) AS q JOIN visits o ON q.id = o.id",
    "SELECT SUM(q.n + r.n) AS s FROM (SELECT v.id, COUNT(*) AS n FROM visits v JOIN patients p "
    "ON v.id = p.pid GROUP BY v.id) AS q JOIN (SELECT v.id, v.ward, COUNT(*) AS n FROM visits v "
    "LEFT JOIN patients p ON v.id = p.pid AND p.smoker GROUP BY v.id, v.ward) AS r ON q.id = r.id "
    "JOIN visits o ON o.id = q.id",
    "SELECT COUNT(*) AS n, COUNT(w.size) AS k FROM visits v JOIN patients p ON v.id = p.pid "
    "JOIN wards w ON v.level = w.floor WHERE p.age IS NOT NULL",
]


def joins(most: int) -> list[Question]:
    """Questions about joins of private tables in which a person makes so many pairs at most."""
    with patch.object(query, "MOST_PAIRS", most):
        return [checked_question(parse_select(text, DECLARED), DECLARED) for text in JOINS]


def joined_rows() -> dict[str, list[dict[str, Any]]]:
    """Odd rows of a few people, who have few or many on either side of a join, or none."""
    rows = drawn.Rows(Random("joins"))
    many = {"p": (9, 7), "q": (5, 1), "P": (2, 8), "p ": (3, 3), "é": (4, 0), None: (3, 3)}
    return {
        "visits": [rows.visit(whose) for whose, (own, _) in many.items() for _ in range(own)],
        "patients": [rows.patient(whose) for whose, (_, own) in many.items() for _ in range(own)],
    }


# ---------------------------------------------------------------------- datetimes

CLOCKS = {
    "id": "bigint",
    "shown": "timestamp",
    "world": "timestamptz",
    "day": "date",
    "unix": "bigint",
    "millis": "double precision",
}
"""How moments are stored: as a clock showed them, as moments of the world, or counted."""
_ARROW_CLOCKS = {
    "id": pyarrow.int64(),
    "shown": pyarrow.timestamp("us"),
    "world": pyarrow.timestamp("us", "UTC"),
    "day": pyarrow.date32(),
    "unix": pyarrow.int64(),
    "millis": pyarrow.float64(),
}
_CHANGES = {"America/New_York": (1710054000, 1730613600), "Australia/Lord_Howe": (1712415600,)}
_EPOCH = datetime.datetime(1970, 1, 1)


def clock_schema() -> Schema:
    """What is declared of them: in New York, on an island with half an hour of summer, in Paris."""
    bounds = ("2024-01-01", "2024-12-31 23:59:59")
    york, island = _CHANGES
    return Schema(
        name="t",
        columns={
            "shown": dp.datetime(*bounds),
            "world": dp.datetime(*bounds, zone=york),
            "day": dp.datetime(*bounds),
            "unix": dp.datetime(*bounds, zone=island, unit="s"),
            "millis": dp.datetime("1900-01-01", "2100-12-31", zone="Europe/Paris", unit="ms"),
        },
        unit="id",
        max_rows=3,
        max_groups=2,
    )


def clock_rows() -> list[tuple[Any, ...]]:
    """Moments around every change of a clock, around midnights, and at the ends of the calendar."""
    seconds = [
        change + near
        for changes in _CHANGES.values()
        for change in changes
        for near in (-7200, -3601, -3600, -1800, -1, 0, 1, 1799, 1800, 3599, 3600, 7200)
    ]
    seconds += [1704067200 + 86_400 * day + near for day in (0, 59, 60, 365) for near in (-1, 0)]
    seconds += [-62135596800, -62135596799, -62135579000, 253402300799, 253402300700, 253402290000]
    seconds += [0, -1, 951782400, -2208988800, 4102444800, -1, 1]
    rows: list[tuple[Any, ...]] = [
        (one % 7, moment, moment.replace(tzinfo=datetime.UTC), moment.date(), second, second * 1e3)
        for one, second in enumerate(seconds)
        for moment in (_EPOCH + datetime.timedelta(seconds=second),)
    ]
    fraction = datetime.datetime(2024, 3, 10, 6, 59, 59, 999_999)
    rows += [(7, fraction, fraction.replace(tzinfo=datetime.UTC), None, None, 1710053999999.5)]
    odd = [(2**62, inf), (-(2**62), -inf), (253402300800, nan), (-62135596801, 253402300800000.0)]
    odd += [(253402300799, -62135596800001.0), (None, 253402300799999.9), (0, -0.5)]
    return [*rows, *((8, None, None, None, *one) for one in odd), *rows[:5]]


def clock_frame() -> pyarrow.Table:
    """The same in memory."""
    columns = zip(*clock_rows(), strict=True)
    return pyarrow.table(
        {
            name: pyarrow.array(cells, kind)
            for (name, kind), cells in zip(_ARROW_CLOCKS.items(), columns, strict=True)
        }
    )


def clock_questions() -> list[Question]:
    """What is asked of times of day, of each column."""
    declared, found = clock_schema(), []
    for name in declared.columns:
        part = "month" if name == "millis" else "hour"
        found += [
            f"SELECT HOUR({name}) AS h, COUNT(*) AS n FROM t GROUP BY h",
            f"SELECT ISODOW({name}) AS d, HOUR({name}) AS h, COUNT(*) AS n FROM t GROUP BY d, h",
            f"SELECT DATE_TRUNC('month', {name}) AS m, SUM(MINUTE({name})) AS s, "
            f"AVG(SECOND({name})) AS a FROM t GROUP BY m",
            f"SELECT DATE_TRUNC('{part}', {name}) AS h, COUNT(*) AS n FROM t WHERE {name} BETWEEN "
            "'2024-03-10' AND '2024-03-12 05:30' GROUP BY h",
            f"SELECT BINS({name}, '2024-01-01', '2024-03-10 03:00', '2024-11-03', '2024-12-31') "
            f"AS b, MEDIAN({name}) AS m, MIN({name}) AS f, MAX({name}) AS l FROM t GROUP BY b",
            f"SELECT COUNT({name}) AS n, COUNT(DISTINCT {name}) AS k, SUM(CLIP(DATE_DIFF('hour', "
            f"shown, {name}), -30, 30)) AS s, AVG(CLIP(({name} - world) * 24, -9, 9)) AS a FROM t",
            f"SELECT COUNT(*) AS n FROM t WHERE {name} + INTERVAL '90' MINUTE < world OR "
            f"CAST({name} AS DATE) = '2024-03-10' OR YEAR({name}) = 1",
        ]
    return [checked_question(parse_select(text, declared), declared) for text in found]


def check_clocks(here: Engine, there: Engine) -> None:
    """Two engines have the same integers of times of day."""
    for question in clock_questions():
        with there.prepared(question, question.measures, question.unit):
            check_alike((here, there), question, question.measures, None)


TREATMENTS = {
    "visits": {"patient": "bigint", "visit": "integer", "kind": "text", "stay": "double precision"},
    "doses": {"patient": "bigint", "visit": "integer", "drug": "text", "dose": "double precision"},
    "patients": {"patient": "bigint", "sex": "text"},
}
OF_KIND_A = 5_000
_VISITS_AND_DOSES = "FROM visits v JOIN doses d USING (patient, visit)"
COUNTED = [
    "SELECT COUNT(*) AS n FROM visits WHERE kind = 'a'",
    f"SELECT COUNT(*) AS n {_VISITS_AND_DOSES} WHERE v.kind = 'a'",
    f"SELECT COUNT(*) AS n, COUNT(DISTINCT d.drug) AS k {_VISITS_AND_DOSES} WHERE v.kind = 'a'",
    f"SELECT COUNT(*) AS n, SUM(d.dose) AS s, AVG(v.stay) AS m {_VISITS_AND_DOSES} "
    "WHERE v.kind = 'a'",
    "SELECT COUNT(*) AS n, AVG(d.dose) AS m FROM doses d JOIN visits v "
    "ON d.patient = v.patient AND d.visit = v.visit AND v.kind = 'a'",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT v.patient) AS k FROM visits v LEFT JOIN doses d "
    "ON v.patient = d.patient AND v.visit = d.visit AND d.drug = 'x' WHERE v.kind = 'a'",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT p.sex) AS k FROM visits v JOIN patients p "
    "USING (patient) WHERE v.kind = 'a'",
]
"""Each counts the visits of kind a; all visits have one dose."""
KINDS = [
    "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind",
    f"SELECT v.kind, COUNT(*) AS n {_VISITS_AND_DOSES} GROUP BY v.kind",
    f"SELECT v.kind, COUNT(*) AS n, COUNT(DISTINCT d.drug) AS k {_VISITS_AND_DOSES} "
    "GROUP BY v.kind",
    "SELECT v.kind, COUNT(*) AS n FROM visits v LEFT JOIN patients p USING (patient) "
    "GROUP BY v.kind",
]


def treatments() -> dict[str, list[tuple[Any, ...]]]:
    """1,250 people with 1 to 10 visits, of whose kind a nobody has more than five."""
    visits = [(person, visit) for person in range(1250) for visit in range(1 + person % 10)]
    return {
        "visits": [(*one, "a" if one[1] < 5 else "b", one[1] % 7) for one in visits],
        "doses": [(*one, "xyz"[one[1] % 3], one[1] % 4) for one in reversed(visits)],
        "patients": [(person, "fm"[person % 2]) for person in range(1250)],
    }


def treatments_table(visits: Any, doses: Any, patients: Any) -> dp.Table:
    """What is declared of them, wherever they are: five rows of a person count."""
    number = dp.integer(0, 9)
    return dp.table(
        visits,
        name="visits",
        unit="patient",
        budget=dp.Budget(epsilon=20),
        columns={"visit": number, "kind": dp.category(["a", "b"]), "stay": dp.number(0, 60)},
        max_rows=5,
        max_groups=2,
        ledger=":memory:",
        private={
            "doses": dp.beside(
                doses, columns={"visit": number, "drug": dp.text(), "dose": dp.number(0, 9)}
            ),
            "patients": dp.beside(patients, columns={"sex": dp.category(["f", "m"])}, max_rows=1),
        },
    )


def check_joins_count_what_is_there(table: dp.Table, *, every: int = 1) -> None:
    """A join in which a row has one partner changes no count, and no share of a kind."""
    for text in COUNTED[::every]:
        assert _true_numbers(table, text)["n"] == [OF_KIND_A], text
    alone, *joined = (_true_numbers(table, text)["n"] for text in KINDS[::every])
    assert sum(alone) < sum(len(one) for one in treatments().values())
    assert all(one == alone for one in joined)


def _true_numbers(table: dp.Table, text: str) -> dict[str, list[float]]:
    """Each output of a question group by group, as it is before noise."""
    question = table.ask(text).plan(epsilon=1).question
    found = integers(table.engine(), question, question.measures)
    numbers = {}
    for output in question.outputs:
        width, vector = output.measure.width, found[output.measure]
        decoded = output.measure.decoder(output, None, question.unit, None)
        numbers[output.name] = [
            float(decoded([vector[cell * width + place] for place in range(width)])[0])
            for cell in range(question.cells or 0)
        ]
    return numbers


VISITS = {
    "patient": "bigint",
    "ward": "text",
    "stay": "double precision",
    "age": "integer",
    "smoker": "boolean",
    "diagnosis": "text",
    "admitted": "date",
}
ASKED = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT ward, AVG(stay) AS m, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT MEDIAN(age) AS m FROM visits WHERE smoker AND admitted > '2025-02-01'",
    "SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis",
    "SELECT MONTH(admitted) AS m, SUM(stay) AS s FROM visits GROUP BY 1",
    "SELECT COUNT(DISTINCT diagnosis) AS n, MAX(stay) AS m FROM visits",
]
NOT_ANSWERED = [
    "SELECT stay FROM visits",
    "SELECT SUM(nothing) AS s FROM visits",
    "SELECT SUM(ward) AS s FROM visits",
    "SELECT COUNT(*) AS n FROM elsewhere",
    "SELECT COUNT(*) AS n FROM pg_catalog.pg_user",
    "SELECT pg_sleep(1) AS s FROM visits",
    "DROP TABLE visits",
]
DAY = datetime.date(2025, 3, 1)


def visits() -> list[tuple[Any, ...]]:
    """The rows of a small hospital, of which some do not say whose they are."""
    rows: list[tuple[Any, ...]] = [
        (one % 400, "ABC"[one % 3], one % 20 / 2, one % 90, one % 4 == 0, "flu", DAY)
        for one in range(2000)
    ]
    rows += [(one % 5, "A", 1.0, 9, True, f"cold {one}", DAY) for one in range(120)]
    rows += [(7, None, 1.0, 9, True, None, DAY), (8, "elsewhere", 1.0, 9, True, "flu", DAY)]
    return rows + [(None, ward, 1.0, 9, False, "flu", DAY) for ward in ("A", "B", None)]


def hospital() -> dict[str, Any]:
    """What is declared of them."""
    return {
        "name": "visits",
        "unit": "patient",
        "budget": dp.Budget(epsilon=20, delta=1e-3),
        "columns": visits_columns(),
        "max_groups": 3,
        "max_rows": 6,
        "ledger": ":memory:",
    }


def check_price_and_answer(here: dp.Table, there: dp.Table, text: str) -> None:
    """A question costs the same in two places, and is answered in the other one."""
    asked, other = here.ask(text), there.ask(text)
    plans = [asking.plan(epsilon=3, delta=1e-6) for asking in (asked, other)]
    first, second = (replace(plan, standing=None) for plan in plans)  # what was spent may differ
    assert first.explain() == second.explain()
    assert not other.release(epsilon=3, delta=1e-6).to_pandas().empty


def check_refusal(here: dp.Table, there: dp.Table, text: str) -> None:
    """What is refused here is refused there, in the same words."""
    said = []
    for table in (here, there):
        with pytest.raises(dp.DiscreetError) as caught:
            table.ask(text).plan(epsilon=1)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def check_suggestions(there: dp.Table) -> None:
    """Bounds and caps are suggested elsewhere too."""
    profile = there.profile(by=["ward"], rows_in_a_group=True, epsilon=2)
    assert 0 < profile.rows.seen <= len(SIZES)
    assert there.suggest_caps(epsilon=2).max_rows >= 3


def check_profiles(here: dp.Table, there: dp.Table) -> None:
    """What noise is added to for a profile is the same elsewhere, and what every person has."""
    seen = []
    for name in (None, "ward", "smoker", "diagnosis", "age"):
        asked = counted_by(here.schema, name)
        for kind in SizeKind:
            one, two = (
                people_by_size(table.engine(), asked, kind).open() for table in (here, there)
            )
            assert one.tolist() == two.tolist()
            assert one.sum() == 400
            seen.append(one.tolist())
    missing = [rows_without_unit(table.engine(), asked).open().tolist() for table in (here, there)]
    assert missing == [[3], [3]]
    by_rows = [0] * (len(SIZES) + 1)
    for many, people in Counter(
        Counter(row[0] for row in visits() if row[0] is not None).values()
    ).items():
        by_rows[bisect_left(SIZES, many)] += people
    assert seen[0] == by_rows
    assert len({tuple(one) for one in seen}) > 4
