"""``discreet plan``: what a question would cost, and how exact its answer would be."""

import json
from typing import Any

import click

from discreet.cli.arguments import question_options, read_question
from discreet.errors import Front


@click.command()
@question_options
@click.option("--explain", is_flag=True, help="Step by step, with what each step assumes.")
@click.option("--sql", "as_sql", is_flag=True, help="The SQL that the engine would run.")
@click.option("--json", "as_json", is_flag=True, help="Exact numbers, for programs.")
def plan(explain: bool, as_sql: bool, as_json: bool, **question: Any) -> None:
    """What a question would cost and how exact its answer would be. Nothing is spent.

    \b
    discreet plan visits.toml "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --epsilon 0.5

    POLICY is the TOML file that declares the table. No row is read, and the ledger stays closed.
    """
    with read_question(**question) as asked:
        planned, queries = asked.plan, asked.queries()
    if as_sql:
        for query in queries:
            click.echo(f"{_pretty(query)};")
    elif as_json:
        data = {
            "question": planned.question.query.text,
            "epsilon": str(planned.epsilon),
            "delta": str(planned.delta),
            "groups": planned.question.cells if planned.question.keys else None,
            "outputs": [
                {
                    "output": line.output,
                    "asks": line.asks,
                    "mechanism": line.mechanism,
                    "margin": line.margin.value,
                    "margin_of_rank": line.margin.of_rank,
                    "epsilon": str(line.epsilon),
                }
                for line in planned.lines
            ],
            "computed": [{"output": name, "as": how} for name, how in planned.computed],
            "notes": planned.notes,
        }
        click.echo(json.dumps(data, ensure_ascii=False))
    elif explain or asked.explain:
        click.echo(planned.explain(Front.COMMAND))
    else:
        from discreet.cli.terminal import show_plan

        show_plan(planned)


def _pretty(query: str) -> str:
    """A query on several lines; as it is, if it would not mean the very same then."""
    from sqlglot import ParseError, exp, parse_one

    try:
        tree = parse_one(query, read="duckdb")
        for around in list(tree.find_all(exp.Paren)):
            if isinstance(around.this, exp.Column):  # would stand on three lines
                around.replace(around.this)
        text = tree.sql(dialect="duckdb", pretty=True)
        return text if parse_one(text, read="duckdb") == tree else query
    except ParseError:
        return query
