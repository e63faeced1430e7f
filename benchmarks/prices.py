"""What choices cost together, what a ledger grants, and how far quantiles may be off."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.row import Row, markdown
from leastnoise.accounting.pricing import as_amounts, price
from leastnoise.ledger.account import Account
from leastnoise.ledger.limits import limits, other_splits
from leastnoise.ledger.mode import Mode
from leastnoise.mechanisms import PermuteAndFlip
from leastnoise.mechanisms.quantile.counted_quantiles import best_tree
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.implications import pure_to_zcdp
from leastnoise.privacy.loss import PrivacyLoss

_TOTAL = ApproxDP(epsilon=1, delta="1e-5")
_DRAWS = 200
_CONFIDENCE = Fraction(19, 20)


def choice_rows() -> Iterator[Row]:
    """Permute-and-flip beside what ε-DP alone allows."""
    one = PermuteAndFlip(candidates=20, epsilon=1, sensitivity=1)
    rho, pure = float(one.concentrated.rho), float(pure_to_zcdp(PureDP(epsilon=1)).rho)
    case = "Permute-and-flip, ρ of one choice at ε = 1"
    yield Row(case, f"{rho:.4g}", f"as ε-DP: {pure:.4g}", rho, "ρ", "at most", 0.368)
    many = PermuteAndFlip(candidates=20, epsilon="0.1", sensitivity=1).privacy().self_compose(100)
    ours = float(many.epsilon("1e-6").upper)
    worst = PrivacyLoss.worst_case(epsilon="0.1").self_compose(100).epsilon("1e-6")
    case = "Permute-and-flip, 100 choices of ε = 0.1 at δ = 1e-6"
    yield Row(case, f"{ours:.4g}", f"as ε-DP: {float(worst):.4g}", ours, "ε", "at most", 4.693)


def ledger_rows() -> Iterator[Row]:
    """How often a release fits a ledger in mode mixed."""
    even = limits(_TOTAL, Mode.MIXED)
    following = Account((), _TOTAL, even, other_splits(_TOTAL, Mode.MIXED))
    alone = {ZCDP: limits(_TOTAL, Mode.ZCDP), GDP: limits(_TOTAL, Mode.GDP)}
    for cost in (ZCDP(rho="0.00002"), GDP(mu="0.005")):
        ours = _times(cost, following.ways((cost,)))
        before, best = _times(cost, even), _times(cost, alone[type(cost)])
        yield Row(
            f"Mixed ledger of (1, 1e-5), releases of {cost!r}",
            f"{ours}",
            f"δ divided evenly: {before}; mode {type(cost).__name__.lower()} alone: {best}",
            ours / before,
        )


def _times(cost: Guarantee, ways: tuple[Guarantee, ...]) -> int:
    fitting = [way for way in ways if not isinstance(way, ApproxDP)]
    return max(
        int(as_amounts(way)[0] / price(cost, way)[0])
        for way in fitting
        if not (isinstance(way, GDP) and isinstance(cost, ZCDP))
    )


def quantile_rows() -> Iterator[Row]:
    """99 percentiles: the bound that is promised at 95 %, and what 95 % of draws keep."""
    levels = [Fraction(k, 100) for k in range(1, 100)]
    for promise in (ZCDP(rho="0.1"), PureDP(epsilon=1)):
        for cells in (1 << 10, 1 << 14, 1 << 16):
            asked = Quantiles(levels, cells=cells, contribution=1, promise=promise)
            promised = max(asked.error_bounds(_CONFIDENCE))
            seen, tree = _seen(asked, cells), best_tree(asked, _CONFIDENCE)
            assert tree is not None, "there is noise of this width"
            yield Row(
                f"99 percentiles, {cells:,} cells, {promise!r}",
                f"promised {promised}",
                f"seen {seen:.0f}; a tree promises {max(tree.error_bounds(_CONFIDENCE))}",
                promised / seen,
            )


def _seen(asked: Quantiles, cells: int) -> float:
    """The distance of the worst level that 95 % of draws keep, in a table of two rows a cell."""
    counts = np.random.default_rng(5).poisson(2, cells)
    upto, total = np.cumsum(counts), int(counts.sum())
    ranks = np.array([float(level) for level in asked.levels]) * total
    found = np.array([asked.release(counts).value for _ in range(_DRAWS)])
    distance = np.maximum(upto[found] - counts[found] - ranks, ranks - upto[found])
    return float(np.quantile(np.maximum(distance, 0), float(_CONFIDENCE), axis=0).max())


def price_and_promise_rows() -> Iterator[Row]:
    """All of them."""
    yield from choice_rows()
    yield from ledger_rows()
    yield from quantile_rows()


if __name__ == "__main__":
    print(markdown(list(price_and_promise_rows())))
