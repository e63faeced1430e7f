r"""Does one step keep the promise claimed for it? Decided from its law and its reach alone.

Every rule names its theorem (docs/proofs/gate.md). What no rule fits is refused: a step without a
proof is not drawn.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import prod

from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.mechanisms.partitions.concentrated_step import ConcentratedStep
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles
from leastnoise.mechanisms.quantile.paired_quantiles import PairedQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.real import Computable
from leastnoise.privacy.gaussian import gaussian_delta
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Both, Condition, OneOf, Readable
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import CountUnits
from leastnoise.release.step.contribution import Contribution, contribution_of
from leastnoise.release.step.count_price import keeps_step
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.marginals_move import is_signed, square_of_exchange, square_of_one
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import bounds_of, most_of, reach_of
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.step import Step, is_relative
from leastnoise.release.step.unowned_rows import UnownedRows
from leastnoise.tabulation.neighbours import AddRemove
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

Claim = PureDP | ApproxDP | ZCDP
_LEAK_BITS = 256  # far more than the shares of δ are rounded to
_UNTESTED: set[object] = {None}  # no key is None


def step_reach(step: Step, table: Table) -> Sensitivity:
    """How far one unit moves the numbers that the step's mechanism is given."""
    chooser = None if step.among is None else step.among.mechanism
    chosen = chooser.count if isinstance(chooser, TopSelection) else None
    return reach_of(step.asked, table, chosen=chosen)


def keeps_claim(step: Step, table: Table) -> bool:  # noqa: PLR0911 - one for each mechanism
    """Whether the step's draw, by itself, surely keeps what is claimed for it."""
    mechanism, claim = step.mechanism, step.claim
    if not all(map(_is_ours, (step, step.asked, mechanism, claim))):
        return False
    reach = step_reach(step, table)
    match mechanism:
        case CellNoise():
            return _is_ours(mechanism.law) and _noise(mechanism.law, reach, claim)
        case JointPart():
            return _joint(mechanism, step, table)
        case PartitionSelection():
            return _counts_whole_units(step, table) and _shown(mechanism, reach, claim)
        case CountedPartitions():
            # What each count keeps is proved of the noise itself; k of them compose as choices do.
            whole = _counts_whole_units(step, table)
            kept = whole and reach.cell == 1 and keeps_step(mechanism)
            return kept and _shown(mechanism, reach, claim)
        case TopSelection():
            return _counts_units(step) and _top(mechanism, reach, step, table)
        case Quantiles():
            return _quantiles(mechanism, step, table)
        case ResidualPlanner():
            return _marginals(mechanism, step, table)
        case PureMarginals():
            return _pure_marginals(mechanism, step, table)
        case _ if is_relative(mechanism):
            # Groups get independent noise, and none costs more than the smallest: proved of this
            # mechanism (docs/proofs/relative_counts.md), not of its relatives.
            price = reach.cells * mechanism.privacy(mechanism.smallest)
            whole = _counts_whole_units(step, table)
            return whole and isinstance(claim, ZCDP) and price <= claim.rho
        case _:
            return False


def _is_ours(part: object) -> bool:
    """Whether theorems about its class hold of it: a subclass may draw otherwise than it says."""
    return type(part).__module__.startswith("leastnoise.")


def _noise(law: LatticeLaw, reach: Sensitivity, claim: Claim) -> bool:
    r"""Independent noise in every cell.

    Theorem: discrete Laplace noise of scale b is ‖w‖₁/b-DP, and discrete Gaussian noise of
    parameter V is ‖w‖₂²/(2V)-zCDP, for every change w of the cells. In one cell, a staircase keeps
    its own ε up to its own sensitivity, and any law what it proves of itself at the greatest shift
    (`LatticeLaw.verify`). Cells that no unit can move tell nothing, with or without noise.
    Proof: the logarithms of the ratios add up over cells, and so do Rényi divergences;
    CanonneKamathSteinke2020, Theorem 4.
    """
    if not reach.cells:
        return True
    if isinstance(law, DiscreteGaussian) and isinstance(claim, ZCDP):
        return reach.square <= 2 * claim.rho * law.sigma_squared
    if isinstance(law, DiscreteLaplace) and not isinstance(claim, ZCDP):
        return reach.total <= claim.epsilon * law.scale
    if reach.cells != 1 or isinstance(claim, ZCDP):
        return False
    if isinstance(law, Staircase) and reach.cell <= law.sensitivity:
        return law.epsilon <= claim.epsilon
    delta = claim.delta if isinstance(claim, ApproxDP) else 0
    return bool(law.verify(sensitivity=reach.cell, epsilon=claim.epsilon, delta=delta))


