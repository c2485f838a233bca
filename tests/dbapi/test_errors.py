"""Every error leaves as PEP 249 names it, with its message, and none carries a row."""

import warnings

import pytest

import discreet as dp
from discreet import dbapi, errors
from discreet.dbapi.errors import pep249_class, translated_errors
from tests.dbapi.conftest import COUNT, clinic
from tests.support.cases import each

BECOMES = {
    "DiscreetError": "DatabaseError",
    "PrivacyParameterError": "DataError",
    "BoundsError": "ProgrammingError",
    "DataError": "DataError",
    "QueryError": "ProgrammingError",
    "PolicyError": "InterfaceError",
    "SourceError": "OperationalError",
    "UnansweredError": "OperationalError",
    "BudgetExhaustedError": "OperationalError",
    "LedgerError": "OperationalError",
    "LedgerUnavailableError": "OperationalError",
    "LedgerMissingError": "OperationalError",
    "LedgerCorruptError": "IntegrityError",
    "DeclarationError": "IntegrityError",
    "KeyReusedError": "IntegrityError",
    "AnswerPendingError": "OperationalError",
    "AnswerLostError": "OperationalError",
    "SuspendedError": "OperationalError",
    "UnsafeRandomnessError": "InternalError",
    "VerificationError": "DatabaseError",
}
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.DiscreetError)
}


@each("name", KINDS)
def test_every_error_of_discreet_has_its_place(name):
    assert pep249_class(KINDS[name]) is getattr(dbapi, BECOMES[name])
    original = KINDS[name]("fact. rule. remedy.")
    with (
        pytest.raises(dbapi.Error, match=r"^fact\. rule\. remedy\.$") as caught,
        translated_errors(),
    ):
        raise original
    assert type(caught.value) is getattr(dbapi, BECOMES[name])
    assert caught.value.__cause__ is original


def test_anything_else_is_told_by_its_kind_alone():
    with pytest.raises(dbapi.InternalError, match="KeyError") as caught, translated_errors():
        raise KeyError("a patient's name")
    assert "patient" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_an_interruption_is_not_an_error():
    with pytest.raises(KeyboardInterrupt), translated_errors():
        raise KeyboardInterrupt


def test_a_warning_that_is_turned_into_an_error_is_the_warning_of_the_standard(table):
    with pytest.raises(dbapi.Warning, match="protects nobody"):
        dbapi.connect(table, epsilon=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert dbapi.connect(table, epsilon=100).epsilon == 100


def test_a_budget_that_does_not_cover_the_question_is_operational():
    connection = dbapi.connect(clinic(dp.Budget(epsilon=1)), epsilon="0.75")
    cursor = connection.cursor().execute(COUNT)
    with pytest.raises(dbapi.OperationalError, match=r"0\.25") as caught:
        cursor.execute(COUNT)
    assert isinstance(caught.value.__cause__, dp.BudgetExhaustedError)
    assert (cursor.description, cursor.rowcount, cursor.release) == (None, -1, None)
    assert connection.budget.spent.epsilon == dp.Budget(epsilon="0.75").epsilon
    assert cursor.execute("SET epsilon = 0.25").execute(COUNT).rowcount == 1


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM visits",
        "SELECT COUNT(*) FROM patients",
        "SELECT AVG(height) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE pg_sleep(10)",
        "SELECT note FROM visits",
        "SELEC COUNT(*) FROM visits",
        "SELECT COUNT(* FROM visits",
    ],
)
def test_a_question_that_is_not_offered_is_a_mistake_of_the_program(connection, text):
    for statement in (text, f"EXPLAIN {text}"):
        with pytest.raises(dbapi.ProgrammingError):
            connection.cursor().execute(statement)
    assert connection.budget.charges == 0


def test_data_that_cannot_be_read_are_operational_and_charged(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text('stay,note\n1,a\n2,"a quote that does not end\n', "utf-8")
    table = dp.table(
        str(path),
        name="visits",
        unit="row",
        budget=dp.Budget(epsilon=1),
        columns={"stay": dp.number(0, 60), "note": dp.text()},
        ledger=":memory:",
    )
    connection = dbapi.connect(table, epsilon=1)
    with pytest.raises(dbapi.OperationalError) as caught:
        connection.cursor().execute("SELECT COUNT(*) AS n FROM visits WHERE note = 'b'")
    assert isinstance(caught.value.__cause__, dp.UnansweredError)
    assert connection.budget.lost == 1


@pytest.mark.parametrize("epsilon", [0, -1, "x", float("nan"), float("inf"), object()])
def test_a_price_without_meaning_opens_no_connection(table, epsilon):
    with pytest.raises(dbapi.DataError):
        dbapi.connect(table, epsilon=epsilon)


@pytest.mark.parametrize("given", [None, 5, "visits.csv", b"visits.toml", ["visits.toml"]])
def test_what_is_not_a_policy_opens_no_connection(given):
    with pytest.raises(dbapi.InterfaceError, match=r"visits\.toml"):
        dbapi.connect(given)


def test_a_policy_that_is_not_there_or_wrong_opens_no_connection(tmp_path, policy):
    with pytest.raises(dbapi.InterfaceError):
        dbapi.connect(tmp_path / "nowhere.toml")
    policy.write_text(policy.read_text("utf-8").replace("unit =", "unite ="), "utf-8")
    with pytest.raises(dbapi.InterfaceError):
        dbapi.connect(policy)


def test_a_source_that_is_not_there_is_operational(policy):
    (policy.parent / "visits.csv").unlink()
    with pytest.raises(dbapi.OperationalError, match="no file"):
        dbapi.connect(policy)


def test_a_table_that_is_declared_in_another_way_is_a_contradiction(policy):
    dbapi.connect(policy).close()
    policy.write_text(policy.read_text("utf-8").replace("epsilon = 3", "epsilon = 4"), "utf-8")
    with pytest.raises(dbapi.IntegrityError):
        dbapi.connect(policy)


def test_a_ledger_that_was_damaged_is_an_integrity_error_or_unreadable(policy):
    (policy.parent / "visits.ledger").write_text("not a ledger" * 1000, "utf-8")
    with pytest.raises((dbapi.IntegrityError, dbapi.OperationalError)):
        dbapi.connect(policy)
