"""Tables are asked in a notebook's kernel, as it is installed: without widgets, too."""

import nbformat
from nbclient import NotebookClient

CELL = """
import pandas
import discreet as dp

people = pandas.DataFrame({"ward": ["A", "B"] * 500})
with dp.table(
    people, name="visits", unit="row", budget=dp.Budget(epsilon=1), ledger=":memory:",
    columns={"ward": dp.category(["A", "B"])},
) as visits:
    answer = visits.group_by("ward").agg(n=dp.rows()).release(epsilon=1)
answer
"""


def test_a_table_is_asked_in_a_notebook() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    (shown,) = notebook.cells[0].outputs
    assert set(shown["data"]) == {"text/plain", "text/html"}
    assert "ward" in shown["data"]["text/plain"]
