"""Measuring a question on an engine: integers per group, handed over as Sensitive values."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp, select

from discreet.errors import QueryError, Remedy, SourceError, UnansweredError
from discreet.measures.measure import GroupSums, Measure, PositionsReading, Unit
from discreet.measures.strategies import Strategy
from discreet.mechanisms.key_sieve import Sieve
from discreet.privacy.sensitivity import Sensitive
from discreet.question.check import Question
from discreet.question.query import Scan
from discreet.sql.write.expressions import UNIT
from discreet.sql.write.queries import PART_OF_PRODUCT, SumColumns, keys_query, queries
from discreet.sql.write.rows import Cells, Dialect, kept_rows, label, named_rows, query_names

Integers = NDArray[np.int64]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, repr=False)
class KeyCandidates:
    """Groups of private keys that occur, and how many units hold each: both are sensitive."""

    counts: Sensitive[Integers]
    _labels: tuple[tuple[str, ...], ...]

    def released(self, kept: Integers) -> tuple[tuple[str, ...], ...]:
        """The groups that a mechanism has chosen, by their places."""
        return tuple(self._labels[place] for place in kept)


@dataclass(frozen=True, slots=True, repr=False)
class Measurements:
    """The sensitive values that the mechanism of each measure takes.

    Sums are one vector of true integers, group by group; places are, for each group, the steps that
    occur and the weight at each; what is public stands as it is.  ``rows`` is the number of rows
    where that is public.
    """

    of: dict[Measure, Any]
    rows: int | None = None


class EngineConnection(Protocol):
    """The connection that an engine runs queries on."""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result as Python values: integers of any size."""

    def arrays(self, query: str) -> Mapping[str, Any]:
        """The result by columns: integers of 64 bits."""

    def bind(self, query: str) -> None:
        """Find the columns and functions of a query, without running it."""

    def forget(self, query: str) -> None:
        """Give back what is kept of a query that was bound, unless it has run."""

    def progress(self) -> float:
        """How much of the running query is done, from 0 to 1; another thread may ask."""

    @property
    def software(self) -> tuple[str, str]:
        """What runs the queries, and its version."""

    def close(self) -> None:
        """Let go of the tables."""


