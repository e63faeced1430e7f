"""What other accountants are asked; run by `isolated`."""

import math
from importlib import import_module
from typing import Any

from dp_accounting.pld import privacy_loss_distribution as pld

from benchmarks.releases import Release, composition


def google(name: str, delta: float, interval: float, pessimistic: bool) -> tuple[float]:
    """dp-accounting's ε: an upper end by connecting the dots, or a lower end by buckets."""
    total = None
    for release in composition(name):
        one = _google(release, interval, pessimistic).self_compose(release.count)
        total = one if total is None else total.compose(one)
    assert total is not None
    return (float(total.get_epsilon_for_delta(delta)),)


def google_bracket(name: str, delta: float, interval: float) -> tuple[float, float]:
    """Both ends, one after the other; the upper one is as good on a coarser grid."""
    return *google(name, delta, interval, False), *google(name, delta, 10 * interval, True)


def google_untruncated(name: str, delta: float, interval: float) -> tuple[float]:
    """Its upper end for one repeated Gaussian, told to drop no more than a thousandth of δ."""
    (release,) = composition(name)
    one = pld.from_gaussian_mechanism(
        1 / float(release.size),
        value_discretization_interval=interval,
        log_mass_truncation_bound=-100,
    )
    total = one.self_compose(release.count, tail_mass_truncation=delta / 1000)
    return (float(total.get_epsilon_for_delta(delta)),)


def google_discrete_laplace(scale: float, count: int, delta: float, interval: float) -> tuple[Any]:
    """The upper end for repeated discrete Laplace noise at distance 1."""
    one = pld.from_discrete_laplace_mechanism(
        1 / scale, value_discretization_interval=interval, use_connect_dots=True
    )
    return (one.self_compose(count).get_epsilon_for_delta(delta),)


def microsoft(name: str, delta: float, epsilon_error: float) -> tuple[float, ...]:
    """prv-accountant's lower end, estimate and upper end for one repeated release."""
    (release,) = composition(name)
    prv = import_module("prv_accountant")
    if release.kind == "Gaussian":
        variable = prv.GaussianMechanism(1 / float(release.size))
    else:
        variable = prv.LaplaceMechanism(float(release.size))
    accountant = prv.PRVAccountant(
        variable,
        eps_error=epsilon_error,
        delta_error=delta / 1000,
        max_self_compositions=release.count,
    )
    return tuple(float(end) for end in accountant.compute_epsilon(delta, release.count))


def google_sampled(rate: float, sigma: float, steps: int, delta: float) -> tuple[float, float]:
    """dp-accounting's ends for Gaussian steps on Poisson samples, the worse direction."""
    ends = []
    for pessimistic in (False, True):
        one = pld.from_gaussian_mechanism(
            sigma,
            sampling_prob=rate,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=1e-4 if pessimistic else 1e-5,
            use_connect_dots=pessimistic,
        )
        ends.append(float(one.self_compose(steps).get_epsilon_for_delta(delta)))
    return ends[0], ends[1]


def google_sampled_upper(
    rate: float, sigma: float, steps: int, delta: float, interval: float
) -> tuple[float]:
    """Its upper end alone on a given grid, the worse direction."""
    one = pld.from_gaussian_mechanism(
        sigma, sampling_prob=rate, value_discretization_interval=interval, use_connect_dots=True
    )
    return (float(one.self_compose(steps).get_epsilon_for_delta(delta)),)


def microsoft_sampled(rate: float, sigma: float, steps: int, delta: float) -> tuple[float, ...]:
    """prv-accountant's lower end, estimate and upper end for the same, removing a record."""
    prv = import_module("prv_accountant")
    accountant = prv.PRVAccountant(
        prv.PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate),
        eps_error=0.01,
        delta_error=delta / 1000,
        max_self_compositions=steps,
    )
    return tuple(float(end) for end in accountant.compute_epsilon(delta, steps))


def _google(release: Release, interval: float, pessimistic: bool) -> Any:
    size = float(release.size)
    options: dict[str, Any] = {
        "pessimistic_estimate": pessimistic,
        "value_discretization_interval": interval,
        "use_connect_dots": pessimistic,
    }
    match release.kind:
        case "Laplace":
            return pld.from_laplace_mechanism(1 / size, **options)
        case "Gaussian":
            return pld.from_gaussian_mechanism(1 / size, **options)
        case "response":
            del options["use_connect_dots"]  # not offered: its losses are rounded to the grid
            return pld.from_randomized_response(2 / (1 + math.exp(size)), 2, **options)
        case "discrete Gaussian":
            return pld.from_discrete_gaussian_mechanism(1 / size, **options)
