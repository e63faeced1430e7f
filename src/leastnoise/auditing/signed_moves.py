"""Joint noise on signed tables: how far every single person moves all that gets noise."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

_MOST_CELLS = 1 << 12


def signed_moves(mechanism: PureMarginals) -> ExactAudit:
    r"""The ε of all noisy tables together, for every person there can be.

    Noise with P(x) ∝ exp(−a·max‖xᵢ‖₁) costs a·max‖dᵢ‖₁ exactly if its tables move by d. The moves
    are found by counting every table of one person anew, with as many rows as one unit may have.

    Raises:
        UnsupportedQuery: there are too many kinds of people.
    """
    shape = [size for _, size in mechanism.workload.attributes]
    if prod(shape) > _MOST_CELLS:
        raise UnsupportedQuery(
            f"a table must have at most {_MOST_CELLS} cells to go through all people; got "
            f"{prod(shape)}. Audit a smaller one of the same kind."
        )
    people = list(product(*map(range, shape)))
    prices = [(_price(mechanism, shape, person), person) for person in people]
    greatest, worst = max(prices)
    return ExactAudit(
        measure="the ε of all noisy tables",
        attained=Interval.exactly(greatest),
        allowed=mechanism.guarantee.epsilon,
        pairs=len(people),
        scope="every person, in a table and not",
        worst=worst,
    )


def _price(mechanism: PureMarginals, shape: list[int], person: tuple[int, ...]) -> Fraction:
    cube = np.zeros(shape, dtype=np.int64)
    cube[person] = mechanism.contribution
    every, plan = tuple(range(len(shape))), mechanism.plan
    total = Fraction(0)
    for group, law in zip(plan.groups, plan.laws, strict=True):
        moves = [int(np.abs(table.of(cube, every)).sum()) for table in group.tables]
        total += law.rate * max(moves)
    return total
