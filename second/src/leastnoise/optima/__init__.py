"""The least noise for one question, and proofs of it."""

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.optima.noise_bounds import noise_bounds, uniform_bounds
from leastnoise.optima.optimal import optimal as optimal
from leastnoise.optima.staircase import staircase_theory

__all__ = ["Certificate", "noise_bounds", "staircase_theory", "uniform_bounds"]
