"""The page in a real browser: what it sends, what it shows, and who can use it."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest

from discreet.local import Mean
from discreet.survey.poll import read_poll
from discreet.survey.poll_schemes import scheme_for
from discreet.survey.tokens import new_token, token_hash
from tests.support.browser import VARIABLE, Browser, browsing, chromium, faults
from tests.support.trials import rounds
from tests.survey.hosts import ANSWERS, Host, hosting, write_poll
from tests.survey.page_twin import paths, scripts, twin

PROGRAM = chromium()
if PROGRAM is None:
    pytest.skip(
        f"NO TESTS IN A BROWSER: chromium is not installed, nor named by {VARIABLE}",
        allow_module_level=True,
    )
pytest.importorskip("fastapi", reason="NO TESTS IN A BROWSER: fastapi is not installed")

KINDS = ("randomized-response", "unary", "subset", "hadamard", "projective")
NUMBERS = ("duchi", "piecewise", "hybrid")
SURE = 1 - Fraction(1, 10**7)
READY = "document.getElementById('answers')?.childElementCount > 0"
SENT = "document.getElementById('status').textContent.startsWith('The report was sent')"
PHONE, DESK = (360, 740), (1200, 900)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    with browsing(PROGRAM) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A collector for tests that look at its page only and send it nothing."""
    with hosting(write_poll(tmp_path_factory.mktemp("page"))) as host:
        yield host


@pytest.fixture(autouse=True)
def forgotten(browser: Browser) -> None:
    browser.open("about:blank")  # the page of the last test asks for results no more
    browser.requests.clear()
    browser.complaints.clear()
    browser.size(*DESK)


def click(browser: Browser, name: str) -> None:
    browser.run(f"document.getElementById('{name}').click()")


def answer(browser: Browser, place: int) -> None:
    """A respondent answers, and leaves the page to the next one."""
    click(browser, f"answer-{place}")
    click(browser, "send")
    browser.wait(SENT)
    click(browser, "next")


def entered(browser: Browser, number: str) -> None:
    """A number is typed in, as far as the page can tell."""
    field = "document.getElementById('number')"
    browser.run(f"({field}.value = '{number}', {field}.dispatchEvent(new Event('input')))")


def counts(host: Host, poll: Path) -> Any:
    """A tally of the reports that the collector exports."""
    scheme = read_poll(poll).questions[0].scheme
    tally = scheme.tally()
    for row in host.get("/api/export?format=json")["reports"]:
        wire = json.dumps({"scheme": scheme.identity, "report": row["report"]})
        tally.add(scheme.report_from_wire(wire))
    return tally


def survey(browser: Browser, folder: Path, kind: str, respondents: int) -> None:
    poll = write_poll(folder, scheme=kind, epsilon=2)
    truth: Counter[str] = Counter()
    with hosting(poll) as host:
        browser.open(host.address)
        browser.wait(READY)
        for number in range(respondents):
            place = (0, 0, 0, 1, 1, 2)[number % 6]
            truth[ANSWERS[place]] += 1
            answer(browser, place)
        tally = counts(host, poll)
        found = host.get("/api/results")
        said = host.stop()
    assert tally.reports == respondents
    assert found["reports"] <= respondents
    for name, estimate in tally.scheme.estimate(tally).items():
        lower, upper = estimate.interval(SURE)
        assert lower <= truth[name] / respondents <= upper
    # Neither the network nor the collector's log ever held an answer.
    sent = [request for request in browser.requests if request["method"] == "POST"]
    assert len(sent) == respondents
    for request in browser.requests:
        assert request["url"].startswith(host.address)
        assert not any(name in json.dumps(request) for name in ANSWERS)
    for request in sent:
        assert set(json.loads(request["postData"])) == {"scheme", "question", "report", "id"}
    assert not any(name in said for name in ANSWERS)
    assert "127.0.0.1:" not in said.replace(host.address.removeprefix("http://"), "")
    assert browser.complaints == []


