"""Numbers that are moved after the noise on request, so that they fit together."""

from collections.abc import Sequence

from discreet.errors import QueryError, Remedy
from discreet.measures.measure import Output
from discreet.plan.expressions import quoted_name
from discreet.question.query import GroupingSets, Query

NONNEGATIVE = "non-negative"
"""What counts can be made: the only word that there is for it."""

Keys = tuple[int, ...]


def read_consistent(consistent: object) -> bool:
    """Whether counts are to be non-negative; None leaves them as they are measured.

    >>> read_consistent("non-negative"), read_consistent(None)
    (True, False)
    """
    if consistent is None or consistent == NONNEGATIVE:
        return consistent is not None
    raise QueryError(
        f"consistent is {consistent!r:.40}. Counts are shown as they are measured, or moved so "
        "that none is below 0 and totals still agree, for which there is one word.",
        Remedy(
            python=f'Write consistent="{NONNEGATIVE}", or leave it out.',
            sql=f"Ask for {NONNEGATIVE}, or for nothing.",
            command=f"Write --consistent {NONNEGATIVE}, or leave it out.",
        ),
    )


def check_nonnegative(query: Query, outputs: Sequence[Output]) -> None:
    """Refuse, before anything is paid, what cannot be moved so that all of it fits."""
    if not any(output.aggregate.statistic.counts for output in outputs):
        raise QueryError(
            f"consistent is {NONNEGATIVE!r}, and nothing is counted. Only of counts it is known "
            "that they are not below 0, so only they are moved.",
            Remedy(
                python="Ask for dp.rows() too, or leave consistent out.",
                sql="Ask for COUNT(*) too, or leave consistent out.",
                command="Ask for COUNT(*) too, or leave --consistent out.",
            ),
        )
    arranged = query.arranged
    if isinstance(arranged, GroupingSets):
        asked = sorted({key for keys in arranged.sets for key in keys})
        if tuple(asked) not in {tuple(sorted(keys)) for keys in arranged.sets}:
            names = ", ".join(quoted_name(query.keys[key].name) for key in asked)
            raise QueryError(
                f"consistent is {NONNEGATIVE!r}, and no table has all of the keys: {names}. All "
                "totals are sums of the cells of one table, which are moved first. Without it, "
                "tables that are moved one by one would no longer agree.",
                Remedy(
                    python="Leave ways out, so that the cube has it, or leave consistent out.",
                    sql=f"Add ({names}) to the GROUPING SETS, or leave consistent out.",
                    command=f"Add ({names}) to the GROUPING SETS, or leave --consistent out.",
                ),
            )


def tables_within(tables: Sequence[Keys]) -> list[Keys]:
    """Tables of which each has all keys of the one before: from the grand total to all keys.

    Of several as large the first is taken, so that of a cube it is by the first keys.

    >>> tables_within([(0, 1), (0,), (1,), ()]), tables_within([(0, 1), (1,)])
    ([(), (0,), (0, 1)], [(), (1,), (0, 1)])
    """
    found = [max(tables, key=len)]
    while found[0]:
        inner = [keys for keys in tables if set(keys) < set(found[0])]
        found.insert(0, max(inner, key=len, default=()))
    return found
