"""The release: a table of private numbers with their errors, its notes and a certificate."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf, isfinite
from pathlib import Path
from typing import Any

from discreet.errors import DataError, QueryError
from discreet.exact import percent_text, rational
from discreet.measures.measure import Aggregate, Statistic
from discreet.measures.registry import COUNT, ROWS
from discreet.plan.expressions import (
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
)
from discreet.privacy.number_text import NumberText, margin_text
from discreet.privacy.uncertainty import (
    BoundedError,
    LinearError,
    MeasuredRankError,
    left_open,
)
from discreet.question.check import Question
from discreet.question.conditions import compared_value, declared_words, near_value
from discreet.question.groupings import (
    Label,
    label_text,
)
from discreet.question.query import RunningTotal
from discreet.release import exports
from discreet.release.certificate import Certificate
from discreet.release.consistent import sizes_of_moves
from discreet.release.exports import (
    ColumnType,
    column_type,
    dated_column,
    points_aligned,
)
from discreet.text_table import TextTable, wrapped

INTERVAL = "_interval"
"""What is added to the name of an output for the column that says on what its bounds rest."""
MOVED = "_moved"
"""What is added to the name of a count for the column that says by how much it was moved."""
RANK_ERROR = "_rank_error"
"""What is added to the name of an output for the column of its rank errors."""
EXACT = "_exact"
"""What is added to the name of a count with a fraction for the column that has it exactly."""
NONE_FOUND = "no group shown"
"""What is said of an answer whose groups are found privately, if none was."""
LEFT_OUT = "no row is left: a condition on the released numbers, LIMIT or OFFSET left out all"
"""What is said of an answer that has no row otherwise."""
_MOST_LISTED = 6

_CONFIDENCE = Fraction(95, 100)
_LEAST_SURE = (IntervalKind.COUNTED, IntervalKind.LIKELY, IntervalKind.SURE, IntervalKind.NOISE)
_MOST_SHOWN = 60
_TEXT_WIDTH = 80
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
    doubled = sorted(names & {f"{name}{MOVED}" for name in names})
    if doubled and question.after.nonnegative:
        raise QueryError(
            f"two columns of the answer are named {doubled[0][:60]!r}. A count n that is moved to "
            f"be non-negative also gives n{MOVED}. Use other names."
        )
    doubled = sorted(names & {f"{name}{RANK_ERROR}" for name in names})
    if doubled and any(output.aggregate.statistic.ranked for output in question.outputs):
        raise QueryError(
            f"two columns of the answer are named {doubled[0][:60]!r}. A quantile, a least or a "
            f"largest value m also gives m{RANK_ERROR}. Use other names."
        )

    counts = {one.name for one in question.outputs if one.aggregate.statistic.counts}
    if doubled := sorted(names & {f"{name}{EXACT}" for name in counts}):
        raise QueryError(
            f"two columns of the answer are named {doubled[0][:60]!r}. A count n can also give "
            f"n{EXACT}. Use other names."
        )


def merged_notes(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Each note once, after the names of all outputs that it is about; "" is about all.

    >>> merged_notes([("n", "it is noisy."), ("m", "it is noisy."), ("", "Small groups.")])
    ['n, m: it is noisy.', 'Small groups.']
    """
    names: dict[str, list[str]] = {}
    for name, note in notes:
        listed = names.setdefault(note, [])
        if name and name not in listed:
            listed.append(name)
    return [f"{', '.join(listed)}: {note}" if listed else note for note, listed in names.items()]


def undeclared_value_notes(question: Question) -> list[str]:
    """Conditions that compare a category with a value that was not declared."""
    unknown: dict[str, tuple[str, object, CategoryColumn]] = {}
    declared: dict[str, frozenset[object]] = {}
    asked = [one.of for _, one in question.query.outputs if one.of is not None]
    for condition in (*question.where, *asked):
        for node in walk(condition):
            name, value = compared_value(node)
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


_OF_FOUND_GROUPS = (
    "totals, means, shares and ranks over all groups are over the groups that were found; rows of "
    "other groups are not in them."
)