def _joint(mechanism: JointPart, step: Step, table: Table) -> bool:
    r"""One part of a draw that several steps share; the claim is that of the whole draw.

    Theorem: two-counter noise is ε-DP, for all of its parts together, if one unit adds to each part
    no more than the part allows; n gets its noise for nothing if every unit adds exactly 1. Centred
    Gaussian noise of parameter V is S/(2V)-zCDP then, S its `squared_reach`. One-counter noise is
    ε-DP if what one unit moves lies in a box around 0, or is the difference of two points of a
    simplex.
    Proof: docs/proofs/joint_noise.md, docs/proofs/joint_gaussian.md.
    """
    whole, claim = mechanism.whole, step.claim
    if not _is_ours(whole) or not _is_place(mechanism) or step.among is not None:
        return False
    if not _is_ours(mechanism.part) or isinstance(step.asked, UnownedRows):
        return False  # a row without a unit is none of those who each add 1 to n
    part, adds = mechanism.part, contribution_of(step.asked, table)
    replaced = table.neighbours is Neighbours.REPLACE
    match whole, claim:
        case TwoCounterNoise(), PureDP() | ApproxDP():
            return whole.epsilon <= claim.epsilon and not replaced and _holds(part, adds)
        case OneCounterNoise(), PureDP() | ApproxDP():
            moved = _turned(adds) if replaced else adds
            return whole.epsilon <= claim.epsilon and _is_even(part) and _holds(part, moved)
        case CentredGaussian(), ZCDP():
            enough = whole.squared_reach <= 2 * claim.rho * whole.parameter
            return enough and not replaced and _holds(part, adds)
        case _:
            return False


def _is_place(mechanism: JointPart) -> bool:
    """Whether it names a part; places that are no plain integers might be two and name one."""
    place = mechanism.place
    return type(place) is int and 0 <= place < len(mechanism.whole.parts)


def _holds(part: Part, adds: Contribution) -> bool:
    """Whether one unit adds to the cells no more than the part allows."""
    if isinstance(part, Everyone):
        return adds.everyone
    if part.cells != adds.cells:
        return False
    if isinstance(part, Box):
        return part.low <= adds.low and adds.high <= part.high
    if not isinstance(part, Simplex) or adds.total is None:
        return False
    return adds.total <= part.total and (part.cell is None or adds.high <= part.cell)


def _is_even(part: Part) -> bool:
    """Whether it allows as much to be taken away as to be added."""
    return isinstance(part, Simplex) or (isinstance(part, Box) and part.low == -part.high)


def _turned(adds: Contribution) -> Contribution:
    """What a replaced unit moves: one contribution less another. Of simplexes, see the theorem."""
    width = adds.high - adds.low
    return Contribution(-width, width, adds.total, adds.cells)


def _shown(rule: KeepRule, reach: Sensitivity, claim: Claim) -> bool:
    r"""A choice of groups by their numbers of units.

    Theorem: if one count more or less keeps a step's promise, k counts together keep k steps:
    ε and ρ add up, leaks of δ each make 1 − (1 − δ)^k, and μ² add up.
    Proof: docs/proofs/partition_selection.md, sections 2 to 6.
    """
    step, times = rule.step, reach.cells
    match step, claim:
        case ApproximateStep(), ApproxDP():
            return times * step.epsilon <= claim.epsilon and _leak(step.delta, times) <= claim.delta
        case GaussianStep(), ApproxDP():
            leak = _leak(step.delta, times)
            return leak < claim.delta and normal_keeps(
                times * step.mu_squared, claim.epsilon, (claim.delta - leak) / (1 - leak)
            )
        case GaussianStep(), ZCDP():
            enough = times * step.mu_squared <= 2 * claim.rho
            return enough and _leak(step.delta, times) <= claim.delta
        case ConcentratedStep(), ZCDP():
            return times * step.rho <= claim.rho and _leak(step.delta, times) <= claim.delta
        case _:
            return False


