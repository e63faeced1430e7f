r"""`StreamStep`: one question of a schedule, measured in every step of it, and what that costs."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.mechanisms.over_time.tree_noise import TreeNoise
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.location import Joined
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.schedule import Schedule, Turns
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import groups_in, reach_of
from leastnoise.release.step.sensitivity import Sensitivity


@dataclass(frozen=True)
class Streamed:
    """What is measured in every step of a schedule.

    Attributes:
        measurement: of the rows of one step; it names no step itself.
        schedule: the steps, and in how many of them a unit counts.
    """

    measurement: Measurement
    schedule: Schedule

    def at(self, number: int) -> Measurement:
        """What is measured in one step: rows whose own date lies in it, of units that count."""
        asked, inside = self.measurement, self.schedule.within(number, number)
        where = inside if asked.where is None else asked.where & inside
        return replace(asked, where=where, turns=Turns(self.schedule, asked.where))

    @property
    def groups(self) -> int | None:
        """How many totals a step has; None if that is secret."""
        return groups_in(self.measurement)


@dataclass(frozen=True, eq=False)
class StreamStep:
    """One question's draws, all steps of the schedule together.

    Attributes:
        asked: what is measured.
        mechanism: what answers, with all of its noise.
        claim: the promise that whoever made it says all steps together keep.
    """

    asked: Streamed
    mechanism: StreamNoise | TreeNoise
    claim: ZCDP | PureDP


def stream_reach(asked: Streamed, table: Table) -> Sensitivity:
    r"""How far one unit moves the totals of one step, or more, as far as a schedule's price goes.

    Theorem: let a unit move the totals of each of its steps by at most u in length. If a unit is
    replaced, one goes from its steps and another comes to its own, which may be others: Cx moves by
    at most twice as much as one of them moves it.
    Proof: ‖C(v − v′)‖ ≤ ‖Cv‖ + ‖Cv′‖.
    """
    alone = Table(
        schema=table.schema,
        unit=table.unit,
        neighbours=Neighbours.ADD_REMOVE,
        location=table.location,
    )
    one = reach_of(asked.at(1), alone)
    if table.neighbours is Neighbours.ADD_REMOVE:
        return one
    return Sensitivity(2 * one.cell, 2 * one.cells, 2 * one.total, 4 * one.square)


def participation(schedule: Schedule, table: Table) -> Participation:
    """In which steps one unit counts; a row is in one."""
    if table.unit is None:
        return Participation(most=1)
    return Participation(most=schedule.contributes, apart=schedule.apart)


def keeps_rows(table: Table) -> bool:
    """Whether rows surely stay, with unit and date, while rows come to the tables they are of."""
    return not isinstance(table.location, Joined) or table.location.rows.only_grows


def keeps_stream_claim(step: StreamStep, table: Table) -> bool:
    """Whether all draws of all steps together surely keep what is claimed for them."""
    asked, noise = step.asked, step.mechanism
    parts = (step, asked, asked.measurement, asked.schedule, noise, noise.allowed, step.claim)
    if not all(map(_is_ours, parts)) or not _is_plain(asked.measurement) or not keeps_rows(table):
        return False
    counted = participation(asked.schedule, table)
    fits = noise.steps == asked.schedule.steps and noise.groups == asked.groups
    if not fits or not _covers(noise.allowed, counted):
        return False
    reach = stream_reach(asked, table)
    if type(noise) is StreamNoise:
        return noise.reach >= reach.square and _gaussian(noise, step.claim)
    return type(noise) is TreeNoise and noise.reach >= reach.total and _tree(noise, step.claim)


def _gaussian(noise: StreamNoise, claim: ZCDP | PureDP) -> bool:
    r"""Measurements by integers, with Gaussian noise.

    Theorem: let a unit count in steps as the schedule says, and move the totals of each by at most
    √r in length over all groups. Measurements with the integers C and fresh discrete Gaussians of
    parameter V are S/(2V)-zCDP, S = r·max_P Σ_{i,j∈P} (CᵀC)_ij over the sets P of steps that a unit
    may count in, if C has no negative entry or a unit counts in one step; even if rows to come
    answer to what was published, and if which rows of a unit count in a step is chosen anew
    whenever the step is looked at again.
    Proof: docs/proofs/over_time.md, sections 4, 6 and 7.
    """
    if not _is_ours(noise.stream) or not isinstance(claim, ZCDP):
        return False
    once = noise.allowed.times(noise.steps) == 1
    positive = bool((noise.stream.matrix >= 0).all())
    return (once or positive) and noise.squared_reach <= 2 * claim.rho * noise.parameter


def _tree(noise: TreeNoise, claim: ZCDP | PureDP) -> bool:
    r"""Measurements of complete blocks of steps, with Laplace noise.

    Theorem: let a unit count in at most m steps and move the totals of each by at most r in all.
    Fresh discrete Laplace noise of scale a_l on every block of level l is ε-DP for the whole
    schedule, with ε = m·r·Σ 1/a_l.
    Proof: docs/proofs/over_time.md, section 9.
    """
    times = noise.allowed.times(noise.steps)
    rate = sum((1 / each for each in noise.scales), Fraction(0))
    return isinstance(claim, PureDP) and times * noise.reach * rate <= claim.epsilon


def _covers(allowed: Participation, counted: Participation) -> bool:
    """Whether noise for units that are allowed this is enough for units that count so."""
    return allowed.most >= counted.most and allowed.apart <= counted.apart


def _is_plain(asked: Measurement) -> bool:
    """Whether it is one count or sum of public groups, bounded step by step."""
    return (
        len(asked.aggregates) == 1
        and isinstance(asked.aggregates[0], CountRows | CountUnits | SumOf)
        and isinstance(asked.bounds, Bounds)
        and asked.turns is None
        and (not asked.by or asked.keys is not None)
    )


def _is_ours(part: object) -> bool:
    """Whether theorems about its class hold of it: a subclass may draw otherwise than it says."""
    return type(part).__module__.startswith("leastnoise.")
