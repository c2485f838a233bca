"""What a run of questions has cost so far, in sums that hold under adaptive asking.

``charge`` is what one event adds.  All three sums speak of one and the same split of the event's
law into a part of weight 1 - δ and a rest of weight δ: the part is ε-DP *and* ρ-zCDP.  That is what
the filter's proof needs: docs/proofs/filters.md
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

from discreet.accounting.composition import simple_loss
from discreet.accounting.zcdp import concentration, pure_rho
from discreet.errors import PrivacyParameterError
from discreet.exact import round_up
from discreet.privacy.event_data import Data, rational_from_text, rational_to_text
from discreet.privacy.events import Event, SimpleEvent, counted

_LONGEST = 1024
_LONG = 1 << (_LONGEST - 1)
_STEP = Fraction(1, 1 << _LONGEST)
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums of ε, δ and ρ; ``epsilon`` is None once an event took part that bounds no ε.

    Sums are exact.  Only a denominator of more than 1024 bits is rounded, and then upward.

    >>> Totals(epsilon=Fraction(1, 10)) + Totals(epsilon=Fraction(2, 10))
    Totals(epsilon=3/10, delta=0, rho=0)
    """

    epsilon: Fraction | None = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        epsilon = self.epsilon
        signs = (self.delta.numerator, self.rho.numerator, epsilon.numerator if epsilon else 0)
        if min(signs) < 0:
            raise PrivacyParameterError(
                "a total is negative. Nothing that was spent comes back. Start from Totals()."
            )

    def __repr__(self) -> str:
        return f"Totals(epsilon={self.epsilon}, delta={self.delta}, rho={self.rho})"

    def __add__(self, other: "Totals") -> "Totals":
        epsilon = None
        if self.epsilon is not None and other.epsilon is not None:
            epsilon = _sum(self.epsilon, other.epsilon)
        total = object.__new__(Totals)  # sums of what is not negative need no look at their signs
        _set_epsilon(total, epsilon)
        _set_delta(total, _sum(self.delta, other.delta))
        _set_rho(total, _sum(self.rho, other.rho))
        return total

    def times(self, count: int) -> "Totals":
        """The same, ``count`` times."""
        epsilon = None if self.epsilon is None else _short(count * self.epsilon)
        return Totals(
            epsilon=epsilon, delta=_short(count * self.delta), rho=_short(count * self.rho)
        )

    def to_data(self) -> Data:
        """Plain data, for a ledger.

        >>> Totals(epsilon=None, rho=Fraction(1, 8)).to_data()
        {'version': 1, 'epsilon': None, 'delta': '0/1', 'rho': '1/8'}
        """
        epsilon = None if self.epsilon is None else rational_to_text(self.epsilon)
        return {
            "version": _VERSION,
            "epsilon": epsilon,
            "delta": rational_to_text(self.delta),
            "rho": rational_to_text(self.rho),
        }

    def to_json(self) -> str:
        """What ``to_data`` gives, as JSON with sorted keys and no blanks.

        >>> Totals(epsilon=None, rho=Fraction(1, 8)).to_json()
        '{"delta":"0/1","epsilon":null,"rho":"1/8","version":1}'
        """
        (delta, one), (rho, two) = self.delta.as_integer_ratio(), self.rho.as_integer_ratio()
        written = "null"
        if self.epsilon is not None:
            epsilon, three = self.epsilon.as_integer_ratio()
            written = f'"{epsilon}/{three}"'
        return (
            f'{{"delta":"{delta}/{one}","epsilon":{written},"rho":"{rho}/{two}",'
            f'"version":{_VERSION}}}'
        )

    @staticmethod
    def from_data(data: object) -> "Totals":
        """The totals that ``to_data`` wrote; anything else is refused."""
        names = {"version", "epsilon", "delta", "rho"}
        if not isinstance(data, Mapping) or set(data) != names or data["version"] != _VERSION:
            raise PrivacyParameterError(
                "these are not totals that this version wrote. A record is read only if its "
                "meaning is certain. Add the events up again, or use a newer discreet."
            )
        written = data["epsilon"]
        return Totals(
            epsilon=None if written is None else rational_from_text(written, "epsilon"),
            delta=rational_from_text(data["delta"], "delta"),
            rho=rational_from_text(data["rho"], "rho"),
        )


_set_epsilon, _set_delta, _set_rho = (
    getattr(Totals, name).__set__ for name in ("epsilon", "delta", "rho")
)


def charge(event: Event) -> Totals:
    """What an event adds to the totals.

    >>> from discreet.privacy.events import GaussianEvent, PureEvent, RepeatedEvent
    >>> charge(RepeatedEvent(event=PureEvent(epsilon="1/1000"), count=10)).epsilon
    Fraction(1, 100)
    >>> charge(GaussianEvent.of(sigma=2))
    Totals(epsilon=None, delta=0, rho=1/8)
    """
    total = Totals()
    for simple, count in counted(event).items():
        total += _simple_charge(simple).times(count)
    return total


@lru_cache(maxsize=4096)
def _simple_charge(event: SimpleEvent) -> Totals:
    loss, concentrated = simple_loss(event), concentration(event)
    if loss is None:
        return Totals(epsilon=None, delta=concentrated.delta, rho=concentrated.rho)
    if loss.delta == 0 and concentrated.delta == 0:  # nothing is split off: both hold of the law
        return Totals(epsilon=loss.epsilon, rho=concentrated.rho)
    # The part of weight 1 - δ is ε-DP, and what zCDP follows from that holds of the same part.
    return Totals(epsilon=loss.epsilon, delta=loss.delta, rho=pure_rho(loss.epsilon))


def _sum(value: Fraction, more: Fraction) -> Fraction:
    # A ledger adds for every question, most of which have no δ; Fraction's own + takes longer.
    extra, parts = more.as_integer_ratio()
    if not extra:
        return value
    whole, into = value.as_integer_ratio()
    common = lcm(into, parts)
    total = Fraction(whole * (common // into) + extra * (common // parts), common)
    return total if common < _LONG else _short(total)


def _short(value: Fraction) -> Fraction:
    return value if value.denominator.bit_length() <= _LONGEST else round_up(value, _STEP)
