"""The site takes what a page can have sent, refuses all else, and counts what it refuses."""

import csv
import io
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import pytest

from discreet.local import Mean, read_export
from discreet.survey.estimates import leverage
from discreet.survey.export import csv_lines
from discreet.survey.poll_schemes import KINDS
from discreet.survey.poll_terms import PollTerms
from discreet.survey.report_store import ReportStore
from discreet.survey.tokens import new_id, new_token, token_hash
from discreet.web.headers import HEADERS
from discreet.web.request_limits import RateLimit
from tests.support.waits import until
from tests.survey.conftest import NOON, Site, Sites
from tests.survey.hosts import ANSWERS


def refused(site: Site, reason: str, number: int = 1) -> bool:
    """Whether it was refused so often, once that is written."""
    return until(lambda: site.store.tally()[1].get(reason) == number, f"{reason} is written")


def results_of(site: Site, reports: int) -> Any:
    """The results, once they are of so many reports: for an instant they are not computed anew."""

    def found() -> Any:
        shown = site.ask("GET", "/api/results").json()
        return shown if shown["reports"] == reports else None

    return until(found, f"the results of {reports} reports")


def unavailable(site: Site) -> Any:
    """The response, once there are no results to be had."""

    def found() -> Any:
        response = site.ask("GET", "/api/results")
        return response if response.status_code == 503 else None

    return until(found, "the results are unavailable")


PAGES = ["/", "/results", "/scheme.json", "/api/poll", "/api/results", "/api/export"]
PAGES += ["/api/export?format=json", "/api/export?format=xml", "/openapi.json", "/nothing"]
PAGES += ["/static/page.js", "/static/..%2fapp.py", "/static/app.py", "/docs", "/reports"]


@pytest.mark.parametrize("path", PAGES)
def test_every_response_has_the_headers_that_protect_the_page(site: Sites, path: str) -> None:
    response = site().ask("GET", path)
    assert response.status_code < 500
    for name, value in HEADERS.items():
        assert response.headers.get_list(name) == [value]


def test_no_page_shows_the_mark_of_a_lost_letter(site: Sites) -> None:
    made = site(question="Ça va\u00a0?", purpose="1\u202f000 personnes")
    for path in [*PAGES, "/static/ballot.js", "/static/texts.js", "/static/style.css"]:
        assert "\N{REPLACEMENT CHARACTER}" not in made.ask("GET", path).text, path
    assert "Ça va\u00a0?" in made.ask("GET", "/api/poll").text


def test_the_page_loads_nothing_from_elsewhere_and_holds_no_script(site: Sites) -> None:
    made = site()
    assert "default-src 'self'" in HEADERS["Content-Security-Policy"]
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    for path in ("/", "/results", "/static/page.js", "/static/results.js"):
        text = made.ask("GET", path).text.replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
    for path in ("/", "/results"):
        text = made.ask("GET", path).text
        assert "<form" not in text
        assert " style=" not in text
        assert " onclick" not in text
        assert " name=" not in text.replace('meta name="', "")
        assert text.count("<script") == text.count('<script type="module" src="static/') == 1
    scripts = ("page", "ballot", "randomizer", "texts", "schemes/subset", "schemes/mean")
    module = "".join(made.ask("GET", f"/static/{name}.js").text for name in scripts)
    for word in (
        "localStorage",
        "sessionStorage",
        "indexedDB",
        "cookie",
        "console.",
        "Math.random",
    ):
        assert word not in module
    assert module.count("fetch(") == 2  # of the poll and its scheme, and of the report


def test_whoever_asks_for_the_head_of_a_page_gets_it(site: Sites) -> None:
    made = site()
    for path in ("/", "/results"):
        head = made.ask("HEAD", path)
        assert (head.status_code, head.headers["content-type"]) == (200, "text/html; charset=utf-8")


def test_an_empty_poll_has_the_first_line_of_its_csv(site: Sites) -> None:
    for fields, line in (
        ({}, "answer,share,error,lower,upper\n"),
        ({"answers": None, "low": 0, "high": 40}, "mean,error,lower,upper\n"),
    ):
        made = site(database=f"{len(fields)}.db", **fields)
        assert made.ask("GET", "/api/results?format=csv").text == line
        assert made.ask("GET", "/api/export").text == "day,report\n"


def test_the_scheme_is_served_as_it_was_written(site: Sites) -> None:
    made = site()
    assert made.ask("GET", "/scheme.json").text == made.poll.questions[0].scheme.to_json()


