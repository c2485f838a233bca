"""Events keep their meaning: exact, canonical, and refused when in doubt."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError
from discreet.privacy.events import (
    KINDS,
    MAX_DEPTH,
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    ConcentratedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    RepeatedEvent,
    SampledEvent,
    event_counts,
    event_from_data,
    event_to_data,
)
from tests.support.cases import each
from tests.support.trials import examples

# What was written once is read for ever: these texts are never changed.
WRITTEN: dict[str, Event] = {
    '{"kind": "pure", "version": 1, "epsilon": "1/10"}': PureEvent(epsilon=0.1),
    '{"kind": "approximate", "version": 1, "epsilon": "1/1", "delta": "1/1000000"}': (
        ApproximateEvent(epsilon=1, delta=1e-6)
    ),
    '{"kind": "zcdp", "version": 1, "rho": "1/8"}': ConcentratedEvent(rho="1/8"),
    '{"kind": "laplace", "version": 1, "scale": "50/1"}': LaplaceEvent(scale=50),
    '{"kind": "discrete-laplace", "version": 1, "scale": "7/2", "sensitivity": 3}': (
        DiscreteLaplaceEvent(scale=3.5, sensitivity=3)
    ),
    '{"kind": "gaussian", "version": 1, "variance": "2500/1"}': GaussianEvent.of(sigma=50),
    '{"kind": "discrete-gaussian", "version": 1, "variance": "9/1", "squared_sensitivity": 5, '
    '"coordinates": 2}': DiscreteGaussianEvent(variance=9, squared_sensitivity=5, coordinates=2),
    '{"kind": "randomized-response", "version": 1, "categories": 2, "odds": "3/1"}': (
        RandomizedResponseEvent(odds=3)
    ),
    '{"kind": "randomized-response", "version": 1, "categories": 5, "epsilon": "1/1"}': (
        RandomizedResponseEvent(epsilon=1, categories=5)
    ),
    '{"kind": "bounded-range", "version": 1, "epsilon": "1/2"}': BoundedRangeEvent(epsilon=0.5),
    '{"kind": "poisson-sampled", "version": 1, "event": {"kind": "pure", "version": 1, '
    '"epsilon": "1/1"}, "rate": "1/100"}': SampledEvent(event=PureEvent(epsilon=1), rate=0.01),
    '{"kind": "repeated", "version": 1, "event": {"kind": "pure", "version": 1, '
    '"epsilon": "1/1"}, "count": 3}': RepeatedEvent(event=PureEvent(epsilon=1), count=3),
    '{"kind": "composed", "version": 1, "events": [{"kind": "pure", "version": 1, '
    '"epsilon": "0/1"}, {"kind": "zcdp", "version": 1, "rho": "0/1"}]}': ComposedEvent(
        events=(PureEvent(epsilon=0), ConcentratedEvent(rho=0))
    ),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_what_was_written_is_read_for_ever(text: str) -> None:
    assert event_from_data(json.loads(text)) == WRITTEN[text]
    assert json.dumps(event_to_data(WRITTEN[text])) == text


def test_every_kind_has_a_written_example() -> None:
    assert {json.loads(text)["kind"] for text in WRITTEN} == set(KINDS)


numbers = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)
simple = st.one_of(
    st.builds(lambda x: PureEvent(epsilon=x), numbers),
    st.builds(lambda x: LaplaceEvent(scale=x), numbers),
    st.builds(lambda x, k: DiscreteLaplaceEvent(scale=x, sensitivity=k), numbers, st.integers(1)),
    st.builds(lambda x: RandomizedResponseEvent(odds=1 + x), numbers),
)
events = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(lambda e, k: RepeatedEvent(event=e, count=k), inner, st.integers(1, 9)),
        st.builds(lambda e: SampledEvent(event=e, rate="1/3"), inner),
        st.builds(lambda e: ComposedEvent(events=tuple(e)), st.lists(inner, max_size=3)),
    ),
    max_leaves=8,
)


@examples(100)
@given(events)
def test_data_and_back_is_the_same_event(event: Event) -> None:
    data = json.loads(json.dumps(event_to_data(event)))
    assert event_from_data(data) == event
    assert event_to_data(event_from_data(data)) == event_to_data(event)


@each(
    "data",
    [
        None,
        [],
        "pure",
        {},
        {"kind": "pure"},
        {"kind": "pure", "version": 1},
        {"kind": "pure", "version": 2, "epsilon": "1/1"},
        {"kind": "pure", "version": True, "epsilon": "1/1"},
        {"kind": "pure", "version": "1", "epsilon": "1/1"},
        {"kind": "Pure", "version": 1, "epsilon": "1/1"},
        {"kind": ["pure"], "version": 1, "epsilon": "1/1"},
        {"kind": "unheard-of", "version": 1},
        {"kind": "pure", "version": 1, "epsilon": "1/1", "delta": "0/1"},
        {"kind": "pure", "version": 1, "epsilon": "2/2"},
        {"kind": "pure", "version": 1, "epsilon": "1"},
        {"kind": "pure", "version": 1, "epsilon": "0.1"},
        {"kind": "pure", "version": 1, "epsilon": 1},
        {"kind": "pure", "version": 1, "epsilon": 0.1},
        {"kind": "pure", "version": 1, "epsilon": "1/0"},
        {"kind": "pure", "version": 1, "epsilon": "-1/2"},
        {"kind": "pure", "version": 1, "epsilon": " 1/2"},
        {"kind": "pure", "version": 1, "epsilon": "1/2\n"},
        {"kind": "pure", "version": 1, "epsilon": "01/2"},
        {"kind": "pure", "version": 1, "epsilon": "١/2"},
        {"kind": "pure", "version": 1, "epsilon": "1/" + "9" * 5000},
        {"kind": "approximate", "version": 1, "epsilon": "1/1", "delta": "3/2"},
        {"kind": "laplace", "version": 1, "scale": "0/1"},
        {"kind": "discrete-laplace", "version": 1, "scale": "1/1", "sensitivity": "1/1"},
        {"kind": "discrete-laplace", "version": 1, "scale": "1/1", "sensitivity": 1.0},
        {"kind": "discrete-laplace", "version": 1, "scale": "1/1", "sensitivity": True},
        {"kind": "discrete-laplace", "version": 1, "scale": "1/1", "sensitivity": 0},
        {"kind": "randomized-response", "version": 1, "categories": 2},
        {
            "kind": "randomized-response",
            "version": 1,
            "categories": 2,
            "epsilon": "1/1",
            "odds": "3/1",
        },
        {"kind": "randomized-response", "version": 1, "categories": 1, "odds": "3/1"},
        {"kind": "repeated", "version": 1, "event": None, "count": 1},
        {"kind": "composed", "version": 1, "events": "[]"},
    ],
)
def test_a_record_in_doubt_is_refused(data: object) -> None:
    with pytest.raises(PrivacyParameterError):
        event_from_data(data)


def test_records_that_nest_without_end_are_refused() -> None:
    data: object = {"kind": "pure", "version": 1, "epsilon": "1/1"}
    event: Event = PureEvent(epsilon=1)
    for _ in range(MAX_DEPTH):
        event = RepeatedEvent(event=event, count=1)
    assert event_from_data(event_to_data(event)) == event
    with pytest.raises(PrivacyParameterError, match="deep"):
        RepeatedEvent(event=event, count=1)
    for _ in range(5000):
        data = {"kind": "repeated", "version": 1, "event": data, "count": 1}
    with pytest.raises(PrivacyParameterError, match="deep"):
        event_from_data(data)


@pytest.mark.parametrize(
    "make",
    [
        lambda: PureEvent(epsilon=-1),
        lambda: PureEvent(epsilon=float("nan")),
        lambda: ApproximateEvent(epsilon=1, delta=2),
        lambda: GaussianEvent(variance=0),
        lambda: DiscreteGaussianEvent(variance=1, squared_sensitivity=0),
        lambda: DiscreteLaplaceEvent(scale=1, sensitivity="3/2"),
        lambda: RandomizedResponseEvent(odds="1/2"),
        lambda: SampledEvent(event=PureEvent(epsilon=1), rate="3/2"),
        lambda: SampledEvent(event="pure", rate="1/2"),
        lambda: RepeatedEvent(event=PureEvent(epsilon=1), count=0),
        lambda: ComposedEvent(events=(1,)),
    ],
)
def test_an_event_without_meaning_is_refused(make: object) -> None:
    with pytest.raises(PrivacyParameterError):
        make()  # type: ignore[operator]


@examples(60)
@given(events, st.integers(1, 4))
def test_a_count_is_that_many_events(event: Event, count: int) -> None:
    assert event_counts(RepeatedEvent(event=event, count=count)) == event_counts(
        ComposedEvent(events=(event,) * count)
    )
