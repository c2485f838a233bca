"""A respondent's account: charged before an answer is made, never beyond the cap."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from threading import Thread, current_thread
from typing import Any

import pytest

from discreet.errors import BudgetExhaustedError, DataError, DiscreetError
from discreet.local import Mean, RandomizedResponse
from discreet.local import respondent_account as account_module
from discreet.local.memoization import Memo
from discreet.local.repeated import Repeated
from discreet.local.respondent_account import Account
from discreet.privacy.losses import PureDP
from tests.support.waits import until

POLL = RandomizedResponse(epsilon="1/10")


def test_answers_are_charged_exactly_until_the_cap() -> None:
    account = Account(cap=1)
    for number in range(10):
        assert account.answer(f"question {number}", POLL, 1) in (0, 1)
    assert account.spent == PureDP(epsilon=1)  # ten tenths are one
    assert account.left == 0
    with pytest.raises(BudgetExhaustedError):
        account.answer("one more", RandomizedResponse(epsilon="1e-5"), 1)
    assert len(account.charges) == 10


def test_a_charge_says_what_and_when_but_not_the_answer() -> None:
    account = Account(cap=2)
    account.answer("Do you smoke?", POLL, 1)
    charge = account.charges[0]
    assert charge.scheme == POLL.identity
    assert charge.epsilon == Fraction(1, 10)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", charge.when)
    assert "smoke" not in account.to_json()
    assert set(json.loads(account.to_json())["charges"][0]) == {
        "question", "scheme", "epsilon", "when",
    }  # fmt: skip


def test_the_same_question_costs_again_without_a_memo_and_nothing_with_one() -> None:
    account, memo = Account(cap=2), Memo()
    for _ in range(3):
        account.answer("often", POLL, 1)
    assert account.spent == PureDP(epsilon="3/10")
    question = Repeated(permanent=RandomizedResponse(epsilon=1), each=RandomizedResponse(epsilon=1))
    for _ in range(50):
        account.answer("daily", question, 1, memo=memo)
    assert account.spent == PureDP(epsilon="13/10")
    with pytest.raises(BudgetExhaustedError):
        account.answer("daily", question, 0, memo=memo)  # a new value costs again
    assert not memo.holds("daily", question, 0)
    account.answer("daily", question, 1, memo=memo)
    with pytest.raises(DataError, match="memo"):
        account.answer("daily", question, 1)


def test_what_is_not_an_answer_is_not_charged() -> None:
    account = Account(cap=2)
    mean = Mean(low=0, high=1, epsilon=1)  # type: ignore[arg-type]
    for scheme, value in [(POLL, 2), (POLL, [1, 0]), (mean, float("nan")), (mean, [0.5])]:
        for memo in (None, Memo()):
            with pytest.raises(DataError):
                account.answer("question", scheme, value, memo=memo)
    for question in ("", "\ud800", None):
        with pytest.raises(DataError):
            account.answer(question, POLL, 1)  # type: ignore[arg-type]
    assert account.charges == ()
    assert isinstance(account.answer("number", mean, 0.5), int)


def test_the_charge_is_on_the_disk_before_the_answer_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    account = Account(cap=1, path=path)

    class BreakError(Exception):
        pass

    class Source:
        safe = True

        def fill(self, words: object) -> None:
            raise BreakError

        bits = fill

    with pytest.raises(BreakError):
        account.answer("question", POLL, 1, source=Source())  # type: ignore[arg-type]
    assert Account(path=path).spent == POLL.loss


def test_a_file_survives_reopening_and_a_torn_write(tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    Account(cap=1, path=path).answer("question", POLL, 1)
    (tmp_path / "account.json.new").write_text("torn")  # as a crash would leave it
    again = Account(cap=1, path=path)
    assert again.spent == POLL.loss
    again.answer("another", POLL, 1)
    assert Account(path=path).left == Fraction(8, 10)
    assert os.stat(path).st_mode & 0o77 == 0
    with pytest.raises(DataError, match="cap"):
        Account(cap=2, path=path)
    with pytest.raises(DataError, match="cap"):
        Account(path=tmp_path / "other.json")
    with pytest.raises(DataError, match="cap"):
        Account()


CHILD = """
import sys
from discreet.errors import BudgetExhaustedError
from discreet.local import RandomizedResponse
from discreet.local.respondent_account import Account
account = Account(cap=2, path=sys.argv[1])
paid = 0
for number in range(15):
    try:
        account.charge(f"{number}", RandomizedResponse(epsilon="1/10"))
        paid += 1
    except BudgetExhaustedError:
        pass
