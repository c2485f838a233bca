"""An answer as a file: what each ending holds, and what it needs to be written."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from importlib import import_module
from io import BytesIO
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from discreet.dependencies import install_extra
from discreet.errors import DataError, DiscreetError
from discreet.release.certificate import Certificate
from discreet.release.exports import Columns, ColumnType, arrow_table
from discreet.release.pictures import Drawn, answer_picture
from discreet.text_table import printable

_MOST_ROWS = 2**20 - 1
"""Rows of a sheet below its head."""
_LARGEST_CELL = 2**53
"""Beyond it, a cell would round a whole number."""
_FIRST_DAY = date(1900, 3, 1)
"""Before it, spreadsheets count the days differently."""
_MARKUP = re.compile(r"([\\`*_\[\]|~$@#]|:(?=//)|(?<=www)\.)")
_BLOCK = re.compile(r"^(\s*[0-9]*)([-+.)])(?=\s|$)")


class Saved(Drawn, Protocol):
    """An answer, as it is saved."""

    @property
    def certificate(self) -> Certificate:
        """What was released, how, and at what price."""

    @property
    def notes(self) -> list[str]:
        """What intervals do not cover."""

    @property
    def header(self) -> list[str]:
        """The names of the table's columns."""

    def cells(self) -> list[list[str]]:
        """The table as texts."""

    def to_json(self) -> str:
        """The answer as JSON."""

    def to_csv(self) -> str:
        """The table as CSV."""

    def report(self) -> str:
        """The answer as a page."""


def save_answer(release: Saved, columns: Columns, place: Path) -> Path:
    """Write the answer as the ending of the file says; ``columns`` are those of its table."""
    place.write_bytes(_kind(place).written(release, columns))
    return place


def check_ending(place: Path) -> None:
    """Refuse an ending that is not known, or that needs a package that is not installed."""
    _kind(place).check()


def _kind(place: Path) -> "_Kind":
    kind = _KINDS.get(place.suffix.lower())
    if kind is None:
        raise DataError(
            f"the ending of {place.name[:60]!r} is not known. It says how the answer is written: "
            f"{', '.join(_KINDS)}. Use one of them."
        )
    return kind


# ---------------------------------------------------------------------- Excel


def _workbook(release: Saved, columns: Columns) -> bytes:
    """A workbook: the table with typed columns, the notes and the certificate.

    Texts are texts, so that none is run as a formula or opened as an address.
    """
    library = _excel()
    kept = BytesIO()
    texts = ("strings_to_formulas", "strings_to_urls", "strings_to_numbers")
    book = library.Workbook(kept, {"in_memory": True, **dict.fromkeys(texts, False)})
    certificate = release.certificate
    made = datetime.fromisoformat(certificate.time).replace(tzinfo=None)
    book.set_properties({"title": certificate.table, "created": made})
    forms = {
        "head": book.add_format({"bold": True, "bottom": 1, "text_wrap": True}),
        "day": book.add_format({"num_format": "yyyy-mm-dd"}),
        "moment": book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        "time": book.add_format({"num_format": "hh:mm:ss"}),
        "text": book.add_format({"text_wrap": True, "valign": "top"}),
    }
    _answer_sheets(book, columns, forms)
    lines = [*release.notes, f"The price is {release.price}; bounds are at 95%."]
    lines.append("A bound that reads inf or -inf is not known: the interval has no end there.")
    notes = book.add_worksheet("notes")
    notes.set_column(0, 0, 100, forms["text"])
    for row, line in enumerate(lines):
        _write_text(notes, row, 0, line)
    sheet = book.add_worksheet("certificate")
    sheet.set_column(0, 0, 18)
    sheet.set_column(1, 1, 100, forms["text"])
    for row, (topic, line) in enumerate([*certificate.lines, ("as data", certificate.to_json())]):
        _write_text(sheet, row, 0, topic)
        _write_text(sheet, row, 1, line)
    book.close()
    return kept.getvalue()


_FORMS = {ColumnType.MOMENT: "moment", ColumnType.TIME: "time"}


def _answer_sheets(book: Any, columns: Columns, forms: Mapping[str, Any]) -> None:
    """The table, on as many sheets as its rows need."""
    rows = max((len(values) for _, values in columns.values()), default=0)
    for number, start in enumerate(range(0, max(1, rows), _MOST_ROWS), 1):
        sheet = book.add_worksheet("answer" if number == 1 else f"answer {number}")
        sheet.freeze_panes(1, 0)
        for place, (name, (kind, values)) in enumerate(columns.items()):
            wide = kind in (ColumnType.TEXT, ColumnType.MOMENT)
            sheet.set_column(place, place, 26 if wide else 14)
            _write_text(sheet, 0, place, name, forms["head"])
            for row, value in enumerate(values[start : start + _MOST_ROWS], 1):
                form = forms[_FORMS.get(kind, "day")]
                _write_value(sheet, row, place, kind, value, form)


def _write_value(sheet: Any, row: int, place: int, kind: ColumnType, value: Any, form: Any) -> None:
    """One cell; a gap stays empty, and what a number of a sheet cannot be is a text."""
    if value is None:
        return
    if kind in (ColumnType.DAY, ColumnType.MOMENT):
        if (value if kind is ColumnType.DAY else value.date()) >= _FIRST_DAY:
            sheet.write_datetime(row, place, value, form)
        else:
            _write_text(sheet, row, place, str(value))
    elif kind is ColumnType.TIME:
        sheet.write_datetime(row, place, value, form)
    elif kind is ColumnType.TRUTH:
        sheet.write_boolean(row, place, value)
    elif kind is ColumnType.TEXT or not _is_exact(value):
        _write_text(sheet, row, place, str(value))
    else:
        sheet.write_number(row, place, _Exact(value) if isinstance(value, float) else value)


