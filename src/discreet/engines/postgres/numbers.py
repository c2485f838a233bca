"""Float arithmetic that cannot fail: what overflows is infinite, what underflows is zero.

PostgreSQL raises an error where the result of an operation leaves the floats, so that whether a
question is answered would tell something about a row.  Here every operation first asks whether it
will, by numbers that were scaled by powers of two, which is exact.  Operands are floats without
NaN, or NULL.
"""

import math
import struct
from collections.abc import Callable

_LEAST, _INFINITE = 1, 0x7FF0000000000000
INFINITY = "'Infinity'::double precision"


def float_literal(value: float) -> str:
    """A float as PostgreSQL writes it."""
    text = repr(value).replace("inf", "Infinity")
    return f"'{text}'::double precision"


def computed_once(operands: dict[str, str], body: str) -> str:
    """A body that may name its operands often, while each of them is computed once."""
    listed = ", ".join(f"{text} AS {name}" for name, text in operands.items())
    return f"(SELECT {body} FROM (SELECT {listed} OFFSET 0) AS operands)"


def as_float(text: str) -> str:
    """A value as a float: a written NULL has no type of its own."""
    return f"CAST({text} AS DOUBLE PRECISION)"


def added(a: str, b: str) -> str:
    """a + b."""
    limit = float_literal(1e290)
    large = f"ABS({a}) >= {limit} AND ABS({b}) >= {limit} AND ({a} > 0) = ({b} > 0)"
    finite = f"ABS({a}) < {INFINITY} AND ABS({b}) < {INFINITY}"
    half = f"ABS({a} * {float_literal(0.5)} + {b} * {float_literal(0.5)})"
    beyond = (
        f"CASE WHEN {half} < {float_literal(2.0**1023)} THEN {a} + {b} "
        f"WHEN {a} > 0 THEN {_infinite('')} ELSE {_infinite('-')} END"
    )
    return f"CASE WHEN {large} AND {finite} THEN {beyond} ELSE {a} + {b} END"


def multiplied(a: str, b: str) -> str:
    """a · b; one that lies between 2^-1075 and the next float above may be zero."""
    plain = f"{a} = 0 OR {b} = 0 OR ABS({a}) = {INFINITY} OR ABS({b}) = {INFINITY}"
    large = f"ABS({a}) >= 1 AND ABS({b}) >= 1"
    small = f"ABS({a}) < 1 AND ABS({b}) < 1"
    tiny = f"ABS({a}) < {float_literal(2.0**-538)} AND ABS({b}) < {float_literal(2.0**-538)}"
    over = f"{_scaled(a, -512)} * {_scaled(b, -512)} >= 1"
    under = f"{_scaled(a, 500)} * {_scaled(b, 500)} <= {float_literal(2.0**-75)}"
    return (
        f"CASE WHEN {plain} THEN {a} * {b} "
        f"WHEN {large} THEN CASE WHEN {over} THEN {_signed(a, b)} ELSE {a} * {b} END "
        f"WHEN {small} THEN CASE WHEN {tiny} THEN {float_literal(0.0)} "
        f"WHEN {under} THEN {float_literal(0.0)} ELSE {a} * {b} END "
        f"ELSE {a} * {b} END"
    )


def divided(a: str, b: str) -> str:
    """a / b, where b is not zero; a quotient just above 2^-1075 may be zero."""
    under = f"{_scaled(a, 520)} / {_scaled(b, -520)} <= {float_literal(2.0**-35)}"
    far = f"{_scaled(a, -537)} / {_scaled(b, 537)} >= {float_literal(2.0**-50)}"
    near = f"ABS({a}) / {_scaled(b, 100)} >= {float_literal(2.0**924)}"
    least = float_literal(2.0**-50)
    return (
        f"CASE WHEN ABS({b}) = {INFINITY} "
        f"THEN CASE WHEN ABS({a}) < {INFINITY} THEN {float_literal(0.0)} END "
        f"WHEN {a} = 0 OR ABS({a}) = {INFINITY} THEN {a} / {b} "
        f"WHEN ABS({b}) >= 1 THEN CASE WHEN ABS({a}) >= {least} THEN {a} / {b} "
        f"WHEN {under} THEN {float_literal(0.0)} ELSE {a} / {b} END "
        f"WHEN ABS({a}) >= 1 THEN CASE WHEN {far} THEN {_signed(a, b)} ELSE {a} / {b} END "
        f"WHEN ABS({a}) >= {least} "
        f"THEN CASE WHEN {near} THEN {_signed(a, b)} ELSE {a} / {b} END "
        f"ELSE {a} / {b} END"
    )


