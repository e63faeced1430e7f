"""Laws of noise on the integers, each drawn exactly as stated. One law, one file."""

from leastnoise.noise.canonical import Canonical
from leastnoise.noise.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.discrete_laplace import DiscreteLaplace
from leastnoise.noise.generalized_gaussian import GeneralizedGaussian
from leastnoise.noise.independent import Independent
from leastnoise.noise.lattice_law import LatticeLaw
from leastnoise.noise.median_of_uniforms import MedianOfUniforms
from leastnoise.noise.norm_laplace import NormLaplace
from leastnoise.noise.norm_staircase import NormStaircase
from leastnoise.noise.staircase import Staircase
from leastnoise.noise.table_law import TableLaw
from leastnoise.noise.truncated_laplace import TruncatedLaplace
from leastnoise.noise.truncated_norm_staircase import TruncatedNormStaircase
from leastnoise.noise.truncated_staircase import TruncatedStaircase
from leastnoise.noise.uniform import Uniform
from leastnoise.noise.vector_law import VectorLaw

LAWS = (
    Canonical,
    DiscreteGaussian,
    DiscreteLaplace,
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
    "DiscreteGaussian",
    "DiscreteLaplace",
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
