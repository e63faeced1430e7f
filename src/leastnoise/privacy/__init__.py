"""What is promised: guarantees, divergences, privacy loss, and what follows from what."""

from leastnoise.privacy.divergence import hockey_stick, kl, renyi, total_variation
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "Guarantee",
    "PrivacyLoss",
    "PureDP",
    "Verification",
    "hockey_stick",
    "kl",
    "renyi",
    "total_variation",
]
