"""Whatever is sent to any address of the site: no fault, and no state changes by bad input."""

import json
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.survey.poll_schemes import KINDS
from tests.survey.conftest import Site, Sites

schemathesis = pytest.importorskip("schemathesis", reason="NO TESTS BY SCHEMATHESIS: not installed")


def state(site: Site) -> tuple[Any, ...]:
    """All that a respondent could change, besides the counters of refusals."""
    return (
        site.store.tally()[0],
        [row for page in site.store.reports() for row in page],
        site.store.tokens(),
    )


def operations(site: Site) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        schema = schemathesis.openapi.from_asgi("/openapi.json", site.application)
        return [found.ok() for found in schema.get_all_operations()]


def fuzz(operation: Any, check: Callable[[Any, Any], None], negative: bool = True) -> None:
    """Send what the document allows, and what it does not."""
    modes = schemathesis.GenerationMode
    allowed = operation.as_strategy(generation_mode=modes.POSITIVE)
    varied = negative and (bool(operation.body) or bool(operation.query))
    cases = allowed | operation.as_strategy(generation_mode=modes.NEGATIVE) if varied else allowed

    @settings(suppress_health_check=list(HealthCheck), database=None)
    @given(case=cases)
    def run(case: Any) -> None:
        check(case, case.call())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run()


@pytest.mark.slow
def test_the_document_lists_every_address_of_the_interface(site: Sites) -> None:
    found = {(one.method.upper(), one.path) for one in operations(site())}
    assert found == {
        ("GET", "/scheme.json"),
        ("GET", "/api/poll"),
        ("POST", "/reports"),
        ("GET", "/api/results"),
        ("GET", "/api/export"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("tokens", ["none", "one-time"])
def test_no_request_makes_a_fault_and_answers_are_as_documented(site: Sites, tokens: str) -> None:
    made = site(tokens=tokens)
    assert made.send(report=1).status_code in (201, 403)
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.checks.status_code_conformance,
        schemathesis.checks.content_type_conformance,
        schemathesis.checks.response_schema_conformance,
    ]
    seen: Counter[int] = Counter()
    held = [state(made)]

    def check(case: Any, response: Any) -> None:
        seen[response.status_code] += 1
        case.validate_response(response, checks=checks)
        found = state(made)
        if response.status_code == 201:
            held[0] = found
        assert found == held[0]  # whatever was refused has changed nothing

    for operation in operations(made):
        fuzz(operation, check)
    assert {200, 400, 422} <= set(seen)
    assert (201 in seen) == (tokens == "none")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, "duchi", "piecewise", "hybrid"])
def test_what_the_document_allows_is_taken(site: Sites, kind: str) -> None:
    number = {} if kind in KINDS else {"answers": None, "low": 0, "high": 4}
    made = site(scheme=kind, **number)
    (operation,) = (one for one in operations(made) if one.path == "/reports")
    seen: Counter[int] = Counter()
    listed: list[Any] = []

    def check(case: Any, response: Any) -> None:
        seen[response.status_code] += 1
        if response.status_code == 400:
            listed.append(case.body["report"])

    fuzz(operation, check, negative=False)
    assert seen[201] > 0
    # To a document 1.0 is an integer; and it cannot tell the order of places or unused bits.
    unwritten = {"subset": lambda one: one != sorted(one), "unary": lambda one: int(one, 16) & 31}
    for one in listed:
        floats = any(type(part) is float for part in (one if isinstance(one, list) else [one]))
        assert floats or (kind in unwritten and unwritten[kind](one)), one
    assert set(seen) <= {201, 400, 409}


def test_no_body_that_is_nearly_right_makes_a_fault(site: Sites) -> None:
    made = site()
    before = state(made)
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40)
    anything = st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )

    @settings(database=None)
    @given(report=anything.filter(lambda one: type(one) is not int or not 0 <= one < 3))
    def run(report: Any) -> None:
        response = made.send(report=report) if _is_json(report) else made.send(report=None)
        assert response.status_code == 400

    run()
    assert state(made) == before


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False).encode()
    except ValueError:
        return False
    return True