def increasing(
    x: str, function: Callable[[float], float], written: str, *, odd: bool = True
) -> str:
    """An operation on x whose size grows with that of x: both thresholds are known exactly.

    ``odd``: its sign is that of x times that of its value at 1; otherwise it is never negative.
    """
    over = _first(lambda size: abs(function(size)) == math.inf)
    nonzero = _first(lambda size: function(size) != 0)
    return _between(x, over, nonzero, function(1.0) > 0, written, odd=odd)


def decreasing(
    x: str, function: Callable[[float], float], written: str, *, odd: bool = True
) -> str:
    """An operation on x, not zero, whose size shrinks as that of x grows."""
    finite = _first(lambda size: abs(function(size)) < math.inf)
    zero = _first(lambda size: function(size) == 0)
    sign = "" if function(1.0) > 0 else "-"
    other = sign if not odd else "-" if not sign else ""
    below = (
        f"WHEN ABS({x}) < {float_literal(finite)} THEN CASE WHEN {x} > 0 THEN {_infinite(sign)} "
        f"WHEN {x} < 0 THEN {_infinite(other)} END "
    )
    return (
        f"CASE {below if finite > _float(_LEAST) else ''}"
        f"WHEN ABS({x}) >= {float_literal(zero)} THEN {float_literal(0.0)} ELSE {written} END"
    )


def remainder(x: str, divisor: int) -> str:
    """The remainder of x by a whole number, of the sign of x; NULL from 2^63 on.

    What stands behind the point is taken off and put back, both of which are exact.
    """
    whole = f"(TRUNC({x})::bigint % '{divisor}'::bigint)::double precision"
    return f"CASE WHEN ABS({x}) < {float_literal(2.0**63)} THEN {whole} + ({x} - TRUNC({x})) END"


def exponential(x: str) -> str:
    """exp(x): infinite above 709.78 and zero below -708, short of where C libraries may differ."""
    return (
        f"CASE WHEN {x} > {float_literal(709.78)} THEN {INFINITY} "
        f"WHEN {x} < {float_literal(-708.0)} THEN {float_literal(0.0)} ELSE EXP({x}) END"
    )


def raised_to(x: str, power: float) -> str:
    """x to a written power: infinite beyond 1.79e308, zero where it is no longer a full float."""
    if power == 0:
        return f"CASE WHEN {x} IS NOT NULL THEN {float_literal(1.0)} END"
    if power == 1:
        return x

    def function(size: float) -> float:
        try:
            found = math.pow(size, power)
        except OverflowError:
            return math.inf
        return math.inf if found > 1.79e308 else 0.0 if found < 2.3e-308 else found

    written = f"POWER({x}, {float_literal(power)})"
    shape = increasing if power > 0 else decreasing
    return shape(x, function, written, odd=power % 2 == 1)


def _between(
    x: str, over: float, nonzero: float, positive: bool, written: str, *, odd: bool
) -> str:
    sign = "" if positive else "-"
    other = sign if not odd else "-" if positive else ""
    small = f"WHEN ABS({x}) < {float_literal(nonzero)} THEN {float_literal(0.0)} "
    return (
        f"CASE WHEN {x} >= {float_literal(over)} THEN {_infinite(sign)} "
        f"WHEN {x} <= {float_literal(-over)} THEN {_infinite(other)} "
        f"{small if nonzero > _float(_LEAST) else ''}ELSE {written} END"
    )


def _first(holds: Callable[[float], bool]) -> float:
    """The least positive float from which on a condition holds; infinity is one."""
    low, high = _LEAST, _INFINITE
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(_float(middle)) else (middle + 1, high)
    return _float(low)


def _float(bits: int) -> float:
    found: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return found


def _scaled(x: str, exponent: int) -> str:
    return f"ABS({x} * {float_literal(2.0**exponent)})"


def _signed(a: str, b: str) -> str:
    return f"CASE WHEN ({a} > 0) = ({b} > 0) THEN {_infinite('')} ELSE {_infinite('-')} END"


def _infinite(sign: str) -> str:
    return f"'{sign}Infinity'::double precision"
