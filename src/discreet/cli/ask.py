"""``discreet plan`` and ``discreet ask``: what a question would cost, and a paid answer to it."""

import json
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from discreet.accounting.filters import Totals
from discreet.cli.terminal import show_answer, show_heading, show_plan, spinner
from discreet.errors import (
    NOTHING_SPENT,
    BudgetExhaustedError,
    DataError,
    DiscreetError,
    Front,
    QueryError,
    UnansweredError,
    caught_by,
)
from discreet.exact import decimal_above, exact_text

if TYPE_CHECKING:
    from discreet.accounting.filters import Filter
    from discreet.engines.base import Engine
    from discreet.ledger.balances import Balance
    from discreet.privacy.events import Event
    from discreet.release.open_table import TableDeclarations
    from discreet.release.plan import Plan, PlanLine
    from discreet.release.profile import Profile
    from discreet.release.release import Release
    from discreet.release.table import Table


_SHORT: Final = 12  # characters of an exact ρ that is shown beside the decimal
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_LARGEST_FILE: Final = 1 << 20


def file_options(command: Decorated) -> Decorated:
    """Where an answer is written, of every command that shows one."""
    for decorate in reversed(
        [
            click.option("--csv", "csv_file", metavar="FILE", help="Also write the table as CSV."),
            click.option("--html", "html_file", metavar="FILE", help="Also write a report."),
            click.option(
                "--save",
                "save_files",
                multiple=True,
                metavar="FILE",
                help="Also write a file, as its ending says: .xlsx, .parquet, .md, .png, .svg, "
                ".csv, .json or .html. May be repeated.",
            ),
        ]
    ):
        command = decorate(command)
    return command


def question_options(command: Decorated) -> Decorated:
    """The words that every command that asks a question takes."""
    for decorate in reversed(
        [
            click.argument("policy"),
            click.argument("sql", required=False),
            click.option(
                "--sql-file",
                metavar="FILE",
                help="Several questions instead, parted by ;: each has the price.",
            ),
            click.option(
                "--epsilon", help="What it may cost: 0.5, 1 or 1/3; with --margin, at most."
            ),
            click.option(
                "--spend", help="A part of the whole budget instead: 5%; with --margin, at most."
            ),
            click.option("--rho", help="What it may cost in zCDP instead: 0.01."),
            click.option(
                "--delta",
                default="0",
                help="For groups found privately, or for Gaussian noise at --epsilon: 1e-6.",
            ),
            click.option(
                "--margin",
                "margins",
                multiple=True,
                metavar="NAME=SIZE",
                help="How large an output's error may be, at 95%: n=5. The least price is found.",
            ),
            click.option(
                "--weight",
                "weights",
                multiple=True,
                metavar="NAME=NUMBER",
                help="How many parts of the price an output gets: n=2. Each gets one otherwise.",
            ),
            click.option(
                "--max-rows",
                type=click.IntRange(min=1),
                help="A lower cap than the policy's: less noise, and more rows left out.",
            ),
            click.option(
                "--max-groups",
                type=click.IntRange(min=1),
                help="The same of the groups that one person counts in.",
            ),
            click.option(
                "--consistent",
                metavar="non-negative",
                help="Move counts so that none is below 0, and totals agree: free.",
            ),
            click.option(
                "--expect-rows",
                type=click.IntRange(min=1),
                help="How many rows you expect in a group: the error of a mean depends on it.",
            ),
            confidence_option,
        ]
    ):
        command = decorate(command)
    return command


def confidence_option(command: Decorated) -> Decorated:
    """How often the intervals that are shown hold."""
    return click.option(
        "--confidence",
        help="How often an interval holds: 0.99; 0.95 unless stated.",
    )(command)


def check_confidence(confidence: str | None) -> None:
    """Refuse what is no probability, before anything is paid."""
    if confidence is not None:
        from discreet.release.release import read_confidence

        read_confidence(confidence)


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question with its price, and the table's source, open.  No row was looked at."""

    text: str
    declared: "TableDeclarations"
    engine: "Engine"
    plan: "Plan"
    explain: bool = False
    """Whether only the plan was asked for, by EXPLAIN."""
    key: str | None = None
    paid: bool = False
    """Whether it was paid with its key before."""

    def queries(self) -> list[str]:
        """The SQL that the engine would run; what it does not offer is refused."""
        plan, price = self.plan, self.plan.price
        return self.engine.texts(
            plan.question, plan.measured, price.unit, share=price.key_share, score=plan.score
        )


