"""How a command ends.

0 done; 1 a fault outside of the request; 2 the request was wrong; 3 refused for lack of budget;
4 charged, and no answer could be given; 5 a verification failed.
"""

import errno
import sys
from collections.abc import Callable
from typing import Final, NoReturn

import click

from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    BudgetExhaustedError,
    DiscreetError,
    LedgerCorruptError,
    LedgerUnavailableError,
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
    LedgerCorruptError: UNSOUND,
    LedgerUnavailableError: FAULT,
}


def code_of(error: DiscreetError) -> int:
    """The exit code of an error that was raised on purpose.

    >>> code_of(BudgetExhaustedError()), code_of(DiscreetError())
    (3, 2)
    """
    return next((code for kind, code in _CODES.items() if isinstance(error, kind)), WRONG)


def run(command: Callable[..., object]) -> NoReturn:
    """Run a command and end the process as it ended."""
    try:
        command()
    except DiscreetError as error:
        _say(error)
        sys.exit(code_of(error))
    except OSError as error:
        if error.errno != errno.EPIPE:
            _say(f"{error.filename or 'the file'}: {error.strerror}")
        sys.exit(FAULT)
    sys.exit(0)


def _say(message: object) -> None:
    text = str(message)
    click.secho("discreet: ", fg="red", bold=True, nl=False, err=True)
    click.echo(text[:1].upper() + text[1:], err=True)
