"""What 0.1.0 wrote is read for ever: ledgers, policies, certificates, local schemes and surveys."""

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet import local
from discreet.errors import DataError, KeyReusedError
from discreet.ledger import Ledger
from discreet.ledger.entries import Anchor
from discreet.policy import read_policy
from discreet.privacy.events import KINDS as EVENT_KINDS
from discreet.privacy.events import event_from_data, event_to_data
from discreet.release.certificate import Certificate, check_certificate, unchecked_fields

WRITTEN = Path(__file__).parent / "0.1.0"
ENTRY_KINDS = {"dataset", "budget", "details", "charge", "released", "lost"}
"""The kinds of entries that 0.1.0 knew."""
ASKED = {
    "groups": (
        "SELECT ward, COUNT(DISTINCT patient) AS patients, AVG(stay) AS mean_stay FROM visits "
        "GROUP BY ward",
        "1",
        "0",
    ),
    "private_keys": (
        "SELECT town, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY town",
        "1/3",
        "1e-6",
    ),
    "ranks": ("SELECT MEDIAN(stay) AS middle, MAX(age) AS oldest FROM visits", "1/2", "0"),
}
POLICIES = sorted(path.stem for path in WRITTEN.glob("*.toml"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files, to be written to."""
    return Path(shutil.copytree(WRITTEN, tmp_path / "0.1.0"))


def test_the_files_are_those_that_were_written() -> None:
    found = {
        path.name: sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted(WRITTEN.iterdir())
        if path.suffix in (".ledger", ".jsonl", ".json", ".toml")
    }
    assert found == FIRST_DIGITS
    for folder, digits in FOLDERS.items():
        files = sorted((WRITTEN / folder).iterdir())
        joined = b"".join(path.read_bytes() for path in files)
        assert sha256(joined).hexdigest()[:16] == digits, folder


class TestLedger:
    @pytest.mark.parametrize("read_only", [True, False])
    def test_it_is_sound(self, folder: Path, read_only: bool) -> None:
        anchor = Anchor.load(folder / "every_kind.anchor.json")
        with Ledger(folder / "every_kind.ledger", read_only=read_only) as ledger:
            report = ledger.verify(anchor)
            assert (report.problems, report.entries) == ((), anchor.entries)
            assert {entry.kind for entry in ledger.history()} == ENTRY_KINDS
            lines = "".join(f"{line}\n" for line in ledger.export())
        assert lines == (WRITTEN / "every_kind.jsonl").read_text()

    def test_every_event_is_written_as_it_was(self, folder: Path) -> None:
        with Ledger(folder / "every_kind.ledger", read_only=True) as ledger:
            charges = [entry.data["event"] for entry in ledger.history() if entry.kind == "charge"]
        assert [event_to_data(event_from_data(data)) for data in charges] == charges
        assert {data["kind"] for data in charges} == EVENTS_THEN <= set(EVENT_KINDS)

    def test_an_edited_entry_is_noticed(self, folder: Path) -> None:
        with Ledger(folder / "every_kind.ledger", read_only=True) as ledger:
            for entry in ledger.history():
                assert entry.intact
                assert not entry._replace(time="2020-01-01T00:00:00.000000Z").intact

    def test_what_it_answered_is_given_again(self, folder: Path) -> None:
        with Ledger(folder / "every_kind.ledger") as ledger:
            before = ledger.balance("visits").spent
            charge = ledger.charge(
                "visits",
                event=event_from_data({"kind": "pure", "version": 1, "epsilon": "1/10"}),
                question="question 1",
                analyst="ann",
                key="k1",
            )
            assert charge.answer == "answer 1, ε".encode()
            assert ledger.balance("visits").spent == before


class TestCertificate:
    @pytest.mark.parametrize("name", ASKED)
    def test_it_agrees_with_its_ledger(self, folder: Path, name: str) -> None:
        certificate = Certificate.load(folder / f"{name}.certificate.json")
        assert Certificate.load(folder / f"{name}.answer.json") == certificate
        written = json.loads((folder / f"{name}.certificate.json").read_text())
        assert certificate.to_data() == {**written, "suspensions": 0}
        with Ledger(folder / "visits.ledger", read_only=True) as ledger:
            assert ledger.verify().sound
            assert check_certificate(certificate, ledger) == []
            assert "versions" in unchecked_fields(certificate, ledger)

    @pytest.mark.parametrize("field", ["table", "epsilon", "hash", "answer", "analyst", "entry"])
    def test_a_changed_one_does_not(self, folder: Path, field: str) -> None:
        data = json.loads((folder / "groups.certificate.json").read_text())
        other = json.loads((folder / "ranks.certificate.json").read_text())
        data[field] = f"{data[field]}s" if field in ("table", "analyst") else other[field]
        with Ledger(folder / "visits.ledger", read_only=True) as ledger:
            assert check_certificate(Certificate.from_data(data), ledger)

    @pytest.mark.parametrize("name", ["private_keys"])
    def test_a_retry_gets_the_same_numbers_for_free(self, folder: Path, name: str) -> None:
        sql, epsilon, delta = ASKED[name]
        kept = json.loads((folder / f"{name}.answer.json").read_text())
        with dp.table(folder / "visits.toml") as table:
            spent = table.budget.spent
            again: Any = table.sql(sql, epsilon=epsilon, delta=delta, key=name, analyst="ann")
            assert table.budget.spent == spent
        released = [*again.keys, *again.columns]
        assert [[row[column] for column in released] for row in again.rows()] == [
            [row[column] for column in released] for row in kept["rows"]
        ]

    @pytest.mark.parametrize("name", ["groups", "ranks"])
    def test_a_key_whose_question_is_planned_otherwise_now_costs_nothing(
        self, folder: Path, name: str
    ) -> None:
        # Quantiles have other grids and measures than in 0.1.0, so its integers mean nothing now;
        # several outputs share a price in other parts.
        sql, epsilon, delta = ASKED[name]
        with dp.table(folder / "visits.toml") as table:
            spent = table.budget.spent
            with pytest.raises(KeyReusedError):
                table.sql(sql, epsilon=epsilon, delta=delta, key=name, analyst="ann")
            assert table.budget.spent == spent


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_means_what_it_meant(folder: Path, name: str) -> None:
    written = json.loads((WRITTEN / "policies.json").read_text())[name]
    found = json.loads(json.dumps(_plain(read_policy(folder / f"{name}.toml"))))
    assert json.loads(json.dumps(found).replace(f"{folder}/", "")) == written


SCHEMES = sorted(path.stem for path in (WRITTEN / "local").glob("*.json"))
POLLS = ("lessons", "work")


class TestLocal:
    @pytest.mark.parametrize("name", SCHEMES)
    def test_a_scheme_is_the_same_one(self, name: str) -> None:
        kept = _kept(name)
        scheme = local.scheme(kept["scheme"])
        assert scheme.to_json() == kept["scheme"]
        assert scheme.identity == kept["identity"]
        assert str(scheme.loss.epsilon) == kept["loss"]

    @pytest.mark.parametrize("name", SCHEMES)
    def test_its_reports_are_tallied_as_they_were_sent(self, name: str) -> None:
        kept = _kept(name)
        scheme = local.scheme(kept["scheme"])
        tally = scheme.tally()
        for report in kept["reports"]:
            tally.add(scheme.report_from_wire(report))
        assert tally.to_bytes().hex() == kept["tally"]
        for found in (tally, local.Tally.from_bytes(bytes.fromhex(kept["tally"]))):
            estimate = scheme.estimate(found)
            single = isinstance(estimate, dp.Estimate)
            numbers = {"": estimate} if single else dict(estimate.items())
            values = {str(key): one.value for key, one in numbers.items()}
            assert values == pytest.approx(kept["estimate"])

    def test_reports_of_another_scheme_are_refused(self) -> None:
        scheme = local.scheme(_kept("two-coin")["scheme"])
        with pytest.raises(DataError):
            scheme.report_from_wire(_kept("randomized-response")["reports"][0])

    def test_a_device_remembers_what_it_drew_and_paid(self) -> None:
        kept = WRITTEN / "local"
        memo = local.Memo.from_json((kept / "memo.txt").read_text())
        for name, answer in json.loads((kept / "memo_answers.txt").read_text()).items():
            scheme = local.scheme(_kept(name)["scheme"])
            value = "d" if name == "words" else 3 / 11
            assert memo.answer(f"what of {name}?", scheme, value) == answer
        account = local.Account.from_json((kept / "account.txt").read_text())
        paid = ("words", "mean-hybrid", "repeated")
        total = sum(local.scheme(_kept(name)["scheme"]).loss.epsilon for name in paid)
        assert account.spent.epsilon == total


class TestSurvey:
    @pytest.mark.parametrize("name", POLLS)
    def test_its_results_are_those_that_were_shown(self, folder: Path, name: str) -> None:
        command = [sys.executable, "-m", "discreet", "survey", "results", f"{name}.toml", "--json"]
        ended = subprocess.run(command, cwd=folder / "survey", capture_output=True, check=True)
        then = json.loads((WRITTEN / "survey" / f"{name}.results.json").read_text())
        now = json.loads(ended.stdout)
        (question,) = now["questions"]
        assert (now["reports"], now["ballot"]) == (then["reports"], then["scheme"])
        for shown, kept in zip(question["shares"], then["shares"], strict=True):
            assert {field: shown[field] for field in kept} == kept
        if then["mean"] is not None:
            mean = {field: question["mean"][field] for field in then["mean"]}
            assert mean == pytest.approx(then["mean"])

    @pytest.mark.parametrize("name", POLLS)
    def test_its_export_is_read(self, name: str) -> None:
        tally = local.read_export((WRITTEN / "survey" / f"{name}.export.json").read_text())
        then = json.loads((WRITTEN / "survey" / f"{name}.results.json").read_text())
        assert (tally.scheme.identity, tally.reports) == (then["scheme"], then["reports"])


def _kept(name: str) -> dict[str, Any]:
    """A scheme, its reports and what they came to."""
    found: dict[str, Any] = json.loads((WRITTEN / "local" / f"{name}.json").read_text("utf-8"))
    return found


def _plain(value: Any) -> Any:
    """Declarations as plain data, as they were written down then."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if hasattr(value, "to_data"):
        return value.to_data()
    if hasattr(value, "columns"):
        columns = _plain(dict(value.columns))
        return {"columns": columns, "unit": value.unit, "max_rows": value.max_rows}
    if isinstance(value, dp.Budget):
        return [str(value.epsilon), str(value.delta), str(value.conversion_delta)]
    return value


EVENTS_THEN = {
    "approximate",
    "bounded-range",
    "composed",
    "discrete-gaussian",
    "discrete-laplace",
    "gaussian",
    "laplace",
    "poisson-sampled",
    "pure",
    "randomized-response",
    "repeated",
    "zcdp",
}
"""The kinds of events that 0.1.0 knew."""
FIRST_DIGITS = {
    "every_kind.anchor.json": "a086a580c732cc5d",
    "every_kind.jsonl": "b5d619fdcbdbacea",
    "every_kind.ledger": "9dff445902d4de04",
    "everything.toml": "bcba11e02a5fbda3",
    "groups.answer.json": "747b74481576a890",
    "groups.certificate.json": "4f0d953fc4d98ab4",
    "least.toml": "0e78907d39e8696f",
    "pending.ledger": "f8e6a3e47e41a55f",
    "policies.json": "74cafce7590877fc",
    "postgres.toml": "042f26408678026d",
    "private_keys.answer.json": "8aca12b6bec20887",
    "private_keys.certificate.json": "b4f6840fa074b538",
    "ranks.answer.json": "38517bdc193bc359",
    "ranks.certificate.json": "5a021af18abab2b2",
    "spark.toml": "9ce731fb3e88a620",
    "visits.ledger": "bfd30ebf72b7c2b2",
    "visits.toml": "735902305d19940d",
}
"""Of the SHA-256 of each file."""
FOLDERS = {"local": "f0438c6721ca0637", "survey": "dceb540a7ec7175d"}
"""Of all files of a folder, one after the other."""
