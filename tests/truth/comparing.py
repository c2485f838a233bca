"""Whole answers, at an ε that leaves no noise, beside what a plain database says."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.util import find_spec
from math import inf
from random import Random
from typing import Any

import discreet as dp
from discreet.errors import DiscreetError
from discreet.measures.measure import Norm
from tests.truth.questions import (
    EXACT,
    LEAST,
    MOST,
    RANK,
    SPREAD,
    Asked,
    Key,
    Output,
    Writer,
    python_of,
)
from tests.truth.world import World

EPSILON, DELTA = 10**20, "1/1000000"
_NEAR = {EXACT: 1e-5, SPREAD: 2e-3, RANK: 1e-4, LEAST: 1e-4, MOST: 1e-4}
_OF_A_STRATEGY = 5e-3
"""Tables whose totals agree are rounded together."""
_ENDS = 1 / 12
"""Of all rows so many may lie beyond a least or largest value, as its rank error says."""
_SEEN_FROM = 4
"""People from which on a group is found, at this ε."""

Row = dict[str, Any]


class UntrueError(AssertionError):
    """An answer that differs from the truth."""


@dataclass
class Tally:
    """What was asked."""

    questions: int = 0
    numbers: int = 0
    refused: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def check(world: World, seed: str, tally: Tally) -> None:
    """Ask the question of a seed, and compare every number of its answer."""
    random = Random(seed)
    capped = world.caps is not None
    asked = Writer(random, world.by_person, capped).asked()
    in_python = python_of(asked, world.table) if random.random() < 0.5 else None
    priced = _price(asked, random)
    try:
        asking = world.table.ask(asked.sql) if in_python is None else in_python
        plan = asking.plan(**priced)
        answer = plan.release()
    except DiscreetError as error:
        if not isinstance(error, dp.QueryError | dp.BoundsError | dp.PrivacyParameterError):
            raise
        tally.refused += 1
        tally.kinds[f"refused: {str(error)[:60]}"] += 1
        return
    try:
        _compare(world, asked, _rows(answer, random), plan.price.unit.norm, tally)
    except AssertionError as error:
        how = "in Python: " if in_python is not None else ""
        raise UntrueError(f"{seed}: {how}{asked.sql}\n{priced}\n{error}") from None
    tally.questions += 1


def _price(asked: Asked, random: Random) -> dict[str, Any]:
    """Noise of either kind, but for what only one kind has."""
    together = asked.arranged or any(kind == "so far" for _, kind, _ in asked.windows)
    if together or any(key.found for key in asked.keys) or random.random() < 0.3:
        return {"epsilon": EPSILON, "delta": DELTA}
    return {"epsilon": EPSILON}


def _rows(answer: Any, random: Random) -> list[Row]:
    """The answer in one of its forms."""
    form = random.choice(["pandas", "arrow", "polars" if find_spec("polars") else "arrow"])
    if form == "arrow":
        found: list[Row] = answer.to_arrow().to_pylist()
        return found
    if form == "polars":
        return [*answer.to_polars().to_dicts()]
    return [*answer.to_pandas().to_dict("records")]


def _plain(value: Any) -> Any:
    """A label or a number without the type of a store."""
    if value is None or value != value:  # noqa: PLR0124 - NaN and NaT
        return None
    if isinstance(value, date):
        return str(value)[:10]
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _as_text(value: Any) -> str:
    """A label as SQL casts it to a text."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "'" + text.replace("'", "''") + "'"


def _label(row: Row, keys: Sequence[Key]) -> tuple[Any, ...]:
    return tuple(_plain(row[key.name]) for key in keys)


def _compare(world: World, asked: Asked, answered: list[Row], norm: Norm, tally: Tally) -> None:
    if asked.around:
        _compare_around(world, asked, answered, tally)
        return
    true = {_label(row, asked.keys): row for row in _true_rows(world, asked)}
    weighed = (
        true
        if world.caps is None
        else {_label(row, asked.keys): row for row in _weighed_rows(world, asked, answered, norm)}
    )
    labels = [_label(row, asked.keys) for row in answered]
    assert len(set(labels)) == len(labels), "a group is there twice"
    if asked.limit:
        _compare_most(asked, answered, true)
    elif asked.having:
        _compare_kept(asked, labels, true)
    elif world.caps is None and any(key.found for key in asked.keys):
        for label, row in true.items():
            if None not in label and row["people_"] >= _SEEN_FROM and _listed(asked, label):
                assert label in labels, f"{label} of {row['people_']} people is not found"
    for label, row in zip(labels, answered, strict=True):
        truth, weights = true.get(label), weighed.get(label)
        for name, output in asked.outputs:
            tally.numbers += 1
            tally.kinds[output.sql.partition("(")[0]] += 1
            if world.caps is not None and not _has_twin(output, asked):
                continue
            expected, whole = _expected(weights, name, output), _expected(truth, name, output)
            near = _OF_A_STRATEGY if asked.arranged else _NEAR[output.compared]
            _compare_number(name, output, row, expected, whole, label, near)
    for name, kind, of in asked.windows:
        tally.kinds[f"window: {kind}"] += 1
        _compare_window(asked, name, kind, of, answered, true)


