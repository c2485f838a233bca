"""What has golden files: each subject is a function that writes them into a dictionary."""

from collections.abc import Callable
from pathlib import Path

from tests.golden import engines, ledger, local, surveys, tables

SUBJECTS: dict[str, Callable[[Path], dict[str, str]]] = {
    "ledger": ledger.files,
    "local": local.files,
    "surveys": surveys.files,
    "tables": tables.files,
    "sql": engines.files,
}
"""By the name of their folder; each gets an empty folder to work in."""
