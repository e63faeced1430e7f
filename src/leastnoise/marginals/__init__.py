"""Noisy marginals of a table: how many people have this, that, or both."""

from leastnoise.marginals.bit_table import column_sums
from leastnoise.marginals.column_sums import ColumnSums
from leastnoise.marginals.cube_noise import CubeNoise
from leastnoise.marginals.error_law import ErrorLaw
from leastnoise.marginals.independent_noise import IndependentNoise
from leastnoise.marginals.marginals import marginals
from leastnoise.marginals.marginals_mechanism import marginals_mechanism
from leastnoise.marginals.marginals_release import MarginalsRelease
from leastnoise.marginals.neighbours import AddRemove, ReplaceOne
from leastnoise.marginals.noise_family import NoiseFamily
from leastnoise.marginals.noisy_marginals import NoisyMarginals
from leastnoise.marginals.objective import Objective
from leastnoise.marginals.one_way_marginals import OneWayMarginals
from leastnoise.marginals.perturbation import Perturbation
from leastnoise.marginals.repaired_gaussian import RepairedGaussian
from leastnoise.marginals.tail_bound import cube_records, cube_tail_bound
from leastnoise.marginals.worst_case_error import worst_case_error

__all__ = [
    "AddRemove",
    "ColumnSums",
    "CubeNoise",
    "ErrorLaw",
    "IndependentNoise",
    "MarginalsRelease",
    "NoiseFamily",
    "NoisyMarginals",
    "Objective",
    "OneWayMarginals",
    "Perturbation",
    "RepairedGaussian",
    "ReplaceOne",
    "column_sums",
    "cube_records",
    "cube_tail_bound",
    "marginals",
    "marginals_mechanism",
    "worst_case_error",
]
