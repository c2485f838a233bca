"""Reading a policy: every field is checked before anything is opened."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date as plain_date
from datetime import datetime as moment
from datetime import time as plain_time
from decimal import Decimal
from difflib import get_close_matches
from glob import escape, has_magic
from pathlib import Path
from typing import Any, Final

from discreet.engines.sources import Source, default_name, find_source
from discreet.errors import (
    BoundsError,
    DataError,
    Front,
    PolicyError,
    PrivacyParameterError,
    with_article,
)
from discreet.ledger.declarations import Period
from discreet.plan.schema import (
    CELL_FORMS,
    MOST_ROWS,
    ROW,
    Column,
    boolean,
    category,
    date,
    datetime,
    integer,
    number,
    text,
    time,
)
from discreet.policy.policy_file import Keys, PolicyFile
from discreet.privacy.losses import Budget
from discreet.privacy.sensitivity import Neighbors

_BOUNDED: Final[dict[str, Callable[..., Column]]] = {
    "number": number,
    "integer": integer,
    "date": date,
    "datetime": datetime,
    "time": time,
}
_PLAIN: Final[dict[str, Callable[[], Column]]] = {"boolean": boolean, "text": text}
TYPES: Final = (*_BOUNDED, *_PLAIN, "category")
_EXAMPLES: Final = {
    "number": "{ low = 0, high = 60 }",
    "integer": '{ type = "integer", low = 0, high = 120 }',
    "date": '{ type = "date", low = "2020-01-01", high = "2026-12-31" }',
    "datetime": '{ type = "datetime", low = "2020-01-01", high = "2026-12-31 23:59:59" }',
    "time": '{ type = "time", low = "08:00", high = "17:59:59" }',
    "boolean": '{ type = "boolean" }',
    "text": '{ type = "text" }',
    "category": '{ values = ["A", "B", "C"] }',
}
_USUAL: Final = ["number", "date", "category", "text"]
_MEANT: Final = {
    **{"int": "integer", "bigint": "integer", "whole": "integer", "bool": "boolean"},
    **dict.fromkeys(("timestamp", "timestamptz"), "datetime"),
}
"""The type that is meant by a word of other systems."""
_COLUMN_FIELDS: Final = {
    "number": ("type", "low", "high", "default", "decimal"),
    "integer": ("type", "low", "high", "default", "decimal"),
    "date": ("type", "low", "high", "default", "format"),
    "datetime": ("type", "low", "high", "default", "zone", "unit", "format"),
    "time": ("type", "low", "high", "default"),
    "category": ("type", "values"),
}
_FIELDS: Final = (
    "source",
    "table",
    "engine",
    "name",
    "unit",
    "neighbors",
    "max_groups",
    "max_rows",
    "max_rows_per_group",
    "at_most_rows",
    "at_most_groups",
    "version",
    "ledger",
    "period",
    "budget",
    "analyst_budget",
    "columns",
    "private",
    "public",
)
_BESIDE: Final = ("source", "table", "engine", "unit", "max_rows", "at_most_rows", "columns")
_CAPS: Final = ("max_groups", "max_rows", "max_rows_per_group", "at_most_rows", "at_most_groups")
_BUDGET: Final = ("epsilon", "rho", "delta")


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A public lookup table, as ``lookup`` declares it."""

    source: Source
    columns: Mapping[str, Column]


def lookup(source: object, *, columns: Any = None) -> PublicTable:
    """A public table to look things up in, of which some columns are declared.

    What is not declared is found from the rows, which are public: kinds, bounds and values.

    >>> import pandas
    >>> from discreet.plan.schema import text
    >>> weather = pandas.DataFrame({"station": ["01", "02"], "rain": [0.5, 2]})
    >>> list(lookup(weather, columns={"station": text()}).columns)
    ['station']
    """
    return PublicTable(find_source(source), columns_of(columns))


@dataclass(frozen=True, slots=True)
class PrivateTable:
    """Another table about the same people, as ``beside`` declares it."""

    source: Source
    columns: Mapping[str, Column]
    unit: str | None = None
    max_rows: int | None = None
    at_most_rows: int | None = None