def _leak(one: Fraction, times: int) -> Fraction:
    """1 − (1 − δ)^times, rounded up: a power of rationals could have a billion digits."""
    if times == 1:
        return one
    whole = enclosure(lambda: -(times * (-ball(one)).log1p()).expm1(), relative_bits=_LEAK_BITS)
    return Fraction(whole.upper)


def normal_keeps(square: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether N(0, 1) and N(μ, 1), given μ², are (ε, δ)-indistinguishable: BalleWang2018."""
    if not square:
        return True
    mu = Computable(lambda: ball(square).sqrt())
    return delta > 0 and gaussian_delta(epsilon, mu).compare(delta) <= 0


def _top(choice: TopSelection, reach: Sensitivity, step: Step, table: Table) -> bool:
    r"""Peeling: the choices compose adaptively; utilities are counts, or weights of units.

    Theorem: a choice by utilities that one unit moves by at most Δ each keeps its ε; if it moves
    none of them down, at twice the rate. Whether they move by whole Δ makes no difference.
    Proof: docs/proofs/sensitivity.md, section 3, "Choices by clipped numbers of units".
    """
    one, claim = choice.selection, step.claim
    assert isinstance(step.asked, Measurement)
    listed = step.asked.keys is not None and one.candidates == len(step.asked.keys)
    one_way = table.neighbours is Neighbours.ADD_REMOVE or not one.monotone
    if not _is_ours(one) or not listed or not one_way or one.sensitivity < reach.cell:
        return False
    if isinstance(claim, ZCDP):
        return choice.concentrated.rho <= claim.rho
    return choice.count * one.epsilon <= claim.epsilon


def _quantiles(mechanism: Quantiles, step: Step, table: Table) -> bool:
    r"""Choices by rank, one or two for each level, or one tree of counts, or ranks by a factor.

    Theorem: choices with chances that fall by e^−λ per count, in all `turns` for each level, cost
    λ·turns·S, or λ²·turns·S₂/8 in ρ for the exponential mechanism, S and S₂ the moves of the task.
    A unit moves a tree, and what a factor measures, as far as is summed up here.
    Proof: docs/proofs/quantiles.md, sections 2 to 5, 7 and 9.
    """
    asked, claim, way = step.asked, step.claim, mechanism.way
    if not isinstance(asked, Histograms) or len(asked.groupings) != 1:
        return False
    grouping, most, task = asked.groupings[0], most_of(asked, table), way.task
    replaced = table.neighbours is Neighbours.REPLACE
    fits = (
        task.contribution >= most
        and task.replace is replaced
        and task.cells == grouping.inner
        and (task.grouped or not grouping.columns)
    )
    if not fits:
        return False
    if isinstance(way, ChosenQuantiles | PairedQuantiles):
        choices, rate = (2 if isinstance(way, PairedQuantiles) else 1), way.choice.rate
        if isinstance(claim, ZCDP):  # only the exponential mechanism's range is bounded
            return not way.choice.flips and choices * rate**2 * task.square_move <= 8 * claim.rho
        return choices * rate * task.total_move <= claim.epsilon
    if isinstance(way, FactoredQuantiles):
        square = way.factor.squared_reach(replace=replaced, grouped=task.grouped) * most**2
        return isinstance(claim, ZCDP) and square <= 2 * claim.rho * way.law.sigma_squared
    turns = (2 if replaced else 1) * way.height
    reach = Sensitivity(most, turns * most, turns * most, turns * most**2)
    return _noise(way.law, reach, claim)


def _marginals(planner: ResidualPlanner, step: Step, table: Table) -> bool:
    """A unit is a mixture of so many people of one row each, and each costs the planner's ρ."""
    asked, claim = step.asked, step.claim
    if not isinstance(asked, Histograms) or not isinstance(claim, ZCDP):
        return False
    square = marginals_square(planner, asked, table)
    return square is not None and square <= 2 * claim.rho * planner.plan.noise.law.sigma_squared


def marginals_square(planner: ResidualPlanner, asked: Histograms, table: Table) -> Fraction | None:
    r"""How far one unit moves what the planner adds noise to, in squares; None if unknown.

    Theorem: let every row that counts be in one cell of each table, let M be the most that one
    unit's rows weigh. If one person of one row moves the measured numbers by at most S in squares,
    a unit moves them by at most M²·S; if one person exchanged for another or for nobody moves them
    by at most E, a unit that is replaced moves them by at most M²·E.
    Proof: docs/proofs/gate.md, theorem 4.
    """
    if not _counts_rows_once(planner.workload, asked):
        return None
    if not isinstance(planner.neighbours, AddRemove):
        return None
    replaced = table.neighbours is Neighbours.REPLACE
    square = square_of_exchange(planner.plan) if replaced else square_of_one(planner.plan)
    return Fraction(square * most_of(asked, table) ** 2)


def _pure_marginals(mechanism: PureMarginals, step: Step, table: Table) -> bool:
    r"""Joint noise on signed tables: the groups' prices add up.

    Theorem: let a unit's rows weigh M at most. It moves every signed table by at most M in ℓ1, and
    by 2M if it is replaced, and all tables of one number by even or all by odd amounts; a group of
    rate a then costs a·M, or a·2M.
    Proof: docs/proofs/pure_marginals.md, section 1.
    """
    asked, claim, plan = step.asked, step.claim, mechanism.plan
    if not isinstance(asked, Histograms) or isinstance(claim, ZCDP):
        return False
    if not _counts_rows_once(plan.workload, asked) or not is_signed(plan):
        return False
    turns = 2 if table.neighbours is Neighbours.REPLACE else 1
    rates = sum((law.rate for law in plan.laws), Fraction(0))
    return rates * turns * most_of(asked, table) <= claim.epsilon


def _counts_rows_once(workload: ResidualWorkload, asked: Histograms) -> bool:
    """Whether the tables are those of the workload, and each row is in one cell of each."""
    tests: dict[Readable, set[object]] = {
        part.column: set(part.values) for part in _conjuncts(asked.where) if isinstance(part, OneOf)
    }
    sizes = dict(workload.attributes)
    tables = [tuple(column.name for column in each.columns) for each in asked.groupings]
    complete = all(_is_complete(each, tests, sizes) for each in asked.groupings)
    return complete and tables == list(workload.needed)


def _is_complete(
    grouping: Grouping, tests: Mapping[Readable, set[object]], sizes: Mapping[str, int]
) -> bool:
    """Whether each row that counts is in one cell, and the cells are all combinations of values."""
    if grouping.keys is None or grouping.bins:
        return False
    listed = [set(values) for values in grouping.keys.listed.values[: len(grouping.columns)]]
    return len(grouping.keys) == prod(map(len, listed)) and all(
        tests.get(column, _UNTESTED) <= values and sizes.get(column.name) == len(values)
        for column, values in zip(grouping.columns, listed, strict=True)
    )


def _conjuncts(condition: Condition | None) -> list[Condition]:
    if isinstance(condition, Both):
        return [*_conjuncts(condition.one), *_conjuncts(condition.other)]
    return [] if condition is None else [condition]


def _counts_whole_units(step: Step, table: Table) -> bool:
    """Whether it is the number of units and each counts 1: under a clip it may count less."""
    if not _counts_units(step):
        return False
    assert isinstance(step.asked, Measurement)
    return isinstance(bounds_of(step.asked, table), Bounds)


def _counts_units(step: Step) -> bool:
    """Whether what is measured is the number of units in each group, and nothing else."""
    return isinstance(step.asked, Measurement) and step.asked.aggregates == (CountUnits(),)
