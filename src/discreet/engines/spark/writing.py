"""A query as Spark is to run it: the same values as on DuckDB, and no error on any row.

Spark raises an error where a whole number overflows or a float has no whole number beside it, or,
by a setting, gives NULL or another number.  Here neither can happen: sums are made of parts that
cannot overflow, and every cast stands behind the question whether it fits.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import count
from typing import ClassVar

from sqlglot import exp

from discreet.engines.spark.texts import float_text, literal, lower, lowered, raised
from discreet.engines.writing import (
    EXACT,
    SPACES,
    Writer,
    constant,
    not_offered,
    raw,
    rounded,
    unnested,
)

_PART = 21
"""Bits of a part of a sum: parts of fewer than 2^42 rows add up to less than 2^63."""
_BREAK, _STOP = "\x1e", "\x1f"
_WORDS: dict[exp.DType, str] = {
    exp.DataType.Type.DOUBLE: "DOUBLE",
    exp.DataType.Type.BIGINT: "BIGINT",
}


class Writing(Writer):
    """Writes queries for the views that stand for tables.

    ``relations`` has for each table the view's name, and how each of its columns is read.
    """

    dialect: ClassVar[str] = "spark"

    def __init__(self, relations: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
        super().__init__(relations)
        self._names = count()

    def _at_once(self, node: exp.Expr, relation: str | None) -> exp.Expr | None:
        if isinstance(node, exp.Column) and relation is not None:
            return raw(self._relations[relation][1][node.name])
        if isinstance(node, exp.Values):
            return _listed(node)
        if isinstance(node, exp.Like | exp.ILike):
            return self._like(node)
        found = rounded(node)
        if found is not None:
            return self._clipped(node, found)
        return super()._at_once(node, relation)

    def _clipped(self, node: exp.Expr, found: exp.Floor) -> exp.Expr:
        """Grid steps between bounds: FLOOR is asked only where its result is one of them."""
        bounds = node.args["ifs"][0].this
        low, high = (constant(bounds.args[end]) or 0.0 for end in ("low", "high"))
        exact = max(abs(low), abs(high)) < EXACT

        def written(value: str) -> str:
            under = f"{value} < {_float(high + 1)}" if exact else f"{value} <= {_float(high)}"
            floor = f"CAST(FLOOR({value}) AS DOUBLE)" if exact else _floor(value)
            return (
                f"CASE WHEN {value} >= {_float(low)} AND {under} THEN {floor} "
                f"WHEN {value} < {_float(low)} THEN {_float(low)} "
                f"WHEN {value} <= {_float(float('inf'))} THEN {_float(high)} END"
            )

        value = self._written(found.this, None)
        plain = isinstance(unnested(unnested(found.this.this).this), exp.Column)
        text = f"({self._sql(value)})"
        return raw(written(text) if plain else self._bound(text, written))

    def _bound(self, value: str, written: Callable[[str], str]) -> str:
        """What is written of a value, which is computed once, however often it is named."""
        name = f"a{next(self._names)}"
        return f"TRANSFORM(ARRAY({value}), {name} -> {written(name)})[0]"

    def _of(self, operand: exp.Expr, written: Callable[[str], str]) -> str:
        if isinstance(unnested(operand), exp.Column):
            return written(self._sql(unnested(operand)))
        return self._bound(self._sql(operand), written)

    # ------------------------------------------------------------------ relations

    def readings(self, query: exp.Select, private: Collection[str]) -> list[str]:
        """What reads all that a query names of private tables, if it reads two of them or more."""
        scans = [self._read_by(select) for select in query.find_all(exp.Select)]
        if sum(name in private for name in scans) < 2:
            return []
        found = []
        for name, columns in self.scans(query).items():
            if name in private and columns:
                view, read = self._relations[name]
                parts = [f"{read[column]} AS r{place}" for place, column in enumerate(columns)]
                counts = [f"COUNT(r{place}) AS n{place}" for place in range(len(columns))]
                found.append(
                    f"SELECT {', '.join(counts)} FROM (SELECT {', '.join(parts)} FROM {view})"
                )
        return found

    def _table(self, node: exp.Table) -> exp.Expr:
        found = self._relations.get(node.name)
        return node if found is None else raw(f"{found[0]} AS {node.name}")

    def _order(self, node: exp.Order) -> exp.Expr:
        parts = [exp.Ordered(this=part, nulls_first=False) for part in node.expressions]
        return exp.Order(expressions=parts)

    # ------------------------------------------------------------------ numbers

    def _sum(self, node: exp.Sum) -> exp.Expr:
        """A sum of 64-bit numbers in three parts, which no number of rows below 2^42 overflows."""
        value, mask = f"CAST({self._sql(node.this)} AS BIGINT)", (1 << _PART) - 1
        parts = [
            (f"SHIFTRIGHT({value}, {2 * _PART})", 1 << 2 * _PART),
            (f"(SHIFTRIGHT({value}, {_PART}) & {mask})", 1 << _PART),
            (f"({value} & {mask})", 1),
        ]
        whole = "DECIMAL(38, 0)"
        sums = [f"CAST(SUM({part}) AS {whole}) * CAST({size} AS {whole})" for part, size in parts]
        return raw(f"({' + '.join(sums)})")

    def _floored(self, node: exp.Floor) -> exp.Expr:
        return raw(self._of(node.this, _floor))

    def _nullif(self, node: exp.Nullif) -> exp.Expr:
        """A divisor, which the division itself asks for zero, or a float that may be NaN."""
        value = unnested(node.this)
        if isinstance(value, exp.Column) or constant(node.expression) == 0:
            return value  # no column has NaN
        return raw(f"NANVL({self._sql(node.this)}, CAST(NULL AS DOUBLE))")

    def _divided(self, node: exp.Div | exp.Mod) -> exp.Expr:
        """A quotient or a remainder, or NULL where the divisor is zero."""
        name = "TRY_DIVIDE" if isinstance(node, exp.Div) else "TRY_MOD"
        return raw(f"{name}({self._sql(node.this)}, {self._sql(node.expression)})")

    def _whole_division(self, node: exp.IntDiv) -> exp.Expr:
        return raw(f"({self._sql(node.this)} DIV {self._sql(node.expression)})")

    # ------------------------------------------------------------------ texts

    def _string(self, node: exp.Literal) -> exp.Expr:
        return raw(literal(node.name)) if node.is_string else node

    def _cased(self, node: exp.Lower | exp.Upper) -> exp.Expr:
        change = lowered if isinstance(node, exp.Lower) else raised
        return raw(change(self._sql(node.this)))

    def _like(self, node: exp.Like | exp.ILike) -> exp.Expr:
        """A comparison with a pattern, in which nothing but % and _ means something."""
        text, pattern = self._sql(self._written(node.this, None)), unnested(node.expression).name
        if isinstance(node, exp.ILike):
            text, pattern = lowered(text), lower(pattern)
        return raw(f"{text} RLIKE {literal(_regular(pattern))}")

    def _trim(self, node: exp.Trim) -> exp.Expr:
        return raw(f"TRIM(BOTH {literal(SPACES)} FROM {self._sql(node.this)})")

    def _cast(self, node: exp.Cast) -> exp.Expr:
        if node.to.this is not exp.DataType.Type.TEXT:
            return node
        value = self._sql(node.this)
        text = self._bound(f"CAST({value} AS STRING)", float_text)
        return raw(
            f"CASE WHEN TYPEOF({value}) = 'double' THEN {text} ELSE CAST({value} AS STRING) END"
        )

    def _try_cast(self, node: exp.TryCast) -> exp.Expr:
        if node.to.this is not exp.DataType.Type.BIGINT:
            raise not_offered(
                "Spark", "casts of texts", "they are read in another way, and can fail"
            )
        return node

    # ------------------------------------------------------------------ dates and functions

    def _function(self, node: exp.Anonymous) -> exp.Expr:
        parts = [self._sql(part) for part in node.expressions]
        if node.name != "DATE_TRUNC":
            return node
        return raw(parts[1] if parts[0] == "'day'" else f"TRUNC({parts[1]}, {parts[0]})")

    def _days(self, node: exp.DateDiff) -> exp.Expr:
        return raw(f"DATEDIFF({self._sql(node.this)}, {self._sql(node.expression)})")

    def _dated(self, node: exp.Add) -> exp.Expr:
        """The date so many days from another one; every other sum stays as it is."""
        first = unnested(node.this)
        if isinstance(first, exp.Cast) and first.to.this is exp.DataType.Type.DATE:
            return raw(f"DATE_ADD({self._sql(first)}, {self._sql(node.expression)})")
        return node

    def _part(self, node: exp.Extract) -> exp.Expr:
        date = self._sql(node.expression)
        part = _PARTS.get(node.name, f"EXTRACT({node.name} FROM {{0}})")
        return raw(part.format(date))


def _regular(pattern: str) -> str:
    """A pattern of LIKE as a regular expression that is decided in one pass over a text.

    The first place of each inner part is as good as any later one, so that none is tried twice:
    Spark's own LIKE tries all, and one text could make a question endless.
    """
    first, *others = [
        "".join("." if sign == "_" else f"\\x{{{ord(sign):x}}}" for sign in part)
        for part in pattern.split("%")
    ]
    if not others:
        return rf"(?s)\A{first}\z"
    inner = "".join(f"(?>.*?{part})" for part in others[:-1] if part)
    return rf"(?s)\A{first}{inner}.*{others[-1]}\z"


def _listed(node: exp.Values) -> exp.Expr:
    """A list of public values as one text that is taken apart: to read many constants takes long.

    No value has a sign that the parts are told apart by: such a list is written value by value.
    """
    alias = node.args["alias"]
    names = [column.name for column in alias.args["columns"]]
    rows = [[unnested(value) for value in row.expressions] for row in node.expressions]
    texts = [[_shown(value) for value in row] for row in rows]
    kinds = [
        _WORDS[value.to.this] if isinstance(value, exp.Cast) else "STRING" for value in rows[0]
    ]
    shown = [f"CAST(parts[{place}] AS {kind})" for place, kind in enumerate(kinds)]
    if any(sign in text for row in texts for text in row for sign in (_BREAK, _STOP)):
        written = ", ".join(f"ARRAY({', '.join(map(literal, row))})" for row in texts)
        source = f"(SELECT EXPLODE(ARRAY({written})) AS parts)"
    else:
        joined = literal(_BREAK.join(_STOP.join(row) for row in texts))
        lines = f"EXPLODE(SPLIT({joined}, {literal(_BREAK)}))"
        source = f"(SELECT SPLIT(line, {literal(_STOP)}) AS parts FROM (SELECT {lines} AS line))"
    columns = ", ".join(f"{part} AS {name}" for part, name in zip(shown, names, strict=True))
    return raw(f"(SELECT {columns} FROM {source}) AS {alias.name}")


def _shown(value: exp.Expr) -> str:
    found: exp.Expr = value.this if isinstance(value, exp.Cast) else value
    return found.name


def _floor(value: str) -> str:
    """The whole float below: from 2^53 on every float is whole."""
    small = f"ABS({value}) < {_float(float(EXACT))}"
    return f"CASE WHEN {small} THEN CAST(FLOOR({value}) AS DOUBLE) ELSE {value} END"


def _float(value: float) -> str:
    return f"CAST('{str(value).replace('inf', 'Infinity')}' AS DOUBLE)"


_PARTS = {
    "DOW": "(DAYOFWEEK({0}) - 1)",
    "ISODOW": "(WEEKDAY({0}) + 1)",
    "DOY": "DAYOFYEAR({0})",
    "WEEK": "WEEKOFYEAR({0})",
}
Writing.rules = {
    exp.Table: Writing._table,
    exp.Order: Writing._order,
    exp.Sum: Writing._sum,
    exp.Floor: Writing._floored,
    exp.Nullif: Writing._nullif,
    exp.Div: Writing._divided,
    exp.Mod: Writing._divided,
    exp.IntDiv: Writing._whole_division,
    exp.Literal: Writing._string,
    exp.Lower: Writing._cased,
    exp.Upper: Writing._cased,
    exp.Trim: Writing._trim,
    exp.Cast: Writing._cast,
    exp.TryCast: Writing._try_cast,
    exp.Anonymous: Writing._function,
    exp.DateDiff: Writing._days,
    exp.Add: Writing._dated,
    exp.Extract: Writing._part,
}
