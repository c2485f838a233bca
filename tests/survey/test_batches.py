"""No sequence of looks at the results tells one report, whatever is closed, opened or restarted."""

import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.noise import Keystream
from discreet.noise.bernoulli import uniform_below
from discreet.survey.app import may_export, public_counts
from discreet.survey.collector import Collector
from discreet.survey.poll import LEAST_BATCH, Poll, read_poll
from discreet.survey.poll_terms import BATCHES, CLOSED, LIVE, PRIVATE
from discreet.survey.report_store import ReceivedReport
from discreet.survey.serving import open_poll_store
from discreet.survey.tokens import new_id
from tests.support.waits import until
from tests.survey.conftest import Sites
from tests.survey.hosts import write_poll

NOON = datetime(2030, 1, 2, 12, tzinfo=UTC)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("reports"), st.integers(1, 14)),
        st.tuples(st.just("look"), st.just(0)),
        st.tuples(st.just("close"), st.just(0)),
        st.tuples(st.just("undo"), st.just(0)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=40,
)


def started(poll: Poll) -> Collector:
    """A collector whose steps the test takes itself."""
    return Collector(poll, open_poll_store(poll), lambda: NOON)


def sent(collector: Collector, number: int) -> None:
    entries = [ReceivedReport(new_id(), "2030-01-02", str(at % 3)) for at in range(number)]
    collector.store.add(entries, collector._count, {})


def look(collector: Collector) -> int:
    """How many reports a look at the results shows; the collector does what it does each second."""
    collector._show_at = 0.0
    collector._show()
    shown = public_counts(collector)
    return collector.poll.ballot.number(shown.tally)


def shown_numbers(poll: Poll, steps: list[tuple[str, int]]) -> tuple[list[int], int, int]:
    """What was shown at each look, the first being nothing, and at the end of a closed poll."""
    collector, closed, total = started(poll), False, 0
    seen = [0]
    for step, number in steps:
        if step == "reports" and not closed:
            sent(collector, number)
            total += number
        elif step == "look":
            seen.append(look(collector))
        elif step in ("close", "undo"):
            closed = step == "close"
            collector.close_poll(closed)
        elif step == "restart":
            collector.store.close()
            collector = started(poll)
    collector.close_poll()
    at_end = look(collector)
    collector.store.close()
    return [*seen, at_end], at_end, total


def small_steps(seen: list[int], batch: int) -> list[int]:
    """Differences of any two looks that are not of nothing and less than a batch."""
    found = sorted(set(seen))
    return [b - a for a, b in pairwise(found) if b - a < batch]


@settings(max_examples=60, deadline=None, database=None)
@given(steps=STEPS, mode=st.sampled_from([BATCHES, CLOSED, PRIVATE]))
def test_two_looks_differ_by_no_report_or_by_a_batch(
    tmp_path_factory: Any, steps: list[tuple[str, int]], mode: str
) -> None:
    folder = tmp_path_factory.mktemp("batches")
    poll = read_poll(write_poll(folder, results=mode))
    seen, at_end, total = shown_numbers(poll, steps)
    assert small_steps(seen, LEAST_BATCH) == []
    assert at_end <= total
    if mode == PRIVATE:
        assert set(seen) == {0}


def test_the_control_shows_every_report(tmp_path: Path) -> None:
    poll = read_poll(write_poll(tmp_path, results=LIVE))
    steps = [("reports", 1), ("look", 0)] * 20
    seen, _, _ = shown_numbers(poll, steps)
    assert small_steps(seen, LEAST_BATCH) == [1] * 20  # each of 20 reports is read off


def test_everything_is_shown_in_the_end_if_the_poll_is_closed_once(tmp_path: Path) -> None:
    for number in range(45):
        folder = tmp_path / str(number)
        folder.mkdir()
        poll = read_poll(write_poll(folder, results=BATCHES))
        steps = [("reports", 1), ("look", 0)] * number
        seen, at_end, total = shown_numbers(poll, steps)
        assert at_end == (total if total >= LEAST_BATCH else 0)
        assert small_steps(seen, LEAST_BATCH) == []
        assert max(seen[:-1]) <= max(0, total - LEAST_BATCH)  # a rest that is a batch is left


