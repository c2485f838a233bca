"""What statements act on: an open table, the price of the next question, and who asks it."""

from dataclasses import replace

from discreet.accounting.filters import cost_text
from discreet.dbapi.errors import InterfaceError
from discreet.dbapi.results import Result
from discreet.dbapi.settings import Settings
from discreet.dbapi.statements import Setting
from discreet.dbapi.values import STRING
from discreet.release.answer import Release
from discreet.release.planned import Plan
from discreet.release.table import Table


class Session:
    """A table and the settings it is asked with, until it is closed."""

    def __init__(self, opened: Table, settings: Settings, *, owned: bool) -> None:
        self.name = opened.name
        self.settings = settings
        self._given = settings
        self._table: Table | None = opened
        self._owned = owned

    @property
    def closed(self) -> bool:
        """Whether nothing is answered any more."""
        return self._table is None

    def opened(self) -> Table:
        """The table; a closed session is refused."""
        if self._table is None:
            raise InterfaceError(
                "the connection is closed. A closed one answers nothing. Open another with "
                "connect(policy)."
            )
        return self._table

    def close(self) -> None:
        """End the session, and close the table if nobody else uses it."""
        if self._table is not None and self._owned:
            self._table.close()
        self._table = None

    def plan(self, question: str) -> Plan:
        """A question at the price that is set.  Nothing is charged."""
        asking = self.opened().ask(question)
        epsilon = None if asking.free else self.settings.price
        return asking.plan(epsilon=epsilon, delta=self.settings.delta)

    def answer(self, question: str) -> Release:
        """The answer to a question, charged at the price that is set."""
        return self.plan(question).release(analyst=self.settings.analyst)

    def change(self, name: Setting, value: str) -> None:
        """Give a setting another value."""
        self.settings = replace(self.settings, **{name: value})

    def reset(self, name: Setting) -> None:
        """Give a setting the value that ``connect`` gave it."""
        self.settings = replace(self.settings, **{name: getattr(self._given, name)})

    def show(self, name: str) -> Result:
        """The budget, or a setting, as one row."""
        if name == "budget":
            budget = self.opened().budget
            row = (cost_text(budget.spent), budget.left)
            return Result({"spent": STRING, "left": STRING}, [row])
        value = getattr(self.settings, name)
        return Result({name: STRING}, [(None if value is None else str(value),)])
