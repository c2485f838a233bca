"""Several private numbers that were released together."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

from discreet.errors import DataError
from discreet.exact import rational
from discreet.privacy.estimate import Estimate, Loss, total_loss
from discreet.privacy.uncertainty import Interval
from discreet.text_table import aligned


@dataclass(frozen=True, eq=False)
class Estimates(Mapping[Any, Estimate]):
    """Estimates keyed by bin, category or quantile, in public order."""

    label: str
    cells: Mapping[Hashable, Estimate]

    def __getitem__(self, key: Hashable) -> Estimate:
        return self.cells[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def loss(self) -> Loss:
        """What all of them cost together: one release, not one per cell."""
        return total_loss(
            tuple(release for estimate in self.values() for release in estimate.releases)
        )

    def simultaneous(self, confidence: object = Fraction(95, 100)) -> dict[Any, Interval]:
        """Intervals that hold all at once with at least this probability.

        Each of k intervals may miss with a k-th of the chance that is left, so together they miss
        no more often than that, whether their errors are independent or not.
        """
        level = rational(confidence, "confidence")
        if not 0 < level < 1:
            raise DataError(
                "confidence is not between 0 and 1. It is the probability that all bounds hold. "
                "Use estimates.simultaneous(0.99)."
            )
        each = 1 - (1 - level) / len(self)
        return {name: estimate.interval(each) for name, estimate in self.items()}

    def to_dict(self) -> dict[Any, float]:
        """The values by key."""
        return {name: estimate.value for name, estimate in self.items()}

    def to_pandas(self) -> Any:
        """A DataFrame with the value and its 95% bounds per key, or its rank error."""
        pandas: Any = import_module("pandas")
        columns: dict[str, list[Any]] = {
            self.label: self._names,
            "value": [estimate.value for estimate in self.values()],
        }
        if any(estimate.rank_error is not None for estimate in self.values()):
            columns["rank_error"] = [estimate.rank_error for estimate in self.values()]
        else:
            intervals = [estimate.interval() for estimate in self.values()]
            columns["lower"] = [lower for lower, _ in intervals]
            columns["upper"] = [upper for _, upper in intervals]
        return pandas.DataFrame(columns)

    def plot(self) -> Any:
        """A picture of the values with their 95% intervals."""
        from discreet.plots import estimates_picture

        return estimates_picture(
            [str(name) for name in self._names],
            [float(estimate.value) for estimate in self.values()],
            [estimate.lower for estimate in self.values()],
            [estimate.upper for estimate in self.values()],
            title=f"Value per {self.label}, {self.loss}",
            bars=self.label != "quantile",
        )

    def __repr__(self) -> str:
        texts = (estimate.text for estimate in self.values())
        rows = list(zip(map(str, self._names), texts, strict=True))
        return "\n".join([*aligned(rows), f"together {self.loss}"])

    @property
    def _names(self) -> list[Any]:
        """The keys as they are shown: bins are half open, the last one is closed."""
        names: list[Any] = list(self)
        if self.label != "bin":
            return names
        closed = [")"] * (len(names) - 1) + ["]"]
        return [f"[{low}, {high}{end}" for (low, high), end in zip(names, closed, strict=True)]
