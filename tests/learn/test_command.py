"""``discreet learn``: what it serves, to whom, and what it writes."""

import signal
import sys
from importlib.resources import files
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from discreet.cli.main import discreet
from discreet.errors import SourceError
from discreet.learn.pages import static_files, whole_page
from discreet.web.headers import HEADERS
from tests.learn.hosts import PATIENCE, serving
from tests.support.waits import until


@pytest.fixture(autouse=True)
def server() -> None:
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason=f"NO TESTS OF LEARN'S SERVER: no {package}")


def test_the_page_and_its_files_are_served_with_every_header() -> None:
    with serving("--no-open") as host:
        for path in ("", *(f"static/{name}" for name in static_files())):
            with urlopen(host.address + path, timeout=PATIENCE) as response:
                assert response.status == 200
                assert {name: response.headers[name] for name in HEADERS} == HEADERS
                body = response.read().decode()
            if path:
                assert body.encode() == static_files()[path.removeprefix("static/")][0]
            else:
                assert "<h1>Differential privacy" in body
        for method, path, status in (
            ("GET", "static/pages.py", 404),
            ("GET", "static/../pages.py", 404),
            ("POST", "", 405),
        ):
            with pytest.raises(HTTPError) as refused:
                urlopen(Request(host.address + path, method=method), timeout=PATIENCE)
            with refused.value as answer:
                assert answer.code == status
                assert {name: answer.headers[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize(("by", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, -15)])
def test_the_server_ends_when_it_is_told_to(by: signal.Signals, code: int) -> None:
    with serving("--no-open") as host:
        assert host.said == f"  learn  {host.address}  (Ctrl-C ends)\n"
        urlopen(host.address, timeout=PATIENCE).close()
        assert host.stop(by) == ""
        assert host.process.returncode == code


def test_a_browser_is_opened_at_the_page_unless_none_is_wanted(tmp_path: Path) -> None:
    opened = tmp_path / "opened.txt"
    program = tmp_path / "browser.py"
    program.write_text(
        "import sys, pathlib, urllib.request\n"
        "text = urllib.request.urlopen(sys.argv[1]).read().decode()\n"
        f"pathlib.Path({str(opened)!r}).write_text(sys.argv[1] + text[:15])\n",
        "utf-8",
    )
    variables = {"BROWSER": f"{sys.executable} {program} %s"}
    with serving("--no-open", **variables) as host:
        urlopen(host.address, timeout=PATIENCE).close()
    assert not opened.exists()
    with serving(**variables) as host:
        until(lambda: opened.exists() and opened.read_text("utf-8"), "the browser is opened")
        assert opened.read_text("utf-8") == f"{host.address}<!doctype html>"


def test_a_port_that_is_taken_is_refused_with_a_remedy() -> None:
    with serving("--no-open") as host:
        port = host.address.rstrip("/").rpartition(":")[2]
        refused = pytest.raises(RuntimeError, match=f"Nothing can listen on port {port}.*8080")
        with refused, serving("--no-open", "--port", port):
            pass


@pytest.mark.parametrize("missing", ["starlette.applications", "uvicorn"])
def test_without_the_server_the_page_can_still_be_written(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SourceError, match=r"is not installed\. It serves .* Run: .*install"):
        discreet(["learn", "--no-open"], standalone_mode=False)
    path = tmp_path / "learn.html"
    discreet(["learn", "--html", str(path)], standalone_mode=False)
    assert path.stat().st_size > 50_000


def test_one_file_holds_the_whole_page(tmp_path: Path) -> None:
    path = tmp_path / "learn.html"
    ended = CliRunner().invoke(discreet, ["learn", "--html", str(path)])
    assert ended.exit_code == 0
    assert ended.output == f"{path} is the whole page. Open it in a browser.\n"
    text = path.read_text("utf-8")
    assert text == whole_page()
    for part in ("web/style.css", "learn/page/learn.css", "learn/page/learn.js"):
        assert files("discreet").joinpath(part).read_text("utf-8") in text
    assert "static/" not in text


def test_no_text_of_the_module_ends_the_script_that_holds_it() -> None:
    for name in ("learn.js", "learn.css"):
        assert "</" not in static_files()[name][0].decode()
