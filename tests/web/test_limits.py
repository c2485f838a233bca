"""An address is slowed down, and forgotten as soon as it may be."""

from discreet.web import request_limits
from discreet.web.request_limits import RateLimit


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minute_s_reports_may_come_at_once_and_then_steadily() -> None:
    clock = Clock()
    limit = RateLimit(6, clock)
    assert [limit.wait("192.0.2.1") for _ in range(8)] == [0] * 6 + [10, 10]
    clock.now = 9.0
    assert limit.wait("192.0.2.1") == 1
    clock.now = 10.0
    assert [limit.wait("192.0.2.1"), limit.wait("192.0.2.1")] == [0, 10]


def test_addresses_do_not_share_a_bucket_but_a_household_of_ipv6_does() -> None:
    limit = RateLimit(1, Clock())
    assert limit.wait("192.0.2.1") == 0
    assert limit.wait("192.0.2.2") == 0
    assert limit.wait("::ffff:192.0.2.1") == 60
    assert limit.wait("2001:db8::1") == 0
    assert limit.wait("2001:db8::2%eth0") == 60
    assert limit.wait("2001:db8:0:1::1") == 0
    assert limit.wait("not an address") == 0


def test_an_address_is_forgotten_when_its_bucket_is_full_again() -> None:
    clock = Clock()
    limit = RateLimit(60, clock)
    limit.wait("192.0.2.1")
    clock.now = 2.0
    limit.wait("192.0.2.2")
    assert list(limit._buckets) == ["192.0.2.2"]


def test_a_flood_of_addresses_does_not_fill_the_memory(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(request_limits, "_MOST_ADDRESSES", 100)
    limit = RateLimit(1, Clock())
    for number in range(1_000):
        limit.wait(f"192.0.{number // 250}.{number % 250}")
    assert len(limit._buckets) <= 100
