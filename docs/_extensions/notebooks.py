"""Makes a notebook of each lesson of the course, without outputs: noise is drawn anew in each run.

./dev docs --notebooks writes docs/course/notebooks; a test compares the two.
"""

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

COURSE = Path(__file__).parents[1] / "course"
FOLDER = COURSE / "notebooks"
LESSONS = sorted(COURSE.glob("[0-9]_*.md"))
_BOX = re.compile(r"(?m)^</?div[^>]*>\n")
_CODE = re.compile(r"(?ms)^```python\n(.*?)\n```$")
_MARK = re.compile(r"<summary>.*?</summary>|</?details>")
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")
_ORIGIN = """\
*This notebook is made from [the page of the lesson](../{page}). It needs discreet with the extra \
`plot`. It holds no outputs, because noise is drawn anew in each run.*"""


def notebook(page: Path) -> str:
    """A page as a notebook: a cell for each block of Python, and one for the words between.

    Code of a solution is hidden until it is opened, in notebooks that can hide it.
    """
    text = _BOX.sub("", page.read_text("utf-8"))
    cells = []
    solution = ""
    for number, part in enumerate(_CODE.split(text)):
        if number % 2:
            cell = new_code_cell(part)
            if solution:
                cell.metadata = {"jupyter": {"source_hidden": True}, "tags": ["solution"]}
            cells.append(cell)
            continue
        words = f"<details>\n{solution}\n{part}" if solution else part
        for mark in _MARK.findall(part):
            solution = mark if mark.startswith("<summary>") else ""
        words = f"{words}\n</details>" if solution else words
        if _MARK.sub("", words).strip():
            cells.append(new_markdown_cell(_LINK.sub(_moved, words.strip())))
    cells.insert(1, new_markdown_cell(_ORIGIN.format(page=page.name)))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    made = new_notebook(cells=cells)
    made.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(made)
    return str(nbformat.writes(made)) + "\n"


def notebooks() -> dict[str, str]:
    """Every notebook, by the name of its file."""
    return {f"{page.stem}.ipynb": notebook(page) for page in LESSONS}


def _moved(link: re.Match[str]) -> str:
    """A link of a page, as it is from the folder of the notebooks."""
    target = link[1]
    if (COURSE / target.partition("#")[0]) in LESSONS:
        return f"]({target.replace('.md', '.ipynb')})"
    return f"](../{target})"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in notebooks().items():
        (FOLDER / name).write_text(text, "utf-8")
