"""Every expression that is offered, others on which engines differ if they can, and odd rows."""

from itertools import product
from math import inf

from discreet.plan.function_signatures import FIRST_DAY, LAST_DAY
from discreet.plan.schema import boolean, category, date, number, text
from discreet.sql.read.allow_list import FUNCTIONS, OPERATORS, WRITTEN

KINDS = {
    "stay": "double precision",
    "age": "double precision",
    "smoker": "boolean",
    "ward": "text",
    "diagnosis": "text",
    "admitted": "double precision",
    "discharged": "double precision",
}
COLUMNS = {
    "stay": number(),
    "age": number(),
    "smoker": boolean(),
    "ward": category(["A", "B"]),
    "diagnosis": text(),
    "admitted": date(),
    "discharged": date(),
}
NUMBERS = [None, inf, -inf, 0.0, -0.0, 5e-324, 0.1, 0.5, -0.5, 1.5, -2.5, 2.675, 7.0, -7.0]
NUMBERS += [99.99999999999999, 2.0**53, -(2.0**63), 1e200, 1e308, -1.7976931348623157e308]
TEXTS = [
    None,
    "",
    " ",
    " a ",
    "A",
    "aB%",
    "A_b",
    "a\\b",
    "Ärger",
    "日本語",
    "e\u0301",
    "👍",
    "it's",
]
TEXTS += ["12", "-0.5", "nan", "-inf", "1e999", "2026-01-31", "2026-01-31 12:30:00", "true", "No"]
TEXTS += ["0001-01-01", "9999-12-31", "10000-01-01", "x" * 300, "a\nb", "\x1f"]
DAYS = [None, 0.0, -1.0, 20484.0, 20495.0, 19782.0, FIRST_DAY, LAST_DAY, FIRST_DAY - 1.0]
DAYS += [LAST_DAY + 1.0, 1e10, -1e300, inf, -inf]
DAYS = [None if day is None else float(day) for day in DAYS]

