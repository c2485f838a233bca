"""Questions as chance has them, in SQL and in Python, about what one schema declares."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Any
from unittest.mock import patch

from discreet.errors import DiscreetError
from discreet.measures.measure import Measure, Norm
from discreet.plan.schema import ROW, Schema, datetime, time
from discreet.privacy.sensitivity import Neighbors
from discreet.question import query
from discreet.question.arrangements import subsets
from discreet.question.builder import AggregateExpression, Expression, col, people, rows, when
from discreet.question.check import Question, checked_question
from discreet.question.query import GroupingSets, Query
from discreet.release.table import QuestionBuilder
from discreet.sql.read.select import parse_select
from discreet.statistics import corr, cov, regression
from tests.support.drawn_sql import Writer, schema

CLOCKED, CLOCKED_OF = 3, 4
"""Of so many families the one that has a time of day, too."""
_YEAR = ("2024-03-01", "2024-11-30")
AT = (
    datetime(*_YEAR, zone="America/New_York"),
    datetime(*_YEAR, zone="Europe/Paris", unit="s"),
    datetime(*_YEAR, zone="Australia/Lord_Howe", unit="ms"),
    datetime(*_YEAR, format="%d/%m/%Y %H:%M:%S"),
    datetime(*_YEAR, zone="America/New_York", format="%Y-%m-%d %H:%M:%S%z"),
)
"""How it may be stored, by turns."""
SPELLED, SPELLED_OF = 2, 5
"""Of so many families the one whose dates and numbers are spelled as in Europe."""
QUESTIONS = 40
"""How many a family has: to write and check one takes as long as to ask it."""

_LABELS = ("a", "b", "A", "7", "true", "", "it's", "é", "low", "0", "1", "2", "2024-01-09", "none")


@dataclass(frozen=True)
class Named:
    """A checked question, and how it was written."""

    text: str
    question: Question = field(repr=False)
    query: Query = field(repr=False)
    weighed: Norm | None = None

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Groups that private selection is taken to have released: some that occur, some not."""
        many = len(self.question.keys)
        random = Random(self.text)
        return tuple({tuple(random.choice(_LABELS) for _ in range(many)): None for _ in range(6)})

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.question.measures

    @property
    def norm(self) -> Norm:
        """By which people are weighed: a price may have either."""
        return self.weighed or Random(f"norm {self.text}").choice(list(Norm))


@dataclass(frozen=True)
class Family:
    """What is declared, and questions about it that can be answered."""

    declared: Schema
    questions: tuple[Named, ...]