@contextmanager
def read_questions(
    policy: str,
    sql: str | None,
    epsilon: str | None,
    spend: str | None,
    rho: str | None,
    delta: str,
    margins: tuple[str, ...],
    weights: tuple[str, ...],
    expect_rows: int | None,
    max_rows: int | None = None,
    max_groups: int | None = None,
    consistent: str | None = None,
    *,
    sql_file: str | None = None,
    analyst: str | None = None,
    key: str | None = None,
    beside_budget: bool = False,
) -> Iterator[list[TypedQuestion]]:
    """The questions that were typed, or stand in a file, checked and priced.

    What is left of the budget is read where a price depends on it, or shall be shown beside it;
    each question is planned as if those before it were paid.
    """
    from discreet.policy import read_policy
    from discreet.question.consistency import read_consistent
    from discreet.release.open_table import read_declarations

    texts = _texts(sql, sql_file)
    nonnegative = consistent is not None and read_consistent(consistent)
    arguments = read_policy(policy)
    price: dict[str, Any] = {"epsilon": epsilon, "spend": spend, "rho": rho, "delta": delta}
    price |= {"margin": _margins(margins) or None, "weights": _weights(weights) or None}
    price |= {"expect_rows": expect_rows}
    with caught_by(Front.POLICY):
        table = read_declarations(**arguments)
        opened = table.engine()
    lower = {"max_rows": max_rows, "max_groups": max_groups}
    caps = tuple((name, cap) for name, cap in lower.items() if cap is not None)
    depends = spend is not None or bool(margins) or delta != "0"
    reads_budget = table.budget is not None and (beside_budget or depends or len(texts) > 1)
    with closing(opened) as engine:
        questions: list[TypedQuestion] = []
        for place, text in enumerate(texts, 1):
            own = key if key is None or sql_file is None else f"{key} {place}"
            paid = own is not None and table.paid(own, analyst=analyst)
            before = () if paid else tuple(questions)
            account = _LaterAccount(table, analyst, own, before) if reads_budget else None
            with _in_file(sql_file, place):
                made, explain = _planned(text, table, account, price, caps, nonnegative)
            questions.append(TypedQuestion(text, table, engine, made, explain, own, paid))
        yield questions


class _LaterAccount:
    """A table's account once the questions before are paid; of a paid key, before it was."""

    def __init__(
        self,
        table: "TableDeclarations",
        analyst: str | None,
        key: str | None,
        before: tuple[TypedQuestion, ...],
    ) -> None:
        self._read = table.account(analyst=analyst, key=key)
        self._before = before

    def standing(self, *, analyst: str | None = None, key: str | None = None) -> "Filter":
        """The budget, and what is spent of it then."""
        now = self._read.state
        return replace(now, totals=now.totals + _cost(self._before))

    def remembered_profile(self) -> "Profile | None":
        """The profile of the table, if one was paid for."""
        return self._read.profile


def _planned(
    text: str,
    table: "TableDeclarations",
    account: _LaterAccount | None,
    price: Mapping[str, Any],
    caps: tuple[tuple[str, int], ...],
    nonnegative: bool,
) -> "tuple[Plan, bool]":
    """The plan of a SELECT, and whether EXPLAIN asks for nothing else."""
    from discreet.question.check import checked_question
    from discreet.release.plan import make_plan
    from discreet.sql.read.select import explained, parse_select

    select = explained(text)
    query = parse_select(text if select is None else select, table.schema)
    after = replace(query.after, nonnegative=nonnegative)
    query = replace(query, caps=caps, front=Front.COMMAND, after=after)
    made = make_plan(checked_question(query, table.schema), account=account, **price)
    return made, select is not None


def shown_listing(policy: str, sql: str | None, *, as_json: bool) -> bool:
    """Whether SHOW or DESCRIBE was asked, and is shown: it costs nothing, and reads no row."""
    from discreet.sql.read.parser import is_listing

    if sql is None or not is_listing(sql):
        return False
    from discreet.policy import read_policy
    from discreet.release.listings import read_listing
    from discreet.release.open_table import read_declarations
    from discreet.text_table import printable

    with caught_by(Front.POLICY):
        schema = read_declarations(**read_policy(policy)).schema
    found = read_listing(sql, schema)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False))
        return True
    for line in found.lines():
        click.echo(printable(line))
    return True


def _cost(questions: Sequence[TypedQuestion]) -> Totals:
    """What questions cost together; what is paid for, or only explained, costs nothing."""
    asked = [one for one in questions if not one.paid and not one.explain]
    return sum((one.plan.price.cost for one in asked), Totals())


