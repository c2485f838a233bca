"""Writes the page "SQL you can ask" from the lists that the parser itself refers to.

python docs/_extensions/sql_page.py writes docs/reference/sql.md; a test compares the two.
"""

from collections.abc import Iterable
from pathlib import Path

from discreet.sql.read import allow_list
from discreet.sql.read.allow_list import Allowed
from discreet.sql.read.parser import MOST_CHARACTERS, MOST_JOINS, MOST_NESTED, MOST_SUBQUERIES

PAGE = Path(__file__).parents[1] / "reference" / "sql.md"


def page() -> str:
    """The page as Markdown."""
    parts = [
        "# SQL you can ask",
        "",
        "One SELECT is one question. It is read against the lists on this page and turned into a "
        "plan; the text itself is never passed on to a database. Whatever is not listed is refused "
        "before anything is spent, with the place in the text, the reason and a way to ask it.",
        "",
        'In Python: `visits.sql("SELECT …", epsilon=0.5)`, or `visits.ask("SELECT …").plan('
        "epsilon=0.5)` to see the price first. On the command line: `discreet ask visits.toml "
        '"SELECT …" --epsilon 0.5`. From notebooks and tools: [a DB-API connection]'
        "(../how-to/use_sql_from_python.md).",
        "",
        "Only declared columns have a value. A cell that [cannot be read as its declared kind]"
        "(reading.md) is missing. A value outside of the bounds, or not in the list of a category, "
        "is not missing: COUNT(x), IS NOT NULL and COUNT(DISTINCT x) see it, and SUM and AVG clip "
        "it. A fraction in an integer column is rounded where it is aggregated, and nowhere else. "
        "To see whether the list of a category fits, compare the sum of its groups with COUNT(*): "
        "the difference is missing or not listed.",
        "",
        "The examples are about `visits` (patient_id, ward, stay, age, cost, smoker, diagnosis, "
        "admitted, discharged, arrived), `patients` (patient_id, sex), both private, and the "
        "public lookup "
        "table `wards` (ward, region).",
        "",
        "## Aggregates",
        "",
        *_table(allow_list.AGGREGATES),
        "## Clauses",
        "",
        *_table(allow_list.CLAUSES),
        "## What is declared",
        "",
        "Answered from declarations alone, in all of these places: nothing is read, and nothing "
        "is spent.",
        "",
        *_table(allow_list.LISTINGS),
        "## Several tables, and people",
        "",
        "Tables to join with are declared beside the first: in the policy under "
        "`[private.patients]` "
        "and `[public.wards]`, in Python by `private={…}` with `dp.beside` and `public={…}`, with "
        "`dp.lookup` where columns are declared. "
        "Weights "
        "and caps are applied after all joins ([proof](../proofs/relations.md)).",
        "",
        *_table(allow_list.TABLES),
        "## Values of a row",
        "",
        "In WHERE, in GROUP BY and inside aggregates. Nothing here can fail on data: what has no "
        "value is missing, and missing passes through as NULL does in SQL.",
        "",
        *_table((*allow_list.WRITTEN, *allow_list.OPERATORS, *allow_list.FUNCTIONS)),
        "The bounds of an expression are computed from those of its columns. Where that gives "
        "none, "
        "CLIP, LEAST and GREATEST do.",
        "",
        "## What is refused",
        "",
        "| not answered | because | ask instead |",
        "| --- | --- | --- |",
        *(
            f"| `{_cell(one.example)}` | {one.reason} | `{_cell(one.instead)}` |"
            for one in allow_list.REFUSED
        ),
        "",
        f"A question has at most {MOST_CHARACTERS:,} characters, {MOST_JOINS} joins, subqueries "
        f"{MOST_SUBQUERIES} deep and brackets {MOST_NESTED} deep. Other set operations than UNION "
        "ALL of totals, windows over rows, correlated and recursive queries, user-defined "
        "functions, parameters, files and settings "
        "are not offered.",
    ]
    return "\n".join(parts) + "\n"


def _table(offers: Iterable[Allowed]) -> list[str]:
    rows = ["| | for example | |", "| --- | --- | --- |"]
    for offer in offers:
        names = ", ".join(f"`{_cell(name)}`" for name in (offer.name, *offer.also))
        rows.append(f"| {names} | `{_cell(offer.example)}` | {_cell(offer.meaning)} |")
    return [*rows, ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
