"""Differential privacy with the least noise there is.

Laws of noise live in `leastnoise.noise`; every one can be drawn exactly, asked for its
probabilities and moments, and made to prove or refute a privacy claim.

Example:
    >>> import leastnoise as ln
    >>> law = ln.noise.Canonical(epsilon=1, delta="1e-6")
    >>> print(law.verify(sensitivity=1, epsilon=1, delta="1e-6").holds)
    True
"""

from leastnoise import accounting, mechanisms, noise, planning, privacy, theory
from leastnoise.errors import (
    BudgetExceeded,
    InvalidParameter,
    LeastNoiseError,
    Undecided,
    UnsupportedQuery,
)
from leastnoise.mechanisms import randomized_response
from leastnoise.numeric import Interval
from leastnoise.planning import suggest_delta
from leastnoise.privacy import GDP, RDP, ZCDP, ApproxDP, PrivacyLoss, PureDP, Verification
from leastnoise.randomness import Source
from leastnoise.version import __version__

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "BudgetExceeded",
    "Interval",
    "InvalidParameter",
    "LeastNoiseError",
    "PrivacyLoss",
    "PureDP",
    "Source",
    "Undecided",
    "UnsupportedQuery",
    "Verification",
    "__version__",
    "accounting",
    "mechanisms",
    "noise",
    "planning",
    "privacy",
    "randomized_response",
    "suggest_delta",
    "theory",
]
