"""What is promised, and the arithmetic of promises."""

from leastnoise.privacy.calibration import calibrate, classical_range, gaussian_sigma, verify
from leastnoise.privacy.composition import (
    advanced_composition,
    basic_composition,
    optimal_composition,
)
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.divergence import hockey_stick, privacy_loss, renyi, tail_bound
from leastnoise.privacy.group import group_privacy
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss

__all__ = [
    "GDP",
    "ZCDP",
    "ApproxDP",
    "PrivacyLoss",
    "PureDP",
    "advanced_composition",
    "basic_composition",
    "calibrate",
    "classical_range",
    "convert",
    "gaussian_sigma",
    "group_privacy",
    "hockey_stick",
    "optimal_composition",
    "privacy_loss",
    "renyi",
    "tail_bound",
    "verify",
]
