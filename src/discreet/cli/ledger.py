"""``discreet ledger``: checking a ledger, showing its answers, giving up what is pending."""

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.ask import (
    check_confidence,
    confidence_option,
    file_options,
    numbered,
    write,
)
from discreet.cli.exit_codes import UNSOUND, print_error
from discreet.cli.ledger_location import LedgerLocation
from discreet.errors import LedgerCorruptError, LedgerError, LedgerUnavailableError
from discreet.ledger import Anchor, Entry, Ledger, PaidQuestion
from discreet.privacy.number_text import plural
from discreet.text_table import printable

if TYPE_CHECKING:
    from discreet.release.certificate import Certificate


@click.group(name="ledger")
def ledger() -> None:
    """Check a ledger, and take it elsewhere.

    LEDGER is a file, a postgresql:// address, or the TOML file that names one.
    """


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--anchor", "anchor_file", metavar="FILE", help="What `ledger anchor` wrote.")
@click.option("--certificate", "certificate_file", metavar="FILE", help="Check it against LEDGER.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def verify(
    place: str, anchor_file: str | None, certificate_file: str | None, as_json: bool
) -> None:
    """Recompute every hash, sum and state; ends with 5 if anything is wrong.

    Without --anchor, a tail that was cut off cleanly and a restored backup are not found. With
    --certificate, what it states is compared with the ledger, too: FILE is a certificate, or an
    answer that was saved as .json, of which the certificate alone is compared, not the rows.
    """
    from discreet.cli.terminal import progress_reporter, show_certificate, show_report

    anchor = None if anchor_file is None else Anchor.load(anchor_file)
    certificate = None if certificate_file is None else _certificate(certificate_file)
    with _to_verify(LedgerLocation.read(place)) as opened, progress_reporter("verifying") as tell:
        report = opened.verify(anchor, tell)
        location = opened.place
        wrong, unseen = ([], []) if certificate is None else _compared(certificate, opened)
    if as_json:
        result = {"ledger": location, "sound": report.sound, **asdict(report)}
        if report.anchor is not None:
            result["anchor"] = json.loads(report.anchor.to_json())
        if certificate is not None:
            result["certificate"] = {
                "table": certificate.table,
                "entry": certificate.entry,
                "genuine": not wrong,
                "problems": wrong,
                "unchecked": unseen,
            }
        click.echo(json.dumps(result))
    else:
        show_report(report, location)
        if certificate is not None and certificate_file is not None:
            show_certificate(certificate_file, certificate, wrong, unseen)
    if wrong or not report.sound:
        sys.exit(UNSOUND)


def _to_verify(place: LedgerLocation) -> Ledger:
    """The ledger to verify; a file of another kind fails its verification."""
    try:
        return place.open_to_read()
    except LedgerUnavailableError:
        raise
    except LedgerError as error:
        print_error(error)
        sys.exit(UNSOUND)


def _certificate(path: str) -> "Certificate":
    from discreet.release.certificate import Certificate

    try:
        return Certificate.load(path)
    except OSError as error:
        raise LedgerUnavailableError(
            f"the certificate {path} cannot be read: {error.strerror or type(error).__name__}. "
            "It is compared with the ledger. Check the path."
        ) from None


def _compared(certificate: "Certificate", opened: Ledger) -> tuple[list[str], list[str]]:
    """What in the certificate is not as the ledger has it, and what the ledger does not show."""
    from discreet.release.certificate import check_certificate, unchecked_fields

    try:
        return check_certificate(certificate, opened), unchecked_fields(certificate, opened)
    except LedgerCorruptError as error:  # an entry that it is about was edited
        return [str(error)], []


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--output", metavar="FILE", help="Write it to a file.")
@click.option("--json", "as_json", is_flag=True, help="JSON also where it goes to a file.")
def anchor(place: str, output: str | None, as_json: bool) -> None:
    """The head of the ledger, as one line of JSON to be kept elsewhere.

    Keep it where whoever can write to the ledger cannot: another machine, a mail, paper.
    """
    with LedgerLocation.read(place).open_to_read() as opened:
        taken = opened.anchor()
    if output is not None:
        Path(output).write_text(taken.to_json() + "\n", "utf-8")
    if output is None or as_json:
        click.echo(taken.to_json())
    else:
        entries = plural(taken.entries, "entry", "entries")
        click.echo(f"{output} holds the anchor of {entries}. Keep it elsewhere.")


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--output", metavar="FILE", help="Write to a file.")
@click.option("--json", "_as_json", is_flag=True, help="It is always JSON.")
def export(place: str, output: str | None, _as_json: bool) -> None:
    """Every entry as a line of JSON.

    The hash of a line is the SHA-256 of the line without its hash, keys sorted, no blanks.
    """
    with LedgerLocation.read(place).open_to_read() as opened:
        _write(opened.export(), output)


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--dataset", help="Only this data set.")
@click.option("--analyst", help="Only this analyst.")
@click.option("--last", default=20, show_default=True, help="How many entries.")
@click.option("--all", "everything", is_flag=True, help="All entries.")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each entry.")
def history(
    place: str, dataset: str | None, analyst: str | None, last: int, everything: bool, as_json: bool
) -> None:
    """The entries: what was declared, asked and released, by whom and when."""
    location = LedgerLocation.read(place)
    name = dataset or location.dataset
    with location.open_to_read() as opened:
        entries: Iterable[Entry] = (
            opened.history(name, analyst) if everything else opened.recent(last, name, analyst)
        )
        if as_json:
            _write((entry.line() for entry in entries), None)
            return
        from discreet.cli.terminal import show_entries

        show_entries(entries)


