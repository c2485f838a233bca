"""What the commands show on a terminal.

Names and reasons come from users, so they are never markup and never control the terminal.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from discreet.accounting.filters import cost_text
from discreet.accounting.totals import Totals
from discreet.errors import DiscreetError
from discreet.ledger import Asked, Balance, Entry, Report
from discreet.ledger.terms import Cap

if TYPE_CHECKING:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from discreet.release.certificate import Certificate

_BAR: Final = 24
_ENDLESS: Final = 1_000
_PATIENCE: Final = 2.0  # seconds after which a command shows that it is at work
_COLORS: Final = {
    "released": "green",
    "handed out": "green",
    "lost": "red",
    "suspended": "red",
    "resumed": "green",
    "pending": "yellow",
    "running": "yellow",
    "dead": "red",
}


def console() -> "Console":
    """The terminal; a file or a pipe gets plain lines that are never cut."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else _ENDLESS)


def show_balances(balances: Sequence[Balance], recent: Mapping[str, Sequence[Asked]]) -> None:
    """Each data set: its bar, who asked, and the last questions."""
    out = console()
    for place, total in enumerate(one for one in balances if one.analyst is None):
        if place:
            out.print()
        _show_dataset(out, total)
        people = [one for one in balances if one.analyst and one.dataset == total.dataset]
        if people:
            out.print()
            out.print(_people(people))
        if recent.get(total.dataset):
            out.print()
            _show_questions(out, recent[total.dataset])


def _show_dataset(out: "Console", total: Balance) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out.print(
        Text(printable(total.dataset), style="bold"), Text(f"  {total.cap}", style="dim"), sep=""
    )
    line = Text("  ")
    line.append_text(bar(total.share_left))
    line.append(f" {percent(total.share_left)} left", style="bold")
    line.append(f"   spent {cost_text(total.spent)}   left {total.left}")
    if total.share_text:
        line.append(f"   {total.share_text}", style="dim")
    out.print(line)
    ends = {"lost": total.lost, "pending": total.pending}
    unanswered = [f"{number:,} {end}" for end, number in ends.items() if number]
    out.print(Text("  " + ", ".join([plural(total.charges, "question"), *unanswered]), style="dim"))
    if total.suspended is not None:
        since = f"  suspended since {moment(total.suspended)}, the {_nth(total.suspensions)} time"
        out.print(Text(f"{since}: see discreet table resume", style="bold red"))
    elif total.suspensions:
        out.print(Text(f"  was suspended {plural(total.suspensions, 'time')}", style="dim"))
    if total.cap is not None and total.cap.period is not None:
        words = f"Now: {total.window}. {total.guarantee}"
        out.print(Padding(Text(words, style="italic"), (0, 0, 0, 2), expand=False))


