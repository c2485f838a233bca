"""Composing losses: what many releases give away together.

- A batch that was fixed in advance: ``batch_epsilon``, the best of all accountants.
- Questions that depend on answers: ``Filter``; what was spent so far: ``Odometer``.
- One-off calls: ``dp.spending``.
"""

from discreet.public_names import listed, loader

_HOMES = listed(__name__)
__getattr__ = loader(__name__, _HOMES)
__all__ = sorted(_HOMES)  # noqa: PLE0605
