"""Differential privacy with the least noise that can be proved sufficient."""

from leastnoise.files.load import load, read
from leastnoise.ledger.ledger import ROW, Ledger
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
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
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

__all__ = [
    "GDP",
    "ROW",
    "ZCDP",
    "Answer",
    "ApproxDP",
    "BudgetExceeded",
    "Data",
    "EngineError",
    "InvalidInput",
    "LeastNoiseError",
    "Ledger",
    "LedgerError",
    "Plan",
    "Preview",
    "PureDP",
    "Query",
    "Release",
    "Result",
    "Source",
    "Undecided",
    "UnsupportedSQL",
    "bins",
    "count",
    "count_units",
    "load",
    "marginals",
    "mean",
    "median",
    "plan",
    "quantile",
    "read",
    "share",
    "std",
    "sum",
    "variance",
]
