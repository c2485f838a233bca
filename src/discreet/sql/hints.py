"""What to write instead of a word of other databases, or of a sign that is not SQL's here."""

from difflib import get_close_matches

from discreet.sql.offered import AGGREGATE_NAMES, AGGREGATED, CALLED, OFFERED

_DATES = "Write DATE_TRUNC('month', d) or MONTH(d)."
_TODAY = "Write the date out: DATE '2026-01-31'."
_FILTER = "Write COUNT(*) FILTER (WHERE …)."
_ANY = "Write MAX(CASE WHEN … THEN 1 ELSE 0 END)."
_EVERY = "Write MIN(CASE WHEN … THEN 1 ELSE 0 END)."
_PATTERN = "Write x LIKE 'A%', or CONTAINS(x, 'A')."
_QUANTILE = "Write QUANTILE(x, 0.9)."
_DISTINCT = "Write COUNT(DISTINCT x)."
_COMMONEST = "Write GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1."
_RELATED = "Ask for AVG(x) by groups of the other column; there are no statistics of two columns."
_PIECES = "Write SUBSTRING(x, 1, 3), or x LIKE 'A%'."
_LATER = "Write d + INTERVAL '7' DAY."
_TOTALS = "Write each group out, and ask for totals in questions of their own."
_LISTS = "Ask for COUNT(*) by groups; values of single rows are never listed."
_TYPES = "Write CAST(x AS DOUBLE), or TRY_CAST."

_WORDS = {
    **dict.fromkeys(
        ("STRFTIME", "TO_CHAR", "DATE_FORMAT", "FORMAT_DATE", "FORMAT", "MONTHNAME", "DAYNAME"),
        _DATES,
    ),
    **dict.fromkeys(
        ("NOW", "CURRENT_DATE", "CURRENT_TIMESTAMP", "GETDATE", "TODAY", "CURDATE", "SYSDATE"),
        _TODAY,
    ),
    **dict.fromkeys(("COUNT_IF", "COUNTIF", "SUM_IF", "SUMIF", "AVG_IF", "AVGIF"), _FILTER),
    **dict.fromkeys(("BOOL_OR", "ANY_VALUE", "ANY", "SOME", "LOGICAL_OR"), _ANY),
    **dict.fromkeys(("BOOL_AND", "EVERY", "LOGICAL_AND"), _EVERY),
    **dict.fromkeys(("RLIKE", "REGEXP", "SIMILAR", "GLOB", "MATCH"), _PATTERN),
    **dict.fromkeys(("PERCENTILE_DISC", "PERCENTILE", "QUANTILE_DISC", "NTILE"), _QUANTILE),
    "MODE": _COMMONEST,
    **dict.fromkeys(("APPROX_COUNT_DISTINCT", "APPROX_DISTINCT"), _DISTINCT),
    "CORR": _RELATED,
    **dict.fromkeys(("REPLACE", "SPLIT", "SPLIT_PART", "STRING_SPLIT", "TRANSLATE"), _PIECES),
    **dict.fromkeys(("INSTR", "POSITION", "STRPOS", "CHARINDEX"), "Write CONTAINS(x, 'A')."),
    **dict.fromkeys(("DATE_ADD", "DATEADD", "DATE_SUB", "DATESUB", "ADD_MONTHS"), _LATER),
    **dict.fromkeys(("DATE", "TO_DATE", "STR_TO_DATE", "STRPTIME"), "Write CAST(x AS DATE)."),
    **dict.fromkeys(("CONVERT", "TO_NUMBER", "SAFE_CAST"), _TYPES),
    **dict.fromkeys(("TIMESTAMP", "DATETIME"), "Write CAST(x AS DATE)."),
    **dict.fromkeys(("NVL", "ISNULL"), "Write COALESCE(x, 0)."),
    "DECODE": "Write CASE WHEN … THEN … END.",
    **dict.fromkeys(("ROLLUP", "CUBE", "SETS", "GROUPING"), _TOTALS),
    **dict.fromkeys(
        ("ARRAY_AGG", "STRING_AGG", "GROUP_CONCAT", "LISTAGG", "LIST", "FIRST", "LAST", "SAMPLE"),
        _LISTS,
    ),
}
_STARTS = {"REGEXP_": _PATTERN, "APPROX_": _QUANTILE, "COVAR": _RELATED, "REGR_": _RELATED}
_ABOUT_GROUPS = {
    *(_FILTER, _ANY, _EVERY, _QUANTILE, _DISTINCT, _COMMONEST, _RELATED, _LISTS),
}
ROW_BY_ROW = f"Only what cannot fail on data, and reaches nothing but its row, is: {OFFERED}."
_QUOTED = "Texts stand in single quotes, and names in double ones or in none."
_SIGNS = {
    **dict.fromkeys("`[]", 'Write names in double quotes: "x".'),
    **dict.fromkeys("‘’‚‛´", "Write plain quotes: 'text'."),
    **dict.fromkeys("“”„«»", "Write plain quotes: 'text' for a text, \"x\" for a name."),
    "~": _PATTERN,
    **dict.fromkeys("?$:@", "Write the value out; parameters are filled in before it is read."),
}


def instead_of(name: str) -> str:
    """What is written instead of a function: a known remedy, or a name that is near.

    >>> instead_of("LENGHT")
    'Write LENGTH, if that was meant.'
    """
    upper = name.upper()
    starts = (remedy for start, remedy in _STARTS.items() if upper.startswith(start))
    known = _WORDS.get(upper) or next(starts, None)
    if known is not None:
        return known
    near = get_close_matches(upper, sorted(CALLED | AGGREGATED), 1, 0.75)
    return f"Write {near[0]}, if that was meant." if near else "Write it with these."


def rule_and_remedy(name: str) -> str:
    """Why a function is not offered, and what is written instead."""
    remedy = instead_of(name)
    rule = f"The aggregates are {AGGREGATE_NAMES}." if remedy in _ABOUT_GROUPS else ROW_BY_ROW
    rule = "An answer has one row for each group." if remedy == _TOTALS else rule
    return f"{rule} {remedy}"


def rule_and_remedy_of_sign(sign: str) -> str:
    """Why a sign, or a word that has one in it, is not offered, and what is written instead."""
    found = next((one for one in sign if one in _SIGNS), None)
    if found is None:
        other = "Write it with these; a name with other characters stands in double quotes."
        return f"{ROW_BY_ROW} {other}"
    return f"{_QUOTED if 'quotes' in _SIGNS[found] else ROW_BY_ROW} {_SIGNS[found]}"


def open_quote(text: str) -> int | None:
    """Where a quote stands that is never closed.

    >>> open_quote("x = 'it's'")
    9
    """
    place = 0
    while place < len(text):
        if text[place : place + 2] in ("--", "/*"):
            end = text.find("\n" if text[place] == "-" else "*/", place)
            place = len(text) if end < 0 else end
        elif text[place] in "'\"":
            end = text.find(text[place], place + 1)
            if end < 0:
                return place
            place = end
        place += 1
    return None
