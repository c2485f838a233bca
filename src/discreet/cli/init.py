"""``discreet init``: a policy to fill in, from the names and types of a table's columns."""

import os
import re
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

import click

from discreet.errors import PolicyError, SourceError


@click.command()
@click.argument("source")
@click.option("--unit", help='The column that says whose row it is, or "row".')
@click.option("--table", help="The table in a DuckDB file or a database.")
@click.option("--engine", help="What reads Parquet files: duckdb, or spark on a cluster.")
@click.option("--output", metavar="FILE", help="The policy to write; visits.toml for visits.csv.")
def init(
    source: str, unit: str | None, table: str | None, engine: str | None, output: str | None
) -> None:
    """Write a policy to be filled in: names and types, never values.

    \b
    discreet init visits.parquet --unit patient_id

    SOURCE is a CSV, Parquet, JSON lines or DuckDB file, or the address of a PostgreSQL table:
    postgresql://host/database?table=visits, or of a Spark table: spark://host:7077?table=visits. No
    row of it is read, so bounds and values are for you to state.
    """
    from discreet.engines.sources import default_name, find_source
    from discreet.plan.schema import ROW
    from discreet.policy.template import DescribedColumn, template

    name = default_name(source, table) or "table"
    policy_path = Path(output if output is not None else f"{name}.toml")
    if policy_path.suffix != ".toml":
        raise PolicyError(
            f"the policy's name {policy_path.name!r} does not end in .toml. It is how a policy is "
            f"told from a table. Write --output {quote(policy_path.stem + '.toml')}."
        )
    if policy_path.exists():
        raise _exists_error(policy_path)
    table_source = find_source(source, table, engine)
    columns = [DescribedColumn(*described) for described in _described_columns(table_source)]
    names = [column.name for column in columns]
    if unit is not None and unit != ROW and names and unit not in names:
        similar = get_close_matches(unit, names, 1)
        suggestion = f" Did you mean {similar[0]!r}?" if similar else ""
        raise SourceError(
            f"the unit {unit[:60]!r} is not in the data.{suggestion} It is the column that says "
            f"whose row it is. The columns are {', '.join(names[:12])}. Correct the name."
        )
    stated_source = _source_in_policy(policy_path, source)
    text = template(stated_source, name, columns, unit=unit, table=table, engine=engine)
    _write_new(policy_path, text)
    click.echo(f"{policy_path} declares {name}: names and types only.")
    if not names:
        unchecked = f", and --unit {quote(unit)} was not checked" if unit not in (None, ROW) else ""
        click.echo(
            "JSON lines name their columns in the rows, and no row was read. So the policy names "
            f"none{unchecked}."
        )
    whom = "whom it protects, and the " if unit is None else "the "
    missing = "bounds" if names else "names and bounds"
    click.echo(f"Fill in {whom}{missing} of the columns that may be asked about.")
    if unit != ROW:
        click.echo("Then find out once, privately, how much the caps leave out, and better ones:")
        click.echo(f"  discreet profile {quote(str(policy_path))} --spend 5% --suggest")
    click.echo("Then ask, for example:")
    sql = f"SELECT COUNT(*) AS n FROM {_quoted_identifier(name)}"
    argument = f'"{sql}"' if re.fullmatch(r"[\w*() ]+", sql) else quote(sql)
    click.echo(f"  discreet plan {quote(str(policy_path))} {argument} --epsilon 0.5")


def _described_columns(source: object) -> list[tuple[str, str | None]]:
    """The names and types of a table's columns, by its header or schema; no row is read."""
    from discreet.engines.duckdb.connection import DuckDBConnection
    from discreet.engines.duckdb.source import FileSource
    from discreet.engines.postgres.source import PostgresTable
    from discreet.engines.sources import TableView
    from discreet.engines.spark.source import SparkFrame, SparkTable

    if isinstance(source, PostgresTable):
        from discreet.engines.postgres.columns import described

        return described(source)
    if isinstance(source, SparkFrame | SparkTable):
        from discreet.engines.spark.columns import described as described_by_spark

        return described_by_spark(source)
    if not isinstance(source, FileSource) or source.format == "json":
        return []  # JSON lines name their fields in the rows
    if source.format == "csv":
        return [(name, None) for name in source.header]
    with closing(DuckDBConnection(TableView(source))) as connection:
        return [(str(row[0]), str(row[1])) for row in connection.rows("DESCRIBE source")]


def _quoted_identifier(name: str) -> str:
    """A name as an identifier of SQL, in quotes unless it is a plain word and no keyword."""
    from sqlglot import tokenize

    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        token_types = [token.token_type.name for token in tokenize(name, read="duckdb")]
        if token_types == ["VAR"]:
            return name
    return '"' + name.replace('"', '""') + '"'


def _source_in_policy(policy: Path, source: str) -> str:
    """The source as the policy names it: from the policy's folder, unless they share only the root.

    Links of folders are followed, since .. leads out of what they lead to.
    """
    if "://" in source:
        return _without_password(source)
    folder, target = policy.resolve().parent, Path(source).parent.resolve() / Path(source).name
    if folder.parts[:2] != target.parts[:2]:
        return str(target)
    return Path(os.path.relpath(target, folder)).as_posix()


def _without_password(address: str) -> str:
    """The address, refused with a password or token, which every reader of the policy would see."""
    has_password = urlsplit(address).password is not None or "password=" in address
    if not has_password and "token=" not in address:
        return address
    raise PolicyError(
        "the address holds a password or a token. A policy is read and kept by many. Take it out "
        "of the address, and set PGPASSWORD or use a password file; for Spark Connect, set "
        "SPARK_REMOTE and write spark://?table=… ."
    )


def _write_new(policy_path: Path, text: str) -> None:
    try:
        with open(policy_path, "x", encoding="utf-8") as file:
            file.write(text)
        return
    except FileExistsError:
        pass
    raise _exists_error(policy_path)


def _exists_error(policy_path: Path) -> PolicyError:
    return PolicyError(
        f"{policy_path.name!r} is already there. A policy is never overwritten, since somebody "
        "has decided what stands in it. Name another file with --output, or move it away."
    )
