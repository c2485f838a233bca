"""What a message writes as an example: a question and a condition that hold for this table."""

from dataclasses import dataclass

from discreet.plan.columns import Boolean, Category
from discreet.plan.expressions import quoted_name
from discreet.plan.schema import Schema, example_condition, example_equality

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Example:
    """Names of the declared tables; without a schema, names that stand for any."""

    schema: Schema | None = None

    @property
    def table(self) -> str:
        """The table that is asked about."""
        return "a_table" if self.schema is None else quoted_name(self.schema.name)[:_LONGEST]

    @property
    def question(self) -> str:
        """A SELECT, by groups where a column has public ones."""
        by = self._column(Category) or self._column(Boolean)
        if by is None:
            return f"SELECT COUNT(*) FROM {self.table}"
        return f"SELECT {by}, COUNT(*) FROM {self.table} GROUP BY {by}"

    @property
    def condition(self) -> str:
        """A condition on a row."""
        return example_condition({} if self.schema is None else self.schema.columns)

    @property
    def equality(self) -> str:
        """A condition that chooses one group."""
        return example_equality({} if self.schema is None else self.schema.columns)

    @property
    def share(self) -> str:
        """A share of the total, asked in one question."""
        return f"100 * COUNT(*) FILTER (WHERE {self.equality}) / COUNT(*)"

    def _column(self, kind: type[Boolean] | type[Category]) -> str | None:
        columns = {} if self.schema is None else self.schema.columns
        for name, column in columns.items():
            if isinstance(column, kind) and len(name) <= _LONGEST:
                return quoted_name(name)
        return None