def beside(
    source: object,
    *,
    columns: Any = None,
    unit: str | None = None,
    max_rows: int | None = None,
    at_most_rows: int | None = None,
    table: str | None = None,
    engine: str | None = None,
) -> PrivateTable:
    """Another private table about the same people, to be joined with the one that is opened.

    ``unit`` is the column that says whose row it is, if it is not called as in the first table.
    In questions about it alone, a person counts for at most ``max_rows`` of its rows; in a join all
    of a person's pairs are weighed down to the first table's.  The budget is that of both.

    >>> import pandas
    >>> from discreet.plan.schema import integer
    >>> people = pandas.DataFrame({"id": [1, 2], "age": [30, 40]})
    >>> beside(people, unit="id", columns={"age": integer(0, 120)}, max_rows=1).unit
    'id'
    """
    found = find_source(source, table, engine)
    return PrivateTable(found, columns_of(columns), unit, max_rows, at_most_rows)


def columns_of(columns: Any) -> dict[str, Column]:
    """The declared columns by their names."""
    if columns is not None and not isinstance(columns, Mapping):
        raise PolicyError(
            f"columns is {with_article(type(columns).__name__)}. It says of each column, by "
            'its name, what is public about it. Write columns={"age": dp.integer(0, 120)}.'
        )
    return dict(columns or {})


def read_columns(policy: PolicyFile, declared: Any, within: Keys) -> dict[str, Column]:
    """The columns that a table of the policy declares, in its order."""
    if not isinstance(declared, dict):
        heading = ".".join(map(toml_key, within))
        raise policy.error(
            "columns is not a table.",
            "It declares the columns that may be asked about, each by its name. Write "
            f"[{heading}] on a line of its own, and below it stay = {_EXAMPLES['number']}.",
            "columns",
            within[:-1],
        )
    return {name: _Reader(policy, within, name).column(form) for name, form in declared.items()}


