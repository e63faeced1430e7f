"""The least favourable steps of a unit that is in several: a search for the tightest bound."""

import numpy as np

from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.pattern_bound import moved_totals
from leastnoise.certificates.over_time.spans import Span
from leastnoise.least_noise.over_time.half_inverse import Floats

_TURNS = 25
_ENOUGH = 1e-4
_TINY = 1e-15


def best_patterns(steps: int, allowed: Participation, spans: tuple[Span, ...]) -> Floats:
    """A law on the patterns of `pattern_bound` under which these sums of steps err most."""
    shares = np.array([weight for _, _, weight in spans], np.float64)
    shares, law = shares / shares.sum(), np.full(steps, 1 / steps)
    for _ in range(_TURNS):
        totals = moved_totals(law, shares, allowed, spans)
        # The polar factor by eigenvalues: a few times as fast as singular values, and as good here.
        squares, turned = np.linalg.eigh(totals.T @ totals)
        sizes = np.sqrt(np.maximum(squares, squares[-1] * _TINY))
        polar = (totals @ turned) / sizes @ turned.T
        pulls = np.einsum("tb,tb->b", polar, totals) / law
        if pulls.max() < sizes.sum() * (1 + _ENOUGH):
            break
        law = law * np.maximum(pulls, 0) ** 2
        law = np.maximum(law / law.sum(), 1e-12)
    return np.asarray(law / law.sum())
