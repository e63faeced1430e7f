"""What bounds leave out: measured for a stated part of the budget, and held by main intervals."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from leastnoise import Ledger, col, plan, read
from leastnoise.errors import InvalidParameter
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.clip import Clip
from leastnoise.release.plan import Plan
from leastnoise.release.questions.lost_rows import lost_rows
from leastnoise.release.result.flag import FlagKind
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.lost import Lost
from leastnoise.release.spread.main_interval import (
    kept_share,
    mean_stretched,
    stretched,
    total_interval,
)
from leastnoise.release.spread.noise_sum import NoiseSum
from leastnoise.release.spread.simultaneous import simultaneous_reach
from leastnoise.release.step.unit_spread import UnitSpread
from tests.attacks.seeded import SeededSource
from tests.release.drawn_again import drawn_again

WEIGHT = 2**20
CITIES = ["Bergen", "Oslo", "Tromsø"]
CAP = 64
BUDGETS: list[Guarantee] = [
    PureDP(epsilon=1),
    ApproxDP(epsilon=1, delta="1e-6"),
    ZCDP(rho="0.1"),
]


def rows_of_units() -> Any:
    """Some have one row, a few have dozens."""
    rng = np.random.default_rng(5)
    return np.minimum(rng.zipf(1.7, 400), CAP)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng, counts = np.random.default_rng(6), rows_of_units()
    made = pd.DataFrame({"who": np.repeat(np.arange(len(counts)), counts)})
    made["city"] = rng.choice(CITIES, len(made), p=[0.2, 0.5, 0.3])
    made["cost"] = rng.uniform(-5, 20, len(made)).round(2)
    return made


def asked_of(frame: pd.DataFrame, **more: Any) -> Plan:
    return plan(read(frame, unit="who"), max_groups=2, max_rows=4, **more)


def everything(asked: Plan) -> Plan:
    groups: dict[str, Any] = {"by": "city", "keys": CITIES}
    return (
        asked.count(name="all")
        .count(**groups, name="cities")
        .count_units(**groups, name="people")
        .sum("cost", lower=-5, upper=20, name="sum")
        .sum("cost", lower=-5, upper=20, **groups, name="sums")
        .mean("cost", lower=-5, upper=20, name="mean")
        .mean("cost", lower=-5, upper=20, **groups, name="means")
        .share(col("cost") > 10, name="share")
        .histogram("cost", lower=-5, upper=20, parts=3, name="parts")
        .count(**groups, clip=Clip(max_total=6), name="clipped")
    )


def truths(frame: pd.DataFrame) -> dict[str, Any]:
    by = frame.groupby("city")["cost"]
    parts = np.histogram(frame["cost"], bins=3, range=(-5, 20))[0]
    return {
        "all": [len(frame)],
        "cities": by.count().tolist(),
        "people": frame.groupby("city")["who"].nunique().tolist(),
        "sum": [frame["cost"].sum()],
        "sums": by.sum().tolist(),
        "mean": [frame["cost"].mean()],
        "means": by.mean().tolist(),
        "share": [(frame["cost"] > 10).mean()],
        "parts": parts.tolist(),
        "clipped": by.count().tolist(),
    }


# The table's truth.


@pytest.mark.parametrize("budget", BUDGETS[:2], ids=repr)
def test_main_intervals_hold_the_truth_of_the_table(frame: pd.DataFrame, budget: Guarantee) -> None:
    """With a declared cap, for every kind of question: ≥ 95 %, as binomial bounds can tell."""
    times, known = 30, truths(frame)
    held: dict[str, int] = dict.fromkeys(known, 0)
    for tables in drawn_again(
        everything(asked_of(frame, most_rows=CAP)), budget, times, SeededSource(1)
    ):
        for table in tables:
            truth = np.array(known[table.name])
            held[table.name] += bool(((table.lower <= truth) & (truth <= table.upper)).all())
    fewest = binom.ppf(1e-4, times, 0.95)
    assert {name: count for name, count in held.items() if count < fewest} == {}


def test_rows_left_out_may_add_what_the_range_of_a_sum_allows(frame: pd.DataFrame) -> None:
    """−5 or 20 each, in any group; rows that are counted 0 or 1."""
    groups: dict[str, Any] = {"by": "city", "keys": CITIES}
    asked = asked_of(frame, most_rows=CAP).sum("cost", lower=-5, upper=20, **groups)
    ((sums, counts),) = drawn_again(asked.count(**groups), PureDP(epsilon=3000), 1, SeededSource(2))
    for table, low, high in ((sums, -5, 20), (counts, 0, 1)):
        assert table.cut is not None
        lost = sum(table.cut.lost) / 2
        assert lost > 100
        assert table.lower - table.values == pytest.approx(low * lost, rel=0.1, abs=25)
        assert table.upper - table.values == pytest.approx(high * lost, rel=0.1)


@pytest.mark.spread(2)
@pytest.mark.parametrize("law", ["laplace", "normal"])
@pytest.mark.parametrize("declared", [True, False])
def test_totals_of_all_rows_are_held_as_often_as_said(law: str, declared: bool) -> None:
    """Many draws in floats; with a cap not much more often than said, so that width is no waste."""
    rng, counts, most = np.random.default_rng(2), rows_of_units(), 4
    lost, kept = np.maximum(counts - most, 0), np.minimum(counts, most).sum()
    knots = (0, 1, 2, 4, 8, 16, 32, CAP - most) if declared else (0, *(2**i for i in range(12)))
    weights, noise = exact_weights(lost, knots), NOISES[law]
    times, held = 1000 if declared else 80, 0
    for _ in range(times):
        hats = Hats(knots, weights + noise[1](rng, WEIGHT, len(knots)), noise[0](WEIGHT), WEIGHT)
        left_out = Lost(hats, declared)
        own = NoiseSum.of([1], [noise[0](50)])
        noisy = float(kept + noise[1](rng, 50, 1)[0])
        found = total_interval(noisy, own, left_out, 0.05 if declared else 0.025)
        truth = kept + np.minimum(lost, left_out.most).sum()
        more = (lost > left_out.most).sum()
        held += found.lower <= truth <= found.upper and more <= (left_out.beyond(0.025) or 0)
    assert held >= binom.ppf(1e-4, times, 0.95)
    assert held <= binom.ppf(1 - 1e-4, times, 0.985) or not declared


def exact_weights(lost: Any, knots: tuple[int, ...]) -> Any:
    """As the engine has them."""
    ends = np.array(knots)
    inside = np.minimum(lost, ends[-1])
    place = np.minimum(np.searchsorted(ends, inside, "right") - 1, len(ends) - 2)
    above = WEIGHT * (inside - ends[place]) // (ends[place + 1] - ends[place])
    found = np.zeros(len(ends), np.int64)
    np.add.at(found, place + 1, above)
    np.add.at(found, place, WEIGHT - above)
    return found


def _laplace(rng: Any, scale: int, count: int) -> Any:
    return np.rint(rng.laplace(scale=scale, size=count)).astype(np.int64)


def _normal(rng: Any, scale: int, count: int) -> Any:
    return np.rint(rng.normal(scale=scale, size=count)).astype(np.int64)


NOISES: dict[str, Any] = {
    "laplace": (lambda scale: DiscreteLaplace(scale=scale), _laplace),
    "normal": (lambda scale: DiscreteGaussian(scale**2), _normal),
}


def test_without_a_cap_two_statements_hold_together(frame: pd.DataFrame) -> None:
    asked, times, held = asked_of(frame).count(), 30, 0
    lost = np.maximum(rows_of_units() - 4, 0)
    kept = len(frame) - lost.sum()
    for (table,) in drawn_again(asked, ZCDP(rho=2), times, SeededSource(3)):
        assert table.cut is not None
        assert table.cut.beyond is not None
        assert table.cut.kept is None
        truth = kept + np.minimum(lost, table.cut.most).sum()
        inside = table.lower[0] <= truth <= table.upper[0]
        held += bool(inside and (lost > table.cut.most).sum() <= table.cut.beyond)
    assert held >= binom.ppf(1e-4, times, 0.95)


def test_a_total_counts_what_was_surely_lost(frame: pd.DataFrame) -> None:
    """With next to no noise answer, shares and losses are those of the table."""
    asked, lost = asked_of(frame, most_rows=CAP), np.maximum(rows_of_units() - 4, 0)
    (table,) = next(drawn_again(asked.count(), PureDP(epsilon=10**6), 1, SeededSource(1)))
    assert table.values.tolist() == [len(frame)]
    assert table.cut is not None
    assert table.cut.lost == pytest.approx((lost.sum(), lost.sum()), abs=1)
    share = 1 - lost.sum() / len(frame)
    assert table.cut.kept == pytest.approx((share, share), rel=1e-3)
    whole = (lost == 0).mean()
    assert table.cut.whole == pytest.approx((whole, whole), rel=1e-3)
    assert "what the bounds left out is added" in table.notes[0]


# Pure functions.


def test_reach_of_many_sums_at_once_as_the_study_says() -> None:
    """21 knots: 2.68 standard deviations for numbers of units (normal), 2.90 (Laplace)."""
    knots = (*(2**i for i in range(21)),)
    rows = tuple(tuple(float(x >= most) for x in knots) for most in knots)
    normal = simultaneous_reach(rows, DiscreteGaussian(WEIGHT**2), 0.025)
    laplace = simultaneous_reach(rows, DiscreteLaplace(scale=WEIGHT), 0.025)
    assert 2.66 < normal < 2.80
    assert 2.86 < laplace < 3.05


def test_ends_of_means_are_reached_by_the_worst_rows() -> None:
    """4 kept rows of mean ½, 4 lost ones at either end: a quarter and three quarters."""
    half = np.array([0.5])
    low, high = mean_stretched((half, half), np.array([4.0]), 4.0)
    assert (low[0], high[0]) == (0.25, 0.75)
    low, high = mean_stretched((half, half), np.array([-1.0]), 4.0)
    assert (low[0], high[0]) == (0, 1)


def test_sums_are_stretched_to_the_side_of_their_values() -> None:
    ends = np.array([10.0]), np.array([12.0])
    assert [each[0] for each in stretched(*ends, 3, (-2, 5))] == [4, 27]
    assert [each[0] for each in stretched(*ends, 3, (1, 5))] == [10, 27]


def test_shares_between_their_ends() -> None:
    assert kept_share((30, 60), (10, 70)) == (0.3, 60 / 70)
    assert kept_share((-5, -1), (0, 9)) == (0, 1)


# What is measured, and what it costs.


@pytest.mark.parametrize(("budget", "part"), [(PureDP(epsilon=1), 0.029), (ZCDP(rho=1), 0.05)])
def test_the_part_of_the_budget_is_as_stated(
    frame: pd.DataFrame, budget: Guarantee, part: float
) -> None:
    asked = everything(asked_of(frame, most_rows=CAP))
    priced = asked._priced(budget)
    assert float(sum(each.share for each in priced.cuts.values())) == pytest.approx(part)
    told = asked.preview(budget)
    assert float(sum(each.share for each in told.cuts)) == pytest.approx(part)
    without = everything(asked_of(frame, measure_cut=False))._priced(budget)
    assert np.max(np.array(priced.errors) / without.errors) < 1.031
    assert without.cuts == {}


def test_another_part_may_be_stated(frame: pd.DataFrame) -> None:
    for budget in BUDGETS:
        priced = asked_of(frame, measure_cut="0.1").count()._priced(budget)
        assert sum(each.share for each in priced.cuts.values()) == Fraction(1, 10)
    for wrong in ("0.6", 0, -1, "much"):
        with pytest.raises(InvalidParameter):
            asked_of(frame, measure_cut=wrong)
    with pytest.raises(InvalidParameter):
        asked_of(frame, most_rows=0)


def spread_of(asked: Plan) -> UnitSpread | None:
    found = lost_rows(asked.questions[0], asked.bounded)
    return None if found is None else found.spread


def test_nothing_is_measured_where_nothing_can_be_lost(frame: pd.DataFrame) -> None:
    assert spread_of(asked_of(frame).count_units()) is None
    assert spread_of(asked_of(frame, most_rows=4).count()) is None
    for clip in (Clip(max_total=9), Clip(max_norm=9)):  # nobody has more than weighs in full
        whole = asked_of(frame, most_rows=9).count(by="city", keys=CITIES, clip=clip)
        assert spread_of(whole) is None
        more = asked_of(frame, most_rows=10).count(by="city", keys=CITIES, clip=clip)
        assert spread_of(more) is not None
    two = asked_of(frame).count_units(by="city", keys=CITIES[:2])
    assert spread_of(two) is None
    rows = plan(read(frame, unit=None)).count()
    assert spread_of(rows) is None
    assert rows._priced(PureDP(epsilon=1)).cuts == {}


def test_few_measurements_are_worth_their_noise(frame: pd.DataFrame) -> None:
    """Of many questions the first have theirs; the others say so, before and after."""
    asked = asked_of(frame)
    for place in range(20):
        asked = asked.count(where=col("cost") > place, name=f"above {place}")
    told = asked.preview(PureDP(epsilon=1))
    assert len(told.cuts) == 16
    assert "For 4 questions more it is not measured" in told.cuts[-1].note
    assert sum(each.share for each in told.cuts) == pytest.approx(0.029, rel=1e-6)
    tables = next(iter(drawn_again(asked, PureDP(epsilon=1), 1)))
    assert [table.cut is None for table in tables] == [False] * 16 + [True] * 4
    assert all("not measured" in " ".join(table.notes) for table in tables[16:])


def test_the_last_knot_is_what_a_unit_can_lose(frame: pd.DataFrame) -> None:
    def last(asked: Plan) -> int:
        found = spread_of(asked)
        assert found is not None
        return found.knots[-1]

    asked = asked_of(frame, most_rows=CAP)
    assert last(asked.count()) == CAP - 4
    assert last(asked.count(by="city", keys=CITIES[:2])) == CAP - 4
    assert last(asked.count(by="city", keys=CITIES)) == CAP - 2
    assert last(asked.count_units(by="city", keys=CITIES)) == 1
    assert last(asked_of(frame).count_units(by="city", keys=CITIES)) == 1
    assert last(asked_of(frame).count()) == 2**20


def test_questions_about_the_same_rows_share_a_measurement(frame: pd.DataFrame) -> None:
    asked = asked_of(frame, most_rows=CAP).count().sum("cost", lower=0, upper=9).count_units()
    assert len(asked._priced(PureDP(epsilon=1)).cuts) == 1
    more = asked.count(where=col("cost") > 3, name="dear")
    assert len(more._priced(PureDP(epsilon=1)).cuts) == 2


# What is told.


def released(asked: Plan, budget: Guarantee, tmp_path: Any) -> PlanRelease:
    ledger = Ledger(tmp_path / "budget.db", total=budget, begin=True)
    return asked.release(budget, ledger=ledger, source=SeededSource(4))


def test_a_release_tells_the_cut_everywhere(frame: pd.DataFrame, tmp_path: Any) -> None:
    asked = everything(asked_of(frame, most_rows=CAP)).median("cost", lower=-5, upper=20, name="m")
    made = released(asked, PureDP(epsilon=1), tmp_path)
    again = PlanRelease.from_json(made.to_json())
    for one, other in zip(made.tables, again.tables, strict=True):
        assert one.cut == other.cut
    whole = made["all"]
    assert whole.cut is not None
    assert whole.cut.cap == CAP
    assert whole.flags[-1].kind is FlagKind.CUT_NOT_KNOWN
    assert "if nobody has more than 64 rows" in str(made)
    assert "would leave out nothing and give ±" in whole.cut.advice
    middle = made["m"].cut
    assert middle is not None
    assert not middle.held
    assert middle.whole == pytest.approx(whole.cut.whole, abs=0.1)
    assert "intervals are about what the bounds kept" in str(made["m"])


def unheld(asked: Plan) -> Plan:
    """Kinds of questions whose intervals are about what was kept."""
    parts: dict[str, Any] = {"lower": -5, "upper": 20}
    return (
        asked.median("cost", **parts, name="median")
        .variance("cost", **parts, name="variance")
        .std("cost", **parts, name="std")
        .ratio("cost", "age", **parts, over_lower=0, over_upper=90, name="ratio")
        .weighted_mean("cost", "age", **parts, most_weight=90, name="weighted")
        .regression("cost", ["age"], **parts, on_lower=[0], on_upper=[90], name="regression")
        .covariance("cost", "age", **parts, other_lower=0, other_upper=90, name="covariance")
        .correlation("cost", "age", **parts, other_lower=0, other_upper=90, name="correlation")
        .cumulative("cost", **parts, parts=4, name="cumulative")
        .most_common("city", keys=CITIES, count=2, max_groups=1, name="common")
    )


@pytest.mark.parametrize("cap", [CAP, None])
def test_other_kinds_tell_what_was_left_out(frame: pd.DataFrame, cap: int | None) -> None:
    """Rows, or groups of units for `common`; shares of rows where rows are counted."""
    whole = frame.assign(age=np.arange(len(frame)) % 90)
    asked = unheld(asked_of(whole, most_rows=cap))
    counts = frame["who"].value_counts().to_numpy()
    lost, units = np.maximum(counts - 4, 0), frame.groupby("who")["city"].nunique() - 1
    ((*rows, common),) = drawn_again(asked, PureDP(epsilon=3000), 1, SeededSource(3))
    for table in rows:
        assert table.cut is not None
        assert not table.cut.held
        truth = np.minimum(lost, table.cut.most).sum()
        assert table.cut.lost == pytest.approx((truth, truth), rel=0.25)
        assert table.cut.lost[0] <= truth <= table.cut.lost[1]
        assert table.cut.whole == pytest.approx(((lost == 0).mean(),) * 2, abs=0.03)
        assert FlagKind.CUT_NOT_KNOWN in {flag.kind for flag in table.flags}
        assert "not measured" not in str(table)
        assert (table.cut.kept is not None) is (table.name == "regression" and cap is not None)
        if table.cut.kept is not None:
            assert table.cut.kept == pytest.approx((1 - truth / len(frame),) * 2, abs=0.03)
    assert common.cut is not None
    assert common.cut.what == "groups"
    assert common.cut.lost[0] <= units.sum() <= common.cut.lost[1]


def test_what_is_only_told_costs_less_and_comes_last(frame: pd.DataFrame) -> None:
    """A measurement that no interval needs has a quarter of one that intervals need."""
    dear = col("cost") > 3
    asked = asked_of(frame, most_rows=CAP).median("cost", lower=0, upper=9, where=dear).count()
    whole, told = asked._priced(PureDP(epsilon=1)).cuts.values()
    assert whole.share == 4 * told.share
    assert whole.share + told.share == Fraction(29, 1000)
    alone = asked_of(frame, most_rows=CAP).median("cost", lower=0, upper=9).preview(BUDGETS[0])
    assert [each.share for each in alone.cuts] == [Fraction(29, 1000)]
    alone = asked_of(frame).median("cost", lower=0, upper=9).preview(BUDGETS[0])
    open_ = " ".join(str(alone).split())
    assert "it would be known how many rows are left out" in open_
    assert "truth of the whole table" not in open_


@pytest.mark.parametrize("name", ["distinct", "relative"])
def test_kinds_that_tell_nothing_say_why(frame: pd.DataFrame, name: str) -> None:
    asked = asked_of(frame, most_rows=CAP)
    if name == "distinct":
        asked, why = asked.distinct("city"), "another may add"
    else:
        asked = asked.relative_counts(relative_error="0.3", smallest=50, by="city", keys=CITIES)
        why = "its price follows from its error"
    ((table,),) = drawn_again(asked, ZCDP(rho=1), 1)
    assert not asked._priced(ZCDP(rho=1)).cuts
    assert any("not measured for this question: " in each and why in each for each in table.notes)


def test_a_cap_without_a_measurement_is_not_ignored_silently(frame: pd.DataFrame) -> None:
    """It tells where nothing can be lost; elsewhere, that no interval is better for it."""
    asked = asked_of(frame, most_rows=CAP, measure_cut=False).count()
    asked = asked.count(max_rows=CAP, name="all of it")
    assert not asked._priced(BUDGETS[0]).cuts
    ((some, every),) = drawn_again(asked, BUDGETS[0], 1)
    assert "most_rows makes no interval hold it" in some.notes[-1]
    assert every.notes == ()


def test_a_cut_that_is_sure_is_flagged(frame: pd.DataFrame) -> None:
    asked = asked_of(frame, most_rows=CAP).count()
    (table,) = next(drawn_again(asked, PureDP(epsilon=200), 1, SeededSource(1)))
    assert [flag.kind for flag in table.flags] == [FlagKind.CUT]


def test_the_preview_asks_for_a_cap(frame: pd.DataFrame) -> None:
    def told(asked: Plan) -> str:
        return " ".join(str(asked.preview(PureDP(epsilon=1))).split())

    assert "No cap is declared" in told(asked_of(frame).count())
    assert "No cap" not in told(asked_of(frame, most_rows=CAP).count())
    rough = asked_of(frame, most_rows=CAP).count(expected=1000)
    assert "not worth it for 1,000 rows: take max_rows=64" in told(rough)
    assert "not worth it" not in told(asked_of(frame, most_rows=CAP).count(expected=10**6))


def test_cuts_that_are_known_alike_are_told_once(frame: pd.DataFrame) -> None:
    asked = asked_of(frame).count().count(where=col("cost") > 3, name="dear")
    found = asked.preview(PureDP(epsilon=1))
    names = [each.name for each in found.cuts]
    assert len(names) == 2
    assert f"{names[0]}, {names[1]}: {found.cuts[0].told}." in found.sentences
    assert found.cuts[0].note == f"{names[0]}: {found.cuts[0].told}."
    assert found.cuts[0].told.startswith("the release will say how many units lose some, within ±")


def test_other_surfaces_keep_their_columns(frame: pd.DataFrame) -> None:
    asked = asked_of(frame, most_rows=CAP).count()
    (table,) = next(drawn_again(asked, PureDP(epsilon=1), 1, SeededSource(1)))
    assert table.to_csv().splitlines()[0] == "value,standard_error,lower,upper,grade,flags"
    moved: ReleasedTable = table.map(np.sqrt, "root")
    assert moved.cut is None
