"""The first groups by a released number: how they are chosen, priced, shown and kept."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import QueryError
from discreet.privacy.events import ComposedEvent, PureEvent, RepeatedEvent, event_counts
from discreet.release.plan import Plan, plan_from_data
from discreet.release.top_groups import ShownError, TopGroups, public_cells, top_groups

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")

FILMS, MANY = 300, 40


def ratings(folder: Path | None = None, **changes: Any) -> dp.Table:
    """People rate 40 films each of 300; film 1 has the most ratings, then film 2, and so on."""
    held = [
        (f"p{person}", 1 + (person * step + step * step // 7) % (3 + 7 * step), step % 5)
        for person in range(400)
        for step in range(1, MANY + 1)
    ]
    frame = pandas.DataFrame(held, columns=["person", "film", "stars"])
    frame["genre"] = "g" + (frame["film"] % 90).astype(str)
    declared: dict[str, Any] = {
        "name": "ratings",
        "unit": "person",
        "max_groups": MANY,
        "max_rows": MANY,
        "max_rows_per_group": 2,
        "budget": dp.Budget(epsilon=10**6, delta=Fraction(1, 10)),
        "columns": {
            "film": dp.integer(1, FILMS),
            "stars": dp.number(0, 5),
            "change": dp.number(-5, 5),
            "genre": dp.text(),
        },
        "ledger": ":memory:" if folder is None else str(folder / "ratings.ledger"),
    } | changes
    frame["change"] = frame["stars"] - 2
    return dp.table(frame, **declared)


PEOPLE = "SELECT film, PEOPLE() AS n, AVG(stars) AS m FROM ratings GROUP BY film "
FIRST = PEOPLE + "ORDER BY n DESC LIMIT 5"
PRICES: list[dict[str, Any]] = [
    {"epsilon": 1},
    {"epsilon": 1, "delta": "1e-6"},
    {"rho": "0.05"},
    {"spend": "0.01%"},
    {"margin": {"n": 30}},
]


@pytest.mark.parametrize("price", PRICES)
def test_the_first_of_many_groups_are_chosen_before_they_are_measured(price: Any) -> None:
    with ratings() as table:
        plan = table.ask(FIRST).plan(**price)
        choice = plan.price.choice
        assert choice is not None
        assert plan.priced_lines[0].output == "choosing the groups"
        answer = plan.release()
    assert len(answer) == 5
    values = [one.value for one in answer.column("n")]
    assert values == sorted(values, reverse=True)
    assert any("chosen privately" in note for note in answer.notes)
    assert any("left out has at most" in note for note in plan.notes)
    # Fresh noise on all that were chosen: there is nothing to widen.
    assert not any(isinstance(one.error, ShownError) for one in answer.column("n"))


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"spend": "0.01%"}, {"margin": {"n": 30}}])
def test_where_epsilon_alone_is_counted_the_first_are_drawn_by_flips(price: Any) -> None:
    """They cost the same ε, and are nearer to the first; of a δ they would take more."""
    with ratings(budget=dp.Budget(epsilon=10**6)) as table:
        plan = table.ask(FIRST).plan(**price)
        choice = plan.price.choice
        assert choice is not None
        assert choice.mechanism.flips
        assert "flips=True" in plan.priced_lines[0].mechanism
        drawn = [one for one in event_counts(plan.price.event) if isinstance(one, PureEvent)]
        assert PureEvent(epsilon=choice.epsilon / 5) in drawn
        again = plan_from_data(plan.to_data(), plan.question.schema)
        assert again is not None
        assert again.price == plan.price
        assert len(plan.release()) == 5
    with ratings() as table:
        choice = table.ask(FIRST).plan(epsilon=1).price.choice
        assert choice is not None
        assert not choice.mechanism.flips


@pytest.mark.parametrize("price", PRICES[:4])
def test_the_parts_of_a_price_add_up(price: Any) -> None:
    with ratings() as table:
        plan = table.ask(FIRST).plan(**price)
        cost, parts = plan.price.cost, plan.priced_lines
    if plan.price.cost.epsilon is not None and all(line.rho is None for line in parts):
        given = [line.epsilon or 0 for line in parts if line.shared_with is None]
        assert sum(given) == cost.epsilon
        assert given[0] == Fraction(cost.epsilon, 2)
    else:
        given = [line.rho or 0 for line in parts if line.shared_with is None]
        assert sum(given) == cost.rho
    simple = event_counts(plan.price.event)
    assert sum(simple.values()) == 5 + len(plan.price.priced)
    assert isinstance(plan.price.event, ComposedEvent)
    assert isinstance(plan.price.event.events[0], RepeatedEvent)


def test_replaced_people_get_twice_the_scale() -> None:
    """Each score rises or falls then, so that the rate is ε/(2Δ)."""
    scales = []
    for neighbors in ("add-remove", "replace"):
        with ratings(neighbors=neighbors) as table:
            choice = table.ask(FIRST).plan(epsilon=1).price.choice
            assert choice is not None
            assert choice.mechanism.monotone is (neighbors == "add-remove")
            assert choice.mechanism.loss(choice.sensitivity) == dp.PureDP(epsilon="1/2")
            scales.append(choice.mechanism.scale)
    assert scales[1] == 2 * scales[0] == 20


@pytest.mark.parametrize(
    ("asks", "moved"),
    [("PEOPLE()", 1), ("COUNT(*)", 2), ("COUNT(stars)", 2), ("SUM(stars)", 10)],
)
def test_what_one_person_moves_in_one_group_decides_the_scale(asks: str, moved: int) -> None:
    text = f"SELECT film, {asks} AS n FROM ratings GROUP BY film ORDER BY n DESC LIMIT 5"
    with ratings() as table:
        top = top_groups(table.ask(text).question)
        assert top is not None
        choice = top.choice(table.ask(text).question.unit, Fraction(1))
    assert choice is not None
    assert choice.mechanism.scale * top.score.step(choice.unit) == pytest.approx(
        5 * moved, rel=1e-3
    )
    assert choice.mechanism.scale * top.score.step(choice.unit) >= 5 * moved


ORDERED = (
    "SELECT film, COUNT(*) AS n, SUM(change) AS c, AVG(stars) AS m FROM ratings GROUP BY film "
)


@pytest.mark.parametrize(
    "cut",
    [
        "ORDER BY n LIMIT 5",
        "ORDER BY c DESC LIMIT 5",
        "ORDER BY m DESC LIMIT 5",
        "ORDER BY n + c DESC LIMIT 5",
        "ORDER BY film DESC LIMIT 5",
        "HAVING c > 0 ORDER BY n DESC LIMIT 5",
        "ORDER BY n DESC",
        "LIMIT 5",
        f"ORDER BY n DESC LIMIT {FILMS}",
    ],
)
def test_other_orders_are_made_of_what_was_released(cut: str) -> None:
    with ratings() as table:
        assert top_groups(table.ask(ORDERED + cut).question) is None
        assert table.ask(ORDERED + cut).plan(epsilon=1).price.choice is None


def test_where_a_person_is_in_few_groups_noise_on_all_of_them_is_better() -> None:
    with ratings(max_groups=1, max_rows=1, max_rows_per_group=None) as table:
        plan = table.ask(FIRST).plan(epsilon=1)
        assert top_groups(plan.question) is not None
        assert plan.price.choice is None
        assert any("noisy numbers decide which groups are shown" in note for note in plan.notes)
        assert any("left out has at most" in note for note in plan.notes)
        [first, *_] = plan.release().column("n")
    # Of 300 groups 5 are shown: 95% becomes 1 - 0.05·5/300.
    assert isinstance(first.error, ShownError)
    narrow = first.error.error.interval(first.value, 1 - Fraction(5, 100) * Fraction(5, 300))
    assert first.noise_interval() == narrow
    assert plan.margins()["n"] == pytest.approx(first.noise_margin)


def test_an_offset_takes_more_groups_of_which_noise_shows_some() -> None:
    with ratings() as table:
        plan = table.ask(f"{FIRST} OFFSET 3").plan(epsilon=1)
        assert plan.price.choice is not None
        assert plan.price.choice.top.many == 8
        answer = plan.release()
    assert len(answer) == 5
    one = answer.column("n")[0]
    assert isinstance(one.error, ShownError)
    assert one.error.part == Fraction(5, 8)


def test_top_in_python_is_the_same_choice() -> None:
    with ratings() as table:
        asking = table.group_by("film").agg(n=dp.people()).top(5)
        assert asking.plan(epsilon=1).price.choice is not None
        assert len(asking.release(epsilon=1)) == 5


def test_with_hardly_any_noise_the_largest_are_chosen_and_true() -> None:
    with ratings() as table:
        exact = table.ask(PEOPLE).release(epsilon=10**5)
        found = table.ask(FIRST).release(epsilon=10**5)
    true = dict(zip(exact.groups, [one.value for one in exact.column("n")], strict=True))
    largest = sorted(true.values(), reverse=True)[:5]
    values = [one.value for one in found.column("n")]
    assert values == pytest.approx(largest, abs=0.1)
    for group, one in zip(found.groups, found.column("n"), strict=True):
        assert one.value == pytest.approx(true[group], abs=0.1)


def test_two_keys_are_chosen_by_both() -> None:
    text = "SELECT stars > 2 AS good, film, PEOPLE() AS n FROM ratings GROUP BY 1, 2 "
    with ratings() as table:
        exact = table.ask(text).release(epsilon=10**5)
        found = table.ask(text + "ORDER BY n DESC LIMIT 3").release(epsilon=10**5)
        assert table.ask(text + "ORDER BY n DESC LIMIT 3").plan(epsilon=1).price.choice is not None
    true = dict(zip(exact.groups, [one.value for one in exact.column("n")], strict=True))
    for group, one in zip(found.groups, found.column("n"), strict=True):
        assert one.value == pytest.approx(true[group], abs=0.1)


def test_places_of_groups_are_written_by_key() -> None:
    with ratings() as table:
        question = table.ask("SELECT stars > 2 AS good, film, COUNT(*) FROM ratings GROUP BY 1, 2")
        assert public_cells(question.question, [0, FILMS - 1, FILMS, 2 * FILMS - 1]) == (
            ("0", "0"),
            ("0", str(FILMS - 1)),
            ("1", "0"),
            ("1", str(FILMS - 1)),
        )


# ---------------------------------------------------------------------- groups that are found


FOUND = "SELECT genre, COUNT(*) AS n FROM ratings GROUP BY genre ORDER BY n DESC LIMIT 4"


def test_unlisted_groups_are_found_first() -> None:
    with ratings() as table:
        plan = table.ask(FOUND).plan(epsilon=40, delta="1e-3")
        assert plan.price.choice is not None
        assert plan.price.choice.top.candidates is None
        parts = {line.output: line.epsilon for line in plan.priced_lines}
        assert parts == {"finding the groups": 20, "choosing the groups": 10, "n": 10}
        assert plan.price.cost.epsilon == 40
        answer = plan.release()
        assert len(answer) == 4
        again = table.paid(answer.certificate.entry)
    assert again.to_csv() == answer.to_csv()
    assert "those found are chosen" in " ".join(plan.notes)


def test_the_count_that_was_found_with_the_groups_serves_to_order_them() -> None:
    text = "SELECT genre, PEOPLE() AS n FROM ratings GROUP BY genre ORDER BY n DESC LIMIT 4"
    with ratings() as table:
        plan = table.ask(text).plan(epsilon=40, delta="1e-3")
        assert plan.price.choice is None
        assert [line.output for line in plan.priced_lines] == ["finding the groups", "n"]
        assert len(plan.release()) == 4


def test_where_no_group_is_found_none_is_chosen() -> None:
    with ratings() as table:
        answer = table.ask(FOUND).release(epsilon="1/100", delta="1e-9")
    assert len(answer) == 0


# ---------------------------------------------------------------------- kept


@pytest.mark.parametrize("price", PRICES)
def test_a_paid_answer_is_shown_again(price: Any, tmp_path: Path) -> None:
    with ratings(tmp_path) as table:
        plan = table.ask(FIRST).plan(**price)
        answer = plan.release(key="first")
        assert plan.release(key="first").to_csv() == answer.to_csv()
        entry = answer.certificate.entry
    with ratings(tmp_path) as opened:
        again = opened.paid(entry)
    assert again.to_csv() == answer.to_csv()
    assert again.notes == answer.notes


def test_a_plan_is_made_again_of_its_data() -> None:
    with ratings() as table:
        plan = table.ask(FIRST).plan(epsilon=1)
        made = plan_from_data(plan.to_data(), table.schema)
        assert made == plan
        assert made is not None
        assert made.text == plan.text
        everything = {key: one for key, one in plan.to_data()["price"].items() if key != "choice"}
        without = plan_from_data({**plan.to_data(), "price": everything}, table.schema)
        assert without is not None
        assert without.text != plan.text  # so that the ledger knows that it paid for another one
        assert "choice" not in table.ask(PEOPLE).plan(epsilon=1).to_data()["price"]


def test_a_price_with_another_choice_is_refused() -> None:
    """More draws, or a larger rate, than is charged for."""
    from dataclasses import replace

    with ratings() as table:
        plan = table.ask(FIRST).plan(epsilon=1)
        choice = plan.price.choice
        assert choice is not None
        daring = replace(
            choice, mechanism=replace(choice.mechanism, scale=choice.mechanism.scale / 2)
        )
        more = replace(choice, top=replace(choice.top, many=6))
        for one in (daring, more):
            with pytest.raises(QueryError, match="not one of the question"):
                Plan(plan.question, replace(plan.price, choice=one))
        with pytest.raises(QueryError, match="not one of the question"):
            Plan(table.ask(PEOPLE).question, plan.price)


def test_the_question_of_a_choice_has_its_own_text() -> None:
    with ratings() as table:
        chosen = table.ask(FIRST).plan(epsilon=1)
        assert '"choice"' in chosen.text
        assert "TopK" in chosen.explain()
        assert "300, of which 5 will be chosen" in chosen.explain()


# ---------------------------------------------------------------------- notes


def test_an_order_by_means_says_that_small_groups_lead_by_chance() -> None:
    with ratings() as table:
        notes = table.ask(ORDERED + "ORDER BY m DESC LIMIT 5").plan(epsilon=1).notes
        assert any("by chance" in note and "HAVING COUNT(*) > 100" in note for note in notes)
        kept = table.ask(ORDERED + "HAVING n > 100 ORDER BY m DESC LIMIT 5").plan(epsilon=1)
        assert not any("by chance" in note for note in kept.notes)
        parts = table.ask(
            "SELECT film, SUM(stars) / COUNT(*) AS each FROM ratings GROUP BY film "
            "ORDER BY each DESC LIMIT 5"
        )
        assert any("by chance" in note for note in parts.plan(epsilon=1).notes)


def test_what_was_not_shown_by_its_own_noise_is_not_widened() -> None:
    with ratings(max_groups=1, max_rows=1, max_rows_per_group=None) as table:
        answer = table.sql(
            "SELECT film, COUNT(*) AS n, PEOPLE() AS u, COUNT(*) + PEOPLE() AS both "
            "FROM ratings GROUP BY film ORDER BY n DESC LIMIT 5",
            epsilon=1,
        )
        named = {name: answer.column(name)[0].error for name in ("n", "u", "both")}
        by_label = table.sql(
            "SELECT film, COUNT(*) AS n FROM ratings GROUP BY film ORDER BY film LIMIT 5",
            epsilon=1,
        )
    assert {name for name, error in named.items() if isinstance(error, ShownError)} == {"n", "both"}
    assert not isinstance(by_label.column("n")[0].error, ShownError)


def test_only_what_ranks_groups_is_a_score() -> None:
    with ratings() as table:
        found = top_groups(table.ask(FIRST).question)
    assert isinstance(found, TopGroups)
    assert (found.many, found.output.name, found.candidates) == (5, "n", FILMS)
