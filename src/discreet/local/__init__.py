"""Local privacy: randomizers for a respondent's own value, and estimators from reports alone."""

from discreet.local.randomized_response import RandomizedResponse

__all__ = ["RandomizedResponse"]
