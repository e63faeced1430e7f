"""How many records, how little error, how much risk."""

from leastnoise.bounds.copies import CopiedRecords
from leastnoise.bounds.fingerprint import FingerprintingCode, trace
from leastnoise.bounds.lower import lower_bounds
from leastnoise.bounds.risk import attack_risk, suggest_delta
from leastnoise.bounds.sample_size import least_epsilon, least_error
from leastnoise.bounds.sample_size import sample_size as sample_size
from leastnoise.bounds.upper import cube_tail, norm_of

__all__ = [
    "CopiedRecords",
    "FingerprintingCode",
    "attack_risk",
    "cube_tail",
    "least_epsilon",
    "least_error",
    "lower_bounds",
    "norm_of",
    "suggest_delta",
    "trace",
]
