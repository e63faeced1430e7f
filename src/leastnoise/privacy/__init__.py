"""What is promised: guarantees, divergences, privacy loss, and what follows from what."""

from leastnoise.privacy.continuous_staircase import ContinuousStaircase
from leastnoise.privacy.density import Density
from leastnoise.privacy.divergence import hockey_stick, kl, renyi, total_variation
from leastnoise.privacy.finite_law import FiniteLaw
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.laplace import Laplace
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.normal import Normal
from leastnoise.privacy.verification import Verification

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "ContinuousStaircase",
    "Density",
    "FiniteLaw",
    "Guarantee",
    "Laplace",
    "Normal",
    "PrivacyLoss",
    "PureDP",
    "Verification",
    "hockey_stick",
    "kl",
    "renyi",
    "total_variation",
]