@pytest.mark.parametrize("kind", KINDS)
def test_respondents_answer_and_no_answer_leaves_the_page(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    survey(browser, tmp_path, kind, rounds(100 if kind == KINDS[0] else 40))


@pytest.mark.slow
@pytest.mark.parametrize("kind", NUMBERS)
def test_respondents_give_a_number_and_none_leaves_the_page(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    respondents = rounds(100 if kind == NUMBERS[0] else 40)
    numbers = [f"{number}.0625" for number in range(11, 31)]  # digits that no report has
    poll = number_poll(tmp_path, kind)
    with hosting(poll) as host:
        browser.open(host.address)
        browser.wait(READY)
        for at in range(respondents):
            entered(browser, numbers[at % 20])
            click(browser, "send")
            browser.wait(SENT)
            assert browser.run("document.getElementById('number').value") == ""
            click(browser, "next")
        tally = counts(host, poll)
    assert tally.reports == respondents
    lower, upper = tally.scheme.estimate(tally).interval(SURE)
    assert lower <= sum(map(float, numbers)) / 20 <= upper
    sent = [request for request in browser.requests if request["method"] == "POST"]
    assert len(sent) == respondents
    for request in sent:
        told = json.loads(request["postData"])
        assert set(told) == {"scheme", "question", "report", "id"}
        assert (
            tally.scheme.report_from_wire(
                json.dumps({"scheme": told["scheme"], "report": told["report"]})
            )
            == told["report"]
        )
    for request in browser.requests:
        assert request["url"].startswith(host.address)
        assert not any(number in json.dumps(request) for number in numbers)
    assert browser.complaints == []


def number_poll(folder: Path, kind: str = "choose") -> Path:
    return write_poll(
        folder,
        title="Hours",
        question="How many hours did you work last week?",
        answers=None,
        low=0,
        high=40,
        scheme=kind,
        epsilon=2,
    )


SCRIPTED = """(async () => {
  const { randomize, readObject, readScheme } = await import("/static/randomizer.js");
  const { loadedKinds } = await import("/static/ballot.js");
  const scheme = readScheme(readObject(TEXT), await loadedKinds(TEXT));
  let words = [];
  Object.defineProperty(crypto, "getRandomValues", {
    configurable: true,
    value(array) {
      const word = BigInt(words.shift());
      array[0] = Number(word >> 32n);
      array[1] = Number(word & 0xffffffffn);
      return array;
    },
  });
  try {
    return RUNS.map(([answer, script]) => {
      words = [...script];
      return [randomize(scheme, answer), words.length];
    });
  } finally {
    delete crypto.getRandomValues;
  }
})()"""


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("kind", [*KINDS, *NUMBERS])
def test_the_browser_has_exactly_the_law_of_the_scheme(
    browser: Browser, page: Host, kind: str, epsilon: Fraction
) -> None:
    if kind in KINDS:
        text = scheme_for(kind, ANSWERS, epsilon).to_json()
    else:
        text = Mean(low=0, high=2, steps=2, epsilon=epsilon, kind=kind).to_json()
    fields = json.loads(text)
    runs, expected = [], []
    for place in range(3):
        for report, _, words in paths(lambda at, a=place: twin(fields, 3, a, at)):
            for script in scripts(words):
                runs.append([place if kind in KINDS else str(place), script])
                expected.append([report, 0])
    browser.open(page.address)
    browser.wait(READY)
    script = SCRIPTED.replace("TEXT", json.dumps(text)).replace("RUNS", json.dumps(runs))
    assert browser.run(script) == expected


def test_the_page_works_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    focused = "document.activeElement.id"
    with hosting(write_poll(tmp_path)) as host:
        browser.open(host.address)
        browser.wait(READY)
        browser.press("Tab", 9)
        assert browser.run(focused) == "answer-0"
        browser.press("ArrowDown", 40)
        browser.press("ArrowDown", 40)
        assert browser.run(focused) == "answer-2"
        browser.press("ArrowDown", 40)
        assert browser.run(focused) == "answer-0"
        browser.press("ArrowUp", 38)
        checked = "[...document.querySelectorAll(':checked')].map((one) => one.id).join()"
        assert browser.run(checked) == "answer-2"
        browser.press("Tab", 9)
        assert browser.run(focused) == "send"
        browser.press("Enter", 13, "\r")
        browser.wait(SENT)
        assert browser.run(focused) == "sent-heading"
        assert browser.run(checked) == ""  # the answer is forgotten
        browser.press("Tab", 9)
        assert browser.run("document.activeElement.tagName") == "SUMMARY"
        assert counts(host, tmp_path / "poll.toml").reports == 1


def test_a_respondent_without_an_answer_is_told_so(browser: Browser, tmp_path: Path) -> None:
    with hosting(write_poll(tmp_path)) as host:
        browser.open(host.address)
        browser.wait(READY)
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('choose an answer')")
        assert counts(host, tmp_path / "poll.toml").reports == 0


def test_a_report_is_kept_for_later_where_there_is_no_connection(
    browser: Browser, tmp_path: Path
) -> None:
    def connected(offline: bool) -> None:
        browser.call(
            "Network.emulateNetworkConditions",
            offline=offline,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    with hosting(write_poll(tmp_path)) as host:
        browser.open(host.address)
        browser.wait(READY)
        connected(offline=True)
        click(browser, "answer-1")
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('is not known')")
        connected(offline=False)
        click(browser, "again")
        browser.wait(SENT)
        assert counts(host, tmp_path / "poll.toml").reports == 1
    bodies = {one["postData"] for one in browser.requests if one["method"] == "POST"}
    assert len(bodies) == 1  # the same report: a second one would reveal more


def test_nobody_else_answers_while_a_report_is_on_its_way(browser: Browser, tmp_path: Path) -> None:
    with hosting(write_poll(tmp_path)) as host:
        browser.open(host.address)
        browser.wait(READY)
        answer(browser, 0)  # the next one is on
        held = "(window.fetch = () => new Promise((sent) => (window.arrive = sent)), true)"
        browser.run(held)
        click(browser, "answer-1")
        click(browser, "send")
        browser.wait("window.arrive")
        assert browser.run("document.getElementById('next').hidden")
        assert browser.run("document.getElementById('sent-heading').textContent") == "The report"
        browser.run("(window.arrive(new Response('{}', {status: 201})), true)")
        browser.wait(SENT)
        assert not browser.run("document.getElementById('next').hidden")
        assert browser.run("document.getElementById('sent-heading').textContent") == "What was sent"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (500, '{"error": ""}', "is not known"),
        (500, '{"error": []}', "is not known"),
        (502, "<html>", "is not known"),
        (200, "{}", "is not known"),
        (409, '{"error": "constructor"}', "is not known"),
        (409, '{"error": "wrong-scheme", "message": "Write to us."}', "was changed"),
        (410, '{"error": "closed"}', "was closed"),
    ],
)
def test_nothing_but_a_stored_report_is_called_sent(
    browser: Browser, page: Host, status: int, body: str, said: str
) -> None:
    fake = f"""window.fetch = async () => new Response({json.dumps(body)}, {{status: {status}}})"""
    browser.open(page.address)
    browser.wait(READY)
    browser.run(f"({fake}, true)")
    click(browser, "answer-1")
    click(browser, "send")
    browser.wait(f"document.getElementById('status').textContent.includes('{said}')")
    assert faults(browser) == []
    again = "!document.getElementById('again').hidden"
    assert browser.run(again) == (said == "is not known")
    # A link that leads away from a report that may not have arrived is not offered.
    away = "document.getElementById('results-link').hidden"
    assert browser.run(away) == (said == "is not known")
    assert "Write to us" not in browser.run("document.body.textContent")


def test_a_token_of_the_link_is_used_and_not_left_in_the_address(
    browser: Browser, tmp_path: Path
) -> None:
    from discreet.survey.serving import open_poll_store

    poll = write_poll(tmp_path, tokens="one-time")
    token, other = new_token(), new_token()
    store = open_poll_store(read_poll(poll))
    store.add_tokens([token_hash(token), token_hash(other)])
    store.close()
    with hosting(poll) as host:
        browser.open(f"{host.address}/#token={token}")
        browser.wait(READY)
        assert browser.run("location.href") == f"{host.address}/"
        assert faults(browser) == []
        answer(browser, 0)
        click(browser, "answer-0")
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('enter your token')")
        browser.run(f"document.getElementById('token').value = '{token}'")
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('used before')")
        assert counts(host, poll).reports == 1
        # Another token goes with the same report.
        assert faults(browser) == []
        browser.run(f"document.getElementById('other-token').value = '{other}'")
        click(browser, "again")
        browser.wait(SENT)
        assert counts(host, poll).reports == 2
    second = [one for one in browser.requests if one["method"] == "POST"][-2:]
    told = [json.loads(one["postData"]) for one in second]
    assert [one.pop("token") for one in told] == [token, other]
    assert told[0] == told[1]
    assert not any(token in request["url"] for request in browser.requests)


@pytest.mark.parametrize(
    ("screen", "dark"),
    [
        pytest.param(PHONE, True, id="phone-dark"),
        pytest.param(DESK, False, id="desk-light", marks=pytest.mark.slow),
        pytest.param(PHONE, False, id="phone-light", marks=pytest.mark.soak),
        pytest.param(DESK, True, id="desk-dark", marks=pytest.mark.soak),
    ],
)
def test_everyone_can_use_the_pages(
    browser: Browser, tmp_path: Path, screen: tuple[int, int], dark: bool
) -> None:
    folder = Path(os.environ.get("DISCREET_SCREENSHOTS", tmp_path))
    look = f"{screen[0]}_{'dark' if dark else 'light'}"
    poll = write_poll(
        tmp_path,
        title="Lessons",
        question="How often did you skip a lesson in the last month?",
        answers=["Never", "Once or twice", "Every week, and " + "very" * 20 + " often"],
    )
    browser.size(*screen, dark)
    with hosting(poll) as host:
        browser.open(host.address)
        browser.wait(READY)
        assert faults(browser) == []
        told = browser.roles()
        assert ("radiogroup", "How often did you skip a lesson in the last month?") in told
        assert [name for role, name in told if role == "radio"][:2] == ["Never", "Once or twice"]
        assert ("button", "Randomize and send") in told
        assert any(role == "status" for role, _ in told)
        assert ("heading", "Why nobody can tell what you answered") in told
        click(browser, "answer-1")
        browser.picture(folder / f"question_{look}.png")
        click(browser, "send")
        browser.wait(SENT)
        assert faults(browser) == []
        browser.picture(folder / f"sent_{look}.png")
        for report in (0, 0, 0, 1, 1, 2) * 20:
            assert (
                host.post(
                    {"scheme": read_poll(poll).questions[0].scheme.identity, "report": report}
                )
                == 201
            )
        browser.open(f"{host.address}/results")
        browser.wait("document.getElementById('status').textContent.startsWith('Reports: 121.')")
        assert faults(browser) == []
        told = browser.roles()
        assert any(role == "table" for role, _ in told)
        assert any(role == "image" and name for role, name in told)
        # Of so few reports only the intervals are drawn, and how many more it takes is said.
        assert browser.run("document.querySelectorAll('#chart .bar').length") == 0
        assert browser.run("document.querySelectorAll('#chart .range').length") == 9
        assert "more are needed" in browser.run("document.querySelector('.few').textContent")
        assert "forged" in browser.run("document.getElementById('poisoning').textContent")
        browser.picture(folder / f"results_{look}.png")
        # Results grow while one looks.
        assert (
            host.post({"scheme": read_poll(poll).questions[0].scheme.identity, "report": 0}) == 201
        )
        browser.wait("document.getElementById('status').textContent.startsWith('Reports: 122.')")
    assert browser.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])
