"""What is promised, and the arithmetic of promises."""

from leastnoise.privacy.calibration import calibrate as calibrate
from leastnoise.privacy.calibration import classical_range, gaussian_sigma, verify
from leastnoise.privacy.composition import (
    advanced_composition,
    basic_composition,
    optimal_composition,
)
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.divergence import hockey_stick, privacy_loss, renyi, tail_bound
from leastnoise.privacy.group import group_privacy
from leastnoise.privacy.guarantee import GDP as GDP
from leastnoise.privacy.guarantee import ZCDP as ZCDP
from leastnoise.privacy.guarantee import ApproxDP as ApproxDP
from leastnoise.privacy.guarantee import PureDP as PureDP
from leastnoise.privacy.loss import PrivacyLoss as PrivacyLoss

__all__ = [
    "advanced_composition",
    "basic_composition",
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
