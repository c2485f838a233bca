"""A table of a PostgreSQL database, by its address."""

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from discreet.errors import SourceError

_SCHEMES = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class PostgresTable:
    """A table or view; the address may hold a password, so that it is never shown."""

    address: str = field(repr=False)
    schema: str | None
    table: str

    @property
    def text(self) -> str:
        """What it is called in messages and certificates."""
        return f"the table {self.table!r} of a PostgreSQL database"


def is_address(source: str) -> bool:
    """Whether a source is the address of a PostgreSQL database."""
    return urlsplit(source).scheme in _SCHEMES if "://" in source else False


def read_address(source: str, table: str | None) -> PostgresTable:
    """The table of ``postgresql://host/database?table=visits``; schemas stand before a dot."""
    parts = urlsplit(source)
    query = parse_qsl(parts.query, keep_blank_values=True)
    named = table or dict(query).get("table")
    if not named:
        raise SourceError(
            "the source is a PostgreSQL database and no table is named. A database holds many. Add "
            "the table to the address: postgresql://host/database?table=visits."
        )
    rest = urlencode([(name, value) for name, value in query if name != "table"])
    schema, dot, name = named.rpartition(".")
    address = urlunsplit((parts.scheme, parts.netloc, parts.path, rest, ""))
    return PostgresTable(address, schema if dot else None, name)
