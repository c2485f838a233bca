"""Which ledger a command is about: a path, an address, or the custodian's TOML file."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.ledger import Ledger
from discreet.ledger.declarations import BudgetCap, Period

if TYPE_CHECKING:
    from discreet.policy.policy_file import PolicyFile


@dataclass(frozen=True, slots=True)
class LedgerLocation:
    """A ledger, and the data set that the TOML file names, if it was one."""

    ledger: str
    dataset: str | None = None
    policy: "PolicyFile | None" = field(default=None, repr=False)

    @staticmethod
    def read(argument: str) -> "LedgerLocation":
        """What the user wrote, as a place.  Only what names the ledger need be filled in."""
        if not argument.endswith(".toml"):
            return LedgerLocation(argument)
        from discreet.policy.policy_file import MEMORY, PolicyFile
        from discreet.policy.reader import read_table_name

        policy = PolicyFile.read(argument)
        if policy.fields.get("ledger", MEMORY) == MEMORY:
            raise DataError(
                f"{argument} names no ledger that could be opened. Only a ledger in a file or a "
                'database outlives its process. Write ledger = "visits.ledger", or name the '
                "ledger itself."
            )
        return LedgerLocation(policy.ledger(), read_table_name(policy), policy)

    def open_to_read(self) -> Ledger:
        """The ledger; it must be there."""
        return Ledger(self.ledger, read_only=True)

    def open_to_write(self) -> Ledger:
        """The ledger; it must be there: a slip in its name makes no new one."""
        self.open_to_read().close()
        return Ledger(self.ledger)

    def cap(self, budget: str) -> BudgetCap | None:
        """The cap that the TOML file declares as ``budget`` or ``analyst_budget``, if it does."""
        if self.policy is None or budget not in self.policy.fields:
            return None
        from discreet.policy.reader import read_budget, read_period

        declared = read_budget(self.policy, budget)
        period = Period.read(read_period(self.policy))
        return None if declared is None else BudgetCap(budget=declared, period=period)