def _has_twin(output: Output, asked: Asked) -> bool:
    """Whether plain SQL says what caps leave of a number."""
    found = any(key.found for key in asked.keys)
    return output.weighed is not None or (bool(output.people) and not found)


def _expected(row: Row | None, name: str, output: Output) -> Any:
    """The true number; of a group without rows 0 for a count, and nothing else."""
    found = None if row is None else _plain(row[name])
    return 0 if found is None and output.counts else found


def _compare_number(
    name: str,
    output: Output,
    row: Row,
    expected: Any,
    whole: Any,
    label: tuple[Any, ...],
    near: float,
) -> None:
    value = _plain(row.get(f"{name}_exact", row[name]))
    low, high = row[f"{name}_lower"], row[f"{name}_upper"]
    low, high = -inf if low is None else low, inf if high is None else high
    told = f"{label} {name} = {value} in {low} to {high}, and not {expected}: {output.sql}"
    if output.compared in (RANK, LEAST, MOST):
        held = [float(one) for one in expected or () if one is not None]
        below = sum(one < value - near for one in held)
        above = sum(one > value + near for one in held)
        # An end is aimed at from so far inside that it is not any value beyond.
        at = {RANK: output.level, LEAST: _ENDS, MOST: 1 - _ENDS}[output.compared] * len(held)
        if output.compared is not MOST:
            assert below <= at + near, told
        if output.compared is not LEAST:
            assert above <= len(held) - at + near, told
        return
    if expected is None:
        return  # of nobody
    assert value is not None, told
    near *= max(1.0, abs(expected))
    assert abs(value - expected) <= near, told
    if whole is not None:
        assert low - near <= whole <= high + near, f"{told}; {whole} in truth"


def _compare_most(asked: Asked, answered: list[Row], true: dict[Any, Row]) -> None:
    """The shown groups are those with most, whichever of equal ones."""
    first, output = asked.outputs[0]
    most = sorted(
        (_expected(row, first, output) for label, row in true.items() if _listed(asked, label)),
        reverse=True,
    )
    shown = sorted((float(row[first]) for row in answered), reverse=True)
    found_only = any(key.found for key in asked.keys)
    assert len(shown) <= asked.limit
    for place, value in enumerate(shown):
        expected = most[place] if place < len(most) else 0
        assert abs(value - expected) < 0.01 or (found_only and value <= expected), (shown, most)


def _listed(asked: Asked, label: tuple[Any, ...]) -> bool:
    """Whether the groups of a label are declared ones."""
    return None not in label and all(
        not key.unlisted or key.unlisted != value
        for key, value in zip(asked.keys, label, strict=True)
    )


def _compare_kept(asked: Asked, labels: list[Any], true: dict[Any, Row]) -> None:
    """HAVING keeps the groups that it keeps in truth."""
    sign, bound = asked.having.split()[1:]
    for label, row in true.items():
        if not _listed(asked, label):
            continue
        if any(key.found for key in asked.keys) and row["people_"] < _SEEN_FROM:
            continue
        kept = row["o0"] > float(bound) if sign == ">" else row["o0"] < float(bound)
        assert (label in labels) == kept, f"{label} with {row['o0']}: {asked.having}"


def _compare_window(
    asked: Asked, name: str, kind: str, of: str, answered: list[Row], true: dict[Any, Row]
) -> None:
    output = dict(asked.outputs)[of]
    rows = answered
    if kind in ("so far", "change"):
        rows = sorted(answered, key=lambda row: str(row[asked.keys[0].name]).zfill(20))
    values = [_expected(true.get(_label(row, asked.keys)), of, output) for row in rows]
    for place, row in enumerate(rows):
        expected = _of_all_groups(kind, values, place)
        if expected is None:
            continue
        value = _plain(row[name])
        assert value is not None, (name, kind, rows)
        if kind == "rank":
            ties = sum(one == values[place] for one in values) - 1
            assert expected <= value <= expected + ties, (name, value, expected, values)
        else:
            near = 1e-4 * max(1.0, abs(expected))
            assert abs(value - expected) <= near, (name, kind, row, expected, values)


def _of_all_groups(kind: str, values: Sequence[float], place: int) -> float | None:
    match kind:
        case "so far":
            return sum(values[: place + 1])
        case "share":
            return 100 * values[place] / sum(values) if sum(values) else None
        case "change":
            return values[place] - values[place - 1] if place else None
        case "mean":
            return sum(values) / len(values)
        case _:
            return 1 + sum(one > values[place] for one in values)


def _compare_around(world: World, asked: Asked, answered: list[Row], tally: Tally) -> None:
    """What is said of all groups together; which they are is public."""
    tally.kinds[f"around: {asked.around}"] += 1
    inner = replace(asked, around="", outputs=asked.outputs[:1])
    shown = _rows(world.table.sql(inner.sql, epsilon=EPSILON), Random(0))
    labels = [_label(one, asked.keys) for one in shown]
    true = {_label(row, asked.keys): row for row in _true_rows(world, inner)}
    first, output = asked.outputs[0]
    values = [_expected(true.get(label), first, output) for label in labels]
    expected = {
        "SUM": sum(values),
        "AVG": sum(values) / len(values),
        "COUNT": len(values),
    }[asked.around]
    [row] = answered
    assert abs(row["all_of_them"] - expected) < 1e-4, (
        row,
        expected,
        dict(zip(labels, values, strict=True)),
    )


