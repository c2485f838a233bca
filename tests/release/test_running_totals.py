"""Running totals of a year of days, with what a profile says of each, are shown at once."""

import time

import pandas

import discreet as dp

DAYS, SECONDS, SLACK = 365, 2.0, 3.0
"""Of the processor; without laws that cells share it took 16 seconds."""


def test_a_year_of_running_totals_with_a_profile_is_shown_in_seconds() -> None:
    first = pandas.Timestamp("2024-01-01")
    days = [str((first + pandas.Timedelta(days=place)).date()) for place in range(DAYS)]
    visits = pandas.DataFrame(
        {
            "id": [place % 900 for place in range(4_000)],
            "day": [days[place * 7 % DAYS] for place in range(4_000)],
        }
    )
    with dp.table(
        visits,
        name="visits",
        unit="id",
        budget=dp.Budget(epsilon=9, delta="1e-5"),
        columns={"day": dp.date(days[0], days[-1])},
        max_rows=3,
        max_groups=3,
        ledger=":memory:",
    ) as table:
        table.profile(epsilon=1)
        answer = (
            table.group_by("day").cumulative().agg(n=dp.rows()).release(epsilon=1, delta="1e-6")
        )
        start = time.process_time()
        frame = answer.to_pandas()
        assert time.process_time() - start < SECONDS * SLACK
    assert len(frame) == DAYS
    # The control: every total has its own interval, beyond that of the noise.
    assert answer["n"][days[9]].truth is not None
    widths = frame["n_upper"] - frame["n_lower"]
    assert widths.nunique() > DAYS // 4
