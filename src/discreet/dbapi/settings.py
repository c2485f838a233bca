"""At which price, and in whose name, a connection asks."""

from dataclasses import dataclass

from discreet.dbapi.errors import ProgrammingError
from discreet.ledger.terms import read_name
from discreet.privacy.parameters import read_delta, read_epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What ``SET`` changes: the decimals as they were written, checked when they are set."""

    epsilon: object = None
    delta: object = 0
    analyst: str | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            read_epsilon(self.epsilon)
        read_delta(self.delta)
        if self.analyst is not None:
            read_name(self.analyst, "the analyst")

    @property
    def price(self) -> object:
        """The ε of every question."""
        if self.epsilon is None:
            raise ProgrammingError(
                "no price is set. Every answer costs privacy, and how much is yours to say. Write "
                "SET epsilon = 0.1, or connect(policy, epsilon=0.1). Nothing was spent."
            )
        return self.epsilon
