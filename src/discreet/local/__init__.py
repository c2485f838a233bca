"""Local privacy: randomizers for a respondent's own value, and estimators from reports alone."""

from discreet.local.account import Account
from discreet.local.approximate_response import ApproximateResponse
from discreet.local.choose import Choice, choose
from discreet.local.comparison import difference
from discreet.local.exports import read_export
from discreet.local.hadamard import HadamardResponse
from discreet.local.heavy_hitters import HeavyHitters, Level
from discreet.local.mean import Mean
from discreet.local.memo import Memo
from discreet.local.planning import Plan, epsilon_for, respondents_for
from discreet.local.projective import ProjectiveGeometryResponse
from discreet.local.proportions import Proportions
from discreet.local.randomized_response import RandomizedResponse
from discreet.local.repeated import Repeated
from discreet.local.scheme import Scheme, scheme
from discreet.local.shuffle import Shuffled, shuffled, shuffled_delta
from discreet.local.subset import SubsetSelection
from discreet.local.tally import Tally
from discreet.local.unary import UnaryEncoding

__all__ = [
    "Account",
    "ApproximateResponse",
    "Choice",
    "HadamardResponse",
    "HeavyHitters",
    "Level",
    "Mean",
    "Memo",
    "Plan",
    "ProjectiveGeometryResponse",
    "Proportions",
    "RandomizedResponse",
    "Repeated",
    "Scheme",
    "Shuffled",
    "SubsetSelection",
    "Tally",
    "UnaryEncoding",
    "choose",
    "difference",
    "epsilon_for",
    "read_export",
    "respondents_for",
    "scheme",
    "shuffled",
    "shuffled_delta",
]
