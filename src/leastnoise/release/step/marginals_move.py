r"""How far one unit moves the numbers that marginals add noise to, in integers.

It is the gate's own reckoning: from what is multiplied with what, and the numbers of values.
"""

from collections import Counter
from itertools import product
from math import comb, prod

from leastnoise.tabulation.residuals.residual_plan import ResidualPlan
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.signed_plan import SignedPlan

_MOST_TERMS = 1 << 18
_Kind = tuple[int, ...]


def square_of_one(plan: ResidualPlan) -> int:
    r"""How far one person of one row moves the measured residuals, in squares.

    Theorem: with n values, n ≥ 3, a row is measured as n·e − 1 along that attribute, of square
    n(n − 1); with 2 values as ±1. Squares multiply over attributes, and add up over residuals.
    """
    sizes = [size for _, size in plan.workload.attributes]
    return sum(
        g * g * prod(_product(sizes[place], same=True) for place in places)
        for places, g in zip(plan.workload.residuals, plan.multipliers, strict=True)
    )


def square_of_exchange(plan: ResidualPlan) -> int:
    r"""How far one person exchanged for another, or for nobody, moves them in squares, at most.

    Theorem: let S be `square_of_one`, and c(K) = Σ_A g_A²·∏ pᵢ over the residuals A, with pᵢ the
    product of two rows' measurements along attribute i, which agree in the attributes K. The most
    is max(S, max_K 2S − 2c(K)). If there are too many K to try, c is bounded below residual by
    residual, which is no worse than 4S.
    Proof: docs/proofs/pure_marginals.md, section 5.
    """
    one = square_of_one(plan)
    classes = _classes(plan.workload)
    multipliers = _by_kind(plan, classes)
    agreements = prod(count + 1 for count in classes.values())
    if multipliers is None or agreements * len(multipliers) > _MOST_TERMS:
        least = _least_agreeing(plan)
    else:
        alike = [range(count + 1) for count in classes.values()]
        least = min(_agreeing(kept, multipliers, classes) for kept in product(*alike))
    return max(one, 2 * one - 2 * least)


def _least_agreeing(plan: ResidualPlan) -> int:
    """At most c(K) for every K: a product below 0 has a factor −n or −1 of two that differ."""
    total = 0
    for places, g in zip(plan.workload.residuals, plan.multipliers, strict=True):
        sizes = sorted(plan.workload.attributes[place][1] for place in places)
        rest = prod(_product(size, same=True) for size in sizes[1:])
        total += g * g * (_product(sizes[0], same=False) * rest if sizes else 1)
    return total


def _product(size: int, *, same: bool) -> int:
    if size == 2:
        return 1 if same else -1
    return size * (size - 1) if same else -size


def _classes(workload: ResidualWorkload) -> Counter[int]:
    """Numbers of values, each with how many of the attributes used have it."""
    used = {place for places in workload.residuals for place in places}
    return Counter(workload.attributes[place][1] for place in sorted(used))


def _by_kind(plan: ResidualPlan, classes: Counter[int]) -> dict[_Kind, int] | None:
    """The multiplier of the residuals with so many attributes of each number of values.

    None unless it is the same for all of them, and there are as many as there can be.
    """
    found: dict[_Kind, set[int]] = {}
    times: Counter[_Kind] = Counter()
    for places, g in zip(plan.workload.residuals, plan.multipliers, strict=True):
        sizes = Counter(plan.workload.attributes[place][1] for place in places)
        kind = tuple(sizes[size] for size in classes)
        found.setdefault(kind, set()).add(g)
        times[kind] += 1
    for kind, multipliers in found.items():
        every = prod(map(comb, classes.values(), kind))
        if len(multipliers) > 1 or times[kind] != every:
            return None
    return {kind: min(multipliers) for kind, multipliers in found.items()}


def _agreeing(kept: _Kind, multipliers: dict[_Kind, int], classes: Counter[int]) -> int:
    """c(K) for people who agree in so many attributes of each number of values."""
    total = 0
    for kind, g in multipliers.items():
        parts = zip(classes.items(), kept, kind, strict=True)
        total += g * g * prod(_chosen(size, count, a, t) for (size, count), a, t in parts)
    return total


def _chosen(size: int, count: int, agreed: int, taken: int) -> int:
    """∏ pᵢ summed over all ways to take so many of `count` attributes, `agreed` of them alike."""
    alike, unlike = _product(size, same=True), _product(size, same=False)
    return sum(
        comb(agreed, j) * comb(count - agreed, taken - j) * alike**j * unlike ** (taken - j)
        for j in range(taken + 1)
    )


def is_signed(plan: SignedPlan) -> bool:
    r"""Whether each row of weight w moves one cell of every measured table by w or −w.

    It does if signs stand for attributes of two values and no attribute is used twice in a table.
    """
    sizes = [size for _, size in plan.workload.attributes]
    tables = [table for group in plan.groups for table in group.tables]
    return all(
        len({*table.signs, *table.cells}) == len(table.signs) + len(table.cells)
        and all(sizes[place] == 2 for place in table.signs)
        and min(table.signs + table.cells, default=0) >= 0
        for table in tables
    )
