"""A table of a PostgreSQL database, by its address."""

from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from discreet.errors import SourceError

_SCHEMES = ("postgresql", "postgres")
_SECONDS = 3600
_MOST_SECONDS = 2_000_000


@dataclass(frozen=True, slots=True)
class PostgresTable:
    """A table or view; the address may hold a password, so that it is never shown.

    Without a schema the table is that of ``public``, whatever the role's search path says.
    ``seconds`` is how long one statement may take.
    """

    address: str = field(repr=False)
    schema: str | None
    table: str
    seconds: int = _SECONDS

    @property
    def text(self) -> str:
        """What it is called in messages and certificates."""
        return f"the table {self.table!r} of a PostgreSQL database"


def is_address(source: str) -> bool:
    """Whether a source is the address of a PostgreSQL database."""
    return source.partition("://")[0] in _SCHEMES if "://" in source else False


def read_address(source: str, table: str | None) -> PostgresTable:
    """The table of ``postgresql://host/database?table=visits``; schemas stand before a dot."""
    split = None
    with suppress(ValueError):
        split = urlsplit(source)
    if split is None:
        raise SourceError(
            "the address of the PostgreSQL database cannot be read. It is written as a URL, in "
            "which signs such as [ and @ within a name or a password are percent-encoded. Write "
            "postgresql://host/database?table=visits."
        )
    query = parse_qsl(split.query, keep_blank_values=True)
    named = table or dict(query).get("table")
    if not named:
        raise SourceError(
            "the source is a PostgreSQL database and no table is named. A database holds many. Add "
            "the table to the address: postgresql://host/database?table=visits."
        )
    rest = urlencode(
        [(name, value) for name, value in query if name not in ("table", "statement_timeout")],
        quote_via=quote,  # libpq takes a plus sign for itself
    )
    schema, dot, name = named.rpartition(".")
    address = urlunsplit((split.scheme, split.netloc, split.path, rest, ""))
    seconds = _seconds(dict(query).get("statement_timeout"))
    return PostgresTable(address, schema if dot else None, name, seconds)


def _seconds(stated: str | None) -> int:
    if stated is None:
        return _SECONDS
    if stated.isascii() and stated.isdigit() and 1 <= int(stated[:10]) <= _MOST_SECONDS:
        return int(stated[:10])
    raise SourceError(
        f"statement_timeout is not a number of seconds from 1 to {_MOST_SECONDS:,}. It says how "
        "long one statement may take. Write statement_timeout=600 in the address."
    )
