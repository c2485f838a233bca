"""A true value on its way to a mechanism does not show itself."""

import copy
import json
import pickle

import pytest

from discreet.privacy.sensitivity import Sensitive

SECRET = Sensitive(8675309)


@pytest.mark.parametrize(
    "show", [repr, str, "{}".format, "{!r:>30}".format], ids=lambda s: s.__name__
)
def test_it_is_not_printed(show):
    assert "8675309" not in show(SECRET)


@pytest.mark.parametrize(
    "use",
    [
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        hash,
        int,
        float,
        list,
        len,
        vars,
        lambda secret: secret == Sensitive(8675309),
        lambda secret: secret != 8675309,
        lambda secret: secret < 1,
        lambda secret: secret + 1,
        lambda secret: secret in [8675309],
        lambda secret: f"{secret:d}",
    ],
)
def test_it_is_not_copied_compared_computed_with_or_formatted(use):
    with pytest.raises(TypeError) as refusal:
        use(SECRET)
    assert "8675309" not in str(refusal.value)


def test_a_mechanism_opens_it():
    assert SECRET.open() == 8675309