def test_everyone_can_give_a_number(
    browser: Browser, tmp_path: Path, screen: tuple[int, int]
) -> None:
    folder = Path(os.environ.get("DISCREET_SCREENSHOTS", tmp_path))
    poll = number_poll(tmp_path)
    scheme = read_poll(poll).questions[0].scheme
    browser.size(*screen)
    with hosting(poll) as host:
        browser.open(host.address)
        browser.wait(READY)
        assert faults(browser) == []
        asked = "How many hours did you work last week?"
        assert ("textbox", asked) in browser.roles()
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('enter a number')")
        browser.run("document.getElementById('number').focus()")
        for key, code in (("7", 55), (",", 188), ("5", 53)):
            browser.press(key, code, key)
        assert browser.run("document.getElementById('number').value") == "7,5"
        assert browser.run("document.getElementById('read').textContent") == "This is read as 7.5."
        browser.picture(folder / f"number_{screen[0]}.png")
        click(browser, "send")
        browser.wait(SENT)
        assert faults(browser) == []
        browser.picture(folder / f"number_sent_{screen[0]}.png")
        for report in scheme.randomize([10, 20, 30] * 50).tolist():
            assert host.post({"scheme": scheme.identity, "report": report}) == 201
        browser.open(f"{host.address}/results")
        browser.wait("document.getElementById('status').textContent.startsWith('Reports: 151.')")
        assert faults(browser) == []
        assert browser.run("document.querySelectorAll('#chart .range').length") == 3
        assert "forges the report" in browser.run(
            "document.getElementById('poisoning').textContent"
        )
        browser.picture(folder / f"number_results_{screen[0]}.png")
    assert browser.complaints == []


