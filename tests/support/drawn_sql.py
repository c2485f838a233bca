"""SQL and small tables as chance has them: every kind of relation, and values of every odd kind."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from discreet.errors import DiscreetError
from discreet.plan.schema import (
    ROW,
    LookupTable,
    PartnerTable,
    Schema,
    boolean,
    category,
    date,
    integer,
    number,
    text,
)
from discreet.privacy.sensitivity import Neighbors
from discreet.question.check import Question, checked_question
from discreet.sql.read.select import parse_select

WARDS = ("A", "B", "it's", "é")
ROWS_OF_WARDS: tuple[dict[str, object], ...] = (
    {"ward": "A", "floor": 1, "size": 10.0, "wing": "north"},
    {"ward": "B", "floor": 1, "size": -0.0, "wing": ""},
    {"ward": "it's", "floor": 2, "size": None, "wing": "é"},
    {"ward": "é", "floor": 3, "size": 1e300, "wing": None},
    {"ward": None, "floor": None, "size": 3.5, "wing": "north"},
    {"ward": "", "floor": 0, "size": float("nan"), "wing": "south"},
)


def schema(
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    unit: str = "id",
    max_rows: int = 3,
    max_groups: int = 2,
    beside_rows: int | None = 2,
    max_rows_per_group: int | None = None,
) -> Schema:
    """Visits and patients are private, wards are public."""
    by_person = unit != ROW
    patients = PartnerTable(
        columns={
            "age": integer(0, 120),
            "mass": number(-2, 90.5),
            "ward": category(list(WARDS)),
            "tag": text(),
            "smoker": boolean(),
        },
        unit="pid",
        max_rows=beside_rows,
    )
    return Schema(
        name="visits",
        columns={
            "stay": number(0, 60),
            "score": number(-8, -2),
            "level": integer(0, 3),
            "ward": category(list(WARDS)),
            "code": category([1, 2, 7]),
            "flag": boolean(),
            "tag": text(),
            "day": date("2024-01-01", "2024-01-20"),
        },
        unit=unit,
        neighbors=neighbors,
        max_rows=max_rows if by_person else None,
        max_groups=max_groups if by_person else None,
        max_rows_per_group=max_rows_per_group if by_person else None,
        private={"patients": patients} if by_person else {},
        public={
            "wards": LookupTable(
                columns={
                    "ward": category([*WARDS, ""]),
                    "floor": category([0, 1, 2, 3]),
                    "size": number(0, 20),
                    "wing": text(),
                },
                most={"ward": 1},
            )
        },
    )


# ---------------------------------------------------------------------- rows

PEOPLE = ("p", "q", "r", "P", "", " p", "p\x00", "0", "-0", "é", "\x1f", None)
NUMBERS = (
    *(None, "nan", "inf", "-inf", -0.0, 0.0, "abc", "", 1e308, -1e308, 5e-324, 2**63, 1e-9),
    *(0.5, 1, 2, 2.5, 3, 7, -3, -2, -8, 20, 60, 59.999999, 100, 0.49999999999999994),
)
TEXTS = ("a", "b", "A", "", "it's", "é", "e\u0301", "a\x1fb", "\x1f", "north", None)


@dataclass
class Rows:
    """Draws the rows of people."""

    random: Random
    clean: bool = False
    """Whether all values lie between the declared bounds, and everyone has an id."""

    def number(self, *usual: float) -> object:
        if self.clean:
            return self.random.choice(usual)
        if self.random.random() < 0.75:
            return self.random.choice(usual)
        return self.random.choice([*NUMBERS, self.random.uniform(-70, 70)])

    def choice(self, values: Sequence[object], *odd: object) -> object:
        few = self.clean or not odd or self.random.random() < 0.8
        return self.random.choice(values if few else odd)

    def visits(self, people: Sequence[object], most: int) -> list[dict[str, object]]:
        return [self.visit(self.choice(people)) for _ in range(self._many(most))]

    def patients(self, people: Sequence[object], most: int) -> list[dict[str, object]]:
        return [self.patient(self.choice(people)) for _ in range(self._many(most))]

    def _many(self, most: int) -> int:
        return max(self.random.randint(0, most), self.random.randint(0, most))

    def visit(self, whose: object) -> dict[str, object]:
        days = [f"2024-01-{place:02}" for place in (1, 2, 9, 20)]
        return {
            "id": whose,
            "stay": self.number(0, 1, 5, 12, 60),
            "score": self.number(-8, -5, -3, -2),
            "level": self.number(0, 1, 2, 3),
            "ward": self.choice(WARDS, "C", "", None),
            "code": self.number(1, 2, 7),
            "flag": self.choice(["true", "false"], "FALSE", "maybe", "", None),
            "tag": self.choice(["a", "b"] if self.clean else TEXTS),
            "day": self.choice(days, "2024-02-01", "soon", None),
        }

    def patient(self, whose: object) -> dict[str, object]:
        return {
            "pid": whose,
            "age": self.number(0, 17, 18, 64, 120),
            "mass": self.number(-2, 40, 90),
            "ward": self.choice(WARDS, "C", "", None),
            "tag": self.choice(["a", "b"] if self.clean else TEXTS),
            "smoker": self.choice(["true", "false"], "no!", None),
        }


# ---------------------------------------------------------------------- questions


@dataclass(frozen=True)
class Named:
    """A column that can be written, by its kind: number, text, truth or date."""

    name: str
    kind: str
    groups: bool = False
    """Whether its values are public and few."""


@dataclass(frozen=True)
class From:
    """What FROM says, the columns that it makes visible, and the ids among them."""

    sql: str
    columns: tuple[Named, ...]
    ids: tuple[str, ...]
    table: str = ""

    def behind(self, alias: str) -> "From":
        """The same columns, seen through an alias."""
        columns = tuple(replace(one, name=f"{alias}.{one.name}") for one in self.columns)
        ids = tuple(f"{alias}.{one}" for one in self.ids[:1])
        return From(f"{self.sql} AS {alias}", columns, ids, alias)


VISITS = From(
    "visits",
    (
        *(Named("stay", "number"), Named("score", "number"), Named("level", "number", True)),
        *(Named("ward", "text", True), Named("code", "number", True), Named("flag", "truth", True)),
        *(Named("tag", "text"), Named("day", "date", True)),
    ),
    ("id",),
)
PATIENTS = From(
    "patients",
    (
        *(Named("age", "number"), Named("mass", "number"), Named("ward", "text", True)),
        *(Named("tag", "text"), Named("smoker", "truth", True)),
    ),
    ("pid",),
)
WARDS_TABLE = (
    *(Named("ward", "text", True), Named("floor", "number", True)),
    *(Named("size", "number"), Named("wing", "text")),
)


@dataclass
class Writer:
    """Writes questions, each from one seed.

    A ``plain`` one is SQL that any database reads, about whole numbers.
    """

    random: Random
    by_person: bool = True
    plain: bool = False
    named: list[str] = field(default_factory=list)
    _aliases: int = 0

    # ------------------------------------------------------------------ expressions

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def alias(self) -> str:
        self._aliases += 1
        return f"t{self._aliases}"

    def column(self, of: From, kind: str, *, groups: bool = False) -> str | None:
        found = [one.name for one in of.columns if one.kind == kind and (one.groups or not groups)]
        if self.plain and kind == "number":
            found = [one for one in found if _is_whole(one)]
        return self.random.choice(found) if found else None

    def number(self, of: From, depth: int = 1) -> str:
        column = self.column(of, "number") or "1"
        if depth == 0 or self.chance(0.4):
            return column
        one, two = self.number(of, depth - 1), self.number(of, depth - 1)
        plain = [f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"ABS({one})"]
        plain += [f"CASE WHEN {self.truth(of, 0)} THEN {one} ELSE {two} END"]
        plain += [f"CASE WHEN {self.truth(of, 0)} THEN {one} END", f"COALESCE({one}, 2)"]
        more = [f"({one} / {two})", f"({one} % {two})", f"FLOOR({one})", f"CLIP({one}, -3, 4.5)"]
        more += [f"ROUND({one}, 1)", f"NULLIF({one}, 2)", f"SQRT({one})", f"({one} * 1e99)"]
        word, when = self.column(of, "text"), self.column(of, "date")
        more += [f"CAST({one} AS INTEGER)", f"WIDTH_BUCKET({one}, 0, 20, 4)"]
        more += [] if word is None else [f"LENGTH({word})", f"CAST({word} AS DOUBLE)"]
        more += [] if when is None else [f"EXTRACT(DAY FROM {when})", f"({when} - '2024-01-02')"]
        return self.random.choice(plain if self.plain else plain + more)

    def truth(self, of: From, depth: int = 1) -> str:
        if depth and self.chance(0.4):
            one, two = self.truth(of, depth - 1), self.truth(of, depth - 1)
            return self.random.choice([f"({one} AND {two})", f"({one} OR {two})", f"(NOT {one})"])
        found = []
        column = self.column(of, "number")
        if column is not None:
            size = self.number(of, depth)
            sign = self.random.choice(["<", "<=", "=", "<>", ">", ">="])
            found += [f"{size} {sign} {self.random.choice(['0', '1', '2', '18', '-3'])}"]
            found += [f"{column} BETWEEN 1 AND 20", f"{column} IN (1, 2, 18)", f"{column} IS NULL"]
            found += [f"{column} {sign} {self.column(of, 'number')}"]
        word = self.column(of, "text")
        if word is not None:
            found += [f"{word} = 'A'", f"{word} <> 'a'", f"{word} IS NOT NULL", f"{word} LIKE '%a'"]
            found += [f"{word} IN ('a', 'A', 'é')", f"{word} > 'a'"]
        flag = self.column(of, "truth")
        if flag is not None:
            found += [flag, f"NOT {flag}", f"{flag} IS NULL"]
        when = self.column(of, "date")
        if when is not None:
            found += [f"{when} >= DATE '2024-01-09'", f"{when} IS NULL"]
        return f"({self.random.choice(found or ['1 = 1'])})"

    def text(self, of: From) -> str:
        column = self.column(of, "text") or "'a'"
        cases = f"CASE WHEN {self.truth(of)} THEN 'low' WHEN {self.truth(of)} THEN 'high' END"
        joined = f"({column} || '-' || {self.column(of, 'text') or column})"
        short = [] if self.plain else [f"SUBSTRING({column}, 1, 1)", f"LOWER({column})"]
        return self.random.choice([column, cases, f"COALESCE({column}, 'none')", joined, *short])

    # ------------------------------------------------------------------ relations

    def source(self, depth: int) -> From:
        """Something to stand in FROM, whose columns carry its aliases where it is a join."""
        if depth == 0:
            return self._table().behind(self.alias()) if self.chance(0.7) else self._table()
        makes = [self._looked_up, self._row_local, self.source]
        if self.by_person:
            makes += [self._paired, self._paired, self._per_person, self._per_person]
        return self.random.choice(makes)(depth - 1)

    def _table(self) -> From:
        return PATIENTS if self.by_person and self.chance(0.3) else VISITS

    def side(self, depth: int) -> From:
        """A side of a join: a table or a subquery, behind an alias."""
        if depth <= 0 or self.chance(0.4):
            return self._table().behind(self.alias())
        makes = [self._row_local]
        if self.by_person:
            makes += [self._per_person, self._per_person]
        return self.random.choice(makes)(depth - 1)

    def _looked_up(self, depth: int) -> From:
        left = self.source(depth)
        if not left.table:
            left = self.side(0)
        alias = self.alias()
        other = replace(WARDS_AS, sql=WARDS_AS.sql).behind(alias)
        on = []
        words = self.column(left, "text", groups=True) or self.column(left, "text")
        sizes = self.column(left, "number")
        if words is not None:
            on.append(f"{words} = {alias}.ward")
        if sizes is not None and self.by_person:
            on += [f"{sizes} = {alias}.floor", f"{sizes} = {alias}.size"]
        if not on:
            return left
        conditions = [self.random.choice(on)]
        kind = "LEFT JOIN" if self.chance(0.5) else "JOIN"
        if kind == "JOIN" and self.chance(0.2):
            conditions.append(self.truth(other, 0))
        sql = f"{left.sql} {kind} {other.sql} ON {' AND '.join(conditions)}"
        return From(sql, (*left.columns, *other.columns), left.ids, f"{left.table} {alias}")

    def _paired(self, depth: int) -> From:
        left = self.source(depth) if self.chance(0.3) else self.side(depth)
        if not left.table or not left.ids:
            left = self.side(0)
        right = self.side(depth)
        on = [f"{self.random.choice(left.ids)} = {right.ids[0]}"]
        for kind in ("text", "number", "truth"):
            one, two = self.column(left, kind), self.column(right, kind)
            if one is not None and two is not None and self.chance(0.2):
                on.append(f"{one} = {two}")
        self.random.shuffle(on)
        kind = "LEFT JOIN" if self.chance(0.4) else "JOIN"
        sql = f"{left.sql} {kind} {right.sql} ON {' AND '.join(on)}"
        # After a LEFT JOIN the other side's id may be missing: the left one says whose row it is.
        ids = left.ids if kind == "LEFT JOIN" else (*left.ids, *right.ids)
        table = f"{left.table} {right.table}"
        return From(sql, (*left.columns, *right.columns), ids, table)

    def _row_local(self, depth: int) -> From:
        inner = self.source(depth)
        alias = self.alias()
        items, columns = [], []
        if self.by_person:
            items.append(f"{self.random.choice(inner.ids)} AS whose")
        for place, one in enumerate(self.random.sample(inner.columns, min(4, len(inner.columns)))):
            items.append(f"{one.name} AS c{place}")
            columns.append(replace(one, name=f"c{place}{_whole_mark(one.name)}"))
            items[-1] = f"{one.name} AS {columns[-1].name}"
        made = {"number": self.number(inner), "text": self.text(inner), "truth": self.truth(inner)}
        for kind, sql in made.items():
            name = f"made_{kind}" + ("_whole" if self.plain and kind == "number" else "")
            items.append(f"{sql} AS {name}")
            columns.append(Named(name, kind))
        where = f" WHERE {self.truth(inner)}" if self.chance(0.6) else ""
        sql = f"SELECT {', '.join(items)} FROM {inner.sql}{where}"
        found = From(self._named_or_not(sql), tuple(columns), ("whose",) if self.by_person else ())
        return found.behind(alias)

    def _per_person(self, depth: int) -> From:
        inner = self.source(depth)
        alias = self.alias()
        whose = self.random.choice(inner.ids)
        items, columns = [f"{whose} AS whose"], []
        groups = [whose]
        if self.chance(0.5):
            choices = [one for one in inner.columns if one.groups] or list(inner.columns)
            key = self.random.choice(choices)
            columns.append(replace(key, name=f"key{_whole_mark(key.name)}"))
            items.append(f"{key.name} AS {columns[-1].name}")
            groups.append(key.name)
        sizes = self.number(inner) if self.plain else f"CLIP({self.number(inner)}, -5, 50)"
        column = self.column(inner, "number") or "1"
        asked = {
            "n_whole": "COUNT(*)",
            "known_whole": f"COUNT({column})",
            "kinds_whole": f"COUNT(DISTINCT {self.column(inner, 'text') or column})",
            "total_whole": f"SUM({sizes})",
            "least_whole": f"MIN({sizes})",
            "most_whole": f"MAX({column})",
            "some_whole": f"COUNT(*) FILTER (WHERE {self.truth(inner)})",
            "part_whole": f"SUM({sizes}) FILTER (WHERE {self.truth(inner)})",
        }
        if not self.plain:
            asked["middle"] = f"AVG({sizes})"
            asked["twice"] = f"2 * SUM({sizes}) + COUNT(*)"
        for name in self.random.sample(sorted(asked), self.random.randint(1, 4)):
            items.append(f"{asked[name]} AS {name}")
            columns.append(Named(name, "number"))
        where = f" WHERE {self.truth(inner)}" if self.chance(0.4) else ""
        having = f" HAVING COUNT(*) {self.random.choice(['>', '<='])} 1" if self.chance(0.3) else ""
        sql = f"SELECT {', '.join(items)} FROM {inner.sql}{where} GROUP BY {', '.join(groups)}"
        return From(self._named_or_not(sql + having), tuple(columns), ("whose",)).behind(alias)

    def _named_or_not(self, sql: str) -> str:
        """A subquery where it stands, or named by WITH."""
        if self.chance(0.7):
            return f"({sql})"
        name = f"named_{len(self.named)}"
        self.named.append(f"{name} AS ({sql})")
        return name

    # ------------------------------------------------------------------ questions

    def question(self) -> str:
        of = self.source(self.random.choice([0, 1, 1, 2, 2, 3]))
        keys = [self._key(of) for _ in range(self.random.choice([0, 1, 1, 2]))]
        keys = list(dict.fromkeys(one for one in keys if one))
        asked = [self._aggregate(of) for _ in range(self.random.randint(1, 3))]
        items = [f"{one} AS key_{place}" for place, one in enumerate(keys)]
        items += [f"{one} AS asked_{place}" for place, one in enumerate(dict.fromkeys(asked))]
        first = f"WITH {', '.join(self.named)} " if self.named else ""
        where = f" WHERE {self.truth(of)}" if self.chance(0.5) else ""
        places = ", ".join(str(place + 1) for place in range(len(keys)))
        group = f" GROUP BY {places}" if keys else ""
        return f"{first}SELECT {', '.join(items)} FROM {of.sql}{where}{group}"

    def _key(self, of: From) -> str | None:
        kinds = [self.column(of, kind, groups=True) for kind in ("text", "number", "truth", "date")]
        found: list[str | None] = [one for one in kinds if one is not None]
        found.append(f"CASE WHEN {self.truth(of)} THEN 'low' ELSE 'high' END")
        if not self.plain:
            found.append(f"BINS({self.number(of)}, -3, 0, 2.5, 20)")
            found.append(f"FLOOR(CLIP({self.number(of)}, 0, 30) / 10)")
            when = self.column(of, "date")
            found += [] if when is None else [f"DATE_TRUNC('week', {when})", f"DAYOFWEEK({when})"]
            found += [self.truth(of), self.column(of, "text"), self.text(of)]
        return self.random.choice(found)

    def _aggregate(self, of: From) -> str:
        sizes = self.number(of) if self.plain else f"CLIP({self.number(of)}, -5, 50)"
        column = self.column(of, "number") or "1"
        found = ["COUNT(*)", f"COUNT({column})", f"SUM({sizes})"]
        # Plus 0, since a zero of either sign may stand for both.
        found.append(f"COUNT(DISTINCT {self.column(of, 'text') or f'{column} + 0'})")
        if not self.plain:
            found += [f"{word}({sizes})" for word in ("AVG", "VAR_POP", "MIN", "MAX", "MEDIAN")]
            found += [f"SUM({column})", f"AVG({column})", f"MAX({column})"]
            found += [f"AVG({self.truth(of)})", f"QUANTILE({sizes}, 0.9)", f"STDDEV_POP({column})"]
        if self.chance(0.3):
            return f"{self.random.choice(found)} FILTER (WHERE {self.truth(of)})"
        if of.ids and self.chance(0.4):
            whose = self.random.choice(of.ids)
            condition = f"CASE WHEN {self.truth(of)} THEN {whose} END"
            return f"COUNT(DISTINCT {self.random.choice([whose, condition])})"
        return self.random.choice(found)


WARDS_AS = From("wards", WARDS_TABLE, ())


def _is_whole(name: str) -> bool:
    own = name.rpartition(".")[2]
    return own in ("level", "code", "age", "floor") or own.endswith("_whole")


def _whole_mark(name: str) -> str:
    return "_whole" if _is_whole(name) else ""


def accepted(random: Random, declared: Schema, *, plain: bool = False) -> tuple[str, Question]:
    """A random SELECT that is answered, and the question that it is."""
    while True:
        text = Writer(random, declared.by_person, plain).question()
        try:
            return text, checked_question(parse_select(text, declared), declared)
        except DiscreetError:
            continue


def relations(node: Any) -> set[str]:
    """The kinds of relations that a question is made of."""
    found = {type(node).__name__}
    for part in ("inner", "first", "second"):
        if hasattr(node, part):
            found |= relations(getattr(node, part))
    return found
