"""Every expression that is offered, others on which engines differ if they can, and odd rows."""

from itertools import product
from math import inf

from discreet.plan.calendar import FIRST_DAY, FIRST_SECOND, LAST_DAY, LAST_SECOND
from discreet.plan.schema import boolean, category, date, datetime, number, text
from discreet.sql.read.allow_list import FUNCTIONS, OPERATORS, WRITTEN

KINDS = {
    "stay": "double precision",
    "age": "double precision",
    "smoker": "boolean",
    "ward": "text",
    "diagnosis": "text",
    "admitted": "double precision",
    "discharged": "double precision",
    "arrived": "double precision",
    "seen": "double precision",
}
COLUMNS = {
    "stay": number(),
    "age": number(),
    "smoker": boolean(),
    "ward": category(["A", "B"]),
    "diagnosis": text(),
    "admitted": date(),
    "discharged": date(),
    "arrived": datetime(),
    "seen": datetime(),
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

SECONDS = [None, 0.0, -1.0, 59.0, 60.0, 3599.0, 3600.0, 86_399.0, 86_400.0, -86_400.0, -86_401.0]
SECONDS += [1710054000.0, 1710050399.0, 1709164800.0, 951782399.0, 951868800.0, 253402300799.0 - 60]
SECONDS += [float(one) for one in (FIRST_SECOND, FIRST_SECOND + 1, LAST_SECOND, LAST_SECOND - 3600)]
SECONDS += [FIRST_SECOND - 1.0, LAST_SECOND + 1.0, 1e14, -1e14]

EXAMPLES = [offer.example for offer in (*WRITTEN, *OPERATORS, *FUNCTIONS)]
FURTHER = [
    "stay % age",
    "CAST(arrived AS TIME)",
    "CAST(seen AS TIME) - CAST(arrived AS TIME)",
    "CAST(arrived AS TIME) < '08:30'",
    "DATE_TRUNC('minute', CAST(arrived AS TIME))",
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
    "YEAR(arrived)",
    "WEEK(arrived)",
    "EXTRACT(ISODOW FROM arrived)",
    "EXTRACT(HOUR FROM arrived) * 60 + EXTRACT(MINUTE FROM arrived)",
    "EXTRACT(EPOCH FROM arrived) / 3600",
    "DATE_PART('second', arrived)",
    "DATE_TRUNC('second', arrived)",
    "DATE_TRUNC('minute', arrived)",
    "DATE_TRUNC('hour', arrived)",
    "DATE_TRUNC('day', arrived)",
    "DATE_TRUNC('month', arrived)",
    "DATE_TRUNC('hour', arrived) = DATE_TRUNC('hour', seen)",
    "DATE_DIFF('second', arrived, seen)",
    "DATE_DIFF('minute', arrived, seen)",
    "DATE_DIFF('hour', arrived, seen)",
    "DATE_DIFF('day', arrived, seen)",
    "DATE_DIFF('month', arrived, admitted)",
    "(seen - arrived) * 24",
    "arrived - admitted",
    "admitted - TIMESTAMP '2024-03-10 12:00'",
    "arrived + 0.25",
    "arrived - stay",
    "arrived + INTERVAL '90' MINUTE",
    "INTERVAL 2 WEEKS + arrived",
    "HOUR(arrived - INTERVAL '1' SECOND)",
    "DAY(arrived + INTERVAL '6' HOUR)",
    "arrived BETWEEN '2024-03-10' AND '2024-03-10 07:00:00'",
    "arrived < seen",
    "arrived >= admitted",
    "admitted < TIMESTAMP '2024-03-10 00:00:00'",
    "admitted < TIMESTAMP '2024-03-10 00:00:01'",
    "CAST(arrived AS DATE) = admitted",
    "CAST(admitted AS TIMESTAMP)",
    "CAST(arrived AS TIMESTAMP) = arrived",
    "COALESCE(arrived, TIMESTAMP '2024-03-10 12:00')",
    "GREATEST(arrived, admitted)",
    "HOUR(CASE WHEN smoker THEN arrived ELSE seen END)",
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
    seconds = list(product(SECONDS, SECONDS))
    many = max(len(pairs), len(seconds))
    pairs += pairs
    return [
        {
            "stay": stay,
            "age": age,
            "smoker": (True, False, None)[place % 3],
            "ward": TEXTS[(place // 2) % len(TEXTS)],
            "diagnosis": TEXTS[place % len(TEXTS)],
            "admitted": days[place % len(days)][0],
            "discharged": days[place % len(days)][1],
            "arrived": seconds[place % len(seconds)][0],
            "seen": seconds[place % len(seconds)][1],
        }
        for place, (stay, age) in zip(range(many), pairs, strict=False)
    ]


ROWS = rows()
