"""Reading a policy: every field is checked before anything is opened."""

from decimal import Decimal
from difflib import get_close_matches
from glob import escape, has_magic
from pathlib import Path
from typing import Any, Final

from discreet.engines.sources import default_name
from discreet.errors import DataError, Front, PrivacyParameterError
from discreet.ledger.periods import Period
from discreet.plan.schema import MOST_ROWS, ROW
from discreet.policy.beside import PrivateTable, beside
from discreet.policy.columns import read_columns, toml_key
from discreet.policy.file import Keys, PolicyFile
from discreet.privacy.budget import Budget
from discreet.privacy.neighbors import Neighbors

_FIELDS: Final = (
    "source",
    "table",
    "engine",
    "name",
    "unit",
    "neighbors",
    "max_groups",
    "max_rows",
    "ledger",
    "period",
    "budget",
    "analyst_budget",
    "columns",
    "private",
    "public",
)
_BESIDE: Final = ("source", "table", "engine", "unit", "max_rows", "columns")
_BUDGET: Final = ("epsilon", "delta")


def read_policy(path: str | Path) -> dict[str, Any]:
    """The declarations of a policy file, as the arguments that ``table`` takes.

    Paths are looked up from the policy's folder.  Numbers are the decimals that were written.
    """
    policy = PolicyFile.read(path)
    for field in policy.fields:
        if field in _BUDGET:
            raise policy.error(
                f"{field} stands outside of a budget.",
                "It is a part of the cap on everything that will ever be asked of the table. Write "
                "[budget] on a line of its own above it, below all fields that are not of the "
                "budget.",
                field,
            )
        if field not in _FIELDS:
            raise policy.unknown(field, _FIELDS)
    found = {
        "source": _source(policy),
        "table": _text(policy, "table", "the table's name in its database", "visits"),
        "engine": _text(policy, "engine", "what reads the rows", "spark"),
        "name": read_name(policy),
        "unit": _unit(policy),
        "neighbors": _neighbors(policy),
        "max_groups": _cap(policy, "max_groups"),
        "max_rows": _cap(policy, "max_rows"),
        "ledger": policy.ledger(),
        "period": read_period(policy),
        "budget": read_budget(policy, "budget"),
        "analyst_budget": read_budget(policy, "analyst_budget"),
        "columns": read_columns(policy, policy.fields.get("columns", {}), ("columns",)),
        "private": _private(policy) or None,
        "public": _public(policy) or None,
    }
    _check_unit(policy, found)
    return {name: value for name, value in found.items() if value is not None}


def read_name(policy: PolicyFile) -> str:
    """The identity that the ledger knows the table by: ``name``, or that of its source."""
    stated = _text(policy, "name", "the identity that the ledger knows the table by", "visits")
    source = policy.fields.get("source")
    table = policy.fields.get("table")
    found = stated or default_name(source, table if isinstance(table, str) else None)
    if not isinstance(found, str) or not found:
        raise policy.error(
            "the table has no name.",
            "The ledger knows it by its name, and a list or a pattern of files gives it none. "
            f'Write name = "{policy.path.stem}".',
        )
    return found


def _source(policy: PolicyFile) -> str | list[str]:
    source = policy.fields.get("source")
    given = source if isinstance(source, list) else [source]
    listed = [one for one in given if isinstance(one, str) and one]
    if not listed or len(listed) < len(given):
        raise policy.error(
            "the table has no source." if source is None else "source is not a path.",
            "It says where the rows are: a file, a pattern, or a list of files. Write "
            f'source = "{policy.path.stem}.parquet".',
            "source",
        )
    if any(one.endswith(".toml") for one in listed):
        raise policy.error(
            "source is another policy.",
            "Rows are read from CSV, Parquet, JSON lines or DuckDB files. Write "
            f'source = "{policy.path.stem}.parquet".',
            "source",
        )
    if isinstance(source, list):
        return [policy.beside(one) for one in listed]
    if "://" in listed[0]:
        return listed[0]
    # A folder whose name looks like a pattern is meant as it is written.
    folder = str(policy.path.parent)
    return str(Path(escape(folder) if has_magic(folder) else folder) / listed[0])


def _unit(policy: PolicyFile) -> str:
    unit = policy.fields.get("unit")
    if not isinstance(unit, str) or not unit:
        raise policy.error(
            "unit is not given." if unit is None else "unit is not filled in.",
            "It says whom the table protects: whoever has several rows is protected only if all of "
            'them count as one. Write unit = "patient_id", the column that says whose row it is, '
            f'or unit = "{ROW}" if every row is another person.',
            "unit",
        )
    return unit


def _check_unit(policy: PolicyFile, found: dict[str, Any]) -> None:
    unit = found["unit"]
    if unit in found["columns"]:
        raise policy.error(
            f"the unit {unit[:60]!r} is also declared as a column.",
            f"What a person's id is can never be asked. Take {toml_key(unit)} out of [columns].",
            unit,
            ("columns",),
        )
    for cap in ("max_groups", "max_rows"):
        if unit == ROW and found[cap] is not None:
            raise policy.error(
                f"{cap} is given, and the unit is the row.",
                "A row is in one group and counts once, so there is nothing to cap. Take "
                f'{cap} out, or name the column that says whose row it is: unit = "patient_id".',
                cap,
            )


