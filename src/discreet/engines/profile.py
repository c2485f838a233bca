"""How many people have how many rows, or groups: for choosing caps."""

import numpy as np
from sqlglot import exp, select

from discreet.engines.measuring import Engine
from discreet.privacy.sensitive import Sensitive
from discreet.question.check import Question
from discreet.sql.rows import kept_rows, label, names_of
from discreet.sql.shape import UNIT

SIZES = 21
"""Sizes 1, 2, 3–4, 5–8, … up to 2^20 and more."""


def people_by_size(
    engine: Engine, question: Question, *, groups: bool
) -> Sensitive[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """How many people have 1, 2, 3–4, 5–8, … rows, or groups.  One person is in one of them."""
    names = names_of(question)
    keys = {
        f"k{place}": label(grouping, names, engine.forms)
        for place, (_, grouping) in enumerate(question.keys)
    }
    rows = kept_rows(question, keys if groups else {})
    held = select(UNIT, *keys).distinct() if groups else select(UNIT)
    size = exp.Count(this=exp.Star())
    counted = select(exp.alias_(size, "size")).from_("held").group_by(UNIT)
    query = (
        select("size", exp.alias_(exp.Count(this=exp.Star()), "people"))
        .from_("counted")
        .group_by("size")
        .with_("measured", rows)
        .with_("held", held.from_("measured"))
        .with_("counted", counted)
    )
    found = engine.guarded_rows(query)
    tally = np.zeros(SIZES, np.int64)
    for many, people in found:
        tally[min(int(many - 1).bit_length(), SIZES - 1)] += people
    return Sensitive(tally)
