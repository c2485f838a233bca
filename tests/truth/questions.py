"""Questions as chance has them, of one to six outputs, with what plain SQL says of each output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import discreet as dp
from discreet.question.builder import Expression, col

EXACT, SPREAD, RANK, LEAST, MOST = "exact", "spread", "rank", "least", "most"
"""What is compared: the number, one that subtracts large ones, a quantile, and ends of a range."""


@dataclass(frozen=True)
class Value:
    """An expression about a row, in SQL and in Python."""

    sql: str
    python: Expression | None = None
    whole: bool = False
    between: tuple[int, ...] = (1, 2, 7, 20, 40)
    """Numbers that it may be above and below."""


@dataclass(frozen=True)
class Output:
    """What is asked of a group: in our SQL, in Python, and as plain SQL."""

    sql: str
    python: Any
    plain: str
    """Of a row's weight ``w`` in a capped world, where there is one."""
    compared: str = EXACT
    weighed: str | None = ""
    """Plain SQL over rows that weigh ``w``; None where there is no such twin."""
    counts: bool = False
    """Whether it is a number of rows, 0 for nobody."""
    level: float = 0.5
    """Of a quantile."""
    additive: bool = False
    """Whether a cube and running totals have it."""
    people: str = ""
    """Of a number of people, the condition that a row of theirs fulfills."""


@dataclass(frozen=True)
class Key:
    """What rows are grouped by."""

    name: str
    sql: str
    python: Any = None
    found: bool = False
    """Whether the groups are found, and not public."""
    ordered: bool = False
    unlisted: str = ""
    """A value of some rows that is no declared one."""


@dataclass(frozen=True)
class Source:
    """What FROM says, and what can be written about its rows."""

    sql: str
    numbers: tuple[Value, ...]
    truths: tuple[Value, ...]
    keys: tuple[Key, ...]
    person: str | None
    """How the person is called."""
    visits: bool = False
    """Whether it is the table itself, of which Python can ask."""
    columns: str = "*"
    """Its columns, each under its own name."""


@dataclass(frozen=True)
class Asked:
    """A question."""

    source: Source
    outputs: tuple[tuple[str, Output], ...]
    where: tuple[Value, ...] = ()
    keys: tuple[Key, ...] = ()
    having: str = ""
    """What is kept, of released numbers; the same in plain SQL."""
    limit: int = 0
    """How many groups are shown, those with most of the first output."""
    arranged: str = ""
    """CUBE, ROLLUP, or "so far" for running totals."""
    windows: tuple[tuple[str, str, str], ...] = ()
    """Names of columns over released groups, with their kind and the output that they are of."""
    around: str = ""
    """A SELECT around the groups: SUM, AVG or COUNT(*) of the first output, or its rows."""
    with_query: bool = False

    @property
    def sql(self) -> str:
        """As it is asked."""
        return self._written(lambda one: one.sql)

    def _written(self, of: Callable[[Output], str]) -> str:
        keys = [f"{key.sql} AS {key.name}" for key in self.keys]
        outputs = [f"{of(one)} AS {name}" for name, one in self.outputs]
        windows = [
            f"{_window(kind, of_name, self)} AS {name}" for name, kind, of_name in self.windows
        ]
        text = f"SELECT {', '.join([*keys, *outputs, *windows])} FROM {self.source.sql}"
        if self.where:
            text += f" WHERE {' AND '.join(one.sql for one in self.where)}"
        if self.keys:
            listed = ", ".join(key.name for key in self.keys)
            text += (
                f" GROUP BY {self.arranged} ({listed})"
                if self.arranged in _SETS
                else (f" GROUP BY {listed}")
            )
        if self.having:
            text += f" HAVING {self.having}"
        if self.limit:
            text += f" ORDER BY {self.outputs[0][0]} DESC LIMIT {self.limit}"
        if self.around:
            first = self.outputs[0][0]
            shown = {"SUM": f"SUM({first})", "AVG": f"AVG({first})", "COUNT": "COUNT(*)"}
            what = shown[self.around]
            if self.with_query:
                text = f"WITH g AS ({text}) SELECT {what} AS all_of_them FROM g"
            else:
                text = f"SELECT {what} AS all_of_them FROM ({text}) AS g"
        return text