def _neighbors(policy: PolicyFile) -> str | None:
    stated = policy.fields.get("neighbors")
    known = [relation.value for relation in Neighbors]
    if stated is None or stated in known:
        return stated
    near = get_close_matches(stated, known, 1) if isinstance(stated, str) else []
    raise policy.error(
        "neighbors is neither add-remove nor replace.",
        "It says which data sets must be hard to tell apart: those with one person more or less, "
        f'or with one swapped for another. Write neighbors = "{(near or known)[0]}".',
        "neighbors",
    )


def _cap(policy: PolicyFile, field: str, within: Keys = ()) -> int | None:
    fields: Any = policy.fields
    for part in within:
        fields = fields[part]
    cap = fields.get(field)
    if cap is None:
        return None
    if type(cap) is not int or not 1 <= cap <= MOST_ROWS:
        raise policy.error(
            f"{field} is not a whole number from 1 to {MOST_ROWS:,}.",
            f"It caps how much one person can count. Write {field} = 10.",
            field,
            within,
        )
    return cap


def read_period(policy: PolicyFile) -> str | None:
    """How often the budgets start again, if ever."""
    stated = policy.fields.get("period")
    known = [period.value for period in Period]
    if stated is None or stated in known:
        return stated
    raise policy.error(
        "period is not one of those that are known.",
        f"A budget with a period starts again with the calendar: {', '.join(known)}. Write "
        f'period = "{known[-1]}", or take it out for a budget for all time.',
        "period",
    )


def read_budget(policy: PolicyFile, field: str) -> Budget | None:
    """The budget of the table, or of each analyst, who need not have one."""
    stated = policy.fields.get(field)
    if stated is None and field == "analyst_budget":
        return None
    example = f"Write [{field}] on a line of its own, and below it epsilon = 1 and, where "
    example += "approximate mechanisms are wanted, delta = 1e-6."
    if not isinstance(stated, dict) or "epsilon" not in stated:
        fact = "the table has no budget." if stated is None else f"{field} has no epsilon."
        raise policy.error(
            fact,
            f"It is the cap on everything that will ever be asked of the table. {example}",
            field,
        )
    for name, value in stated.items():
        if name in _FIELDS:
            raise policy.error(
                f"{name} stands within [{field}].",
                "What follows a heading belongs to it, up to the next heading. Move it above the "
                "first heading.",
                name,
                (field,),
            )
        if name not in _BUDGET:
            raise policy.unknown(name, _BUDGET, (field,))
        if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
            raise policy.error(
                f"{name} is not a number.",
                f"It is the decimal that is written. {example}",
                name,
                (field,),
            )
    try:
        return Budget(**stated)
    except (PrivacyParameterError, DataError) as error:
        said = error.text(Front.POLICY)
    raise policy.error(said, f"In {policy.path.name} that is {field}.", _named(said), (field,))


def _named(said: str) -> str:
    return "delta" if said.startswith("delta") else "epsilon"


def _private(policy: PolicyFile) -> dict[str, PrivateTable]:
    """Further private tables about the same people."""
    found = {}
    for name, declared in _named_tables(policy, "private", "patients").items():
        within = ("private", name)
        for field in declared:
            if field not in _BESIDE:
                raise policy.unknown(field, _BESIDE, within)
        columns = read_columns(policy, declared.get("columns", {}), (*within, "columns"))
        for field, example in (
            ("unit", '"patient_id"'),
            ("table", '"visits"'),
            ("engine", '"spark"'),
        ):
            if not isinstance(declared.get(field, ""), str):
                raise policy.error(
                    f"{field} is not a text.",
                    f"It is a name in the data. Write {field} = {example}.",
                    field,
                    within,
                )
        found[name] = beside(
            policy.beside(declared["source"]),
            columns=columns,
            unit=declared.get("unit"),
            max_rows=_cap(policy, "max_rows", within),
            table=declared.get("table"),
            engine=declared.get("engine"),
        )
    return found


def _public(policy: PolicyFile) -> dict[str, str]:
    """Lookup tables that are not sensitive."""
    found = {}
    for name, declared in _named_tables(policy, "public", "wards").items():
        for field in declared:
            if field != "source":
                raise policy.unknown(field, ("source",), ("public", name))
        found[name] = policy.beside(declared["source"])
    return found


def _named_tables(policy: PolicyFile, kind: str, example: str) -> dict[str, dict[str, Any]]:
    tables = policy.fields.get(kind, {})
    if isinstance(tables, dict) and all(
        isinstance(table, dict) and isinstance(table.get("source"), str)
        for table in tables.values()
    ):
        return tables
    raise policy.error(
        f"a {kind} table has no source.",
        f"Tables to join with are named one by one. Write [{kind}.{example}] on a line of its own, "
        f'and below it source = "{example}.csv".',
        kind,
    )


def _text(policy: PolicyFile, field: str, meaning: str, example: str) -> str | None:
    value = policy.fields.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not value or not value.isprintable():
        raise policy.error(
            f"{field} is not a printable text.",
            f'It is {meaning}. Write {field} = "{example}".',
            field,
        )
    return value
