"""The rules of DuckDB's optimizer that may change a plan: few, and none that looks at rows.

Most rules use what a file or a table says about its rows: the least and the largest value, how many
are missing, how many rows there are.  Those facts leave NaN out, may be wrong, and change with one
row; folded into a plan they change what other rows are read as, or whether a row that cannot be
read is looked at.  So every rule is off but those below, and one that a later version of DuckDB
adds is off until somebody has looked at it.
"""

from typing import Any

HARMLESS = (
    "expression_rewriter",  # constants, by the text of the query alone
    "unused_columns",  # a column that the query does not use is not read
    "column_lifetime",  # nor carried on when it is used no more
    "common_aggregate",  # the same sum is made once
    "cte_inlining",  # a query with a name that is used once is put in its place
)


def disable(connection: Any) -> None:
    """Turn every other rule off, by the names that this version of DuckDB has for them."""
    found = [str(name) for (name,) in connection.execute("FROM duckdb_optimizers()").fetchall()]
    others = ",".join(name for name in found if name not in HARMLESS)
    connection.execute(f"SET disabled_optimizers = '{others}'")
