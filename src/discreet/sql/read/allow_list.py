"""The SQL that is offered: names, examples and meanings, for the parser and the documentation.

How each function is read is in ``expressions.py`` beside this file; docs/architecture.md has the
recipe for adding one.  The examples are about hospital visits: ``visits`` and ``patients`` are
private tables about the same people, ``wards`` is a public lookup table.
"""

from dataclasses import dataclass

from discreet.measures.registry import STATISTICS

AGGREGATE_NAMES = (
    "COUNT(*), COUNT(x), COUNT(DISTINCT x), PEOPLE(), ROWS(), SUM, AVG, VAR_POP, STDDEV_POP, MIN, "
    "MAX, MEDIAN, QUANTILE(x, 0.9), COVAR_POP, CORR, REGR_SLOPE, REGR_INTERCEPT, REGR_R2 and "
    "REGR_COUNT"
)
"""The aggregates, in one line."""
OFFERED = (
    "operators such as + = AND LIKE CASE, and functions such as ROUND, COALESCE, SUBSTRING and "
    "DATE_TRUNC; discreet's SQL page lists them all"
)
"""What is offered, in one line."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """A word or sign of SQL that is read: how it is written, and what it means."""

    name: str
    example: str
    meaning: str
    also: tuple[str, ...] = ()
    """Other names of the same."""


WRITTEN = (
    Allowed("columns", "stay", "the value of a declared column"),
    Allowed("numbers", "2.5", "a written number, computed with as a 64-bit float"),
    Allowed("'texts'", "'it''s'", "a written text"),
    Allowed("TRUE", "TRUE", "a truth value; FALSE is the other"),
    Allowed("NULL", "NULL", "a missing value"),
    Allowed("DATE '2026-01-31'", "DATE '2026-01-31'", "a written date"),
    Allowed(
        "TIMESTAMP '2026-01-31 10:00:00'",
        "TIMESTAMP '2026-01-31 10:00:00'",
        "a written datetime of the column's own clock",
    ),
    Allowed("TIME '08:30:00'", "TIME '08:30:00'", "a written time of day"),
)
OPERATORS = (
    Allowed("+", "stay + 1", "sum; a date and a number of days is a date"),
    Allowed("-", "discharged - admitted", "difference; of two dates, datetimes or times, in days"),
    Allowed("*", "stay * 24", "product"),
    Allowed("/", "stay / age", "quotient; missing where the divisor is 0"),
    Allowed("//", "age // 10", "the largest whole number not above the quotient"),
    Allowed("%", "age % 2", "remainder x - b * trunc(x / b), of the sign of x; missing if b is 0"),
    Allowed("||", "ward || '-' || diagnosis", "one text after another; missing if either is"),
    Allowed("=", "ward = 'A'", "equal; missing if either side is", ("==",)),
    Allowed("<>", "ward <> 'A'", "not equal; missing if either side is", ("!=",)),
    Allowed("<", "stay < 7", "less; texts in order of their characters"),
    Allowed("<=", "stay <= 7", "less or equal"),
    Allowed(">", "stay > 7", "greater"),
    Allowed(">=", "admitted >= '2026-01-01'", "greater or equal"),
    Allowed("AND", "stay > 7 AND smoker", "both are true"),
    Allowed("OR", "stay > 7 OR smoker", "at least one is true"),
    Allowed("NOT", "NOT smoker", "it is false; missing stays missing"),
    Allowed("BETWEEN", "stay NOT BETWEEN 2 AND 7", "from one value to another, both included"),
    Allowed("IN", "ward IN ('A', 'B')", "one of the written values"),
    Allowed("LIKE", "diagnosis NOT LIKE 'A%'", "matches a written pattern of % and _"),
    Allowed("ILIKE", "diagnosis ILIKE 'a__'", "matches it in capitals or not"),
    Allowed("IS NULL", "stay IS NOT NULL", "it is missing"),
    Allowed("IS TRUE", "smoker IS NOT TRUE", "it is true, never missing; IS FALSE likewise"),
    Allowed("IS DISTINCT FROM", "stay IS DISTINCT FROM 2", "not equal, where missing is a value"),
    Allowed("INTERVAL", "admitted + INTERVAL '7' DAY", "so many days or weeks beside a date"),
    Allowed("CASE", "CASE WHEN age < 18 THEN 'child' ELSE 'adult' END", "the first that is true"),
    Allowed("::", "stay::INTEGER", "the same as CAST"),
)
FUNCTIONS = (
    Allowed(
        "CAST",
        "CAST(stay AS INTEGER)",
        "as another kind, or missing; CAST(arrived AS DATE) is the day of a datetime, CAST(arrived "
        "AS TIME) its time of day",
        ("TRY_CAST",),
    ),
    Allowed("COALESCE", "COALESCE(stay, 0)", "the first that is not missing", ("IFNULL",)),
    Allowed("NULLIF", "NULLIF(stay, 0)", "the value, missing where it equals the other"),
    Allowed("IF", "IF(smoker, 1, 0)", "one value where it is true, else the other", ("IIF",)),
    Allowed("LEAST", "LEAST(stay, 30)", "the least; missing if any value is"),
    Allowed("GREATEST", "GREATEST(stay, 0)", "the greatest; missing if any value is"),
    Allowed("CLIP", "CLIP(stay, 0, 30)", "the value moved between written bounds"),
    Allowed("ABS", "ABS(stay)", "the distance from zero"),
    Allowed("SIGN", "SIGN(stay)", "1, 0 or -1"),
    Allowed("FLOOR", "FLOOR(age / 10) * 10", "the largest whole number not above"),
    Allowed("CEIL", "CEIL(stay)", "the smallest whole number not below", ("CEILING",)),
    Allowed("ROUND", "ROUND(stay, 1)", "FLOOR(x * 10^d + 0.5) / 10^d, with written digits d"),
    Allowed("MOD", "MOD(age, 2)", "the same as %"),
    Allowed("SQRT", "SQRT(stay)", "the square root; missing below 0"),
    Allowed("LN", "LN(stay)", "the natural logarithm; missing at 0 and below"),
    Allowed("LOG10", "LOG10(stay)", "the logarithm to base 10; missing at 0 and below", ("LOG",)),
    Allowed("EXP", "EXP(stay)", "the exponential"),
    Allowed("POWER", "POWER(stay, 2)", "to a written power; missing where undefined", ("POW",)),
    Allowed(
        "WIDTH_BUCKET",
        "WIDTH_BUCKET(age, 0, 100, 10)",
        "the number of one of equal parts between written ends; 0 below and n + 1 above",
    ),
    Allowed("LOWER", "LOWER(diagnosis)", "in small letters", ("LCASE",)),
    Allowed("UPPER", "UPPER(diagnosis)", "in capitals", ("UCASE",)),
    Allowed("TRIM", "TRIM(diagnosis)", "without spaces at its ends"),
    Allowed("LENGTH", "LENGTH(diagnosis)", "the number of characters", ("LEN",)),
    Allowed(
        "SUBSTRING",
        "SUBSTRING(diagnosis, 1, 3)",
        "so many characters from a written place on, counted from 1",
        ("SUBSTR",),
    ),
    Allowed("LEFT", "LEFT(diagnosis, 3)", "the first characters"),
    Allowed("RIGHT", "RIGHT(diagnosis, 1)", "the last characters"),
    Allowed("CONCAT", "CONCAT(ward, '-', diagnosis)", "the same as ||: missing if any value is"),
    Allowed("STARTS_WITH", "STARTS_WITH(diagnosis, 'A')", "whether it begins with a written text"),
    Allowed("ENDS_WITH", "ENDS_WITH(diagnosis, '0')", "whether it ends with a written text"),
    Allowed("CONTAINS", "CONTAINS(diagnosis, '.')", "whether a written text is in it"),
    Allowed("EXTRACT", "EXTRACT(YEAR FROM admitted)", "a part of a date", ("DATE_PART",)),
    Allowed("YEAR", "YEAR(admitted)", "the year"),
    Allowed("QUARTER", "QUARTER(admitted)", "the quarter, 1 to 4"),
    Allowed("MONTH", "MONTH(admitted)", "the month, 1 to 12"),
    Allowed("WEEK", "WEEK(admitted)", "the ISO week, 1 to 53", ("WEEKOFYEAR",)),
    Allowed("DAY", "DAY(admitted)", "the day of the month", ("DAYOFMONTH",)),
    Allowed("DAYOFWEEK", "DAYOFWEEK(admitted)", "0 (Sunday) to 6 (Saturday)"),
    Allowed("ISODOW", "ISODOW(admitted)", "1 (Monday) to 7 (Sunday)"),
    Allowed("DAYOFYEAR", "DAYOFYEAR(admitted)", "1 to 366"),
    Allowed(
        "DATE_TRUNC",
        "DATE_TRUNC('month', admitted)",
        "the first day of its year, quarter, month or week (from Monday); of a datetime also the "
        "day, or the datetime at which its hour, minute or second begins",
        ("DATETRUNC",),
    ),
    Allowed(
        "DATE_DIFF",
        "DATE_DIFF('day', admitted, discharged)",
        "days between two dates, or how often the month or the year changes; of datetimes also "
        "the day, hour, minute or second",
        ("DATEDIFF",),
    ),
    Allowed("HOUR", "HOUR(arrived)", "the hour of a datetime or a time of day, 0 to 23"),
    Allowed("MINUTE", "MINUTE(arrived)", "the minute, 0 to 59"),
    Allowed("SECOND", "SECOND(arrived)", "the second, 0 to 59; fractions are dropped"),
    Allowed("EPOCH", "EPOCH(arrived)", "the seconds of its clock since 1970"),
)

CALLED = frozenset(name for offer in FUNCTIONS for name in (offer.name, *offer.also))
"""The names that stand before a bracket."""

AGGREGATED = frozenset(
    """
    COVAR_SAMP MEDIAN
    VAR_SAMP VARIANCE STDDEV STDDEV_SAMP QUANTILE_CONT APPROX_QUANTILE PERCENTILE_CONT BINS
    """.split()  # noqa: SIM905
).union(*(one.sql for one in STATISTICS))
"""The names of aggregates, and of bins."""
WINDOWED = frozenset({"LAG", "LEAD", "FIRST_VALUE", "RANK"})
"""The names of what is computed for a group from several of them, by OVER."""


AGGREGATES = (
    Allowed(
        "COUNT(*)",
        "SELECT COUNT(*) FROM visits",
        "how many rows; exact, for ε = 0, of a whole table whose unit is the row and whose "
        "neighbors are by replace",
        ("ROWS()",),
    ),
    Allowed(
        "ROWS(condition)",
        "SELECT ROWS(stay > 7) FROM visits",
        "how many rows fulfill it, as COUNT(*) FILTER (WHERE condition)",
    ),
    Allowed("COUNT(x)", "SELECT COUNT(stay) FROM visits", "how many rows have a value"),
    Allowed(
        "COUNT(DISTINCT id)",
        "SELECT COUNT(DISTINCT patient_id) FROM visits",
        "how many people: each counts once, also with many rows",
        ("PEOPLE()",),
    ),
    Allowed(
        "COUNT(DISTINCT CASE WHEN … THEN id END)",
        "SELECT COUNT(DISTINCT CASE WHEN stay > 7 THEN patient_id END) FROM visits",
        "how many people have a row for which the condition is true",
        ("PEOPLE(condition)",),
    ),
    Allowed(
        "COUNT(DISTINCT x)",
        "SELECT COUNT(DISTINCT diagnosis) FROM visits",
        "how many different values",
        ("N_UNIQUE(x)",),
    ),
    Allowed("SUM(x)", "SELECT SUM(stay) FROM visits", "the sum, clipped to the declared bounds"),
    Allowed("AVG(x)", "SELECT AVG(stay) FROM visits", "the mean; of a condition, a proportion"),
    Allowed(
        "VAR_POP(x)",
        "SELECT VAR_POP(stay) FROM visits",
        "the mean squared distance from the mean",
        ("VARIANCE", "VAR", "VAR_SAMP"),
    ),
    Allowed(
        "STDDEV_POP(x)",
        "SELECT STDDEV_POP(stay) FROM visits",
        "its square root",
        ("STDDEV", "STD", "STDDEV_SAMP"),
    ),
    Allowed("MIN(x)", "SELECT MIN(age) FROM visits", "a value near the smallest one"),
    Allowed("MAX(x)", "SELECT MAX(age) FROM visits", "a value near the largest one"),
    Allowed(
        "MEDIAN(x)", "SELECT MEDIAN(stay) FROM visits", "the middle value, as QUANTILE(x, 0.5)"
    ),
    Allowed(
        "QUANTILE(x, q)",
        "SELECT QUANTILE(stay, 0.9) FROM visits",
        "a value below which that share of rows lies; where all values between two rows fit, as "
        "for the median of an even number of rows, a random one of them, and not the middle",
        ("PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)", "QUANTILE_CONT", "APPROX_QUANTILE"),
    ),
    Allowed(
        "QUANTILE(x, [q, …])",
        "SELECT QUANTILE(stay, [0.25, 0.5, 0.75]) AS stay FROM visits",
        "several of them, which share one ε: stay_0.25, stay_0.5 and stay_0.75",
    ),
    Allowed(
        "COVAR_POP(y, x)",
        "SELECT COVAR_POP(cost, stay) FROM visits",
        "the mean product of the distances from both means, over the rows that have both values; "
        "this and the following share one ε for the same two columns",
        ("COVAR_SAMP",),
    ),
    Allowed("CORR(y, x)", "SELECT CORR(cost, stay) FROM visits", "their correlation"),
    Allowed(
        "REGR_SLOPE(y, x)",
        "SELECT REGR_SLOPE(cost, stay) FROM visits",
        "the slope of the line through y by x with the least squares; of several columns x in "
        "Python, by dp.regression",
    ),
    Allowed(
        "REGR_INTERCEPT(y, x)",
        "SELECT REGR_INTERCEPT(cost, stay) FROM visits",
        "where the line is at x = 0",
    ),
    Allowed(
        "REGR_R2(y, x)",
        "SELECT REGR_R2(cost, stay) FROM visits",
        "the share of the variance of y that x explains",
    ),
    Allowed(
        "REGR_COUNT(y, x)",
        "SELECT REGR_COUNT(cost, stay) FROM visits",
        "how many rows have both values",
    ),
    Allowed(
        "FILTER",
        "SELECT AVG(stay) FILTER (WHERE smoker) FROM visits",
        "any aggregate, of some rows only; counts whose conditions exclude each other, or add to "
        "each other (x beside x AND y), are measured together with COUNT(*), for one ε",
    ),
)
CLAUSES = (
    Allowed(
        "SELECT",
        "SELECT ward, 100 * COUNT(*) FILTER (WHERE smoker) / COUNT(*) AS percent "
        "FROM visits GROUP BY ward",
        "groups, aggregates, and + - * /, ABS, FLOOR, ROUND, LEAST, CASE and the like on released "
        "numbers, which is free and carries their errors on; an aggregate can be called by the "
        "name that it has in the SELECT, if no column of FROM has it",
    ),
    Allowed(
        "functions of released numbers",
        "SELECT ward, ROUND(AVG(stay), 1) AS days, SQRT(SUM(stay * stay) / COUNT(stay)) AS "
        "root_mean_square, LN(COUNT(*)) AS log_n FROM visits GROUP BY ward",
        "SQRT, LN, LOG10, EXP, POWER, ABS, FLOOR, CEIL, ROUND, CLIP, LEAST and GREATEST; the "
        "interval is that of every value which the function has on the interval of its number, "
        "rounded outward; free",
    ),
    Allowed("WHERE", "SELECT COUNT(*) FROM visits WHERE stay > 7", "which rows"),
    Allowed(
        "GROUP BY",
        "SELECT ward, YEAR(admitted) AS year, COUNT(*) FROM visits GROUP BY ward, 2",
        "columns, expressions, aliases, positions, or ALL for whatever is no aggregate; a key that "
        "SELECT leaves out is shown in front; every public group is answered; rows with no value, "
        "or with one that is not listed, are in no group (COALESCE gives a group to rows with no "
        "value, CASE … ELSE to all of these rows)",
    ),
    Allowed(
        "GROUP BY bins",
        "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM visits GROUP BY decade",
        "bins by FLOOR, ROUND, WIDTH_BUCKET, CASE, DATE_TRUNC or BINS(x, edges …)",
    ),
    Allowed(
        "CUBE, ROLLUP, GROUPING SETS",
        "SELECT ward, smoker, COUNT(*) FROM visits GROUP BY CUBE (ward, smoker)",
        "several tables whose totals agree, of COUNT, SUM and AVG: by all groups, by some and by "
        "none; GROUPING(ward) is 1 where all wards are counted together; priced in ρ, or with a δ",
    ),
    Allowed(
        "UNION ALL of totals",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward UNION ALL SELECT 'all', COUNT(*) "
        "FROM visits",
        "the same as ROLLUP: SELECTs of the same rows and aggregates, in which a text or NULL "
        "stands for a group that is left out; nothing else is combined",
    ),
    Allowed(
        "SUM(…) OVER (ORDER BY …)",
        "SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER "
        "BY month) AS so_far FROM visits GROUP BY month",
        "running totals of what is released, along dates, whole numbers or bins, with PARTITION BY "
        "all other groups; priced in ρ, or with a δ",
    ),
    Allowed(
        "SUM, AVG, COUNT(*) OVER",
        "SELECT ward, COUNT(*) AS n, 100.0 * n / SUM(n) OVER () AS percent, AVG(n) OVER () AS mean "
        "FROM visits GROUP BY ward",
        "the sum or the mean of what is released of all groups, or how many they are; with "
        "PARTITION BY of those that share a group; with ORDER BY month ROWS BETWEEN 2 PRECEDING "
        "AND CURRENT ROW a moving one; free, with the errors of all parts",
    ),
    Allowed(
        "LAG, LEAD, FIRST_VALUE OVER",
        "SELECT MONTH(admitted) AS month, COUNT(*) AS n, n - LAG(n) OVER (ORDER BY month) AS "
        "change FROM visits GROUP BY month",
        "the number of the group before, after, or of the first one; LAG(n, 12) is that of 12 "
        "groups before; free",
    ),
    Allowed(
        "RANK() OVER",
        "SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY n DESC) AS place FROM visits GROUP "
        "BY ward",
        "the place of each group, with the places between which it is in truth, for all groups at "
        "once; free",
    ),
    Allowed(
        "HAVING",
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING COUNT(*) > 100",
        "which groups are shown, by their released numbers; free",
    ),
    Allowed(
        "ORDER BY, LIMIT, OFFSET",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 3",
        "which groups come first, by their released numbers, missing ones last; where it gives "
        "smaller errors, the groups with the largest counts or sums are chosen first, for half of "
        "the price, and only they are measured",
    ),
    Allowed(
        "WITH",
        "WITH long AS (SELECT * FROM visits WHERE stay > 7) SELECT COUNT(*) FROM long",
        "a query under a name",
    ),
    Allowed(
        "SELECT around released groups",
        "SELECT AVG(n) AS mean, COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM visits "
        "GROUP BY ward) AS w",
        "columns, conditions, an order and windows of what a SELECT in FROM or WITH released, or "
        "SUM, AVG and COUNT(*) of all its groups; free",
    ),
    Allowed(
        "EXPLAIN",
        "EXPLAIN SELECT COUNT(*) FROM visits",
        "the plan: mechanism, sensitivity, error and price; nothing is spent",
    ),
)
LISTINGS = (
    Allowed("SHOW TABLES", "SHOW TABLES", "the declared tables: private ones and public ones"),
    Allowed(
        "SHOW COLUMNS, DESCRIBE",
        "SHOW COLUMNS FROM patients",
        "the columns of a declared table, with their types and what they are declared to hold; "
        "without FROM those of the table that is asked",
        ("DESC",),
    ),
)
TABLES = (
    Allowed(
        "JOIN a public table",
        "SELECT region, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY region",
        "its values are looked up; its groups are public; also LEFT JOIN",
    ),
    Allowed(
        "IN a public table",
        "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards)",
        "rows whose value the public table lists, or with NOT IN rows whose value it does not "
        "list; in the WHERE of the whole question, for a public column without duplicates; the "
        "subquery may have a WHERE of its own",
    ),
    Allowed(
        "JOIN by person",
        "SELECT sex, AVG(stay) FROM visits v JOIN patients p ON v.patient_id = p.patient_id "
        "GROUP BY sex",
        "rows of the same person meet, after the conditions on either table; a person with more "
        "pairs than the cap counts for no more; also LEFT JOIN",
    ),
    Allowed(
        "a row for each person",
        "SELECT AVG(total) FROM (SELECT patient_id, SUM(cost) AS total FROM visits "
        "GROUP BY patient_id) AS people",
        "SUM, AVG, MIN, MAX, COUNT and COUNT(DISTINCT x) of a person's own rows, clipped to "
        "max_rows times the bounds of one",
    ),
    Allowed(
        "people who …",
        "SELECT COUNT(*) FROM (SELECT patient_id FROM visits GROUP BY patient_id "
        "HAVING COUNT(*) >= 3) AS frequent",
        "HAVING in such a subquery chooses people",
    ),
    Allowed(
        "rows computed in FROM",
        "SELECT AVG(hours) FROM (SELECT stay * 24 AS hours FROM visits) AS computed",
        "a subquery that works row by row",
    ),
)


@dataclass(frozen=True, slots=True)
class UnansweredExample:
    """A question that is not answered, why, and one near it that is."""

    example: str
    reason: str
    instead: str


REFUSED = (
    UnansweredExample(
        "SELECT * FROM visits",
        "single rows are never released",
        "SELECT COUNT(*) FROM visits",
    ),
    UnansweredExample(
        "SELECT COUNT(*) FROM visits WHERE patient_id = 17",
        "nothing about one person is answered",
        "SELECT COUNT(DISTINCT patient_id) FROM visits",
    ),
    UnansweredExample(
        "SELECT COUNT(*) FROM visits v JOIN patients p ON v.age = p.age",
        "rows of different people would meet, and nobody could say how many one person adds",
        "SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient_id = p.patient_id",
    ),
    UnansweredExample(
        "SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM patients)",
        "a subquery stands in FROM, where it can be said whose rows it gives",
        "SELECT COUNT(*) FROM visits JOIN patients USING (patient_id)",
    ),
    UnansweredExample(
        "SELECT ward, SUM(stay) OVER (PARTITION BY ward) FROM visits",
        "a window over rows looks at other people's; those over released groups are answered",
        "SELECT ward, SUM(stay) AS days, SUM(SUM(stay)) OVER () AS all_days FROM visits "
        "GROUP BY ward",
    ),
    UnansweredExample(
        "SELECT COUNT(*) FROM visits v JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) "
        "AS w ON v.ward = w.ward",
        "what was computed from many people is joined to rows of other people",
        "SELECT AVG(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS w",
    ),
    UnansweredExample(
        "SELECT COUNT(*) FROM visits UNION SELECT COUNT(*) FROM patients",
        "answers are priced one by one",
        "SELECT COUNT(*) FROM visits",
    ),
    UnansweredExample(
        "SELECT SUM(LENGTH(diagnosis)) FROM visits",
        "a sum needs public bounds",
        "SELECT SUM(CLIP(LENGTH(diagnosis), 0, 10)) FROM visits",
    ),
    UnansweredExample(
        "SELECT COUNT(*) FROM read_csv('other.csv')",
        "only declared tables are read",
        "SELECT COUNT(*) FROM visits",
    ),
)