def test_many_answers_are_a_list(browser: Browser, tmp_path: Path) -> None:
    names = [f"answer {number}" for number in range(30)]
    with hosting(write_poll(tmp_path, answers=names)) as host:
        browser.open(host.address)
        browser.wait(READY)
        assert faults(browser) == []
        browser.run("document.querySelector('select').value = '7'")
        click(browser, "send")
        browser.wait(SENT)
        assert counts(host, tmp_path / "poll.toml").reports == 1


def test_a_page_that_protects_little_says_so(browser: Browser, tmp_path: Path) -> None:
    with hosting(write_poll(tmp_path, epsilon=8)) as host:
        browser.open(host.address)
        browser.wait(READY)
        said = browser.run("document.getElementById('why').textContent")
        level = browser.run("document.getElementById('level').textContent")
    assert "What a report gives away" in said
    assert "protects you only a little" in level
    for reassuring in ("nobody can tell", "no proof", "not who gave what", "100%"):
        assert reassuring not in said


def test_faults_are_seen(browser: Browser, page: Host) -> None:
    browser.open(page.address)
    browser.wait(READY)
    browser.run("document.querySelector('input').setAttribute('name', 'answer')")
    browser.run("document.querySelector('#send').textContent = ''")
    browser.run("document.querySelector('main').append(document.createElement('form'))")
    found = faults(browser)
    assert "a field has a name attribute" in found
    assert "there is a form that could be sent" in found
    assert any(fault.startswith("no name") for fault in found)