@lru_cache(maxsize=8)
def family(seed: int, size: int) -> Family:
    """Declarations and the first questions from one seed."""
    random = Random(f"family {seed}")
    in_group = Random(f"in a group {seed}").choice([None, 1, 2, 3])
    declared = schema(
        random.choice(list(Neighbors)),
        random.choice(["id", "id", "id", ROW]),
        max_rows=random.randint(1, 4),
        max_groups=random.randint(1, 3),
        beside_rows=random.choice([None, 1, 3]),
        max_rows_per_group=in_group,
    )
    if seed % SPELLED_OF == SPELLED:
        columns: dict[str, Any] = dict(declared.columns)
        spelled = {name: replace(columns[name], decimal=",") for name in ("stay", "score")}
        spelled["day"] = replace(columns["day"], format="%d/%m/%Y")
        declared = replace(declared, columns=columns | spelled)
    found = [_every_column(declared), _by_groups(declared)]
    if seed % CLOCKED_OF == CLOCKED:
        clocks = {"at": AT[seed // CLOCKED_OF % len(AT)], "clock": time("00:00", "23:59:59")}
        declared = replace(declared, columns={**declared.columns, **clocks})
        found = [_of_clocks(declared), _of_times(declared), _by_hours(declared)]
        found += [_by_times(declared), _every_column(declared)]
    pairs = Random(f"pairs {seed}").choice([1, 4, 30, 1_000_000])
    with patch.object(query, "MOST_PAIRS", pairs):
        found += _of_pairs(declared) if declared.by_person else []
        found += _together(declared)
        while len(found) < size:
            drawn = _in_sql if random.random() < 0.45 else _in_python
            one = drawn(random, declared)
            if one is not None:
                found.append(one)
    return Family(declared, tuple(found[:size]))


def _every_column(declared: Schema) -> Named:
    """One query that reads every column of visits in several ways."""
    numbers, words = ("stay", "score", "level", "code"), ("ward", "tag")
    conditions = [col("flag"), col("day") >= "2024-01-09", col("stay") >= 41, col("score") < -2.5]
    conditions += [col(name) > 1 for name in ("stay", "level", "code")]
    conditions += [col(name).length() > 1 for name in words] + [col("tag") == "7"]
    conditions += [col("tag").like("%e"), col("ward") == "A"]
    asked = {f"known_{name}": col(name).count() for name in (*numbers, *words, "flag", "day")}
    asked |= {f"total_{name}": col(name).sum() for name in ("stay", "score", "level")}
    asked |= {f"clipped_{name}": col(name).clip(-8, 60).sum() for name in ("stay", "code")}
    asked |= {
        f"some_{place}": when(one).then(1).otherwise(0).sum()
        for place, one in enumerate(conditions)
    }
    asking = QuestionBuilder(_Declared(declared)).agg(**asked)  # type: ignore[arg-type]
    return Named("every column", checked_question(asking.query, declared), asking.query)


def _by_groups(declared: Schema) -> Named:
    """One question with all that is weighed in L2."""
    asked = {"people": people(), "truths": col("flag").count(), "score": col("score").sum()}
    asked |= {"total": (col("stay").clip(0, 10) - 3).sum()}  # of either sign
    asked |= {"mean": col("stay").mean(), "spread": col("level").var()}
    keys = [col(name).is_null().alias(f"no_{name}") for name in ("stay", "tag")]  # of every row
    grouped = QuestionBuilder(_Declared(declared)).group_by(*keys)  # type: ignore[arg-type]
    query = grouped.agg(**asked).query
    return Named("by groups", checked_question(query, declared), query, Norm.L2)


def _of_clocks(declared: Schema) -> Named:
    """One query that reads a time of day in several ways."""
    at = col("at")
    conditions = [at >= "2024-03-10 03:00", at < "2024-03-10 02:00", at > "2024-11-03 01:30"]
    conditions += [
        at.is_between("2024-03-09", "2024-03-11"),
        at.truncate("hour") == "2024-11-03 01:00",
    ]
    conditions += [at.year() == year for year in (1, 1969, 1970, 2024, 9999)]
    conditions += [at.hour() < 12, at.minute() == 0, at.second() > 30, at.weekday() > 5]
    conditions += [at.truncate("day") == col("day"), at.cast("date") > "2024-03-10"]
    asked = {"known": at.count(), "hours": at.hour().sum(), "middle": (at.epoch() % 60).sum()}
    asked |= {"late": ((at - col("day")) * 24).clip(-30, 30).sum(), "last": at.max()}
    asked |= {
        f"some_{place}": when(one).then(1).otherwise(0).sum()
        for place, one in enumerate(conditions)
    }
    asking = QuestionBuilder(_Declared(declared)).agg(**asked)  # type: ignore[arg-type]
    return Named("clocks", checked_question(asking.query, declared), asking.query)


def _by_hours(declared: Schema) -> Named:
    """Groups by the hour of a time of day."""
    grouped = QuestionBuilder(_Declared(declared)).group_by(  # type: ignore[arg-type]
        col("at").hour().alias("hour"),
        col("at").bins(["2024-03-01", "2024-03-10 03:00", "2024-11-30"]).alias("season"),
    )
    query = grouped.agg(n=rows(), people=people(), middle=col("at").median()).query
    return Named("by hours", checked_question(query, declared), query)


def _of_times(declared: Schema) -> Named:
    """One query that reads a column of times of day in several ways."""
    at = col("clock")
    conditions = [at >= "08:30", at < "08:30", at == "12:00:30", at.is_between("08:00", "12:00")]
    conditions += [at.hour() < 12, at.minute() == 30, at.second() > 29]
    conditions += [at.truncate("hour") == "08:00", at.is_null(), at == col("at").cast("time")]
    asked = {"known": at.count(), "hours": at.hour().sum(), "middle": (at.epoch() % 60).sum()}
    asked |= {"late": ((at - "08:30") * 24).clip(-9, 16).sum(), "last": at.max()}
    asked |= {
        f"some_{place}": when(one).then(1).otherwise(0).sum()
        for place, one in enumerate(conditions)
    }
    asking = QuestionBuilder(_Declared(declared)).agg(**asked)  # type: ignore[arg-type]
    return Named("times", checked_question(asking.query, declared), asking.query)


def _by_times(declared: Schema) -> Named:
    """Groups by the hour, and by parts of the day."""
    grouped = QuestionBuilder(_Declared(declared)).group_by(  # type: ignore[arg-type]
        col("clock").truncate("hour").alias("hour"),
        col("clock").bins(["00:00", "08:30", "23:59:59"]).alias("half"),
    )
    query = grouped.agg(n=rows(), people=people(), middle=col("clock").median()).query
    return Named("by times", checked_question(query, declared), query)


def _together(declared: Schema) -> list[Named]:
    """Questions whose groups are measured together: a cube, and running totals."""
    asked = {"n": rows(), "truths": col("flag").count(), "score": col("score").sum()}
    asked |= {"total": (col("stay").clip(0, 10) - 3).sum(), "mean": col("level").mean()}
    keys = [col("tag").is_null().alias("no_tag"), "flag", "level"]
    builder = QuestionBuilder(_Declared(declared))  # type: ignore[arg-type]
    queries = [
        builder.cube(*keys, ways=2).agg(**asked).query,
        builder.group_by("flag", "level").cumulative().agg(**asked).query,
    ]
    return [
        Named(f"together {place}", checked_question(query, declared), query, Norm.L1)
        for place, query in enumerate(queries)
    ]


def _of_pairs(declared: Schema) -> list[Named]:
    """One question about every pair of a person's rows."""
    asked = "COUNT(*) AS n, SUM(v.stay) AS stays, COUNT(p.tag) AS tags, SUM(p.age) AS ages"
    text = f"SELECT {asked} FROM visits AS v JOIN patients AS p ON v.id = p.pid"
    asking = parse_select(text, declared)
    return [Named(text, checked_question(asking, declared), asking)]


def _in_sql(random: Random, declared: Schema) -> Named | None:
    text = Writer(random, declared.by_person).question()
    try:
        query = parse_select(text, declared)
        return Named(text, checked_question(query, declared), query)
    except DiscreetError:
        return None


def _in_python(random: Random, declared: Schema) -> Named | None:
    draw = _Draw(random)
    asking = QuestionBuilder(_Declared(declared))  # type: ignore[arg-type]
    try:
        for _ in range(random.choice([0, 0, 1, 2])):
            asking = asking.where(draw.truth(1))
        if random.random() < 0.3:
            asking = asking.with_columns(made=draw.number(2).clip(-9, 40))
            draw.numbers = (*draw.numbers, "made")
        keys = [draw.key() for _ in range(random.choice([0, 0, 1, 1, 2]))]
        if random.random() < 0.25:
            condition, key = draw.part()
            asking, keys = asking.where(condition), [*keys[:1], key]
        asking = asking.group_by(*{str(key): key for key in keys}.values()) if keys else asking
        asked = {f"a{place}": draw.asked() for place in range(random.choice([1, 1, 1, 2, 3]))}
        if random.random() < 0.15:
            asked |= draw.sides()
        asking = asking.agg(**asked)
        if keys and random.random() < 0.2:
            asking = asking.agg(counted=random.choice([people(), rows()]))
            asking = asking.top(random.choice([1, 2, 3]))
        if keys and Random(f"together {asking!r}").random() < 0.2:
            arranged = GroupingSets(subsets(len(asking.query.keys)))
            asking = replace(asking, query=replace(asking.query, arranged=arranged))
        checked = checked_question(asking.query, declared)
        return Named(
            repr(asking), checked, asking.query, None if checked.strategy is None else Norm.L1
        )
    except DiscreetError:
        return None


@dataclass(frozen=True)
class _Declared:
    """All of a table that writing a question looks at."""

    schema: Schema
    name: str = "visits"


class _Draw:
    """Draws expressions about visits."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers: tuple[str, ...] = ("stay", "score", "level", "code")

    def number(self, depth: int) -> Expression:
        pick = self.random.choice
        one = col(pick(self.numbers))
        if depth == 0 or self.random.random() < 0.4:
            return one
        inner, other = self.number(depth - 1), self.number(depth - 1)
        made: list[Any] = [
            lambda: inner + other,
            lambda: inner - other,
            lambda: inner * other,
            lambda: inner / other,
            lambda: inner % 3,
            lambda: abs(inner),
            inner.floor,
            inner.ceil,
            inner.sign,
            lambda: inner.round(1),
            inner.sqrt,
            inner.log,
            lambda: inner.clip(-9, 9).exp(),
            lambda: inner ** pick([2, 3, 0.5, -1]),
            lambda: inner.clip(-3, 4.5),
            lambda: inner.fill_null(2),
            lambda: inner.width_bucket(0, 20, 4),
            lambda: when(self.truth(0)).then(inner).otherwise(other),
            lambda: when(self.truth(0)).then(inner).otherwise(None),
            lambda: self.text().length(),
            lambda: self.text().cast("number"),
            lambda: col("flag").cast("integer"),
            lambda: col("day").day(),
            lambda: col("day").weekday(),
            lambda: col("day").ordinal_day(),
        ]
        found: Expression = pick(made)()
        return found

    def text(self) -> Expression:
        one = col(self.random.choice(["ward", "tag"]))
        number = col(self.random.choice(self.numbers))
        made = [one, one, one.lower(), one.upper(), one.left(1), one.right(2), one.trim()]
        made += [one.substring(2, 3), one.concat("-", col("tag"))]
        return self.random.choice([*made, number.cast("text"), one.fill_null("none")])

    def truth(self, depth: int) -> Expression:
        pick = self.random.choice
        if depth and self.random.random() < 0.4:
            one, two = self.truth(depth - 1), self.truth(depth - 1)
            return pick([one & two, one | two, ~one])
        size, bound = self.number(depth), pick([0, 1, 2, 18, -3, 41, 1e9])
        word = self.text()
        return pick(
            [
                *(size < bound, size >= bound, size == bound, size != bound, size.is_null()),
                *(size.is_between(1, 20), size.is_in([1, 2, 18]), size.is_not_null()),
                *(word == "A", word != "7", word > "a", word.like("%a%"), word.is_null()),
                *(word.is_in(["a", "A", "7", "true"]), word.starts_with("2"), word == "7"),
                *(col("flag"), ~col("flag"), col("flag").is_null(), col("flag") == col("flag")),
                *(col("day") >= "2024-01-09", col("day").is_null(), col("day") < "2024-01-02"),
                *(col("ward") == col("tag"), word.length() > 3, col("tag").contains("'")),
            ]
        )

    def key(self) -> Any:
        pick = self.random.choice
        return pick(
            [
                *("ward", "flag", "level", "code", "tag", "day"),
                self.truth(1).alias("truth"),
                self.number(1).bins([-3, 0, 2, 5, 20]).alias("bins"),
                col("day").truncate("week").alias("week"),
                self.text().alias("word"),
            ]
        )

    def part(self) -> tuple[Expression, Any]:
        """A condition that excludes some of a key's public groups, and the key."""
        pick, day = self.random.choice, "2024-01-05"
        level, code = col("level"), col("code")
        return pick(
            [
                *((level < 2, "level"), (level != 1, "level"), (level > 0, level % 2)),
                *((code != 2, "code"), (code.is_in([1, 7]), "code")),
                *((col("ward").is_in(["A", "7"]), "ward"), (col("ward") != "A", "ward")),
                *((col("flag"), "flag"), (~col("flag"), "flag"), (level >= 2, level >= 1)),
                *((col("stay") < 2, col("stay").bins([-3, 0, 2, 5, 20]).alias("stays")),),
                *((col("day") >= day, col("day").truncate("week").alias("week")),),
                *((col("day") < day, "day"), (col("ward").lower() == "a", "ward")),
            ]
        )

    def sides(self) -> dict[str, AggregateExpression]:
        """Counts of conditions of which a row fulfills one, and sometimes of all rows."""
        one, two = self.truth(1), self.truth(0)
        conditions = self.random.choice([[one], [one, ~one], [one & two, ~one, one & ~two]])
        counts = {
            f"side{place}": when(condition).then(1).otherwise(None).count()
            for place, condition in enumerate(conditions)
        }
        return counts | ({"all": rows()} if len(counts) == 1 or self.random.random() < 0.5 else {})

    def related(self, number: Expression) -> AggregateExpression:
        others = self.random.sample(["stay", "score", "level"], self.random.choice([1, 1, 2]))
        bounded = [col(name).clip(-5, 50) for name in others]
        if len(bounded) == 2:
            return regression(number, *bounded)
        return self.random.choice([cov, corr, regression])(number, *bounded)  # type: ignore[operator]

    def asked(self) -> AggregateExpression:
        number = self.number(self.random.choice([0, 0, 1, 2]))
        if self.random.random() < 0.6:
            number = number.clip(-5, 50)
        return self.random.choice(
            [
                *(rows(), people(), people(self.truth(1)), number.count(), self.text().n_unique()),
                *(number.sum(), number.sum(), number.mean(), number.var(), number.std()),
                *(number.min(), number.max(), number.median(), number.quantile([0.1, 0.9])),
                *(self.truth(1).mean(), col("day").median(), number.n_unique()),
                self.related(number),
            ]
        )
