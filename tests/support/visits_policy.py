"""A small table of visits with its policy, for commands to be tried on."""

from pathlib import Path

CANARY = "zz9-plural-alpha"
"""A text that one person's rows hold and nothing else does."""
CANARY_NUMBER = "31415.926535"

POLICY = """\
source     = "visits.csv"
unit       = "patient_id"
max_groups = 2
max_rows   = 4
ledger     = "visits.ledger"
[budget]
epsilon = 2
delta   = 1e-6
[columns]
ward   = { values = ["A", "B", "C"] }
stay   = { low = 0, high = 60 }
town   = { type = "text" }
smoker = { type = "boolean" }
"""
BY_WARD = "SELECT ward, COUNT(DISTINCT patient_id) AS patients FROM visits GROUP BY ward"
COUNT = "SELECT COUNT(*) AS n FROM visits"


def write_visits(folder: Path, *, canary: bool = False, end: str = "") -> Path:
    """``visits.csv`` and ``visits.toml`` in a folder; the policy's path."""
    lines = ["patient_id,ward,stay,town,smoker"]
    for person in range(400):
        town = "Aalen" if person % 3 else "Bonn"
        lines.append(f"p{person},{'ABC'[person % 3]},{person % 40},{town},{person % 2 == 0}")
    if canary:
        lines.append(f"{CANARY},{CANARY},{CANARY_NUMBER},{CANARY},{CANARY}")
        lines.append(f"{CANARY},A,{CANARY},{CANARY},")
    (folder / "visits.csv").write_text("\n".join(lines) + "\n" + end)
    policy = folder / "visits.toml"
    policy.write_text(POLICY)
    return policy
