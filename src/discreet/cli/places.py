"""Which ledger a command is about: a path, an address, or the custodian's TOML file."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.ledger import Ledger
from discreet.ledger.periods import Period
from discreet.ledger.terms import Cap

if TYPE_CHECKING:
    from discreet.policy.file import PolicyFile


@dataclass(frozen=True, slots=True)
class Place:
    """A ledger, and the data set that the TOML file names, if it was one."""

    ledger: str
    dataset: str | None = None
    policy: "PolicyFile | None" = field(default=None, repr=False)

    @staticmethod
    def read(argument: str) -> "Place":
        """What the user wrote, as a place.  Only what names the ledger need be filled in."""
        if not argument.endswith(".toml"):
            return Place(argument)
        from discreet.policy.file import MEMORY, PolicyFile
        from discreet.policy.read import read_name

        policy = PolicyFile.read(argument)
        if policy.fields.get("ledger", MEMORY) == MEMORY:
            raise DataError(
                f"{argument} names no ledger that could be opened. Only a ledger in a file or a "
                'database outlives its process. Write ledger = "visits.ledger", or name the '
                "ledger itself."
            )
        return Place(policy.ledger(), read_name(policy), policy)

    def open_to_read(self) -> Ledger:
        """The ledger; it must be there."""
        return Ledger(self.ledger, read_only=True)

    def open_to_write(self) -> Ledger:
        """The ledger; it must be there: a slip in its name makes no new one."""
        self.open_to_read().close()
        return Ledger(self.ledger)

    def cap(self, budget: str) -> Cap | None:
        """The cap that the TOML file declares as ``budget`` or ``analyst_budget``, if it does."""
        if self.policy is None or budget not in self.policy.fields:
            return None
        from discreet.policy.read import read_budget, read_period

        declared = read_budget(self.policy, budget)
        period = Period.read(read_period(self.policy))
        return None if declared is None else Cap(budget=declared, period=period)
