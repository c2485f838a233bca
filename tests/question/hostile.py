"""Questions that are made to keep a planner busy: up to 10,000 characters of whatever grows."""

from collections.abc import Callable
from random import Random
from typing import Any

import pandas

import discreet as dp
from discreet.exact import rational
from discreet.question.builder import Expression, col, rows, when
from discreet.release.table import QuestionBuilder

MOST = 10_000
"""Characters of a question; steps of one in Python."""
_CATEGORIES = [f"c{place}" for place in range(5_000)]


def opened(budget: dp.Budget | None = None) -> dp.Table:
    """A table with columns of every kind, some with very many values."""
    data = pandas.DataFrame(
        {
            "id": [1, 2],
            "name": ["a", "b"],
            "x": [1.0, 2.0],
            "n": [1, 2],
            "large": [1, 2],
            "day": ["2024-01-01", "2024-01-02"],
            "kind": ["c1", "c2"],
            "flag": [True, False],
        }
    )
    beside = dp.beside(data[["id", "x"]], columns={"x": dp.number(0, 1)}, max_rows=3)
    return dp.table(
        data,
        name="t",
        unit="id",
        budget=budget or dp.Budget(epsilon=20, delta="1e-5"),
        columns={
            "x": dp.number(0, 10),
            "n": dp.integer(-200, 200),
            "large": dp.integer(0, 999_999),
            "name": dp.text(),
            "day": dp.date("0001-01-01", "2700-12-31"),
            "kind": dp.category(_CATEGORIES),
            "flag": dp.boolean(),
        },
        max_rows=3,
        max_groups=3,
        ledger=":memory:",
        private={"u": beside},
        public={"p": pandas.DataFrame({"code": range(1000), "word": ["c1"] * 1000})},
    )


# ---------------------------------------------------------------------- SQL

_BINARY = ("+", "-", "*", "/", "%", "//")
_WRAPPED = (
    *("ABS({})", "FLOOR({})", "CEIL({})", "SIGN({})", "SQRT({})", "LN({})", "LOG10({})"),
    *("EXP({})", "POWER({}, 9)", "POWER({}, 100)", "POWER({}, -99)", "POWER({}, 0.5)"),
    *("POWER({}, 33.3333333333)", "ROUND({}, 15)", "ROUND({}, -15)", "CLIP({}, 0, 1)"),
    *("CAST({} AS INTEGER)", "NULLIF({}, 3)", "COALESCE({}, 1)", "LEAST({}, x, 3)"),
    *("GREATEST({}, n)", "WIDTH_BUCKET({}, 0, 10, 1000000)", "CASE WHEN {} > 3 THEN 1 ELSE 2 END"),
    *("IF({} < 1, n, large)", "LENGTH(CONCAT(name, kind)) + {}", "-({})"),
)
_DATED = ("day", "day + n", "DATE_TRUNC('day', day)", "DATE_TRUNC('year', day + large)")


def _constant(random: Random) -> str:
    return random.choice(
        [
            "0",
            "1",
            "0.1",
            "1e100",
            "1e-300",
            "9" * random.randrange(1, 99),
            "0." + "7" * random.randrange(1, 300),
            "1e308",
            "1e999999999",
        ][: random.choice((5, 7, 7, 9))]
    )


def _leaf(random: Random) -> str:
    if random.random() < 0.3:
        return _constant(random)
    part = random.choice(("YEAR", "DAYOFYEAR", "WEEK", "MONTH"))
    return random.choice(("x", "n", "large", "n", f"{part}({random.choice(_DATED)})"))


def number(random: Random, depth: int) -> str:
    """A number; the larger the depth, the larger it grows."""
    if depth <= 0:
        return _leaf(random)
    kind = random.random()
    if kind < 0.45:
        return random.choice(_WRAPPED).format(number(random, depth - 1))
    sides = number(random, depth - 1), number(random, depth - random.randrange(1, 4))
    return f"({sides[0]} {random.choice(_BINARY)} {sides[1]})"