@dataclass(frozen=True, slots=True)
class _Reader:
    """One column of a policy being read."""

    policy: PolicyFile
    within: Keys
    name: str

    def column(self, form: object) -> Column:
        if not isinstance(form, dict) or not form:
            kind = form if isinstance(form, str) and form in TYPES else None
            raise self._refused(
                "does not say what it holds." if not form else "is not a declaration.",
                "Public bounds or values are declared, and never read from the data.",
                *([kind] if kind else _USUAL),
            )
        kind = self._kind(form)
        known = _COLUMN_FIELDS.get(kind, ("type",))
        for field in form:
            if field not in known:
                if field in CELL_FORMS:
                    kinds = [one for one, listed in _COLUMN_FIELDS.items() if field in listed]
                    raise self._refused(
                        f"is of type {kind!r}, and has {field!r}.",
                        f"It says how cells are written where type is {' or '.join(kinds)}.",
                        *kinds,
                    )
                if field in ("low", "high", "values", "default"):
                    raise self._refused(
                        f"is of type {kind!r}, and has {field!r}.",
                        "Numbers and dates have bounds, a category has values, others have "
                        "neither.",
                        kind,
                        "category" if field == "values" else "number",
                    )
                raise self.policy.unknown(field, known, (*self.within, self.name))
        return self._made(kind, form)

    def _kind(self, form: dict[str, Any]) -> str:
        """The type that is stated, or the one that the other fields can only mean."""
        type_field = form.get("type")
        if type_field is None:
            if "values" in form:
                return "category"
            ends = [form[end] for end in ("low", "high") if end in form]
            if ends and all(isinstance(end, plain_date) for end in ends):
                timed = any(isinstance(end, moment) for end in ends)
                return "datetime" if timed or {"zone", "unit"} & form.keys() else "date"
            if ends and all(isinstance(end, plain_time) for end in ends):
                return "time"
            if ends and all(isinstance(end, int | Decimal) for end in ends):
                return "number"
            example = "date" if ends else "number"
            fields = ("low", "high", "default", *CELL_FORMS)
            unknown = [field for field in form if field not in fields]
            if unknown:
                raise self.policy.unknown(
                    unknown[0],
                    ("type", "values", *fields),
                    (*self.within, self.name),
                )
            raise self._refused(
                "has bounds that are not numbers." if ends else "has no bounds.",
                "They are public, and values are clipped to them. Texts are bounds of dates only.",
                example,
            )
        if type_field not in TYPES:
            shown = repr(type_field[:40]) if isinstance(type_field, str) else "not a text"
            raise self._refused(
                f"has a type that is {shown}.",
                f"The types are {', '.join(TYPES)}.",
                *([_MEANT[str(type_field)]] if type_field in _MEANT else [*_USUAL, "boolean"]),
            )
        return str(type_field)

    def _made(self, kind: str, form: dict[str, Any]) -> Column:
        try:
            if kind in _PLAIN:
                return _PLAIN[kind]()
            if kind == "category":
                return category(form.get("values", ()))
            ends = {end: form.get(end) for end in ("low", "high", "default")}
            if kind not in ("date", "datetime", "time") and any(
                isinstance(end, str | plain_date | plain_time) for end in ends.values()
            ):
                raise BoundsError(
                    "a bound or a default is not a number. Numbers stand without quotes."
                )
            forms = {one: form[one] for one in CELL_FORMS if one in form}
            return _BOUNDED[kind](ends["low"], ends["high"], default=ends["default"], **forms)
        except (BoundsError, PrivacyParameterError) as error:
            said = error.text(Front.POLICY)
        has_remedy = any(f"Write {one} = " in said for one in CELL_FORMS)
        raise self._refused("is declared wrongly:", said, *([] if has_remedy else [kind]))

    def _refused(self, fact: str, rule: str, *examples: str) -> Exception:
        key = toml_key(self.name)
        lines = " or ".join(f"{key} = {_EXAMPLES[example]}" for example in dict.fromkeys(examples))
        return self.policy.error(
            f"column {self.name[:60]!r} {fact}",
            f"{rule} Write {lines}" if examples else rule,
            self.name,
            self.within,
        )


def toml_key(name: str) -> str:
    r"""A name as TOML writes it: bare where it can be.

    >>> toml_key("stay"), toml_key("length of \"stay\"")
    ('stay', '"length of \\"stay\\""')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(value: str) -> str:
    r"""A text as TOML writes it.

    >>> toml_text("a\tb")
    '"a\\u0009b"'
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    plain = (
        f"\\u{ord(letter):04x}" if ord(letter) < 32 or ord(letter) == 127 else letter
        for letter in escaped
    )
    return '"' + "".join(plain) + '"'


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
    arguments = {
        "source": _source(policy),
        "table": _text(policy, "table", "the table's name in its database", "visits"),
        "engine": _text(policy, "engine", "what reads the rows", "spark"),
        "name": read_table_name(policy),
        "unit": _unit(policy),
        "neighbors": _neighbors(policy),
        "max_groups": _cap(policy, "max_groups"),
        "max_rows": _cap(policy, "max_rows"),
        "max_rows_per_group": _cap(policy, "max_rows_per_group"),
        "at_most_rows": _cap(policy, "at_most_rows"),
        "at_most_groups": _cap(policy, "at_most_groups"),
        "version": _text(policy, "version", "the name of the data as they are now", "2026-11"),
        "ledger": policy.ledger(),
        "period": read_period(policy),
        "budget": read_budget(policy, "budget"),
        "analyst_budget": read_budget(policy, "analyst_budget"),
        "columns": read_columns(policy, policy.fields.get("columns", {}), ("columns",)),
        "private": _private(policy) or None,
        "public": _public(policy) or None,
    }
    _check_unit(policy, arguments)
    return {name: value for name, value in arguments.items() if value is not None}