def table_remarks(question: Question) -> list[str]:
    """What is to be known of tables whose totals agree, of running totals, and of windows."""
    strategy = question.strategy
    if strategy is None:
        found = question.rules.selects_keys and question.after.windows
        return [_OF_FOUND_GROUPS] if found else []
    if len(strategy.tables) == 1 and len(question.keys) == len(strategy.tables[0]):
        arranged = question.query.arranged
        if isinstance(arranged, RunningTotal) and arranged.by_group:
            whole = "a running total is of its group and of those before it, other numbers are not"
            return [f"{whole}; a difference of two totals is the sum of the groups between."]
        whole = "each number is the total of its group and of those before it"
        return [f"{whole}; a difference of two is the sum of the groups between."]
    names = ", ".join(label_text(name) for name, _ in question.keys)
    return [
        f"all totals agree: a row in no group of one of the keys ({names}) is in no total either. "
        "The number of all rows is a question of its own."
    ]


def _remark(condition: str, name: str, value: object, column: CategoryColumn) -> str:
    fact = f"{label_text(condition)} fits no declared value: {declared_words(name, column)}."
    if not isinstance(value, str):  # of numbers, none is nearer to what was meant than another
        return fact
    near = near_value(value, column)
    meant = "one of them" if near is None else constant_text(near)
    return f"{fact} Did you mean {meant}?"


def small_group_notes(errors: Mapping[str, float | None], rows: int | None) -> list[str]:
    """Outputs whose error of rank is as large as the group that is expected."""
    return merged_notes(
        (
            name,
            f"the error of rank is about {margin_text(error, whole=True)} rows, and a group is "
            f"expected to have {rows:,}. The value could be any between the bounds. Use a larger "
            "ε, or larger groups.",
        )
        for name, error in errors.items()
        if error is not None and rows is not None and error >= rows
    )


