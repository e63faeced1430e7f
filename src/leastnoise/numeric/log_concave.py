"""Sums of log-concave sequences, with the rest bounded by a geometric series."""

from collections.abc import Callable

from flint import arb, ctx

Terms = Callable[[int], arb]
"""k ↦ a positive term; the exact terms must be log-concave in k."""


def log_concave_sum(term: Terms, first: int, peak: int, last: int | None = None) -> arb:
    r"""Σ term(k) over first ≤ k ≤ last, as a ball at the working precision.

    Theorem: if term(k+1)/term(k) does not increase with k and is q < 1 at some k, then the terms
    after k add up to at most term(k)·q/(1 − q); likewise downwards.
    Proof: each later ratio is at most q, so the rest is at most a geometric series.

    Args:
        term: the terms.
        first: where the sum begins.
        peak: a place near the largest term; a bad guess costs time, not truth.
        last: where the sum ends; None if it never does.

    Example:
        >>> log_concave_sum(lambda k: arb(2) ** -k, 1, 5).contains(1)
        True
    """
    start = max(first, peak)
    top = term(start)
    return top + _walk(term, start, top, 1, last) + _walk(term, start, top, -1, first)


def _walk(term: Terms, start: int, top: arb, step: int, last: int | None) -> arb:
    """Σ of the terms beyond `start` in one direction, up to `last` if there is one."""
    tiny = top * arb(2) ** -(ctx.prec + 8)
    total, place, here = arb(0), start, top
    while place != last:
        place += step
        before, here = here, term(place)
        total += here
        if here < before:
            ratio = here / before
            rest = here * ratio / (1 - ratio)
            if rest < tiny:
                return total if place == last else total + arb(0, rest.upper())
    return total