def test_a_report_is_in_the_results_once_it_is_acknowledged(site: Sites) -> None:
    made = site()
    assert made.ask("GET", "/api/results").json()["questions"][0]["shares"] == []
    for answer in ANSWERS * 20:
        report = json.loads(
            made.poll.questions[0].scheme.report_to_wire(
                made.poll.questions[0].scheme.randomize(answer)
            )
        )
        response = made.send(report=report["report"])
        assert (response.status_code, response.json()) == (201, {"stored": True})
    assert made.counted() == 60
    (found,) = results_of(made, 60)["questions"]
    assert [share["answer"] for share in found["shares"]] == list(ANSWERS)
    for share in found["shares"]:
        assert share["lower"] <= share["share"] <= share["upper"]
    named, other = made.poll.questions[0].scheme.pair
    assert found["poisoning"]["most_shift_per_report"] == pytest.approx(
        float(1 / (named - other)) / 60
    )
    assert "forged" in found["poisoning"]["text"]


@pytest.mark.slow
def test_reports_on_a_number_are_a_mean(site: Sites) -> None:
    made = site(answers=None, low=0, high=40)
    scheme = made.poll.questions[0].scheme
    assert made.ask("GET", "/api/results").json()["questions"][0]["mean"] is None
    reports = scheme.randomize([10, 20, 30] * 20)
    assert made.send(report=int(reports[0])).status_code == 201
    assert results_of(made, 1)["questions"][0]["mean"]["error"] > 0
    for report in reports[1:]:
        assert made.send(report=int(report)).status_code == 201
    for bad in (-1, scheme._law.cells + 2, "1", 1.0, True, None, [1]):
        assert made.send(report=bad).status_code == 400
    (found,) = results_of(made, 60)["questions"]
    assert found["shares"] == []
    estimate = scheme.estimate(reports)
    assert found["mean"]["value"] == estimate.value
    assert (found["mean"]["lower"], found["mean"]["upper"]) == estimate.interval()
    assert (found["mean"]["low"], found["mean"]["high"]) == (0, 40)


@pytest.mark.parametrize("kind", ["duchi", "piecewise", "hybrid"])
def test_one_forged_report_shifts_a_mean_by_what_is_said(kind: str) -> None:
    scheme = Mean(low=-5, high=40, epsilon=1, steps=500, kind=kind)
    honest = scheme.randomize([10, 20, 30] * 20)
    values = []
    for report in scheme._law.reports:
        honest[0] = report
        values.append(scheme.estimate(honest).value)
    assert max(values) - min(values) == pytest.approx(leverage(scheme) / 60)


@pytest.mark.slow
def test_one_forged_report_shifts_an_estimate_by_what_is_said(site: Sites) -> None:
    from discreet.survey.results import poisoning

    for kind in KINDS:
        poll = site(scheme=kind, database=f"{kind}.db").poll
        honest = [poll.questions[0].scheme.randomize(answer) for answer in ANSWERS * 20]
        before = {one.answer: one.value for one in _shares(poll, honest)}
        most = poisoning(poll, poll.questions[0], len(honest))["most_shift_per_report"]
        shifts = []
        for number in range(200):
            forged = [*honest[1:], poll.questions[0].scheme.randomize(ANSWERS[number % 3])]
            after = _shares(poll, forged)
            shifts += [abs(one.value - before[one.answer]) for one in after]
        assert max(shifts) == pytest.approx(most)


def _shares(poll: Any, reports: list[Any]) -> Any:
    from discreet.survey.estimates import estimated_shares

    tally = poll.questions[0].scheme.tally()
    for report in reports:
        tally.add(report)
    return estimated_shares(poll.questions[0].scheme, poll.questions[0].answers, tally)


IDENTITY = "0123456789abcdef" * 2
MALFORMED: list[Any] = [
    b"",
    b"{",
    b"\xff",
    b"[" * 10_000,
    b'{"scheme": "SCHEME", "report": NaN}',
    b'{"scheme": "SCHEME", "report": 1, "report": 1}',
    b'{"scheme": "SCHEME", "report": 1e999}',
    b'{"scheme": "SCHEME", "report": ' + b"9" * 5_000 + b"}",
    {},
    [],
    None,
    1,
    {"report": 1},
    {"scheme": "SCHEME"},
    {"scheme": 1, "report": 1},
    {"scheme": "SCHEME", "report": 1, "more": 1},
    *({"scheme": "SCHEME", "report": report} for report in (-1, 3, 1.0, True, "1", [1], None, {})),
    *({"scheme": "SCHEME", "report": 1, "id": identity} for identity in (1, "x", "A" * 32, [])),
    {"scheme": "SCHEME", "report": 1, "token": 5},
]