_SETS = ("CUBE", "ROLLUP")


def _window(kind: str, name: str, asked: Asked) -> str:
    order = asked.keys[0].name
    return {
        "so far": f"SUM({name}) OVER (ORDER BY {order})",
        "share": f"100.0 * {name} / SUM({name}) OVER ()",
        "change": f"{name} - LAG({name}) OVER (ORDER BY {order})",
        "mean": f"AVG({name}) OVER ()",
        "rank": f"RANK() OVER (ORDER BY {name} DESC)",
    }[kind]


# ---------------------------------------------------------------------- rows


def _visits(prefix: str = "") -> tuple[tuple[Value, ...], tuple[Value, ...], tuple[Key, ...]]:
    """What can be written about the rows of visits, behind an alias."""

    def named(name: str, whole: bool, *between: int) -> Value:
        return Value(prefix + name, None if prefix else col(name), whole, between)

    numbers = (
        *(named("stay", False, 1, 7, 20, 40), named("cost", True, -3, 0, 7, 20)),
        *(named("level", True, 1, 2), named("code", True, 2)),
    )
    p = prefix
    truths: list[tuple[str, Callable[[], Expression]]] = [
        (f"{p}flag", lambda: col("flag")),
        (f"NOT {p}flag", lambda: ~col("flag")),
        (f"{p}ward = 'A'", lambda: col("ward") == "A"),
        (f"{p}ward <> 'A'", lambda: col("ward") != "A"),
        (f"{p}ward IN ('A', 'é')", lambda: col("ward").is_in(["A", "é"])),
        (f"{p}ward IS NOT NULL", lambda: col("ward").is_not_null()),
        (f"{p}tag = 'low'", lambda: col("tag") == "low"),
        (f"{p}tag LIKE '%a%'", lambda: col("tag").like("%a%")),
        (f"{p}day >= DATE '2024-03-09'", lambda: col("day") >= "2024-03-09"),
        (f"{p}day IS NULL", lambda: col("day").is_null()),
    ]
    keys = (
        Key("of_ward" if prefix else "ward", f"{p}ward", "ward", unlisted="C"),
        Key("flag", f"{p}flag", "flag"),
        Key("level", f"{p}level", "level", ordered=True),
        Key("code", f"{p}code", "code", ordered=True),
        Key("decade", f"FLOOR({p}stay / 10) * 10", ordered=True),
        Key("month", f"DATE_TRUNC('month', {p}day)", ordered=True),
        Key("number", f"MONTH({p}day)", ordered=True),
        Key("size", f"CASE WHEN {p}stay < 20 THEN 'short' WHEN {p}stay < 40 THEN 'long' END"),
        Key("tag", f"{p}tag", "tag", found=True),
    )
    found = tuple(Value(sql, None if prefix else python()) for sql, python in truths)
    return numbers, found, keys


