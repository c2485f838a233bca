"""The page of whoever asks is for whoever follows its link first, and for nobody else."""

from pathlib import Path
from typing import Any

import pytest

from discreet.survey.tokens import new_token, token_hash
from discreet.web.one_time_link import OneTimeLink
from tests.survey.conftest import Site, Sites

SECRET = ["/operator/status", "/operator/status?format=csv", "/operator/export"]


@pytest.fixture
def link() -> tuple[OneTimeLink, str]:
    return OneTimeLink.made()


def entered(made: Site, key: str) -> Any:
    return made.ask("POST", "/operator/session", json={"key": key})


def bearer(session: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {session}"}


def test_a_key_opens_the_page_once(site: Sites, link: tuple[OneTimeLink, str]) -> None:
    made = site(results="private", link=link[0])
    assert made.send(report=1).status_code == 201
    assert "noindex" in made.ask("GET", "/operator").text
    assert made.ask("HEAD", "/operator").status_code == 200
    for bad in ("", "0" * 32, link[1][:-1]):
        assert entered(made, bad).status_code == 403
    session = entered(made, link[1]).json()["session"]
    assert entered(made, link[1]).status_code == 403  # the link works once
    found = made.ask("GET", "/operator/status", headers=bearer(session)).json()
    assert found["reports"] == 1
    assert found["questions"][0]["shares"]
    assert found["shown"] == 0
    assert made.ask("GET", "/api/results").json()["reports"] == 0  # for everyone: private
    export = made.ask("GET", "/operator/export?format=json", headers=bearer(session))
    assert len(export.json()["reports"]) == 1


def test_a_stranger_gets_and_changes_nothing(site: Sites, link: tuple[OneTimeLink, str]) -> None:
    made = site(link=link[0])
    session = entered(made, link[1]).json()["session"]
    for headers in ({}, bearer(""), bearer("0" * 32), bearer(link[1]), {"Authorization": session}):
        for path in SECRET:
            assert made.ask("GET", path, headers=headers).status_code == 403
        closing = made.ask("POST", "/operator/closed", json={"closed": True}, headers=headers)
        assert closing.status_code == 403
    assert made.send(report=1).status_code == 201


def test_without_a_link_there_is_no_such_page(site: Sites) -> None:
    made = site()
    for path in ("/operator", *SECRET):
        assert made.ask("GET", path).status_code == 404


def test_the_holder_closes_and_opens(site: Sites, link: tuple[OneTimeLink, str]) -> None:
    made = site(link=link[0])
    session = entered(made, link[1]).json()["session"]

    def close(closed: object) -> Any:
        return made.ask(
            "POST", "/operator/closed", json={"closed": closed}, headers=bearer(session)
        )

    assert close("yes").status_code == 400
    assert close(True).json() == {"closed": True}
    assert made.send(report=1).status_code == 410
    assert close(False).json() == {"closed": False}
    assert made.send(report=1).status_code == 201


def test_the_response_rate_and_faults_are_told(
    site: Sites, link: tuple[OneTimeLink, str], tmp_path: Path
) -> None:
    made = site(tokens="one-time", link=link[0])
    tokens = [new_token() for _ in range(4)]
    made.store.add_tokens([token_hash(token) for token in tokens])
    assert made.send(report=1, token=tokens[0]).status_code == 201
    made.collector.tell(OSError(str(tmp_path)), 3)
    session = entered(made, link[1]).json()["session"]
    found = made.ask("GET", "/operator/status", headers=bearer(session)).json()
    assert (found["invited"], found["tokens_used"]) == (4, 1)
    (fault,) = found["faults"]
    assert "OSError" in fault["text"]
    assert str(tmp_path) not in fault["text"]
    lines = made.ask("GET", "/operator/status?format=csv", headers=bearer(session)).text
    assert lines.startswith("answer,share,")


def test_neither_key_nor_session_is_kept(link: tuple[OneTimeLink, str]) -> None:
    one, key = link
    session = one.exchange(key)
    assert session is not None
    assert len(key) == len(session) == 32
    assert key != session
    for kept in vars(one).values():
        assert kept is None or (key not in kept and session not in kept)
