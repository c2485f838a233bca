"""Messages of the Python interface in the words of the command line, of SQL and of policies."""

import re
from typing import Final

_WORDS: Final = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        # Where Python and SQL, or Python and a policy, are both offered, the former is left out.
        (r"dp\.people\(\), or in SQL for ", ""),
        (r", in Python [\w.]+\([^()]*\)", ""),
        (r"dp\.col\(…\)\..*?, in SQL ", ""),
        (r"\bcolumns=\{.*?\}, or in the policy (\w+ = \{.*?\})", r"\1 in the policy"),
        (r"\bmax_(rows|groups)=\d+, or in the policy ", "in the policy "),
        # What is a declaration in Python is one of the policy.
        (r"\bdp\.category\(\[(.*?)\]\)", r"{ values = [\1] } in the policy"),
        (r"\bdp\.(boolean|text)\(\)", r'{ type = "\1" } in the policy'),
        (r"\bdp\.number\((-?[\d.]+), (-?[\d.]+)\)", r"{ low = \1, high = \2 } in the policy"),
        (
            r"\bdp\.(integer|date)\(([^(),]+), ([^(),]+)\)",
            r'{ type = "\1", low = \2, high = \3 } in the policy',
        ),
        (r'\b(unit|neighbors|table)="([\w-]+)"', r'\1 = "\2" in the policy'),
        (r"\bmax_(rows|groups)=(\d+)", r"max_\1 = \2 in the policy"),
        (r"\bor declare it: ledger\.declare\(.*\)\)", "or ask its first question, which declares"),
        # What is asked in Python is asked in SQL.
        (r'\bdp\.people\(dp\.col\("(\w+)"\)(.*?)\)', r"PEOPLE() FILTER (WHERE \1\2)"),
        (r"\.agg\(n=dp\.rows\(\)\) or \.agg\(.*\)\)", "COUNT(*) AS n or AVG(stay) AS mean_stay"),
        (r'\bdp\.col\("(\w+)"\)\.bins\(\[(.*?)\]\)', r"BINS(\1, \2)"),
        (r'\bdp\.col\("(\w+)"\)', r"\1"),
        (r"\bdp\.rows\(\)", "COUNT(*)"),
        (r"\.n_unique\(\)", "COUNT(DISTINCT …)"),
        (r'\.bins\(\["(.*?)", "(.*?)"\]\)', r"BINS(…, '\1', '\2')"),
        (r"\.bins\(\[(.*?)\]\)", r"BINS(…, \1)"),
        # What is an argument in Python is an option.
        (r"\.plan\(margin=.*?, expect_rows=1000\)", "--expect-rows 1000"),
        (r"\bexpect_rows=(?=\d)", "--expect-rows "),
        (r"\bexpect_rows=", "--expect-rows"),
        (r"\b(epsilon|delta|key|analyst|who|why)=(?=[\d.\"])", r"--\1 "),
        (r'\bmargin=\{"(\w+)": (\d+)\}', r"--margin \1=\2"),
        (r'1, 0\.5, "0\.1" or Fraction\(1, 10\)', "1, 0.5 or 1/3"),
        (r"\bPass what ledger\.charge returned, or a number", "Pass a number"),
    )
)


def in_words(message: str) -> str:
    """A message in which remedies are those of the command line.

    >>> in_words("Add delta=1e-6, or declare the values: dp.category([…]).")
    'Add --delta 1e-6, or declare the values: { values = […] } in the policy.'
    """
    for pattern, word in _WORDS:
        message = pattern.sub(word, message)
    return message