def _true_rows(world: World, asked: Asked) -> Iterator[Row]:
    """What a plain database says of each group; totals have None for a key."""
    source = asked.source
    person = source.person
    people = f"COUNT(DISTINCT {person})" if person else "COUNT(*)"
    columns = [f"{one.plain} AS {name}" for name, one in asked.outputs]
    keys = [f"{key.sql} AS {key.name}" for key in asked.keys]
    inside = [*keys, *columns, f"{people} AS people_"]
    where = [f"({one.sql})" for one in asked.where]
    if asked.arranged:
        inside += [f"GROUPING({key.sql}) AS all_{key.name}" for key in asked.keys]
        where += [f"({key.sql}) IS NOT NULL" for key in asked.keys]
        where += [f"{key.sql} <> '{key.unlisted}'" for key in asked.keys if key.unlisted]
    text = f"SELECT {', '.join(inside)} FROM {source.sql}"
    if where:
        text += f" WHERE {' AND '.join(where)}"
    if asked.keys:
        listed = ", ".join(f"({key.sql})" for key in asked.keys)
        text += (
            f" GROUP BY {asked.arranged} ({listed})" if asked.arranged else f" GROUP BY {listed}"
        )
    for row in world.rows(text):
        if any(row[key.name] is None and not row.get(f"all_{key.name}") for key in asked.keys):
            continue  # in no group
        yield row


def _weighed_rows(world: World, asked: Asked, answered: list[Row], norm: Norm) -> Iterator[Row]:
    """The same, where each row of a person over a cap weighs less, and each of many groups."""
    assert world.caps is not None
    max_rows, max_groups = world.caps
    found = any(key.found for key in asked.keys)
    inside = [f"({one.sql})" for one in asked.where] + [f"{asked.source.person} IS NOT NULL"]
    inside += [f"({key.sql}) IS NOT NULL" for key in asked.keys]
    inside += [f"{key.sql} <> '{key.unlisted}'" for key in asked.keys if key.unlisted]
    if found:  # rows of other groups are not measured
        together = ", ".join(
            f"REGEXP_REPLACE(CAST({key.sql} AS VARCHAR), '(\\.0| 00:00:00)$', '')"
            for key in asked.keys
        )
        texts = [tuple(_as_text(one) for one in _label(row, asked.keys)) for row in answered]
        shown = [f"({', '.join(one)})" for one in texts]
        inside.append(f"({together}) IN ({', '.join(shown)})" if shown else "false")
    keys = [f"{_flat(key.sql)} AS {key.name}" for key in asked.keys]
    rows = f"SELECT {asked.source.columns} FROM {asked.source.sql} WHERE {' AND '.join(inside)}"
    groups = ", ".join(f"({_flat(key.sql)})" for key in asked.keys)
    size = "COUNT(*)" if norm is Norm.L1 else "SQRT(SUM(m)"  # of m rows each adds its m
    size = f"{size} OVER (PARTITION BY id){')' if norm is Norm.L2 else ''}"
    counted = f"SELECT *, COUNT(*) OVER (PARTITION BY id, {groups or 1}) AS m FROM ({rows})"
    kept = f"SELECT *, LEAST(1.0, {max_rows}::DOUBLE / {size}) AS w FROM ({counted})"
    columns = [f"{_flat(one.weighed or 'NULL')} AS {name}" for name, one in asked.outputs]
    columns.append("COUNT(*) AS rows_")
    by = f" GROUP BY {groups}" if groups else ""
    answers = {
        _label(row, asked.keys): row
        for row in world.rows(f"SELECT {', '.join([*keys, *columns])} FROM ({kept}){by}")
    }
    share = f"{max_groups if asked.keys else 1}::DOUBLE / COUNT(*) OVER (PARTITION BY id)"
    weight = f"LEAST(1.0, {share if norm is Norm.L1 else f'SQRT({share})'})"
    names = ", ".join([key.name for key in asked.keys])
    for name, one in asked.outputs:
        if one.people and not found:  # groups that are found come with numbers of people
            pairs = (
                f"SELECT DISTINCT {', '.join(['id', *keys])} FROM ({rows}) "
                f"WHERE {_flat(one.people)}"
            )
            text = f"SELECT {', '.join([*([names] if names else []), 'SUM(w) AS w'])} FROM ("
            text += f"SELECT *, {weight} AS w FROM ({pairs}))"
            for row in world.rows(text + (f" GROUP BY {names}" if names else "")):
                answers[_label(row, asked.keys)][name] = row["w"]
    yield from answers.values()


def _flat(sql: str) -> str:
    """An expression about columns of several tables, of which each has one name."""
    return re.sub(r"\b[vpw]\.", "", sql)
