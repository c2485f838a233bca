"""A query as Spark is to run it: the same values as on DuckDB, and no error on any row."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from itertools import count
from typing import ClassVar

from sqlglot import exp

from discreet.engines.writer import (
    EXACT,
    SPACES,
    Writer,
    decimal_cast,
    float_node,
    is_wide,
    not_offered,
    raw_sql,
    rounded_operand,
    unnested,
)

_PLAIN = re.compile(r"[A-Za-z0-9_ .,:+-]*")


_SPECIAL = {"ß": "ẞ", "İ": "i"}
_OPPOSITE = {True: "İ", False: "ß"}
_PART = 21
"""Bits of a part of a sum: parts of fewer than 2^42 rows add up to less than 2^63."""
_BREAK, _STOP = "\x1e", "\x1f"
_WORDS: dict[exp.DType, str] = {
    exp.DataType.Type.DOUBLE: "DOUBLE",
    exp.DataType.Type.BIGINT: "BIGINT",
}
_PARTS = {
    "DOW": "(DAYOFWEEK({0}) - 1)",
    "ISODOW": "(WEEKDAY({0}) + 1)",
    "DOY": "DAYOFYEAR({0})",
    "WEEK": "WEEKOFYEAR({0})",
}


def text_literal(text: str) -> str:
    """A text constant.  Signs that a setting gives a meaning to, \\ and ${…}, go in as bytes."""
    if _PLAIN.fullmatch(text):
        return f"'{text}'"
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def lowercase(text: str) -> str:
    """A text in small letters, sign by sign: how a letter looks at the end of a word is no part."""
    return _mapped(text, *_letters(upper=False))


def lowercase_text(text: str) -> str:
    """A text that is known here, in small letters by the same rule.

    >>> lowercase_text("ÄΣ İ")
    'äσ i'
    """
    return text.translate(str.maketrans(*_letters(upper=False)))


def uppercase(text: str) -> str:
    """A text in large letters, sign by sign: no letter becomes two."""
    return _mapped(text, *_letters(upper=True))


def _mapped(text: str, signs: str, others: str) -> str:
    return f"TRANSLATE({text}, {text_literal(signs)}, {text_literal(others)})"


@cache
def _letters(*, upper: bool) -> tuple[str, str]:
    """Every letter that has another one beside it, and that other one."""
    signs, others = [], []
    for number in range(0x110000):
        sign = chr(number)
        ways = (sign.upper(), sign.title()) if upper else (sign.lower(),)
        other = _SPECIAL.get(sign) or next((one for one in ways if len(one) == 1), sign)
        if other != sign and sign != _OPPOSITE[upper]:
            signs.append(sign)
            others.append(other)
    return "".join(signs), "".join(others)


def float_text(text: str) -> str:
    """How a float is written: with a point or an exponent, as 0.0001, 1e+16 and 1.5e-05.

    ``text`` is how Java writes it, which has an exponent from 10^7 on and below 0.001.
    """
    mantissa = f"REGEXP_REPLACE(SUBSTRING_INDEX({text}, 'E', 1), '[.]0$', '')"
    power = f"CAST(SUBSTRING_INDEX({text}, 'E', -1) AS INT)"
    sign = f"CASE WHEN {power} < 0 THEN 'e-' ELSE 'e+' END"
    # From 10^7 to 10^16, and from 0.0001 to 0.001: no exponent, and up to 21 digits in all.
    plain = f"CAST(CAST({text} AS DECIMAL(38, 21)) AS STRING)"
    trimmed = f"REGEXP_REPLACE(REGEXP_REPLACE({plain}, '0+$', ''), '[.]$', '.0')"
    return (
        f"CASE WHEN {text} LIKE '%Infinity' THEN REPLACE({text}, 'Infinity', 'inf') "
        f"WHEN {text} NOT LIKE '%E%' THEN {text} "
        f"WHEN {power} BETWEEN -4 AND 15 THEN {trimmed} "
        f"ELSE {mantissa} || {sign} || LPAD(CAST(ABS({power}) AS STRING), "
        f"GREATEST(2, LENGTH(CAST(ABS({power}) AS STRING))), '0') END"
    )


class SparkWriter(Writer):
    """Writes queries for the views that stand for tables.

    ``relations`` has for each table the view's name, and how each of its columns is read.
    """

    dialect: ClassVar[str] = "spark"

    def __init__(self, relations: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
        super().__init__(relations)
        self._names = count()

    def _written_without_parts(self, node: exp.Expr, relation: str | None) -> exp.Expr | None:
        if isinstance(node, exp.Column) and relation is not None:
            return raw_sql(self._relations[relation][1][node.name])
        if isinstance(node, exp.Values):
            return _listed(node)
        if isinstance(node, exp.Like | exp.ILike):
            return self._like(node)
        if isinstance(node, exp.Window) and isinstance(node.this, exp.Sum):
            return self._windowed(node)
        operand = rounded_operand(node)
        if operand is not None:
            return self._clipped(node, operand)
        return super()._written_without_parts(node, relation)

    def _clipped(self, node: exp.Expr, found: exp.Floor) -> exp.Expr:
        """Grid steps between bounds: FLOOR is asked only where its result is one of them."""
        bounds = node.args["ifs"][0].this
        low, high = (float_node(bounds.args[end]) or 0.0 for end in ("low", "high"))
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
        return raw_sql(written(text) if plain else self._bound(text, written))

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
        scans = [self._scanned_relation(select) for select in query.find_all(exp.Select)]
        if sum(name in private for name in scans) < 2:
            return []
        statements = []
        for name, columns in self.scans(query).items():
            if name in private and columns:
                view, read = self._relations[name]
                parts = [f"{read[column]} AS r{place}" for place, column in enumerate(columns)]
                counts = [f"COUNT(r{place}) AS n{place}" for place in range(len(columns))]
                statements.append(
                    f"SELECT {', '.join(counts)} FROM (SELECT {', '.join(parts)} FROM {view})"
                )
        return statements

    def _table(self, node: exp.Table) -> exp.Expr:
        found = self._relations.get(node.name)
        return node if found is None else raw_sql(f"{found[0]} AS {node.name}")

    def _order(self, node: exp.Order) -> exp.Expr:
        parts = [exp.Ordered(this=part, nulls_first=False) for part in node.expressions]
        return exp.Order(expressions=parts)

    # ------------------------------------------------------------------ numbers

    def _sum(self, node: exp.Sum, over: str = "") -> exp.Expr:
        """A sum of 64-bit numbers in three parts, which no number of rows below 2^42 overflows."""
        value, mask = f"CAST({self._sql(node.this)} AS BIGINT)", (1 << _PART) - 1
        parts = [
            (f"SHIFTRIGHT({value}, {2 * _PART})", 1 << 2 * _PART),
            (f"(SHIFTRIGHT({value}, {_PART}) & {mask})", 1 << _PART),
            (f"({value} & {mask})", 1),
        ]
        whole = "DECIMAL(38, 0)"
        sums = [
            f"CAST(SUM({part}){over} AS {whole}) * CAST({size} AS {whole})" for part, size in parts
        ]
        return raw_sql(f"({' + '.join(sums)})")

    def _windowed(self, node: exp.Window) -> exp.Expr:
        """A sum over the rows of a person, part by part."""
        people = ", ".join(self._sql(self._written(one, None)) for one in node.args["partition_by"])
        return self._sum(node.this, f" OVER (PARTITION BY {people})")

    def _floored(self, node: exp.Floor) -> exp.Expr:
        return raw_sql(self._of(node.this, _floor))

    def _nullif(self, node: exp.Nullif) -> exp.Expr:
        """A divisor, which the division itself asks for zero, or a float that may be NaN."""
        value = unnested(node.this)
        if isinstance(value, exp.Column) or float_node(node.expression) == 0:
            return value  # no column has NaN
        return raw_sql(f"NANVL({self._sql(node.this)}, CAST(NULL AS DOUBLE))")

    def _divided(self, node: exp.Div | exp.Mod) -> exp.Expr:
        """A quotient or a remainder, or NULL where the divisor is zero."""
        name = "TRY_DIVIDE" if isinstance(node, exp.Div) else "TRY_MOD"
        return raw_sql(f"{name}({self._sql(node.this)}, {self._sql(node.expression)})")

    def _whole_division(self, node: exp.IntDiv) -> exp.Expr:
        return raw_sql(f"({self._sql(node.this)} DIV {self._sql(node.expression)})")

    # ------------------------------------------------------------------ texts

    def _string(self, node: exp.Literal) -> exp.Expr:
        return raw_sql(text_literal(node.name)) if node.is_string else node

    def _cased(self, node: exp.Lower | exp.Upper) -> exp.Expr:
        change = lowercase if isinstance(node, exp.Lower) else uppercase
        return raw_sql(change(self._sql(node.this)))

    def _like(self, node: exp.Like | exp.ILike) -> exp.Expr:
        """A comparison with a pattern, in which nothing but % and _ means something."""
        text, pattern = self._sql(self._written(node.this, None)), unnested(node.expression).name
        if isinstance(node, exp.ILike):
            text, pattern = lowercase(text), lowercase_text(pattern)
        return raw_sql(f"{text} RLIKE {text_literal(_regular(pattern))}")

    def _trim(self, node: exp.Trim) -> exp.Expr:
        return raw_sql(f"TRIM(BOTH {text_literal(SPACES)} FROM {self._sql(node.this)})")

    def _cast(self, node: exp.Cast) -> exp.Expr:
        if is_wide(node):
            return decimal_cast(node)
        if node.to.this is not exp.DataType.Type.TEXT:
            return node
        value = self._sql(node.this)
        text = self._bound(f"CAST({value} AS STRING)", float_text)
        return raw_sql(
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
        return raw_sql(parts[1] if parts[0] == "'day'" else f"TRUNC({parts[1]}, {parts[0]})")

    def _days(self, node: exp.DateDiff) -> exp.Expr:
        return raw_sql(f"DATEDIFF({self._sql(node.this)}, {self._sql(node.expression)})")

    def _dated(self, node: exp.Add) -> exp.Expr:
        """The date so many days from another one; every other sum stays as it is."""
        first = unnested(node.this)
        if isinstance(first, exp.Cast) and first.to.this is exp.DataType.Type.DATE:
            return raw_sql(f"DATE_ADD({self._sql(first)}, {self._sql(node.expression)})")
        return node

    def _part(self, node: exp.Extract) -> exp.Expr:
        date = self._sql(node.expression)
        part = _PARTS.get(node.name, f"EXTRACT({node.name} FROM {{0}})")
        return raw_sql(part.format(date))


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
        written = ", ".join(f"ARRAY({', '.join(map(text_literal, row))})" for row in texts)
        source = f"(SELECT EXPLODE(ARRAY({written})) AS parts)"
    else:
        joined = text_literal(_BREAK.join(_STOP.join(row) for row in texts))
        lines = f"EXPLODE(SPLIT({joined}, {text_literal(_BREAK)}))"
        source = (
            f"(SELECT SPLIT(line, {text_literal(_STOP)}) AS parts FROM (SELECT {lines} AS line))"
        )
    columns = ", ".join(f"{part} AS {name}" for part, name in zip(shown, names, strict=True))
    return raw_sql(f"(SELECT {columns} FROM {source}) AS {alias.name}")


def _shown(value: exp.Expr) -> str:
    found: exp.Expr = value.this if isinstance(value, exp.Cast) else value
    return found.name


def _floor(value: str) -> str:
    """The whole float below: from 2^53 on every float is whole."""
    small = f"ABS({value}) < {_float(float(EXACT))}"
    return f"CASE WHEN {small} THEN CAST(FLOOR({value}) AS DOUBLE) ELSE {value} END"


def _float(value: float) -> str:
    return f"CAST('{str(value).replace('inf', 'Infinity')}' AS DOUBLE)"


SparkWriter.rules = {
    exp.Table: SparkWriter._table,
    exp.Order: SparkWriter._order,
    exp.Sum: SparkWriter._sum,
    exp.Floor: SparkWriter._floored,
    exp.Nullif: SparkWriter._nullif,
    exp.Div: SparkWriter._divided,
    exp.Mod: SparkWriter._divided,
    exp.IntDiv: SparkWriter._whole_division,
    exp.Literal: SparkWriter._string,
    exp.Lower: SparkWriter._cased,
    exp.Upper: SparkWriter._cased,
    exp.Trim: SparkWriter._trim,
    exp.Cast: SparkWriter._cast,
    exp.TryCast: SparkWriter._try_cast,
    exp.Anonymous: SparkWriter._function,
    exp.DateDiff: SparkWriter._days,
    exp.Add: SparkWriter._dated,
    exp.Extract: SparkWriter._part,
}
