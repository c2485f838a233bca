"""An export is counted as the collector counted it, and nothing else is taken for one."""

import json
from typing import Any

import pytest

from discreet.errors import DataError
from discreet.local import (
    HadamardResponse,
    Mean,
    RandomizedResponse,
    Repeated,
    SubsetSelection,
    UnaryEncoding,
    read_export,
)

POLL = RandomizedResponse(epsilon=1, categories=["no", "yes"])


def exported(scheme: Any, reports: list[Any]) -> str:
    rows = [{"day": "2030-01-02", "report": report} for report in reports]
    return json.dumps({"scheme": json.loads(scheme.to_json()), "reports": rows})


@pytest.mark.parametrize(
    ("scheme", "values"),
    [
        (POLL, ["no", "yes", "no"]),
        (RandomizedResponse.two_coin(categories=["né", "oui", "?"]), ["né", "?", "?"]),
        (UnaryEncoding(epsilon=1, categories=9), [1, 2, 8]),
        (SubsetSelection(epsilon=1, categories=9), [1, 2, 8]),
        (HadamardResponse(epsilon=1, categories=9), [1, 2, 8]),
        (Mean(low=0, high="1/3", epsilon=1), [0, 0.1, 0.3]),
        (Repeated(permanent=POLL), ["no", "yes", "no"]),
        (Repeated(permanent=POLL, each=POLL), ["no", "yes", "no"]),
    ],
    ids=repr,
)
def test_an_export_has_the_tally_of_its_reports(scheme: Any, values: list[Any]) -> None:
    tally, plain = scheme.tally(), []
    for value in values:
        message = scheme.report_to_wire(scheme.randomize(value))
        plain.append(json.loads(message)["report"])
        tally.add(scheme.report_from_wire(message))
    assert read_export(exported(scheme, plain)).to_bytes() == tally.to_bytes()
    assert read_export(exported(scheme, plain).encode()).to_bytes() == tally.to_bytes()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        None,
        7,
        exported(POLL, [2]),
        exported(POLL, [True]),
        exported(POLL, ["yes"]),
        exported(POLL, [1]).replace('"report": 1', '"report": 1, "report": 0'),
        exported(POLL, [1]).replace('"day"', '"name"'),
        exported(POLL, [1]).replace('"reports"', '"rows"'),
        exported(POLL, [1]).replace('"epsilon": "1"', '"epsilon": "1/2"'),
        exported(POLL, [1]).replace('"version": 2', '"version": 3'),
    ],
)
def test_what_is_not_an_export_is_refused(text: Any) -> None:
    with pytest.raises(DataError):
        read_export(text)
