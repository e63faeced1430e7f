"""The chance that one of two binomial variables exceeds the other."""

from itertools import accumulate

from flint import arb, ctx

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Binomial:
    """The number of successes; the chances of success and of failure are balls that add up to 1."""

    trials: int
    success: arb
    failure: arb


def exceeds(one: Binomial, other: Binomial) -> arb:
    r"""P(T > S) for independent T and S, as a ball at the working precision.

    Only the likely values are summed over, about 13 deviations to either side at 128 bits. Beyond
    them the chances are log-concave, so that a geometric series bounds what is left out.

    Example:
        >>> half = Binomial(2, arb("0.5"), arb("0.5"))
        >>> exceeds(half, half).str(4, radius=False)  # (1 − 3/8)/2
        '0.3125'
    """
    first, chances, left_out = _likely(one)
    start, others, more = _likely(other)
    below = list(accumulate(others, initial=arb(0)))
    total = arb(0)
    for t, chance in enumerate(chances, first):
        total += chance * below[min(max(t - start, 0), len(others))]
    # Each likely value of T may miss what was left out of S.
    return total + arb(0, left_out.upper()) + arb(0, more.upper())


def _likely(law: Binomial) -> tuple[int, list[arb], arb]:
    """The first of the likely values, the chances from there on, and a bound on the others'."""
    mode = min(law.trials, int(float(law.success) * (law.trials + 1)))
    top = _chance(law, mode)
    up, above = _walk(law, mode, top, 1)
    down, below = _walk(law, mode, top, -1)
    return mode - len(down), [*reversed(down), top, *up], above + below


def _chance(law: Binomial, k: int) -> arb:
    """C(n, k)·p^k·(1−p)^(n−k)."""
    n = law.trials
    logs = [arb(m + 1).lgamma() for m in (n, k, n - k)]
    exponent = logs[0] - logs[1] - logs[2]
    for count, chance in ((k, law.success), (n - k, law.failure)):
        if count:
            exponent += count * chance.log()
    return exponent.exp()


def _walk(law: Binomial, mode: int, top: arb, step: int) -> tuple[list[arb], arb]:
    """The chances beyond the mode in one direction, until what is left is negligible."""
    odds, tiny = law.success / law.failure, arb(2) ** -(ctx.prec + 8)
    found, k, here = [], mode, top
    while k != (law.trials if step > 0 else 0):
        ratio = odds * (law.trials - k) / (k + 1) if step > 0 else k / (odds * (law.trials - k + 1))
        here, k = here * ratio, k + step
        found.append(here)
        if ratio < 1:
            rest = here * ratio / (1 - ratio)
            if rest < tiny:
                return found, rest
    return found, arb(0)
