"""Local privacy: randomizers for a respondent's own value, and estimators from reports alone."""

from discreet.local.group_difference import difference
from discreet.local.hadamard_response import HadamardResponse
from discreet.local.heavy_hitters import HeavyHitters, Level
from discreet.local.mean import Mean
from discreet.local.memoization import Memo
from discreet.local.projective_geometry import ProjectiveGeometryResponse
from discreet.local.proportions import Proportions
from discreet.local.randomized_response import ApproximateResponse, RandomizedResponse
from discreet.local.repeated import Repeated
from discreet.local.respondent_account import Account
from discreet.local.scheme import Scheme, Tally, read_export, scheme
from discreet.local.scheme_choice import Choice, choose
from discreet.local.shuffle import Shuffled, shuffled, shuffled_delta
from discreet.local.subsets import SubsetSelection, UnaryEncoding
from discreet.local.survey_planning import SurveyPlan, epsilon_for, respondents_for

__all__ = [
    "Account",
    "ApproximateResponse",
    "Choice",
    "HadamardResponse",
    "HeavyHitters",
    "Level",
    "Mean",
    "Memo",
    "ProjectiveGeometryResponse",
    "Proportions",
    "RandomizedResponse",
    "Repeated",
    "Scheme",
    "Shuffled",
    "SubsetSelection",
    "SurveyPlan",
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