@dataclass
class Writer:
    """Draws questions about a world."""

    random: Random
    by_person: bool
    capped: bool

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, *given: Any) -> Any:
        return self.random.choice(given)

    # ------------------------------------------------------------------ sources

    def source(self) -> Source:
        numbers, truths, keys = _visits()
        person = "id" if self.by_person else None
        visits = Source("visits", numbers, truths, keys, person, visits=True)
        if self.chance(0.55):
            return visits
        if self.capped:
            return self.random.choice([self._looked_up, self._joined])()
        makes = [self._looked_up, self._computed]
        if self.by_person:
            makes += [self._joined, self._per_person, self._per_person, self._per_group]
        return self.random.choice(makes)()

    def _looked_up(self) -> Source:
        numbers, truths, keys = _visits("v.")
        kind = self.pick("JOIN", "LEFT JOIN")
        more = (Value("w.beds", between=(3, 20)),)
        regions = Key("region", "w.region")
        where = (Value("w.region = 'north'"), Value("w.beds > 3"), Value("w.region IS NULL"))
        sql = f"visits AS v {kind} wards AS w ON v.ward = w.ward"
        person = "v.id" if self.by_person else None
        return Source(
            sql,
            (*numbers, *more),
            (*truths, *where),
            (*keys, regions),
            person,
            columns="v.*, w.region, w.beds",
        )

    def _joined(self) -> Source:
        numbers, truths, keys = _visits("v.")
        kind = self.pick("JOIN", "LEFT JOIN")
        more = (Value("p.age", whole=True),)
        others = (
            Key("sex", "p.sex"),
            Key("smoker", "p.smoker"),
            Key("decades", "FLOOR(p.age / 40) * 40", ordered=True),
        )
        where = (Value("p.sex = 'f'"), Value("p.smoker"), Value("p.age >= 40"))
        sql = f"visits AS v {kind} patients AS p ON v.id = p.pid"
        return Source(
            sql,
            (*numbers, *more),
            (*truths, *where),
            (*keys, *others),
            "v.id",
            columns="v.*, p.age, p.sex, p.smoker",
        )

    def _inner_where(self) -> str:
        _, truths, _ = _visits()
        return f" WHERE {self.random.choice(truths).sql}" if self.chance(0.5) else ""

    def _computed(self) -> Source:
        """Rows computed in FROM."""
        _, truths, keys = _visits()
        whose = "id AS whose, " if self.by_person else ""
        made = self.pick("stay * 2", "stay + cost", "ABS(cost)", "CASE WHEN flag THEN stay END")
        sql = (
            f"(SELECT {whose}{made} AS made, level, ward, flag, tag FROM visits"
            f"{self._inner_where()}) AS c"
        )
        listed = [key for key in keys if key.name in ("ward", "flag", "level", "tag")]
        kept = tuple(one for one in truths if "day" not in one.sql)
        values = (Value("made"), Value("level", whole=True, between=(1, 2)))
        kept = (*kept, Value("made IS NOT NULL"), Value("made > 20"))
        return Source(sql, values, kept, tuple(listed), "whose" if self.by_person else None)

    def _per_person(self) -> Source:
        """A row for each person."""
        having = self.pick("", " HAVING COUNT(*) >= 3", " HAVING SUM(stay) > 50")
        sql = (
            "(SELECT id, COUNT(*) AS n, SUM(stay) AS total, AVG(cost) AS mean, MAX(level) AS top, "
            f"COUNT(stay) AS known, MIN(stay) AS least FROM visits{self._inner_where()} "
            f"GROUP BY id{having}) AS t"
        )
        numbers = (
            Value("n", whole=True, between=(1, 2, 4)),
            Value("total"),
            Value("mean", between=(0, 7)),
            Value("top", whole=True, between=(1, 2)),
            Value("least", between=(1, 20)),
        )
        truths = (Value("n > 2"), Value("total >= 50"), Value("top = 3"), Value("known < n"))
        keys = (
            Key("top", "top", ordered=True),
            Key("many", "CASE WHEN n >= 4 THEN 'many' ELSE 'few' END"),
            Key("fifties", "FLOOR(CLIP(total, 0, 400) / 50) * 50", ordered=True),
        )
        return Source(sql, numbers, truths, keys, "id")

    def _per_group(self) -> Source:
        """A row for each person and ward."""
        sql = (
            "(SELECT id, ward, COUNT(*) AS n, SUM(stay) AS total FROM visits"
            f"{self._inner_where()} GROUP BY id, ward) AS t"
        )
        numbers = (Value("n", whole=True, between=(1, 2, 4)), Value("total"))
        truths = (Value("n > 1"), Value("total >= 20"), Value("ward = 'A'"))
        keys = (
            Key("ward", "ward", unlisted="C"),
            Key("many", "CASE WHEN n > 1 THEN 'many' ELSE 'one' END"),
        )
        return Source(sql, numbers, truths, keys, "id")

    # ------------------------------------------------------------------ expressions

    def number(self, source: Source, depth: int = 1) -> Value:
        one: Value = self.random.choice(source.numbers)
        if depth == 0 or self.chance(0.55):
            return one
        two: Value = self.random.choice(source.numbers)
        cond = self.truth(source, 0)
        a, b, c = one.python, two.python, cond.python
        both = a is not None and b is not None
        whole = one.whole and two.whole
        made: list[Value] = [
            Value(f"({one.sql} + {two.sql})", a + b if both else None, whole),  # type: ignore[operator]
            Value(f"({one.sql} - {two.sql})", a - b if both else None, whole),  # type: ignore[operator]
            Value(f"({one.sql} * 2)", None if a is None else a * 2, whole),
            Value(f"ABS({one.sql})", None if a is None else a.abs(), whole),
            Value(f"COALESCE({one.sql}, 2)", None if a is None else a.fill_null(2), one.whole),
            Value(f"CLIP({one.sql}, 1, 9)", None if a is None else a.clip(1, 9), one.whole),
            Value(
                f"CASE WHEN {cond.sql} THEN {one.sql} END",
                None if a is None or c is None else dp.when(c).then(a).otherwise(None),
                one.whole,
            ),
            Value(
                f"CASE WHEN {cond.sql} THEN {one.sql} ELSE {two.sql} END",
                None if not both or c is None else dp.when(c).then(a).otherwise(b),
                whole,
            ),
        ]
        return self.random.choice(made)

    def bound(self, source: Source) -> Value:
        """One side of a number."""
        one = self.random.choice(source.numbers)
        at = self.random.choice(one.between)
        sign = self.random.choice(["<", "<=", ">", ">=", "=", "<>"])
        python = None
        if one.python is not None:
            operators: dict[str, Callable[[Expression], Expression]] = {
                "<": lambda value: value < at,
                "<=": lambda value: value <= at,
                ">": lambda value: value > at,
                ">=": lambda value: value >= at,
                "=": lambda value: value == at,
                "<>": lambda value: value != at,
            }
            python = operators[sign](one.python)
        return Value(f"{one.sql} {sign} {at}", python)

    def truth(self, source: Source, depth: int = 1) -> Value:
        if depth and self.chance(0.35):
            one, two = self.truth(source, depth - 1), self.truth(source, depth - 1)
            a, b = one.python, two.python
            both = a is not None and b is not None
            return self.random.choice(
                [
                    Value(f"({one.sql} AND {two.sql})", a & b if both else None),  # type: ignore[operator]
                    Value(f"({one.sql} OR {two.sql})", a | b if both else None),  # type: ignore[operator]
                    Value(f"(NOT ({one.sql}))", None if a is None else ~a),
                ]
            )
        subject = self.random.choice(source.numbers)
        python = subject.python
        made = [
            *source.truths,
            self.bound(source),
            self.bound(source),
            self.bound(source),
            Value(f"{subject.sql} IS NULL", None if python is None else python.is_null()),
            Value(f"{subject.sql} IS NOT NULL", None if python is None else python.is_not_null()),
            Value(
                f"{subject.sql} BETWEEN 2 AND {subject.between[-1]}",
                None if python is None else python.is_between(2, subject.between[-1]),
            ),
            Value(
                f"{subject.sql} IN (1, 2, 7)",
                None if python is None else python.is_in([1, 2, 7]),
            ),
        ]
        return self.random.choice(made)

    def related(self, source: Source) -> list[Value]:
        """Conditions of which some exclude and some imply each other."""
        one, two, three = self.truth(source), self.truth(source, 0), self.bound(source)
        some: list[Value] = [one, two, three]
        for first, second in ((one, two), (two, three), (one, three)):
            a, b = first.python, second.python
            both = a is not None and b is not None
            some += [
                Value(f"({first.sql} AND {second.sql})", a & b if both else None),  # type: ignore[operator]
                Value(
                    f"({first.sql} AND NOT ({second.sql}))",
                    a & ~b if both else None,  # type: ignore[operator]
                ),
                Value(f"(NOT ({first.sql}))", None if a is None else ~a),
            ]
        subject = self.random.choice(source.numbers)
        python = subject.python
        for at in subject.between:
            some.append(Value(f"{subject.sql} > {at}", None if python is None else python > at))
            some.append(Value(f"{subject.sql} <= {at}", None if python is None else python <= at))
        missing = None if python is None else python.is_not_null()
        return [*some, Value(f"{subject.sql} IS NOT NULL", missing)]

    # ------------------------------------------------------------------ outputs

    def counted(self, source: Source, conditions: Sequence[Value]) -> Output:
        """A number of rows, in one of the ways that it can be written."""
        cond = self.random.choice(conditions)
        c = cond.python
        number = self.random.choice(source.numbers)
        x = number.python
        plain = f"COUNT(*) FILTER (WHERE {cond.sql})"
        weighed = f"COALESCE(SUM(w) FILTER (WHERE {cond.sql}), 0)"
        when = f"CASE WHEN {cond.sql} THEN 1"
        ones = None if c is None else dp.when(c).then(1)
        counts = {"counts": True, "additive": True}
        return self.random.choice(
            [
                Output(plain, None if c is None else dp.rows(c), plain, weighed=weighed, **counts),
                Output(plain, None if c is None else dp.rows(c), plain, weighed=weighed, **counts),
                Output(
                    f"COUNT({when} END)",
                    None if ones is None else ones.otherwise(None).count(),
                    plain,
                    weighed=weighed,
                    **counts,
                ),
                Output(
                    f"SUM({when} ELSE 0 END)",
                    None if ones is None else ones.otherwise(0).sum(),
                    plain,
                    weighed=weighed,
                    **counts,
                ),
                Output("COUNT(*)", dp.rows(), "COUNT(*)", weighed="COALESCE(SUM(w), 0)", **counts),
                Output(
                    f"COUNT({number.sql})",
                    None if x is None else x.count(),
                    f"COUNT({number.sql})",
                    weighed=f"COALESCE(SUM(w) FILTER (WHERE {number.sql} IS NOT NULL), 0)",
                    **counts,
                ),
                Output(
                    f"COUNT({number.sql}) FILTER (WHERE {cond.sql})",
                    None,
                    f"COUNT({number.sql}) FILTER (WHERE {cond.sql})",
                    weighed=f"COALESCE(SUM(w) FILTER (WHERE {cond.sql} AND {number.sql} "
                    "IS NOT NULL), 0)",
                    **counts,
                ),
            ]
        )

    def output(self, source: Source, conditions: Sequence[Value]) -> Output:
        """Any statistic."""
        if self.chance(0.5):
            return self.counted(source, conditions)
        number = self.number(source)
        if not number.whole or self.chance(0.3):
            clipped = f"CLIP({number.sql}, -8, 60)"
            made = None if number.python is None else number.python.clip(-8, 60)
            number = Value(clipped, made, number.whole)
        x, s = number.python, number.sql
        cond = self.random.choice(conditions)
        only = f" FILTER (WHERE {cond.sql})" if self.chance(0.3) else ""
        if only:
            x = None
        here = f"{cond.sql} AND " if only else ""
        of = f"SUM(w * {s}) FILTER (WHERE {here}{s} IS NOT NULL)"
        many = f"SUM(w) FILTER (WHERE {here}{s} IS NOT NULL)"
        squares = f"SUM(w * {s} * {s}) FILTER (WHERE {here}{s} IS NOT NULL)"
        spread = f"({squares} / {many} - POWER({of} / {many}, 2))"
        other = self.random.choice(source.numbers)
        rows = f"CASE WHEN {cond.sql} THEN {s} END" if only else s
        known = f"{rows} IS NOT NULL AND {other.sql} IS NOT NULL"
        level = self.random.choice([0.1, 0.25, 0.5, 0.9])
        people = self._people(source, conditions)

        def asked(name: str) -> Any:
            return None if x is None else getattr(x, name)()

        made_of: list[Output] = [
            Output(
                f"SUM({s}){only}",
                asked("sum"),
                f"COALESCE(SUM({s}){only}, 0)",
                weighed=f"COALESCE({of}, 0)",
                additive=True,
            ),
            Output(
                f"SUM({s}){only}",
                asked("sum"),
                f"COALESCE(SUM({s}){only}, 0)",
                weighed=f"COALESCE({of}, 0)",
                additive=True,
            ),
            Output(
                f"AVG({s}){only}",
                asked("mean"),
                f"AVG({s}){only}",
                weighed=f"{of} / {many}",
                additive=True,
            ),
            Output(f"VAR_POP({s}){only}", asked("var"), f"VAR_POP({s}){only}", SPREAD, spread),
            Output(
                f"STDDEV_POP({s}){only}",
                asked("std"),
                f"STDDEV_POP({s}){only}",
                SPREAD,
                f"SQRT(GREATEST({spread}, 0))",
            ),
            Output(
                f"AVG({cond.sql})"
                if "AND" not in cond.sql and "OR" not in cond.sql
                else f"AVG(({cond.sql}))",
                None if cond.python is None else cond.python.mean(),
                f"AVG(CASE WHEN {cond.sql} THEN 1 WHEN NOT ({cond.sql}) THEN 0 END)",
                weighed=None,
            ),
            Output(
                f"QUANTILE({s}, {level}){only}",
                None if x is None else x.quantile(level),
                f"LIST({s}){only}",
                RANK,
                None,
                level=level,
            ),
            Output(f"MIN({s}){only}", asked("min"), f"LIST({s}){only}", LEAST, None),
            Output(f"MAX({s}){only}", asked("max"), f"LIST({s}){only}", MOST, None),
            Output(
                f"COUNT(DISTINCT {number.sql})",
                None if only else asked("n_unique"),
                f"COUNT(DISTINCT {number.sql})",
                weighed=None,
                counts=True,
            ),
            Output(
                f"COVAR_POP({rows}, CLIP({other.sql}, -8, 60))",
                None,
                f"COVAR_POP({rows}, CLIP({other.sql}, -8, 60))",
                SPREAD,
                None,
            ),
            Output(
                f"REGR_COUNT({rows}, CLIP({other.sql}, -8, 60))",
                None,
                f"COUNT(*) FILTER (WHERE {known})",
                weighed=None,
                counts=True,
            ),
            people,
            people,
        ]
        return self.random.choice(made_of)

    def _people(self, source: Source, conditions: Sequence[Value]) -> Output:
        if source.person is None:
            return Output("PEOPLE()", dp.people(), "COUNT(*)", weighed="SUM(w)", counts=True)
        cond = self.random.choice(conditions)
        everyone = f"COUNT(DISTINCT {source.person})"
        some = f"COUNT(DISTINCT CASE WHEN {cond.sql} THEN {source.person} END)"
        python = None if cond.python is None else dp.people(cond.python)
        everybody = Output(
            everyone, dp.people(), everyone, weighed=None, counts=True, people="true"
        )
        those = Output(some, python, some, weighed=None, counts=True, people=cond.sql)
        return self.random.choice(
            [
                everybody,
                replace(everybody, sql="PEOPLE()"),
                those,
                replace(those, sql=f"PEOPLE({cond.sql})"),
            ]
        )

    def computed(self, source: Source, conditions: Sequence[Value]) -> Output:
        """Arithmetic of released numbers."""
        one, two = self.counted(source, conditions), self.counted(source, conditions)
        a, b = one.python, two.python
        both = a is not None and b is not None
        kind = self.pick("share", "share", "difference", "sum", "double")
        if kind == "share":
            return Output(
                f"100.0 * {one.sql} / {two.sql}",
                100 * a / b if both else None,
                f"100.0 * {one.plain} / NULLIF({two.plain}, 0)",
                weighed=f"100.0 * {one.weighed} / NULLIF({two.weighed}, 0)",
            )
        if kind == "difference":
            return Output(
                f"{one.sql} - {two.sql}",
                a - b if both else None,
                f"{one.plain} - {two.plain}",
                weighed=f"{one.weighed} - {two.weighed}",
                counts=True,
            )
        if kind == "sum":
            return Output(
                f"{one.sql} + {two.sql}",
                a + b if both else None,
                f"{one.plain} + {two.plain}",
                weighed=f"{one.weighed} + {two.weighed}",
                counts=True,
            )
        return Output(
            f"2 * {one.sql}",
            2 * a if a is not None else None,
            f"2 * {one.plain}",
            weighed=f"2 * {one.weighed}",
            counts=True,
        )

    # ------------------------------------------------------------------ questions

    def asked(self) -> Asked:
        """A question."""
        source = self.source()
        conditions = self.related(source)
        many = self.pick(1, 2, 2, 3, 3, 4, 5, 6)
        where = tuple(self.truth(source) for _ in range(self.pick(0, 0, 1, 2)))
        keys: tuple[Key, ...] = ()
        if self.chance(0.5):
            public = [key for key in source.keys if not key.found or self.chance(0.4)]
            keys = tuple(self.random.sample(public, min(len(public), self.pick(1, 1, 1, 2))))
        shape = self.pick("plain", "plain", "plain", "sets", "windows", "having", "around")
        together = bool(keys) and shape == "sets" and not any(key.found for key in keys)

        def drawn() -> Output:
            if together:
                while not (one := self.output(source, conditions)).additive:
                    pass
                return one
            if self.chance(0.2):
                return self.computed(source, conditions)
            return self.output(source, conditions)

        outputs = tuple((f"o{place}", drawn()) for place in range(many))
        asked = Asked(source, outputs, where, keys)
        if not keys or self.capped:
            return asked
        if together:
            kinds = ["CUBE", "ROLLUP"]
            return replace(asked, arranged=self.random.choice(kinds))
        first = Output("COUNT(*)", dp.rows(), "COUNT(*)", weighed="SUM(w)", counts=True)
        if shape == "windows" and not any(key.found for key in keys):
            kinds = ["share", "mean", "rank"]
            if len(keys) == 1 and keys[0].ordered:
                kinds += ["change", "change"]
                if self.chance(0.4):
                    kinds = ["so far"]
            windows = [(f"w{place}", self.random.choice(kinds), "o0") for place in range(2)]
            if kinds == ["so far"]:
                windows, outputs = [("w0", "so far", "o0")], ()
            return replace(asked, outputs=(("o0", first), *outputs[1:]), windows=tuple(windows))
        if shape == "having":
            at = self.pick(3, 10, 25, 60)
            asked = replace(asked, outputs=(("o0", first), *outputs[1:]))
            if self.chance(0.5):
                return replace(asked, having=f"o0 {self.pick('<', '>')} {at}.5")
            return replace(asked, limit=self.pick(1, 2, 3))
        if shape == "around" and not any(key.found for key in keys):
            asked = replace(asked, outputs=(("o0", first), *outputs[1:]))
            return replace(
                asked, around=self.pick("SUM", "AVG", "COUNT"), with_query=self.chance(0.5)
            )
        return asked


def python_of(asked: Asked, table: Any) -> Any:
    """The question in Python; None where there is no such way to ask it."""
    parts = [*asked.where, *(one for _, one in asked.outputs), *asked.keys]
    plain = not (asked.having or asked.windows or asked.around or asked.arranged == "ROLLUP")
    if not asked.source.visits or not plain or any(one.python is None for one in parts):
        return None
    if asked.limit and not asked.outputs[0][1].counts:
        return None
    found = table
    for one in asked.where:
        found = found.where(one.python)
    keys = [key.python for key in asked.keys]
    if asked.arranged:
        found = found.cube(*keys)
    elif keys:
        found = found.group_by(*keys)
    found = found.agg(**{name: one.python for name, one in asked.outputs})
    return found.top(asked.limit) if asked.limit else found
