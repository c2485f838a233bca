"""A query as PostgreSQL is to run it: the same values as on DuckDB, and no error on any row.

The relations that a query reads are written in with their columns already as they are declared.
What PostgreSQL computes otherwise is written so that it comes to the same; what cannot be, or can
fail on a row, is refused before anything is charged.
"""

from collections.abc import Callable, Mapping
from math import isnan
from typing import ClassVar

from sqlglot import exp

from discreet.engines.postgres.columns import PostgresRelation
from discreet.engines.postgres.connection import PreparedQuery
from discreet.engines.postgres.numbers import (
    added,
    as_float,
    computed_once,
    decreasing,
    divided,
    exponential,
    float_literal,
    increasing,
    multiplied,
    raised_to,
    remainder,
)
from discreet.engines.writer import (
    EXACT,
    SPACES,
    Writer,
    decimal_cast,
    float_node,
    is_double,
    is_wide,
    not_offered,
    raw_sql,
    rounded_operand,
    unnested,
)
from discreet.errors import QueryError
from discreet.sql.write.expressions import FLOAT

_SAFE_TERM = 1e290
"""So little does not carry the largest float to infinity."""


class PostgresWriter(Writer):
    """Writes queries for the relations of one database.

    ``letters`` is the collation that knows Unicode's small and large letters, if there is one.
    """

    dialect: ClassVar[str] = "postgres"

    def __init__(
        self, relations: Mapping[str, PostgresRelation | str], letters: str | None
    ) -> None:
        super().__init__(relations)
        self._letters = letters

    def text(self, query: exp.Select) -> PreparedQuery:
        """The SQL of a query, and what reads all that it names of what is computed, before it.

        PostgreSQL plans a query that is put aside (MATERIALIZED) by itself: no condition of the
        question reaches into it.  It may still stop in the middle of it, where a join has found
        that nothing can follow; what is read to the end before cannot fail then.
        """
        asides = {
            _aside(name): self._relations[name].text(columns)
            for name, columns in self.scans(query).items()
            if self._is_computed(name)
        }
        written = self._written(query.copy(), None)
        listed = [f"{name} AS MATERIALIZED ({text})" for name, text in asides.items()]
        if not listed:
            return PreparedQuery(self._sql(written))
        inner = written.args.pop("with_", None)
        listed += [] if inner is None else [one.sql(self.dialect) for one in inner.expressions]
        before = tuple(
            f"WITH {name} AS MATERIALIZED ({text}) SELECT COUNT(*) AS rows FROM {name}"
            for name, text in asides.items()
        )
        return PreparedQuery(f"WITH {', '.join(listed)} {self._sql(written)}", before)

    def _is_computed(self, name: str) -> bool:
        found = self._relations[name]
        return isinstance(found, PostgresRelation) and found.computed

    def _written_without_parts(self, node: exp.Expr, relation: str | None) -> exp.Expr | None:
        operand = rounded_operand(node)
        if operand is not None and not _of_column(operand):
            return self._clipped(node, operand)
        return (
            node if isinstance(node, exp.Values) else super()._written_without_parts(node, relation)
        )

    def _clipped(self, node: exp.Expr, found: exp.Expr) -> exp.Expr:
        """Grid steps between bounds: the rounded value, which is written often, computed once."""
        body = node.transform(lambda part: raw_sql("a") if part == found else part)
        return raw_sql(computed_once({"a": _sql(self._written(found, None))}, _sql(body)))

    # ------------------------------------------------------------------ relations and texts

    def _table(self, node: exp.Table) -> exp.Expr:
        found = self._relations.get(node.name)
        if isinstance(found, PostgresRelation):
            # All rows are read as they are declared, and only then does a condition choose.
            every = f"({found.text(found.columns)} OFFSET 0)"
            found = _aside(node.name) if found.computed else every
        return node if found is None else raw_sql(f"{found} AS {node.name}")

    def _cased(self, node: exp.Lower | exp.Upper) -> exp.Expr:
        text = self._lettered(type(node).__name__.upper(), _sql(node.this))
        if isinstance(node, exp.Upper):
            text = f"REPLACE({text}, 'ß', 'ẞ')"
        return raw_sql(f'({text} COLLATE "C")')

    def _ilike(self, node: exp.ILike) -> exp.Expr:
        sides = [self._lettered("LOWER", _sql(side)) for side in (node.this, node.expression)]
        return raw_sql(f"{sides[0]} LIKE {sides[1]} ESCAPE ''")

    def _lettered(self, function: str, text: str) -> str:
        if self._letters is None:
            raise not_offered_here(
                "small and large letters (LOWER, UPPER, ILIKE)",
                "the server has no collation that knows those of Unicode (pg_c_utf8 or C.utf8)",
            )
        return f'{function}(({text}) COLLATE "{self._letters}")'

    # ------------------------------------------------------------------ numbers

    def _sum(self, node: exp.Sum) -> exp.Expr:
        if any(map(is_wide, node.find_all(exp.Cast))):
            return node
        # The sum of 32-bit numbers would have 64 bits; that of 64-bit numbers has any number.
        return raw_sql(f"SUM(CAST({_sql(node.this)} AS BIGINT))")

    def _nullif(self, node: exp.Nullif) -> exp.Expr:
        for_nan = isnan(float_node(node.expression) or 0.0)
        if isinstance(node.this, exp.Column) and for_nan:
            column: exp.Expr = node.this  # no column has NaN
            return column
        if isinstance(node.this, _ARITHMETIC):
            calculated = _calculated(node.this)
            node.set("this", raw_sql(calculated if for_nan else _without_nan(calculated)))
        return node

    def _arithmetic(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node.parent, exp.Nullif) and node.arg_key == "this":
            return node  # the parent has it written
        if node.meta.get(FLOAT):  # NaN is larger than all else here, and would pass for infinite
            return raw_sql(_without_nan(_calculated(node)))
        floats = any(is_double(side) for side in (node.this, node.expression))
        return raw_sql(f"({_calculated(node)})") if floats else node