def _people(people: Sequence[Balance]) -> "Padding":
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for name in ("who", "spent", "left"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    table.add_column("", no_wrap=True)
    table.add_column("questions", justify="right")
    for one in people:
        table.add_row(
            Text(printable(one.analyst or "")),
            cost_text(one.spent),
            Text("no cap", style="dim") if one.cap is None else one.left,
            "" if one.cap is None else bar(one.share_left, 12),
            f"{one.charges:,}",
        )
    return Padding(table, (0, 0, 0, 2), expand=False)


def _show_questions(out: "Console", questions: Sequence[Asked]) -> None:
    from rich.text import Text

    costs = [cost_text(one.cost) for one in questions]
    wide = max(map(len, costs))
    out.print(Text("  last questions", style="dim"))
    for one, cost in zip(questions, costs, strict=True):
        cells = [
            _cell(moment(one.time), 16, "dim", overflow="crop"),
            _cell(one.analyst, 10),
            _cell(cost, wide),
            _cell(one.state, 10, _COLORS.get(one.state, "")),
            Text(printable(one.summary or "")),
        ]
        out.print(Text("  "), Text("  ").join(cells), sep="", no_wrap=True, overflow="ellipsis")


def show_pending(questions: Iterable[Asked]) -> None:
    """Charges without an answer, and the numbers by which they can be given up."""
    out = console()
    _print_line(out, "entry", "time (UTC)", "state", "data set", "who", "what", style="dim")
    for one in questions:
        what = f"{cost_text(one.cost)}   {one.summary or 'no summary'}"
        number, time = f"{one.sequence:,}", moment(one.time)
        _print_line(out, number, time, one.state, one.dataset, one.analyst, what)


def show_entries(entries: Iterable[Entry]) -> None:
    """Entries line by line, oldest first: however many there are, none is kept."""
    out = console()
    _print_line(out, "entry", "time (UTC)", "kind", "data set", "who", "what", style="dim")
    for entry in entries:
        who, what = describe(entry)
        number, time = f"{entry.sequence:,}", moment(entry.time)
        _print_line(out, number, time, entry.kind, entry.dataset, who, what)


def _print_line(
    out: "Console",
    number: str,
    time: str,
    kind: str,
    dataset: str,
    who: str,
    what: str,
    *,
    style: str = "",
) -> None:
    """A line by itself: a table of rich would keep all of them until the last."""
    from rich.text import Text

    counted = Text(number)
    counted.pad_left(max(0, 7 - counted.cell_len))
    cells = [
        counted,
        _cell(time, 19, "dim"),
        _cell(kind, 9, _COLORS.get(kind, "")),
        _cell(dataset, 16),
        _cell(who, 10),
        Text(printable(what)),
    ]
    out.print(Text("  ").join(cells), style=style, no_wrap=True, overflow="ellipsis")


def _cell(raw: str, width: int, style: str = "", *, overflow: Any = "ellipsis") -> "Text":
    """A text that takes so much of a line and no more."""
    from rich.text import Text

    cell = Text(printable(raw), style=style)
    cell.truncate(width, overflow=overflow, pad=True)
    return cell


def printable(text: str) -> str:
    """The text without anything that a terminal would obey.

    >>> printable("ann\\x1b[2J")
    'ann�[2J'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def show_report(report: Report, place: str) -> None:
    """Whether a ledger is sound, and if not, why."""
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    if report.sound:
        out.print(Text("✓ sound", style="bold green"), Text(f"  {printable(place)}"), sep="")
    else:
        out.print(Text("✗ not sound", style="bold red"), Text(f"  {printable(place)}"), sep="")
    lines = [f"{report.entries:,} entries; the hash of the last is {report.hash[:16]}…"]
    if report.pending:
        lines.append(f"{plural(report.pending, 'charge')} without an answer, pending or lost: paid")
    if report.anchor is not None and report.sound:
        lines.append(f"it goes on from the anchor of {moment(report.anchor.time)}")
    elif report.anchor is None and report.sound:
        lines.append("without --anchor, a cut tail or a restored backup is not found")
    for line in lines:
        out.print(Text(f"  {line}", style="dim"))
    for problem in report.problems:
        out.print(Padding(Text(f"• {printable(str(problem))}"), (0, 0, 0, 2), expand=False))


def show_certificate(
    path: str, certificate: "Certificate", problems: Sequence[str], unchecked: Sequence[str]
) -> None:
    """Whether a certificate is as the ledger has it, and if not, why; what could not be checked."""
    from rich.padding import Padding
    from rich.text import Text

    out, name = console(), Text(f"  {printable(path)}")
    if problems:
        out.print(Text("✗ not as the ledger has it", style="bold red"), name, sep="")
    else:
        out.print(Text("✓ genuine", style="bold green"), name, sep="")
        about = f"the certificate of entry {certificate.entry:,}, about {certificate.table}"
        out.print(Text(f"  {printable(about)}; rows beside it in a file are not compared", "dim"))
    if unchecked:
        fields = f"not checked: {', '.join(unchecked)}. Version 0.1.0, which made the release, "
        note = f"{fields}kept nothing in the ledger to compare these with."
        out.print(Padding(Text(f"• {note}"), (0, 0, 0, 2), expand=False))
    for problem in problems:
        out.print(Padding(Text(f"• {printable(problem)}"), (0, 0, 0, 2), expand=False))


def describe(entry: Entry) -> tuple[str, str]:
    """Who an entry is about, and what it says."""
    try:
        return _described(entry)
    except (DiscreetError, KeyError, TypeError, ValueError, AttributeError):
        return entry.analyst or "", "its body cannot be read"


def _described(entry: Entry) -> tuple[str, str]:
    data = entry.data
    match entry.kind:
        case "charge":
            cost = cost_text(Totals.from_data(data["cost"]))
            return entry.analyst or "", f"{cost}   {data['summary'] or 'no summary'}"
        case "released":
            return entry.analyst or "", f"entry {entry.charge}: {data['size']:,} bytes"
        case "lost":
            return entry.analyst or "", f"entry {entry.charge}: {data['reason']}"
        case "suspended":
            return "", "a question had no answer: nothing is asked until it is resumed"
        case "resumed":
            return data["who"], data["why"]
        case "dataset":
            return data["who"], f"{_cap(data['to']['cap'])}, {data['to']['neighbors']}"
        case "details":
            return data["who"], f"other declarations: {data['why']}"
        case _ if entry.analyst is not None:
            change = f"{_cap(data['from'])} → {_cap(data['to'])}"
            return data["who"], f"{entry.analyst}: {change}: {data['why']}"
        case _:
            old, new = data["from"], data["to"]
            whose = "" if old["cap"] != new["cap"] else "each analyst: "
            part = "cap" if old["cap"] != new["cap"] else "analyst_cap"
            return data["who"], f"{whose}{_cap(old[part])} → {_cap(new[part])}: {data['why']}"


def _cap(data: Mapping[str, Any] | None) -> str:
    return "none" if data is None else str(Cap.from_data(data))


def bar(share: Fraction, width: int = _BAR) -> "Text":
    """What is left, as a bar; a little left is never shown as nothing."""
    from rich.text import Text

    filled = int(share * width) or int(share > 0)
    color = "green" if share > Fraction(1, 2) else "yellow" if share > Fraction(1, 5) else "red"
    return Text("█" * filled, style=color).append("░" * (width - filled), style="bright_black")


def percent(share: Fraction) -> str:
    """A share in whole percent, rounded down; a little left is not 0%.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 1000)), percent(Fraction(0))
    ('33%', '<1%', '0%')
    """
    whole = int(100 * share)
    return "<1%" if whole == 0 and share > 0 else f"{whole}%"


def moment(time: str) -> str:
    """A time to the second.

    >>> moment("2026-11-15T09:30:00.123456Z")
    '2026-11-15 09:30:00'
    """
    return printable(time[:19].replace("T", " "))


def _nth(number: int) -> str:
    """A number in an order.

    >>> [_nth(number) for number in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number:,}" + ("th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th"))


def plural(number: int, what: str) -> str:
    """A number of things.

    >>> plural(1, "question"), plural(2000, "question")
    ('1 question', '2,000 questions')
    """
    return f"{number:,} {what}" + "s" * (number != 1)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Something to tell how far a command is, shown once it takes long."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    started = monotonic()
    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, visible=False)

        def tell(done: int, total: int) -> None:
            late = monotonic() - started > _PATIENCE
            shown.update(task, completed=done, total=total, visible=late)

        yield tell
