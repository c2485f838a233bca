"""Which ledger a command is about: a path, an address, or the custodian's TOML file."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import DataError
from discreet.ledger import Ledger

_MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class Place:
    """A ledger, and the data set that the TOML file names, if it was one."""

    ledger: str
    dataset: str | None = None

    @staticmethod
    def read(argument: str) -> "Place":
        """What the user wrote, as a place."""
        if not argument.endswith(".toml"):
            return Place(argument)
        path = Path(argument)
        try:
            declared = tomllib.loads(path.read_text("utf-8"))
        except ValueError:
            raise DataError(
                f"{argument} is not TOML. It is where the custodian declares a table. Name the "
                "ledger itself, or correct the file."
            ) from None
        ledger, name = declared.get("ledger"), declared.get("name", path.stem)
        if not isinstance(ledger, str) or ledger == _MEMORY or not isinstance(name, str):
            raise DataError(
                f"{argument} names no ledger that could be opened. Only a ledger in a file or a "
                'database outlives its process. Write ledger = "visits.ledger", or name the '
                "ledger itself."
            )
        return Place(ledger if "://" in ledger else str(path.parent / ledger), name)

    def open_to_read(self) -> Ledger:
        """The ledger; it must be there."""
        return Ledger(self.ledger, read_only=True)

    def open_to_write(self) -> Ledger:
        """The ledger; it must be there: a slip in its name makes no new one."""
        self.open_to_read().close()
        return Ledger(self.ledger)
