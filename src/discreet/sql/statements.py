"""What a SELECT can be made of: the list from which the page of the documentation is made.

The examples are about hospital visits: ``visits`` and ``patients`` are private tables about the
same people, ``wards`` is a public lookup table.
"""

from dataclasses import dataclass

from discreet.sql.offered import Offer

AGGREGATES = (
    Offer(
        "COUNT(*)",
        "SELECT COUNT(*) FROM visits",
        "how many rows; of a whole table whose rows are replaced exactly, for ε = 0",
        ("ROWS()",),
    ),
    Offer("COUNT(x)", "SELECT COUNT(stay) FROM visits", "how many rows have a value"),
    Offer(
        "COUNT(DISTINCT id)",
        "SELECT COUNT(DISTINCT patient_id) FROM visits",
        "how many people: each counts once, also with many rows",
        ("PEOPLE()",),
    ),
    Offer(
        "COUNT(DISTINCT CASE WHEN … THEN id END)",
        "SELECT COUNT(DISTINCT CASE WHEN stay > 7 THEN patient_id END) FROM visits",
        "how many people have a row for which the condition is true",
    ),
    Offer(
        "COUNT(DISTINCT x)",
        "SELECT COUNT(DISTINCT diagnosis) FROM visits",
        "how many different values",
        ("N_UNIQUE(x)",),
    ),
    Offer("SUM(x)", "SELECT SUM(stay) FROM visits", "the sum, clipped to the declared bounds"),
    Offer("AVG(x)", "SELECT AVG(stay) FROM visits", "the mean; of a condition, a proportion"),
    Offer(
        "VAR_POP(x)",
        "SELECT VAR_POP(stay) FROM visits",
        "the mean squared distance from the mean",
        ("VARIANCE", "VAR", "VAR_SAMP"),
    ),
    Offer(
        "STDDEV_POP(x)",
        "SELECT STDDEV_POP(stay) FROM visits",
        "its square root",
        ("STDDEV", "STD", "STDDEV_SAMP"),
    ),
    Offer("MIN(x)", "SELECT MIN(age) FROM visits", "a value near the smallest one"),
    Offer("MAX(x)", "SELECT MAX(age) FROM visits", "a value near the largest one"),
    Offer("MEDIAN(x)", "SELECT MEDIAN(stay) FROM visits", "the middle value, as QUANTILE(x, 0.5)"),
    Offer(
        "QUANTILE(x, q)",
        "SELECT QUANTILE(stay, 0.9) FROM visits",
        "a value below which that share of rows lies; where any value of a gap is one, as for the "
        "median of an even number of rows, a random value of the gap, and not its middle",
        ("PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)", "QUANTILE_CONT", "APPROX_QUANTILE"),
    ),
    Offer(
        "FILTER",
        "SELECT AVG(stay) FILTER (WHERE smoker) FROM visits",
        "any aggregate, of some rows only",
    ),
)
CLAUSES = (
    Offer(
        "SELECT",
        "SELECT ward, 100 * COUNT(*) FILTER (WHERE smoker) / COUNT(*) AS percent "
        "FROM visits GROUP BY ward",
        "groups, aggregates, and + - * /, ABS, FLOOR, ROUND, LEAST, CASE and the like on released "
        "numbers, which is free and carries their errors on",
    ),
    Offer("WHERE", "SELECT COUNT(*) FROM visits WHERE stay > 7", "which rows"),
    Offer(
        "GROUP BY",
        "SELECT ward, YEAR(admitted) AS year, COUNT(*) FROM visits GROUP BY ward, 2",
        "columns, expressions, aliases, positions, or ALL that is no aggregate; one that SELECT "
        "leaves out is shown in front; every public group is answered, and rows with no value, or "
        "one that is not listed, are in none (COALESCE gives a group to rows with no value, CASE … "
        "ELSE to all of them)",
    ),
    Offer(
        "GROUP BY bins",
        "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM visits GROUP BY decade",
        "bins by FLOOR, ROUND, WIDTH_BUCKET, CASE, DATE_TRUNC or BINS(x, edges …)",
    ),
    Offer(
        "HAVING",
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING COUNT(*) > 100",
        "which groups are shown, by their released numbers; free",
    ),
    Offer(
        "ORDER BY, LIMIT, OFFSET",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 3",
        "which groups come first, by their released numbers, missing ones last; free",
    ),
    Offer(
        "WITH",
        "WITH long AS (SELECT * FROM visits WHERE stay > 7) SELECT COUNT(*) FROM long",
        "a query under a name",
    ),
    Offer(
        "EXPLAIN",
        "EXPLAIN SELECT COUNT(*) FROM visits",
        "the plan: mechanism, sensitivity, error and price; nothing is spent",
    ),
)
TABLES = (
    Offer(
        "JOIN a public table",
        "SELECT region, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY region",
        "its values are looked up; its groups are public; also LEFT JOIN",
    ),
    Offer(
        "JOIN by person",
        "SELECT sex, AVG(stay) FROM visits v JOIN patients p ON v.patient_id = p.patient_id "
        "GROUP BY sex",
        "rows of the same person meet; each person keeps the cap's worth of rows of each table, "
        "and of all pairs; also LEFT JOIN",
    ),
    Offer(
        "a row for each person",
        "SELECT AVG(total) FROM (SELECT patient_id, SUM(cost) AS total FROM visits "
        "GROUP BY patient_id) AS people",
        "SUM, AVG, MIN, MAX, COUNT and COUNT(DISTINCT x) of a person's own rows, clipped to "
        "max_rows times the bounds of one",
    ),
    Offer(
        "people who …",
        "SELECT COUNT(*) FROM (SELECT patient_id FROM visits GROUP BY patient_id "
        "HAVING COUNT(*) >= 3) AS frequent",
        "HAVING in such a subquery chooses people",
    ),
    Offer(
        "rows computed in FROM",
        "SELECT AVG(hours) FROM (SELECT stay * 24 AS hours FROM visits) AS computed",
        "a subquery that works row by row",
    ),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A question that is not answered, why, and one near it that is."""

    example: str
    reason: str
    instead: str


REFUSED = (
    Refusal(
        "SELECT * FROM visits",
        "single rows are never released",
        "SELECT COUNT(*) FROM visits",
    ),
    Refusal(
        "SELECT COUNT(*) FROM visits WHERE patient_id = 17",
        "nothing about one person is answered",
        "SELECT COUNT(DISTINCT patient_id) FROM visits",
    ),
    Refusal(
        "SELECT COUNT(*) FROM visits v JOIN patients p ON v.age = p.age",
        "rows of different people would meet, and nobody could say how many one person adds",
        "SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient_id = p.patient_id",
    ),
    Refusal(
        "SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM patients)",
        "a subquery stands in FROM, where it can be said whose rows it gives",
        "SELECT COUNT(*) FROM visits JOIN patients USING (patient_id)",
    ),
    Refusal(
        "SELECT ward, RANK() OVER (ORDER BY COUNT(*)) FROM visits GROUP BY ward",
        "a window looks at other rows, which may be other people's",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC",
    ),
    Refusal(
        "SELECT AVG(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS w",
        "what was computed from many people cannot be asked about again",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    ),
    Refusal(
        "SELECT COUNT(*) FROM visits UNION SELECT COUNT(*) FROM patients",
        "answers are priced one by one",
        "SELECT COUNT(*) FROM visits",
    ),
    Refusal(
        "SELECT SUM(LENGTH(diagnosis)) FROM visits",
        "a sum needs public bounds",
        "SELECT SUM(CLIP(LENGTH(diagnosis), 0, 10)) FROM visits",
    ),
    Refusal(
        "SELECT COUNT(*) FROM read_csv('other.csv')",
        "only declared tables are read",
        "SELECT COUNT(*) FROM visits",
    ),
)
