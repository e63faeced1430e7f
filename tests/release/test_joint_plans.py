"""Plans whose questions share draws of noise: less of it, and never more than apart."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.randomness.source import Source
from leastnoise.release import gate
from leastnoise.release.draw.answered import measured
from leastnoise.release.draw.drawn import drawn
from leastnoise.release.plan import Plan
from leastnoise.release.price.allocation import granted
from leastnoise.release.price.dividing import weighed
from leastnoise.release.price.pure_shares import adding_epsilon
from tests.examples import examples
from tests.release.drawn_again import drawn_again
from tests.release.foretold import error

PURE, APPROX = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6")
ROWS = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70, 80, 35],
        "city": ["Oslo", "Bergen"] * 4,
        "pay": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, None],
    }
)


def start(**options: int) -> Plan:
    return ln.plan(ln.read(ROWS, unit=None), **options)


def counts(number: int, plan: Plan | None = None) -> Plan:
    asked = plan or start()
    for place in range(number):
        asked = asked.count(where=ln.col("age") > place, name=f"older than {place}")
    return asked


def variances(asked: Plan, budget: Guarantee) -> list[float]:
    """Of one number of each demand, in units of the engine."""
    grants = asked._priced(budget).grants
    return [float(each.law.moment(2)) for own in grants for each in own]


@pytest.mark.parametrize(("number", "least"), [(5, 8.139), (10, 20.32), (20, 58.75), (50, 281.6)])
def test_filtered_counts_reach_the_figures_of_the_joint_law(number: int, least: float) -> None:
    assert max(variances(counts(number), PURE)) <= 1.03 * least


def test_twenty_counts_with_a_delta_use_the_pure_law() -> None:
    assert max(variances(counts(20), APPROX)) <= 1.03 * 58.8


def test_singles_and_groups_get_draws_of_their_own() -> None:
    asked = counts(5)
    for place in range(3):
        keys = [f"{place} {i}" for i in range(20)]
        asked = asked.count(by="city", keys=keys, where=ln.col("age") > place, name=f"by {place}")
    asked = asked.sum("pay", lower=0, upper=1, name="one")
    asked = asked.sum("age", lower=0, upper=1, name="two")
    found = variances(asked, PURE)
    scaled = [value / (1 if i < 8 else _grid(asked, i)) ** 2 for i, value in enumerate(found)]
    assert np.mean(scaled) <= 1.03 * 51.6


def _grid(asked: Plan, place: int) -> int:
    grid = asked.questions[place].grid  # type: ignore[attr-defined]
    return int(grid.most - grid.least)


def test_three_group_bys_of_the_same_people() -> None:
    for cells, least in ((8, 12.12), (20, 15.03)):
        asked = start()
        for place in range(3):
            keys = [f"{i}" for i in range(cells)]
            asked = asked.count(by="city", keys=keys, where=ln.col("age") > place, name=f"{place}")
        assert max(variances(asked, PURE)) <= 1.03 * least


def test_the_same_numbers_are_measured_once() -> None:
    asked = counts(2).count(where=ln.col("age") > 1, name="again")
    priced = asked._priced(PURE)
    assert len(priced.drawn_steps) == 2
    assert priced.steps[1] == priced.steps[2]
    ((_, one, again),) = drawn_again(asked, PURE, 1)
    assert one.values.tolist() == again.values.tolist()


def test_the_number_of_all_units_shares_the_counters() -> None:
    asked = counts(10).count(name="all")
    steps = asked._priced(PURE).drawn_steps
    wholes = {id(step.mechanism.whole) for step in steps if isinstance(step.mechanism, JointPart)}
    assert len(wholes) == 1
    assert max(variances(asked, PURE)) <= 1.03 * 20.4  # as if it were not asked for


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    asked = ln.plan(
        ln.read(ROWS.assign(who=range(8)), unit="who"),
        max_groups=draw(st.integers(1, 3)),
        max_rows=draw(st.integers(1, 3)),
    )
    for place in range(draw(st.integers(2, 12))):
        name, weight = f"q{place}", draw(st.sampled_from([1, 1, 3, 20]))
        where = ln.col("age") > place
        cells = draw(st.integers(1, 12))
        match draw(st.integers(0, 4)):
            case 0:
                asked = asked.count(where=where, name=name, importance=weight)
            case 1:
                keys = [f"{i}" for i in range(cells)]
                asked = asked.count(by="city", keys=keys, where=where, name=name, importance=weight)
            case 2:
                asked = asked.sum("age", lower=-3, upper=cells, where=where, name=name)
            case 3:
                asked = asked.mean("age", lower=0, upper=cells, where=where, name=name)
            case _:
                asked = asked.histogram(
                    "age", lower=0, upper=9, parts=cells, where=where, name=name
                )
    return asked


@examples(8, 25)
@given(plans(), st.sampled_from(["0.1", 1, 4]))
def test_no_plan_has_a_larger_error_than_with_noise_apart(asked: Plan, epsilon: str) -> None:
    demands = [each for q in asked.questions for each in q.demands(asked.bounded)]
    exact = Fraction(epsilon)
    now = weighed(demands, granted(demands, PureDP(epsilon=exact)))
    before = weighed(demands, adding_epsilon(demands, exact, Fraction(0)))
    assert now <= before * (1 + 1e-9)


@pytest.mark.parametrize(
    "budget", [PureDP(epsilon=5000), PureDP(epsilon="1e-13"), ZCDP(rho=10**6)], ids=repr
)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_extreme_budgets_are_previewed(budget: Guarantee, neighbours: str) -> None:
    asked = counts(2, ln.plan(ln.read(ROWS, unit=None, neighbours=neighbours)))
    assert [told.question for told in asked.preview(budget)] == ["older than 0", "older than 1"]


@pytest.mark.parametrize("budget", [PURE, APPROX, ZCDP(rho=1)], ids=repr)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_wide_groups_are_previewed_beside_others(budget: Guarantee, neighbours: str) -> None:
    asked = counts(1, ln.plan(ln.read(ROWS, unit=None, neighbours=neighbours)))
    asked = asked.count(by="city", keys=[f"{i}" for i in range(2000)], name="wide")
    assert len(asked.preview(budget)) == 2


@pytest.mark.parametrize("epsilon", [900, 10**6])
def test_marginals_are_previewed_at_a_large_epsilon(epsilon: int) -> None:
    table = ln.read(ROWS.assign(old=ROWS.age > 40, paid=ROWS.pay > 3), unit=None)
    (told,) = ln.plan(table).marginals(["old", "paid"], ways=1).preview(PureDP(epsilon=epsilon))
    assert error(told) < 1e-9


def test_means_of_all_share_the_number_of_rows() -> None:
    asked = start()
    for place in range(10):
        asked = asked.mean(
            ln.col("age") + place, lower=0, upper=100, missing="middle", name=f"mean {place}"
        )
    spreads = [math.sqrt(each) for each in variances(asked, PURE)]
    steps = _grid(asked, 0)
    error = spreads[0] / steps * 50 / 1000  # t/n in units of half the range, 1000 rows
    assert error <= 1.03 * 0.361


def test_the_most_common_groups_are_taken_from_counts_that_are_asked_for() -> None:
    keys = ["Oslo", "Bergen", "Bodø"]
    counted = start().count_units(by="city", keys=keys, name="counts")
    asked = counted.most_common("city", count=2, keys=keys, name="largest")
    priced = asked._priced(PURE)
    assert len(priced.drawn_steps) == 1
    assert variances(asked, PURE) == variances(counted, PURE) * 2
    for counts, largest in drawn_again(asked, PURE, 20):
        order = sorted(zip(counts.values.tolist(), counts.rows, strict=True), key=lambda p: -p[0])
        assert largest.values.tolist() == [value for value, _ in order[:2]]
        assert largest.values.tolist() == sorted(largest.values.tolist(), reverse=True)


def test_sums_to_either_side_need_one_counter_only() -> None:
    asked = start()
    for place in range(10):
        where = ln.col("age") > place
        asked = asked.sum("age", lower=-1, upper=1, where=where, name=f"sum {place}")
    high = _grid(asked, 0) / 2
    assert max(variances(asked, PURE)) / high**2 <= 1.01 * 11 * 12 / 3


def test_one_mean_of_replaced_units_is_a_draw_of_its_own() -> None:
    """Both sums go up and down by at most as much; apart they would cost twice that."""
    asked = ln.plan(ln.read(ROWS, unit=None, neighbours="replace"))
    asked = asked.mean("age", lower=0, upper=100)
    steps = _grid(asked, 0)
    assert max(variances(asked, PURE)) / steps**2 <= 3.4  # noise apart: 8


def noise_of(asked: Plan, budget: Guarantee) -> list[list[np.ndarray]]:
    """What is added to the totals of each step."""
    admitted, source = asked._priced(budget).admitted(budget), Source()
    secrets = measured(admitted, source)
    paid = gate.Paid(admitted.steps, Entry(1, "", Charge((), "", {}, "")), gate._SEAL)
    return [
        [noisy - total for noisy, total in zip(each.values, exact[0].totals, strict=True)]
        for each, exact in zip(drawn(paid, secrets, source), secrets, strict=True)
    ]


def test_a_draw_that_is_shared_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of different draws would not have the law that was priced."""
    calls = []
    honest = TwoCounterNoise.draw

    def counted(self: TwoCounterNoise, source: Source) -> Any:
        calls.append(self)
        return honest(self, source)

    monkeypatch.setattr(TwoCounterNoise, "draw", counted)
    noise_of(counts(5), PURE)
    assert len(calls) == 1


def test_both_sums_of_a_mean_have_noise_of_their_own() -> None:
    """So many groups get independent noise in every cell."""
    keys = [f"{place}" for place in range(40)]
    ((below, above),) = noise_of(start().mean("age", lower=0, upper=9, by="city", keys=keys), PURE)
    assert (below != above).any()
    assert len(set(below.tolist())) > 1
