"""A respondent's own account: what all the questions that were answered may reveal together.

It is kept where the answers are given.  A charge is on the disk before anything is randomized,
and is never taken back.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from msgspec import Meta

from discreet.errors import BudgetExhaustedError, DataError
from discreet.exact import decimal_text, named_number_text
from discreet.local import wire
from discreet.local.memoization import (
    Memo,
    code,
    locked,
    malformed,
    permanent_of,
    read_question,
    read_whole,
    require_coarse,
    write_whole,
)
from discreet.local.repeated import Repeated
from discreet.noise import BitSource
from discreet.privacy.losses import PureDP, read_positive
from discreet.strict_json import Digest, Shape

_FORMAT = "discreet.local.account"
_VERSION = 1
_TURN = Lock()  # of threads that charge accounts without a file
_TIME = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCharge:
    """One answer that was paid for."""

    question: str
    """The SHA-256 of the question's text."""
    scheme: str
    """The SHA-256 of the scheme's JSON."""
    epsilon: Fraction
    when: str
    """The time in UTC, to the second."""


class Account:
    """The ε of everything one respondent has answered, with a cap that is never exceeded.

    With ``path`` the account is a JSON file that is written as a whole or not at all; processes
    that share it wait for each other.  Without, it is for one process: a fork spends on its own.

    Guarantee: the reports of all answers together are cap-DP for this respondent, as losses of
    answers add up.  With a ``Memo`` an answer that was given before costs nothing, for what that
    does not hide see ``Repeated``; and a question that is *refused* for want of budget shows
    whoever notices it that the value is a new one.  Proof: docs/proofs/repeated.md

    >>> from discreet.local import RandomizedResponse
    >>> account = Account(cap=2)
    >>> report = account.answer("Do you smoke?", RandomizedResponse(epsilon=1.5), True)
    >>> account.spent, account.left
    (PureDP(epsilon=3/2), Fraction(1, 2))
    >>> account.answer("Do you drink?", RandomizedResponse(epsilon=1), True)
    Traceback (most recent call last):
      ...
    discreet.errors.BudgetExhaustedError: the answer costs ε = 1 and 0.5 of the cap of 2 is left. \
Losses add up, so the question is not answered. Answer one with a smaller epsilon.
    """

    def __init__(self, *, cap: object = None, path: str | os.PathLike[str] | None = None) -> None:
        stated_cap = None if cap is None else read_positive(cap, "cap", "Use Account(cap=2).")
        self._path = None if path is None else Path(path)
        self._charges: list[AnswerCharge] = []  # of an account without a file
        if self._path is None:
            self.cap = _required(stated_cap)
            return
        with locked(self._path):
            if self._path.exists():
                self.cap, _ = _read(self._path.read_bytes())
            else:
                self.cap = _required(stated_cap)
                write_whole(self._path, _written(self.cap, []))
        if stated_cap is not None and stated_cap != self.cap:
            raise DataError(
                f"the account's cap is {decimal_text(self.cap)}, not {decimal_text(stated_cap)}. A "
                "cap that moves would be none. Open the account without cap=."
            )

    @property
    def charges(self) -> tuple[AnswerCharge, ...]:
        """What was paid, in order."""
        if self._path is not None:
            return tuple(_read(self._path.read_bytes())[1])
        return tuple(self._charges)

    @property
    def spent(self) -> PureDP:
        """The loss of all answers up to now, together."""
        return PureDP(epsilon=_sum(self.charges))

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self.cap - _sum(self.charges)

    # ------------------------------------------------------------------ paying and answering

    def charge(self, question: object, scheme: Any) -> AnswerCharge:
        """Pay for one answer, or refuse and change nothing."""
        permanent_of(scheme)  # which refuses what has no loss
        charge = AnswerCharge(
            question=sha256(read_question(question).encode()).hexdigest(),
            scheme=scheme.identity,
            epsilon=scheme.loss.epsilon,
            when=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        # Other threads may read or charge meanwhile: each charge is added to a list of its own.
        if self._path is None:
            with _TURN:
                self._charges = self._with(charge, self._charges)
            return charge
        with locked(self._path):
            charges = self._with(charge, _read(self._path.read_bytes())[1])
            write_whole(self._path, _written(self.cap, charges))
        return charge

    def answer(
        self,
        question: str,
        scheme: Any,
        value: object,
        *,
        memo: Memo | None = None,
        source: BitSource | None = None,
    ) -> Any:
        """Pay and randomize; with a memo, an answer that it holds is repeated and costs nothing."""
        if memo is None:
            if isinstance(scheme, Repeated):
                raise DataError(
                    "the scheme is for a repeated question and there is no memo. Without one "
                    "every report would be drawn and cost anew. Give memo=Memo()."
                )
            code(scheme, value)  # what is not an answer is refused before it is paid for
            self.charge(question, scheme)
            return scheme.randomize(value, source=source)
        if not memo.holds(question, scheme, value):
            require_coarse(scheme)  # before it is paid for
            self.charge(question, scheme)
        return memo.answer(question, scheme, value, source=source)

    def _with(self, charge: AnswerCharge, charges: list[AnswerCharge]) -> list[AnswerCharge]:
        """The charges with one more, if the cap allows it."""
        left = self.cap - _sum(charges)
        if charge.epsilon > left:
            raise BudgetExhaustedError(
                f"the answer costs {named_number_text('ε', charge.epsilon)} and "
                f"{decimal_text(left)} of the cap of {decimal_text(self.cap)} is left. Losses add "
                "up, so the question is not answered. Answer one with a smaller epsilon."
            )
        return [*charges, charge]

    # ------------------------------------------------------------------ as text

    def to_json(self) -> str:
        """The cap and all charges, as text."""
        return _written(self.cap, list(self.charges))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Account":
        """The account that ``to_json`` wrote; anything else is refused."""
        cap, charges = _read(text)
        account = cls(cap=cap)
        account._charges = charges
        return account


# ---------------------------------------------------------------------- reading and writing


def _written(cap: Fraction, charges: list[AnswerCharge]) -> str:
    entries = [
        {
            "question": charge.question,
            "scheme": charge.scheme,
            "epsilon": str(charge.epsilon),
            "when": charge.when,
        }
        for charge in charges
    ]
    head = {"format": _FORMAT, "version": _VERSION, "cap": str(cap)}
    return json.dumps({**head, "charges": entries})


class _Entry(Shape, frozen=True):
    question: Digest
    scheme: Digest
    epsilon: str
    when: Annotated[str, Meta(pattern=_TIME)]


class _File(Shape, frozen=True):
    format: Literal["discreet.local.account"]
    version: Literal[1]
    cap: str
    charges: list[_Entry]


def _read(text: object) -> tuple[Fraction, list[AnswerCharge]]:
    file = read_whole(text, _File, _FORMAT)
    cap = wire.read_rational(file.cap, "cap")
    charges = [
        AnswerCharge(
            question=one.question,
            scheme=one.scheme,
            epsilon=wire.read_rational(one.epsilon, "epsilon"),
            when=one.when,
        )
        for one in file.charges
    ]
    if _sum(charges) > cap:
        raise malformed(_FORMAT)
    return cap, charges


def _sum(charges: Iterable[AnswerCharge]) -> Fraction:
    return sum((charge.epsilon for charge in charges), Fraction(0))


def _required(cap: Fraction | None) -> Fraction:
    if cap is None:
        raise DataError(
            "cap is not given. It is the most that all answers together may cost. Use "
            "Account(cap=2)."
        )
    return cap