EXAMPLES = [offer.example for offer in (*WRITTEN, *OPERATORS, *FUNCTIONS)]
FURTHER = [
    "stay % age",
    "MOD(stay, 0)",
    "stay // age",
    "CEIL(-stay)",
    "ROUND(stay)",
    "ROUND(stay, 3)",
    "ROUND(stay, -2)",
    "POWER(stay, 3)",
    "POWER(stay, 0.5)",
    "POWER(stay, -1)",
    "POWER(stay, -0.5)",
    "POWER(stay, 0)",
    "EXP(stay) / EXP(age)",
    "SQRT(LN(stay))",
    "WIDTH_BUCKET(stay, -1, 2, 3)",
    "diagnosis LIKE '%'",
    "diagnosis LIKE '_'",
    "diagnosis LIKE 'a\\b'",
    "diagnosis LIKE ''",
    "diagnosis ILIKE '%B%'",
    "SUBSTRING(diagnosis, 2)",
    "SUBSTRING(diagnosis, 1000000, 1000000)",
    "SUBSTRING(diagnosis, 1, 0)",
    "LEFT(diagnosis, 0)",
    "RIGHT(diagnosis, 0)",
    "RIGHT(diagnosis, 1000000)",
    "STARTS_WITH(diagnosis, '')",
    "ENDS_WITH(diagnosis, '語')",
    "CONTAINS(diagnosis, '')",
    "diagnosis || diagnosis || NULL",
    "LENGTH(diagnosis || ward)",
    "EXTRACT(QUARTER FROM admitted)",
    "EXTRACT('doy' FROM admitted)",
    "DATE_PART('isodow', admitted)",
    "DATE_TRUNC('year', admitted)",
    "DATE_TRUNC('quarter', admitted)",
    "DATE_TRUNC('week', admitted)",
    "DATE_TRUNC('day', admitted)",
    "DATE_DIFF('month', admitted, discharged)",
    "DATE_DIFF('year', admitted, discharged)",
    "admitted - 700000",
    "0.5 + admitted",
    "YEAR(admitted + stay)",
    "MONTH(DATE_TRUNC('month', admitted) - INTERVAL 1 DAY)",
    "CAST(diagnosis AS DOUBLE)",
    "TRY_CAST(diagnosis AS DECIMAL(10, 2))",
    "CAST(diagnosis AS INTEGER)",
    "CAST(diagnosis AS BOOLEAN)",
    "YEAR(CAST(diagnosis AS DATE))",
    "diagnosis::DATE + 1",
    "CAST(smoker AS INTEGER)",
    "CAST(smoker AS VARCHAR)",
    "CAST(stay AS BOOLEAN)",
    "CAST(CAST(stay AS BIGINT) AS DOUBLE)",
    "smoker IS FALSE",
    "stay IS NOT DISTINCT FROM age",
    "IIF(stay > 0, 'a', 'b')",
    "IFNULL(stay, age)",
    "CASE WHEN diagnosis IS DISTINCT FROM NULL THEN 1 END",
]
MORE = [
    "diagnosis LIKE '%a%b%'",
    "diagnosis LIKE 'a%b'",
    "diagnosis LIKE '%_b'",
    "diagnosis LIKE '_%_%b_'",
    "diagnosis LIKE '%%'",
    "diagnosis LIKE 'a%\nb'",
    "diagnosis LIKE '_'",
    "diagnosis LIKE '%日_語'",
    "diagnosis ILIKE '%ÄR%E%'",
    "stay + age",
    "stay - age",
    "stay * age",
    "stay * 1e100",
    "stay * 1e-99",
    "-1e-99 * stay",
    "stay / 1e-99",
    "stay / -1e100",
    "1e100 / stay",
    "-1e-99 / stay",
    "0 * stay",
    "0 / stay",
    "stay * 1e100 * 1e100 * 1e100",
    "stay / 1e100 / 1e100 / 1e100",
    "stay * age * stay / age + stay",
    "stay % 7",
    "stay % -3",
    "POWER(stay, 2)",
    "POWER(stay, 100)",
    "POWER(stay, -99)",
    "POWER(stay, 0.01)",
    "POWER(stay, 1)",
    "POWER(stay + age, 2) / 7",
    "EXP(stay - age)",
    "LOG10(ABS(stay))",
    "TRIM('\u2003' || diagnosis || '\u00a0')",
    "UPPER(diagnosis || 'straße')",
    "LOWER('ÄÖ' || diagnosis)",
    "diagnosis ILIKE 'Ä%'",
    "CASE WHEN smoker THEN 'b' ELSE 'Z' END < 'a'",
    "diagnosis < ward",
    "diagnosis || 'a' >= 'Z'",
    "smoker > (stay > 0)",
    "CASE WHEN stay > 0 THEN NULL ELSE 2.5 END + 1",
    "CASE WHEN smoker THEN LN(0) ELSE 1 END",
    "CASE WHEN smoker THEN 1e100 * 1e100 * 1e100 * 1e100 ELSE 1 END",
    "CASE WHEN smoker THEN 1e-99 * 1e-99 * 1e-99 * 1e-99 ELSE 1 END",
    "CASE WHEN smoker THEN 1 / (1e-99 * 1e-99 * 1e-99 * 1e-99) ELSE 1 END",
    "CASE WHEN smoker THEN EXP(1000) + EXP(-1000) + SQRT(0 - 1) ELSE 1 END",
    "CASE WHEN smoker THEN POWER(0, -1) ELSE POWER(10, 100) * POWER(1e100, 4) END",
    "YEAR(DATE '9999-12-31' + 400)",
    "NULL + stay",
    "stay / NULL",
    "COALESCE(NULL, stay)",
    "ABS(NULL) IS NULL",
    "NULL || diagnosis",
    "LENGTH(NULL) IS NULL",
    "NULL IS NULL",
]


def rows() -> list[dict[str, object]]:
    """Rows in which every value of a column stands, and pairs of those that are compared."""
    pairs = list(product(NUMBERS, NUMBERS))
    days = list(product(DAYS, DAYS))
    many = len(pairs)
    return [
        {
            "stay": stay,
            "age": age,
            "smoker": (True, False, None)[place % 3],
            "ward": TEXTS[(place // 2) % len(TEXTS)],
            "diagnosis": TEXTS[place % len(TEXTS)],
            "admitted": days[place % len(days)][0],
            "discharged": days[place % len(days)][1],
        }
        for place, (stay, age) in zip(range(many), pairs, strict=True)
    ]


ROWS = rows()
