"""The best attack on a mechanism: what testing one input against another can achieve.

Numbers are rationals, exact where the laws are rational; else they are rounded towards the
attacker, so that no attack is better than stated, by at most 1e-12.
Proof: docs/proofs/verification.md
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from math import inf
from numbers import Real
from reprlib import Repr
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.exact import decimal_text
from discreet.privacy.laws import Atom
from discreet.privacy.region import Region, read_rate
from discreet.privacy.verification import (
    TOLERANCE,
    Table,
    Verifiable,
    Verification,
    narrow_atoms,
    stated,
    verify,
)
