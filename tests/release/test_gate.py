"""The gate: nothing leaves with less noise than was charged, whoever proposed it."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointDraw, JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.paired_quantiles import PairedQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise import Canonical, DiscreteGaussian, DiscreteLaplace, Staircase
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release import gate
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.asking.question_list import asked_of
from leastnoise.release.gate import Admitted, Paid, admit
from leastnoise.release.plan import Plan
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Answering, Step
from leastnoise.release.step.unit_spread import UnitSpread
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

LESS = Fraction(99, 100)
ROWS = pd.DataFrame(
    {
        "who": [1, 1, 2, 3, 4, 4],
        "city": ["Oslo", "Bergen", "Oslo", "Oslo", "Bergen", "Oslo"],
        "sick": [True, False, True, True, False, False],
        "cost": [3.0, 5.0, 100.0, 20.0, 7.0, 9.0],
    }
)
CITIES = ["Oslo", "Bergen", "Bodø"]
PURE, APPROX, CONCENTRATED = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")
LEAKY = ZCDP(rho="0.1", delta="1e-6")

QUESTIONS: dict[str, Callable[[Plan], Plan]] = {
    "count": lambda p: p.count(),
    "counts": lambda p: p.count(by="city", keys=CITIES),
    "units": lambda p: p.count_units(by="city", keys=CITIES),
    "sum": lambda p: p.sum("cost", lower=0, upper=100),
    "mean": lambda p: p.mean("cost", lower=0, upper=100, by="city", keys=CITIES),
    "variance": lambda p: p.variance("cost", lower=0, upper=100),
    "std": lambda p: p.std("cost", lower=0, upper=100, by="city", keys=CITIES),
    "share": lambda p: p.share(ln.col("cost") > 8, by="city", keys=CITIES),
    "share of units": lambda p: p.share_units(ln.col("sick") == True, by="city", keys=CITIES),  # noqa: E712
    "ratio": lambda p: p.ratio(
        "cost", "who", lower=0, upper=100, over_lower=0, over_upper=9, by="city", keys=CITIES
    ),
    "weighted mean": lambda p: p.weighted_mean(
        "cost", "who", lower=0, upper=100, most_weight=9, by="city", keys=CITIES
    ),
    "covariance": lambda p: p.covariance(
        "cost", "who", lower=0, upper=100, other_lower=0, other_upper=9, by="city", keys=CITIES
    ),
    "correlation": lambda p: p.correlation(
        "cost", "who", lower=0, upper=100, other_lower=0, other_upper=9, by="city", keys=CITIES
    ),
    "distinct": lambda p: p.distinct("sick", by="city", keys=CITIES),
    "regression": lambda p: p.regression(
        "cost", ["who", "sick"], lower=0, upper=100, on_lower=[0, 0], on_upper=[9, 1]
    ),
    "cumulative": lambda p: p.cumulative("cost", lower=0, upper=100, parts=9),
    "median": lambda p: p.median("cost", lower=0, upper=100, parts=16),
    "histogram": lambda p: p.histogram("cost", lower=0, upper=100, parts=4),
    "quantiles": lambda p: p.quantiles("cost", [0.5], lower=0, upper=100, parts=16),
    "a quantile of many parts": lambda p: p.quantiles(
        "cost", [0.5], lower=0, upper=100, parts=5000
    ),
    "many quantiles": lambda p: p.quantiles(
        "cost", [i / 20 for i in range(1, 20)], lower=0, upper=100, parts=1000
    ),
    "marginals": lambda p: p.marginals(["city", "sick"], ways=1, keys={"city": CITIES}),
    "pairs": lambda p: p.marginals(["city", "sick"], ways=2, keys={"city": CITIES}),
    "most common": lambda p: p.most_common("city", count=2, keys=CITIES),
    "clipped": lambda p: p.count(by="city", keys=CITIES, clip=Clip(max_norm=2)),
}
PRIVATE: dict[str, Callable[[Plan], Plan]] = {
    "private counts": lambda p: p.count(by="city", keys="private"),
    "private units": lambda p: p.count_units(by="city", keys="private"),
    "private share": lambda p: p.share(ln.col("cost") > 8, by="city", keys="private"),
    "private median": lambda p: p.median(
        "cost", lower=0, upper=100, parts=16, by="city", keys="private"
    ),
    "private quantiles": lambda p: p.quantiles(
        "cost",
        [i / 20 for i in range(1, 20)],
        lower=0,
        upper=100,
        parts=1000,
        by="city",
        keys="private",
    ),
    "private units of some rows": lambda p: asked_of(
        p.count_units(by="city", keys="private"), ln.col("cost") > 8
    ),
    "private most common": lambda p: p.most_common("city", count=2, keys="private"),
}
RELATIVE: dict[str, Callable[[Plan], Plan]] = {
    "relative": lambda p: p.relative_counts(
        relative_error="0.5", smallest=20, by="city", keys=CITIES
    ),
}


def planned(name: str, neighbours: str = "add_remove", unit: str | None = "who") -> Plan:
    start = ln.plan(ln.read(ROWS, unit=unit, neighbours=neighbours), max_groups=2, max_rows=3)
    asked = {**QUESTIONS, **PRIVATE, **RELATIVE}[name](start)
    return asked.count(where=ln.col("cost") > 4, name="another") if name in QUESTIONS else asked


def steps_of(asked: Plan, budget: Guarantee) -> list[Step]:
    return list(asked._priced(budget).admitted(budget).steps)


CASES = [
    *((name, budget) for name in QUESTIONS for budget in (PURE, APPROX, CONCENTRATED)),
    *((name, budget) for name in PRIVATE for budget in (APPROX, LEAKY)),
    *((name, ZCDP(rho=5)) for name in RELATIVE),
]


def quieter(mechanism: Answering) -> Iterator[Answering]:
    """The same mechanism with a hundredth less noise, in every way there is to have less."""
    match mechanism:
        case CellNoise():
            yield CellNoise(quieter_law(mechanism.law))
        case JointPart():
            whole = mechanism.whole
            for other in quieter_draw(whole, mechanism.place):
                yield JointPart(other, mechanism.place)
        case PartitionSelection() | CountedPartitions():
            kind, parameters = type(mechanism), mechanism.parameters
            for more in dearer(mechanism.promise):
                yield kind(**(parameters | {"promise": more}))
            if mechanism.max_groups > 1:
                yield kind(**(parameters | {"max_groups": mechanism.max_groups - 1}))
        case TopSelection():
            one = mechanism.selection
            yield TopSelection(_selection(one, epsilon=one.epsilon / LESS), mechanism.count)
        case Quantiles():
            parameters = mechanism.parameters
            for more in dearer(mechanism.promise):
                yield Quantiles(**(parameters | {"promise": more}))
            fewer = int(mechanism.contribution * LESS)
            yield Quantiles(**(parameters | {"contribution": fewer}))
        case ResidualPlanner() | PureMarginals():
            yield from quieter_tables(mechanism)
        case RelativeCounts():
            yield RelativeCounts(
                relative_error=mechanism.relative_error * LESS, smallest=mechanism.smallest
            )
        case _:
            raise AssertionError(mechanism)


def quieter_draw(whole: JointDraw, place: int) -> Iterator[JointDraw]:
    """Less noise for all parts, or for one alone."""
    assert isinstance(whole, OneCounterNoise | TwoCounterNoise | CentredGaussian)
    if isinstance(whole, OneCounterNoise | TwoCounterNoise):
        yield replace(whole, epsilon=whole.epsilon / LESS)
    else:
        yield replace(whole, parameter=whole.parameter * LESS)
    for less in narrower(whole.parts[place]):
        parts = [less if i == place else each for i, each in enumerate(whole.parts)]
        if isinstance(whole, OneCounterNoise) and isinstance(less, Box):
            parts[place] = replace(less, low=-less.high)
        yield replace(whole, parts=parts)


def narrower(part: Part) -> Iterator[Part]:
    match part:
        case Box():
            yield replace(part, high=part.high - 1)
            if part.low and part.low != -part.high:
                yield replace(part, low=part.low + 1)
        case Simplex():
            yield replace(part, total=part.total - 1)
            yield replace(part, cell=part.total // 3)


def quieter_tables(mechanism: ResidualPlanner | PureMarginals) -> Iterator[Answering]:
    if isinstance(mechanism, ResidualPlanner):
        assert isinstance(mechanism.guarantee, ZCDP)
        more = ZCDP(rho=mechanism.guarantee.rho / LESS)
        yield ResidualPlanner(mechanism.workload, guarantee=more)
        return
    pure = PureDP(epsilon=mechanism.guarantee.epsilon / LESS)
    yield PureMarginals(**(mechanism.parameters | {"guarantee": pure}))
    fewer = int(mechanism.contribution * LESS)
    yield PureMarginals(**(mechanism.parameters | {"contribution": fewer}))


def _selection(one: Selection, **changed: Any) -> Selection:
    return type(one)(**(one.parameters | changed))


def dearer(promise: Guarantee) -> Iterator[Any]:
    match promise:
        case PureDP():
            yield PureDP(epsilon=promise.epsilon / LESS)
        case ZCDP():
            yield ZCDP(rho=promise.rho / LESS, delta=promise.delta)
        case ApproxDP():
            yield ApproxDP(epsilon=promise.epsilon / LESS, delta=promise.delta)
    if isinstance(promise, ApproxDP | ZCDP) and promise.delta:
        yield replace_delta(promise)


def replace_delta(promise: ApproxDP | ZCDP) -> ApproxDP | ZCDP:
    if isinstance(promise, ZCDP):
        return ZCDP(rho=promise.rho, delta=promise.delta / LESS)
    return ApproxDP(epsilon=promise.epsilon, delta=promise.delta / LESS)


def quieter_law(law: LatticeLaw) -> LatticeLaw:
    match law:
        case DiscreteLaplace():
            return DiscreteLaplace(scale=law.scale * LESS)
        case DiscreteGaussian():
            return DiscreteGaussian(law.sigma_squared * LESS)
        case Staircase():
            return Staircase(
                sensitivity=law.sensitivity, epsilon=law.epsilon / LESS, width=law.width
            )
        case Canonical():
            return Canonical(**(law.parameters | {"epsilon": law.epsilon / LESS}))
        case _:
            raise AssertionError(law)


def test_enough_plans_are_tried() -> None:
    tried = [each for name, budget in CASES for each in spoiled(name, budget, "add_remove")]
    tried += [each for name, budget in CASES for each in spoiled(name, budget, "replace")]
    assert len(tried) >= 120


def spoiled(name: str, budget: Guarantee, neighbours: str) -> Iterator[list[Step]]:
    """All lists of steps in which one step has a hundredth less noise than it should."""
    steps = steps_of(planned(name, neighbours), budget)
    for step in steps:
        for other in quieter(step.mechanism):
            changed = replace(step, mechanism=other)
            rest = [replace(s, among=changed) if s.among is step else s for s in steps]
            yield [changed if s is step else rest[i] for i, s in enumerate(steps)]
            # The same by one who knows what it costs, and says so.
            (honest, *_) = dearer(step.claim)
            dear = replace(changed, claim=honest)
            rest = [replace(s, among=dear) if s.among is step else s for s in steps]
            yield [dear if s is step else rest[i] for i, s in enumerate(steps)]


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize(("name", "budget"), CASES, ids=str)
def test_a_hundredth_less_noise_anywhere_is_refused(
    name: str, budget: Guarantee, neighbours: str
) -> None:
    table = planned(name, neighbours).table
    for steps in spoiled(name, budget, neighbours):
        if name in RELATIVE:
            budget = steps[0].claim  # its price follows from the question, not from the budget
        with pytest.raises(NotAdmitted):
            admit(table, steps, budget)


@pytest.mark.parametrize(("name", "budget"), CASES, ids=str)
def test_honest_plans_pass_and_a_smaller_budget_does_not(name: str, budget: Guarantee) -> None:
    asked = planned(name)
    steps = steps_of(asked, budget)
    assert admit(asked.table, steps, budget).costs[0] == budget
    if name not in RELATIVE:
        with pytest.raises(NotAdmitted):
            admit(asked.table, steps, _smaller(budget))


def _smaller(budget: Guarantee) -> Guarantee:
    match budget:
        case PureDP():
            return PureDP(epsilon=budget.epsilon * LESS)
        case ZCDP():
            return ZCDP(rho=budget.rho * LESS, delta=budget.delta)
        case ApproxDP():
            return ApproxDP(epsilon=budget.epsilon * LESS, delta=budget.delta)
        case _:
            raise AssertionError(budget)


@pytest.mark.parametrize(("name", "budget"), CASES, ids=str)
def test_noise_for_narrower_bounds_is_refused(name: str, budget: Guarantee) -> None:
    """Noise calibrated to two rows of a unit where three count, or to one group for two."""
    narrow = ln.plan(ln.read(ROWS, unit="who"), max_groups=1, max_rows=2)
    wide = Bounds(max_groups=2, max_rows=3)
    if name in {"clipped", "units", "share of units", "most common"} or name in RELATIVE:
        wide = Bounds(max_groups=3, max_rows=3)  # and the clip below
    asked = {**QUESTIONS, **PRIVATE, **RELATIVE}[name](narrow)
    steps = steps_of(asked, budget)
    made: dict[int, Step] = {}
    for step in steps:
        among = None if step.among is None else made[id(step.among)]
        made[id(step)] = replace(step, asked=_widened(step.asked, wide), among=among)
    with pytest.raises(NotAdmitted):
        admit(asked.table, [made[id(step)] for step in steps], budget)


def _widened(asked: Asked, bounds: Bounds) -> Asked:
    if isinstance(asked, UnitSpread):  # a unit's weight, whatever its bounds are
        return asked
    if isinstance(asked, Histograms):
        return Histograms(asked.groupings, bounds.max_rows, asked.where)
    assert isinstance(asked, Measurement)
    if isinstance(asked.bounds, Clip):
        return replace(asked, bounds=Clip(max_norm=asked.bounds.rows + 1))
    return replace(asked, bounds=bounds)


@pytest.mark.parametrize(("name", "budget"), CASES, ids=str)
def test_noise_for_one_more_is_refused_where_one_is_replaced(name: str, budget: Guarantee) -> None:
    """What suffices for a unit more or less is too little for one that is replaced."""
    asked, other = planned(name), planned(name, "replace")
    steps = steps_of(asked, budget)
    if name in {"sum", "count", "variance"}:
        asked = asked.count(by="city", keys=CITIES, name="several")
        steps = steps_of(asked, budget)
    with pytest.raises(NotAdmitted):
        admit(other.table, steps, budget)


def test_shares_that_add_up_to_more_are_refused() -> None:
    asked = planned("counts")
    for budget in (PURE, APPROX, CONCENTRATED):
        steps = steps_of(asked, budget)
        again = replace(steps[0])
        with pytest.raises(NotAdmitted, match=r"together|used once"):
            admit(asked.table, [*steps, again], budget)


def test_the_delta_of_every_threshold_counts() -> None:
    """Two choices of groups, each with the whole δ."""
    start = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=3)
    one = start.count(by="city", keys="private")
    two = one.count(by="sick", keys="private")
    steps = steps_of(two, LEAKY)
    whole = [
        replace(step, mechanism=_with_whole_delta(step.mechanism), claim=_whole(step.claim))
        if isinstance(step.mechanism, PartitionSelection)
        else step
        for step in steps
    ]
    places = {id(old): new for old, new in zip(steps, whole, strict=True)}
    fixed = [
        step if step.among is None else replace(step, among=places[id(step.among)])
        for step in whole
    ]
    with pytest.raises(NotAdmitted, match="together"):
        admit(two.table, fixed, LEAKY)


def _whole(claim: Any) -> ZCDP:
    return ZCDP(rho=claim.rho, delta=LEAKY.delta)


def _with_whole_delta(rule: PartitionSelection) -> PartitionSelection:
    return PartitionSelection(_whole(rule.promise), max_groups=rule.max_groups)


def test_private_groups_are_not_shown_without_a_choice() -> None:
    asked = planned("private counts")
    steps = steps_of(asked, APPROX)
    bare = [replace(step, among=None) for step in steps]
    with pytest.raises(NotAdmitted, match="choice of their groups"):
        admit(asked.table, bare, APPROX)
    with pytest.raises(NotAdmitted, match="choice of their groups"):
        admit(asked.table, list(reversed(steps)), APPROX)


def test_a_choice_is_for_its_own_groups_only() -> None:
    start = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=3)
    cities = steps_of(start.count(by="city", keys="private"), APPROX)
    kinds = steps_of(start.count(by="sick", keys="private"), APPROX)
    with pytest.raises(NotAdmitted, match="choice of their groups"):
        admit(start.table, [cities[0], replace(kinds[1], among=cities[0])], APPROX)


def test_a_step_is_drawn_once() -> None:
    asked = planned("count")
    step = steps_of(asked, PURE)[0]
    with pytest.raises(NotAdmitted, match="once"):
        admit(asked.table, [step, step], PureDP(epsilon=10))


def test_marginals_that_do_not_count_the_same_rows_are_refused() -> None:
    asked = planned("marginals")
    steps = steps_of(asked, CONCENTRATED)
    (step,) = [each for each in steps if isinstance(each.mechanism, ResidualPlanner)]
    assert isinstance(step.asked, Histograms)
    loose = Histograms(step.asked.groupings, step.asked.max_rows, None)
    with pytest.raises(NotAdmitted):
        admit(asked.table, [replace(step, asked=loose)], CONCENTRATED)


def test_what_cannot_be_priced_is_refused() -> None:
    asked = planned("count")
    step = steps_of(asked, PURE)[0]
    odd: Any = object()
    for changed in (
        replace(step, mechanism=odd),
        replace(step, mechanism=CellNoise(DiscreteGaussian(1000))),  # priced in ρ, claimed in ε
        replace(step, claim=ZCDP(rho=1)),
    ):
        with pytest.raises(NotAdmitted):
            admit(asked.table, [changed], PURE)


def test_nobody_else_makes_what_the_gate_makes(tmp_path: Any) -> None:
    asked = planned("count")
    admitted = asked._priced(PURE).admitted(PURE)
    with pytest.raises(TypeError):
        Admitted(asked.table, admitted.steps, (PURE,), object())
    with pytest.raises(TypeError):
        Paid(admitted.steps, None, object())  # type: ignore[arg-type]
    ledger = ln.Ledger(tmp_path / "budget.db", total=PureDP(epsilon=5), begin=True)
    paid = admitted.charge(ledger, purpose="", labels=None, digest="")
    assert ledger.spent == PURE
    assert paid.used() == admitted.steps
    with pytest.raises(NotAdmitted, match="drawn before"):
        paid.used()


def test_nothing_is_changed_after_it_was_admitted(tmp_path: Any) -> None:
    admitted = planned("count").admitted(PURE)
    quiet = tuple(
        replace(step, mechanism=CellNoise(DiscreteLaplace(scale=1))) for step in admitted.steps
    )
    with pytest.raises((TypeError, ValueError)):
        replace(admitted, steps=quiet)  # type: ignore[call-arg]
    ledger = ln.Ledger(tmp_path / "budget.db", total=PureDP(epsilon=5), begin=True)
    paid = admitted.charge(ledger, purpose="", labels=None, digest="")
    with pytest.raises(TypeError):
        copy(paid)


def test_a_choice_of_quantiles_that_is_priced_as_another_is_refused() -> None:
    """Permute-and-flip with the price in ρ that only the exponential mechanism has."""
    asked = planned("a quantile of many parts")
    (step,) = (each for each in steps_of(asked, PURE) if isinstance(each.mechanism, Quantiles))
    assert isinstance(step.mechanism, Quantiles)
    alone = Quantiles(**(step.mechanism.parameters | {"ends": False}))
    for mechanism, choices in ((step.mechanism, 2), (alone, 1)):
        way: Any = mechanism.way
        assert isinstance(way, (ChosenQuantiles, PairedQuantiles)[choices - 1])
        cheap = ZCDP(rho=choices * way.rate**2 * way.task.square_move / 8)
        with pytest.raises(NotAdmitted):
            admit(asked.table, [replace(step, mechanism=mechanism, claim=cheap)], cheap)
        dear = PureDP(epsilon=choices * way.rate * way.task.total_move)
        admitted = admit(asked.table, [replace(step, mechanism=mechanism, claim=dear)], dear)
        assert len(admitted.steps) == 1
        less = PureDP(epsilon=dear.epsilon * Fraction(99, 100))
        with pytest.raises(NotAdmitted):
            admit(asked.table, [replace(step, mechanism=mechanism, claim=less)], less)


@pytest.mark.parametrize("choices", [1, 2])
def test_choices_of_quantiles_add_up_in_rho(choices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where another way would be taken."""
    kind = (ChosenQuantiles, PairedQuantiles)[choices - 1]
    asked = planned("a quantile of many parts")
    (step,) = (each for each in steps_of(asked, PURE) if isinstance(each.mechanism, Quantiles))
    assert isinstance(step.mechanism, Quantiles)
    other = {"ends": choices == 2, "promise": ZCDP(rho=1)}
    mechanism = Quantiles(**(step.mechanism.parameters | other))
    monkeypatch.setattr(Quantiles, "way", property(kind))
    way: Any = mechanism.way
    exact = ZCDP(rho=choices * way.rate**2 * way.task.square_move / 8)
    assert admit(asked.table, [replace(step, mechanism=mechanism, claim=exact)], exact).steps
    less = ZCDP(rho=exact.rho * Fraction(99, 100))
    with pytest.raises(NotAdmitted):
        admit(asked.table, [replace(step, mechanism=mechanism, claim=less)], less)


