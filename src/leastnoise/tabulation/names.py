"""The names that `leastnoise.tabulation` shows."""

from leastnoise.tabulation.bit_table import column_sums
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from leastnoise.tabulation.cube_noise import CubeNoise
from leastnoise.tabulation.error_law import ErrorLaw
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.marginals_asked import marginals, marginals_mechanism, worst_case_error
from leastnoise.tabulation.marginals_release import MarginalsRelease
from leastnoise.tabulation.neighbours import AddRemove, ReplaceOne
from leastnoise.tabulation.noise_family import NoiseFamily
from leastnoise.tabulation.noisy_marginals import NoisyMarginals
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.one_way_marginals import OneWayMarginals
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.repaired_gaussian import RepairedGaussian
from leastnoise.tabulation.residuals.residual_answers import ResidualAnswers
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.pure_marginals import PureMarginals
from leastnoise.tabulation.signed.signed_answers import SignedAnswers
from leastnoise.tabulation.summed_columns import ColumnSums
from leastnoise.tabulation.tail_bound import cube_records, cube_tail_bound

__all__ = [
    "AddRemove",
    "ColumnSums",
    "CorrelatedGaussian",
    "CubeNoise",
    "ErrorLaw",
    "IndependentNoise",
    "MarginalsRelease",
    "NoiseFamily",
    "NoisyMarginals",
    "Objective",
    "OneWayMarginals",
    "Perturbation",
    "PureMarginals",
    "RepairedGaussian",
    "ReplaceOne",
    "ResidualAnswers",
    "ResidualPlanner",
    "ResidualWorkload",
    "SignedAnswers",
    "column_sums",
    "cube_records",
    "cube_tail_bound",
    "marginals",
    "marginals_mechanism",
    "worst_case_error",
]
