"""``discreet ledger``: checking a ledger, and taking it elsewhere."""

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from discreet.cli.exits import UNSOUND
from discreet.cli.places import Place
from discreet.ledger import Anchor, Entry


@click.group(name="ledger")
def ledger() -> None:
    """Check a ledger, and take it elsewhere.

    LEDGER is a file, a postgresql:// address, or the TOML file that names one.
    """


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--anchor", "anchor_file", metavar="FILE", help="What `ledger anchor` wrote.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def verify(place: str, anchor_file: str | None, as_json: bool) -> None:
    """Recompute every hash, sum and state; ends with 5 if anything is wrong.

    Without --anchor, a tail that was cut off cleanly and a restored backup are not found.
    """
    from discreet.cli.tables import progress, show_report

    anchor = None if anchor_file is None else Anchor.load(anchor_file)
    with Place.read(place).open_to_read() as opened, progress("verifying") as tell:
        report = opened.verify(anchor, tell)
        shown = opened.place
    if as_json:
        click.echo(json.dumps({"ledger": shown, "sound": report.sound, **asdict(report)}))
    else:
        show_report(report, shown)
    if not report.sound:
        sys.exit(UNSOUND)


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--output", metavar="FILE", help="Write it to a file.")
@click.option("--json", "as_json", is_flag=True, help="JSON also where it goes to a file.")
def anchor(place: str, output: str | None, as_json: bool) -> None:
    """The head of the ledger, as one line of JSON to be kept elsewhere.

    Keep it where whoever can write to the ledger cannot: another machine, a mail, paper.
    """
    with Place.read(place).open_to_read() as opened:
        taken = opened.anchor()
    if output is not None:
        Path(output).write_text(taken.to_json() + "\n", "utf-8")
    if output is None or as_json:
        click.echo(taken.to_json())
    else:
        click.echo(f"{output} holds the anchor of {taken.entries:,} entries. Keep it elsewhere.")


@ledger.command()
@click.argument("place", metavar="LEDGER")
@click.option("--output", metavar="FILE", help="Write to a file.")
@click.option("--json", "_as_json", is_flag=True, help="It is always JSON.")
def export(place: str, output: str | None, _as_json: bool) -> None:
    """Every entry as a line of JSON.

    The hash of a line is the SHA-256 of the line without its hash, keys sorted, no blanks.
    """
    with Place.read(place).open_to_read() as opened:
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
    found = Place.read(place)
    name = dataset or found.dataset
    with found.open_to_read() as opened:
        entries: Iterable[Entry] = (
            opened.history(name, analyst) if everything else opened.recent(last, name, analyst)
        )
        if as_json:
            _write((entry.line() for entry in entries), None)
            return
        from discreet.cli.tables import show_entries

        show_entries(entries)


def _write(lines: Iterable[str], output: str | None) -> None:
    ended = chain.from_iterable((line, "\n") for line in lines)
    if output is None:
        sys.stdout.writelines(ended)
        return
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(ended)
