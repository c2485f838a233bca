"""What the commands show on a terminal: tables, answers, plans, and a spinner.

Names and reasons come from users, so they are never markup and never control the terminal.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from discreet.accounting.filters import Totals, cost_text
from discreet.errors import DiscreetError, Front
from discreet.ledger import Balance, Entry, PaidQuestion, Report
from discreet.ledger.declarations import BudgetCap
from discreet.privacy.number_text import plural
from discreet.text_table import TextTable, padded, printable, text_width, wrapped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from discreet.ledger.balances import Balance
    from discreet.plan.schema import Schema
    from discreet.release.certificate import Certificate
    from discreet.release.plan import Plan
    from discreet.release.profile import Profile
    from discreet.release.release import Release


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


_PAUSE: Final = 0.25  # seconds from one look at the progress to the next
Progress = Callable[[], float]
"""How much is done, from 0 to 1; asked from another thread."""
_MOST: Final = 60
_LABEL: Final = 10
_GAP: Final = 3  # places between two columns of a table
_LEAST_WORDS: Final = 24
_WIDEST_BAR: Final = 60
_ERRORS: Final = (" rank ±", " ±", " between ")
_CONFIDENCE: Final = Fraction(95, 100)


def console() -> "Console":
    """The terminal; a file or a pipe gets plain lines that are never cut."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else _ENDLESS)


def show_balances(
    balances: Sequence[Balance], recent: Mapping[str, Sequence[PaidQuestion]]
) -> None:
    """Each data set: its bar, who asked, and the last questions."""
    out = console()
    for place, total in enumerate(balance for balance in balances if balance.analyst is None):
        if place:
            out.print()
        _show_dataset(out, total)
        people = [
            balance for balance in balances if balance.analyst and balance.dataset == total.dataset
        ]
        if people:
            out.print()
            out.print(_people(people))
        if recent.get(total.dataset):
            out.print()
            _show_questions(out, recent[total.dataset], total.cap)


def _show_dataset(out: "Console", total: Balance) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out.print(
        Text(printable(total.dataset), style="bold"), Text(f"  {total.cap}", style="dim"), sep=""
    )
    line = Text("  ")
    line.append_text(bar(total.share_left))
    line.append(f" {percent(total.share_left)} left", style="bold")
    line.append(f"   spent {total.spent_text}   left {total.left}")
    if total.share_text:
        line.append(f"   {total.share_text}", style="dim")
    out.print(line)
    ends = {"lost": total.lost, "pending": total.pending}
    unanswered = [f"{number:,} {end}" for end, number in ends.items() if number]
    out.print(Text("  " + ", ".join([plural(total.charges, "question"), *unanswered]), style="dim"))
    if total.suspended is not None:
        since = (
            f"  suspended since {time_text(total.suspended)}, the {_nth(total.suspensions)} time"
        )
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
    for balance in people:
        table.add_row(
            Text(printable(balance.analyst or "")),
            balance.spent_text,
            Text("no cap", style="dim") if balance.cap is None else balance.left,
            "" if balance.cap is None else bar(balance.share_left, 12),
            f"{balance.charges:,}",
        )
    return Padding(table, (0, 0, 0, 2), expand=False)


def _show_questions(
    out: "Console", questions: Sequence[PaidQuestion], cap: BudgetCap | None
) -> None:
    from rich.text import Text

    costs = [cost_text(one.cost, None if cap is None else cap.budget) for one in questions]
    wide = max(map(len, costs))
    out.print(Text("  last questions", style="dim"))
    for one, cost in zip(questions, costs, strict=True):
        cells = [
            _cell(time_text(one.time), 16, "dim", overflow="crop"),
            _cell(one.analyst, 10),
            _cell(cost, wide),
            _cell(one.state, 10, _COLORS.get(one.state, "")),
            Text(printable(one.summary or "")),
        ]
        out.print(Text("  "), Text("  ").join(cells), sep="", no_wrap=True, overflow="ellipsis")


def show_pending(questions: Iterable[PaidQuestion]) -> None:
    """Charges without an answer, and the numbers by which they can be given up."""
    out = console()
    _print_line(out, "entry", "time (UTC)", "state", "data set", "who", "what", style="dim")
    for question in questions:
        what = f"{cost_text(question.cost)}   {question.summary or 'no summary'}"
        number, time = f"{question.sequence:,}", time_text(question.time)
        _print_line(out, number, time, question.state, question.dataset, question.analyst, what)


def show_entries(entries: Iterable[Entry]) -> None:
    """Entries line by line, oldest first: however many there are, none is kept."""
    out = console()
    _print_line(out, "entry", "time (UTC)", "kind", "data set", "who", "what", style="dim")
    for entry in entries:
        who, what = describe(entry)
        number, time = f"{entry.sequence:,}", time_text(entry.time)
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