def test_what_is_malformed_is_refused_and_counted(site: Sites) -> None:
    made = site()
    scheme = made.poll.questions[0].scheme.identity.encode()
    for body in MALFORMED:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        response = made.ask(
            "POST", "/reports", content=data.replace(b"SCHEME", scheme), headers=headers
        )
        assert (response.status_code, response.json()["error"]) == (400, "malformed"), body
    assert made.counted() == 0
    assert list(made.store.reports()) == []
    assert refused(made, "malformed", len(MALFORMED))


def test_what_is_too_long_is_refused_before_it_is_read_to_the_end(site: Sites) -> None:
    made = site()

    async def endless() -> Any:
        for _ in range(1_000_000):
            yield b" " * 1024
        raise AssertionError("the body was read to the end")

    headers = {"Content-Type": "application/json"}
    response = made.ask("POST", "/reports", content=endless(), headers=headers)
    assert (response.status_code, response.json()["error"]) == (413, "oversize")
    limit = json.dumps({"scheme": made.poll.questions[0].scheme.identity, "report": 1}).encode()
    fits = made.ask("POST", "/reports", content=limit.ljust(1 << 16), headers=headers)
    assert fits.status_code == 201
    longer = made.ask("POST", "/reports", content=limit.ljust((1 << 16) + 1), headers=headers)
    assert longer.status_code == 413
    assert refused(made, "oversize", 2)


def test_a_report_of_another_scheme_or_kind_of_request_is_refused(site: Sites) -> None:
    made = site()
    other = made.send(scheme="0" * 64, report=1)
    assert (other.status_code, other.json()["error"]) == (409, "wrong-scheme")
    form = made.ask("POST", "/reports", data={"report": "1"})
    assert (form.status_code, form.json()["error"]) == (415, "not-json")
    assert refused(made, "wrong-scheme")
    assert refused(made, "not-json")


def test_a_retry_counts_once_and_an_id_is_for_one_report(site: Sites) -> None:
    made = site()
    identity = new_id()
    assert [made.send(report=1, id=identity).status_code for _ in range(3)] == [201] * 3
    other = made.send(report=2, id=identity)
    assert (other.status_code, other.json()["error"]) == (409, "id-taken")
    assert made.counted() == 1


def test_a_token_admits_one_report(site: Sites) -> None:
    made = site(tokens="one-time")
    token = new_token()
    made.store.add_tokens([token_hash(token)])
    assert made.send(report=1).json()["error"] == "token-missing"
    assert made.send(report=1, token="unknown").json()["error"] == "token-unknown"
    identity = new_id()
    assert made.send(report=1, token=token, id=identity).status_code == 201
    assert made.send(report=1, token=token, id=identity).status_code == 201
    replayed = made.send(report=1, token=token)
    assert (replayed.status_code, replayed.json()["error"]) == (409, "token-used")
    assert made.counted() == 1
    for reason in ("token-missing", "token-unknown", "token-used"):
        assert refused(made, reason)


def test_a_token_may_be_typed_in_any_way(site: Sites) -> None:
    made = site(tokens="one-time")
    token = new_token()
    made.store.add_tokens([token_hash(token)])
    for odd in ("", "§", "x" * 999):
        assert made.send(report=1, token=odd).json()["error"] == "token-unknown"
    half = (
        f'{{"scheme": "{made.poll.questions[0].scheme.identity}", "report": 1, "token": "\\udc00"}}'
    )
    headers = {"Content-Type": "application/json"}
    assert made.ask("POST", "/reports", content=half, headers=headers).status_code == 403
    typed = f" {token[:8]}-{token[8:].upper()} "
    assert made.send(report=1, token=typed).status_code == 201


def test_nobody_is_tagged_by_a_token_in_a_poll_without_them(site: Sites) -> None:
    made = site()
    for tag in ("alice", "", None):
        assert made.send(report=1, token=tag).json()["error"] == "malformed"
    assert made.counted() == 0


def test_a_report_to_another_question_is_refused(site: Sites) -> None:
    made = site()
    own = sha256(made.poll.questions[0].text.encode()).hexdigest()
    assert made.send(report=1, question=own).status_code == 201
    for other in (own[:-1], "", None, 5, sha256(b"Where?").hexdigest()):
        assert made.send(report=1, question=other).json()["error"] == "wrong-scheme"
    assert made.counted() == 1


