"""Exit codes: how a command reports errors and ends the process.

0 done; 1 a fault outside of the request; 2 the request was wrong; 3 refused for lack of budget;
4 no answer can be given: the question was charged in vain, or the table is suspended; 5 a
verification failed.
"""

import errno
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Final, NoReturn

import click

from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    BudgetExhaustedError,
    DiscreetError,
    Front,
    LedgerCorruptError,
    LedgerMissingError,
    LedgerUnavailableError,
    PrivacyWarning,
    SuspendedError,
    UnansweredError,
)

FAULT: Final = 1
WRONG: Final = 2
NO_BUDGET: Final = 3
NO_ANSWER: Final = 4
UNSOUND: Final = 5

_CODES: Final[dict[type[DiscreetError], int]] = {
    BudgetExhaustedError: NO_BUDGET,
    AnswerLostError: NO_ANSWER,
    AnswerPendingError: NO_ANSWER,
    UnansweredError: NO_ANSWER,
    SuspendedError: NO_ANSWER,
    LedgerCorruptError: UNSOUND,
    LedgerMissingError: WRONG,
    LedgerUnavailableError: FAULT,
}


def code_of(error: DiscreetError) -> int:
    """The exit code of an error that was raised on purpose.

    >>> code_of(BudgetExhaustedError()), code_of(DiscreetError())
    (3, 2)
    """
    return next((code for kind, code in _CODES.items() if isinstance(error, kind)), WRONG)


def run_command(command: Callable[..., object]) -> NoReturn:
    """Run a command and end the process as it ended."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PrivacyWarning)
            warnings.showwarning = _note
            command()
    except DiscreetError as error:
        print_error(error)
        sys.exit(code_of(error))
    except OSError as error:
        if error.errno != errno.EPIPE:
            print_error(f"{error.filename or 'the file'}: {error.strerror}")
        sys.exit(FAULT)
    except Exception as error:
        _confess(error)
        sys.exit(FAULT)
    sys.exit(0)


def _confess(error: Exception) -> None:
    """A bug: where it is, and not what it says, since that may hold a value of the data."""
    for frame in traceback.extract_tb(error.__traceback__):
        click.echo(f"  {frame.filename}:{frame.lineno} {frame.name}", err=True)
    print_error(
        f"a bug in discreet: {type(error).__name__}. Its text is not shown, since it could hold a "
        "value of the data. Please report the lines above, and check discreet budget: what was "
        "charged stays charged."
    )


def _note(message: Warning | str, *_: object, **__: object) -> None:
    click.secho("note: ", fg="yellow", bold=True, nl=False, err=True)
    click.echo(_sentence(message_text(message)), err=True)


def print_error(message: object, *, err: bool = True) -> None:
    """A refusal or a fault, as the user sees it."""
    click.secho("discreet: ", fg="red", bold=True, nl=False, err=err)
    click.echo(_sentence(message_text(message)), err=err)


def message_text(message: object) -> str:
    """A message as the command line has it; what SQL or a policy refused is in their syntax."""
    if isinstance(message, DiscreetError | PrivacyWarning):
        return message.told(Front.COMMAND)
    return str(message)


def _sentence(text: str) -> str:
    """The text with a capital, unless it starts with a name of the user's.

    >>> _sentence("the ledger is locked."), _sentence("visits.toml is not TOML.")
    ('The ledger is locked.', 'visits.toml is not TOML.')
    """
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text
