"""The site has the colors of the reports, its buttons copy what is typed, and it is served."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.support.browser import VARIABLE, Browser, browsing, chromium

DOCS = Path(__file__).parents[2] / "docs"

sys.path.insert(0, str(DOCS / "_extensions"))
try:
    import phone_tables  # type: ignore[import-not-found]
    import serve  # type: ignore[import-not-found]
    import site_colors  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)


def test_colors_are_those_of_the_pages_that_discreet_writes() -> None:
    day, night = site_colors.colors()
    assert set(day) == set(night)
    assert day["color-background-primary"] == "#fdfdfb"
    assert night["color-background-primary"] == "#15181c"
    assert all(day[name] != night[name] for name in day)
    assert site_colors.fonts()["font-stack"].startswith("system-ui, ")


# --------------------------------------------------------------------- copying

SESSIONS = {
    "x = 1\ny = 2\n": "x = 1\ny = 2",
    ">>> for x in y:\n...     x\n...\n1\n>>> z\n": "for x in y:\n    x\n\nz",
    "$ discreet ask visits.toml \\\n    --epsilon 1\n\n1,079 ± 42\n$ ls\n": (
        "discreet ask visits.toml \\\n    --epsilon 1\nls"
    ),
    "discreet demo\n": "discreet demo",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = chromium()
    if program is None:
        pytest.skip(f"NO TESTS IN A BROWSER: chromium is not installed, nor named by {VARIABLE}")
    with browsing(program) as opened:
        yield opened


@pytest.mark.slow
def test_a_button_copies_what_is_typed(browser: Browser, tmp_path: Path) -> None:
    blocks = "".join(f'<div class="highlight"><pre>{text}</pre></div>' for text in SESSIONS)
    place = tmp_path / "page.html"
    script = (DOCS / "_static" / "copy.js").as_uri()
    place.write_text(f'<meta charset="utf-8"><script src="{script}"></script>{blocks}', "utf-8")
    browser.open(place.as_uri())
    browser.wait(f"document.querySelectorAll('button.copy').length === {len(SESSIONS)}")
    copied = browser.run(
        "[...document.querySelectorAll('.highlight > pre')].map((one) => typed(one.textContent))"
    )
    assert copied == list(SESSIONS.values())
    browser.run("document.querySelector('button.copy').click()")
    browser.wait("document.querySelector('button.copy').textContent !== 'Copy'")


@pytest.mark.slow
def test_the_button_hides_no_code_where_nothing_hovers(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    style, script = ((DOCS / "_static" / name).as_uri() for name in ("site.css", "copy.js"))
    place.write_text(
        f'<meta charset="utf-8"><link rel="stylesheet" href="{style}"><script src="{script}">'
        f'</script><div class="highlight"><pre>{"a long line " * 40}</pre></div>',
        "utf-8",
    )
    browser.size(390, 844)
    browser.open(place.as_uri())
    browser.wait("document.querySelectorAll('button.copy').length === 1")
    assert browser.run("matchMedia('(hover: none)').matches")
    assert browser.run(
        "document.querySelector('.highlight > pre').getBoundingClientRect().bottom"
        " <= document.querySelector('button.copy').getBoundingClientRect().top"
    )


# --------------------------------------------------------------------- on a phone

HEADS = ["name", "what it holds", "where it stands", "since"]
CELLS = [
    "n_lower",
    "the lower end of its interval " * 4,
    "<code>beside=&quot;n&quot;</code>",
    "0.1",
]


def wide_table(columns: int) -> str:
    cells = "".join(f"<td><p>{text}</p></td>" for text in CELLS[:columns])
    heads = "".join(f"<th><p>{text}</p></th>" for text in HEADS[:columns])
    return (
        f'<table class="docutils align-default"><thead><tr>{heads}</tr></thead>'
        f"<tbody><tr>{cells}</tr><tr>{cells}</tr></tbody></table>"
    )


def test_each_cell_of_a_wide_table_knows_its_column() -> None:
    page = phone_tables.with_headings(f"{wide_table(4)}<p>between</p>{wide_table(2)}")
    assert page.count('data-head="where it stands"') == 2
    assert page.endswith(f"<p>between</p>{wide_table(2)}")
    assert (
        re.sub(r' data-head="[^"]*"| wide', "", page)
        == f"{wide_table(4)}<p>between</p>{wide_table(2)}"
    )


@pytest.mark.slow
def test_on_a_phone_no_column_is_beyond_the_edge(browser: Browser, tmp_path: Path) -> None:
    style, place = (DOCS / "_static" / "site.css").as_uri(), tmp_path / "page.html"
    beyond = (
        "[...document.querySelectorAll('td')].some("
        "(one) => one.getBoundingClientRect().right > 391)"
    )
    code = f"<code class='literal'>{'dp_verify_' * 9}</code>"
    long = wide_table(2).replace(CELLS[1], code)
    seen = []
    for table in (phone_tables.with_headings(wide_table(4)), long):
        for linked in (style, ""):
            place.write_text(
                f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                f'<link rel="stylesheet" href="{linked}"><div class="content">{table}</div>',
                "utf-8",
            )
            browser.size(390, 844)
            browser.open(place.as_uri())
            seen.append(browser.run(beyond))
    assert (seen[0], seen[2]) == (False, False)
    assert seen[3], "without the style it is beyond the edge"


# --------------------------------------------------------------------- serving


@contextmanager
def serving(folder: Path, root: Path, build: str) -> Iterator["subprocess.Popen[str]"]:
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import serve; "
        "serve.serve(Path(sys.argv[2]), ['sh', '-c', sys.argv[4]], Path(sys.argv[3]))"
    )
    words = [str(DOCS / "_extensions"), str(folder), str(root), build]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def test_the_site_is_served_and_built_again_when_a_page_changes(tmp_path: Path) -> None:
    built, page = tmp_path / "docs" / "_build", tmp_path / "docs" / "index.md"
    built.mkdir(parents=True)
    page.write_text("one", "utf-8")
    (built / "index.html").write_text("one", "utf-8")
    with serving(built, tmp_path, f"cp {page} {built / 'index.html'}") as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address) as answer:
            assert answer.read() == b"one"
        page.write_text("another", "utf-8")
        assert process.stdout.readline() == "built again\n"
        with urlopen(address) as answer:
            assert answer.read() == b"another"


def test_what_is_built_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "docs" / "_build").mkdir(parents=True)
    (tmp_path / "docs" / "_build" / "index.md").write_text("built")
    (tmp_path / "docs" / "index.md").write_text("source")
    assert list(serve.state(tmp_path, tmp_path / "docs" / "_build")) == [
        tmp_path / "docs" / "index.md"
    ]