def test_a_body_that_does_not_come_is_not_waited_for(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    monkeypatch.setattr("discreet.web.request_limits._PATIENCE", 0.05)
    made = site()

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"scheme"'
        await asyncio.sleep(30)

    headers = {"Content-Type": "application/json"}
    response = made.ask("POST", "/reports", content=slow(), headers=headers)
    assert (response.status_code, response.json()["error"]) == (408, "too-slow")
    assert refused(made, "too-slow")


def test_reports_are_tidied_when_none_come(site: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.survey.collector._SHARE", 1)  # a slow one puts off no other
    made = site()
    tidied: list[ReportStore] = []
    real = ReportStore.tidy

    def tidy(store: ReportStore) -> bool:
        assert real(store)
        tidied.append(store)
        return True

    monkeypatch.setattr(ReportStore, "tidy", tidy)
    for _ in range(5):
        before = len(tidied)
        assert made.send(report=1).status_code == 201
        until(lambda before=before: len(tidied) > before, "the reports are tidied")  # type: ignore[misc]


@pytest.mark.slow
def test_reports_are_tidied_though_some_always_come(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.survey.collector._LATEST", 0.3)
    tidied: list[ReportStore] = []
    monkeypatch.setattr(ReportStore, "tidy", lambda store: not tidied.append(store))
    made = site()
    made.collector._pause = 600.0  # it is never quiet

    def sent() -> bool:
        assert made.send(report=1).status_code == 201
        return len(tidied) >= 3

    until(sent, "the reports are tidied three times")


def test_a_tidying_that_fails_is_told_once_and_tried_again(
    site: Sites, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("discreet.survey.collector._RETRY", 0.02)
    tried: list[ReportStore] = []
    monkeypatch.setattr(ReportStore, "tidy", lambda store: bool(tried.append(store)))
    site()
    until(lambda: len(tried) >= 4, "the tidying is tried four times")
    said = [record for record in caplog.records if "could not be written anew" in record.message]
    assert len(said) == 1


def test_a_poll_that_another_process_has_changed_takes_nothing(
    site: Sites, caplog: pytest.LogCaptureFixture
) -> None:
    made = site()
    terms = PollTerms(made.poll.questions[0].scheme.to_json(), "Whither?", "none")
    ReportStore(made.poll.database, terms).close()
    for _ in range(3):
        response = made.send(report=1)
        assert (response.status_code, response.json()["error"]) == (409, "wrong-scheme")
    unavailable(made)
    assert made.ask("GET", "/api/export").status_code == 503
    said = [record.message for record in caplog.records if "was changed while" in record.message]
    assert len([text for text in said if "not taken" in text]) == 1
    assert len(said) <= 2  # one for reports, and one for what is shown


def test_a_tally_that_is_damaged_is_told(site: Sites) -> None:
    made = site()
    assert made.send(report=1).status_code == 201
    with closing(sqlite3.connect(made.poll.database)) as connection, connection:
        connection.execute("UPDATE survey_poll SET tally = 'no'")
    response = unavailable(made)
    assert response.json()["error"] == "unavailable"
    assert "report" not in response.json()["message"]


def test_a_token_is_kept_as_its_hash_only(site: Sites) -> None:
    made = site(tokens="one-time")
    token = new_token()
    made.store.add_tokens([token_hash(token)])
    made.send(report=1, token=token)
    for path in (made.poll.database, f"{made.poll.database}-wal"):
        with open(path, "rb") as file:
            assert token.encode() not in file.read()


def test_a_closed_poll_takes_nothing(site: Sites) -> None:
    now = [datetime(2030, 6, 1, 23, 59, tzinfo=UTC)]
    made = site(clock=lambda: now[0], closes="2030-06-01")
    assert made.send(report=1).status_code == 201
    assert made.ask("GET", "/api/poll").json()["closed"] is False
    now[0] = datetime(2030, 6, 2, tzinfo=UTC)
    late = made.send(report=1)
    assert (late.status_code, late.json()["error"]) == (410, "closed")
    assert made.ask("GET", "/api/poll").json()["closed"] is True
    assert made.counted() == 1
    assert refused(made, "closed")


def test_an_address_that_sends_too_much_is_slowed_down_and_not_stored(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi", reason="NO TESTS OF THE SURVEY'S SITE: no fastapi")
    still = partial(RateLimit, clock=lambda: 0.0)  # so that a slow machine earns no report
    monkeypatch.setattr("discreet.survey.app.RateLimit", still)
    made = site(rate_limit=3)
    assert [made.send(report=1).status_code for _ in range(4)] == [201, 201, 201, 429]
    assert made.send(report=1).headers["Retry-After"] == "20"
    assert made.counted() == 3
    assert refused(made, "too-many", 2)
    for path in (made.poll.database, f"{made.poll.database}-wal"):
        with open(path, "rb") as file:
            assert b"192.0.2.7" not in file.read()


def test_the_export_holds_reports_and_days_only(site: Sites) -> None:
    made = site(scheme="subset", answers=[f"answer {n}" for n in range(8)])
    size = made.poll.questions[0].scheme.size
    for first in range(3):
        assert made.send(report=list(range(first, first + size))).status_code == 201
    rows = list(csv.reader(io.StringIO(made.ask("GET", "/api/export?format=csv").text)))
    assert rows[0] == ["day", "report"]
    assert sorted(json.loads(report) for _, report in rows[1:]) == [
        list(range(first, first + size)) for first in range(3)
    ]
    assert {day for day, _ in rows[1:]} == {"2030-01-02"}
    exported = made.ask("GET", "/api/export?format=json").json()
    assert exported["scheme"] == json.loads(made.poll.questions[0].scheme.to_json())
    assert {tuple(sorted(row)) for row in exported["reports"]} == {("day", "report")}
    assert len(exported["reports"]) == 3


@pytest.mark.parametrize("mode", ["batches", "closed"])
def test_nobody_is_known_by_the_day_on_which_only_one_answered(site: Sites, mode: str) -> None:
    days = [*[NOON] * 12, NOON + timedelta(days=3)]  # the last one was alone that day
    now = [NOON]
    made = site(clock=lambda: now[0], results=mode)
    for number, now[0] in enumerate(days):
        assert made.send(report=number % 3).status_code == 201
    made.collector.close_poll()
    until(lambda: made.ask("GET", "/api/export").status_code == 200, "all is shown")
    assert made.ask("GET", "/api/export?format=csv").text.splitlines()[0] == "report"
    rows = made.ask("GET", "/api/export?format=json").json()["reports"]
    assert len(rows) == 13
    assert {tuple(row) for row in rows} == {("report",)}
    assert read_export(made.ask("GET", "/api/export?format=json").text).reports == 13
    # Whoever asks has the days: they are promised to be all that is kept with a report.
    kept = "".join(csv_lines(made.store, made.poll.ballot)).splitlines()
    assert kept[0] == "day,report"
    assert sum(row.startswith("2030-01-05") for row in kept) == 1


def test_a_database_that_fails_is_told_and_nothing_is_acknowledged(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = site()

    def fails(self: ReportStore, *_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(ReportStore, "add", fails)
        response = made.send(report=1)
        assert (response.status_code, response.json()["error"]) == (503, "unavailable")
        assert "space" not in response.text
        assert "not known" in response.json()["message"]
    assert made.counted() == 0
    assert made.send(report=1).status_code == 201
    assert made.counted() == 1


def test_a_respondent_who_goes_away_stops_nothing(site: Sites) -> None:
    import asyncio

    made = site()
    body = json.dumps({"scheme": made.poll.questions[0].scheme.identity, "report": 1}).encode()

    async def leave() -> None:
        waiting = asyncio.create_task(made.collector.keep(made.collector.read(body)))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    assert made.send(report=2).status_code == 201
    assert made.counted() == 2


def test_a_database_that_was_tampered_with_is_no_fault(site: Sites) -> None:
    made = site()
    assert made.send(report=1).status_code == 201
    with closing(sqlite3.connect(made.poll.database)) as connection:
        connection.execute("UPDATE survey_poll SET tally = '00'")
        connection.commit()
    unavailable(made)
    assert made.send(report=1).status_code == 503
    assert len([row for page in made.store.reports() for row in page]) == 1


def test_the_tally_is_that_of_the_reports(site: Sites) -> None:
    for kind in KINDS:
        made = site(scheme=kind, database=f"{kind}.db")
        for answer in ANSWERS * 5:
            sent = json.loads(
                made.poll.questions[0].scheme.report_to_wire(
                    made.poll.questions[0].scheme.randomize(answer)
                )
            )
            assert made.send(report=sent["report"]).status_code == 201
        again = made.poll.questions[0].scheme.tally()
        for _, report in (row for page in made.store.reports() for row in page):
            wire = f'{{"scheme": "{made.poll.questions[0].scheme.identity}", "report": {report}}}'
            again.add(made.poll.questions[0].scheme.report_from_wire(wire))
        tally, _ = made.store.tally()
        assert tally == again.to_bytes()
