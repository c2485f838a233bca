"""A policy to be filled in, from the names and types of columns: never from a value.

What is safe whatever the rows are stands ready.  What somebody has to decide is left out behind a
#, or empty, and a policy with an empty field is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.plan.schema import ROW
from discreet.policy.reader import toml_key, toml_text
from discreet.text_table import padded

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_REAL = ("FLOAT", "DOUBLE", "DECIMAL")


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column as its file describes it; text files do not say what type it has."""

    name: str
    type: str | None = None


def template(
    source: str,
    name: str,
    columns: Sequence[DescribedColumn],
    *,
    unit: str | None,
    table: str | None = None,
    engine: str | None = None,
) -> str:
    """The text of a policy for a source."""
    capped = unit != ROW
    cap = "" if capped else "# "
    lines = [
        f"# What may be asked of {toml_text(name)}, and how much privacy it may cost in all.",
        "# Made from the names and types of the columns; of a CSV file only the first line was",
        "# read. Once the table was opened, its ledger holds these declarations; to change them,",
        "# edit this file and run discreet table update; for the budget, discreet budget set.",
        "",
        f"source = {toml_text(source)}",
        *([f"table  = {toml_text(table)}"] if table else []),
        *([f"engine = {toml_text(engine)}"] if engine else []),
        f"name   = {toml_text(name)}  # what the table is called in SQL and in the ledger",
        "",
        "# Whom the table protects: the column that says whose row it is, so that all rows of a",
        '# person count as one; or "row", if every row is another person.',
        *(_ids() if capped and any(column.type is None for column in columns) else []),
        f"unit = {toml_text(unit or '')}" + ("" if unit else "  # fill in"),
        "",
        "# The neighboring relation. add-remove: with or without a person, and the number of rows",
        "# is private. replace: one person swapped for another.",
        'neighbors = "add-remove"',
        "",
        "# How much one person can count. Who has more rows than max_rows counts for max_rows, and",
        "# who is in more groups than max_groups counts for max_groups, so numbers come out too",
        "# low. Lower caps mean less noise, and more is left out. Take what most people are known",
        "# to have, without looking at the rows; discreet profile --suggest finds better ones.",
        f"{cap}max_groups = 3",
        f"{cap}max_rows   = 10",
        "# max_rows_per_group = 4  # and for at most so many in one group: less noise, where a",
        "#                         # person's rows are spread over groups and there is a delta",
        "",
        "# What is known of everybody, from a rule and not from the rows: nobody has more rows, or",
        "# is in more groups of one column. Answers then say how much the caps leave out at most.",
        "# They believe it, so state nothing that may not hold.",
        "# at_most_rows   = 365",
        "# at_most_groups = 12",
        "",
        "# Which data these are. What discreet profile learns of them is remembered by this name:",
        "# give new data a new one, run discreet table update, and then discreet profile again.",
        f"{cap}version = {toml_text('1')}",
        "",
        "# Where what is spent is written down, for ever. Without it the budget caps nothing.",
        f"ledger = {toml_text(name + '.ledger')}",
        "",
        "# The cap on everything that is ever asked: nobody's presence changes the odds of all the",
        "# answers together by more than a factor of e^epsilon: 2.7 for 1, 20 for 3.",
        "[budget]",
        "epsilon = 1",
        "# delta = 1e-5  # for groups that are found privately, asked with --delta 1e-6; far below",
        "#               # 1 / number of people. One half is for questions, one for their sum.",
        "",
        *_heading(columns),
        "[columns]",
        *_columns([column for column in columns if column.name != unit]),
        "",
        "# Tables to join with in SQL. Private ones are about the same people, and this budget is",
        "# for all of them; public ones are lookup tables that are not made from private rows.",
        "# [private.patients]",
        '# source = "patients.csv"',
        "# max_rows = 1  # for how many of its rows a person counts, asked about alone",
        "# [private.patients.columns]",
        '# sex = { values = ["female", "male"] }',
        "# [public.wards]",
        '# source = "wards.csv"',
    ]
    return "\n".join(lines) + "\n"


def _ids() -> list[str]:
    return [
        "# An id in a CSV file is the text that is written there: 7 and 7.0 are two people. pandas",
        '# writes 7.0 if one id is missing, unless they are whole: astype("Int64") before to_csv.',
    ]


def _heading(columns: Sequence[DescribedColumn]) -> list[str]:
    lines = [
        "# The columns that may be asked about. Bounds and values are public: write what is known",
        "# without the rows, such as 0 and 120 for an age. Values outside are moved to the bounds.",
    ]
    if not columns:
        lines += [
            "# A file of JSON lines names its columns only in its rows, and no row was read: write",
            "# each column that may be asked about on a line of its own, as it is named there.",
        ]
    if any(column.type is None for column in columns) or not columns:
        lines += [
            "# The file does not say which type a column has. Take the form that fits. Numbers",
            "# have a decimal point, dates are 2026-01-31, truth values are true and false, yes",
            "# and no, 1 and 0; what is written otherwise counts as missing, without an error,",
            '# unless decimal = "," or format = "%d/%m/%Y" stands in the declaration.',
            "#   { low = 0, high = 60 }                      a number",
            '#   { type = "integer", low = 0, high = 120 }   a whole number',
            '#   { type = "date", low = "2020-01-01", high = "2026-12-31" }',
            '#   { type = "datetime", low = "2020-01-01", high = "2026-12-31 23:59:59" }',
            "#       with a time of day; where texts end in Z or +02:00, add",
            '#       zone = "Europe/Paris"',
            '#   { type = "time", low = "08:00", high = "17:59:59" }   a time of day',
            '#   { values = ["A", "B", "C"] }                one of a public list',
            '#   { type = "boolean" }                        true or false',
            '#   { type = "text" }                           anything; its values stay private',
        ]
    last = "Fill in, and take the # away. " if columns else ""
    return [*lines, f"# {last}What is not declared cannot be asked about."]


def _columns(columns: Sequence[DescribedColumn]) -> list[str]:
    keys = padded([toml_key(column.name) for column in columns])
    return [_line(key, column.type) for key, column in zip(keys, columns, strict=True)] or [
        "# EXAMPLE_COLUMN = { low = 0, high = 60 }  # write the names that the rows use instead"
    ]


def _line(key: str, kind: str | None) -> str:
    # Only the first word of a type is looked at: an ENUM goes on with the values that it has.
    word = "" if kind is None else kind.partition("(")[0].strip().upper()
    if kind is None:
        return f"# {key} = {{ }}"
    if kind.endswith("]") or word in ("STRUCT", "MAP", "LIST", "UNION", "BLOB"):
        return f"# {key} holds lists, records or bytes, which cannot be asked about"
    if word.removeprefix("U") in _WHOLE:
        return f'# {key} = {{ type = "integer", low = , high = }}'
    if word in _REAL:
        return f"# {key} = {{ low = , high = }}"
    if word == "DATE":
        return f'# {key} = {{ type = "date", low = "", high = "" }}'
    if word.startswith("TIMESTAMP"):
        zone = ', zone = ""' if "TZ" in word or "ZONE" in word else ""
        return f'# {key} = {{ type = "datetime", low = "", high = ""{zone} }}'
    if word in ("TIME", "TIME_NS"):
        return f'# {key} = {{ type = "time", low = "00:00", high = "23:59:59" }}'
    if word == "BOOLEAN":
        return f'{key} = {{ type = "boolean" }}'
    if word == "ENUM":
        return f"# {key} = {{ values = [] }}"
    return f'{key} = {{ type = "text" }}  # or, if its values are public: {{ values = ["A", "B"] }}'