class Engine:
    """The rows of a table.  Opening reads names; measuring reads rows, after the charge.

    ``sieves``: of the keys that nobody listed, only those that pass a sieve are brought here.
    """

    sieves: ClassVar[bool] = False

    def __init__(
        self,
        connection: EngineConnection,
        forms: Dialect,
        written: Callable[[exp.Select], str],
        unchanged: Callable[[], bool] = lambda: True,
    ) -> None:
        """``written`` spells a query; ``unchanged`` says whether the tables are as they were."""
        self._connection = connection
        self.forms = forms
        self._written = written
        self._unchanged = unchanged
        self._done = 1, 1
        self._bound: tuple[Question, Unit, Queries] | None = None
        self._software = ("", "")

    @property
    def software(self) -> tuple[str, str]:
        """What reads the rows, and its version, as it was when a question was last prepared."""
        return self._software

    def close(self) -> None:
        """Let go of the rows."""
        self._connection.close()

    @contextmanager
    def prepared(
        self,
        question: Question,
        measures: Sequence[Measure],
        unit: Unit,
        *,
        share: int | None = None,
        score: Measure | None = None,
    ) -> Iterator[None]:
        """Bind every query of a question, so that one that cannot run is refused uncharged.

        No row is read: names, types and functions are looked up.  ``unit`` is that of the price,
        here and below: its norm is that of the noise, and decides how people are weighed.
        ``share`` is that of finding groups: what a person in one of them adds to it.  With a
        ``score`` some groups are chosen by it first.  What is bound and has not run is given back
        at the end.
        """

        def written() -> list[str]:
            first, queries = self._asked(question, measures, unit, share, score)
            if not question.selects_keys and score is None:
                self._bound = question, unit, queries
            return [*first, *_texts(queries)]

        try:
            with self._binding(written):
                yield
        finally:
            self._bound = None

    @contextmanager
    def prepared_queries(self, selects: Sequence[exp.Select]) -> Iterator[None]:
        """The same of queries that measure no question."""
        with self._binding(lambda: map(self._written, selects)):
            yield

    @contextmanager
    def _binding(self, written: Callable[[], Iterable[str]]) -> Iterator[None]:
        bound: list[str] = []
        try:
            self._bind(written, bound)
            yield
        finally:
            for text in bound:
                self._connection.forget(text)

    def _bind(self, written: Callable[[], Iterable[str]], bound: list[str]) -> None:
        done = False
        try:
            self._check_unchanged()
            for text in written():
                self._connection.bind(text)
                bound.append(text)
            self._software = self._connection.software
            done = True
        except QueryError:  # the engine says what it does not offer
            raise
        except Exception:
            pass
        if not done:
            raise SourceError(
                "the data's columns are not those that the table was opened with, or one has a "
                "type that cannot be read as it is declared. A question is bound to the columns "
                "before it is charged. Open the table again, and compare the declared columns "
                "with the data's. Nothing was spent."
            )

    def texts(
        self,
        question: Question,
        measures: Sequence[Measure],
        unit: Unit,
        *,
        share: int | None = None,
        score: Measure | None = None,
    ) -> list[str]:
        """The SQL that would run: names and public values, nothing from rows."""
        first, queries = self._asked(question, measures, unit, share, score)
        return [*first, *_texts(queries)]

    def _asked(
        self,
        question: Question,
        measures: Sequence[Measure],
        unit: Unit,
        share: int | None,
        score: Measure | None,
    ) -> "tuple[list[str], Queries]":
        """What is asked first, to find or choose groups, and the queries of the measures."""
        first: list[str] = []
        cells: Cells = None
        if question.selects_keys:
            first.append(self._written(keys_query(question, self.forms, share)))
            cells = _made_up(question)
        if score is not None:
            first += _texts(self._queries(question, (score,), cells, unit.in_one_group))
            cells = _made_up(question)
        return first, self._queries(question, measures, cells, unit)

    def progress(self) -> float:
        """How much of what is being measured is done, from 0 to 1; another thread may ask."""
        done, every = self._done
        return (done + self._connection.progress()) / every if done < every else 1.0

    def candidates(
        self, question: Question, sieve: Sieve | None = None, share: int | None = None
    ) -> KeyCandidates:
        """The groups of unlisted keys that occur; with a sieve, those that pass it.

        Each with the number of its people or, with a share, with what they add to it.
        """

        def run() -> KeyCandidates:
            self._done = 0, 1
            keys = self._found_keys(question, sieve, share)
            self._done = 1, 1
            labels = tuple(tuple(map(str, row[:-1])) for row in keys)
            counts = np.array([int(row[-1]) for row in keys], np.int64)
            return KeyCandidates(Sensitive(counts), labels)

        return self._guarded(run)

    def _found_keys(
        self, question: Question, sieve: Sieve | None, share: int | None
    ) -> list[tuple[Any, ...]]:
        if sieve is not None:
            raise NotImplementedError("this engine brings every key that occurs")
        return self._connection.rows(self._written(keys_query(question, self.forms, share)))

    def measure(
        self, question: Question, measures: Sequence[Measure], cells: Cells, unit: Unit
    ) -> Measurements:
        """The measures of a question, for its public groups or for those found or chosen."""
        many = len(cells) if cells is not None else question.cells or 0
        return self._guarded(lambda: self._measure(question, measures, cells, unit, many))

    def guarded_rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """What a query finds, which is sensitive."""

        def run() -> list[tuple[Any, ...]]:
            self._read_through(query)
            return self._connection.rows(self._written(query))

        return self._guarded(run)

    def _read_through(self, query: exp.Select) -> None:
        """Read all that a query names of several tables, so that it fails now if one cannot be.

        A join does not look at one side where the other has no rows: whether a row that cannot be
        read is met would depend on the question's conditions.  An engine whose queries read both
        sides in any case has nothing to add.
        """

    def _measure(
        self, question: Question, measures: Sequence[Measure], cells: Cells, unit: Unit, many: int
    ) -> Measurements:
        if not isinstance(question.source, Scan):  # one table is read through in any case
            self._read_through(named_rows(question))
        if many == 0:
            return Measurements({measure: _nothing(measure) for measure in measures})
        vectors: dict[Measure, Any] = {}
        rows: int | None = None
        queries = self._prepared(question, measures, unit) if cells is None else None
        if queries is None:
            queries = self._queries(question, measures, cells, unit)
        for place, (together, query) in enumerate(queries.items()):
            self._done = place, len(queries)
            if question.strategy is not None:
                rows_found = [row for text in query.texts for row in self._connection.rows(text)]
                vectors |= _by_strategy(question.strategy, together, query, rows_found)
                continue
            if isinstance(reading := together[0].reading, PositionsReading):
                groups = _groups(self._connection.arrays(query.text), reading, many)
                vectors[together[0]] = groups
                continue
            answered = [row for row in self._connection.rows(query.text) if row[0] is not None]
            columns = query.columns or (SumColumns(),)
            for measure, own in zip(together, columns, strict=True):
                vectors[measure] = Sensitive(_vector(measure, own, query.names, answered, many))
            if question.rules.fixed and query.columns:
                rows = sum(int(row[1]) for row in answered)
                vectors |= {measure: rows for measure in together if measure.free}
        self._done = 1, 1
        return Measurements(vectors, rows)

    def _guarded(self, run: Callable[[], Result]) -> Result:
        """The result; what was read by its place must have been there by its name, all the time."""

        def checked() -> Result:
            self._check_unchanged()
            result = run()
            self._check_unchanged()
            return result

        return guarded(checked)

    def _check_unchanged(self) -> None:
        if not self._unchanged():
            raise ValueError("the tables are not as they were opened")

    def _prepared(
        self, question: Question, measures: Sequence[Measure], unit: Unit
    ) -> "Queries | None":
        """The queries that were bound, if they are those of this question and this unit."""
        bound = self._bound  # another thread may bind its own
        if bound is None or bound[0] is not question or bound[1] != unit:
            return None
        queries = bound[2]
        same = {measure for together in queries for measure in together} == set(measures)
        return queries if same else None

    def _queries(
        self, question: Question, measures: Sequence[Measure], cells: Cells, unit: Unit
    ) -> "Queries":
        written = list(queries(question, measures, cells, self.forms, unit))
        found: Queries = {}
        for together, query, columns in written:
            names = tuple(selected.alias_or_name for selected in query.expressions)
            one = _EngineQuery(self._written(query), names, columns)
            before = found.get(together)
            if before is not None:
                one = replace(before, further=(*before.further, one.text))
            found[together] = one
        return found


