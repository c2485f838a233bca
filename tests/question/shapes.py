"""Questions of one shape each, as long as a question can be: what grows when it is repeated."""

from collections.abc import Callable, Mapping
from random import Random

from tests.question.hostile import MOST, number

_PAIRED = ("CORR", "COVAR_POP", "COVAR_SAMP", "REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2")
_JOINS = " ".join(f"JOIN u AS u{place} USING (id)" for place in range(5))
_LOOKUPS = " ".join(f"JOIN p AS p{place} ON p{place}.code = t.n" for place in range(5))


def repeated(
    random: Random,
    shape: str,
    *,
    most: int,
    around: str = "{}",
    between: str = ", ",
) -> str:
    """A part again and again: mostly as often as is allowed or as the length allows."""
    wanted = random.choice((most, most, most, *[random.randrange(1, most + 1)] * 3, most * 10))
    parts: list[str] = []
    length = len(around) + 100
    for place in range(wanted):
        value = f"{random.randrange(1, 9)}.{place + 1}"
        part = shape.format(place=place, value=value, deep=number(random, 1))
        length += len(part) + len(between)
        if length > MOST:
            break
        parts.append(part)
    return around.format(between.join(parts))


def nested(random: Random, shapes: tuple[str, ...], inner: str, deepest: int) -> str:
    """Something in itself."""
    for _ in range(random.choice((deepest, deepest // 2, random.randrange(1, deepest + 1)))):
        wrapped = random.choice(shapes).format(inner)
        if len(wrapped) > MOST - 100:
            break
        inner = wrapped
    return inner


def _correlations(random: Random) -> str:
    name = random.choice(_PAIRED)
    return repeated(
        random,
        f"{name}(x, n + {{value}}) AS a{{place}}",
        most=random.choice((30, 60, 199)),
        around="SELECT {} FROM t",
    )


def _medians_of_a_join(random: Random) -> str:
    source = random.choice(
        (
            _JOINS,
            f"{_JOINS} WHERE u0.x > 0.5",
            f"{_JOINS} WHERE t.n > 3 AND u4.x < 0.25",
            f"{_LOOKUPS} WHERE p3.word = 'c1'",
        )
    )
    return repeated(
        random,
        "MEDIAN(t.x + {value}) AS a{place}",
        most=random.choice((10, 30, 49)),
        around=f"SELECT {{}} FROM t {source}",
    )


def _sums_of_a_join(random: Random) -> str:
    return repeated(
        random,
        "SUM(t.x * {value}) AS a{place}",
        most=200,
        around=f"SELECT {{}} FROM t {random.choice((_JOINS, _LOOKUPS))}",
    )


_DEEP = (
    *("({} + n)", "(1 / (1 + {}))", "ABS({} - x)", "POWER({}, 2)", "EXP({})", "ROUND({}, 3)"),
    *("CASE WHEN {0} > 1 THEN {0} ELSE n END", "NULLIF({}, 3)", "LEAST({}, x)", "SQRT({})"),
    *("COALESCE({}, 1)", "CLIP({}, 0, 5)", "LN(1 + {})"),
)


def _nesting(random: Random) -> str:
    deep = nested(random, tuple(random.sample(_DEEP, random.randrange(1, 4))), "x", 20)
    asked = random.choice(("SUM(CLIP({}, 0, 1))", "COUNT({})", "MEDIAN(CLIP({}, 0, 9))"))
    return f"SELECT {asked.format(deep)} AS a0 FROM t"


def _texts(random: Random) -> str:
    steps = ("UPPER({})", "TRIM({})", "({0} || {0})", "CONCAT({}, kind)", "SUBSTRING({}, 1, 9)")
    deep = nested(random, steps, random.choice(("name", "kind")), 12)
    tail = random.choice((" WHERE {} = 'a'", " WHERE {} LIKE '%a%b%'", ""))
    if tail:
        return f"SELECT COUNT(*) AS a0 FROM t{tail.format(deep)}"
    return f"SELECT {deep} AS g, COUNT(*) AS a0 FROM t GROUP BY g"


def _long_case(random: Random) -> str:
    case = "CASE {} ELSE 0 END"
    branches = repeated(
        random,
        random.choice(("WHEN n = {place} THEN x", "WHEN x > {value} THEN {place}")),
        most=random.choice((50, 140, 300)),
        around=case,
        between=" ",
    )
    asked = random.choice(("SUM(CLIP({}, 0, 9)) AS a0 FROM t", "{} AS g, COUNT(*) AS a0 FROM t"))
    return f"SELECT {asked.format(branches)}{' GROUP BY g' if ' AS g' in asked else ''}"


def _lists(random: Random) -> str:
    column, shape = random.choice(
        (("n", "{place}"), ("kind", "'c{place}'"), ("x", "{value}"), ("large", "{place}"))
    )
    around = random.choice(
        (
            f"SELECT COUNT(*) AS a0 FROM t WHERE {column} IN ({{}})",
            f"SELECT {column} AS g, COUNT(*) AS a0 FROM t WHERE {column} NOT IN ({{}}) GROUP BY g",
            f"SELECT COUNT(*) FILTER (WHERE {column} IN ({{}})) AS a0 FROM t",
        )
    )
    return repeated(random, shape, most=random.choice((190, 400, 1_500)), around=around)


def _conditions(random: Random) -> str:
    shape = random.choice(
        ("n <> {place}", "(x > {value} OR n < {place})", "{deep} > {value}", "NOT (x = {value})")
    )
    group = random.choice(("", " GROUP BY n", " GROUP BY day"))
    shown = f"{group.removeprefix(' GROUP BY ')}, " if group else ""
    return repeated(
        random,
        shape,
        most=random.choice((100, 250)),
        around=f"SELECT {shown}COUNT(*) AS a0 FROM t WHERE {{}}{group}",
        between=random.choice((" AND ", " OR ")),
    )


def _filters(random: Random) -> str:
    shape = random.choice(
        (
            "COUNT(*) FILTER (WHERE x > {value}) AS a{place}",
            "COUNT(DISTINCT id) FILTER (WHERE n > {place}) AS a{place}",
            "SUM(x) FILTER (WHERE n <> {place}) AS a{place}",
        )
    )
    most = random.choice((49, 199))
    return repeated(random, shape, most=most, around="SELECT {} FROM t")


def _windows(random: Random) -> str:
    shape = random.choice(
        (
            "SUM(COUNT(*)) OVER (ORDER BY n ROWS BETWEEN {place} PRECEDING AND CURRENT ROW) "
            "AS a{place}",
            "COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY n) AS a{place}",
            "RANK() OVER (ORDER BY COUNT(*) DESC) AS a{place}",
            "AVG(SUM(x * {value})) OVER () AS a{place}",
        )
    )
    return repeated(
        random, shape, most=random.choice((20, 90)), around="SELECT n, {} FROM t GROUP BY n"
    )


def _unions(random: Random) -> str:
    each = random.choice(
        (
            "SELECT kind AS g, COUNT(*) AS a0 FROM t GROUP BY kind",
            "SELECT '{place}' AS g, COUNT(*) AS a0 FROM t WHERE x > {value}",
            "SELECT n AS g, COUNT(*) AS a0, SUM(x) AS a1 FROM t GROUP BY n",
        )
    )
    return repeated(random, each, most=random.choice((16, 120)), between=" UNION ALL ")


def _cubes(random: Random) -> str:
    many = random.choice((3, 6, 10, 14, 20))
    keys = [
        random.choice((f"n % {place + 2} = 0", f"x > {place}.5", f"n % {place % 5 + 2}"))
        for place in range(many)
    ]
    shown = ", ".join(f"{key} AS g{place}" for place, key in enumerate(keys))
    names = ", ".join(f"g{place}" for place in range(many))
    return repeated(
        random,
        "SUM(x * {value}) AS a{place}",
        most=random.choice((1, 20, 150)),
        around=f"SELECT {shown}, {{}} FROM t GROUP BY CUBE ({names})",
    )


def _subqueries(random: Random) -> str:
    many = random.choice((5, 20, 60))
    inner = ", ".join(f"SUM(x + {place}) AS s{place}" for place in range(many))
    asked = random.choice(("SUM(s{0}) AS a{0}", "MEDIAN(s{0}) AS a{0}", "AVG(s{0} / 2) AS a{0}"))
    outer = ", ".join(asked.format(place) for place in range(min(many, 49)))
    return f"SELECT {outer} FROM (SELECT id, {inner} FROM t GROUP BY id) AS q"


def _chains(random: Random) -> str:
    step = random.choice(("x * x + n", "x + 1", "x / (1 + x)", "LEAST(x, n)"))
    many = random.randrange(1, 5)
    parts = [f"q{place + 1} AS (SELECT id, {step} AS x, n FROM q{place})" for place in range(many)]
    with_ = ", ".join(["q0 AS (SELECT id, x, n FROM t)", *parts])
    return repeated(
        random,
        "MEDIAN(CLIP(x, 0, {value})) AS a{place}",
        most=49,
        around=f"WITH {with_} SELECT {{}} FROM q{many}",
    )


def _quotients(random: Random) -> str:
    shape = random.choice(
        (
            "SUM(x * {value}) / COUNT(*) AS a{place}",
            "ROUND(100 * COUNT(*) FILTER (WHERE x > {value}) / NULLIF(COUNT(*), 0), 1) AS a{place}",
            "GREATEST(SUM(x) / SUM(n + {place}), AVG(x)) AS a{place}",
        )
    )
    return repeated(random, shape, most=random.choice((30, 199)), around="SELECT {} FROM t")


def _after(random: Random) -> str:
    joined, most = random.choice((" AND ", " OR ")), random.choice((50, 200))
    having = repeated(random, "COUNT(*) > {place}", most=most, between=joined)
    order = repeated(random, "SUM(x * {value})", most=100)
    return f"SELECT n, COUNT(*) AS a0 FROM t GROUP BY n HAVING {having} ORDER BY {order}"[:MOST]


def _levels(random: Random) -> str:
    inner = random.choice(("x", "n", "t.x * 2"))
    group = random.choice(("", " GROUP BY n", " GROUP BY kind", " GROUP BY day"))
    return repeated(
        random,
        f"QUANTILE({inner}, 0.{{place:04}}1) AS a{{place}}",
        most=200,
        around=f"SELECT {{}} FROM t{group}",
    )


def _groups(random: Random) -> str:
    shape = random.choice(
        (
            "MEDIAN(x + {value}) AS a{place}",
            "COUNT(DISTINCT n + {place}) AS a{place}",
            "MAX(x * {value}) AS a{place}",
        )
    )
    key = random.choice(
        (
            *("day", "kind", "name", "n % 7", "DATE_TRUNC('week', day)", "n * n", "UPPER(kind)"),
            *("WIDTH_BUCKET(x, 0, 10, 900)", "DATE_TRUNC('month', day)", "large"),
        )
    )
    return repeated(random, shape, most=49, around=f"SELECT {key} AS g, {{}} FROM t GROUP BY g")


def _dates(random: Random) -> str:
    shape = random.choice(
        (
            "SUM(DAYOFYEAR(day + {place})) AS a{place}",
            "AVG(MONTH(day) + {value}) AS a{place}",
            "COUNT(*) FILTER (WHERE YEAR(day) <> {place} + 1900) AS a{place}",
            "MEDIAN(WEEK(day + {place})) AS a{place}",
        )
    )
    return repeated(random, shape, most=random.choice((49, 199)), around="SELECT {} FROM t")


def _counts_by_value(random: Random) -> str:
    shape = random.choice(
        (
            "COUNT(*) FILTER (WHERE kind = 'c{place}') AS a{place}",
            "COUNT(*) FILTER (WHERE kind <> 'c{place}') AS a{place}",
            "SUM(x) FILTER (WHERE kind = 'c{place}') AS a{place}",
            "COUNT(*) FILTER (WHERE x > {value} AND n < {place}) AS a{place}",
        )
    )
    return repeated(random, shape, most=199, around="SELECT {} FROM t")


SHAPES: Mapping[str, Callable[[Random], str]] = {
    "many correlations": _correlations,
    "many medians over a join of six": _medians_of_a_join,
    "many sums over a join of six": _sums_of_a_join,
    "deep nesting": _nesting,
    "texts of texts": _texts,
    "long CASE": _long_case,
    "wide IN lists": _lists,
    "many conditions": _conditions,
    "many filters": _filters,
    "a count for each value": _counts_by_value,
    "many windows": _windows,
    "many unions": _unions,
    "cubes of many keys": _cubes,
    "sums of a person's sums": _subqueries,
    "queries of queries": _chains,
    "many quotients": _quotients,
    "much after the release": _after,
    "many levels": _levels,
    "many passes by group": _groups,
    "many parts of dates": _dates,
}
"""Each writes a question of at most 10,000 characters."""
