"""The names that `leastnoise.noise` shows."""

from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.generalized_gaussian import GeneralizedGaussian
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.truncated_staircase import TruncatedStaircase
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.noise.vectors.independent import Independent
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.noise.vectors.truncated_norm_staircase import TruncatedNormStaircase
from leastnoise.noise.vectors.vector_law import VectorLaw

LAWS = (
    Canonical,
    CountsLaw,
    DiscreteGaussian,
    DiscreteLaplace,
    EuclideanLaw,
    GeneralizedGaussian,
    Independent,
    MedianOfUniforms,
    NormLaplace,
    NormStaircase,
    Staircase,
    TableLaw,
    TruncatedLaplace,
    TruncatedNormStaircase,
    TruncatedStaircase,
    Uniform,
)
"""The registry that the law-suite walks."""

__all__ = [
    "LAWS",
    "Canonical",
    "CountsLaw",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "EuclideanLaw",
    "GeneralizedGaussian",
    "Independent",
    "LatticeLaw",
    "MedianOfUniforms",
    "NormLaplace",
    "NormStaircase",
    "Staircase",
    "TableLaw",
    "TruncatedLaplace",
    "TruncatedNormStaircase",
    "TruncatedStaircase",
    "Uniform",
    "VectorLaw",
]