@dataclass(frozen=True, slots=True)
class _EngineQuery:
    """The text of a query; of one that sums, its columns by name, and those of each measure."""

    text: str
    names: tuple[str, ...] = ()
    columns: tuple[SumColumns, ...] = ()
    further: tuple[str, ...] = ()
    """Of a cube with very many tables, the queries for the others."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All of its queries."""
        return (self.text, *self.further)


Queries = dict[tuple[Measure, ...], _EngineQuery]


def _texts(queries: Queries) -> list[str]:
    return [text for query in queries.values() for text in query.texts]


def _made_up(question: Question) -> Cells:
    """A made-up group in the place of those that are found or chosen: they are private."""
    return [("0",) * len(question.keys)]


def _nothing(measure: Measure) -> Any:
    """What a mechanism takes where there is no group."""
    if isinstance(measure.reading, PositionsReading):
        return ()
    return Sensitive(np.array([], np.int64))


def _by_strategy(
    strategy: Strategy,
    measures: Sequence[Measure],
    query: "_EngineQuery",
    rows: Sequence[tuple[Any, ...]],
) -> dict[Measure, Any]:
    """What a strategy measures of the sums in the cells of its tables, part after part."""
    many = len(strategy.sizes)
    every = range(many)
    cells: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for row in rows:
        keys = tuple([key for key in every if row[key] is not None])
        cells.append((keys, tuple([int(row[key]) for key in keys])))
    vectors: dict[Measure, Any] = {}
    for measure, columns in zip(measures, query.columns, strict=True):
        tables = [
            {
                keys: np.zeros(tuple(strategy.sizes[key] for key in keys), np.object_)
                for keys in strategy.largest
            }
            for _ in range(measure.width)
        ]
        summed = _group_sums(columns, query.names, many)
        for (keys, place), row in zip(cells, rows, strict=True):
            for part, number in enumerate(measure.vector(summed(row))):
                tables[part][keys][place] = number
        vectors[measure] = Sensitive(np.concatenate([strategy.measured(one) for one in tables]))
    return vectors


def _group_sums(
    columns: SumColumns, names: Sequence[str], weight: int
) -> Callable[[tuple[Any, ...]], GroupSums]:
    """How the sums of a group stand in a row; the weight of all its rows has that place."""
    place = {name: position for position, name in enumerate(names)}

    def summed(row: tuple[Any, ...]) -> GroupSums:
        def number(name: str | None) -> int:
            return 0 if name is None else int(row[place[name]])

        return GroupSums(
            int(row[weight]),
            number(columns.present),
            number(columns.total),
            number(columns.squares),
            tuple(map(number, columns.parts)),
            tuple(
                number(name) if left is None else number(name) * PART_OF_PRODUCT + number(left)
                for name, left in columns.products
            ),
        )

    return summed


def _vector(
    measure: Measure,
    columns: SumColumns,
    names: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    many: int,
) -> NDArray[Any]:
    """The integers of a measure, group by group, from what the engine added up or counted."""
    summed = _group_sums(columns, names, 1)
    cells, sums = [row[0] for row in rows], [summed(row) for row in rows]
    found = list(zip(cells, map(measure.vector, sums), strict=True))
    return _placed(found, many, measure.width)


