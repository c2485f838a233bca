"""Made-up visits to a hospital, by a fixed public recipe: the same rows on every machine.

Nothing in it is secret, and none of its numbers is noise.
"""

import csv
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

PEOPLE: Final = 2_000
WARDS: Final = ("Emergency", "Medicine", "Surgery", "Maternity", "Oncology")
COLUMNS: Final = ("patient_id", "ward", "age", "stay", "admitted", "smoker")
_SHARES: Final = (44, 72, 90, 98, 100)  # of a hundred visits, up to and with each ward
_FIRST: Final = datetime.date(2024, 1, 1)
_DAYS: Final = 731

POLICY: Final = """\
# What may be asked of the hospital's visits, and how much privacy it may cost in all.
source     = "visits.csv"
name       = "visits"
unit       = "patient_id"    # all visits of a patient count as one
neighbors  = "add-remove"
max_groups = 2               # a patient counts in at most two wards
max_rows   = 5               # and for at most five visits
ledger     = "visits.ledger"

[budget]
epsilon = 1

[columns]
ward     = { values = ["Emergency", "Medicine", "Surgery", "Maternity", "Oncology"] }
age      = { type = "integer", low = 0, high = 100 }
stay     = { low = 0, high = 30 }
admitted = { type = "date", low = "2024-01-01", high = "2025-12-31" }
smoker   = { type = "boolean" }
"""


def write_hospital(folder: Path) -> Path:
    """Write ``visits.csv`` and its policy into a folder; the policy's path."""
    with open(folder / "visits.csv", "x", encoding="utf-8", newline="") as file:
        write_visits(file)
    policy = folder / "visits.toml"
    with open(policy, "x", encoding="utf-8") as file:
        file.write(POLICY)
    return policy


def write_visits(file: TextIO) -> None:
    """The rows as CSV."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(visits())


def visits() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Every visit: a few for most people, many for some; some stays and habits are not known."""
    numbers = _numbers()

    def below(bound: int) -> int:
        return next(numbers) * bound >> 31

    for person in range(1, PEOPLE + 1):
        age = 18 + (below(80) + below(60)) * 8 // 14
        smokes = "" if below(20) == 0 else "true" if below(100) < 24 else "false"
        frequent = below(25) == 0
        home = below(100)
        for _ in range(1 + min(below(3), below(4)) + (below(9) if frequent else 0)):
            place = home if below(3) else below(100)
            ward = next(n for n, share in enumerate(_SHARES) if place < share)
            days = (1 + ward) * (1 + below(7)) * (1 + below(9)) / 14
            yield (
                f"P{person:04}",
                WARDS[ward],
                str(age),
                "" if below(30) == 0 else f"{days:.1f}",
                (_FIRST + datetime.timedelta(days=below(_DAYS))).isoformat(),
                smokes,
            )


def _numbers() -> Iterator[int]:
    """Numbers of 31 bits that look irregular: a linear congruence (Knuth's MMIX)."""
    state = 2006  # the year of differential privacy
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield state >> 33
