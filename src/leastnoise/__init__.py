"""Differential privacy with the least noise there is.

Laws of noise live in `leastnoise.noise`; every one can be drawn exactly, asked for its
probabilities and moments, and made to prove or refute a privacy claim.

Example:
    >>> import leastnoise as ln
    >>> law = ln.noise.Canonical(epsilon=1, delta="1e-6")
    >>> print(law.verify(sensitivity=1, epsilon=1, delta="1e-6").holds)
    True
"""

from leastnoise import noise
from leastnoise.errors import InvalidParameter, LeastNoiseError, Undecided, UnsupportedQuery
from leastnoise.numeric import Interval
from leastnoise.privacy import Verification
from leastnoise.randomness import Source

__version__ = "0.1.0"

__all__ = [
    "Interval",
    "InvalidParameter",
    "LeastNoiseError",
    "Source",
    "Undecided",
    "UnsupportedQuery",
    "Verification",
    "__version__",
    "noise",
]
