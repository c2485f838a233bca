"""The difference of two groups' proportions or means, with its interval."""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import Any

from discreet.errors import DataError
from discreet.local.categories import names_text
from discreet.local.mean import Mean
from discreet.local.proportions import Proportions
from discreet.local.scheme import Tally
from discreet.privacy.estimates import BoundedError, Estimate, FloatInterval, Payment
from discreet.privacy.losses import ApproximateDP, PureDP

_GROUPS_NOTE = "The groups are different people, and who is in which is public."
_GUARANTEED_NOTE = f"The interval holds for any number of reports. {_GROUPS_NOTE}"
_NORMAL_NOTE = f"The interval is the normal approximation, for many reports. {_GROUPS_NOTE}"


def difference(
    first: Tally, second: Tally, *, category: object = None, interval: str = "guaranteed"
) -> Estimate:
    """The proportion (of a category) or the mean in the first group minus that in the second.

    A group is given by the tally of its reports; the two schemes may differ.  The interval is
    "guaranteed", which takes both groups' intervals at once, or "normal", which adds the two
    variances and is narrower, but only approximate.

    Guarantee: everyone reports in one group only, so the difference costs each person what their
    own report does: the larger ε of the two (and the larger δ), not the sum.

    >>> from discreet.local import RandomizedResponse
    >>> poll = RandomizedResponse.two_coin()
    >>> before, after = poll.tally([1, 0, 0, 0]), poll.tally([1, 1, 1, 0])
    >>> difference(after, before).value
    1.0
    """
    if interval not in ("guaranteed", "normal"):
        raise DataError(
            "interval is neither 'guaranteed' nor 'normal', the approximate and narrower one. "
            "Use interval='guaranteed'."
        )
    groups = [_read_group(tally) for tally in (first, second)]
    if first is second:
        raise DataError(
            "both groups are one tally. A difference is between two groups of people. Give each "
            "group its own tally."
        )
    if len({isinstance(group.scheme, Mean) for group in groups}) > 1:
        raise DataError(
            "one group has a mean, the other proportions. Only like is compared with like. Use "
            "two means, or two schemes over the same categories."
        )
    if category is None and not isinstance(first.scheme, Mean):
        _check_same_answers(groups)
    estimates = [_estimate(group, category) for group in groups]
    value = estimates[0].value - estimates[1].value
    standard_error = sqrt(
        sum(_variance(group, estimate) for group, estimate in zip(groups, estimates, strict=True))
        if interval == "normal"
        else 0.0
    )

    def bounds(confidence: Fraction) -> FloatInterval:
        if interval == "normal":
            margin = -NormalDist().inv_cdf(float((1 - confidence) / 2)) * standard_error
            margin += sum(_rounding_error(group) for group in groups)
            return value - margin, value + margin
        joint = 1 - (1 - confidence) / 2  # of each group, so that both intervals hold at once
        (low, high), (other_low, other_high) = (estimate.interval(joint) for estimate in estimates)
        return low - other_high, high - other_low

    schemes = (first.scheme, second.scheme)
    losses = [
        scheme.loss.to_approximate() if isinstance(scheme.loss, PureDP) else scheme.loss
        for scheme in schemes
    ]
    larger_loss = ApproximateDP(
        epsilon=max(loss.epsilon for loss in losses), delta=max(loss.delta for loss in losses)
    )
    return Estimate(
        value=value,
        error=BoundedError(bounds),
        releases=(
            Payment(larger_loss if larger_loss.delta else PureDP(epsilon=larger_loss.epsilon)),
        ),
        mechanism=schemes[0] if schemes[0] == schemes[1] else schemes,
        neighbors=estimates[0].neighbors,
        note=_NORMAL_NOTE if interval == "normal" else _GUARANTEED_NOTE,
    )


def _read_group(tally: object) -> Tally:
    if not isinstance(tally, Tally):
        raise DataError(
            "a group is not a tally. A tally holds a group's reports and their scheme. Use "
            "difference(poll.tally(reports), poll.tally(other_reports))."
        )
    return tally


def _check_same_answers(groups: Sequence[Tally]) -> None:
    """Refuse two answers that are not the same for both groups: which is meant must be said."""
    schemes: list[Any] = [group.scheme for group in groups]
    first, second = (
        list(scheme.proportions(group)) for scheme, group in zip(schemes, groups, strict=True)
    )
    if first != second and len(first) == len(second) == 2:
        raise DataError(
            "category is not given, and the groups have other answers or another order of them. A "
            "difference of proportions is of one category that both have. Use "
            f"category={first[1]!r}, if both groups have it."
        )


def _estimate(group: Tally, category: object) -> Estimate:
    """The group's mean, or its proportion of the category."""
    scheme: Any = group.scheme
    if isinstance(scheme, Mean):
        if category is not None:
            raise DataError(
                "there is a category and both groups have means. A difference of means is of no "
                "category. Leave category= out."
            )
        return scheme.estimate(group)
    proportions: Proportions = scheme.proportions(group)
    names = list(proportions)
    if category is None:
        if len(names) > 2:
            raise DataError(
                f"category is not given, and there are {len(names)}. A difference of proportions "
                f"is of one category. Use category={names[0]!r}, or another of {names_text(names)}."
            )
        return proportions[names[1]]  # of two answers: the proportion of the second
    if category not in proportions:
        raise DataError(
            "category is not one of both groups. A difference of proportions is of a category "
            f"that both schemes have. Use one of {names_text(names)}."
        )
    return proportions[category]


def _variance(group: Tally, estimate: Estimate) -> float:
    """The variance of the group's estimate, at the proportion or mean that was estimated."""
    scheme: Any = group.scheme
    if isinstance(scheme, Mean):
        return scheme.standard_error(group) ** 2
    return float(scheme.variance(group.reports, min(1.0, max(0.0, float(estimate.value)))))


def _rounding_error(group: Tally) -> float:
    """The most by which rounding to the scheme's grid moves a mean; none moves a proportion."""
    scheme: Any = group.scheme
    return float(scheme.rounding) if isinstance(scheme, Mean) else 0.0
