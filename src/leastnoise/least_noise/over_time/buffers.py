r"""`Buffers`: the optimum for running totals as a stream with a handful of numbers of state.

The optimal K is an integral over inverses of tridiagonal matrices; a sum of some ten of them is as
good to a few millionths, and its triangular factor C needs one number of state for each.

Proof: docs/proofs/over_time.md, section 3.
"""

import math

import numpy as np
from scipy.optimize import nnls

from leastnoise._dataclass import dataclass
from leastnoise.certificates.over_time.integer_stream import UNIT, IntegerStream
from leastnoise.least_noise.over_time.best_law import BestLaw
from leastnoise.least_noise.over_time.half_inverse import Floats, Pivots, spectrum

_APART = 1.0  # of the terms, in ln t: more of them gain nothing that is worth a buffer
FEWER_APART = 1.25  # where there are so many steps that every buffer counts
_BEYOND = 1.6
_MOST_TURNS = 1000
_FITTED = 2000  # places of the spectrum at which the terms are fitted


@dataclass(frozen=True)
class Buffers:
    r"""(Cx)_t = d_t·x_t + h_t·ξ_t with ξ_{t+1} = a_{t+1}·(ξ_t + κ_t·x_t), a row for each step.

    Attributes:
        decay: a.
        intake: κ.
        outlet: h.
        direct: d.
    """

    decay: Floats
    intake: Floats
    outlet: Floats
    direct: Floats

    @staticmethod
    def of(best: BestLaw, apart: float = _APART) -> "Buffers":
        """The stream of the fitted K; the columns of its C have length 1."""
        taus, omegas = _terms(best, apart)
        pivots = Pivots.of(best.weights, best.law, taus)
        decay, intake = pivots.quotients(best.weights), pivots.diagonal * omegas
        direct, outlet = _factored(decay, intake)
        scale = 1 / np.sqrt(intake.sum(axis=1))
        largest = (intake * scale[:, None]).max(axis=0)
        return Buffers(decay, intake * scale[:, None] / largest, outlet * largest, direct * scale)

    @property
    def rounded(self) -> IntegerStream:
        """The generators as integers."""
        parts = (self.decay, self.intake, self.outlet, self.direct)
        return IntegerStream(*(np.rint(np.ldexp(part, UNIT)).astype(np.int64) for part in parts))


def _terms(best: BestLaw, apart: float) -> tuple[Floats, Floats]:
    """τ and ω of the terms whose sum is nearest to an inverse root on the spectrum."""
    low, high = spectrum(best.weights, best.law)
    first, last = math.log(low) / 2 - _BEYOND, math.log(high) / 2 + _BEYOND
    taus = np.exp(2 * np.linspace(first, last, max(2, math.ceil((last - first) / apart) + 1)))
    places = np.exp(np.linspace(math.log(low), math.log(high), _FITTED))
    shapes = np.sqrt(places)[:, None] / (places[:, None] + taus)
    omegas, _ = nnls(shapes, np.ones(_FITTED), maxiter=_MOST_TURNS * len(taus))
    used = omegas > 0
    return taus[used], omegas[used]


def _factored(decay: Floats, intake: Floats) -> tuple[Floats, Floats]:
    """D and h, from the last step back."""
    steps, count = decay.shape
    direct, outlet = np.empty(steps), np.empty((steps, count))
    later = np.zeros((count, count))
    for t in range(steps - 1, -1, -1):
        seen = later @ intake[t]
        direct[t] = math.sqrt(intake[t].sum() - intake[t] @ seen)
        outlet[t] = (1 - seen) / direct[t]
        later += outlet[t][:, None] * outlet[t]
        later *= decay[t][:, None] * decay[t]
    return direct, outlet