def _aside(relation: str) -> str:
    return f"read_{relation}"


def not_offered_here(what: str, why: str) -> QueryError:
    """The refusal of a construct that PostgreSQL is not asked to compute."""
    return not_offered("PostgreSQL", what, why)


def _calculated(node: exp.Expr) -> str:
    """An operation on floats that cannot fail."""
    left, right = unnested(node.this), unnested(node.expression)
    first, second = float_node(left), float_node(_divisor(right))
    if node.find(exp.AggFunc):  # at most 2^63 rows between bounds of at most 10^100
        return f"{_sql(node.this)} {_SIGNS[type(node)]} {_sql(node.expression)}"
    if isinstance(node, exp.Mod):
        return _remainder(left, second)
    sign = _SIGNS[type(node)]
    if first is None and second is None:
        return _general(node, left, right)
    if isinstance(node, exp.Add | exp.Sub):
        sides = [one for one in (first, second) if one is not None]
        if max(map(abs, sides)) < _SAFE_TERM:
            return f"{_inner(left)} {sign} {_inner(right)}"
        return _general(node, left, right)
    if second is not None and second != 0:
        held = second
        function: Callable[[float], float] = (
            (lambda size: size * held) if isinstance(node, exp.Mul) else (lambda size: size / held)
        )
        return _of(left, lambda x: increasing(x, function, f"{x} {sign} {float_literal(held)}"))
    if first is not None and first != 0 and second is None:
        fixed = first
        if isinstance(node, exp.Mul):
            return _of(
                right,
                lambda x: increasing(x, lambda size: size * fixed, f"{float_literal(fixed)} * {x}"),
            )
        return _of(
            right,
            lambda x: decreasing(x, lambda size: fixed / size, f"{float_literal(fixed)} / {x}"),
        )
    return f"{_inner(left)} {sign} {_inner(right)}"  # by zero, or of it


def _general(node: exp.Expr, left: exp.Expr, right: exp.Expr) -> str:
    guard = multiplied if isinstance(node, exp.Mul) else divided
    other = f"-({_sql(right)})" if isinstance(node, exp.Sub) else _sql(right)
    if isinstance(node, exp.Add | exp.Sub):
        guard = added
    return computed_once({"a": as_float(_sql(left)), "b": as_float(other)}, guard("a", "b"))


def _remainder(value: exp.Expr, divisor: float | None) -> str:
    if divisor is None or not divisor.is_integer() or abs(divisor) > EXACT:
        raise not_offered_here(
            "remainders by anything but a written whole number (%, MOD)",
            "its remainder of floats is not exact",
        )
    if divisor == 0:
        return "NULL::double precision"
    return _of(value, lambda x: remainder(x, int(divisor)))


def _divisor(node: exp.Expr) -> exp.Expr:
    """A divisor without the question whether it is zero, where it is written."""
    if isinstance(node, exp.Nullif) and float_node(node.this) is not None:
        return unnested(node.this)
    return node


def _exp(_: PostgresWriter, node: exp.Exp) -> exp.Expr:
    return raw_sql(_of(node.this, exponential))


def _pow(_: PostgresWriter, node: exp.Pow) -> exp.Expr:
    power = float_node(node.expression)
    if power is None:
        raise TypeError("a power is written")
    return raw_sql(f"({_of(unnested(node.this), lambda x: raised_to(x, power))})")


# ---------------------------------------------------------------------- texts, dates and casts


