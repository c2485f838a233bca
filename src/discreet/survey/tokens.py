"""One-time tokens: made at random, kept as hashes only."""

from hashlib import sha256
from typing import Final

from discreet.noise import BitSource, Keystream

_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # none that is taken for another
_LENGTH: Final = 24  # letters of five bits: 120 bits cannot be guessed


def new_token(source: BitSource | None = None) -> str:
    """A fresh token.

    >>> len(new_token())
    24
    """
    bits = (source or Keystream()).bits(5 * _LENGTH)
    return "".join(_LETTERS[bits >> 5 * place & 31] for place in range(_LENGTH))


def token_hash(token: str) -> str:
    """The hash of a token, which does not depend on how it was typed.

    >>> token_hash("4q0x k6m3") == token_hash(" 4Q0X-K6M3")
    True
    """
    plain = "".join(letter for letter in token.lower() if letter.isalnum())
    return sha256(plain.encode(errors="replace")).hexdigest()


def new_id(source: BitSource | None = None) -> str:
    """A random name for a report that came without one, so that no row tells when it came."""
    return f"{(source or Keystream()).bits(128):032x}"
