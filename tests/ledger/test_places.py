"""Where a ledger is: an address that is written wrongly is refused, and no password is shown."""

import pytest

from discreet.errors import DataError
from discreet.ledger import Ledger
from discreet.ledger.postgres import shown_url


@pytest.mark.parametrize("place", ["postgresql:ann:8675309@host", "postgres:8675309", "mysql://x"])
def test_an_address_that_is_written_wrongly_is_no_file(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="the ledger's place is") as caught:
        Ledger(place)
    assert "8675309" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "password", ["secret", "se/cret", "se?cret", "se#cret", "s@cret", "s:cret"]
)
def test_a_password_is_not_shown_whatever_it_holds(password):
    assert shown_url(f"postgresql://ann:{password}@host:1/db?x=1") == "postgresql://ann@host:1/db"
