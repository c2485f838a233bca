"""Every error discreet raises on purpose, in one tree.

    DiscreetError
    ├── PrivacyParameterError   an ε, δ, ρ, scale or sensitivity that has no meaning
    ├── BoundsError             public bounds, bins, categories or a grid are missing or wrong
    ├── DataError               the argument is not the kind of data the function takes
    ├── BudgetExhaustedError    the budget does not cover the question: nothing was read
    └── VerificationError       a mechanism or a pair of inputs that cannot be verified

    PrivacyWarning              (a warning) a parameter that is allowed and rarely meant

Messages state a fact, the rule behind it and the remedy, in that order.  They carry
parameters that the caller wrote, never a value from the data.
"""


class DiscreetError(Exception):
    """The root of every error that discreet raises on purpose."""


class PrivacyParameterError(DiscreetError, ValueError):
    """A privacy parameter without meaning: ε ≤ 0, NaN, a negative scale."""


class BoundsError(DiscreetError, ValueError):
    """Public bounds, bins, categories or a grid that are missing or contradictory."""


class DataError(DiscreetError, TypeError):
    """The argument is not the kind of data that the function takes."""


class BudgetExhaustedError(DiscreetError):
    """The budget does not cover the question.  Nothing was read, nothing was spent."""


class VerificationError(DiscreetError, ValueError):
    """A mechanism without an exact law, or a pair of inputs that it cannot compare."""


class PrivacyWarning(UserWarning):
    """A parameter that is allowed and rarely meant, such as ε = 100."""