def show_report(report: Report, place: str) -> None:
    """Whether a ledger is sound, and if not, why."""
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    if report.sound:
        out.print(Text("✓ sound", style="bold green"), Text(f"  {printable(place)}"), sep="")
    else:
        out.print(Text("✗ not sound", style="bold red"), Text(f"  {printable(place)}"), sep="")
    entries = plural(report.entries, "entry", "entries")
    lines = [f"{entries}; the hash of the last is {report.hash[:16]}…"]
    if report.pending:
        lines.append(f"{plural(report.pending, 'charge')} without an answer, pending or lost: paid")
    if report.anchor is not None and report.sound:
        lines.append(f"it goes on from the anchor of {time_text(report.anchor.time)}")
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
    return "none" if data is None else str(BudgetCap.from_data(data))


def bar(share: Fraction, width: int = _BAR) -> "Text":
    """The part of a budget that is left, as a bar; a small part is never shown as nothing."""
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


def time_text(time: str) -> str:
    """A time to the second.

    >>> time_text("2026-11-15T09:30:00.123456Z")
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


@contextmanager
def progress_reporter(what: str) -> Iterator[Callable[[int, int], None]]:
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


@contextmanager
def spinner(what: str) -> Iterator[Callable[[Progress], None]]:
    """Show a spinner with a text, if the block takes longer than two seconds.

    Whoever can tell how far it is hands over the function that does; then it stands there too.
    """
    reporters: list[Progress] = []
    if not sys.stderr.isatty():
        yield reporters.append
        return
    done = Event()
    thread = Thread(target=_show, args=(what, reporters, done), daemon=True)
    thread.start()
    try:
        yield reporters.append
    finally:
        done.set()
        thread.join()


def _show(what: str, told: list[Progress], done: Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.status import Status

    with Status(_progress_line(what, told), console=Console(stderr=True)) as status:
        while not done.wait(_PAUSE):
            status.update(_progress_line(what, told))


def _progress_line(what: str, told: list[Progress]) -> "Text":
    from rich.text import Text

    try:
        fraction = told[-1]() if told else 0.0
    except Exception:  # the table may be closed at this very moment
        fraction = 0.0
    # Before the first rows are read and after the last there is nothing to measure.
    return Text(f"{what}, {fraction:.0%}" if 0 < fraction < 1 else what)


def show_heading(place: int, many: int, sql: str) -> None:
    """Which of several questions comes now."""
    from rich.text import Text

    out = console()
    if place > 1:
        out.print()
    words = printable(" ".join(sql.split()))
    out.print(Text.assemble((f"{place:,} of {many:,}  ", "bold"), (words, "dim")), soft_wrap=False)
    out.print()


def show_plan(plan: "Plan") -> None:
    """Each output with its mechanism, its error and its part of the price."""
    from rich.text import Text

    out = console()
    for table in plan_tables(plan, out.width):
        out.print(table)
        out.print()
    for note in plan.notes_told(Front.COMMAND):
        _labeled_line(out, "note", Text(note, style="italic"))
    schema = plan.question.schema
    if plan.question.keys:
        _labeled_line(out, "groups", Text(plan.groups_text("each of them released")))
    _labeled_line(out, "protects", Text(schema.protected))
    taken = plan.budget_text
    costs = Text.assemble((plan.price_text, "bold"), f", {taken}" if taken else "")
    _labeled_line(out, "costs", costs.append("; nothing was spent", "dim"))
    if plan.not_covered:
        _labeled_line(out, "budget", Text(plan.not_covered, style="bold red"))


def plan_tables(plan: "Plan", width: int) -> "list[Table]":
    """The lines of a plan as tables that are no wider."""
    from rich.text import Text

    header = ("output", "asks", "mechanism", plan.margin_heading, plan.currency)
    rows: list[tuple[str, ...]] = [
        (line.output, line.asks, line.mechanism, line.margin_text, line.price)
        for line in plan.priced_lines
    ]
    rows += [
        (name, how, "computed", plan.computed_text(name), "free") for name, how in plan.computed
    ]
    whole = TextTable(header, tuple(rows), 1)
    if whole.fitted(width, _GAP) != [whole]:
        most = max(_LEAST_WORDS, width // 3)
        rows = [(name, wrapped(a, most), wrapped(m, most), *rest) for name, a, m, *rest in rows]
        whole = TextTable(header, tuple(rows), 1)

    def styled(name: str, cell: str) -> Text:
        return Text(cell, style="dim" if name == "mechanism" else "")

    return _tables(whole, width, styled, key="bold", left=("asks", "mechanism", ""))


def show_profile(profile: "Profile", schema: "Schema") -> None:
    """People by size, bin by bin, with the noise of each number."""
    from rich.text import Text

    out, [heading, *rows] = console(), profile.table()
    table = _table()
    table.add_column(heading[0])
    for name in heading[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(
        Text(
            f"number of {printable(schema.unit)} values by how many rows and groups each has",
            style="dim",
        )
    )
    out.print(table)
    out.print(Text(profile.margin_text, style="dim"))
    out.print(Text(f"{profile.hidden_text}.", style="dim"))
    rows_text = f"{profile.missing_text} rows without an id"
    out.print(
        Text(f"{rows_text}: each is protected like a person, and no answer counts it", style="dim")
    )


def show_answer(release: "Release", balances: Sequence["Balance"]) -> None:
    """The private numbers, their price, what is left and where it is written down."""
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    for place, table in enumerate(
        answer_tables(release, out.width, _MOST if out.is_terminal else None)
    ):
        if place:
            out.print()
        out.print(table)
    if out.is_terminal and len(release) > _MOST:
        more = f"… {len(release) - _MOST:,} more groups; --csv FILE writes all of them"
        out.print(Text(more, style="dim"))
    if not release.groups:
        out.print(Text(release.none_found))
    for note in release.notes:
        out.print(Padding(Text(note, style="italic dim"), (0, 0, 0, 2), expand=False))
    out.print()
    certificate = release.certificate
    _labeled_line(out, "cost", Text(release.payment_text, style="bold"))
    for balance in balances:
        show_left(out, balance)
    _labeled_line(out, "protects", Text(certificate.protected))
    hashed = f", {certificate.hash[:16]}…" if certificate.hash else ""
    _labeled_line(
        out,
        "record",
        Text(f"entry {certificate.entry:,} of {certificate.ledger}{hashed}", style="dim"),
    )


def answer_tables(release: "Release", width: int, most: int | None = None) -> "list[Table]":
    """A row for each group, each number with its error, in tables that are no wider."""
    return _tables(release.text_table(most), width, lambda _, cell: _number(cell))


def _tables(
    whole: TextTable,
    width: int,
    styled: "Callable[[str, str], Text]",
    *,
    key: str = "",
    left: Sequence[str] = (),
) -> "list[Table]":
    """A table as tables of a terminal that are no wider, each with all of the keys.

    ``key`` is the style of keys, ``styled`` makes the other cells; ``left`` are columns of words.
    """
    from rich.text import Text

    tables = []
    for part in whole.fitted(width, _GAP):
        table, keys = _table(show_header=any(part.header)), part.keys
        for place, name in enumerate(part.header):
            words = place < keys or name in left
            table.add_column(Text(name), justify="left" if words else "right", no_wrap=True)
        for row in part.rows:
            labels = [Text(cell, style=key) for cell in row[:keys]]
            table.add_row(*labels, *map(styled, part.header[keys:], row[keys:]))
        tables.append(table)
    return tables


def show_picture(release: "Release", column: str) -> None:
    """One number of each group as a bar: solid up to its lower bound, shaded up to its upper."""
    from rich.text import Text

    from discreet.question.groupings import label_text

    out = console()
    bounds = [estimate.interval(_CONFIDENCE) for estimate in release.columns[column]]
    labels = [", ".join(map(label_text, group)) for group in release.groups]
    largest = max((upper for _, upper in bounds), default=0)
    if not 0 < largest < inf:
        return
    *wide, _ = padded([*labels, column])
    beside = max(map(text_width, wide), default=0) + 2
    most = max(_LABEL, min(_WIDEST_BAR, out.width - beside))
    for label, (lower, upper) in zip(wide, bounds, strict=True):
        low, high = (round(most * max(0, end) / largest) for end in (lower, upper))
        line = Text().append(f"{label}  ", style="dim")
        line.append("█" * low, style="cyan").append("▒" * (high - low), style="cyan")
        out.print(line)
    words = f"{column}: solid up to the lower end of the 95% interval, shaded up to the upper"
    out.print(Text(words, style="italic dim"))


def show_left(out: "Console", balance: "Balance") -> None:
    """Show the part of the budget that is left, as a bar."""
    from rich.text import Text

    share, why, left, cap = balance.share_left, balance.share_text, balance.left, str(balance.cap)
    line = Text().append_text(bar(share))
    line.append(f" {percent(share)}", style="bold")
    line.append(f"   {left}")
    whose = "" if balance.analyst is None else f" for {balance.analyst}"
    line.append(f" of {cap}{whose}", style="dim")
    if why:
        line.append(f"; {why}", style="dim")
    _labeled_line(out, "left", line)


def _number(cell: str) -> "Text":
    from rich.text import Text

    text = Text(cell)
    ends = [place for word in _ERRORS if (place := text.plain.find(word)) >= 0]
    value = min(ends, default=len(text))
    text.stylize("bold", 0, value)
    text.stylize("dim", value)
    return text


def _labeled_line(out: "Console", label: str, text: "Text") -> None:
    """A text behind its label; further lines stand below the first."""
    from rich.text import Text

    head = Text(label, style="dim")
    head.truncate(_LABEL, pad=True)
    for line in text.wrap(out, max(_LABEL, out.width - _LABEL)):
        line.rstrip()
        out.print(Text.assemble(head, line))
        head = Text(" " * _LABEL)


def _table(*, show_header: bool = True) -> "Table":
    from rich import box
    from rich.table import Table

    return Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        header_style="dim",
        show_edge=False,
        show_header=show_header,
    )
