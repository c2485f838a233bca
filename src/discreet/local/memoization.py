"""What a respondent's device has drawn, in a small locked file: a question asked again is free."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from os import open as open_descriptor
from pathlib import Path
from typing import Any, Literal, TypeVar

from discreet.errors import DataError
from discreet.local import wire
from discreet.local.mean import Mean
from discreet.local.repeated import Repeated
from discreet.local.scheme import CategoricalScheme
from discreet.local.scheme import scheme as read_scheme
from discreet.local.scheme_choice import scheme_of
from discreet.noise import BitSource
from discreet.privacy.losses import PureDP
from discreet.strict_json import Shape, decoded

S = TypeVar("S", bound=Shape)

MOST_CHARACTERS = 1 << 24


_FORMAT = "discreet.local.memo"
_VERSION = 1
_MOST_STEPS = 64
_SURROGATE = re.compile("[\ud800-\udfff]")
MemoTable = dict[tuple[str, str, int], Any]
"""Reports by question, scheme and value."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file for this process; others wait.  The lock is a file beside it."""
    import fcntl

    try:
        handle = open_descriptor(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(
            "the folder of the file is not there. What is kept on the device is written to a file "
            "in a folder that exists. Make the folder first, or give another path=."
        ) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which gives the lock back


def write_whole(path: Path, text: str) -> None:
    """Replace the file at once, and only when the new one is on the disk.  Hold the lock."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)  # what a crash left
    handle = open_descriptor(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = open_descriptor(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_whole(text: object, shape: type[S], form: str) -> S:
    """What a file of this format says, which names its format and version among its fields."""
    found = None
    if isinstance(text, str | bytes) and len(text) <= MOST_CHARACTERS:
        found = decoded(text, shape)
    if found is None:
        raise malformed(form)
    return found


def malformed(form: str) -> DataError:
    """The error for a file that is not what was written; it shows nothing of it."""
    return DataError(
        f"the text is not a {form!r} of this version. What it means must be certain, so nothing "
        "is guessed. Use a file that this version wrote, unchanged."
    )


class Memo:
    """The reports that a respondent's device has drawn, by question, scheme and value.

    It belongs to the respondent, and is as secret as the answers themselves.  With ``path`` it is
    a JSON file, and what was drawn is on the disk before it is used; otherwise it is for one
    process (a fork or a copy draws on its own, and costs again), and the program keeps
    ``to_json()``.  A value that was not answered before is randomized afresh, and costs again.  So
    a ``Mean`` needs coarse ``steps``, at most 64: numbers that are nearly equal are then one value.

    >>> from discreet.local import RandomizedResponse
    >>> memo = Memo()
    >>> poll = RandomizedResponse(epsilon=1)
    >>> len({memo.answer("Do you smoke?", poll, True) for _ in range(100)})
    1
    >>> report = memo.answer("Do you smoke?", poll, False)
    >>> memo.spent("Do you smoke?")
    PureDP(epsilon=2)
    """

    def __init__(self, *, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._kept: MemoTable = {}
        self._load()

    def holds(self, question: str, scheme: Any, value: object) -> bool:
        """Whether this value was answered before, so that another report costs nothing."""
        self._load()
        return _key(question, scheme, value) in self._kept

    def answer(
        self, question: str, scheme: Any, value: object, *, source: BitSource | None = None
    ) -> Any:
        """A report: from what was kept for this value, or drawn now and kept."""
        key, permanent = _key(question, scheme, value), permanent_of(scheme)
        if self._path is None:
            drawn = self._kept.get(key)
            if drawn is None:  # of threads that draw at once, one is kept and all repeat that
                drawn = self._kept.setdefault(key, _draw(permanent, value, source))
        else:
            # Other threads may load or answer meanwhile: what is written is a table of its own.
            with locked(self._path):
                table = self._table()
                drawn = table.get(key)
                if drawn is None:
                    drawn = table[key] = _draw(permanent, value, source)
                    write_whole(self._path, _written(table))
                self._kept = table
        kept = permanent.report_from_wire(wire.write_report(permanent.identity, drawn))
        return scheme.again(kept, source=source) if isinstance(scheme, Repeated) else kept

    def values(self, question: str) -> int:
        """How many different values were answered to a question."""
        self._load()
        return sum(key[0] == question for key in list(self._kept))

    def spent(self, question: str) -> PureDP:
        """What all reports to a question may reveal, but for when the value changed."""
        self._load()
        kept = [key[1] for key in list(self._kept) if key[0] == question]
        losses = [read_scheme(text).loss.epsilon for text in kept]
        return PureDP(epsilon=sum(losses, Fraction(0)))

    # ------------------------------------------------------------------ as text

    def to_json(self) -> str:
        """Everything that was drawn, as text."""
        return _written(dict(self._kept))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Memo":
        """The memo that ``to_json`` wrote; anything else is refused."""
        memo = cls()
        memo._kept = _read(text)
        return memo

    def _load(self) -> None:
        if self._path is not None:
            self._kept = self._table()

    def _table(self) -> MemoTable:
        """What is on the disk, in a table of its own; of a file that is gone, what it held."""
        if self._path is not None and self._path.exists():
            return _read(self._path.read_bytes())
        return dict(self._kept)


# ---------------------------------------------------------------------- reading and writing


def require_coarse(scheme: Any) -> None:
    """Refuse a scheme for numbers with so many steps that nearly every number is a new value."""
    permanent = permanent_of(scheme)
    if isinstance(permanent, Mean) and permanent.steps > _MOST_STEPS:
        raise DataError(
            f"the scheme has {permanent.steps:,} steps. What was drawn is kept for each of them, "
            "so numbers that are nearly equal would each be drawn anew and cost again. Use "
            f"Mean(…, steps={_MOST_STEPS}) or fewer for a question that is repeated."
        )


def _draw(scheme: Any, value: object, source: BitSource | None) -> Any:
    """A fresh report, as JSON has it."""
    require_coarse(scheme)
    text = scheme.report_to_wire(scheme.randomize(value, source=source))
    return json.loads(text)["report"]


def _written(kept: MemoTable) -> str:
    answers = [
        {"question": question, "scheme": scheme, "value": value, "report": report}
        for (question, scheme, value), report in kept.items()
    ]
    head = {"format": _FORMAT, "version": _VERSION}
    return json.dumps({**head, "answers": answers}, ensure_ascii=False)


def _key(question: object, scheme: Any, value: object) -> tuple[str, str, int]:
    permanent = permanent_of(scheme)
    return read_question(question), permanent.to_json(), code(permanent, value)


def read_question(question: object) -> str:
    """The text that a question is known by; refused if UTF-8 cannot write it."""
    if not isinstance(question, str) or not question or _SURROGATE.search(question):
        raise DataError(
            "the question is not a text. It names what is kept and what is paid for. Give its text."
        )
    return question


def code(scheme: Any, value: object) -> int:
    """The number of one value among those that the scheme tells apart; others are refused."""
    scheme = permanent_of(scheme)
    codes = scheme._positions(value) if isinstance(scheme, Mean) else scheme._answers.codes(value)
    if codes.ndim:
        raise DataError("there are several values. A respondent answers with one. Give one.")
    return int(codes)


def permanent_of(scheme: Any) -> Any:
    """The scheme whose reports are kept; refused if it is not a scheme that can be repeated."""
    permanent = scheme.permanent if isinstance(scheme, Repeated) else scheme_of(scheme)
    if not isinstance(permanent, CategoricalScheme | Mean):
        raise DataError(
            "there is no scheme to answer with. An answer is randomized by one scheme, and of a "
            "search by that of its level. Give RandomizedResponse(epsilon=1) or "
            "words.first().scheme."
        )
    if not isinstance(permanent.loss, PureDP):
        raise DataError(
            "the scheme has a δ. Accounts and memos add up ε alone, and its ε is not all that it "
            "costs. Use RandomizedResponse(epsilon=1), or keep account of its loss by yourself."
        )
    return permanent


class _Answer(Shape, frozen=True):
    question: str
    scheme: str
    value: int
    report: Any


class _File(Shape, frozen=True):
    format: Literal["discreet.local.memo"]
    version: Literal[1]
    answers: list[_Answer]


def _read(text: object) -> MemoTable:
    answers = read_whole(text, _File, _FORMAT).answers
    reports: MemoTable = {}
    for one in answers:
        scheme = read_scheme(one.scheme)
        if isinstance(scheme, Repeated) or scheme.to_json() != one.scheme:  # never found again
            raise malformed(_FORMAT)
        scheme.report_from_wire(wire.write_report(scheme.identity, one.report))
        reports[one.question, one.scheme, one.value] = one.report
    if len(reports) != len(answers):
        raise malformed(_FORMAT)
    return reports