def outranked_groups(
    groups: Sequence[tuple[Label, ...]],
    columns: Mapping[str, Sequence[Estimate]],
    sizes: Sequence[Estimate] | None,
) -> dict[str, str]:
    """Of each output, the groups that may have no more rows than its error of rank.

    The noise of the rows is allowed for: a group without any would else pass for one of three.
    """
    if sizes is None:
        return {}
    notes: dict[str, str] = {}
    for name, column in columns.items():
        names = [
            ", ".join(map(label_text, group))
            for group, one, size in zip(groups, column, sizes, strict=True)
            if one.rank_error is not None and one.rank_error >= size.noise_interval()[0]
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
    they rest: "sure", or "likely" if nobody has more than a profile could see; those of quantiles
    are "counted", as they are of the rows as these are counted.  ``at(0.99)`` is the same answer
    with intervals of another level, in all of its forms.

    Of a count ``n`` that was moved to be non-negative, ``n_moved`` says by how much:
    ``n - n_moved`` is what was measured.  Weights, and noise that means share with it, give a
    count a fraction: ``n`` and its bounds are whole then, and ``n_exact`` has all of it.

    A column ``m`` that is a quantile, a least or a largest value also has ``m_rank_error``: at most
    so many rows lie between the value and the one that was asked for.  A least or a largest value
    has no bounds.

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
    confidence: Fraction = _CONFIDENCE
    """The probability with which each of its intervals holds."""
    repeated: bool = False
    """Whether it was paid before, so that showing it again cost nothing."""
    written: str = ""
    """The question in SQL as it was typed, if it was asked in SQL."""
    none_found: str = LEFT_OUT
    """What is said where there is no row: why, and of how many people a group would be found."""
    key_types: tuple[tuple[ColumnType, bool], ...] = ()
    """The type of each key, and whether it has gaps: of totals."""
    typical: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)
    """The columns before groups are left out, or of made-up groups, where they tell more of what a
    column is."""

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, name: str) -> Estimate | Estimates:
        """A column: one estimate, or, where there are groups, one for each by its key."""
        column = self.column(name)
        if not self.keys:
            if not column:
                raise DataError(
                    f"the answer has no row, so {name[:60]!r} has no number: {self.none_found}. "
                    "Look at len(answer) first."
                )
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

    def at(self, confidence: object) -> "Release":
        """The same answer with intervals that hold with another probability: ``at(0.99)``.

        It is free.  All of its forms have them: the table as text, frames, CSV, JSON, report and
        picture.  Errors of rank are known at 95% alone.
        """
        return replace(self, confidence=read_confidence(confidence))

    def rows(self, confidence: object = None) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries: keys, then value, lower and upper of each column.

        Beside those of a quantile stands its rank error, at 95%.  A least or a largest value has
        no bounds: they are None.
        """
        level = self.confidence if confidence is None else read_confidence(confidence)
        header = self.header
        columns = [
            (
                found,
                self._bounded_otherwise(name),
                self.moves(name),
                self.ranks(name),
                self._split(name),
            )
            for name, found in self.columns.items()
        ]
        for place, group in enumerate(self.groups):
            row: list[Any] = [*group]
            for found, bounded, moves, ranks, split in columns:
                one = found[place]
                numbers = (one.value, *_ends(one, level))
                row += _whole(*numbers) if split else numbers
                row += [one.kind.value] if bounded else []
                row += [one.moved] if moves else []
                row += [one.rank_error] if ranks else []
                row += [one.value] if split else []
            yield dict(zip(header, row, strict=True))

    def simultaneous(
        self, confidence: object = _CONFIDENCE
    ) -> dict[str, list[FloatInterval | None]]:
        """For each column, bounds per group that hold all at once with this probability.

        Each of k bounds may miss with a k-th of the chance that is left, so together they miss no
        more often than that.  What has no bounds stands as None.
        """
        level = read_confidence(confidence)
        bounded = [one for found in self.columns.values() for one in found if one.bounded]
        each = 1 - (1 - level) / max(1, len(bounded))
        return {
            name: [one.interval(each) if one.bounded else None for one in found]
            for name, found in self.columns.items()
        }

    # Other forms

    @property
    def header(self) -> list[str]:
        """The names of the table's columns in order."""
        return list(self._header)

    @cached_property
    def _header(self) -> tuple[str, ...]:
        """The same: what a column is follows from all of its cells, which may be very many."""
        return (*self.keys, *(part for name in self.columns for part in self._parts(name)))

    def to_dict(self) -> dict[str, list[Any]]:
        """The table by columns, as plain data; dates are texts."""
        rows = list(self.rows())
        return {name: [row[name] for row in rows] for name in self.header}

    def to_pandas(self) -> Any:
        """A pandas DataFrame; its ``attrs`` hold the notes, and on what the bounds rest."""
        gapped = [name for name, (_, gaps) in zip(self.keys, self.key_types, strict=True) if gaps]
        frame = exports.pandas_frame(self._typed(), gapped)
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
        paid = {"already_paid": self._paid_before} if self.repeated else {}
        return exports.json_text(
            {
                "rows": list(self.rows()),
                "confidence": float(self.confidence),
                "intervals": self.intervals,
                "notes": self.notes,
                **paid,
                "certificate": self.certificate.to_data(),
            }
        )

    @property
    def intervals(self) -> dict[str, dict[str, Any]]:
        """On what the bounds of each column rest, and how often they hold: as plain data.

        Of a column whose bounds rest on different things it is the least sure of them.
        """
        kinds = {
            name: {one.kind for one in self._typical(name) if one.bounded} for name in self.columns
        }
        return {
            name: {
                "kind": next(kind for kind in _LEAST_SURE if kind in own).value,
                "confidence": float(self.confidence),
            }
            for name, own in kinds.items()
            if own
        }

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says which kind.

        .json, .csv, .parquet and .xlsx hold the table as programs read it, .md as people do, .html
        is the report, .png and .svg are the pictures of all columns.
        """
        from discreet.release.answer_files import save_answer

        return save_answer(self, self._typed(), Path(path))

    def report(self) -> str:
        """The answer as one HTML page: table, picture, notes and certificate."""
        from discreet.release.report import report_page

        return report_page(self)

    def plot(self, column: str | None = None) -> Any:
        """A picture of one column, the first unless stated, with its intervals.

        Groups that are dates, bins of dates or many whole numbers are a line with a band; of other
        keys beside them each has a line, or, above six, a panel.  Other groups are bars from 0
        where counts and sums are shown, and points elsewhere.  Of very many groups the first are
        drawn, which the picture says.
        """
        from discreet.release.pictures import column_picture

        return column_picture(self, next(iter(self.columns)) if column is None else column)

    @property
    def types(self) -> dict[str, ColumnType]:
        """The type of every column.

        It follows from what is asked, not from the numbers: an empty answer has those of a full
        one.  A whole number beyond 64 bits is a real one.
        """
        types = {name: kind for name, (kind, _) in zip(self.keys, self.key_types, strict=True)}
        for name in self.columns:
            value, ends = self._value_types(name)
            types |= {name: value, f"{name}_lower": ends, f"{name}_upper": ends}
            counted = all(type(one.moved) is int for one in self._typical(name))
            moved = ColumnType.WHOLE if counted else ColumnType.REAL
            others = {INTERVAL: ColumnType.TEXT, MOVED: moved}
            for part in self._parts(name)[3:]:
                types[part] = others.get(part[len(name) :], ColumnType.REAL)
        return types

    def _value_types(self, name: str) -> tuple[ColumnType, ColumnType]:
        """The types of a column and of the ends of its intervals."""
        found, statistic = self._typical(name), self.statistic(name)
        texts = [one.value for one in found if isinstance(one.value, str)]
        if texts:
            kind = dated_column(texts)[0]
            return kind, kind
        linear = all(isinstance(one.error, LinearError) for one in found)
        split = self._split(name)
        whole = split or (found and all(type(one.value) is int for one in found))
        if not whole or (statistic is None and not linear):  # what is computed may be missing
            return ColumnType.REAL, ColumnType.REAL
        same = all(one.bounded and one.truth is None for one in found) and (
            split or all(type(end) is int for one in found for end in one.noise_interval())
        )
        return ColumnType.WHOLE, ColumnType.WHOLE if same else ColumnType.REAL

    def _typed(self) -> dict[str, tuple[ColumnType, list[Any]]]:
        """Every column with its type, and days and datetimes as such."""
        types, table = self.types, {}
        for name, values in self.to_dict().items():
            kind = types[name]
            if kind is ColumnType.WHOLE:
                kind = column_type(_known(values), kind)
            dated = kind in (ColumnType.DAY, ColumnType.MOMENT, ColumnType.TIME)
            table[name] = kind, dated_column(values)[1] if dated else values
        return table

    def _typical(self, name: str) -> tuple[Estimate, ...]:
        """A column as it is before groups are left out."""
        return self.typical.get(name) or self.columns[name]

    def _parts(self, name: str) -> list[str]:
        """What the columns of the table are called that an output has."""
        ends = ["", "_lower", "_upper"]
        ends += [INTERVAL] if self._bounded_otherwise(name) else []
        ends += [MOVED] if self.moves(name) else []
        ends += [RANK_ERROR] if self.ranks(name) else []
        ends += [EXACT] if self._split(name) else []
        return [f"{name}{end}" for end in ends]

    def _bounded_otherwise(self, name: str) -> bool:
        """Whether more than noise stands between a column and the truth."""
        kinds = (one.kind for one in self._typical(name) if one.bounded)
        return any(kind is not IntervalKind.NOISE for kind in kinds)

    def moves(self, name: str) -> bool:
        """Whether a column was moved to be non-negative, so that it says by how much."""
        return any(one.moved is not None for one in self._typical(name))

    def _split(self, name: str) -> bool:
        """Whether a count has a fraction, so that it stands beside it as it is."""
        return any(one.whole and not isinstance(one.value, int) for one in self._typical(name))

    def ranks(self, name: str) -> bool:
        """Whether a column is chosen by rank, so that it has an error of rank, at 95%."""
        found, asked = self._typical(name), self.statistic(name)
        return _ranked(found[0]) if found else asked is not None and asked.ranked

    def _bounds(self, name: str) -> bool:
        """Whether a column has intervals."""
        found = self._typical(name)
        return any(one.bounded for one in found) if found else not self.ranks(name)

    # For people

    @property
    def price(self) -> str:
        """What was paid."""
        return self.certificate.price

    @property
    def notes(self) -> list[str]:
        """What intervals do not cover, and what ranks are guaranteed, per column."""
        notes, outranked = [("", remark) for remark in self.remarks], self.outranked
        for name, found in self.columns.items():
            note = found[0].note if found else ""
            error = max((one.rank_error or 0 for one in found), default=0)
            if error == inf:
                text = (
                    "it is computed from least or largest values, whose error depends on the data, "
                    "so that no bounds can be given."
                )
                notes.append((name, text))
            elif found and found[0].rank_error is not None:
                where = "" if len(found) == 1 else "in any one group "
                text = (
                    f"{where}at most about {margin_text(error, whole=True)} rows lie between the "
                    "value and the exact one (95%); of a group with fewer rows that says nothing."
                )
                notes.append((name, text))
            if opened := self._whole_ranges[name]:
                notes.append((name, opened))
            if name in outranked:
                text = (
                    f"the error of rank may be as large as {outranked[name]}, so the value could "
                    "be any between the bounds. Use a larger ε, or larger groups."
                )
                notes.append((name, text))
            if note:
                notes.append((name, note))
            if any(one.moved is not None for one in found):
                notes.append((name, sizes_of_moves(self.groups, found)))
            if opened := left_open([one.error for one in found]):
                notes.append((name, opened))
        for name in self.negative:
            text = (
                "noise can make a small count negative. It is shown as it is, since rounding it up "
                "to 0 would make sums and means too large."
            )
            notes.append((name, text))
        if not self.certificate.durable:
            text = "The ledger was in memory: what was spent is forgotten with the process."
            notes.append(("", text))
        return merged_notes(notes)

    @cached_property
    def _whole_ranges(self) -> dict[str, str]:
        """What is said of intervals that say nothing: of many groups it takes a while to find."""
        return {name: _whole_ranges(found, self.confidence) for name, found in self.columns.items()}

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
        """The quantiles of which some group may be no larger than their error, and in which.

        Known only where the rows of each group were released too.
        """
        sizes = [
            found for name, found in self.columns.items() if self.statistic(name) in (ROWS, COUNT)
        ]
        return outranked_groups(self.groups, self.columns, sizes[0] if sizes else None)

    @property
    def level_text(self) -> str:
        """The confidence of its intervals, as people write it: 95%."""
        return percent_text(self.confidence)

    def printed(self, name: str, most: int | None = None) -> list[NumberText]:
        """The numbers of a column as people read them, each with its error.

        Files for programs hold them exact.
        """
        return [one.printed(self.confidence) for one in self.column(name)[:most]]

    def text_table(self, most: int | None = None) -> TextTable:
        """The table for a terminal: below each name stands how often its intervals hold."""
        levels = [
            percent_text(self.confidence if self._bounds(name) else _CONFIDENCE)
            for name in self.columns
        ]
        outputs = [
            f"{label_text(name)}\n± ({level})"
            for name, level in zip(self.columns, levels, strict=True)
        ]
        header = (*map(label_text, self.keys), *outputs)
        return TextTable(header, tuple(map(tuple, self.cells(most))), len(self.keys))

    def cells(self, most: int | None = None) -> list[list[str]]:
        """The table as texts: keys, then each value with its error."""
        labels = [list(map(label_text, group)) for group in self.groups[:most]]
        columns = [[one.text for one in self.printed(name, most)] for name in self.columns]
        return [
            [*label, *(column[place] for column in columns)] for place, label in enumerate(labels)
        ]

    @property
    def payment_text(self) -> str:
        """What it cost; of an answer that was given again, when it was paid."""
        if not self.repeated:
            return self.price
        paid = self._paid_before
        return f"already paid: entry {paid['entry']:,}, {paid['date']}"

    @property
    def _paid_before(self) -> dict[str, Any]:
        return {"entry": self.certificate.entry, "date": self.certificate.time[:10]}

    def __repr__(self) -> str:
        shown = self.groups[:_MOST_SHOWN]
        columns = [
            [label_text(group[place]) for group in shown] for place, _ in enumerate(self.keys)
        ]
        columns += [points_aligned(self.printed(name, _MOST_SHOWN)) for name in self.columns]
        header = tuple(map(label_text, (*self.keys, *self.columns)))
        table = TextTable(header, tuple(zip(*columns, strict=True)), len(self.keys))
        lines = "\n\n".join("\n".join(part.lines()) for part in table.fitted(_TEXT_WIDTH)).split(
            "\n"
        )
        if len(self) > _MOST_SHOWN:
            lines.append(f"… {len(self) - _MOST_SHOWN:,} more groups")
        if not self.groups:
            lines += wrapped(self.none_found, _TEXT_WIDTH).split("\n")
        below = [f"{self.payment_text}, errors at {self.level_text}"]
        below += [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, *(wrapped(line, _TEXT_WIDTH) for line in below)])

    def _repr_html_(self) -> str:
        from discreet.release.report import notebook_html

        return notebook_html(self)


def _known(labels: Sequence[Any]) -> list[Any]:
    """The labels of a key but for those of totals, which have none."""
    return [label for label in labels if label is not None]


def _whole_ranges(found: Sequence[Estimate], confidence: Fraction) -> str:
    """In how many groups an interval says nothing, and what would narrow it."""
    ranked = sum(isinstance(one.error, MeasuredRankError) and one.error.whole for one in found)
    many = ranked or sum(_says_nothing(one, confidence) for one in found)
    if not many:
        return ""
    where = f" in {many:,} of {len(found):,} groups" if len(found) > 1 else ""
    if ranked:
        return (
            f"its interval is the whole range{where}: at this ε no narrower interval can be "
            "certified. A larger ε, larger groups, or fewer quantiles at once narrow it."
        )
    return (
        f"its interval is the whole range{where}: there are too few rows for this ε, and the "
        "number says nothing. A larger ε or larger groups narrow it."
    )


def _says_nothing(estimate: Estimate, confidence: Fraction) -> bool:
    """Whether noise leaves all that is possible, of a number of which that is known."""
    error = estimate.error
    if not isinstance(error, BoundedError) or error.possible is None:
        return False
    return estimate.noise_interval(confidence) == error.possible


def _ranked(estimate: Estimate) -> bool:
    return estimate.rank_error is not None


def _whole(value: Any, lower: Any, upper: Any) -> tuple[Any, Any, Any]:
    """A count as a whole number, with bounds that are whole and hold what they held.

    >>> _whole(10.4, 3.2, 17.6), _whole(10.4, 3.2, inf)
    ((10, 3, 18), (10, 3, inf))
    """
    return (
        round(value) if isfinite(value) else value,
        floor(lower) if isfinite(lower) else lower,
        ceil(upper) if isfinite(upper) else upper,
    )


def _ends(estimate: Estimate, level: Fraction) -> tuple[float | None, float | None]:
    return estimate.interval(level) if estimate.bounded else (None, None)


def read_confidence(confidence: object) -> Fraction:
    """The probability with which intervals hold, as whoever asks wrote it.

    >>> read_confidence(0.99)
    Fraction(99, 100)
    """
    percent = isinstance(confidence, str) and confidence.strip().endswith("%")
    level = Fraction(0) if percent else rational(confidence, "confidence")
    if not 0 < level < 1:
        raise DataError(
            "confidence is not between 0 and 1. It is the probability that the bounds hold. Use "
            "0.95 or 0.99."
        )
    return level
