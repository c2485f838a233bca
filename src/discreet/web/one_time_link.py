"""A link that lets in whoever follows it first, and nobody after."""

from hashlib import sha256
from hmac import compare_digest
from typing import Final

from discreet.noise import BitSource, Keystream

_BITS: Final = 128


class OneTimeLink:
    """A random key that is exchanged once for a session, which only its holder knows.

    Both are in memory as hashes, and gone with the process.

    >>> link, key = OneTimeLink.made()
    >>> session = link.exchange(key)
    >>> link.exchange(key) is None, link.admits(session), link.admits("guess")
    (True, True, False)
    """

    def __init__(self, key_hash: str) -> None:
        self._key: str | None = key_hash
        self._session: str | None = None

    @classmethod
    def made(cls, source: BitSource | None = None) -> tuple["OneTimeLink", str]:
        """A link and its key, which is not kept."""
        key = _secret(source)
        return cls(_hash(key)), key

    def exchange(self, key: str, source: BitSource | None = None) -> str | None:
        """A session for the key, if nobody has used it yet."""
        if self._key is None or not compare_digest(self._key, _hash(key)):
            return None
        session = _secret(source)
        self._key, self._session = None, _hash(session)
        return session

    def admits(self, session: str) -> bool:
        """Whether this is the session that the key was exchanged for."""
        return self._session is not None and compare_digest(self._session, _hash(session))


def _secret(source: BitSource | None) -> str:
    return f"{(source or Keystream()).bits(_BITS):0{_BITS // 4}x}"


def _hash(secret: str) -> str:
    return sha256(secret.encode(errors="replace")).hexdigest()