def test_a_larger_batch_is_kept_to(tmp_path: Path) -> None:
    poll = read_poll(write_poll(tmp_path, results=BATCHES, batch=25))
    seen, at_end, total = shown_numbers(poll, [("reports", 3), ("look", 0)] * 40)
    assert small_steps(seen, 25) == []
    assert at_end == total


def test_a_differing_attack_reads_nothing_off(tmp_path: Path) -> None:
    """Whoever looks after each of 20 reports: what changes is never one report."""
    poll = read_poll(write_poll(tmp_path))
    for mode, expected in ((LIVE, 20), (BATCHES, 0)):
        folder = tmp_path / mode
        folder.mkdir()
        poll = read_poll(write_poll(folder, results=mode))
        collector, read_off = started(poll), 0
        source = Keystream()
        before = look_tally(collector)
        for _ in range(20):
            place = uniform_below(3, source)
            entry = ReceivedReport(new_id(), "2030-01-02", str(place))
            collector.store.add([entry], collector._count, {})
            after = look_tally(collector)
            change = [b - a for a, b in zip(before, after, strict=True)]
            read_off += change == [int(at == place) for at in range(3)]
            before = after
        collector.store.close()
        assert read_off == expected


def look_tally(collector: Collector) -> list[int]:
    look(collector)
    (tally,) = collector.poll.ballot.tallies(public_counts(collector).tally)
    counts: list[int] = tally.counts.tolist()
    return counts


def test_reports_are_for_everyone_once_all_of_them_are_shown(tmp_path: Path) -> None:
    for mode, while_open, closed in (
        (LIVE, True, True),
        (BATCHES, False, True),
        (CLOSED, False, True),
        (PRIVATE, False, False),
    ):
        folder = tmp_path / mode
        folder.mkdir()
        collector = started(read_poll(write_poll(folder, results=mode)))
        sent(collector, 23)
        look(collector)
        assert may_export(collector) == while_open
        collector.close_poll()
        look(collector)
        assert may_export(collector) == closed
        # A few more after it was opened again are never shown, and never exported.
        if mode in (BATCHES, CLOSED):
            collector.close_poll(False)
            sent(collector, 3)
            collector.close_poll()
            assert look(collector) == 23
            assert not may_export(collector)
        collector.store.close()


def test_the_site_keeps_to_the_mode(site: Sites) -> None:
    made = site(results=BATCHES)
    for _ in range(12):
        assert made.send(report=1).status_code == 201
    found = made.ask("GET", "/api/results").json()
    assert (found["mode"], found["batch"], found["reports"]) == (BATCHES, 10, 0)
    assert found["questions"][0]["shares"] == []
    export = made.ask("GET", "/api/export")
    assert (export.status_code, export.json()["error"]) == (403, "not-public")
    made.collector.close_poll()
    assert made.send(report=1).json()["error"] == "closed"

    def all_shown() -> Any:
        shown = made.ask("GET", "/api/results").json()
        return shown if shown["reports"] == 12 else None

    assert until(all_shown, "a closed poll shows everything")["closed"] is True
    assert len(made.ask("GET", "/api/export?format=json").json()["reports"]) == 12


def test_a_poll_that_another_process_closes_takes_no_more(site: Sites) -> None:
    made = site()
    assert made.send(report=1).status_code == 201
    store = open_poll_store(made.poll, renew=False)
    store.close_poll()
    store.close()
    response = made.send(report=1)  # at once, whenever the collector looks next
    assert (response.status_code, response.json()["error"]) == (410, "closed")
    until(lambda: made.ask("GET", "/api/poll").json()["closed"], "the page says so")
    assert made.counted() == 1


def test_refusals_are_shown_as_of_the_same_time(tmp_path: Path) -> None:
    collector = started(read_poll(write_poll(tmp_path, results=BATCHES)))
    sent(collector, 10)
    look(collector)
    collector.store.add([], collector._count, {"malformed": 2})
    assert public_counts(collector).refused == {}
    sent(collector, 10)
    look(collector)
    shown = public_counts(collector)
    assert (collector.poll.ballot.number(shown.tally), shown.refused) == (10, {"malformed": 2})
    assert json.dumps(shown.refused)
    collector.store.close()
