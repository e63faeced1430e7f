"""Attacks: what published numbers betray, measured with a bound on false accusations."""

from leastnoise.attacks.auc import auc, greatest_auc
from leastnoise.attacks.code_experiment import CodeExperiment, CodeMeasurement
from leastnoise.attacks.collusion import (
    STRATEGIES,
    Strategy,
    all_ones,
    all_zeros,
    coin,
    forge,
    majority,
    minority,
    random_member,
)
from leastnoise.attacks.copied_records import (
    CopiedRecords,
    most_copies,
    most_copies_to_one,
)
from leastnoise.attacks.rank_trace import RankTrace, rank_trace
from leastnoise.attacks.tardos_code import TardosCode, bias_grid
from leastnoise.attacks.tardos_design import TardosDesign
from leastnoise.attacks.trace import Trace, trace

__all__ = [
    "STRATEGIES",
    "CodeExperiment",
    "CodeMeasurement",
    "CopiedRecords",
    "RankTrace",
    "Strategy",
    "TardosCode",
    "TardosDesign",
    "Trace",
    "all_ones",
    "all_zeros",
    "auc",
    "bias_grid",
    "coin",
    "forge",
    "greatest_auc",
    "majority",
    "minority",
    "most_copies",
    "most_copies_to_one",
    "random_member",
    "rank_trace",
    "trace",
]
