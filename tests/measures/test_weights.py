"""Weights in L2: the cap is the largest square within the caps, and no weight exceeds it."""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import isqrt

import duckdb
import psycopg
import pyarrow

from discreet.measures.measure import SHARE, Norm, Unit
from discreet.plan.schema import MOST_ROWS
from tests.support.engine_contract import quotients, rooted


def person(rows: int, groups: int | None, in_group: int | None, cells: int | None) -> Unit:
    return Unit(
        by_person=True,
        keyed=True,
        cells=cells,
        max_rows=rows,
        max_groups=groups,
        max_rows_per_group=in_group,
        norm=Norm.L2,
    )


def test_the_squared_cap_is_that_of_somebody_within_all_caps_and_of_nobody_beyond() -> None:
    """By trying every spread of rows over groups."""
    some = (None, 1, 2, 3, 4, 9)
    for rows, groups, in_group, cells in product(range(1, 8), some, some, some):
        unit = person(rows, groups, in_group, cells)
        most_groups = min(groups or rows, cells or rows, rows)
        held = combinations_with_replacement(range(min(in_group or rows, rows) + 1), most_groups)
        largest = max(sum(m * m for m in one) for one in held if sum(one) <= rows)
        assert unit.squared_row_cap == largest, unit
        stated = min(rows**2, most_groups * (in_group or rows) ** 2)
        assert largest <= stated  # which forgets that the rows of all groups are capped together


def test_without_groups_the_cap_on_rows_in_one_says_nothing() -> None:
    unit = Unit(by_person=True, max_rows=7, max_groups=2, max_rows_per_group=2, norm=Norm.L2)
    assert unit.squared_row_cap == 49
    assert unit.row_weights == unit.weighed_by(Norm.L1).row_weights


def test_no_weights_exceed_the_cap_and_none_are_below_those_by_number() -> None:
    """The rule in fractions, for every spread of few rows over three groups and some of many."""
    spreads = [*product(range(6), repeat=3), (10**6, 0, 0), (10**6, 3, 1), (10**9, 10**9, 1)]
    for rows, in_group in product((1, 2, 3, 5), (None, 1, 2, 3)):
        unit = person(rows, 2, in_group, None)
        weights, by_number = unit.row_weights, unit.weighed_by(Norm.L1).row_weights
        reached = 0
        for spread in spreads:
            squares = sum(m * m for m in spread)
            weight = isqrt(weights.share**2 * weights.cap // max(squares, weights.cap))
            assert weight**2 * squares <= weights.squared == SHARE**2 * unit.squared_row_cap
            exact = Fraction(weights.cap, max(squares, weights.cap))
            assert Fraction(weight, SHARE) ** 2 <= exact < Fraction(weight + 1, SHARE) ** 2
            reached = max(reached, weight**2 * squares)
            if in_group is None:  # then nobody is weighed down more than by the number of rows
                assert weight >= SHARE * by_number.cap // max(sum(spread), by_number.cap)
        assert reached == weights.squared


def test_what_is_divided_fits_a_decimal_of_38_digits_and_its_quotient_64_bits() -> None:
    largest = person(MOST_ROWS, None, None, None).row_weights
    assert largest.share**2 * largest.cap == 2**60 * 10**12 < 10**38
    assert largest.share**2 < 2**63


# ---------------------------------------------------------------------- roots, as engines find them


def test_duckdb_finds_whole_roots() -> None:
    with duckdb.connect() as connection:
        connection.register("numbers", pyarrow.table({"quotient": quotients()}))
        query = rooted().sql("duckdb")
        found = connection.execute(f"SELECT quotient, weight FROM ({query})").fetchall()
        assert sorted(found) == [(one, isqrt(one)) for one in quotients()]
        # Negative control: a float's root alone is another number for some.
        by_float = (
            "SELECT quotient, CAST(FLOOR(SQRT(CAST(quotient AS DOUBLE))) AS BIGINT) FROM numbers"
        )
        assert sorted(connection.execute(by_float).fetchall()) != sorted(found)


def test_postgres_finds_whole_roots(server: str) -> None:
    with psycopg.connect(server) as connection:
        connection.execute("CREATE TEMPORARY TABLE numbers (quotient BIGINT)")
        with connection.cursor().copy("COPY numbers FROM STDIN") as copy:
            for one in quotients():
                copy.write_row((one,))
        query = rooted().sql("postgres")
        found = connection.execute(f"SELECT quotient, weight FROM ({query}) AS found").fetchall()
        assert sorted(found) == [(one, isqrt(one)) for one in quotients()]