def _texts(sql: str | None, sql_file: str | None) -> list[str]:
    if (sql is None) == (sql_file is None):
        given = "no question is given" if sql is None else "a question and --sql-file are given"
        raise QueryError(
            f"{given}. What is asked is a text, or stands in a file. Write discreet ask POLICY "
            '"SELECT …", or discreet ask POLICY --sql-file FILE.'
        )
    if sql_file is None:
        return [str(sql)]
    from discreet.sql.read.parser import statements_of

    try:
        written = Path(sql_file).read_bytes()
        text = written.decode("utf-8-sig")
    except OSError as error:
        raise DataError(
            f"the file {sql_file!r} cannot be read: {error.strerror or type(error).__name__}. It "
            "holds the questions. Check the path. Nothing was spent."
        ) from None
    except UnicodeDecodeError:
        raise DataError(
            f"the file {sql_file!r} is not text in UTF-8. It holds the questions. Save it as UTF-8."
        ) from None
    if len(written) > _LARGEST_FILE:
        raise DataError(
            f"the file {sql_file!r} has {len(written):,} bytes. It holds questions, in SQL, and at "
            f"most {_LARGEST_FILE:,} bytes are read. Write several files."
        )
    texts = statements_of(text)
    if not texts:
        raise QueryError(
            f"the file {sql_file!r} has no question. It holds SELECTs, parted by semicolons. Write "
            "one."
        )
    return texts


@contextmanager
def _in_file(sql_file: str | None, place: int) -> Iterator[None]:
    """Refusals say which question of a file they are about."""
    try:
        yield
    except DiscreetError as error:
        if sql_file is not None:
            error.args = (f"in question {place:,} of {sql_file!r}:", *error.args)
        raise


def _margins(margins: tuple[str, ...]) -> dict[str, object]:
    what = "It says how large the error of an output may be. Write --margin n=5."
    return _by_name(margins, "margin", what, "One error can only meet one of them.")


def _weights(weights: tuple[str, ...]) -> dict[str, object]:
    what = "It says how many parts of the price an output gets. Write --weight n=2."
    return _by_name(weights, "weight", what, "One output has one weight.")


def _by_name(texts: tuple[str, ...], kind: str, what: str, once: str) -> dict[str, object]:
    """Sizes by the names of outputs, as typed."""
    size_of: dict[str, object] = {}
    for text in texts:
        name, equals, size = text.rpartition("=")
        if not equals or not name or not size:
            raise QueryError(f"the {kind} {text[:60]!r} is not a name and a size. {what}")
        if name in size_of:
            raise QueryError(f"two {kind}s are given for {name[:60]!r}. {once} Leave one out.")
        size_of[name] = size
    return size_of


@click.command()
@question_options
@click.option("--explain", is_flag=True, help="Step by step, with what each step assumes.")
@click.option("--sql", "as_sql", is_flag=True, help="The SQL that the engine would run.")
@click.option("--json", "as_json", is_flag=True, help="Exact numbers, for programs.")
def plan(
    explain: bool, as_sql: bool, as_json: bool, confidence: str | None, **question: Any
) -> None:
    """What a question would cost, and how large its error would be. Nothing is spent.

    \b
    discreet plan visits.toml "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --epsilon 0.5

    POLICY is the TOML file that declares the table. No row is read, and of the ledger only what is
    left of the budget.
    """
    check_confidence(confidence)
    if shown_listing(question["policy"], question["sql"], as_json=as_json):
        return
    with read_questions(**question, beside_budget=True) as asked:
        queries = [one.queries() for one in asked]
    plans = [one.plan if confidence is None else one.plan.at(confidence) for one in asked]
    if as_json:
        data = [plan_data(planned) for planned in plans]
        several = question["sql_file"] is not None
        click.echo(json.dumps(data if several else data[0], ensure_ascii=False))
        return
    for place, (one, planned) in enumerate(zip(asked, plans, strict=True)):
        if question["sql_file"] is not None:
            show_heading(place + 1, len(asked), one.text)
        if as_sql:
            for query in queries[place]:
                click.echo(f"{_pretty(query)};")
        elif explain or one.explain:
            click.echo(planned.explain(Front.COMMAND))
        else:
            show_plan(planned)


def _choosing_data(planned: "Plan") -> dict[str, Any]:
    """What choosing the first groups costs, where they are chosen before they are measured."""
    line = planned.choosing_groups
    if line is None:
        return {}
    return {"choosing_groups": {"mechanism": line.mechanism, **_part_data(line)}}


