"""The names that `leastnoise.accounting` shows."""

from leastnoise.accounting.calibration import Calibration, calibrate
from leastnoise.accounting.composition import advanced, basic, compare, optimal
from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.accounting.discrete_gaussian_vector_calibration import (
    discrete_gaussian_vector_variance,
)
from leastnoise.accounting.discrete_laplace_calibration import discrete_laplace_scale
from leastnoise.accounting.epoch_table import EpochCosts, epoch_costs
from leastnoise.accounting.events import loss_of_event
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
from leastnoise.accounting.shuffling import ShuffledBatches
from leastnoise.accounting.training import Training
from leastnoise.accounting.training_calibration import largest_rate, least_noise, most_steps

__all__ = [
    "Calibration",
    "EpochCosts",
    "Plan",
    "PrivacyFilter",
    "PureOdometer",
    "ShuffledBatches",
    "Training",
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
    "epoch_costs",
    "gaussian_noise_delta",
    "gaussian_noise_epsilon",
    "gaussian_sigma",
    "largest_rate",
    "least_noise",
    "loss_of_event",
    "most_steps",
    "optimal",
]