FIVE: list[dict[str, object]] = [
    {"question": "Did you skip a lesson?", "kind": "yes-no"},
    {"question": "How do you come?", "answers": ["canary-foot", "canary-bus"], "shuffle": True},
    {"question": "What do you like?", "kind": "several", "answers": ["art", "canary-sport"]},
    {"question": "How are lessons?", "kind": "scale", "ends": ["canary-dull", "great"]},
    {"question": "How many hours?", "low": 0, "high": 14},
]


def answer_five(browser: Browser) -> None:
    for field in ("answer-1", "q2-answer-0", "q3-answer-1", "q4-answer-4"):
        click(browser, field)
    number = "document.getElementById('q5-number')"
    browser.run(f"({number}.value = '7,5', {number}.dispatchEvent(new Event('input')))")


@pytest.mark.parametrize(
    ("screen", "dark"),
    [
        pytest.param(PHONE, False, id="phone-light"),
        pytest.param(DESK, True, id="desk-dark", marks=pytest.mark.soak),
    ],
)
def test_five_questions_are_answered_and_no_answer_leaves_the_page(
    browser: Browser, tmp_path: Path, screen: tuple[int, int], dark: bool
) -> None:
    folder = Path(os.environ.get("DISCREET_SCREENSHOTS", tmp_path))
    path = write_poll(tmp_path, FIVE, epsilon=2)
    poll = read_poll(path)
    browser.size(*screen, dark)
    with hosting(path) as host:
        browser.open(host.address)
        browser.wait(READY)
        told = browser.roles()
        for question in poll.questions[:2]:
            assert ("radiogroup", question.text) in told
        assert ("group", "What do you like?") in told
        assert ("textbox", "How many hours?") in told
        for missing in ("Did you skip a lesson", "How do you come", "What do you like"):
            click(browser, "send")
            browser.wait(f"document.getElementById('status').textContent.includes('{missing}')")
            click(browser, {"D": "answer-1", "H": "q2-answer-0", "W": "q3-none"}[missing[0]])
        answer_five(browser)
        assert browser.run("document.getElementById('q3-none').checked") is False
        assert faults(browser) == []
        browser.picture(folder / f"five_{screen[0]}.png")
        click(browser, "send")
        browser.wait(SENT)
        assert faults(browser) == []
        assert browser.run("document.querySelectorAll(':checked').length") == 0
        assert browser.run("document.querySelectorAll('#words p:not(.quiet)').length") == 5
        browser.picture(folder / f"five_sent_{screen[0]}.png")
        found = host.get("/api/export?format=json")["reports"]
        assert len(found) == 1
        poll.ballot.read(found[0]["report"])
        browser.open(f"{host.address}/results")
        browser.wait("document.querySelectorAll('.chart .range').length > 0")
        assert faults(browser) == []
        assert browser.run("document.querySelectorAll('svg.chart').length") == 5
        browser.picture(folder / f"five_results_{screen[0]}.png")
    (sent,) = [request for request in browser.requests if request["method"] == "POST"]
    assert set(json.loads(sent["postData"])) == {"survey", "report", "id"}
    assert not any("canary" in json.dumps(request) for request in browser.requests)
    assert browser.complaints == []


