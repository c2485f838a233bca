"""How exact an answer will be, before anything is paid; and the least ε that is exact enough.

Accuracy first: the least ε, to two digits, that meets the margins asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from discreet.errors import BudgetExhaustedError, Front, QueryError, Remedy
from discreet.exact import decimal_text, rational
from discreet.measures.measure import Measure, Output
from discreet.privacy.estimate import Release
from discreet.privacy.losses import PureDP
from discreet.question.check import Question
from discreet.release.price import Price, price, price_alone

_LEAST, _MOST = -6, 3  # powers of ten between which ε is looked for
_DIGITS = 90  # two-digit numbers per power of ten: 10 to 99


_NEEDS_ROWS = Remedy(
    python="needs expect_rows=", sql="needs a number of rows", command="needs --expect-rows"
)


@dataclass(frozen=True, slots=True)
class Margin:
    """A half width at 95%, in the answer's own unit; or, for quantiles, in rows of rank."""

    value: float | None
    of_rank: bool = False
    exact: bool = False

    @property
    def text(self) -> str:
        """As it stands in a plan.

        >>> Margin(3).text, Margin(12.5, of_rank=True).text, Margin(None).text
        ('± 3', 'rank ± 12 rows', 'needs expect_rows=')
        """
        return self.told(Front.PYTHON)

    def told(self, front: Front) -> str:
        """As it stands in a plan that a front shows."""
        if self.exact:
            return "exact"
        if self.value is None:
            return _NEEDS_ROWS.text(front)
        if self.value == inf:
            return "± ∞"
        if self.of_rank:
            return f"rank ± {self.value:,.0f} rows"
        return f"± {self.value:,.3g}" if self.value < 1000 else f"± {self.value:,.0f}"


def margin(
    output: Output, question: Question, price: Price, expect_rows: int | None = None
) -> Margin:
    """The margin that an output will have in each group.

    Means and variances have a margin only for a number of rows, which is private: it is stated
    for ``expect_rows`` rows in a group, all at one end of the range, where means are least exact.
    """
    noisy = output.measure.expected(output, question.unit, expect_rows)
    if noisy is None:
        return Margin(None)
    payment = Release(PureDP(epsilon=price.epsilon))
    [found] = price.estimates(output, [noisy], question, payment, expect_rows)
    if found.rank_error is not None:
        return Margin(found.rank_error, of_rank=True)
    return Margin(found.margin, exact=found.exact)


def reach_text(output: Output, question: Question) -> str:
    """How far one unit can move an output over all groups together, in its own unit."""
    measure, unit = output.measure, question.unit
    size = measure.sensitivity(unit).l1 * measure.step(unit)
    return f"{float(size):,.6g}{measure.moves}"


def least_epsilon(
    question: Question,
    delta: Fraction,
    wanted: Mapping[str, object],
    weights: Mapping[Measure, Fraction] | None = None,
    expect_rows: int | None = None,
    ceiling: Fraction | None = None,
) -> Price:
    """The price with the least ε of two significant digits at which every margin is met."""
    outputs = _read(question, wanted, expect_rows)
    shares = weights or _own_shares(question, delta, outputs, expect_rows)

    def meets(epsilon: Fraction) -> bool:
        priced = price(question, epsilon, delta, shares)
        return all(
            (margin(output, question, priced, expect_rows).value or 0) <= bound
            for output, bound in outputs.items()
        )

    found = _least(meets)
    if ceiling is not None and (found is None or found > ceiling):
        needed = "more than 1000" if found is None else decimal_text(found)
        raise BudgetExhaustedError(
            f"the margins need ε = {needed}, and the ceiling is {decimal_text(ceiling)}. A smaller "
            "error costs more privacy. Allow a larger margin or a larger epsilon. Nothing was "
            "read or spent."
        )
    if found is None:
        raise QueryError(
            "no ε up to 1000 meets the margins. What is so exact protects nobody. Allow larger "
            "margins."
        )
    return price(question, found, delta, shares)


def _least(meets: Callable[[Fraction], bool]) -> Fraction | None:
    low, high = 0, (_MOST - _LEAST) * _DIGITS
    if not meets(_two_digits(high)):
        return None
    while low < high:
        middle = (low + high) // 2
        if meets(_two_digits(middle)):
            high = middle
        else:
            low = middle + 1
    return _two_digits(low)


def _two_digits(place: int) -> Fraction:
    """The numbers of two significant digits in order: 1.0e-6, 1.1e-6, …, 9.9e-6, 1.0e-5, …

    >>> _two_digits(0), _two_digits(89), _two_digits(90)
    (Fraction(1, 1000000), Fraction(99, 10000000), Fraction(1, 100000))
    """
    power, digits = divmod(place, _DIGITS)
    return Fraction(10 + digits, 10) * Fraction(10) ** (power + _LEAST)


def _own_shares(
    question: Question,
    delta: Fraction,
    outputs: Mapping[Output, Fraction],
    expect_rows: int | None,
) -> dict[Measure, Fraction] | None:
    """Where every measure has a margin, each gets the share of ε that its own margin needs."""
    measures = {output.measure for output in outputs}
    if question.selects_keys or measures != set(question.measures):
        return None
    shares = {}
    for measure in question.measures:
        own = [pair for pair in outputs.items() if pair[0].measure == measure]

        def meets(
            epsilon: Fraction,
            measure: Measure = measure,
            own: list[tuple[Output, Fraction]] = own,
        ) -> bool:
            priced = price_alone(measure, question.unit, epsilon, delta)
            return all(
                (margin(output, question, priced, expect_rows).value or 0) <= bound
                for output, bound in own
            )

        found = _least(meets)
        if found is None:
            return None
        shares[measure] = found
    return shares


def _read(
    question: Question, wanted: Mapping[str, object], expect_rows: int | None
) -> dict[Output, Fraction]:
    outputs = {output.name: output for output in question.outputs}
    if not wanted:
        raise QueryError(
            "margin names no output. It says how large the error of each may be at 95%.",
            Remedy(
                python='Write margin={"patients": 5}.',
                sql="Name one, with its size.",
                command="Write --margin patients=5.",
            ),
        )
    found = {}
    probed = price(question, Fraction(1), Fraction(1, 10**6))
    for name, bound in wanted.items():
        if name not in outputs:
            raise QueryError(
                f"margin names {name!r}, which is not asked. Its names are those of the outputs: "
                f"{', '.join(outputs)}. Correct the name."
            )
        number = rational(bound, f"the margin of {name}")
        if number <= 0:
            raise QueryError(
                f"the margin of {name!r} is not above 0. A private answer always has an error. Use "
                "a larger one."
            )
        output = outputs[name]
        probe = margin(output, question, probed, None)
        if probe.value is None and expect_rows is None:
            raise QueryError(
                f"{name!r} has a margin only for a number of rows, which is private.",
                Remedy(
                    python="State how many rows a group is expected to have: .plan(margin=…, "
                    "expect_rows=1000).",
                    sql="State how many rows a group is expected to have.",
                    command="State how many rows a group is expected to have: --expect-rows 1000.",
                ),
            )
        found[output] = number
    noisy = any(not measure.free for measure in question.measures)
    if noisy and all(output.measure.free for output in found):
        raise QueryError(
            f"margin names only {next(iter(wanted))!r}, which is exact and costs nothing. ε "
            "follows from the margins of what has noise.",
            Remedy(
                python="Name another output too, or give epsilon.",
                command="Name another output too, or give --epsilon.",
            ),
        )
    return found
