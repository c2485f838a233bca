"""A naive twin of the page's randomizer, which says what every path of decisions must lead to."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

WHOLE = 1 << 64


class Branch(Exception):  # noqa: N818
    """A decision that the path does not hold yet: its outcomes, with probabilities and words."""

    def __init__(self, outcomes: list[tuple[int, Fraction, list[list[int]]]]) -> None:
        super().__init__()
        self.outcomes = outcomes


class Decisions:
    """Decisions along one path; the first that is not on it is raised."""

    def __init__(self, path: list[int]) -> None:
        self.path = iter(path)

    def happens(self, chance: int) -> bool:
        return bool(
            self._next(
                [
                    (1, Fraction(chance, WHOLE), [[0], [chance - 1]]),
                    (0, 1 - Fraction(chance, WHOLE), [[chance], [WHOLE - 1]]),
                ]
            )
        )

    def below(self, bound: int) -> int:
        limit = WHOLE - WHOLE % bound
        again = [limit, WHOLE - 1] if limit < WHOLE else []
        return self._next(
            [
                (place, Fraction(1, bound), [[place], [*again, limit - bound + place]])
                for place in range(bound)
            ]
        )

    def _next(self, outcomes: list[tuple[int, Fraction, list[list[int]]]]) -> int:
        for decision in self.path:
            return decision
        raise Branch(outcomes)


def twin(fields: dict[str, Any], size: int, answer: int, decide: Decisions) -> Any:
    """A report, as the scheme says."""
    others = [place for place in range(size) if place != answer]
    match fields["scheme"]:
        case "randomized-response":
            if decide.happens(int(fields["keep"])):
                return answer
            return others[decide.below(size - 1)]
        case "unary":
            one, other = int(fields["one"]), int(fields["other"])
            bits = [decide.happens(one if place == answer else other) for place in range(size)]
            padded = bits + [False] * (-size % 8)
            return "".join(
                f"{sum(bit << 7 - at for at, bit in enumerate(padded[start : start + 8])):02x}"
                for start in range(0, len(padded), 8)
            )
        case "subset":
            kept = decide.happens(int(fields["keep"]))
            drawn = [answer] if kept else []
            for at in range(fields["size"] - kept):
                place = at + decide.below(len(others) - at)
                others[at], others[place] = others[place], others[at]
                drawn.append(others[at])
            return sorted(drawn)
        case "hadamard":
            row = decide.below(fields["rows"])
            bit = (row & answer + 1).bit_count() % 2
            return [row, bit if decide.happens(int(fields["keep"])) else 1 - bit]
        case "projective":
            return _projective(fields, answer, decide)
        case "mean":
            return _mean(fields, answer, decide)
    raise AssertionError


def _projective(fields: dict[str, Any], answer: int, decide: Decisions) -> int:
    """By lists: all points, and all vectors with the inner product that is drawn."""
    prime, dimension = fields["prime"], fields["dimension"]
    vectors = list(product(range(prime), repeat=dimension))
    points = [one for one in vectors if next((digit for digit in one if digit), 0) == 1]
    own = points[answer]
    pivot = own.index(1)
    kept = decide.happens(int(fields["keep"]))

    def inner(vector: tuple[int, ...]) -> int:
        return sum(a * b for a, b in zip(own, vector, strict=True)) % prime

    fitting = [one for one in vectors if inner(one) == (0 if kept else 1) and any(one)]
    fitting.sort(key=lambda one: one[:pivot] + one[pivot + 1 :])
    drawn = fitting[decide.below(len(fitting))]
    (point,) = {tuple(factor * digit % prime for digit in drawn) for factor in range(prime)} & set(
        points
    )
    return points.index(point)


def _mean(fields: dict[str, Any], position: int, decide: Decisions) -> int:
    steps, window, mix = fields["steps"], fields["window"], int(fields["mix"])
    if mix == WHOLE or (mix and decide.happens(mix)):
        if decide.happens(int(fields["keep"])):
            return position + decide.below(window)
        rest = [cell for cell in range(steps + window) if not position <= cell < position + window]
        return rest[decide.below(steps)]
    end = decide.below(steps) < position
    told = decide.happens(int(fields["bit"]))
    return int(fields["cells"]) + (end if told else not end)


Traced = tuple[Any, Fraction, list[list[list[int]]]]


def paths(run: Callable[[Decisions], Any], path: list[int] | None = None) -> Iterator[Traced]:
    """Every path: its report, its probability, and for each decision the words at both ends."""
    path = path or []
    try:
        yield run(Decisions(path)), Fraction(1), []
    except Branch as branch:
        for decision, chance, words in branch.outcomes:
            for report, probability, later in paths(run, [*path, decision]):
                yield report, chance * probability, [words, *later]


def scripts(words: list[list[list[int]]]) -> list[list[str]]:
    """The words at the lower ends, at the upper ends, and by turns."""
    turns = [[start + at * step for at in range(len(words))] for start in (0, 1) for step in (0, 1)]
    return [
        [str(word) for part, end in zip(words, one, strict=True) for word in part[end % 2]]
        for one in turns
    ]
