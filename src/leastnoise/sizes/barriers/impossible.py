r"""What no mechanism can do: the best of all barriers, for each of the three questions.

Theorem: a barrier found for some number of records holds for all greater numbers. So from 1
upwards, if all tables of fewer than n records are excluded and a barrier for at most n records has
total T, then all below ⌈T/error⌉ are excluded as well; where that no longer rises, the walk ends.
Proof: docs/proofs/sample_size.md, section 2.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from leastnoise.sizes.barriers.average_fingerprint import AverageFingerprint
from leastnoise.sizes.barriers.barrier import Barrier, highest
from leastnoise.sizes.barriers.corner_bound import corner_barrier, square_corner_barrier
from leastnoise.sizes.barriers.one_column_bound import one_column_barrier
from leastnoise.sizes.barriers.packing_bound import packing_barrier
from leastnoise.sizes.barriers.spread_bound import spread_barrier
from leastnoise.sizes.barriers.two_tables_bound import (
    root_two_tables_barrier,
    two_tables_barrier,
)
from leastnoise.sizes.barriers.window_bound import window_barrier
from leastnoise.sizes.barriers.worst_fingerprint import WorstFingerprint
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.objective import Objective

_DOUBLINGS = 30  # of ε: a billion times more or less
_MOST_RECORDS = 1 << 50  # nobody has more
_HALVINGS = 20  # to six digits


def barrier_at(task: MeansTask, records: int) -> Barrier | None:
    """The highest barrier that holds for this many records."""
    records = min(records, _MOST_RECORDS)  # what holds for fewer records holds for more
    dimension, epsilon, delta = task.dimension, task.epsilon, task.delta
    match task.objective:
        case Objective.MAX:
            failure = task.failure
            assert failure is not None  # a task of this kind has one
            found = [
                packing_barrier(dimension, epsilon, delta, failure),
                WorstFingerprint(dimension, failure).barrier(epsilon, delta, records),
            ]
            if not delta:
                found.append(window_barrier(epsilon, failure, records))
        case Objective.AVERAGE | Objective.SQUARED:
            # By Jensen's inequality the mean error is at most the root of the mean square.
            found = [
                two_tables_barrier(epsilon, delta, records),
                one_column_barrier(epsilon, delta, records),
                spread_barrier(dimension, epsilon, delta, records),
            ]
            if not delta:
                found.append(corner_barrier(dimension, epsilon, records))
            if task.objective is Objective.SQUARED:
                found.append(root_two_tables_barrier(epsilon, delta, records))
                if not delta:
                    found.append(square_corner_barrier(dimension, epsilon, records))
            if delta:  # without, it is never the best, and slow for many records
                found.append(AverageFingerprint(dimension).barrier(epsilon, delta, records))
        case _:
            assert_never(task.objective)
    return highest([barrier for barrier in found if barrier is not None])


def first_possible_records(task: MeansTask, error: Fraction) -> tuple[int, Barrier | None]:
    """Below so many records, none of the tables can be answered with this error; and why."""
    return walked(lambda records: barrier_at(task, records), error, 1)


def walked(
    barrier_at: Callable[[int], Barrier | None], error: Fraction, records: int
) -> tuple[int, Barrier | None]:
    """As far up as barriers carry, from a number below which all are excluded; and the last."""
    reason = None
    while True:
        barrier = barrier_at(records)
        if barrier is None or barrier.first_possible(error) <= records:
            return records, reason
        records, reason = barrier.first_possible(error), barrier


def least_possible_error(task: MeansTask, records: int) -> Fraction:
    """Below this error of the means, no mechanism for so many records works."""
    barrier = barrier_at(task, records)
    return Fraction(0) if barrier is None else min(barrier.total / records, Fraction(1))


def least_possible_epsilon(task: MeansTask, records: int, error: Fraction) -> Fraction:
    """Below this ε, whatever the ε of the task, the error cannot be reached; 0 if unknown."""

    def excluded(epsilon: Fraction) -> bool:
        barrier = barrier_at(task.at(epsilon), records)
        return barrier is not None and barrier.total > error * records

    # The task's own ε is as good a place to start as any.
    low = high = task.epsilon
    for _ in range(_DOUBLINGS):
        if not excluded(high):
            break
        low, high = high, 2 * high
    for _ in range(_DOUBLINGS):
        if excluded(low):
            break
        low, high = low / 2, low
    else:
        return Fraction(0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excluded(middle) else (low, middle)
    return low
