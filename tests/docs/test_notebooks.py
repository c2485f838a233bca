"""The notebooks of the course are the pages of its lessons, and run."""

import sys

import nbformat
import pytest

from tests.docs.test_code_blocks import blocks
from tests.support.clone import ROOT

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
import notebooks

sys.path.pop(0)

LESSONS = notebooks.LESSONS


def test_the_notebooks_are_made_from_the_pages() -> None:
    kept = {path.name: path.read_text("utf-8") for path in notebooks.FOLDER.iterdir()}
    assert kept == notebooks.notebooks(), "run ./dev docs --notebooks"


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_notebook_holds_all_the_code_of_its_page_and_hides_the_solutions(page) -> None:
    text = page.read_text("utf-8")
    made = nbformat.reads(notebooks.notebook(page), as_version=4)
    expected = [block.text for block in blocks(text) if block.language == "python"]
    cells = [cell for cell in made.cells if cell.cell_type == "code"]
    assert ["".join(cell.source) for cell in cells] == expected
    hidden = [cell.source for cell in cells if cell.metadata.get("jupyter")]
    folded = "\n".join(part.split("</details>")[0] for part in text.split("<details>")[1:])
    assert hidden == [block.text for block in blocks(folded) if block.language == "python"]
    assert all(not cell.outputs for cell in cells)


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_every_link_of_a_notebook_leads_to_a_file(page) -> None:
    for cell in nbformat.reads(notebooks.notebook(page), as_version=4).cells:
        if cell.cell_type == "markdown":
            for target in notebooks._LINK.findall(cell.source):
                assert (notebooks.FOLDER / target.partition("#")[0]).is_file(), target


@pytest.mark.slow
def test_a_notebook_runs(tmp_path) -> None:
    from nbclient import NotebookClient

    made = nbformat.read(notebooks.FOLDER / f"{LESSONS[0].stem}.ipynb", as_version=4)
    done = NotebookClient(
        made, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    cells = [cell for cell in done.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    printed = "".join(out.text for cell in cells for out in cell.outputs if "text" in out)
    assert "of 4,000 hospitals" in printed
