"""Adding prices up: composition theorems, least noise for a target, budgets that never overrun."""

from leastnoise.accounting.calibration import Calibration, calibrate
from leastnoise.accounting.composition import advanced, basic, compare, optimal
from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.accounting.discrete_gaussian_vector_calibration import (
    discrete_gaussian_vector_variance,
)
from leastnoise.accounting.discrete_laplace_calibration import discrete_laplace_scale
from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.accounting.gaussian_calibration import (
    classical_gaussian_range,
    classical_gaussian_sigma,
    gaussian_noise_delta,
    gaussian_noise_epsilon,
    gaussian_sigma,
)
from leastnoise.accounting.odometer import PureOdometer, ZCDPOdometer
from leastnoise.accounting.plan import Plan

__all__ = [
    "Calibration",
    "Plan",
    "PrivacyFilter",
    "PureOdometer",
    "ZCDPOdometer",
    "advanced",
    "basic",
    "calibrate",
    "classical_gaussian_range",
    "classical_gaussian_sigma",
    "compare",
    "discrete_gaussian_variance",
    "discrete_gaussian_vector_variance",
    "discrete_laplace_scale",
    "gaussian_noise_delta",
    "gaussian_noise_epsilon",
    "gaussian_sigma",
    "optimal",
]