OLD = """for (const [place, name] of [[AbortSignal, "timeout"], [globalThis, "BigUint64Array"],
  [Object, "hasOwn"], [DataView.prototype, "setBigUint64"], [Element.prototype, "replaceChildren"],
  [Array.prototype, "at"], [String.prototype, "replaceAll"], [globalThis, "structuredClone"],
  [Promise, "any"], [Intl, "Segmenter"]MORE]) delete place[name];"""


@pytest.mark.parametrize("more", ["", ', [globalThis, "AbortController"]'], ids=["old", "older"])
def test_a_browser_that_lacks_what_is_new_sends_all_the_same(
    browser: Browser, tmp_path: Path, more: str
) -> None:
    path = write_poll(tmp_path, scheme="subset", epsilon=2)
    source = OLD.replace("MORE", more)
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)
    try:
        with hosting(path) as host:
            browser.open(host.address)
            browser.wait(READY)
            assert browser.run("typeof BigUint64Array") == "undefined"
            answer(browser, 1)
            assert counts(host, path).reports == 1
            browser.open(f"{host.address}/results")
            browser.wait("document.querySelectorAll('.chart .range').length > 0")
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", **script)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("delete globalThis.BigInt", "Nothing was sent"),
        ("Object.defineProperty(globalThis, 'crypto', {value: undefined})", "roll dice"),
    ],
)
def test_a_browser_that_is_too_old_says_so_before_anything_is_tapped(
    browser: Browser, page: Host, source: str, said: str
) -> None:
    assert "your browser is too old" in urlopen(page.address).read().decode()  # until a script runs
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)
    try:
        browser.open(page.address)
        browser.wait(f"document.getElementById('status').textContent.includes('{said}')")
        assert browser.run("document.getElementById('survey').hidden") is True
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", **script)


@pytest.mark.parametrize(
    "screen",
    [
        pytest.param(PHONE, id="phone"),
        pytest.param(DESK, id="desk", marks=pytest.mark.soak),
    ],
)
def test_a_page_may_be_written_from_right_to_left(
    browser: Browser, tmp_path: Path, screen: tuple[int, int]
) -> None:
    folder = Path(os.environ.get("DISCREET_SCREENSHOTS", tmp_path))
    path = write_poll(
        tmp_path,
        title="المدرسة",
        question="كم مرة تغيبت عن درس؟",
        answers=["أبدًا", "مرة \u200f(ABC 12)", "👩‍👩‍👧‍👦"],
        asker="مجلس الطلاب",
        language="ar",
    )
    browser.size(*screen)
    with hosting(path) as host:
        browser.open(host.address)
        browser.wait(READY)
        assert browser.run("getComputedStyle(document.body).direction") == "rtl"
        assert browser.run("document.documentElement.lang") == "ar"
        assert faults(browser) == []
        # The button lies at the right of its answer, and the arrow to the left goes to the next.
        right = "getBoundingClientRect().right"
        assert browser.run(
            f"document.getElementById('answer-0').{right} > "
            f"document.querySelector('[for=answer-0] span').{right}"
        )
        browser.run("document.getElementById('answer-0').focus()")
        browser.press("ArrowLeft", 37)
        assert browser.run("document.activeElement.id") == "answer-1"
        browser.picture(folder / f"arabic_{screen[0]}.png")
        click(browser, "send")
        browser.wait("!document.getElementById('next').hidden")
        assert faults(browser) == []
        browser.open(f"{host.address}/results")
        browser.wait("document.querySelectorAll('.chart .range').length > 0")
        assert faults(browser) == []
        browser.picture(folder / f"arabic_results_{screen[0]}.png")
        latin = browser.run("document.body.innerText.match(/[A-Za-z]{4,}/g) || []")
    assert set(latin) <= {"JSON"}
    assert browser.complaints == []