def _string(_: PostgresWriter, node: exp.Literal) -> exp.Expr:
    return raw_sql(f'({_sql(node)} COLLATE "C")') if node.is_string else node


def _like(_: PostgresWriter, node: exp.Like) -> exp.Expr:
    return raw_sql(f"{_sql(node.this)} LIKE {_sql(node.expression)} ESCAPE ''")


def _trim(_: PostgresWriter, node: exp.Trim) -> exp.Expr:
    return raw_sql(f"BTRIM({_sql(node.this)}, '{SPACES}')")


def _function(_: PostgresWriter, node: exp.Anonymous) -> exp.Expr:
    parts = [_sql(part) for part in node.expressions]
    if node.name == "CONTAINS":
        return raw_sql(f"(STRPOS({parts[0]}, {parts[1]}) > 0)")
    if node.name == "DATE_TRUNC":
        return raw_sql(f"DATE_TRUNC({parts[0]}, CAST({parts[1]} AS TIMESTAMP))")
    return node


def _days(_: PostgresWriter, node: exp.DateDiff) -> exp.Expr:
    return raw_sql(f"({_sql(node.this)} - {_sql(node.expression)})")


def _cast(_: PostgresWriter, node: exp.Cast) -> exp.Expr:
    if is_wide(node):
        return decimal_cast(node)
    if node.to.this is not exp.DataType.Type.TEXT:
        return node
    if isinstance(node.this, exp.Column):
        return raw_sql(_as_text(_sql(node.this)))
    return raw_sql(computed_once({"a": _sql(node.this)}, _as_text("a")))


def _as_text(value: str) -> str:
    """A value as DuckDB writes it: floats are never without a point or an exponent.

    By this text some of a person's rows are chosen.  Beyond 2^53 a float may be written with other
    digits here than there, and other rows of that person be chosen.
    """
    text = f"({value})::text"
    decimal = f"({text})::numeric::text"
    pointed = f"CASE WHEN {decimal} LIKE '%.%' THEN {decimal} ELSE {decimal} || '.0' END"
    return (
        f"CASE WHEN PG_TYPEOF({value}) <> 'double precision'::regtype THEN {text} "
        f"WHEN {text} LIKE '%Inf%' THEN REPLACE({text}, 'Infinity', 'inf') "
        f"WHEN {text} LIKE '%e+15' THEN {pointed} "
        f"WHEN {text} LIKE '%.%' OR {text} LIKE '%e%' THEN {text} "
        f"ELSE {text} || '.0' END"
    )


def _try_cast(_: PostgresWriter, node: exp.TryCast) -> exp.Expr:
    if node.to.this is not exp.DataType.Type.BIGINT:
        raise not_offered_here("casts of texts", "they are read in another way, and can fail")
    return exp.Cast(this=node.this, to=node.to)  # it stands behind the question whether it fits


def _whole_division(_: PostgresWriter, node: exp.IntDiv) -> exp.Expr:
    if is_wide(node.this):  # a quotient of decimals would have a fraction
        return raw_sql(f"DIV({_sql(node.this)}, {_sql(node.expression)})")
    return raw_sql(f"({_sql(node.this)} / {_sql(node.expression)})")


# ---------------------------------------------------------------------- parts


def _sql(node: exp.Expr) -> str:
    return node.sql("postgres", copy=False)


def _inner(node: exp.Expr) -> str:
    return f"({_sql(node)})"


def _of(operand: exp.Expr, written: Callable[[str], str]) -> str:
    """The SQL of an expression of one operand, which is computed once."""
    if isinstance(operand, exp.Column) or float_node(operand) is not None:
        return written(_sql(operand))
    return computed_once({"a": as_float(_sql(operand))}, written("a"))


def _of_column(found: exp.Floor) -> bool:
    """Whether what is scaled and rounded is a column: to write that often costs nothing."""
    scaled = unnested(found.this.this)
    return isinstance(unnested(scaled.this), exp.Column)


def _without_nan(text: str) -> str:
    return f"NULLIF({text}, 'NaN'::double precision)"


_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
PostgresWriter.rules = {
    exp.Table: PostgresWriter._table,
    exp.Lower: PostgresWriter._cased,
    exp.Upper: PostgresWriter._cased,
    exp.ILike: PostgresWriter._ilike,
    exp.Like: _like,
    exp.Trim: _trim,
    exp.Anonymous: _function,
    exp.Literal: _string,
    exp.Cast: _cast,
    exp.TryCast: _try_cast,
    exp.DateDiff: _days,
    exp.IntDiv: _whole_division,
    exp.Sum: PostgresWriter._sum,
    exp.Nullif: PostgresWriter._nullif,
    exp.Exp: _exp,
    exp.Pow: _pow,
    **dict.fromkeys(_ARITHMETIC, PostgresWriter._arithmetic),
}
