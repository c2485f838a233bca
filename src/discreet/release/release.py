"""The release: a table of private numbers with their errors, its notes and a certificate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

from discreet.errors import DataError, QueryError, Remedy
from discreet.exact import rational
from discreet.measures.measure import Aggregate, Statistic
from discreet.measures.registry import COUNT, ROWS
from discreet.plan.expressions import (
    Chosen,
    Compared,
    Constant,
    Missing,
    Named,
    Node,
    constant_text,
    expression_text,
    walk,
)
from discreet.plan.schema import CategoryColumn
from discreet.privacy.estimates import (
    Estimate,
    Estimates,
    FloatInterval,
    IntervalKind,
    cell_text,
)
from discreet.question.check import Question
from discreet.question.groupings import (
    BinGrouping,
    BooleanGrouping,
    Grouping,
    Label,
    ListedGrouping,
    label_text,
)
from discreet.release import exports
from discreet.release.certificate import Certificate
from discreet.release.exports import (
    ColumnType,
    column_type,
    text_columns,
    unique_labels,
)
from discreet.text_table import aligned

INTERVAL = "_interval"
"""What is added to the name of an output for the column that says on what its bounds rest."""
RANK_ERROR = "_rank_error"
"""What is added to the name of an output for the column of its rank errors."""
_A_VALUE = Remedy(python="fill_null gives them one.", sql="COALESCE gives them one.")
_MOST_LISTED = 6
_MOST_COMPARED = 1_000
"""Declared values among which one like a written one is looked for: that takes time."""


_CONFIDENCE = Fraction(95, 100)
_LEAST_SURE = (IntervalKind.LIKELY, IntervalKind.SURE, IntervalKind.NOISE)
_MOST_SHOWN = 60
_MOST_DRAWN = 130
Group = tuple[Label, ...]


def check_rank_names(question: Question) -> None:
    """Refuse a question of which two columns of the answer would have the same name."""
    names = {output.name for output in question.outputs} | {name for name, _ in question.keys}
    names |= {name for name, _ in question.after.columns}
    doubled = sorted(names & {f"{name}{INTERVAL}" for name in names})
    if doubled:
        raise QueryError(
            f"two columns of the answer are named {doubled[0][:60]!r}. An output n can also give "
            f"n{INTERVAL}. Use other names."
        )
    doubled = sorted(names & {f"{name}{RANK_ERROR}" for name in names})
    if doubled and any(output.aggregate.statistic.ranked for output in question.outputs):
        raise QueryError(
            f"two columns of the answer are named {doubled[0][:60]!r}. A quantile, a least or a "
            f"largest value m also gives m{RANK_ERROR}. Use other names."
        )


def undeclared_value_notes(question: Question) -> list[str]:
    """Conditions that compare a category with a value that was not declared."""
    unknown: dict[str, tuple[str, object, CategoryColumn]] = {}
    declared: dict[str, frozenset[object]] = {}
    asked = [one.of for _, one in question.query.outputs if one.of is not None]
    for condition in (*question.where, *asked):
        for node in walk(condition):
            name, value = _compared(node)
            column = question.schema.columns.get(name)
            if not isinstance(column, CategoryColumn) or value is None:
                continue
            if name not in declared:
                declared[name] = frozenset(column.values)
            if value not in declared[name]:
                unknown[expression_text(node)] = name, value, column
    remarks = [_remark(text, *what) for text, what in list(unknown.items())[:_MOST_LISTED]]
    if len(unknown) > _MOST_LISTED:
        more = len(unknown) - _MOST_LISTED
        remarks.append(f"{more:,} more comparisons fit no declared value of their columns.")
    return remarks


def no_group_notes(question: Question) -> list[str]:
    """Groups that are made in the question, in which some rows may not be."""
    notes = []
    for name, grouping in question.keys:
        if isinstance(grouping, BinGrouping):
            notes.append(f"{label_text(name)}: rows outside of the bins are in no group.")
        elif _leaves_out(grouping):
            notes.append(
                f"{label_text(name)}: rows for which it has no value are in no group. "
                f"{_A_VALUE.text(question.query.front)}"
            )
    return notes


def _leaves_out(grouping: Grouping) -> bool:
    """Whether a condition or a choice that stands in the question may have no value."""
    if isinstance(grouping, BooleanGrouping):
        return not isinstance(grouping.node, Missing)
    chooses = isinstance(grouping, ListedGrouping) and isinstance(grouping.node, Chosen)
    return chooses and any(node == Constant(None) for node in walk(grouping.node))


def _compared(node: Node) -> tuple[str, object]:
    """The column and the constant that are said to be equal, if that is what a node says."""
    match node:
        case Compared("=", Named(name), Constant(value)) | Compared(
            "=", Constant(value), Named(name)
        ):
            return name, value
    return "", None


def _remark(condition: str, name: str, value: object, column: CategoryColumn) -> str:
    values = [label_text(one) for one in column.values[:_MOST_LISTED]]
    listed = ", ".join(values) + (", …" if len(column.values) > _MOST_LISTED else "")
    looked_at = column.values[:_MOST_COMPARED]
    fact = f"{label_text(condition)} fits no declared value: those of {name} are {listed}."
    if not isinstance(value, str):  # of numbers, none is nearer to what was meant than another
        return fact
    near = get_close_matches(value[:60], [str(one) for one in looked_at], 1)
    meant = constant_text(near[0]) if near else "one of them"
    return f"{fact} Did you mean {meant}?"


def small_group_notes(errors: Mapping[str, float | None], rows: int | None) -> list[str]:
    """Outputs whose error of rank is as large as the group that is expected."""
    return [
        f"{name}: the guaranteed error of rank is {error:,.0f} rows, and a group is expected to "
        f"have {rows:,}. The value could be any between the bounds. Use a larger ε, or larger "
        "groups."
        for name, error in errors.items()
        if error is not None and rows is not None and error >= rows
    ]


def outranked_groups(
    groups: Sequence[tuple[Label, ...]],
    columns: Mapping[str, Sequence[Estimate]],
    sizes: Sequence[Estimate] | None,
) -> dict[str, str]:
    """Of each output, the groups that were released as no larger than its error of rank."""
    if sizes is None:
        return {}
    notes: dict[str, str] = {}
    for name, column in columns.items():
        names = [
            ", ".join(map(label_text, group))
            for group, one, size in zip(groups, column, sizes, strict=True)
            if one.rank_error is not None and one.rank_error >= size.value
        ]
        if names:
            more = f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else ""
            several = "group" if len(names) == 1 else "groups"
            listed = f"the {several} {'; '.join(names[:_MOST_LISTED])}{more}"
            notes[name] = listed if any(names) else "all that was asked about"
    return notes


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """One row per group; for a column ``n`` also ``n_lower`` and ``n_upper``, at 95%.

    These hold all that is known.  Where caps may have left rows out, ``n_interval`` says on what
    they rest: "sure", or "likely" if nobody has more than a profile could see.

    A column ``m`` that is a quantile, a least or a largest value has no bounds, and also
    ``m_rank_error``: at most so many rows lie between the value and the one that was asked for.

    Everything in it was computed from what was released, so it may be published as it is.  All
    forms hold the same numbers; only what is printed for people is rounded.
    """

    keys: tuple[str, ...]
    groups: tuple[Group, ...]
    columns: dict[str, tuple[Estimate, ...]]
    certificate: Certificate
    remarks: tuple[str, ...] = ()
    """What the question may not mean, though it says so."""
    dated: tuple[str, ...] = ()
    """The keys whose labels are dates."""
    asked: tuple[Aggregate | None, ...] = ()
    """The statistics of what the certificate lists; None for what was computed from others."""
    condition: str = ""
    """Which rows were counted, where not all were."""

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, name: str) -> Estimate | Estimates:
        """A column: one estimate, or, where there are groups, one for each by its key."""
        column = self.column(name)
        if not self.keys:
            return column[0]
        label = ", ".join(self.keys)
        groups = [group[0] if len(group) == 1 else group for group in self.groups]
        return Estimates(label, dict(zip(groups, column, strict=True)))

    def column(self, name: str) -> tuple[Estimate, ...]:
        """The estimates of a column in the order of the groups."""
        if name in self.columns:
            return self.columns[name]
        raise DataError(
            f"there is no column {str(name)[:60]!r} in the answer. Its columns are "
            f"{', '.join(self.columns)}. Use one of them."
        )

    def asks(self, name: str) -> str:
        """What a column answers, such as "mean(stay)"."""
        found = (one["asks"] for one in self.certificate.mechanisms if one["output"] == name)
        return next(found, "")

    def statistic(self, name: str) -> Statistic | None:
        """The statistic that a column is; None if it was computed from others."""
        listed = zip(self.certificate.mechanisms, self.asked, strict=True)
        asked = (aggregate for one, aggregate in listed if one["output"] == name)
        first_asked = next(asked, None)
        return None if first_asked is None else first_asked.statistic

    def adds_up(self, name: str) -> bool:
        """Whether a column adds up rows, so that a bar from 0 shows it truly."""
        statistic = self.statistic(name)
        return statistic is not None and statistic.adds_up

    def rows(self, confidence: object = _CONFIDENCE) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries: keys, then value, lower and upper of each column.

        A quantile has no bounds: they are None, and its rank error, at 95%, stands beside them.
        """
        level, header = _read_confidence(confidence), self.header
        for place, group in enumerate(self.groups):
            row: list[Any] = [*group]
            for name, found in self.columns.items():
                one = found[place]
                row += [one.value, *_ends(one, level)]
                row += [one.kind.value] if self._bounded_otherwise(name) else []
                row += [one.rank_error] if self._ranks(name) else []
            yield dict(zip(header, row, strict=True))

    def simultaneous(
        self, confidence: object = _CONFIDENCE
    ) -> dict[str, list[FloatInterval | None]]:
        """For each column, bounds per group that hold all at once with this probability.

        Each of k bounds may miss with a k-th of the chance that is left, so together they miss no
        more often than that.  Quantiles have no bounds, and stand as None.
        """
        level = _read_confidence(confidence)
        bounded = [one for found in self.columns.values() for one in found if not _ranked(one)]
        each = 1 - (1 - level) / max(1, len(bounded))
        return {
            name: [None if _ranked(one) else one.interval(each) for one in found]
            for name, found in self.columns.items()
        }

    # Other forms

    @property
    def header(self) -> list[str]:
        """The names of the table's columns in order."""
        return [*self.keys, *(part for name in self.columns for part in self._parts(name))]

    def to_dict(self) -> dict[str, list[Any]]:
        """The table by columns, as plain data; dates are texts."""
        rows = list(self.rows())
        return {name: [row[name] for row in rows] for name in self.header}

    def to_pandas(self) -> Any:
        """A pandas DataFrame; its ``attrs`` hold the notes, and on what the bounds rest."""
        frame = exports.pandas_frame(self._typed())
        frame.attrs |= {"notes": self.notes, "intervals": self.intervals}
        return frame

    def to_polars(self) -> Any:
        """A Polars DataFrame."""
        return exports.polars_frame(self._typed())

    def to_arrow(self) -> Any:
        """An Arrow table."""
        return exports.arrow_table(self._typed())

    def to_csv(self) -> str:
        """The table as CSV text, safe to open in a spreadsheet.

        A label that a spreadsheet would run as a formula (it starts with = + - or @) gets an
        apostrophe in front; every other form has it as it is.
        """
        return exports.csv_text(self.header, (list(row.values()) for row in self.rows()))

    def to_json(self) -> str:
        """The table, its notes and its certificate as JSON."""
        return exports.json_text(
            {
                "rows": list(self.rows()),
                "intervals": self.intervals,
                "notes": self.notes,
                "certificate": self.certificate.to_data(),
            }
        )

    @property
    def intervals(self) -> dict[str, dict[str, Any]]:
        """On what the bounds of each column rest, and how often they hold: as plain data.

        Of a column whose bounds rest on different things it is the least sure of them.  A quantile
        has no bounds.
        """
        kinds = {
            name: {one.kind for one in found if not _ranked(one)}
            for name, found in self.columns.items()
        }
        return {
            name: {
                "kind": next(kind for kind in _LEAST_SURE if kind in own).value,
                "confidence": float(_CONFIDENCE),
            }
            for name, own in kinds.items()
            if own
        }

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says which kind: .json, .csv or .html."""
        place = Path(path)
        kinds = {".json": self.to_json, ".csv": self.to_csv, ".html": self.report}
        writer = kinds.get(place.suffix.lower())
        if writer is None:
            raise DataError(
                f"the ending of {place.name!r} is not known. It says how the answer is written: "
                f"{', '.join(kinds)}. Use one of them."
            )
        place.write_text(writer(), "utf-8", newline="\n")
        return place

    def report(self) -> str:
        """The answer as one HTML page: table, picture, notes and certificate."""
        from discreet.release.report import report_page

        return report_page(self)

    def plot(self, column: str | None = None) -> Any:
        """A picture of one column, the first unless stated, with its 95% intervals.

        Counts and sums are bars from 0, everything else points.  Of very many groups the first
        130 are drawn.
        """
        from discreet.plots import estimates_picture

        name = next(iter(self.columns)) if column is None else column
        cells = self.column(name)[:_MOST_DRAWN]
        by = f" by {', '.join(self.keys)}" if self.keys else ""
        few = f", the first {_MOST_DRAWN}" if len(self) > _MOST_DRAWN else ""
        return estimates_picture(
            unique_labels(self.groups[:_MOST_DRAWN]) if self.keys else [name],
            [cell.value for cell in cells],
            [cell.lower for cell in cells],
            [cell.upper for cell in cells],
            title=f"{label_text(name + by)}{few}, {self.price}",
            bars=self.adds_up(name),
        )

    def _typed(self) -> dict[str, tuple[ColumnType, list[Any]]]:
        """Every column with its type, and days as dates."""
        table = {
            name: (column_type(part, ColumnType.TEXT), part)
            for name, part in self.to_dict().items()
        }
        for name in self.dated:
            table[name] = (ColumnType.DAY, [date.fromisoformat(label) for label in table[name][1]])
        for name in self.columns:
            values = table[name][1]
            if any(isinstance(value, str) for value in values):
                table[name] = (ColumnType.DAY, [date.fromisoformat(value) for value in values])
            kind = ColumnType.DAY if table[name][0] is ColumnType.DAY else ColumnType.REAL
            names, rest = self._parts(name)[:3], self._parts(name)[3:]
            table |= {part: (column_type(table[part][1], kind), table[part][1]) for part in names}
            for part in rest:
                real = part == f"{name}{RANK_ERROR}"
                table[part] = (ColumnType.REAL if real else ColumnType.TEXT, table[part][1])
        return table

    def _parts(self, name: str) -> list[str]:
        """What the columns of the table are called that an output has."""
        ends = ["", "_lower", "_upper"]
        ends += [INTERVAL] if self._bounded_otherwise(name) else []
        ends += [RANK_ERROR] if self._ranks(name) else []
        return [f"{name}{end}" for end in ends]

    def _bounded_otherwise(self, name: str) -> bool:
        """Whether more than noise stands between a column and the truth."""
        return any(one.truth is not None for one in self.columns[name])

    def _ranks(self, name: str) -> bool:
        found, asked = self.columns[name], self.statistic(name)
        return _ranked(found[0]) if found else asked is not None and asked.ranked

    # For people

    @property
    def price(self) -> str:
        """What was paid."""
        return self.certificate.price

    @property
    def notes(self) -> list[str]:
        """What intervals do not cover, and what ranks are guaranteed, per column."""
        notes, outranked = [*self.remarks], self.outranked
        for name, found in self.columns.items():
            note = found[0].note if found else ""
            error = found[0].rank_error if found else None
            if error == inf:
                notes.append(
                    f"{name}: it is computed from quantiles, whose error depends on the data, so "
                    "that no bounds can be given."
                )
            elif error is not None:
                notes.append(
                    f"{name}: at most about {error:,.0f} rows lie between the value "
                    "and the one that was asked for (95%); of a group with fewer rows it says "
                    "nothing."
                )
            if name in outranked:
                notes.append(
                    f"{name}: the error of rank is as large as {outranked[name]}, so the "
                    "value could be any between the bounds. Use a larger ε, or larger groups."
                )
            if note:
                notes.append(f"{name}: {note}")
        if self.negative:
            notes.append(
                f"{', '.join(self.negative)}: noise can make a small count negative. It is shown "
                "as it is, since rounding it up to 0 would make sums and means too large."
            )
        if not self.certificate.durable:
            notes.append("The ledger was in memory: what was spent is forgotten with the process.")
        return notes

    @property
    def negative(self) -> list[str]:
        """The counts of which some group has one below 0."""
        return [
            name
            for name, found in self.columns.items()
            if (asked := self.statistic(name)) is not None
            and asked.counts
            and any(one.value < 0 for one in found)
        ]

    @property
    def outranked(self) -> dict[str, str]:
        """The quantiles of which some group is no larger than their error, and in which.

        Known only where the rows of each group were released too.
        """
        sizes = [
            found for name, found in self.columns.items() if self.statistic(name) in (ROWS, COUNT)
        ]
        return outranked_groups(self.groups, self.columns, sizes[0] if sizes else None)

    def cells(self) -> list[list[str]]:
        """The table as texts: keys, then each value with its error."""
        labels = [list(map(label_text, group)) for group in self.groups]
        columns = [list(map(cell_text, column)) for column in self.columns.values()]
        return [
            [*label, *(column[place] for column in columns)] for place, label in enumerate(labels)
        ]

    def __repr__(self) -> str:
        shown = self.groups[:_MOST_SHOWN]
        columns = [
            [name, *(label_text(group[place]) for group in shown)]
            for place, name in enumerate(self.keys)
        ]
        columns += [
            [name, *text_columns(part[:_MOST_SHOWN])] for name, part in self.columns.items()
        ]
        lines = aligned(list(zip(*columns, strict=True)))
        if len(self) > _MOST_SHOWN:
            lines.append(f"… {len(self) - _MOST_SHOWN:,} more groups")
        if not self.groups:
            lines.append("no group was found")
        below = f"; noise made {', '.join(self.negative)} negative" if self.negative else ""
        for name, where in self.outranked.items():
            below += f"; the rank ± of {name} is as large as {where}"
        return "\n".join([*lines, f"{self.price}, errors at 95%{below}"])

    def _repr_html_(self) -> str:
        from discreet.release.report import notebook_html

        return notebook_html(self)


def _ranked(estimate: Estimate) -> bool:
    return estimate.rank_error is not None


def _ends(estimate: Estimate, level: Fraction) -> tuple[float | None, float | None]:
    return (None, None) if _ranked(estimate) else estimate.interval(level)


def _read_confidence(confidence: object) -> Fraction:
    level = rational(confidence, "confidence")
    if not 0 < level < 1:
        raise DataError(
            "confidence is not between 0 and 1. It is the probability that the bounds hold. Use "
            "0.95 or 0.99."
        )
    return level