def test_groups_that_were_bounded_otherwise_are_not_the_chosen_ones() -> None:
    """Places among one answer's groups mean nothing among another's."""
    asked = planned("private counts")
    choice, count, *_ = steps_of(asked, APPROX)
    other = replace(count, asked=_widened(count.asked, Bounds(max_groups=1, max_rows=1)))
    with pytest.raises(NotAdmitted, match="choice of their groups"):
        admit(asked.table, [choice, other], APPROX)


class Quiet(DiscreteLaplace):
    """Says one thing and does another."""

    def sample(self, *_args: Any, **_more: Any) -> Any:
        return np.zeros(1, np.int64)


class Silent(CellNoise):
    """The same one floor up."""

    def draw(self, cells: Any, source: Any) -> Any:  # noqa: ARG002
        return cells


def test_laws_and_mechanisms_of_others_are_refused() -> None:
    asked = planned("count")
    step = steps_of(asked, PURE)[0]
    wide = DiscreteLaplace(scale=1000)
    admit(asked.table, [replace(step, mechanism=CellNoise(wide))], PURE)
    for other in (CellNoise(Quiet(scale=1000)), Silent(wide)):
        with pytest.raises(NotAdmitted):
            admit(asked.table, [replace(step, mechanism=other)], PURE)


def test_the_gate_shares_no_code_with_the_search() -> None:
    """What prices plans knows nothing of how they were found."""
    from tests.layers import project_imports, reachable

    imports = project_imports()
    found = reachable(gate.__name__, imports)
    search = {"demand", "grant", "forecast"}
    assert not [name for name in found if name.startswith("leastnoise.release.price")]
    assert "leastnoise.mechanisms.joint.best_starts" not in found
    own = [name for name in found if name.startswith("leastnoise.release.")]
    assert not [name for name in own if name.rpartition(".")[2] in search]
    assert not [name for name in found if ".planning" in name or ".least_noise" in name]
