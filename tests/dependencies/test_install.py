"""What is missing is named by packages that an index has, and by a command that installs them."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from discreet import dependencies
from discreet.dependencies import EXTRAS, JAVA, NEEDED, install, install_extra, typed_command

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCKED = {
    name: found
    for lock in sorted((ROOT / "requirements").glob("*.txt"))
    for name, found in re.findall(
        r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)", lock.read_text("utf-8"), re.M
    )
}
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
ASKED = re.compile(r"""\bpip3?(?: --python \S+)? install (?:-\S+ )*["']?(?P<what>[^\s"'`]+)""")


def test_the_packages_are_those_that_the_project_declares() -> None:
    assert list(NEEDED) == PROJECT["dependencies"]
    assert {name: list(found) for name, found in EXTRAS.items()} == PROJECT["optional-dependencies"]


@pytest.mark.parametrize("remedy", [*map(install_extra, EXTRAS), install(*NEEDED), install(JAVA)])
def test_every_remedy_names_packages_that_an_index_has(remedy: str) -> None:
    words = shlex.split(remedy)
    named = words[words.index("install") + 1 :]
    assert named
    for one in map(Requirement, named):
        assert one.name != PROJECT["name"]
        assert one.specifier.contains(LOCKED[one.name]), f"{one}: locked is {LOCKED[one.name]}"


def faulty_advice(text: str) -> list[str]:
    """What a text says of pip that would fail: a package that no index has, or an unknown extra."""
    wrong = []
    for found in ASKED.finditer(text):
        here = re.fullmatch(r"\.(?:\[(?P<extras>[\w,]+)\])?", found["what"])
        if here is None and re.split(r"[\[>=]", found["what"])[0] not in LOCKED:
            wrong.append(found[0])
        if here is not None and not set((here["extras"] or "plot").split(",")) <= set(EXTRAS):
            wrong.append(found[0])
    return wrong


def test_no_page_names_a_package_that_no_index_has() -> None:
    assert {str(page): faulty_advice(page.read_text("utf-8")) for page in PAGES} == {
        str(page): [] for page in PAGES
    }


@pytest.mark.parametrize(
    "text",
    [
        'Run `pip install "discreet[plot]"`.',
        "pip install discreet",
        "pip install '.[pictures]'",
        'pip --python .venv install "discreet[plot]"',
    ],
)
def test_advice_that_would_fail_is_seen(text: str) -> None:
    assert faulty_advice(text)


def test_there_is_one_place_that_names_the_command() -> None:
    sources = (ROOT / "src").rglob("*.py")
    telling = [path.name for path in sources if re.search(r"\bpip\b", path.read_text("utf-8"))]
    assert telling == ["dependencies.py"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pip", "place"),
    [
        (False, "a clone"),
        pytest.param(False, "elsewhere", marks=pytest.mark.soak),
        pytest.param(True, "a clone", marks=pytest.mark.soak),
        (True, "elsewhere"),
    ],
)
def test_the_command_installs_for_the_python_that_was_asked(
    tmp_path: Path, pip: bool, place: str
) -> None:
    """Through a real pip, as it is shown, from packages that are at hand."""
    environment, here = tmp_path / "a clone" / ".venv", tmp_path / place
    make = [sys._base_executable, "-m", "venv", environment]
    subprocess.run([*make, *([] if pip else ["--without-pip"])], check=True)
    here.mkdir(exist_ok=True)
    code = (
        f"import runpy; print(runpy.run_path({dependencies.__file__!r})['install_extra']('plot'))"
    )
    clean = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    shown = subprocess.run(
        [environment / "bin" / "python", "-c", code],
        cwd=here,
        env=clean,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    assert (str(tmp_path) in shown) == (place == "elsewhere")
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels(tmp_path / "wheels"))}
    subprocess.run(["bash", "-ec", shown], cwd=here, env=clean | settings, check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    assert {"altair-5.5.dist-info", "vl_convert_python-1.7.dist-info"} <= set(os.listdir(site))


def wheels(folder: Path) -> Path:
    """A folder with packages that hold nothing, as an index of its own."""
    folder.mkdir()
    for name, number in [("altair", "5.5"), ("vl_convert_python", "1.7")]:
        info = f"{name}-{number}.dist-info"
        with ZipFile(folder / f"{name}-{number}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n"
            )
            wheel.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(f"{info}/RECORD", "")
    return folder


def test_a_program_is_called_by_its_name_where_the_path_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = Path(sys.executable).parent
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(beside), prepend=os.pathsep)
    assert typed_command("python") == "python"
    monkeypatch.setenv("PATH", "/usr/bin")
    assert typed_command("python") == str(beside / "python")
    monkeypatch.chdir(beside.parent)
    assert typed_command("python") == "bin/python"


def test_what_is_installed_here_would_do() -> None:
    for one in map(Requirement, NEEDED):
        assert one.specifier.contains(version(one.name))
