"""Figures of the theory: brackets of the accountant, their times, and what certificates prove."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from math import sqrt
from time import perf_counter

import leastnoise as ln
from benchmarks import Row


def _sampled(rate: str, sigma: str, steps: int) -> Callable[[], ln.PrivacyLoss]:
    step = ln.PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).poisson_sampled(rate)
    return lambda: step.self_compose(steps)


GAUSSIAN = ln.PrivacyLoss.gaussian(mu="0.05").self_compose(1000)
LAPLACE = ln.PrivacyLoss.laplace(epsilon="0.01").self_compose(1000)
RESPONSES = ln.PrivacyLoss.randomized_response(epsilon="0.01").self_compose(1000)
MIXTURE = ln.PrivacyLoss.laplace(epsilon="0.02").self_compose(300).compose(
    ln.PrivacyLoss.gaussian(mu="1/30").self_compose(200),
    ln.PrivacyLoss.randomized_response(epsilon="0.01").self_compose(100),
)  # fmt: skip

SETTINGS = [
    ("rate .01, sigma 1, T 1,000", _sampled("0.01", "1", 1000), "1e-5", 1.8282191, 1.8282700),
    ("rate 256/60000, sigma 1.1, T 14,000",
     _sampled("256/60000", "1.1", 14_000), "1e-5", 2.3758077, 2.3758954),
    ("rate .001, sigma .6, T 5,000", _sampled("0.001", "0.6", 5000), "1e-6", 2.748194, 2.748467),
    ("rate .5, sigma 10, T 1,000", _sampled("0.5", "10", 1000), "1e-5", 7.5450650, 7.5453797),
    ("rate .01, sigma 1, T 1,000", _sampled("0.01", "1", 1000), "1e-30", 9.341717, 9.342209),
    ("rate 1e-4, sigma 1, T 100,000", _sampled("1e-4", "1", 100_000), "1e-5", 0.131856, 0.131901),
    ("Gaussian, mu 1/20, T 1,000", lambda: GAUSSIAN, "1e-6", 8.3062250, 8.3062251),
    ("Laplace .01, T 1,000", lambda: LAPLACE, "1e-6", 1.3629234, 1.3629260),
    ("responses .01, T 1,000", lambda: RESPONSES, "1e-6", 1.3654467, 1.3654468),
    ("300 Laplace, 200 Gaussian, 100 responses", lambda: MIXTURE, "1e-6", 2.7174786, 2.7175332),
]  # fmt: skip
"""Steps, delta, and a bracket of epsilon that was known before."""


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """Each setting at two widths, then ratios that certificates prove."""
    for what, make, delta, low, high in SETTINGS:
        name, long = f"{what}, delta {delta}", "100,000" in what
        for within, seconds in (("1e-3", 20 if long else 1), ("1e-4", 20 if long else 6)):
            start = perf_counter()
            found = make().epsilon(delta, within=within)
            took = perf_counter() - start
            lower, upper = float(found.lower), float(found.upper)
            assert lower <= high and upper >= low, f"{name}: {lower} to {upper} misses the bracket"
            width = (upper - lower) / upper
            yield Row(f"{name}: width of the bracket", width, most=float(within),
                      note=f"{lower:.7f} to {upper:.7f}")  # fmt: skip
            yield Row("the same: time", took, unit="s", most=seconds)
    yield from _ratios()


def _ratios() -> Iterator[Row]:
    count = ln.optimal(sensitivity=1, epsilon=1, delta="1e-6", cost="squared")
    above = 1e6 * (float(Fraction(count.expected_cost().upper) / count.bound) - 1)
    what = "variance of one count at (1, 1e-6): above the proved least"
    yield Row(what, above, most=0.5, unit="millionths")
    for steps in (64, 365):
        start = perf_counter()
        claim = ln.running_totals(steps).certificate().claim
        took = perf_counter() - start
        above = 1e6 * (float(Fraction(claim["achieved"]) / Fraction(claim["bound"])) - 1)
        yield Row(f"running totals of {steps} steps: above the proved least",
                  above, most=100, unit="millionths", note=f"{took:.2g} s")  # fmt: skip
    bits = {f"bit{number}": 2 for number in range(10)}
    pairs = list(combinations(bits, 2))
    tables = ln.workloads.ResidualPlan.pure(bits, pairs, epsilon=1)
    deviation = sqrt(max(tables.variance(pair) for pair in pairs))
    yield Row(
        "45 tables by two of 10 bits, epsilon 1: standard deviation",
        deviation,
        most=17,
        unit="rows",
    )