print(paid)
"""


@pytest.mark.slow
def test_processes_that_share_an_account_do_not_exceed_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    Account(cap=2, path=path)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(3)
    ]
    paid = [int(child.communicate()[0]) for child in children]
    assert sum(paid) == 20
    assert Account(path=path).spent == PureDP(epsilon=2)


def test_threads_that_share_an_account_do_not_exceed_the_cap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second charge comes while the first looks at what is left."""
    own = Account(cap=1)
    poll = RandomizedResponse(epsilon=1)
    others: list[Thread] = []
    asked: list[Thread] = []
    refused: list[bool] = []

    class Turn:
        """The account's own lock, and who asked for it."""

        def __enter__(self) -> None:
            asked.append(current_thread())
            turn.acquire()

        def __exit__(self, *_: object) -> None:
            turn.release()

    def charge() -> None:
        try:
            own.charge("another", poll)
        except BudgetExhaustedError:
            refused.append(True)

    def slowly(charges: Any) -> Fraction:
        found = added(charges)
        if not others:
            others.append(Thread(target=charge))
            others[0].start()
            # It stands at the lock, or there is none and it was let through.
            until(
                lambda: others[0] in asked or not others[0].is_alive(),
                "the other charge has come",
            )
        return found

    added, turn = account_module._sum, account_module._TURN
    monkeypatch.setattr(account_module, "_TURN", Turn())
    monkeypatch.setattr(account_module, "_sum", slowly)
    own.charge("question", poll)
    others[0].join()
    assert refused == [True]
    assert own.spent == PureDP(epsilon=1)


def test_a_charge_that_cannot_be_written_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account(cap=1, path=tmp_path / "account.json")

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(account_module, "write_whole", full)
        with pytest.raises(OSError, match="space"):
            account.answer("question", POLL, 1)
    assert account.charges == ()
    account.answer("question", POLL, 1)
    assert json.loads(account.to_json()) == json.loads((tmp_path / "account.json").read_text())


GOOD = Account(cap=2)
GOOD.charge("question", POLL)
FIELDS = json.loads(GOOD.to_json())
ENTRY = FIELDS["charges"][0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        5,
        json.dumps(FIELDS | {"version": 2}),
        json.dumps(FIELDS | {"cap": 2}),
        json.dumps(FIELDS | {"cap": "0"}),
        json.dumps(FIELDS | {"cap": "1/20"}),
        json.dumps(FIELDS | {"more": 1}),
        json.dumps(FIELDS | {"charges": [ENTRY] * 21}),
        json.dumps(FIELDS | {"charges": {}}),
        json.dumps(FIELDS | {"charges": [1]}),
        *[
            json.dumps(FIELDS | {"charges": [ENTRY | change]})
            for change in (
                {"epsilon": "-1"},
                {"epsilon": 1},
                {"question": "x"},
                {"scheme": None},
                {"when": "yesterday"},
                {"more": 1},
            )
        ],
    ],
    ids=lambda text: repr(text)[:80],
)
def test_an_account_that_was_changed_is_refused(text: object) -> None:
    with pytest.raises(DiscreetError):
        Account.from_json(text)  # type: ignore[arg-type]
    assert Account.from_json(GOOD.to_json()).charges == GOOD.charges
