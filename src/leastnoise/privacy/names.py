"""The names that `leastnoise.privacy` shows."""

from leastnoise.privacy.curves.budget_curve import BudgetCurve, ConstantBudget, StepBudget
from leastnoise.privacy.divergence import hockey_stick, kl, loss_at, renyi, total_variation
from leastnoise.privacy.groupwise import GroupwiseZCDP, PublishablePromise
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.laws.continuous_staircase import ContinuousStaircase
from leastnoise.privacy.laws.density import Density
from leastnoise.privacy.laws.finite_law import FiniteLaw
from leastnoise.privacy.laws.laplace import Laplace
from leastnoise.privacy.laws.normal import Normal
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "BudgetCurve",
    "ConstantBudget",
    "ContinuousStaircase",
    "Density",
    "FiniteLaw",
    "GroupwiseZCDP",
    "Guarantee",
    "Laplace",
    "Normal",
    "PrivacyLoss",
    "PublishablePromise",
    "PureDP",
    "StepBudget",
    "Verification",
    "hockey_stick",
    "kl",
    "loss_at",
    "renyi",
    "total_variation",
]