def _placed(found: Sequence[tuple[Any, list[int]]], many: int, width: int) -> NDArray[Any]:
    """One vector with every group in its place; a group without rows holds zeros."""
    values = [0] * (many * width)
    for cell, parts in found:
        if not 0 <= cell < many:
            raise IndexError("a group that was not asked for")
        start = int(cell) * width
        values[start : start + width] = parts
    # Python's integers, whatever the values are: a type must not tell how large they are.
    return np.array(values, np.object_)


def _groups(
    arrays: Mapping[str, Any], reading: PositionsReading, many: int
) -> tuple[Sensitive[tuple[Integers, Integers]], ...]:
    """For every group, the steps from a bound and the weight at each; mirrored, from the other."""
    names = ("cell", "v0", "weight")
    cells, places, weights = (np.asarray(arrays[name], np.int64) for name in names)
    if reading.mirrored:
        cells, weights = cells[::-1], weights[::-1]
        places = reading.value.range.width - places[::-1]
        order = np.argsort(cells, kind="stable")
        cells, places, weights = cells[order], places[order], weights[order]
    starts = np.searchsorted(cells, np.arange(many + 1))
    return tuple(Sensitive((places[a:b], weights[a:b])) for a, b in pairwise(starts))


def guarded(run: Callable[[], Result]) -> Result:
    """The result, or one constant error: what went wrong may depend on rows, so it is not told."""
    interrupted = False
    try:
        return run()
    except Exception as error:
        interrupted = type(error).__name__ == "InterruptException"
    if interrupted:
        raise KeyboardInterrupt
    raise UnansweredError(
        "the data could not be read to the end. What only the rows can show is not told, since it "
        "could give someone away, and the charge stays, since rows were read. For the same reason "
        "the table is suspended: nothing more is asked of it until whoever keeps the data has "
        "looked at them outside of discreet (a broken quote, a line of a CSV file with too few or "
        "too many cells, a corrupt page, a full disk).",
        Remedy(
            python='They resume it by table.ledger.resume(table.name, why="…").',
            sql='They resume it by discreet table resume POLICY --why "…".',
        ),
    )


SIZES: tuple[int, ...] = (1, *(part << power for power in range(19) for part in (2, 3)), 1 << 20)
"""The largest number in each bin of sizes: 1, 2, 3, 4, 5–6, 7–8, 9–12 and so on, up to 2^20.  One
more bin holds what is larger."""


class SizeKind(Enum):
    """What the size of a person is: rows, groups, or rows in the group that has most of them."""

    ROWS = "rows"
    GROUPS = "groups"
    ROWS_IN_A_GROUP = "rows in a group"


Tally = np.ndarray[tuple[int], np.dtype[np.int64]]


def size_query(question: Question, kind: SizeKind, forms: Dialect) -> exp.Select:
    """How many people are of each size."""
    names = query_names(question)
    keys = {
        f"k{place}": label(grouping, names, forms)
        for place, (_, grouping) in enumerate(question.keys)
    }
    rows = kept_rows(question, {} if kind is SizeKind.ROWS else keys)
    number = exp.Count(this=exp.Star())
    if kind is SizeKind.ROWS_IN_A_GROUP:
        held = select(UNIT, exp.alias_(number, "together")).from_("measured").group_by(UNIT, *keys)
        counted = select(exp.alias_(exp.Max(this=exp.column("together")), "size"))
    else:
        held = select(UNIT) if kind is SizeKind.ROWS else select(UNIT, *keys).distinct()
        held = held.from_("measured")
        counted = select(exp.alias_(number, "size"))
    return (
        select("size", exp.alias_(number.copy(), "people"))
        .from_("counted")
        .group_by("size")
        .with_("measured", rows)
        .with_("held", held)
        .with_("counted", counted.from_("held").group_by(UNIT))
    )


def people_by_size(
    engine: Engine, question: Question, kind: SizeKind, bins: int = len(SIZES)
) -> Sensitive[Tally]:
    """How many people are of a size in each of the first bins, and how many are beyond these.

    One person is in one bin, or beyond them, or in none.
    """
    tally = np.zeros(bins + 1, np.int64)
    for many, people in engine.guarded_rows(size_query(question, kind, engine.forms)):
        tally[min(bisect_left(SIZES, int(many)), bins)] += people
    return Sensitive(tally)


def missing_query(question: Question) -> exp.Select:
    """How many rows do not say whose they are."""
    nobody = exp.Is(this=exp.column(UNIT), expression=exp.Null())
    rows = exp.Subquery(this=named_rows(question), alias=exp.TableAlias(this="read"))
    return select(exp.alias_(exp.Count(this=exp.Star()), "many")).from_(rows).where(nobody)


def rows_without_unit(engine: Engine, question: Question) -> Sensitive[Tally]:
    """How many rows do not say whose they are."""
    [(many,)] = engine.guarded_rows(missing_query(question))
    return Sensitive(np.array([many], np.int64))
