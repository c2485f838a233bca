"""Writes the public names of the source, with their documentation, into the pages of the reference.

A page lists names in a comment, one a line, and what stands between it and the comment that ends it
is written from the source, in Markdown that reads well where no site was built, too:

    <!-- python
    discreet.table
    -->
    …
    <!-- end of python -->

python docs/_extensions/python_pages.py writes them all; a test compares them with the source.
"""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

REFERENCE = Path(__file__).parents[1] / "reference"
_PART = re.compile(r"<!-- python\n(?P<names>.*?)-->\n.*?<!-- end of python -->", re.DOTALL)
_HEADING = re.compile(r"^(##?) ", re.MULTILINE)
"""Outside of what is written: code in these pages has no line of a # and one space at its start."""
_LONGEST = 88
"""Of a signature on one line."""


def names_of(text: str) -> list[str]:
    """The names that the parts of a page list."""
    return [name for part in _PART.finditer(text) for name in part["names"].split()]


def page(text: str) -> str:
    """A page with its parts written anew."""

    def part(found: re.Match[str]) -> str:
        before = _HEADING.findall(_PART.sub("", text[: found.start()]))
        names = found["names"].split()
        written = "\n".join(line for name in names for line in entry(name, f"{before[-1]}#"))
        return f"<!-- python\n{found['names']}-->\n\n{written}\n<!-- end of python -->"

    return _PART.sub(part, text)


def entry(path: str, heading: str) -> Iterator[str]:
    """One public name: how it is called, what it is, and the members that a class documents."""
    name = "dp" + path.removeprefix("discreet")
    thing = _thing(path)
    if getattr(thing, "__name__", "") != path.rpartition(".")[2]:  # a value, or another's name
        value = f"{thing.__module__}.{thing.__name__}" if inspect.isclass(thing) else repr(thing)
        yield from (f"- `{name}` is `{value}`.", *_text_below(path).splitlines())
        return
    plain = inspect.isclass(thing) and issubclass(thing, BaseException)
    call = "" if plain else name + _parameters(thing)
    yield from _described(f"{heading} {name}", call, inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        for member, (call, text) in _members(thing).items():
            yield from _described(f"{heading}# {name}.{member}", call, text)


def markdown(docstring: str) -> str:
    """A docstring as Markdown: names in code, examples in blocks, ``|x|`` as it is.

    >>> print(markdown("Of ``x``.\\n\\n>>> 1 + 1\\n2"))
    Of `x`.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    paragraphs = re.split(r"\n\s*\n", docstring.strip())
    written = []
    for paragraph in paragraphs:
        block = textwrap.dedent(paragraph)
        if block.startswith(">>>"):
            written.append(f"```pycon\n{block}\n```")
        elif ">>>" in block:
            before, _, example = block.partition(">>>")
            written += [_plain(before), f"```pycon\n>>>{example}\n```"]
        else:
            written.append(_plain(block))
    return "\n\n".join(written).replace("\n```\n\n```pycon\n", "\n\n")


def _plain(text: str) -> str:
    text = re.sub(r"(?<=[.:;?!])  +", " ", text)
    text = re.sub(r":(?:class|func|meth):`~?([\w.]+)`", r"`\1`", text.strip())
    text = re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL)
    return "".join(
        piece if piece.startswith("`") else re.sub(r"(?<!\\)([*_<])", r"\\\1", piece)
        for piece in re.split(r"(`[^`]*`)", text)
    )


def _described(heading: str, call: str, text: str) -> Iterator[str]:
    yield heading
    yield ""
    if call:
        yield f"```text\n{call}\n```"
        yield ""
    yield markdown(text)
    yield ""


def _thing(path: str) -> object:
    *modules, name = path.split(".")
    found: object = import_module(modules[0])
    for one in (*modules[1:], name):
        found = getattr(found, one)
    return found


def _parameters(thing: object) -> str:
    """The parameters with their defaults; their types stand in the stubs."""
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]
    except ValueError:
        return "(…)"
    shown = [
        parameter.replace(annotation=parameter.empty, default=_Default(parameter.default))
        if parameter.default is not parameter.empty
        else parameter.replace(annotation=parameter.empty)
        for parameter in signature.parameters.values()
        if not parameter.name.startswith("_")
    ]
    text = str(inspect.Signature(shown))
    if len(text) <= _LONGEST:
        return text
    lines = re.sub(r", (?=[\w*])", ",\n    ", text[1:-1])
    return f"(\n    {lines},\n)"


class _Default:
    """A default as a reader writes it: the factories of dataclasses have no such text."""

    def __init__(self, value: object) -> None:
        text = repr(value)
        if isinstance(value, ModuleType) or text.startswith("<"):
            enum = re.match(r"<(\w+\.\w+): ", text)
            text = enum[1] if enum else "…"
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _members(kind: type) -> dict[str, tuple[str, str]]:
    """The public members that a class itself documents, in the order of its source."""
    found: dict[str, tuple[str, str]] = {}
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    for place, node in enumerate(body.body):
        name = _name(node)
        if name is None or name.startswith("_") or name in found:
            continue
        if isinstance(node, ast.FunctionDef):
            member = inspect.getattr_static(kind, name)
            text = inspect.getdoc(getattr(kind, name)) or inspect.getdoc(member) or ""
            function = getattr(member, "__func__", member)
            call = _call(name, function) if callable(function) else ""
            if text:
                found[name] = (call, text)
        else:
            text = _text_after(body.body, place)
            if text:
                found[name] = ("", text)
    return found


def _call(name: str, function: object) -> str:
    return (
        "."
        + name
        + re.sub(r"^\((\n?\s*)(?:self|cls)(?:, |,\n    |(?=\)))", r"(\1", _parameters(function))
    )


def _name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.FunctionDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _text_after(body: list[ast.stmt], place: int) -> str:
    """The text that stands below an assignment and says what it is."""
    if place + 1 < len(body):
        below = body[place + 1]
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return inspect.cleandoc(str(below.value.value))
    return ""


def _text_below(path: str) -> str:
    """The text below the assignment of a name, in the package that offers it."""
    package, _, name = path.rpartition(".")
    for file in sorted(Path(str(import_module(package).__file__)).parent.glob("*.py")):
        body = ast.parse(file.read_text("utf-8")).body
        for place, node in enumerate(body):
            if _name(node) == name and (text := _text_after(body, place)):
                return text
    return ""


def main() -> None:
    for path in sorted(REFERENCE.glob("*.md")):
        text = path.read_text("utf-8")
        if (written := page(text)) != text:
            path.write_text(written, "utf-8")
            sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