def _text(random: Random, depth: int) -> str:
    if depth <= 0:
        return random.choice(("name", "kind", "'it''s'", f"'{'y' * random.randrange(300)}'"))
    inner = _text(random, depth - 1)
    return random.choice(
        (
            f"UPPER({inner})",
            f"TRIM({inner})",
            f"SUBSTRING({inner}, 1, 1000000)",
            f"({inner} || {_text(random, depth - 1)})",
            f"CONCAT({', '.join([inner] * 3)})",
            f"CASE WHEN n > 1 THEN {inner} ELSE 'z' END",
        )
    )


def condition(random: Random, depth: int) -> str:
    """A condition, perhaps of many parts."""
    kind, many = random.randrange(7), random.choice((1, 3, 20, 300))
    if kind == 0:
        joined = random.choice((" AND ", " OR "))
        return joined.join(f"{number(random, 1)} > {place}" for place in range(many))
    if kind == 1:
        return f"{number(random, depth)} IN ({', '.join(map(str, range(many)))})"
    if kind == 2:
        return f"kind IN ({', '.join(repr(f'q{place}') for place in range(many))})"
    if kind == 3:
        return f"{_text(random, depth % 5)} LIKE '{'%a' * random.randrange(1, 120)}'"
    if kind == 4:
        return "NOT " * random.choice((1, 20, 200)) + "flag"
    if kind == 5:
        return f"({condition(random, depth - 1) if depth > 0 else 'flag'}) = TRUE"
    return f"{number(random, depth)} BETWEEN {number(random, 2)} AND {number(random, 2)}"


def _group(random: Random) -> str:
    if random.random() < 0.4:
        return random.choice(("n", "large", "day", "kind", "flag", "name", "x"))
    if random.random() < 0.3:
        return _text(random, random.randrange(6))
    if random.random() < 0.5:
        small = random.choice(("n", "n % 19", "n * n", "FLOOR(x)", "WEEK(day)", "YEAR(day)"))
        return random.choice(("+", "*", "-")).join([f"({small})"] * random.randrange(1, 60))
    branches = " ".join(
        f"WHEN n = {place} THEN n * {place}" for place in range(random.choice((2, 50, 200)))
    )
    return f"CASE {branches} ELSE {number(random, 3)} END"


def _aggregates(random: Random) -> list[str]:
    many = random.choice((1, 1, 2, 10, 100, 200, 300))
    shape = random.choice(
        (
            "SUM({} * {j})",
            "AVG({} + {j})",
            "VAR_POP(CLIP({} + {j}, 0, 1))",
            "QUANTILE(CLIP({}, 0, {j}), 0.5)",
            "QUANTILE(x, 0.{j:04})",
            "MAX(CLIP({} - {j}, 0, 1))",
            "COUNT(DISTINCT {} * {j})",
            "COUNT(*) FILTER (WHERE {} > {j})",
            "COUNT(*)",
        )
    )
    inner = number(random, random.choice((0, 1, 3, 6, 12, 24)) if many < 10 else 0)
    return [f"{shape.format(inner, j=place + 1)} AS a{place}" for place in range(many)]


def _source(random: Random) -> str:
    kind = random.randrange(6)
    if kind == 0:
        inner = "t"
        for _ in range(random.randrange(1, 6)):
            inner = (
                f"(SELECT id, x * x + n AS x, n, large, day, kind, flag, name FROM {inner} AS q)"
            )
        return f"{inner} AS t"
    if kind == 1:
        return " ".join(["t", *(f"JOIN p AS p{one} ON p{one}.code = t.n" for one in range(3))])
    if kind == 2:
        return "t " + " ".join(f"JOIN u AS u{one} USING (id)" for one in range(random.randrange(7)))
    return "t"


