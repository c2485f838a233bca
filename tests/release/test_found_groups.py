"""Groups that are found privately: what is said of others, and of people over the cap."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import isqrt
from random import Random

import numpy as np
import pandas
import pytest

import discreet as dp
from discreet.engines.base import SIZES
from discreet.measures.measure import SHARE, Answers, LeftOut
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.estimates import IntervalKind, LinearError
from discreet.release.caps import CapEffect, CapEffects, cap_effects
from discreet.release.price import PricedKeySelection, price_from_data
from discreet.release.profile import Amount, Profile, SizeHistogram
from discreet.release.report import report_page
from tests.neighbors.holes import KEYS, reopened
from tests.support.measuring import assert_keys_move_within

FLEETS = (14, 25, 28, 53, 58, 84, 129, 193, 203, 237, 289, 316, 582, 600, 620, 629)
"""How many planes the carriers of a year of flights from New York have."""
PRICE = {"epsilon": 1, "delta": 1e-6}


def flights(fleets: Sequence[int] = FLEETS, **declared: object) -> dp.Table:
    """A carrier for each fleet; each plane has three flights."""
    planes = [
        (f"c{place:02d}", f"c{place}-{one}") for place, n in enumerate(fleets) for one in range(n)
    ]
    frame = pandas.DataFrame([*planes, *planes, *planes], columns=["carrier", "plane"])
    return dp.table(
        frame,
        name="flights",
        columns={"carrier": dp.text()},
        budget=dp.Budget(epsilon=20, delta="1/1000"),
        ledger=":memory:",
        **({"unit": "plane", "max_groups": 1, "max_rows": 10} | declared),  # type: ignore[arg-type]
    )


class TestWhichAreFound:
    def test_nearly_all_carriers_are_found_beside_a_count_of_flights(self) -> None:
        """Of 16: those of 53 planes or more, but once in a million; and 28 planes half the time."""
        plan = flights().group_by("carrier").agg(n=dp.rows()).plan(**PRICE)
        assert plan.price.selection is not None
        assert plan.price.selection.epsilon == Fraction(1, 2)
        found = [plan.release() for _ in range(15)]
        assert min(map(len, found)) >= 13
        assert sum(map(len, found)) >= 15 * 13 + 3

    def test_plan_and_answer_say_from_how_many_people_on_a_group_appears(self) -> None:
        plan = flights().group_by("carrier").agg(planes=dp.people()).plan(**PRICE)
        said = (
            "carrier: groups are found privately (partition selection), and small ones are not "
            "shown. A group of 15 people is shown in 50 of 100 answers, of 17 in 95, of 11 in 1."
        )
        answer = plan.release()
        assert said in plan.notes
        assert said in plan.explain()
        assert said in answer.notes
        assert said in answer.to_json()
        assert any("a number near 15 is often too high" in note for note in answer.notes)

    def test_an_empty_answer_says_it_too(self) -> None:
        answer = flights((3, 2)).group_by("carrier").agg(n=dp.rows()).release(**PRICE)
        said = "a group needs about 26 people, and 30 to be shown in 95 of 100 answers"
        assert len(answer) == 0
        assert said in repr(answer).replace("\n", " ")
        assert f"No group shown: {said}. A larger ε" in report_page(answer)
        assert said in answer._repr_html_()

    def test_an_answer_that_conditions_emptied_does_not(self) -> None:
        asked = "SELECT carrier, PEOPLE() AS planes FROM flights GROUP BY 1 HAVING planes > 9999"
        answer = flights().sql(asked, **PRICE)
        assert len(answer) == 0
        assert "no row is left" in repr(answer)

    def test_rows_are_no_people(self) -> None:
        table = flights(unit="row", max_groups=None, max_rows=None)
        plan = table.group_by("carrier").agg(n=dp.rows()).plan(**PRICE)
        assert any("A group of 15 rows is shown" in note for note in plan.notes)
        assert not any("which a hash chose" in note for note in plan.notes)


# ---------------------------------------------------------------------- people over the cap

CAP = 2
Groups = tuple[frozenset[str], ...]
"""In which groups each person is."""


def sizes_of(people: Groups) -> SizeHistogram:
    counts = [0] * (len(SIZES) + 1)
    for own in people:
        counts[next(place for place, top in enumerate(SIZES) if len(own) <= top)] += 1
    return SizeHistogram(tuple(counts), Laplace(scale=1))


def known(people: Groups) -> Profile:
    """A profile without noise; each person has a row in each group."""
    return Profile(
        version="",
        rows=sizes_of(people),
        groups={"carrier": sizes_of(people)},
        fullest={},
        missing=Amount(Fraction(0), LinearError(())),
        entry=1,
        time="",
    )


def effects(profile: Profile | None, ceiling: int | None) -> CapEffects:
    table = flights(max_groups=CAP, at_most_groups=ceiling)
    plan = table.group_by("carrier").agg(planes=dp.people()).plan(**PRICE)
    selection = plan.price.selection
    assert isinstance(selection, PricedKeySelection)
    return cap_effects(plan.question, plan.price.unit, profile, selection.answers)


def assignments(people: Groups) -> list[list[frozenset[str]]]:
    """Some ways to choose groups of those who are over the cap, among them the least fair ones."""
    random = Random(str(people))
    ways = [
        [frozenset(sorted(own, reverse=turned)[:CAP]) for own in people] for turned in (False, True)
    ]
    return [*ways, [frozenset(random.sample(sorted(own), min(CAP, len(own)))) for own in people]]


PEOPLE = [frozenset(own) for own in ("a", "ab", "bc", "abc", "abcd", "abcdefg")]


@pytest.mark.parametrize("ceiling", [None, 7])
def test_bounds_hold_all_whom_the_hash_assigned_elsewhere(ceiling: int | None) -> None:
    """Every three people of some kinds, without noise; the control calculates with weights."""
    misses = 0
    for people in product(PEOPLE, repeat=3):
        effect = effects_of(people, ceiling)
        weighed = CapEffect(effect.weights, effect.largest, condition=effect.condition)
        for way, group in product(assignments(people), "abcdefg"):
            counted = sum(group in own for own in way)
            truth = sum(group in own for own in people)
            low, high = ends(effect, counted)
            assert low <= truth <= high
            factor = weighed.factor
            misses += factor is not None and truth > counted * factor
    assert misses > 0 or ceiling is None


def effects_of(people: Groups, ceiling: int | None) -> CapEffect:
    found = effects(known(people), ceiling).assigned
    assert found is not None
    assert found.assigned
    return found


def ends(effect: CapEffect, counted: int) -> tuple[float, float]:
    left_out = LeftOut("max_groups", Answers.SUM)
    truth = effect.truth(left_out, counted, LinearError(()), None)
    return (counted, counted) if truth is None else truth.interval(counted, Fraction(95, 100))


def test_a_ceiling_at_the_cap_leaves_nothing_but_noise() -> None:
    found = effects(None, CAP).assigned
    assert found is not None
    assert not found.bites
    table = flights(max_groups=CAP, at_most_groups=CAP)
    answer = table.group_by("carrier").agg(planes=dp.people()).release(**PRICE)
    assert all(one.kind is IntervalKind.NOISE for one in answer.columns["planes"])
    assert not any("which a hash chose" in note for note in answer.notes)


def test_without_a_ceiling_or_a_profile_the_bounds_are_open_and_notes_say_why() -> None:
    table = flights(max_groups=CAP)
    answer = table.group_by("carrier").agg(planes=dp.people()).release(**PRICE)
    assert all(one.upper == float("inf") for one in answer.columns["planes"])
    assert any(
        "a plane in more than 2 groups helps only 2 of them to be shown, which a hash" in note
        for note in answer.notes
    )
    assert (
        "planes: a plane in more than 2 groups counts in 2 that a hash chose. True numbers are "
        "higher."
    ) in answer.notes


def test_counts_near_the_threshold_combine_in_arithmetic() -> None:
    """A number near the threshold has bounds that no draw of noise has; sums hold both."""
    table = flights((16, 600), at_most_groups=1)
    plan = table.group_by("carrier").agg(planes=dp.people()).plan(**PRICE)
    answers = (plan.release().columns["planes"] for _ in range(20))
    few, many = next(both for both in answers if len(both) == 2 and both[0].value <= 17)
    assert few.lower < few.value - 3
    assert (many.lower, many.upper) == (many.value - 3, many.value + 3)
    both = few + many
    assert both.lower <= few.lower + many.lower < few.value + many.value
    assert both.lower <= 616 <= both.upper
    assert (many - many.value).upper == 3


# ---------------------------------------------------------------------- groups by weight


def held(people: Sequence[int], **declared: object) -> dp.Table:
    """People in so many groups each: the first ones."""
    rows = [(f"p{place}", f"g{group}") for place, n in enumerate(people) for group in range(n)]
    return dp.table(
        pandas.DataFrame(rows, columns=["person", "group"]),
        name="visits",
        unit="person",
        columns={"group": dp.text()},
        budget=dp.Budget(epsilon=20, delta="1/1000"),
        ledger=":memory:",
        **({"max_groups": 3, "max_rows": 10} | declared),  # type: ignore[arg-type]
    )


def weights(people: Sequence[int], share: int = SHARE) -> Counter[str]:
    """What people add to each group, as the engine adds it up."""
    with held(people) as table:
        plan = table.group_by("group").agg(n=dp.rows()).plan(**PRICE)
        assert plan.price.key_share == SHARE
        found = table.engine().candidates(plan.question, share=share)
        many = found.counts.open().tolist()
        labels = found.released(np.arange(len(many)))
        return Counter({label[0]: one for label, one in zip(labels, many, strict=True)})


@pytest.mark.parametrize("share", [4, SHARE])
def test_people_with_few_groups_add_more_to_each_and_those_over_the_cap_to_some(
    share: int,
) -> None:
    assert weights([1], share) == {"g0": share}
    assert weights([2], share) == dict.fromkeys(("g0", "g1"), isqrt(share**2 // 2))
    cut = weights([7], share)
    assert set(cut.values()) == {isqrt(share**2 // 3)}
    assert len(cut) == 3
    together = weights([1, 2], share)
    assert together["g0"] == share + isqrt(share**2 // 2)


def test_a_person_moves_no_more_keys_and_weight_than_is_priced_unless_each_key_counts_in_full():
    before, after = weights([2, 3, 7]), weights([2, 3])
    with held([1]) as table:
        question = table.group_by("group").agg(n=dp.rows()).plan(**PRICE).question
    assert_keys_move_within(question, before, after, SHARE)
    with reopened(KEYS):
        before, after = weights([2, 3, 7]), weights([2, 3])
    with pytest.raises(AssertionError, match="weights of keys"):
        assert_keys_move_within(question, before, after, SHARE)


def test_groups_by_weight_say_for_whom_so_many_people_are_enough() -> None:
    with held([1] * 40 + [3] * 300, max_groups=10) as table:
        plan = table.group_by("group").agg(n=dp.rows()).plan(**PRICE)
        assert plan.price.selection is not None
        assert plan.price.selection.mechanism.name == "WeightedThreshold"
        (note,) = [one for one in plan.notes if "found privately" in one]
        assert "A group of 95 people is shown in 50 of 100 answers" in note
        assert note.endswith(
            "These numbers are for people in 5 groups each. For 50 of 100 answers, 43 people in no "
            "other group are enough; of people in 10 groups it takes 134."
        )
        answer = plan.release()
        assert [group[0] for group in answer.groups] == ["g0", "g1", "g2"]
        assert len(plan.queries) == 2
    with held([1] * 3, max_groups=10) as table:
        none = table.group_by("group").agg(n=dp.rows()).release(**PRICE)
        assert "43 people in no other group are enough" in repr(none).replace("\n", " ")


def test_an_answer_that_was_paid_before_keeps_the_mechanism_it_was_found_by() -> None:
    """Its price does not name one: then it is the best of those that there were."""
    with held([1], max_groups=10) as table:
        plan = table.group_by("group").agg(n=dp.rows()).plan(**PRICE)
    data = plan.price.to_data(plan.question)
    assert price_from_data(data, plan.question) == plan.price
    del data["selection"]["mechanism"]
    earlier = price_from_data(data, plan.question).selection
    assert earlier is not None
    assert earlier.mechanism.name == "GaussianThreshold"
