"""The least favourable steps of a unit that is in several: a search for the tightest bound."""

import numpy as np

from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.pattern_bound import moved_totals
from leastnoise.least_noise.over_time.half_inverse import Floats

_TURNS = 25
_ENOUGH = 1e-4
_TINY = 1e-15


def best_patterns(weights: Floats, allowed: Participation) -> Floats:
    """A law on the patterns of `pattern_bound` under which totals with these weights err most."""
    law = np.full(len(weights), 1 / len(weights))
    for _ in range(_TURNS):
        totals = moved_totals(law, weights, allowed)
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
