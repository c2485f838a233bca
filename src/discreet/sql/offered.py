"""What a row expression can be written with: the list from which the page of the documentation is
made, and that refusals point to.

The examples are about a table of hospital visits: stay and age are numbers, smoker is true or
false, ward a category, diagnosis a text, admitted and discharged are dates.
"""

from dataclasses import dataclass

from discreet.measures.table import STATISTICS


@dataclass(frozen=True, slots=True)
class Offer:
    """A word or sign of SQL that is read: how it is written, and what it means."""

    name: str
    example: str
    meaning: str
    also: tuple[str, ...] = ()
    """Other names of the same."""


WRITTEN = (
    Offer("columns", "stay", "the value of a declared column"),
    Offer("numbers", "2.5", "a written number, computed with as a 64-bit float"),
    Offer("'texts'", "'it''s'", "a written text"),
    Offer("TRUE", "TRUE", "a truth value; FALSE is the other"),
    Offer("NULL", "NULL", "a missing value"),
    Offer("DATE '2026-01-31'", "DATE '2026-01-31'", "a written date"),
)
OPERATORS = (
    Offer("+", "stay + 1", "sum; of a date and a number of days, a date"),
    Offer("-", "discharged - admitted", "difference; of two dates, in days"),
    Offer("*", "stay * 24", "product"),
    Offer("/", "stay / age", "quotient; missing where the divisor is 0"),
    Offer("//", "age // 10", "the largest whole number not above the quotient"),
    Offer("%", "age % 2", "remainder x - b * trunc(x / b), of the sign of x; missing if b is 0"),
    Offer("||", "ward || '-' || diagnosis", "one text after another; missing if either is"),
    Offer("=", "ward = 'A'", "equal; missing if either side is", ("==",)),
    Offer("<>", "ward <> 'A'", "not equal; missing if either side is", ("!=",)),
    Offer("<", "stay < 7", "less; texts in order of their characters"),
    Offer("<=", "stay <= 7", "less or equal"),
    Offer(">", "stay > 7", "greater"),
    Offer(">=", "admitted >= '2026-01-01'", "greater or equal"),
    Offer("AND", "stay > 7 AND smoker", "both are true"),
    Offer("OR", "stay > 7 OR smoker", "at least one is true"),
    Offer("NOT", "NOT smoker", "it is false; missing stays missing"),
    Offer("BETWEEN", "stay NOT BETWEEN 2 AND 7", "from one value to another, both included"),
    Offer("IN", "ward IN ('A', 'B')", "one of the written values"),
    Offer("LIKE", "diagnosis NOT LIKE 'A%'", "matches a written pattern of % and _"),
    Offer("ILIKE", "diagnosis ILIKE 'a__'", "matches it in capitals or not"),
    Offer("IS NULL", "stay IS NOT NULL", "it is missing"),
    Offer("IS TRUE", "smoker IS NOT TRUE", "it is true, never missing; IS FALSE likewise"),
    Offer("IS DISTINCT FROM", "stay IS DISTINCT FROM 2", "not equal, where missing is a value"),
    Offer("INTERVAL", "admitted + INTERVAL '7' DAY", "so many days or weeks beside a date"),
    Offer("CASE", "CASE WHEN age < 18 THEN 'child' ELSE 'adult' END", "the first that is true"),
    Offer("::", "stay::INTEGER", "the same as CAST"),
)
FUNCTIONS = (
    Offer("CAST", "CAST(stay AS INTEGER)", "as another kind, or missing", ("TRY_CAST",)),
    Offer("COALESCE", "COALESCE(stay, 0)", "the first that is not missing", ("IFNULL",)),
    Offer("NULLIF", "NULLIF(stay, 0)", "the value, missing where it equals the other"),
    Offer("IF", "IF(smoker, 1, 0)", "one value where it is true, else the other", ("IIF",)),
    Offer("LEAST", "LEAST(stay, 30)", "the least; missing if any value is"),
    Offer("GREATEST", "GREATEST(stay, 0)", "the greatest; missing if any value is"),
    Offer("CLIP", "CLIP(stay, 0, 30)", "the value moved between written bounds"),
    Offer("ABS", "ABS(stay)", "the distance from zero"),
    Offer("SIGN", "SIGN(stay)", "1, 0 or -1"),
    Offer("FLOOR", "FLOOR(age / 10) * 10", "the largest whole number not above"),
    Offer("CEIL", "CEIL(stay)", "the smallest whole number not below", ("CEILING",)),
    Offer("ROUND", "ROUND(stay, 1)", "FLOOR(x * 10^d + 0.5) / 10^d, with written digits d"),
    Offer("MOD", "MOD(age, 2)", "the same as %"),
    Offer("SQRT", "SQRT(stay)", "the square root; missing below 0"),
    Offer("LN", "LN(stay)", "the natural logarithm; missing up to 0"),
    Offer("LOG10", "LOG10(stay)", "the logarithm to base 10; missing up to 0", ("LOG",)),
    Offer("EXP", "EXP(stay)", "the exponential"),
    Offer("POWER", "POWER(stay, 2)", "to a written power; missing where undefined", ("POW",)),
    Offer(
        "WIDTH_BUCKET",
        "WIDTH_BUCKET(age, 0, 100, 10)",
        "the number of one of equal parts between written ends; 0 below and n + 1 above",
    ),
    Offer("LOWER", "LOWER(diagnosis)", "in small letters", ("LCASE",)),
    Offer("UPPER", "UPPER(diagnosis)", "in capitals", ("UCASE",)),
    Offer("TRIM", "TRIM(diagnosis)", "without spaces at its ends"),
    Offer("LENGTH", "LENGTH(diagnosis)", "the number of characters", ("LEN",)),
    Offer(
        "SUBSTRING",
        "SUBSTRING(diagnosis, 1, 3)",
        "so many characters from a written place on, counted from 1",
        ("SUBSTR",),
    ),
    Offer("LEFT", "LEFT(diagnosis, 3)", "the first characters"),
    Offer("RIGHT", "RIGHT(diagnosis, 1)", "the last characters"),
    Offer("CONCAT", "CONCAT(ward, '-', diagnosis)", "the same as ||: missing if any value is"),
    Offer("STARTS_WITH", "STARTS_WITH(diagnosis, 'A')", "whether it begins with a written text"),
    Offer("ENDS_WITH", "ENDS_WITH(diagnosis, '0')", "whether it ends with a written text"),
    Offer("CONTAINS", "CONTAINS(diagnosis, '.')", "whether a written text is in it"),
    Offer("EXTRACT", "EXTRACT(YEAR FROM admitted)", "a part of a date", ("DATE_PART",)),
    Offer("YEAR", "YEAR(admitted)", "the year"),
    Offer("QUARTER", "QUARTER(admitted)", "the quarter, 1 to 4"),
    Offer("MONTH", "MONTH(admitted)", "the month, 1 to 12"),
    Offer("WEEK", "WEEK(admitted)", "the ISO week, 1 to 53", ("WEEKOFYEAR",)),
    Offer("DAY", "DAY(admitted)", "the day of the month", ("DAYOFMONTH",)),
    Offer("DAYOFWEEK", "DAYOFWEEK(admitted)", "0 (Sunday) to 6 (Saturday)"),
    Offer("ISODOW", "ISODOW(admitted)", "1 (Monday) to 7 (Sunday)"),
    Offer("DAYOFYEAR", "DAYOFYEAR(admitted)", "1 to 366"),
    Offer(
        "DATE_TRUNC",
        "DATE_TRUNC('month', admitted)",
        "the first day of its year, quarter, month or week (from Monday)",
        ("DATETRUNC",),
    ),
    Offer(
        "DATE_DIFF",
        "DATE_DIFF('day', admitted, discharged)",
        "days between two dates, or how often the month or the year changes",
        ("DATEDIFF",),
    ),
)

CALLED = frozenset(name for offer in FUNCTIONS for name in (offer.name, *offer.also))
"""The names that stand before a bracket."""

AGGREGATED = frozenset(
    """
    MEDIAN VAR_SAMP VARIANCE STDDEV STDDEV_SAMP QUANTILE_CONT APPROX_QUANTILE PERCENTILE_CONT BINS
    """.split()  # noqa: SIM905
).union(*(one.sql for one in STATISTICS))
"""The names of aggregates, and of bins."""

AGGREGATE_NAMES = (
    "COUNT(*), COUNT(x), COUNT(DISTINCT x), PEOPLE(), ROWS(), SUM, AVG, VAR_POP, STDDEV_POP, MIN, "
    "MAX, MEDIAN and QUANTILE(x, 0.9)"
)
"""The aggregates, in one line."""

OFFERED = (
    "operators such as + = AND LIKE CASE, and functions such as ROUND, COALESCE, SUBSTRING and "
    "DATE_TRUNC; discreet's SQL page lists them all"
)
"""What is offered, in one line."""
