"""A refusal shows no syntax that its reader cannot use: every one is read from the source and
rendered in every front that can show it, with an x for what is filled in.

``dp.col("stay")`` is no help to whoever asks in SQL, nor ``--epsilon 1`` in Python.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from discreet import errors
from discreet.errors import Front, Remedy
from tests.support.package_source import SourceFile, made_up, package_files

ALL = frozenset(Front)
IN_PYTHON = frozenset({Front.PYTHON})
QUESTIONS = ALL - {Front.POLICY}
IN_SQL = frozenset({Front.SQL, Front.COMMAND})
ON_THE_COMMAND_LINE = frozenset({Front.COMMAND})

# What every front gives: numbers, ε, δ, budgets and neighbors.  It stands before the folders.
SHOWN = {
    "exact/rational.py:_": ALL,
    "privacy/losses.py:read_": ALL,
    "privacy/losses.py:Budget": ALL,
    "privacy/sensitivity.py:Neighbors": ALL,
    # Mechanisms, accounting, the array functions and local privacy are called in Python only.
    "accounting/": IN_PYTHON,
    "engines/arrays.py": IN_PYTHON,
    "exact/": IN_PYTHON,
    "ledger/ledger.py:spending": IN_PYTHON,
    "ledger/ledger.py:_refuse_unsafe": IN_PYTHON,
    "local/": IN_PYTHON,
    "mechanisms/": IN_PYTHON,
    "plots/": IN_PYTHON,
    "privacy/": IN_PYTHON,
    "statistics/": IN_PYTHON,
    # So are the methods that build a question, and the arguments of ``dp.table``.
    "question/builder.py": IN_PYTHON,
    "policy/reader.py:columns_of": IN_PYTHON,
    "release/batch.py": IN_PYTHON,
    "release/exports.py": IN_PYTHON,
    "release/open_table.py": IN_PYTHON,
    "release/plan.py:Plan": IN_PYTHON,
    "release/plan.py:_weights": IN_PYTHON,
    "release/table.py": IN_PYTHON,
    # Joins, subqueries and what is done with an answer are written in SQL only.
    "question/arrangements.py:distribution_of": IN_PYTHON,
    "question/query.py": IN_SQL,
    "question/check.py:_condition": IN_SQL,
    "question/check.py:_window": IN_SQL,
    "question/check.py:_check_frame": IN_SQL,
    "question/check.py:_column": IN_SQL,
    "question/check.py:_checked_part": IN_SQL,
    "sql/": IN_SQL,
    "dbapi/": frozenset({Front.SQL}),
    "cli/": ON_THE_COMMAND_LINE,
    "survey/": ON_THE_COMMAND_LINE,
    "web/": ON_THE_COMMAND_LINE,  # servers are started there
    "policy/": frozenset({Front.POLICY, Front.COMMAND}),
    # A policy declares columns and a table, and asks nothing.
    "plan/schema.py": ALL,
    "measures/": QUESTIONS,
    "plan/": QUESTIONS,
    "question/": QUESTIONS,
    "release/": QUESTIONS,
}
"""Which fronts show the refusals of a file, or of the functions and classes of it that begin so."""

CALLS = r"\bdp\.\w|\.[a-z_]+\(|\b(Fraction|Decimal)\(|\blambda\b"
KEYWORDS = r"(?<![\w?&-])[a-z_]+=(?![=>])"
STATEMENTS = (
    r"\b(SELECT|WHERE|HAVING|GROUP BY|ORDER BY|COUNT|AVG|SUM|BINS|CLIP|CASE WHEN|COALESCE|ROUND|"
    r"CAST|DATE_TRUNC|YEAR|PEOPLE|SET (epsilon|delta|analyst))\b"
)
FIELDS = r"(?<!SET )\b[a-z_]+ = [\"{\[\d]|\bin the policy\b"
OPTIONS = r"(?<![\w-])--[a-z]"

COMMANDS = r"\b(discreet|psql|pyspark|verify) [a-z-]"
ADDRESSES = r"\baddress\b|://"
SIZES = r"--margin \"?\w+=\d"


@dataclass(frozen=True)
class Refusal:
    """A call of an error's class, with its parts as they stand in the source."""

    file: SourceFile
    call: ast.Call
    home: str
    """The function or class of the file in which it stands."""

    @property
    def place(self) -> str:
        return f"{self.file.path}:{self.call.lineno}"

    @property
    def fronts(self) -> frozenset[Front]:
        home = f"{self.file.path}:{self.home}"
        return next((shown for start, shown in SHOWN.items() if home.startswith(start)), ALL)

    def text(self, front: Front) -> str:
        return " ".join(filter(None, (rendered(part, front) for part in self.call.args)))