class _Exact(float):
    """A float that is written with all its digits, where a workbook has 16 of them."""

    def __format__(self, specification: str) -> str:
        return repr(float(self))


def _is_exact(value: int | float) -> bool:
    """Whether a cell holds the number as it is."""
    return abs(value) <= _LARGEST_CELL if isinstance(value, int) else isfinite(value)


def _write_text(sheet: Any, row: int, place: int, text: str, form: Any = None) -> None:
    if sheet.write_string(row, place, text, form) != 0:
        raise DataError(
            "the answer does not fit a sheet, which has 16,384 columns and 32,767 letters in a "
            "cell. Nothing is cut silently. Save it as .csv, .parquet or .json."
        )


def _excel() -> Any:
    try:
        return import_module("xlsxwriter")
    except ImportError:
        raise DiscreetError(
            "xlsxwriter is not installed. Spreadsheets are written by it, and discreet does not "
            f"need it otherwise. Run: {install_extra('excel')}"
        ) from None


# ---------------------------------------------------------------------- Parquet

_STORED: Mapping[ColumnType, str] = {
    ColumnType.TRUTH: "BOOLEAN",
    ColumnType.WHOLE: "BIGINT",
    ColumnType.REAL: "DOUBLE",
    ColumnType.DAY: "DATE",
    ColumnType.MOMENT: "TIMESTAMP_S",
    ColumnType.TIME: "TIME",
    ColumnType.TEXT: "VARCHAR",
}


def _parquet(release: Saved, columns: Columns) -> bytes:
    """Parquet with the types of ``to_arrow``; the notes and the certificate are its metadata."""
    metadata = {
        "notes": json.dumps(release.notes, ensure_ascii=False),
        "certificate": release.certificate.to_json(),
    }
    if len({name.lower() for name in columns}) < len(columns):  # two names are one to DuckDB
        return _parquet_of_arrow(columns, metadata)
    kept = ", ".join(f"{name}: {_quoted(text)}" for name, text in metadata.items())
    taken = ", ".join(
        f"unnest(?::{_STORED[kind]}[]) AS {_identifier(name)}"
        for name, (kind, _) in columns.items()
    )
    duckdb = import_module("duckdb")
    with duckdb.connect(":memory:") as connection, TemporaryDirectory() as folder:
        place = Path(folder) / "answer.parquet"
        to = f"{_quoted(str(place))} (FORMAT parquet, KV_METADATA {{{kept}}})"
        connection.execute(
            f"COPY (SELECT {taken}) TO {to}", [list(values) for _, values in columns.values()]
        )
        return place.read_bytes()


def _parquet_of_arrow(columns: Columns, metadata: Mapping[str, str]) -> bytes:
    """The same, written by pyarrow, which tells N from n."""
    table, kept = arrow_table(columns), BytesIO()
    import_module("pyarrow.parquet").write_table(table.replace_schema_metadata(metadata), kept)
    return kept.getvalue()


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ---------------------------------------------------------------------- Markdown


def _markdown(release: Saved) -> str:
    """A table as people read it, with the notes below; markup in labels is only text."""
    heads = [*release.keys, *release.columns]
    ruled = ["---"] * len(release.keys) + ["---:"] * len(release.columns)
    lines = [_markdown_row(map(markdown_text, heads)), _markdown_row(ruled)]
    lines += [_markdown_row(map(markdown_text, row)) for row in release.cells()]
    certificate = release.certificate
    lines += ["", f"{markdown_text(release.price)}, errors at 95%.", ""]
    lines += [f"- {markdown_text(note)}" for note in release.notes]
    lines.append(f"- Entry {certificate.entry} of the ledger, with the hash `{certificate.hash}`.")
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def markdown_text(text: str) -> str:
    r"""The text, with all that Markdown and HTML would take for markup as plain letters.

    >>> print(markdown_text("a|b < *c* & 1. d"), markdown_text("1. x"), markdown_text("± 3"))
    a\|b &lt; \*c\* &amp; 1. d 1\. x ± 3
    """
    line = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _BLOCK.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", line))


# ---------------------------------------------------------------------- all kinds


def _drawing() -> None:
    from discreet.plots import check_drawing

    check_drawing()


@dataclass(frozen=True, slots=True)
class _Kind:
    """How an answer is written, and what is looked at before it is paid for."""

    written: Callable[[Saved, Columns], bytes]
    check: Callable[[], object] = lambda: None


_KINDS: Mapping[str, _Kind] = {
    ".json": _Kind(lambda release, _: release.to_json().encode()),
    ".csv": _Kind(lambda release, _: release.to_csv().encode()),
    ".html": _Kind(lambda release, _: release.report().encode()),
    ".md": _Kind(lambda release, _: _markdown(release).encode()),
    ".xlsx": _Kind(_workbook, _excel),
    ".parquet": _Kind(_parquet),
    ".png": _Kind(lambda release, _: answer_picture(release).png, _drawing),
    ".svg": _Kind(lambda release, _: answer_picture(release).svg.encode(), _drawing),
}
