"""From exact, secret totals to public numbers: the one place where a release draws noise."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.joint.joint_part import Integers, JointPart
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.randomness.source import Source
from leastnoise.release.draw.shown_groups import Rows, ShownGroups
from leastnoise.release.gate import Paid
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.secret_totals import SecretTotals, Totals
from leastnoise.release.step.step import Step, is_relative
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

CONFIDENCE = Fraction(95, 100)
"""Of all intervals."""


@dataclass(frozen=True)
class Drawn:
    """What one step shows. All of it is public.

    Attributes:
        rows: the keys of the groups.
        values: what the mechanism said: of noise in cells, one array for each total.
    """

    rows: Rows
    values: tuple[Any, ...]


Found = tuple[Drawn, ...]
"""What the steps of one question show, in their order."""


def make_ready(steps: Sequence[Step]) -> None:
    """Makes the tables that noise is drawn from; draws nothing.

    Once a release is charged, whoever kills the process loses answers that are paid for: what can
    be done before is done before.
    """
    for step in steps:
        if isinstance(step.mechanism, CellNoise):
            step.mechanism.law.sample(0)
        elif isinstance(step.mechanism, CountedPartitions):
            step.mechanism.noise.sample(0)
        elif isinstance(step.mechanism, JointPart):
            step.mechanism.whole.make_ready()
        elif isinstance(step.mechanism, PureMarginals):
            step.mechanism.make_ready()


def drawn(paid: Paid, secrets: Sequence[tuple[SecretTotals, ...]], source: Source) -> list[Drawn]:
    """What each step shows, in order.

    Args:
        paid: the steps, charged.
        secrets: the exact answers to what each step measures.
        source: randomness.
    """
    shown: dict[int, ShownGroups] = {}
    noise: dict[int, tuple[Integers, ...]] = {}
    found = []
    for step, exact in zip(paid.used(), secrets, strict=True):
        own, among = exact, None if step.among is None else shown[id(step.among)]
        if among is not None and isinstance(step.mechanism, Quantiles):
            found.append(Drawn(among.rows, (_quantiles_of(step.mechanism, exact, among, source),)))
            continue
        if among is not None:
            own = tuple(among.totals(each) for each in exact)
        if isinstance(step.mechanism, PartitionSelection | TopSelection):
            shown[id(step)] = chosen = _chosen(step.mechanism, own[0], source)
            found.append(Drawn(chosen.rows, ()))
        elif isinstance(step.mechanism, CountedPartitions):
            shown[id(step)], numbers = _counted(step.mechanism, own[0], source)
            found.append(Drawn(shown[id(step)].rows, (numbers,)))
        elif isinstance(step.mechanism, JointPart):
            found.append(Drawn(own[0].rows, _with_part(step.mechanism, own, noise, source)))
        else:
            found.append(Drawn(own[0].rows, _noisy(step, own, source)))
    return found


def _with_part(
    part: JointPart,
    secrets: tuple[SecretTotals, ...],
    noise: dict[int, tuple[Integers, ...]],
    source: Source,
) -> tuple[Totals, ...]:
    """The totals with their part of a joint draw, which is drawn when its first part is needed."""
    if id(part.whole) not in noise:
        noise[id(part.whole)] = part.whole.draw(source)
    totals = [total for secret in secrets for total in secret.totals]
    ends = np.cumsum([len(total) for total in totals])
    own: list[Integers] = np.split(noise[id(part.whole)][part.place], ends[:-1])  # type: ignore[assignment]
    return tuple(exact_sum(total, each) for total, each in zip(totals, own, strict=True))


def _quantiles_of(
    mechanism: Quantiles, secrets: tuple[SecretTotals, ...], shown: ShownGroups, source: Source
) -> NDArray[np.int64]:
    """The cells of the quantiles of groups that are shown; groups are drawn independently."""
    blocks = shown.parts(secrets[0], mechanism.cells)
    found = [mechanism.release_with_ends(each, CONFIDENCE, source).value for each in blocks]
    return np.concatenate([np.empty((0, len(mechanism.levels), 3), np.int64), *found])


def _chosen(
    rule: PartitionSelection | TopSelection, secret: SecretTotals, source: Source
) -> ShownGroups:
    """The groups that may be shown; their order says nothing about the data."""
    counts = secret.totals[0]
    if isinstance(rule, PartitionSelection):
        kept = np.flatnonzero(rule.select(counts, source)).tolist()
    else:
        kept = list(rule.release(counts, source).value)
    return _in_order(secret, kept)


def _in_order(secret: SecretTotals, kept: Sequence[int]) -> ShownGroups:
    pairs = sorted((secret.rows[place], place) for place in kept)
    places = np.array([place for _, place in pairs], dtype=np.intp)
    return ShownGroups(tuple(row for row, _ in pairs), places, secret.rows)


def _counted(
    rule: CountedPartitions, secret: SecretTotals, source: Source
) -> tuple[ShownGroups, NDArray[np.int64]]:
    """The groups that may be shown, and the noisy numbers that say so."""
    places, numbers = rule.draw(secret.totals[0], source)
    chosen = _in_order(secret, places.tolist())
    return chosen, numbers[np.searchsorted(places, chosen.places)]


def _noisy(step: Step, secrets: tuple[SecretTotals, ...], source: Source) -> tuple[Any, ...]:
    mechanism = step.mechanism
    totals = [total for secret in secrets for total in secret.totals]
    match mechanism:
        case CellNoise():
            return tuple(mechanism.draw(total, source) for total in totals)
        case Quantiles():
            counts = totals[0].reshape(len(secrets[0].rows), mechanism.cells)
            secret = counts if mechanism.grouped else counts[0]
            return (mechanism.release_with_ends(secret, CONFIDENCE, source).value,)
        case ResidualPlanner() | PureMarginals():
            return (mechanism.release(_tables(mechanism, step, totals), source).value,)
        case _ if is_relative(mechanism):
            return (mechanism.release(totals[0].astype(np.int64), source).value,)
        case _:
            raise AssertionError("the gate admits none of these")


def _tables(
    planner: ResidualPlanner | PureMarginals, step: Step, totals: list[Any]
) -> dict[tuple[str, ...], Any]:
    """The counts of each table, with an axis for each of its columns."""
    assert isinstance(step.asked, Histograms), "the gate admits no other"
    sizes = dict(planner.workload.attributes)
    names = [tuple(column.name for column in each.columns) for each in step.asked.groupings]
    return {
        name: total.reshape([sizes[part] for part in name])
        for name, total in zip(names, totals, strict=True)
    }