@ledger.command()
@click.argument("policy")
@click.argument("entry", type=click.IntRange(min=1))
@confidence_option
@click.option("--json", "as_json", is_flag=True, help="The answer and its certificate as JSON.")
@file_options
def show(
    policy: str,
    entry: int,
    confidence: str | None,
    as_json: bool,
    csv_file: str | None,
    html_file: str | None,
    save_files: tuple[str, ...],
) -> None:
    """A paid answer again, as it was given: free, and no row is read.

    \b
    discreet ledger show visits.toml 17 --html wards.html

    POLICY is the TOML file that declares the table, ENTRY the number of the charge, as it stands in
    the record of an answer and in discreet ledger history.
    """
    from discreet.policy import read_policy
    from discreet.release.open_table import read_declarations
    from discreet.release.table import paid_answer

    check_confidence(confidence)
    declared = read_declarations(**read_policy(policy))
    with LedgerLocation.read(policy).open_to_read() as opened:
        release = paid_answer(entry, declared.schema, opened)
        balances = opened.budgets(declared.schema.name, release.certificate.analyst)
    release = release if confidence is None else release.at(confidence)
    [files] = numbered({".csv": csv_file, ".html": html_file}, 1, save_files)
    if as_json:
        click.echo(release.to_json())
    else:
        from discreet.cli.terminal import show_answer

        show_answer(release, balances)
    write(release, files, told=not as_json)


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each.")
def pending(place: str, as_json: bool) -> None:
    """The charges that have no answer: running, or dead with the process that ran them.

    The next question about its data set finds a dead one, and suspends the data set.
    """
    with LedgerLocation.read(place).open_to_read() as opened:
        questions = list(opened.pending())
        location = opened.place
    if as_json:
        _write((json.dumps(_plain(one), ensure_ascii=False) for one in questions), None)
        return
    from discreet.cli.terminal import show_pending

    if questions:
        show_pending(questions)
    else:
        click.echo(f"Every charge in {printable(location)} was answered or is lost.")


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.argument("entries", metavar="ENTRY...", type=click.IntRange(min=1), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def lose(place: str, entries: tuple[int, ...], as_json: bool) -> None:
    """Mark charges that were never answered as lost.

    ENTRY is a number that `discreet ledger pending` shows, of a charge that nobody should wait for.
    What it cost stays spent, it can never be answered any more, and whoever retries it with its
    idempotency key is told so instead of waiting. Its data set is suspended, since rows may be why
    it was not answered: see `discreet table resume`.
    """
    with LedgerLocation.read(place).open_to_write() as opened:
        for entry in entries:
            opened.lose(entry)
            if not as_json:
                click.echo(
                    f"Entry {entry} is lost. What it cost stays spent, and its data set is "
                    "suspended: discreet table resume lets it be asked again."
                )
        shown = opened.place
    if as_json:
        click.echo(json.dumps({"ledger": shown, "lost": entries}))


def _plain(asked: PaidQuestion) -> dict[str, Any]:
    return asdict(asked) | {"cost": asked.cost.to_data()}


def _write(lines: Iterable[str], output: str | None) -> None:
    ended = chain.from_iterable((line, "\n") for line in lines)
    if output is None:
        sys.stdout.writelines(ended)
        return
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(ended)
