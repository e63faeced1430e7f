"""Differential privacy with the least noise that can be proved sufficient.

Releases from tables start with `read` or `load`. The theory below them is in packages: `noise`,
`privacy`, `mechanisms`, `relative`, `optima`, `workloads`, `bounds`, `auditing`, `numbers`.
"""

from leastnoise import auditing as auditing
from leastnoise import bounds as bounds
from leastnoise import mechanisms as mechanisms
from leastnoise import noise as noise
from leastnoise import numbers as numbers
from leastnoise import optima as optima
from leastnoise import privacy as privacy
from leastnoise import relative as relative
from leastnoise import workloads as workloads
from leastnoise.auditing.audit import audit
from leastnoise.bounds.sample_size import sample_size
from leastnoise.files.load import load, read
from leastnoise.ledger.ledger import ROW, Ledger
from leastnoise.mechanisms.response import randomized_response
from leastnoise.mechanisms.thresholds import above_threshold
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import (
    BudgetExceeded,
    EngineError,
    InvalidInput,
    LeastNoiseError,
    LedgerError,
    Undecided,
    UnsupportedSQL,
)
from leastnoise.numbers.interval import Interval
from leastnoise.optima.optimal import optimal
from leastnoise.privacy.calibration import calibrate
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.relative.counts import relative_counts
from leastnoise.release.data import Data, Query
from leastnoise.release.grouping import bins
from leastnoise.release.kinds import (
    count,
    count_units,
    mean,
    median,
    quantile,
    share,
    std,
    sum,
    variance,
)
from leastnoise.release.marginal_tables import marginals
from leastnoise.release.plan import Plan, Release, plan
from leastnoise.release.preview import Preview
from leastnoise.release.result import Answer, Result
from leastnoise.release.schedule import Schedule
from leastnoise.workloads.one_way import one_way_marginals
from leastnoise.workloads.stream import running_totals

__all__ = [
    "GDP",
    "ROW",
    "ZCDP",
    "Answer",
    "ApproxDP",
    "BudgetExceeded",
    "Data",
    "EngineError",
    "Interval",
    "InvalidInput",
    "LeastNoiseError",
    "Ledger",
    "LedgerError",
    "Plan",
    "Preview",
    "PrivacyLoss",
    "PureDP",
    "Query",
    "Release",
    "Result",
    "Schedule",
    "Source",
    "Undecided",
    "UnsupportedSQL",
    "above_threshold",
    "audit",
    "bins",
    "calibrate",
    "count",
    "count_units",
    "load",
    "marginals",
    "mean",
    "median",
    "one_way_marginals",
    "optimal",
    "plan",
    "quantile",
    "randomized_response",
    "read",
    "relative_counts",
    "running_totals",
    "sample_size",
    "share",
    "std",
    "sum",
    "variance",
]