def test_what_is_missing_is_seen_wherever_it_is_missing(browser: Browser, tmp_path: Path) -> None:
    browser.size(*PHONE)
    seen = """(() => {
      const [said, field] = [document.getElementById("status"), document.activeElement]
        .map((one) => one.getBoundingClientRect());
      return said.top > 0 && said.bottom <= innerHeight && field.top > 0 && field.bottom < said.top;
    })()"""
    with hosting(write_poll(tmp_path, FIVE, epsilon=2, consent="I agree.")) as host:
        browser.open(host.address)
        browser.wait(READY)
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('I agree')")
        assert browser.run(seen)
        click(browser, "consent")
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('choose an answer')")
        assert browser.run(seen)
        assert faults(browser) == []


def test_texts_of_the_page_keep_their_direction_among_questions_of_another(
    browser: Browser, tmp_path: Path
) -> None:
    poll = write_poll(
        tmp_path,
        questions=[
            {"question": "כמה שעות אתה ישן?", "low": 0, "high": 14},
            {"question": "מה אתה אוהב?", "kind": "several", "answers": ["ספורט", "אמנות"]},
        ],
        title="בית הספר",
        language="he",
        consent="אני בן 14 ומעלה, ואני משתתף מרצוני.",
    )
    with hosting(poll) as host:
        browser.open(host.address)
        browser.wait(READY)
        assert (
            browser.run("getComputedStyle(document.getElementById('answers')).direction") == "rtl"
        )
        assert browser.run("getComputedStyle(document.getElementById('range')).direction") == "ltr"
        assert browser.run("getComputedStyle(document.getElementById('read')).direction") == "ltr"
        # The box stands before the text that is agreed to, as it is read.
        at = "getBoundingClientRect().left"
        assert browser.run(
            f"document.getElementById('consent').{at} > "
            f"document.getElementById('consent-text').{at}"
        )
        assert faults(browser) == []


def test_the_last_day_is_said_and_not_the_midnight_after_it(
    browser: Browser, tmp_path: Path
) -> None:
    browser.call("Emulation.setTimezoneOverride", timezoneId="UTC")
    with hosting(write_poll(tmp_path, closes="2090-12-31")) as host:
        browser.open(host.address)
        browser.wait(READY)
        assert "December 31, 2090" in browser.run("document.getElementById('intro').innerText")
    browser.call("Emulation.setTimezoneOverride", timezoneId="")


def test_a_long_name_in_a_chart_leaves_room_and_no_emoji_is_cut(
    browser: Browser, tmp_path: Path
) -> None:
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(one)) for one in "gbeng") + "\U000e007f"
    answers = ["ＷＷＷＷ" * 12, flag * 9, "👩‍👩‍👧‍👦" * 17]
    browser.size(*PHONE)
    with hosting(write_poll(tmp_path, answers=answers)) as host:
        browser.open(host.address)
        browser.wait(READY)
        answer(browser, 0)
        browser.open(f"{host.address}/results")
        browser.wait("document.querySelectorAll('.chart .value').length === 3")
        assert faults(browser) == []
        named = "[...document.querySelectorAll('.chart .name')]"
        shown = browser.run(f"{named}.map((one) => one.textContent)")
        boxes = browser.run(f"{named}.map((one) => one.getBBox().x + one.getBBox().width)")
        numbers = "[...document.querySelectorAll('.chart .value')].map((one) => one.getBBox().x)"
        starts = browser.run(numbers)
    assert all(end < start for end, start in zip(boxes, starts, strict=True))
    names = [one.strip("\u2068\u2069") for one in shown]
    assert names[0].endswith("…")
    assert names[1].removesuffix("…").replace(flag, "") == ""
    assert names[2].removesuffix("…").replace("👩‍👩‍👧‍👦", "") == ""


