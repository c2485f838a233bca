"""The notebooks run from their first cell to their last, and what they claim holds."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def run(notebook: Any, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Execute every cell in a folder, by a kernel whose shell knows the commands of this Python."""
    patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where).execute()


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_what_it_claims_holds(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = read(path)
    run(notebook, tmp_path, monkeypatch)
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {
        "stream",
        "display_data",
        "execute_result",
    }
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_as_it_ran_from_top_to_bottom(path: Path) -> None:
    cells = code_cells(read(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert all(output.output_type != "error" for output in outputs)
    assert sum("image/svg+xml" in output.get("data", {}) for output in outputs) >= 1
    assert path.stat().st_size < 100_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_compares_with_the_truth(path: Path) -> None:
    source = "\n".join(cell.source for cell in code_cells(read(path)))
    assert source.count("assert low <= ") + source.count("assert found.interval") >= 1
    for word in ("dp.", "plan(", "release(", "certificate", "plot("):
        assert word in source


def test_every_notebook_is_listed() -> None:
    listed = re.findall(r"\]\((\w+\.ipynb)\)", (FOLDER / "README.md").read_text("utf-8"))
    assert sorted(listed) == [path.name for path in NOTEBOOKS]
    assert len(NOTEBOOKS) >= 4


def test_a_claim_that_does_not_hold_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = nbformat.v4.new_code_cell("low, high = 1, 2\nassert low <= 3 <= high")
    with pytest.raises(CellExecutionError, match="AssertionError"):
        run(nbformat.v4.new_notebook(cells=[cell]), tmp_path, monkeypatch)