@cache
def told() -> frozenset[str]:
    """The names of what is told to a person: errors and warnings."""
    kinds = (errors.DiscreetError, errors.PrivacyWarning)
    return frozenset(
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, kinds)
    )


def refusals(file: SourceFile) -> Iterator[Refusal]:
    """The errors that a file makes; remedies by themselves too, since one may have a name."""
    for statement in file.tree.body:
        home = getattr(statement, "name", "")
        for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
            if called(call) in told() and call.args:
                yield Refusal(file, call, home)
            elif called(call) == "Remedy":
                yield Refusal(file, ast.Call(call.func, [call], [], lineno=call.lineno), home)


def called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def rendered(part: ast.expr, front: Front) -> str:
    """A part of a message as a front shows it."""
    match part:
        case ast.Constant(str() as text):
            return text
        case ast.JoinedStr(values):
            return "".join(rendered(value, front) for value in values)
        case ast.BinOp(left, ast.Add(), right):
            return rendered(left, front) + rendered(right, front)
        case ast.IfExp(_, body, other):
            return f"{rendered(body, front)} {rendered(other, front)}"
        case ast.Call() if called(part) == "Remedy":
            texts = {one.arg or "": rendered(one.value, front) for one in part.keywords}
            return Remedy(**texts).text(front)
    return "x"


def foreign(text: str, front: Front, room: str) -> list[str]:
    """The syntax in a message that its front cannot use."""
    found = []
    for sentence in re.split(r"(?<=[.?;:]) ", text):
        plain = re.sub(SIZES, "", sentence)
        if front is not Front.PYTHON:
            found += re.findall(CALLS, plain) and [f"Python: {sentence}"]
            if not re.search(ADDRESSES, sentence):
                found += re.findall(KEYWORDS, plain) and [f"a keyword of Python: {sentence}"]
        # What a database is told, in an engine, is its own SQL in every front.
        if front in (Front.PYTHON, Front.POLICY) and room != "engines":
            found += re.findall(STATEMENTS, plain) and [f"SQL: {sentence}"]
        if front is Front.PYTHON:
            found += re.findall(FIELDS, plain) and [f"a policy: {sentence}"]
        # A command with its options can be run by everybody; an option alone cannot.
        if front is not Front.COMMAND and not re.search(COMMANDS, sentence):
            found += re.findall(OPTIONS, plain) and [f"an option: {sentence}"]
    return found


def breaches(file: SourceFile) -> list[str]:
    return [
        f"{refusal.place} in {front.name}: {what}"
        for refusal in refusals(file)
        for front in refusal.fronts
        for what in foreign(refusal.text(front), front, file.room)
    ]


def translated(file: SourceFile) -> list[str]:
    """Where the text of an error is changed by what it says."""
    found = []
    for handler in (node for node in ast.walk(file.tree) if isinstance(node, ast.ExceptHandler)):
        kinds = {
            name.id for name in ast.walk(handler.type or handler) if isinstance(name, ast.Name)
        }
        if not kinds & told():
            continue
        for call in (node for node in ast.walk(handler) if isinstance(node, ast.Call)):
            said = [one for one in ast.walk(call) if isinstance(one, ast.Call)]
            if called(call) in ("sub", "replace", "translate") and any(
                called(one) in ("str", "text", "told") for one in said
            ):
                found.append(f"{file.path}:{call.lineno}")
    return found


def test_no_refusal_shows_the_syntax_of_another_front() -> None:
    found = [breach for file in package_files() for breach in breaches(file)]
    assert not found, "\n".join(found)