def test_who_asks_is_said_and_nothing_is_sent_without_consent(
    browser: Browser, tmp_path: Path
) -> None:
    words = {
        "asker": "The council <b>",
        "purpose": "To know",
        "contact": "council@school.example",
        "consent": "I am 14",
        "thanks": "See the board",
    }
    path = write_poll(tmp_path, closes="2090-06-01", **words)
    with hosting(path) as host:
        browser.open(host.address)
        browser.wait(READY)
        intro = browser.run("document.getElementById('intro').innerText")
        for said in ("The council <b>", "To know", "council@school.example", "2090"):
            assert said in intro
        click(browser, "answer-0")
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('I am 14')")
        assert browser.run("document.activeElement.id") == "consent"
        assert host.get("/api/export?format=json")["reports"] == []
        click(browser, "consent")
        click(browser, "send")
        browser.wait(SENT)
        assert browser.run("document.getElementById('thanks').textContent") == "See the board"
        assert faults(browser) == []
    assert not any("I am 14" in json.dumps(request) for request in browser.requests)


def test_a_number_beyond_the_bounds_is_asked_for_twice(browser: Browser, tmp_path: Path) -> None:
    with hosting(number_poll(tmp_path)) as host:
        browser.open(host.address)
        browser.wait(READY)
        for number, said in (("75", "will count as 40"), ("-1", "as 0"), ("1,500", "thousands")):
            entered(browser, number)
            click(browser, "send")
            browser.wait(f"document.getElementById('status').textContent.includes('{said}')")
        entered(browser, "75")
        click(browser, "send")
        browser.wait("document.getElementById('status').textContent.includes('75 lies beyond')")
        assert counts(host, tmp_path / "poll.toml").reports == 0
        click(browser, "send")
        browser.wait(SENT)
        assert counts(host, tmp_path / "poll.toml").reports == 1


def test_what_was_sent_may_be_doubted_as_far_as_that_is_true(
    browser: Browser, tmp_path: Path
) -> None:
    for epsilon, said in ((1, "Nobody can tell"), (2, "Nobody can be sure"), (2.9, "most likely")):
        path = write_poll(tmp_path, epsilon=epsilon, answers=["No", "Yes"], database=f"{said}.db")
        with hosting(path) as host:
            browser.open(host.address)
            browser.wait(READY)
            why = browser.run("document.getElementById('why').textContent")
            answer_there = "document.getElementById('reassured').textContent"
            assert said in browser.run(answer_there)
            assert ("Why nobody can tell" in why) == (epsilon == 1)
            assert ("19 of 20 cases" in why) == (epsilon == 2.9)


def test_whoever_serves_has_a_page_and_its_link_works_once(
    browser: Browser, tmp_path: Path
) -> None:
    folder = Path(os.environ.get("DISCREET_SCREENSHOTS", tmp_path))
    path = write_poll(tmp_path, results="private")
    with hosting(path) as host:
        link = next(word for word in host.said.split() if "#key=" in word)
        assert host.post({"scheme": read_poll(path).ballot.identity, "report": 0}) == 201
        browser.open(link)
        browser.wait("!document.getElementById('operator').hidden")
        assert "key" not in browser.run("location.href")
        assert faults(browser) == []
        assert browser.run("document.querySelectorAll('.chart .range').length") == 9
        browser.picture(folder / "operator.png")
        click(browser, "close")
        browser.wait("document.getElementById('close').textContent.includes('again')")
        assert host.post({"scheme": read_poll(path).ballot.identity, "report": 0}) == 410
        browser.run("sessionStorage.clear()")
        browser.open("about:blank")
        browser.open(link)
        browser.wait("document.getElementById('status').textContent.includes('works once')")
        assert browser.run("document.getElementById('operator').hidden") is True
    key = link.partition("#key=")[2]
    assert not any(key in request["url"] for request in browser.requests)


def test_a_chart_is_saved_as_it_looks(browser: Browser, tmp_path: Path) -> None:
    path = write_poll(tmp_path)
    with hosting(path) as host:
        assert host.post({"scheme": read_poll(path).ballot.identity, "report": 0}) == 201
        browser.open(f"{host.address}/results")
        browser.wait("document.querySelectorAll('.chart .range').length > 0")
        text = browser.run(
            "import('/static/chart.js').then((one) => "
            "one.standalone(document.querySelector('svg.chart')))"
        )
    drawing = ElementTree.fromstring(text)
    parts = [part.tag.rpartition("}")[2] for part in drawing.iter()]
    assert parts.count("line") >= 9
    assert "canary-north" in text
    assert "class=" not in text
    assert "var(" not in text
