"""The page in a real browser: what moves, what it says, and who can use it."""

import re
from collections.abc import Iterator
from fractions import Fraction
from math import exp
from pathlib import Path

import pytest

import discreet as dp
from discreet.learn.pages import whole_page
from discreet.privacy.events import PureEvent, RepeatedEvent
from tests.learn.hosts import Host, serving
from tests.support.browser import VARIABLE, Browser, browsing, chromium, faults

PROGRAM = chromium()
if PROGRAM is None:
    pytest.skip(
        f"NO TESTS IN A BROWSER: chromium is not installed, nor named by {VARIABLE}",
        allow_module_level=True,
    )
pytest.importorskip("uvicorn", reason="NO TESTS IN A BROWSER: uvicorn is not installed")

PHONE, SMALL, DESK = (360, 740), (320, 600), (1280, 900)
SECTIONS = ("laws", "response", "sensitivity", "composition", "attacker", "winner")
READY = "document.getElementById('winner-said').textContent"
SLIDERS = "[...document.querySelectorAll('input[type=range]')]"

CUT_OFF = """(() => [...document.querySelectorAll("svg text")].flatMap((text) => {
  const [inner, outer] = [text, text.ownerSVGElement].map((one) => one.getBoundingClientRect());
  const out = Math.max(outer.left - inner.left, inner.right - outer.right,
    outer.top - inner.top, inner.bottom - outer.bottom);
  return out > 2 ? [`${text.ownerSVGElement.id}: ${text.textContent} by ${out}`] : [];
}))()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    with browsing(PROGRAM) as opened:
        yield opened


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with serving("--no-open") as served:
        yield served


@pytest.fixture
def page(browser: Browser, host: Host) -> Browser:
    """The page, newly opened."""
    browser.requests.clear()
    browser.complaints.clear()
    browser.size(*DESK)
    browser.open("about:blank")
    browser.open(host.address)
    browser.wait(READY)
    return browser


def text(page: Browser, name: str) -> str:
    found: str = page.run(f"document.getElementById('{name}').textContent")
    return found


def click(page: Browser, name: str) -> None:
    page.run(f"document.getElementById('{name}').click()")


def put(page: Browser, slider: str, place: int) -> None:
    """Move a slider to a stop, as a pointer would."""
    field = f"document.getElementById('{slider}')"
    page.run(
        f"({field}.value = {place}, {field}.dispatchEvent(new Event('input', {{bubbles: true}})))"
    )


def test_the_page_loads_nothing_from_elsewhere_and_complains_of_nothing(
    page: Browser, host: Host
) -> None:
    asked = {request["url"] for request in page.requests if request["url"] != "about:blank"}
    assert asked >= {host.address, f"{host.address}static/learn.js"}
    assert {url for url in asked if not url.startswith(host.address)} == set()
    assert page.complaints == []
    assert "Nothing here protects anyone" in page.run("document.body.textContent")
    for name in SECTIONS:
        assert page.run(f"document.querySelectorAll('#{name} svg > *').length") > 10
        facts = page.run(
            f"[...document.querySelectorAll('#{name} dd')].map((one) => one.textContent)"
        )
        assert len(facts) == 4
        assert all(facts)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("screen", [PHONE, SMALL, DESK], ids=["phone", "small", "desk"])
def test_everyone_can_use_the_page(page: Browser, screen: tuple[int, int], dark: bool) -> None:
    page.size(*screen, dark)
    page.wait(f"innerWidth === {screen[0]}")
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) < 150) == dark
    assert faults(page, named=True) == []
    told = page.roles()
    names = [name for role, name in told if role == "slider"]
    assert len(names) == page.run(f"{SLIDERS}.length") == 20
    assert all(names)
    headings = [name for role, name in told if role == "heading"]
    assert headings[1].endswith("Two laws, with Ada and without")
    assert len(headings) == 7
    # Pictures are as wide as their place, and no word is cut off at either end of any slider.
    for end in ("min", "max", "min"):
        moved = f"{SLIDERS}.forEach((one) => {{ one.value = one.{end}; "
        page.run(moved + "one.dispatchEvent(new Event('input', {bubbles: true})); })")
        for way in ("laws-gaussian", "sensitivity-sum", "composition-all"):
            click(page, way)
        click(page, "winner-often")
        assert page.run(CUT_OFF) == []
        assert page.run("document.documentElement.scrollWidth") <= screen[0]
        for way in ("laws-laplace", "sensitivity-count", "composition-each", "response-truth"):
            click(page, way)
        assert page.run(CUT_OFF) == []
    assert page.complaints == []


def test_every_slider_moves_numbers_by_keyboard(page: Browser) -> None:
    click(page, "sensitivity-sum")  # only a sum has a bound
    for name in page.run(f"{SLIDERS}.map((one) => one.id)"):
        section = f"document.getElementById('{name}').closest('section')"
        seen = f"{section}.querySelector('.show').innerHTML"
        page.run(f"document.getElementById('{name}').focus()")
        before, shown = page.run(seen), text(page, f"{name}-value")
        page.press("ArrowRight", 39)
        assert text(page, f"{name}-value") != shown, name
        assert page.run(seen) != before, name
        told = page.run(f"document.getElementById('{name}').getAttribute('aria-valuetext')")
        assert told == text(page, f"{name}-value")
        page.press("ArrowLeft", 37)
        assert text(page, f"{name}-value") == shown, name
        page.press("End", 35)
        page.press("Home", 36)
    assert page.complaints == []


def test_one_of_several_ways_is_chosen_by_keyboard(page: Browser) -> None:
    for first, second in (
        ("laws-laplace", "laws-gaussian"),
        ("sensitivity-count", "sensitivity-sum"),
        ("composition-each", "composition-all"),
    ):
        section = f"document.getElementById('{first}').closest('section')"
        shown = page.run(f"{section}.querySelector('.said').textContent")
        page.run(f"document.getElementById('{first}').focus()")
        page.press("ArrowDown", 40)
        assert page.run("document.activeElement.id") == second
        assert page.run(f"document.getElementById('{second}').checked")
        assert page.run(f"{section}.querySelector('.said').textContent") != shown
    assert page.run("document.getElementById('sensitivity-bound').disabled") is False
    assert "sharing it among many only adds noise" in text(page, "composition-said")


def test_the_keyboard_reaches_everything_and_focus_is_seen(page: Browser) -> None:
    reached: list[str] = []
    for _ in range(60):
        page.press("Tab", 9)
        name = page.run("document.activeElement.id || document.activeElement.hash || ''")
        if reached and name in ("", reached[0]):
            break
        reached.append(name)
        outline = page.run("getComputedStyle(document.activeElement).outline")
        assert "solid" in outline, name
        assert "3px" in outline, name
    assert [name for name in reached if name.startswith("#")] == [f"#{one}" for one in SECTIONS]
    enabled = f"{SLIDERS}.filter((one) => !one.disabled).map((one) => one.id)"
    assert [name for name in reached if name in page.run(enabled)] == page.run(enabled)
    assert {"response-again", "response-truth", "winner-once", "laws-laplace"} <= set(reached)


def test_the_numbers_on_the_page_are_those_of_discreet(page: Browser) -> None:
    laplace = dp.Laplace(scale=1)
    assert text(page, "laws-with") == f"{laplace.pmf(3):.3g}"
    assert text(page, "laws-without") == f"{laplace.pmf(4):.3g}"
    assert text(page, "laws-ratio") == text(page, "laws-bound") == "2.72"
    assert "104 is 2.72 times as likely with Ada" in text(page, "laws-said")
    put(page, "laws-answer", 90)
    assert "2.72 times as likely without Ada" in text(page, "laws-said")
    click(page, "laws-gaussian")
    sigma = float(dp.Laplace(scale=1).variance) ** 0.5
    assert f"σ = {sigma:.3g}" in text(page, "laws-said")
    assert text(page, "laws-ratio") == f"{exp(-10.5 / sigma**2):.3g}"
    hundred = RepeatedEvent(event=PureEvent(epsilon="0.2"), count=100)
    epsilon = float(dp.accounting.zcdp_epsilon(hundred, delta="1e-6"))
    assert text(page, "composition-concentrated") == f"{epsilon:.3g}"
    least = float(dp.accounting.optimal_epsilon(hundred, delta="1e-6"))
    assert text(page, "composition-optimal") == f"{least:.3g}"
    put(page, "composition-count", 0)
    assert text(page, "composition-said").startswith("One answer costs ε = 0.2.")
    most = 1 - float(dp.Region(epsilon=1).upper_corners[1][0])
    assert text(page, "attacker-success") == text(page, "attacker-most") == f"{most:.1%}"
    put(page, "attacker-delta", 4)
    assert float(text(page, "attacker-success")[:-1]) < float(text(page, "attacker-most")[:-1])
    law = dp.PermuteAndFlip(scale=Fraction(10, 3), monotone=True).law([24, 21, 14, 5])
    assert text(page, "winner-right") == f"{law.probability(0):.1%}"
    click(page, "sensitivity-sum")
    assert text(page, "sensitivity-most") == "20"
    assert text(page, "sensitivity-answer") == str(12 + 3 + 0 + 9 + 1 + 5 + 20 + 2 + 4)
    reach = dp.Laplace(scale=20).accuracy("0.95")
    assert f"within ± {reach}. The bound cuts off 6 of 62 days." in text(page, "sensitivity-said")


def test_a_pointer_chooses_an_answer(page: Browser) -> None:
    box = page.run(
        "(() => { const box = document.getElementById('laws-picture').getBoundingClientRect(); "
        "return [box.left, box.top, box.width]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        page.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=box[0] + box[2] - 12,
            y=box[1] + 100,
            button="left",
            buttons=1 if kind == "mousePressed" else 0,
            clickCount=1,
        )
    assert text(page, "laws-answer-value") == "115"
    assert text(page, "laws-said").startswith("The answer 115 is")


def test_a_crowd_lies_as_often_as_it_says(page: Browser) -> None:
    assert text(page, "response-true") == "hidden"
    put(page, "response-people", 4)
    put(page, "response-share", 30)
    click(page, "response-truth")
    assert text(page, "response-true") == "30%"
    lies = [page.run("document.querySelectorAll('#response-picture circle.lie').length")]
    for _ in range(3):
        click(page, "response-again")
        lies.append(page.run("document.querySelectorAll('#response-picture circle.lie').length"))
        assert text(page, "response-said").startswith(f"{lies[-1]} of 1,600 people lied.")
    assert len(set(lies)) > 1
    keep = float(dp.local.RandomizedResponse(epsilon=1).pair[0])
    for number in lies:  # six standard deviations: 5 in 10^9
        assert abs(number - 1600 * (1 - keep)) < 6 * (1600 * keep * (1 - keep)) ** 0.5


def test_draws_are_counted_and_forgotten_when_the_votes_change(page: Browser) -> None:
    won = "[...document.querySelectorAll('#winner-picture text')].map((one) => one.textContent)"
    click(page, "winner-often")
    click(page, "winner-once")
    found = [re.fullmatch(r"won (\d+) of 101", one) for one in page.run(won)]
    assert sum(int(one[1]) for one in found if one) == 101
    assert text(page, "winner-told") in ("Ash", "Birch", "Cedar", "Elm")
    put(page, "winner-2", 30)
    assert not any("won" in one for one in page.run(won))
    assert text(page, "winner-largest") == "Cedar"


def test_nothing_scrolls_by_itself_where_motion_is_not_wanted(page: Browser) -> None:
    behavior = "getComputedStyle(document.documentElement).scrollBehavior"
    assert page.run(behavior) == "smooth"
    reduced = {"name": "prefers-reduced-motion", "value": "reduce"}
    page.call("Emulation.setEmulatedMedia", features=[reduced])
    assert page.run(behavior) == "auto"


def test_the_page_works_from_disk_and_a_changed_script_does_not(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "learn.html"
    path.write_text(whole_page(), "utf-8")
    browser.size(*PHONE)
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(path.as_uri())
    browser.wait(READY)
    assert browser.complaints == []
    assert {request["url"] for request in browser.requests} == {path.as_uri()}
    assert browser.run("document.documentElement.scrollWidth") <= PHONE[0]
    assert browser.run("getComputedStyle(document.querySelector('.facts')).display") == "grid"
    put(browser, "laws-epsilon", 0)
    assert text(browser, "laws-bound") == "1.05"

    path.write_text(whole_page().replace("const SUPERSCRIPT", "const  SUPERSCRIPT"), "utf-8")
    browser.open(path.as_uri())
    browser.wait("document.querySelector('h1')")
    assert text(browser, "laws-bound") == ""
    assert any("Content Security Policy" in one for one in browser.complaints)