OF_QUESTIONS = ("plan", "measures", "question", "sql", "dbapi", "statistics")
BEFORE_A_TABLE = ("plan/schema.py",)
"""What is declared has no table whose names could be used."""
OF_THE_EXAMPLES = r"\b(wards?|(mean_|avg_)?stay(?=[\"')])|admitted|smoker|diagnosis|patient_id)\b"
"""Names of columns in the documents; rows may stay."""


def borrowed(file: SourceFile) -> list[str]:
    """Refusals of questions that name a column of the documents, which the table need not have."""
    if file.room not in OF_QUESTIONS or str(file.path) in BEFORE_A_TABLE:
        return []
    return [
        f"{refusal.place}: {refusal.text(front)}"
        for refusal in refusals(file)
        for front in refusal.fronts
        if re.search(OF_THE_EXAMPLES, refusal.text(front))
    ]


def test_no_refusal_of_a_question_names_a_column_of_the_documents() -> None:
    assert not [one for file in package_files() for one in borrowed(file)]
    control = "QueryError('a is b. Write GROUP BY ward.')"
    assert borrowed(made_up("question/made_up.py", control))
    assert borrowed(made_up("sql/made_up.py", "QueryError('a. Write AVG(stay).')"))
    assert not borrowed(made_up("sql/made_up.py", "QueryError('a. Rows without one stay.')"))


def test_every_line_of_the_list_is_about_refusals() -> None:
    homes = [f"{one.file.path}:{one.home}" for file in package_files() for one in refusals(file)]
    assert [start for start in SHOWN if not any(home.startswith(start) for home in homes)] == []


def test_the_source_is_read_to_the_end() -> None:
    counted = [refusal for file in package_files() for refusal in refusals(file)]
    by_front = {front: sum(front in one.fronts for one in counted) for front in Front}
    assert len(counted) > 600
    assert min(by_front.values()) > 150, by_front


def test_a_message_begins_with_its_fact() -> None:
    for file in package_files():
        for refusal in refusals(file):
            first = refusal.call.args[0]
            whole = called(refusal.call) == "Remedy"
            assert whole or not (isinstance(first, ast.Call) and called(first) == "Remedy")


def test_no_text_of_an_error_is_rewritten() -> None:
    assert not [place for file in package_files() for place in translated(file)]


@pytest.mark.parametrize(
    ("path", "raised"),
    [
        ("plan/made_up.py", "QueryError('a is b. Write dp.col(\"a\").')"),
        ("plan/made_up.py", "QueryError('a is b.', 'Add it.', f'Use {name}=1.')"),
        ("plan/made_up.py", "QueryError('a is b. Write COUNT(*).')"),
        ("plan/made_up.py", "PolicyError('a is b.', Remedy(python='Write max_rows=1.'))"),
        ("plan/made_up.py", "PolicyError('a is b.', Remedy(python='Write max_rows = 1.'))"),
        ("release/made_up.py", "errors.QueryError('a is b. Add --epsilon 1.')"),
        ("cli/made_up.py", "DataError('a is b. Write why=\"it\".')"),
        ("sql/made_up.py", "QueryError('a is b. Ask in Python, with dp.col.')"),
        ("policy/made_up.py", "PolicyError('a is b. Write unit=\"row\".')"),
        ("statistics/made_up.py", "DataError('a is b. Write AVG(a), or GROUP BY b.')"),
        ("privacy/made_up.py", "PrivacyWarning('ε is 0.', REMEDY := Remedy(python='Add --e 1.'))"),
    ],
)
def test_the_law_finds_foreign_syntax(path: str, raised: str) -> None:
    assert breaches(made_up(path, raised))


def test_the_law_finds_a_text_that_is_rewritten() -> None:
    control = (
        "try:\n    f()\nexcept SourceError as error:\n    said = str(error).replace('a', 'b')\n"
    )
    assert translated(made_up("cli/made_up.py", control))
    assert translated(made_up("cli/made_up.py", control.replace("str(error)", "P.sub('', str(e))")))
    assert not translated(made_up("cli/made_up.py", control.replace("SourceError", "OSError")))
