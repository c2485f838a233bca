"""Scores: what groups are ranked by where the first of many are asked for.

A score is a count or a sum of numbers that are not negative, measured as one group alone sees it:
a person counts in every group, and only the rows in that group are capped.
"""

from discreet.measures.counts import COUNT, PEOPLE, ROWS, People, Present, Rows, value_where_true
from discreet.measures.measure import Measure, MeasureRules, Output, Steps, SumsReading
from discreet.measures.sums import SUM, Total


def score_of(output: Output, rules: MeasureRules) -> Measure | None:
    """The score whose largest values are those of an output; None where it has none."""
    statistic, node = output.aggregate.statistic, output.node
    if statistic is SUM:
        steps = _summed(output)
        return None if steps is None or steps.range.low < 0 else Total(steps)
    if statistic is PEOPLE and rules.by_person:
        return People(node)
    if statistic not in (ROWS, PEOPLE, COUNT):
        return None
    if node is None:
        return Rows()
    return Present(value_where_true(node) if statistic is PEOPLE else node)


def _summed(output: Output) -> Steps | None:
    """What is added up, on the grid that its answer has."""
    reading = output.measure.reading
    value = reading.value if isinstance(reading, SumsReading) else None
    return value if isinstance(value, Steps) else None
