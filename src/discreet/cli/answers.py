"""A plan and an answer on a terminal.  Names come from users, so they are never markup."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Final

from discreet.cli.tables import bar, console, percent
from discreet.errors import Front
from discreet.exact import stated
from discreet.text_table import padded

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from discreet.ledger.balances import Balance
    from discreet.release.answer import Release
    from discreet.release.planned import Plan

_MOST: Final = 60
_LABEL: Final = 10
_BAR: Final = 60
_ERRORS: Final = (" rank ±", " ±", " between ")
_CONFIDENCE: Final = Fraction(95, 100)


def show_plan(plan: "Plan") -> None:
    """Each output with its mechanism, its error and its part of the price."""
    from rich.text import Text

    out = console()
    table = _table()
    for name in ("output", "asks", "mechanism"):
        table.add_column(name, overflow="fold")
    for name in ("± (95%)", "ε"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in plan.lines:
        size = line.margin.told(Front.COMMAND).removeprefix("± ")
        table.add_row(
            Text(line.output, style="bold"),
            Text(line.asks),
            Text(line.mechanism, style="dim"),
            size,
            line.price,
        )
    for name, how in plan.computed:
        table.add_row(
            Text(name, style="bold"), Text(how), Text("computed", style="dim"), "", "free"
        )
    out.print(table)
    out.print()
    for note in plan.notes:
        _line(out, "note", Text(note, style="italic"))
    schema = plan.question.schema
    cells = plan.question.cells
    if plan.question.keys:
        found = "found privately" if cells is None else f"{cells:,}, each of them released"
        _line(out, "groups", Text(found))
    _line(out, "protects", Text(_protected(schema.unit, schema.max_groups, schema.max_rows)))
    _line(out, "costs", Text.assemble((cost(plan), "bold"), ("; nothing was spent", "dim")))


def show_answer(release: "Release", balances: Sequence["Balance"]) -> None:
    """The private numbers, their price, what is left and where it is written down."""
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    out.print(answer_table(release, _MOST if out.is_terminal else None))
    if out.is_terminal and len(release) > _MOST:
        more = f"… {len(release) - _MOST:,} more groups; --csv FILE writes all of them"
        out.print(Text(more, style="dim"))
    for note in release.notes:
        out.print(Padding(Text(note, style="italic dim"), (0, 0, 0, 2), expand=False))
    out.print()
    kept = release.certificate
    _line(out, "cost", Text(release.price, style="bold"))
    for balance in balances:
        show_left(out, balance)
    _line(
        out,
        "protects",
        Text(_protected(kept.unit, kept.max_groups, kept.max_rows)),
    )
    hashed = f", {kept.hash[:16]}…" if kept.hash else ""
    _line(out, "record", Text(f"entry {kept.entry:,} of {kept.ledger}{hashed}", style="dim"))


def answer_table(release: "Release", most: int | None = None) -> "Table":
    """The groups and each number with its error."""
    from rich.text import Text

    table = _table()
    for name in release.keys:
        table.add_column(Text(name), overflow="fold")
    for name in release.columns:
        table.add_column(Text(name), justify="right", no_wrap=True)
    keys = len(release.keys)
    for row in release.cells()[:most]:
        numbers = [_number(cell) for cell in row[keys:]]
        table.add_row(*map(Text, row[:keys]), *numbers)
    return table


def show_picture(release: "Release", column: str) -> None:
    """One number of each group as a bar: solid up to its lower bound, shaded up to its upper."""
    from rich.text import Text

    out = console()
    bounds = [estimate.interval(_CONFIDENCE) for estimate in release.columns[column]]
    labels = [", ".join(map(str, group)) for group in release.groups]
    largest = max((upper for _, upper in bounds), default=0)
    if not 0 < largest < inf:
        return
    *wide, _ = padded([*labels, column])
    for label, (lower, upper) in zip(wide, bounds, strict=True):
        low, high = (round(_BAR * max(0, end) / largest) for end in (lower, upper))
        line = Text().append(f"{label}  ", style="dim")
        line.append("█" * low, style="cyan").append("▒" * (high - low), style="cyan")
        out.print(line)
    words = f"{column}: solid up to the lower end of the 95% interval, shaded up to the upper"
    out.print(Text(words, style="italic dim"))


def show_left(out: "Console", balance: "Balance") -> None:
    """What is left of the budget, as a bar."""
    from rich.text import Text

    share, why, left, cap = balance.share_left, balance.share_text, balance.left, str(balance.cap)
    line = Text().append_text(bar(share))
    line.append(f" {percent(share)}", style="bold")
    line.append(f"   {left}")
    whose = "" if balance.analyst is None else f" for {balance.analyst}"
    line.append(f" of {cap}{whose}", style="dim")
    if why:
        line.append(f"; {why}", style="dim")
    _line(out, "left", line)


def cost(plan: "Plan") -> str:
    """What a plan costs."""
    delta = f", {stated('δ', plan.delta)}" if plan.delta else ""
    return f"{stated('ε', plan.epsilon)}{delta}"


def _number(cell: str) -> "Text":
    from rich.text import Text

    text = Text(cell.replace(" (95%)", ""))
    ends = [place for word in _ERRORS if (place := text.plain.find(word)) >= 0]
    value = min(ends, default=len(text))
    text.stylize("bold", 0, value)
    text.stylize("dim", value)
    return text


def _protected(unit: str, groups: int | None, rows: int | None) -> str:
    if unit == "row":
        return "each row"
    caps = {"groups": groups, "rows": rows}
    stated = " and ".join(f"{cap:,} {name}" for name, cap in caps.items() if cap is not None)
    return f"each {unit}" + (f", in at most {stated}" if stated else "")


def _line(out: "Console", label: str, text: "Text") -> None:
    from rich.text import Text

    head = Text(label, style="dim")
    head.truncate(_LABEL, pad=True)
    out.print(Text.assemble(head, text))


def _table() -> "Table":
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
