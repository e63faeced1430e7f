"""Bands for means where the number of rows is noisy too."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.tabulation.error_laws import worst_error
from leastnoise.tabulation.noisy_marginals import NoisyMarginals
from leastnoise.tabulation.perturbation import Perturbation

Floats = NDArray[np.float64]

_RECORDS_SHARE = Fraction(1, 10)  # of the risk, for the number of rows
_ROUNDING = 2.0**-48  # more than a few roundings of 2^-53


def outward(values: Floats, side: int) -> Floats:
    """The values moved by more than a few roundings, down for side −1 and up for side 1."""
    return values + side * _ROUNDING * (1 + np.abs(values))


def hidden_shares(
    noisy: NoisyMarginals, perturbation: Perturbation, confidence: Exact
) -> tuple[Floats, Floats]:
    r"""Ends that hold all shares of ones at once, at least with this probability.

    A share is (1 + S/n)/2 with S the sum of ±1 and n ≥ 1 the number of rows. Both were released
    with noise of their own; a tenth of the risk is spent on n, the rest on all S together.
    """
    risk = 1 - _check.probability(confidence, "confidence")
    offset, records = perturbation.offset, noisy.records
    assert offset is not None  # the caller knows that the number of rows was released
    assert records is not None
    rows_margin = offset.quantile(1 - risk * _RECORDS_SHARE)
    sums_margin = worst_error(perturbation.noise, None).quantile(1 - risk * (1 - _RECORDS_SHARE))
    sums = (noisy.numerators - records).astype(np.float64)
    margin = float(sums_margin.upper)
    fewest, most = (max(1, records + sign * rows_margin) for sign in (-1, 1))
    low, high = sums - margin, sums + margin
    least = low / np.where(low >= 0, most, fewest)
    greatest = high / np.where(high >= 0, fewest, most)
    return outward((1 + least) / 2, -1), outward((1 + greatest) / 2, 1)
