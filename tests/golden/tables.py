"""Plans and answers of a question of each kind, in every form in which they are shown or sent."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import discreet as dp
from discreet.cli.terminal import show_answer, show_plan
from discreet.errors import DataError
from discreet.ledger import Ledger
from discreet.noise import UnsafeSeededBits
from discreet.policy import read_policy
from discreet.release.certificate import Certificate, check_certificate, unchecked_fields
from discreet.release.plan import Plan
from discreet.release.release import Release
from discreet.templates import package_text
from tests.golden.commands import shown
from tests.golden.comparing import parted
from tests.golden.engines import broken
from tests.golden.ledger import Clock
from tests.golden.numbers import steady
from tests.golden.questions import BATCH, QUESTIONS, Asked, write_tables

VERSION, DIGEST = "VERSION", "DIGEST"
"""What stands for the versions of packages, and for the digest of an answer that names them."""


class SeededBits(UnsafeSeededBits):
    """Bits that are the same every time, and that a table takes for good ones: in tests only."""

    safe = True


def files(folder: Path) -> dict[str, str]:
    """For each question its plan, its answer and its report; and how several are planned."""
    write_tables(folder)
    found: dict[str, str] = {}
    for name, asked in QUESTIONS.items():
        with _opened(folder, asked.table) as table:
            plan = planned(table, asked)
            found[f"plans/{name}.txt"] = steady(_plan(folder, asked, plan, name in REPORTED))
            release = plan.release(analyst="ann", key=name, source=SeededBits(1))
            _checked(table, release)
            kept = _steadied(release)
            found[f"answers/{name}.txt"] = kept(_answer(table, release))
            found[f"answers/{name}.json"] = kept(_json(release))
            found[f"stored/{name}.txt"] = kept(_stored(table))
            found[f"certificates/{name}.json"] = kept(f"{release.certificate.to_json()}\n")
            if name in REPORTED:
                found[f"reports/{name}.html"] = kept(_page(release))
    with _opened(folder, "visits") as table:
        asked = [asking(table, QUESTIONS[name]) for name in BATCH]
        found["plans/batch.txt"] = _batch(dp.batch(asked))
    return found


REPORTED = ("quantiles", "private-groups", "join", "free", "computed")
"""Of these the page is kept, which is long, and what the commands write, which takes long."""


@contextmanager
def _opened(folder: Path, name: str) -> Iterator[dp.Table]:
    """A table with an empty ledger, whose clock stands still."""
    declared = read_policy(folder / f"{name}.toml")
    place = declared["ledger"]
    if place != ":memory:":
        Path(place).unlink(missing_ok=True)
    ledger = Ledger(place, clock=Clock())
    with patch.dict("os.environ", LOGNAME="cleo"):  # who declares it stands in the ledger
        table = dp.table(**declared | {"ledger": ledger})
    with table:
        yield table


def asking(table: dp.Table, asked: Asked) -> Any:
    """The question, before it is priced."""
    return table.ask(asked.sql) if isinstance(asked.sql, str) else asked.sql(table)


def planned(table: dp.Table, asked: Asked) -> Plan:
    """The question with its price."""
    return asking(table, asked).plan(
        epsilon=asked.epsilon,
        delta=asked.delta,
        margin=asked.margin or None,
        expect_rows=asked.expect_rows,
    )


def _plan(folder: Path, asked: Asked, plan: Plan, commands: bool) -> str:
    parts = {"asks": asked.sql} if isinstance(asked.sql, str) else {}
    parts |= {
        "Python": repr(plan),
        "explained": plan.explain(),
        "hashed": plan.text,
        "price": f"{plan.epsilon}, {plan.delta}\n{plan.price.event!r}",
        "margins": json.dumps(plan.margins()),
        "SQL": "\n".join(map(broken, plan.queries)),
        "on a terminal": _told(lambda: show_plan(plan)),
    }
    if commands:
        policy, options = folder / f"{asked.table}.toml", _options(asked)
        for option in ("--json", "--sql"):
            words = ["plan", policy, asked.sql, *options, option]
            parts[f"discreet plan {option}"] = shown(*words, without=folder)
        words = ["ask", policy, f"EXPLAIN {asked.sql}", *options]
        parts["discreet ask EXPLAIN"] = shown(*words, without=folder)
    return parted(parts)


def _told(show: Callable[[], None]) -> str:
    """What is printed."""
    out = StringIO()
    with redirect_stdout(out):
        show()
    return out.getvalue()


def _options(asked: Asked) -> list[str]:
    words = ["--delta", asked.delta]
    words += [] if asked.epsilon is None else ["--epsilon", asked.epsilon]
    words += [] if asked.expect_rows is None else ["--expect-rows", str(asked.expect_rows)]
    return words + [
        part for name, size in asked.margin.items() for part in ("--margin", f"{name}={size}")
    ]


def _batch(batch: Any) -> str:
    budget = dp.Budget(epsilon=2, delta="1e-4")
    return parted(
        {
            "equal shares": repr(batch.plan(budget=budget)),
            "weights": repr(batch.plan(budget=budget, weights=[1, 2, 3, 4])),
            "margins": repr(batch.plan(budget=budget, margins=[{"n": 100}, None, None, None])),
        }
    )


def _answer(table: dp.Table, release: Release) -> str:
    balances = [table.budget, table.ledger.balance(table.name, "ann")]
    parts = {
        "Python": repr(release),
        "notes": "\n".join(release.notes),
        "columns": "\n".join(f"{name} {_types(release, name)}" for name in release.header),
        "CSV": release.to_csv(),
        "at once": json.dumps(release.simultaneous()),
        "notebook": unescape(release._repr_html_()),
        "on a terminal": _told(lambda: show_answer(release, balances)),
        "certificate": release.certificate.text,
    }
    return parted(parts)


def _page(release: Release) -> str:
    """The report as it is where the extra is not installed that draws: others' code makes those.

    Its style is a file of the source, which every page has as it is, and is left out.
    """
    with patch.object(Release, "plot", side_effect=DataError("no pictures")):
        page = release.report()
    style = package_text("release/report.css")
    assert style in page
    return page.replace(style, "")


def _types(release: Release, name: str) -> str:
    """What a column of a data frame holds, as Arrow has it."""
    return str(release.to_arrow().schema.field(name).type)


def _json(release: Release) -> str:
    """The answer as it is sent, on several lines; that it is on one is looked at here."""
    text = release.to_json()
    data = json.loads(text)
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n" + f"{len(text.splitlines())}\n"


def _stored(table: dp.Table) -> str:
    """The entries of the ledger, without what depends on versions, and the answer as it is kept."""
    entries = list(table.ledger.history())
    lines = [entry.line() for entry in entries if entry.kind != "released"]
    released = [entry for entry in entries if entry.kind == "released"]
    answers = [(table.ledger.stored(entry) or b"").decode() for entry in released]
    return "".join(f"{line}\n" for line in [*lines, *answers])


def _checked(table: dp.Table, release: Release) -> None:
    """A certificate that agrees with its ledger, in every field."""
    certificate = release.certificate
    assert check_certificate(certificate, table.ledger) == []
    assert list(unchecked_fields(certificate, table.ledger)) == []
    assert Certificate.read(certificate.to_json()).to_json() == certificate.to_json()


def _steadied(release: Release) -> Any:
    """A text without versions, digests of what names versions, and digits that machines differ in.

    That the digest is that of the answer is looked at by ``check``.
    """
    certificate = release.certificate

    def kept(text: str) -> str:
        for name, number in certificate.versions.items():
            for mark in ('": "', '":"', " ", "&#34;: &#34;"):
                text = text.replace(f"{name}{mark}{number}", f"{name}{mark}{VERSION}")
        return steady(text.replace(certificate.answer, DIGEST))

    return kept
