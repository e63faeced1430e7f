"""Noise of equal Gaussian releases from one ledger, beside the tightest composition there is."""

from collections.abc import Iterator
from fractions import Fraction
from math import exp, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import leastnoise as ln
from benchmarks import Row
from leastnoise.ledger.costs import Asked, price_of
from leastnoise.ledger.records import Charge, Request

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """For k releases: the noise of each over that of k releases which are known beforehand."""
    for count in (1, 3, 10, 100):
        with TemporaryDirectory() as folder:
            noise, left = _noise(Path(folder) / "a.ledger", count)
        yield Row(
            f"noise of {count} equal releases over tight composition",
            noise / (sqrt(count) * _tight()), most=1.006, note=f"{left:.1%} of the ledger is left",
        )  # fmt: skip


def _noise(path: Path, count: int) -> tuple[float, float]:
    """Noise for sensitivity 1 of releases that are all charged; what is left of the ledger then."""
    ledger = ln.Ledger.create(path, privacy_unit="unit", epsilon=EPSILON, delta=DELTA)
    store = ledger.store
    low, high = Fraction(0), EPSILON
    for _ in range(30):
        middle = (low + high) / 2
        fits = count * store.meters.total.squared_mu_at(middle) <= store.meters.total.squared_mu
        low, high = (middle, high) if fits else (low, middle)
    epsilon = EPSILON if count == 1 else low
    price = price_of(Asked(epsilon, "epsilon"), "gaussian", store.meters)
    for number in range(count):
        request = Request({"number": number}, {})
        assert store.charge(Charge(request, {}, price), store.last) is not None
    return 1 / sqrt(price.squared_mu), float(1 - store.meters.spent)


def _tight() -> float:
    """The noise of one Gaussian release at (epsilon, delta), by the analytic formula."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    epsilon, delta = float(EPSILON), float(DELTA)

    def excess(sigma: float) -> float:
        near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return float(norm.cdf(near) - exp(epsilon) * norm.cdf(far) - delta)

    return float(brentq(excess, 1.0, 100.0, xtol=1e-12))
