"""Pages from templates: files of the package that Jinja2 fills in."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from discreet.text_table import TextTable, printable

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: object) -> str:
    """A template, named by its path in the package, with every value as text that is only text."""
    return _environment().get_template(template).render(values)


def table_html(table: TextTable, below: Sequence[str] = (), *, numbers: int = 0) -> str:
    """A table for a notebook, with lines below it; so many of the last columns are numbers.

    >>> table_html(TextTable(("ward", "n"), (("R & D", "12 ± 3"),), 1)).count("R &amp; D")
    1
    """
    left = len(table.header) - numbers
    return rendered("table.html", table=table, below=below, left=left)


def package_text(path: str) -> str:
    """A file of the package, as it is."""
    return files("discreet").joinpath(path).read_text("utf-8")


def visible(value: Any) -> Any:
    """A value as one line: what no reader could see is marked, so that it hides nothing.

    Markup stays as it is, and so does text that a template escapes by name: ``{{ lines | e }}``.

    >>> visible("Ward" + chr(27) + "[2J"), visible(7)
    ('Ward�[2J', '7')
    """
    if hasattr(value, "__html__"):
        return value
    return printable(str(value))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(package_text),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