def plan_data(planned: "Plan") -> dict[str, Any]:
    """A plan as plain data; a ρ is rounded up, with the exact one beside it where that is short."""
    return {
        "question": planned.question.query.text,
        "epsilon": None if planned.epsilon is None else str(planned.epsilon),
        "delta": str(planned.delta),
        **_rho_data(planned.rho),
        "part": None if planned.part is None else float(planned.part),
        "covered": planned.covered,
        "confidence": float(planned.confidence),
        "groups": planned.question.cells if planned.question.keys else None,
        "finding_groups": None
        if planned.finding_groups is None
        else {"mechanism": planned.finding_groups.mechanism, **_part_data(planned.finding_groups)},
        **_choosing_data(planned),
        "outputs": [
            {
                "output": line.output,
                "asks": line.asks,
                "mechanism": line.mechanism,
                "margin": None if line.margin is None else line.margin.value,
                "margin_of_rank": line.margin is not None and line.margin.of_rank,
                "shared_with": line.shared_with,
                **_part_data(line),
            }
            for line in planned.lines
        ],
        "computed": [
            {"output": name, "as": how, "margin": margin.value if margin is not None else None}
            for name, how in planned.computed
            for margin in [planned.computed_margins.get(name)]
        ],
        "notes": planned.notes_told(Front.COMMAND),
    }


def _part_data(line: "PlanLine") -> dict[str, str | None]:
    """Its part of the price, which outputs that share one measurement have together."""
    epsilon = None if line.epsilon is None else str(line.epsilon)
    return {"epsilon": epsilon, **_rho_data(line.rho)}


def _rho_data(rho: Fraction | None) -> dict[str, str | None]:
    if rho is None:
        return {"rho": None}
    exact = exact_text(rho)
    data: dict[str, str | None] = {"rho": decimal_above(rho)}
    return data | ({"rho_exact": exact} if len(exact) <= _SHORT else {})


def _pretty(query: str) -> str:
    """A query on several lines; as it is, if it would not mean the very same then."""
    from sqlglot import ParseError, exp, parse_one

    try:
        tree = parse_one(query, read="duckdb")
        for around in list(tree.find_all(exp.Paren)):
            if isinstance(around.this, exp.Column):  # would stand on three lines
                around.replace(around.this)
        text = tree.sql(dialect="duckdb", pretty=True)
        return text if parse_one(text, read="duckdb") == tree else query
    except ParseError:
        return query


@click.command()
@question_options
@click.option("--key", help="Asked again with the same key, the same answer is given for free.")
@click.option("--analyst", help="Who asks; the operating system's user unless stated.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the answer and its certificate as JSON; --save FILE.json writes it.",
)
@file_options
@click.option("--yes", is_flag=True, help="Pay what --margin needs without being asked.")
def ask(
    key: str | None,
    analyst: str | None,
    as_json: bool,
    csv_file: str | None,
    html_file: str | None,
    save_files: tuple[str, ...],
    yes: bool,
    confidence: str | None,
    **question: Any,
) -> None:
    """Answer a question privately, and pay for it.

    \b
    discreet ask visits.toml "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --epsilon 0.5

    POLICY is the TOML file that declares the table. The charge is on the disk before a row is
    read, and is never given back. With --sql-file, all questions are planned and checked before
    the first is paid; each has its own key, "KEY 1", "KEY 2", and its own files, "FILE-1".
    """
    check_confidence(confidence)
    if shown_listing(question["policy"], question["sql"], as_json=as_json):
        return
    several = question["sql_file"] is not None
    with read_questions(**question, analyst=analyst, key=key) as questions:
        asked = [one for one in questions if not one.explain]
        for one in questions:  # EXPLAIN asks for the plan, and pays for nothing
            if one.explain or several:
                one.queries()
            if one.explain:
                click.echo(one.plan.explain(Front.COMMAND))
        places = numbered({".csv": csv_file, ".html": html_file}, len(asked), save_files)
        ceiling = question["epsilon"] or question["spend"] or question["rho"]
        if ceiling is None and _cost(asked).rho > 0 and not yes:
            _confirm([one.plan for one in asked if not one.paid])
        answers, released = pay_and_answer(asked, analyst=analyst), []
        try:
            for place, (one, files) in enumerate(zip(asked, places, strict=True)):
                with spinner("asking") as tell:
                    tell(one.engine.progress)
                    release, balances = next(answers)
                released.append(release if confidence is None else release.at(confidence))
                if not as_json:
                    if several:
                        show_heading(place + 1, len(asked), one.text)
                    show_answer(released[-1], balances)
                write(released[-1], files, told=not as_json)
        finally:  # what is paid for is shown, whatever comes after it
            answers.close()
            if as_json and released:
                texts = [one.to_json() for one in released]
                click.echo("[" + ",\n".join(texts) + "]" if several else texts[0])


