"""Docstrings write |x| for an absolute value, which reStructuredText would take for a name."""

import re

from sphinx.application import Sphinx


def escape_bars(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Escape every bar that stands neither in a literal nor in an example."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = re.sub(r"(``.*?``)|\|", lambda match: match[1] or r"\|", line)


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", escape_bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