def _soup(random: Random) -> str:
    words = (
        *("SELECT", "FROM", "t", "WHERE", "(", ")", "(", "CASE", "WHEN", "END", ",", "*", "x", "-"),
        *("NOT", "JOIN", "WITH", "AS", "'", '"', "1", "::", "INT", "BETWEEN", "AND", "IN", "||"),
        *(
            "INTERVAL",
            "'1 day 2 day'",
            "GROUP",
            "BY",
            "CAST(",
            "MAP",
            "{",
            "[",
            "]",
            "->",
            "COUNT(",
        ),
        *("OVER", "/*", "*/", "--", "$$", ";", "\n", "UNION", "LATERAL", "é", "\x00", "DATE", "."),
    )
    few = random.sample(words, random.randrange(1, 8))
    start = random.choice(("", "SELECT COUNT(*) FROM t WHERE ", "SELECT ", "WITH a AS ("))
    return start + random.choice((" ", "")).join(random.choice(few) for _ in range(5_000))


def sql(random: Random) -> str:
    """A question as text."""
    if random.random() < 0.2:
        return _soup(random)[: random.choice((100, 1_000, MOST))]
    groups = [_group(random) for _ in range(random.choice((0, 0, 1, 1, 2, 5, 30)))]
    keys = [f"{group} AS g{place}" for place, group in enumerate(groups)]
    text = f"SELECT {', '.join([*keys, *_aggregates(random)])} FROM {_source(random)}"
    if random.random() < 0.5:
        text += f" WHERE {condition(random, random.choice((0, 2, 8, 20)))}"
    if groups:
        text += f" GROUP BY {', '.join(f'g{place}' for place in range(len(groups)))}"
    if random.random() < 0.2:
        text += f" HAVING {number(random, 3).replace('x', 'a0')} > 1 ORDER BY a0 LIMIT 3"
    return text[:MOST] if random.random() < 0.9 else text


# ---------------------------------------------------------------------- Python

_STEPS: tuple[Callable[[Expression, Random], Expression], ...] = (
    lambda found, _: found * found,
    lambda found, _: found + found,
    lambda found, _: found**100,
    lambda found, _: found**-0.37,
    lambda found, random: found / (found - random.random()),
    lambda found, _: when(found > 1).then(found).otherwise(found - 1),
    lambda found, _: found.sqrt().exp(),
    lambda found, _: found.clip(0, 10**300),
    lambda found, random: found * rational("0." + "3" * random.randrange(1, 1_000)),
    lambda found, _: found.fill_null(found),
    lambda found, _: found.round(15),
)


def _grown(random: Random) -> Expression:
    found = col(random.choice(("x", "n", "large")))
    several = random.sample(_STEPS, random.randrange(1, 4))
    for _ in range(random.choice((1, 3, 6, 60, 900))):
        found = random.choice(several)(found, random)
    return found


def asking(random: Random, table: dp.Table) -> QuestionBuilder:
    """A question in Python: expressions made of themselves, columns made of columns."""
    question: Any = QuestionBuilder(table)
    value = _grown(random)
    if random.random() < 0.5:
        name = "x"
        for place in range(random.choice((1, 8, 60, 400))):
            question = question.with_columns(**{f"d{place}": col(name) * col(name) - 1})
            name = f"d{place}"
        value = value + col(name)
    if random.random() < 0.5:
        kept = value > 0
        for _ in range(random.choice((0, 3, 60))):
            kept = random.choice((kept & kept, kept | kept, ~kept))
        question = question.where(kept, *[value > place for place in range(random.choice((0, 9)))])
    if random.random() < 0.5:
        edges = sorted({random.randrange(10**6) for _ in range(random.choice((2, 90, 2_000)))})
        question = question.group_by(random.choice((value.bins(edges), value.alias("g"), "day")))
    levels = [place / 3_000 for place in range(1, random.choice((2, 20, 2_000)))]
    asked = random.choice(
        (
            {"n": rows()},
            {"s": value.clip(0, 1).sum(), "m": value.mean()},
            {"q": value.clip(0, 1).quantile(levels)},
            {f"a{place}": (value * place).sum() for place in range(random.choice((3, 150, 400)))},
        )
    )
    return question.agg(**asked)
