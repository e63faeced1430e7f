"""Tracing by rank: no assumption on the population but exchangeability."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.attacks import auc, rank_trace
from leastnoise.errors import InvalidParameter

BITS = st.integers(0, 1)


@settings(max_examples=80)
@given(st.integers(1, 5), st.integers(1, 8), st.data())
def test_of_any_people_in_any_order_few_are_accused(
    attributes: int, outsiders: int, data: st.DataObject
) -> None:
    """Let each of r + 1 fixed people be the target once: exactly what exchangeability averages."""
    people = np.array(
        data.draw(
            st.lists(
                st.lists(BITS, min_size=attributes, max_size=attributes),
                min_size=outsiders + 1,
                max_size=outsiders + 1,
            )
        )
    )
    release = data.draw(st.lists(st.floats(-2, 3), min_size=attributes, max_size=attributes))
    rank = data.draw(st.integers(1, outsiders + 1).filter(lambda rank: rank <= outsiders))
    beta = Fraction(rank, outsiders + 1)
    accused = [
        bool(
            rank_trace(
                release, people[i : i + 1], np.delete(people, i, axis=0), false_accusation=beta
            ).accused[0]
        )
        for i in range(outsiders + 1)
    ]
    assert sum(accused) <= rank


def test_scores_without_ties_accuse_exactly_as_many_as_allowed() -> None:
    """Power of the test above: the bound is met, so one accusation more would break it."""
    generator = np.random.default_rng(5)
    people, release = generator.random((12, 40)), generator.random(40)
    accused = [
        bool(
            rank_trace(
                release, people[i : i + 1], np.delete(people, i, axis=0), false_accusation="1/4"
            ).accused[0]
        )
        for i in range(12)
    ]
    assert sum(accused) == 3


def test_members_stand_out_where_attributes_depend_on_each_other() -> None:
    """Each attribute is written 3 times: independence is gone, ranks do not mind."""
    generator = np.random.default_rng(7)
    everybody = np.repeat(generator.random((320, 2000)) < 0.3, 3, axis=1)
    people, others, strangers = everybody[:20], everybody[20:219], everybody[219:]
    release = people.mean(axis=0)
    inside = rank_trace(release, people, others, false_accusation="0.005")
    outside = rank_trace(release, strangers, others, false_accusation="0.005")
    assert inside.accused.all()
    assert outside.accused.sum() <= 3
    assert auc(inside.scores, outside.scores) == 1
    assert inside.p_values.max() == 1 / 200


def test_many_targets_at_once_are_judged_one_by_one() -> None:
    generator = np.random.default_rng(8)
    targets, others = generator.random((150, 6)) < 0.5, generator.random((19, 6)) < 0.5
    whole = rank_trace([0.4] * 6, targets, others, false_accusation="0.2")
    singly = [rank_trace([0.4] * 6, t[None], others, false_accusation="0.2") for t in targets]
    assert whole.scores == pytest.approx([one.scores[0] for one in singly])
    assert whole.p_values.tolist() == [one.p_values[0] for one in singly]


def test_scores_are_the_stated_products() -> None:
    """⟨release − c, y⟩ with c the mean of outsiders and target, up to one common number."""
    generator = np.random.default_rng(9)
    targets, others = generator.random((4, 6)), generator.random((3, 6))
    release = generator.random(6)
    found = rank_trace(release, targets, others, false_accusation="0.5").scores
    stated = [(release - (others.sum(axis=0) + y) / 4) @ y for y in targets]
    assert np.diff(found) == pytest.approx(np.diff(stated))


def test_too_few_outsiders_for_the_risk() -> None:
    with pytest.raises(
        InvalidParameter, match=r"at least 1 in \(outsiders \+ 1\); got 9 outsiders"
    ):
        rank_trace([0.5], [[1]], [[0]] * 9, false_accusation="0.05")


def test_bad_outsiders_are_not_shown() -> None:
    with pytest.raises(InvalidParameter, match="`outsiders` must hold values") as refusal:
        rank_trace([0.5], [[1]], [[7391]], false_accusation="0.5")
    assert "7391" not in str(refusal.value)


def test_repr_and_read_only() -> None:
    result = rank_trace([0.5], [[1]], [[0]], false_accusation="0.5")
    assert "RankTrace(" in repr(result)
    with pytest.raises(ValueError, match="read-only"):
        result.p_values[0] = 0