def pay_and_answer(
    questions: Sequence[TypedQuestion], *, analyst: str | None = None
) -> "Generator[tuple[Release, list[Balance]]]":
    """Pay exactly what was planned, and answer; each answer, and what is left of whose budget.

    Several questions are paid only if the budget covers all of them.
    """
    from discreet.release.table import answer

    if not questions:
        return
    declared = questions[0].declared
    table, name = declared.opened(questions[0].engine), declared.schema.name
    with table.ledger as ledger:
        if len(questions) > 1:
            _check_all(table, questions, analyst)
        for one in questions:
            before, charged = ledger.asked(1, name), False
            try:
                release = answer(one.plan, table, key=one.key, analyst=analyst)
            except KeyboardInterrupt:
                charged = ledger.asked(1, name) != before
                if not charged:
                    raise
            if charged:
                raise UnansweredError(
                    "the question was broken off after it was paid for. A charge is never given "
                    "back, or breaking off would be a way to ask for free. See discreet budget; "
                    "ask again."
                )
            yield release, ledger.budgets(name, release.certificate.analyst)


def _check_all(table: "Table", questions: Sequence[TypedQuestion], analyst: str | None) -> None:
    """Refuse all questions if the budget does not cover them together: nothing is paid yet."""
    from discreet.privacy.events import ComposedEvent

    events: list[Event] = []
    for place, one in enumerate(questions):
        events += [] if one.paid else [one.plan.price.event]
        try:
            if events:
                table.ledger.check(
                    table.name,
                    event=ComposedEvent(events=tuple(events)),
                    analyst=analyst,
                    neighbors=table.schema.neighbors,
                )
        except BudgetExhaustedError:
            reach = "not even the first" if place == 0 else f"the first {place:,}"
            raise BudgetExhaustedError(
                f"the budget covers {reach} of the {len(questions):,} questions. All of them are "
                "checked before one is paid, so that none is paid in vain. Ask fewer, or each for "
                "less: see discreet plan.",
                NOTHING_SPENT,
            ) from None


def _confirm(plans: "Sequence[Plan]") -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        cost = " + ".join(plan.price_text for plan in plans)
        raise QueryError(
            f"the margins cost {cost}, and nobody can be asked whether to pay it. What "
            "is paid is never given back. Add --yes, or the most that it may cost: --spend 5%. "
            "Nothing was spent."
        )
    for plan in plans:
        show_plan(plan)
    click.confirm("Pay?", abort=True)


def write(release: "Release", files: Sequence[Path], *, told: bool) -> None:
    """Write an answer to its files."""
    for file in files:
        release.save(file)
        if told:
            click.echo(f"written   {file}")


def numbered(
    wanted: dict[str, str | None], many: int, saved: tuple[str, ...] = ()
) -> list[list[Path]]:
    """The files of each of several answers: looked at before the first is paid for."""

    def name(file: str, place: int) -> str:
        path = Path(file)
        if many == 1 or not path.name:
            return file
        return str(path.with_name(f"{path.stem}-{place}{path.suffix}"))

    return [
        _files(
            {
                ending: None if file is None else name(file, place)
                for ending, file in wanted.items()
            },
            tuple(name(file, place) for file in saved),
        )
        for place in range(1, many + 1)
    ]


def _files(wanted: Mapping[str, str | None], saved: tuple[str, ...]) -> list[Path]:
    """Where the answer is to be written: looked at before it is paid for."""
    from discreet.release.answer_files import check_ending

    for ending, name in wanted.items():
        if name is not None and Path(name).suffix.lower() != ending:
            place = Path(name)
            raise DataError(
                f"the file {place.name!r} does not end in {ending}. The ending says what a file "
                f"holds. Write --{ending[1:]} {place.stem or 'answer'}{ending}."
            )
    places = [Path(name) for name in (*wanted.values(), *saved) if name is not None]
    for place in places:
        check_ending(place)
        if not _writable(place):
            raise DataError(
                f"{place.name!r} cannot be written there. An answer is paid for once, so the place "
                "is looked at first. Name a file in a folder that exists. Nothing was spent."
            )
    return places


def _writable(place: Path) -> bool:
    """Whether a file can be written there; tried, since what the system says is not always so."""
    target = place.resolve()  # a link that leads nowhere yet is written through
    try:
        if target.exists():
            with open(target, "ab"):
                return True
        with open(target, "xb"):
            pass
        target.unlink()
    except OSError:
        return False
    return True