def read_table_name(policy: PolicyFile) -> str:
    """The identity that the ledger knows the table by: ``name``, or that of its source."""
    stated = _text(policy, "name", "the identity that the ledger knows the table by", "visits")
    source = policy.fields.get("source")
    table = policy.fields.get("table")
    table_name = stated or default_name(source, table if isinstance(table, str) else None)
    if not isinstance(table_name, str) or not table_name:
        raise policy.error(
            "the table has no name.",
            "The ledger knows it by its name, and a list or a pattern of files gives it none. "
            f'Write name = "{policy.path.stem}".',
        )
    return table_name


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
    for cap in _CAPS:
        if unit == ROW and found[cap] is not None:
            raise policy.error(
                f"{cap} is given, and the unit is the row.",
                "A row is in one group and counts once, so there is nothing to cap. Take "
                f'{cap} out, or name the column that says whose row it is: unit = "patient_id".',
                cap,
            )


def _neighbors(policy: PolicyFile) -> str | None:
    neighbors_field = policy.fields.get("neighbors")
    known = [relation.value for relation in Neighbors]
    if neighbors_field is None or neighbors_field in known:
        return neighbors_field
    near = get_close_matches(neighbors_field, known, 1) if isinstance(neighbors_field, str) else []
    raise policy.error(
        "neighbors is neither add-remove nor replace.",
        "It is the neighboring relation: add-remove is with or without one person, replace is one "
        f'swapped for another. Write neighbors = "{(near or known)[0]}".',
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
    period_field = policy.fields.get("period")
    known = [period.value for period in Period]
    if period_field is None or period_field in known:
        return period_field
    raise policy.error(
        "period is not one of those that are known.",
        f"A budget with a period starts again with the calendar: {', '.join(known)}. Write "
        f'period = "{known[-1]}", or take it out for a budget for all time.',
        "period",
    )


def read_budget(policy: PolicyFile, field: str) -> Budget | None:
    """The budget of the table, or of each analyst, who need not have one."""
    budget_field = policy.fields.get(field)
    if budget_field is None and field == "analyst_budget":
        return None
    example = f"Write [{field}] on a line of its own, and below it epsilon = 1 and, where "
    example += "approximate mechanisms are wanted, delta = 1e-6; or rho = 0.1."
    if not isinstance(budget_field, dict) or not {"epsilon", "rho"} & budget_field.keys():
        fact = "the table has no budget."
        if budget_field is not None:
            fact = f"{field} has no epsilon, and no rho."
        raise policy.error(
            fact,
            f"It is the cap on everything that will ever be asked of the table. {example}",
            field,
        )
    for name, value in budget_field.items():
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
        return Budget(**budget_field)
    except (PrivacyParameterError, DataError) as error:
        said = error.text(Front.POLICY)
    raise policy.error(said, f"In {policy.path.name} that is {field}.", _named(said), (field,))


def _named(said: str) -> str:
    """The field that a refusal of a budget is about: rho where both epsilon and rho are there."""
    return next((name for name in ("delta", "epsilon") if said.startswith(name)), "rho")


def _private(policy: PolicyFile) -> dict[str, PrivateTable]:
    """Further private tables about the same people."""
    tables = {}
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
        tables[name] = beside(
            policy.beside(declared["source"]),
            columns=columns,
            unit=declared.get("unit"),
            max_rows=_cap(policy, "max_rows", within),
            at_most_rows=_cap(policy, "at_most_rows", within),
            table=declared.get("table"),
            engine=declared.get("engine"),
        )
    return tables


def _public(policy: PolicyFile) -> dict[str, str | PublicTable]:
    """Lookup tables that are not sensitive."""
    tables: dict[str, str | PublicTable] = {}
    for name, declared in _named_tables(policy, "public", "wards").items():
        within = ("public", name)
        for field in declared:
            if field not in ("source", "columns"):
                raise policy.unknown(field, ("source", "columns"), within)
        columns = read_columns(policy, declared.get("columns", {}), (*within, "columns"))
        source = policy.beside(declared["source"])
        tables[name] = lookup(source, columns=columns) if columns else source
    return tables


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
