"""Several private numbers that were released together."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.exact import rational
from discreet.privacy.estimate import Estimate, Interval, Loss


@dataclass(frozen=True, eq=False)
class Estimates(Mapping[Any, Estimate]):
    """Estimates keyed by bin, category or quantile, in public order."""

    label: str
    items_: tuple[tuple[Hashable, Estimate], ...]

    def __getitem__(self, key: object) -> Estimate:
        for name, estimate in self.items_:
            if name == key:
                return estimate
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return (name for name, _ in self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    @property
    def loss(self) -> Loss:
        """What all of them cost together: one release, not one per cell."""
        total = self.items_[0][1]
        for _, estimate in self.items_[1:]:
            if estimate.releases != total.releases:
                total = total._with(total.value, total.error, estimate)
        return total.loss

    def simultaneous(self, confidence: object = Fraction(95, 100)) -> dict[Any, Interval]:
        """Intervals that hold all at once with at least this probability.

        The cells' noise is independent, so each interval is taken at confidence^(1/cells),
        rounded up.
        """
        level = rational(confidence, "confidence")
        each = 1 - (1 - level) / len(self) if len(self) else level
        return {name: estimate.interval(each) for name, estimate in self.items_}

    def to_dict(self) -> dict[Any, float]:
        """The values by key."""
        return {name: estimate.value for name, estimate in self.items_}

    def to_pandas(self) -> Any:
        """A DataFrame with the value and its 95% bounds per key."""
        import pandas  # noqa: PLC0415 - a user's own library, loaded when asked for

        return pandas.DataFrame(
            {
                self.label: [_shown(name) for name, _ in self.items_],
                "value": [estimate.value for _, estimate in self.items_],
                "lower": [estimate.lower for _, estimate in self.items_],
                "upper": [estimate.upper for _, estimate in self.items_],
            }
        )

    def plot(self) -> Any:
        """A picture of the values with their 95% intervals."""
        from discreet.plots import estimates_picture  # noqa: PLC0415

        rows = [(str(_shown(name)), estimate) for name, estimate in self.items_]
        return estimates_picture(
            [name for name, _ in rows],
            [float(estimate.value) for _, estimate in rows],
            [None if estimate.lower is None else float(estimate.lower) for _, estimate in rows],
            [None if estimate.upper is None else float(estimate.upper) for _, estimate in rows],
            title=f"{self.label}, {self.loss}",
        )

    def __repr__(self) -> str:
        names = [str(_shown(name)) for name, _ in self.items_]
        width = max((len(name) for name in names), default=0)
        rows = [
            f"{name:<{width}}  {estimate}"
            for name, (_, estimate) in zip(names, self.items_, strict=True)
        ]
        return "\n".join([*rows, f"together {self.loss}"])


def _shown(name: Hashable) -> object:
    return f"[{name[0]}, {name[1]})" if isinstance(name, tuple) and len(name) == 2 else name
