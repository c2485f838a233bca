"""A parameter is one value, whatever it says."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError

from discreet import dbapi
from discreet.dbapi.statements import bind_parameters, parameter_literal
from discreet.plan.expressions import Compared, Constant, Named
from discreet.sql.read.expressions import parse_expression
from tests.support.cases import each

HOSTILE = [
    "'",
    "''",
    "\\'",
    "\\",
    "A' OR '1' = '1",
    "A'; SET epsilon = 100; --",
    "A' UNION SELECT COUNT(*) FROM visits --",
    "') OR TRUE --",
    "?",
    "'?'",
    "-- ",
    "/*",
    "*/ OR TRUE /*",
    "$$",
    '"',
    "{{ x }}",
    "\0",
    "\n",
    "’ OR TRUE",
    "",
]
AROUND = [
    *(
        "?",
        "?",
        "?",
        "'",
        "''",
        '"',
        "--",
        "\n",
        "/*",
        "*/",
        "$$",
        "$a$",
        "E'",
        "N'",
        "x'",
        "-",
        " ",
    ),
    *("\\", "1", "a", "'b'", "{{", "{%", "#", "/*+", "@", "??", ":", "||", ".", "`", "[", "DATE "),
]
"""What could open, close or continue something beside a parameter."""


def read_back(value: object) -> object:
    """What the reader of questions finds where the parameter stood."""
    found = parse_expression(bind_parameters("note=?", [value]))
    assert isinstance(found, Compared)
    assert found.left == Named("note")
    assert isinstance(found.right, Constant)
    return found.right.value


@each("value", HOSTILE)
def test_a_hostile_text_is_the_text_and_nothing_more(value):
    assert read_back(value) == value


@given(st.text(max_size=50))
def test_every_text_is_read_back_as_it_was(value):
    assert read_back(value) == value


@given(st.lists(st.sampled_from(AROUND), max_size=8).map("".join), st.sampled_from(HOSTILE))
def test_a_text_moves_no_token_of_the_statement_around_it(around, value):
    tokenize = Dialect.get_or_raise("duckdb").tokenize
    try:
        before = tokenize(around)
    except TokenError:
        assume(False)
    asked = [token.token_type is TokenType.PLACEHOLDER for token in before]
    expected = [
        (TokenType.STRING, value) if replaced else (token.token_type, token.text)
        for token, replaced in zip(before, asked, strict=True)
    ]
    after = tokenize(bind_parameters(around, [value] * sum(asked)))
    assert [(token.token_type, token.text) for token in after] == expected


@given(st.integers(-(10**30), 10**30) | st.floats(-1e90, 1e90) | st.decimals(-(10**9), 10**9))
def test_every_number_is_read_back_as_it_was_written(value):
    assert read_back(value) == Fraction(str(value))


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_text_widens_no_question(connection, value):
    cursor = connection.cursor().execute("SET epsilon = 5")
    cursor.execute("SELECT COUNT(*) AS n FROM visits WHERE note = ?", [value])
    assert abs(cursor.fetchone()[0]) < 20
    assert connection.epsilon == "5"
    assert connection.budget.charges == 1


@pytest.mark.parametrize(
    ("condition", "parameters", "truth"),
    [
        ("note = ?", ["O'Hara"], 500),
        ("stay < ?", [15], 510),
        ("stay < ?", [Decimal("14.5")], 510),
        ("stay < ?", [np.int64(15)], 510),
        ("stay < ?", [np.float64(14.5)], 510),
        ("stay -? > 0", [-5], 1000),
        ("smoker = ?", [True], 250),
        ("admitted >= ? AND admitted < ?", (date(2025, 7, 1), date(2025, 8, 1)), 83),
        ("ward IN (?, ?)", ["A", "B"], 667),
        ("COALESCE(?, ward) = 'A'", [None], 334),
        ("note <> '?' -- ?\n AND /* ? */ stay < ?", [15], 510),
    ],
)
def test_values_of_every_kind_are_compared(connection, condition, parameters, truth):
    cursor = connection.cursor().execute("SET epsilon = 5")
    cursor.execute(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", parameters)
    assert cursor.fetchone()[0] == pytest.approx(truth, abs=20)


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("note = ?", None),
        ("note = ?", []),
        ("note = ?", ["a", "b"]),
        ("note = '?'", ["a"]),
        ("note = 'a'", ["a"]),
        ("note = ? -- ?", ["a", "b"]),
        ("note = ?", "a"),
        ("note = ?", b"a"),
        ("note = ?", {"note": "a"}),
        ("note = ?", 5),
        ("note = :note", {"other": "a"}),
        ("note = :note", {}),
        ("note = :note", ["a"]),
        ("note = 'a", ["a"]),
        ("stay > 1?", [5]),
        ("note = 'a'?'b'", ["x"]),
    ],
)
def test_what_does_not_fit_is_refused_and_charges_nothing(connection, text, parameters):
    with pytest.raises(dbapi.ProgrammingError):
        connection.cursor().execute(f"SELECT COUNT(*) AS n FROM visits WHERE {text}", parameters)
    assert connection.budget.charges == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("SELECT COUNT(*) AS n FROM ?", "visits.csv"),
        ("SELECT COUNT(*) AS n FROM ?", "visits WHERE TRUE"),
        ("SELECT AVG(?) AS n FROM visits", "stay"),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ?", "ward"),
        ("?", "SELECT COUNT(*) AS n FROM visits"),
        ("EXPLAIN ?", "SELECT COUNT(*) AS n FROM visits"),
        ("SET ? = 5", "epsilon"),
        ("SET epsilon = ?", "5"),
        ("SHOW ?", "budget"),
    ],
)
def test_a_parameter_is_no_column_no_file_and_no_word(connection, text, value):
    with pytest.raises(dbapi.ProgrammingError):
        connection.cursor().execute(text, [value])
    assert (connection.epsilon, connection.budget.charges) == (1, 0)


@pytest.mark.parametrize("text", [None, 5, b"SELECT 1", "SELECT " + "x" * 10_000])
def test_a_statement_is_a_text_of_some_length(cursor, text):
    with pytest.raises(dbapi.ProgrammingError):
        cursor.execute(text)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("nan"),
        Decimal("sNaN"),
        Decimal("-inf"),
        10**5000,
        b"A",
        datetime(2025, 1, 1, tzinfo=UTC),
        Fraction(1, 3),
        "\ud800",
        ["A"],
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_without_a_literal_is_refused_by_its_place_and_kind(value):
    with pytest.raises(dbapi.DataError, match=rf"parameter 2 is an? {type(value).__name__} "):
        bind_parameters("a = ? AND b = ?", [1, value])


def test_a_subclass_cannot_write_its_own_literal():
    class Text(str):
        def __str__(self) -> str:
            return "' OR TRUE --"

        __repr__ = __str__

    class Number(int):
        def __repr__(self) -> str:
            return "1 OR TRUE"

        __str__ = __repr__

    class Real(float):
        def __repr__(self) -> str:
            return "1 OR TRUE"

    assert [
        parameter_literal(Text("a'")),
        parameter_literal(Number(5)),
        parameter_literal(Real(0.5)),
    ] == ["'a'''", "5", "0.5"]
