"""Laws of noise on the integers, each drawn exactly as stated. One law, one file."""

from leastnoise.noise.canonical import Canonical
from leastnoise.noise.discrete_laplace import DiscreteLaplace
from leastnoise.noise.lattice_law import LatticeLaw
from leastnoise.noise.staircase import Staircase
from leastnoise.noise.table_law import TableLaw
from leastnoise.noise.truncated_laplace import TruncatedLaplace
from leastnoise.noise.truncated_staircase import TruncatedStaircase
from leastnoise.noise.uniform import Uniform

LAWS = (
    Canonical,
    DiscreteLaplace,
    Staircase,
    TableLaw,
    TruncatedLaplace,
    TruncatedStaircase,
    Uniform,
)
"""The registry that the law-suite walks."""

__all__ = [
    "LAWS",
    "Canonical",
    "DiscreteLaplace",
    "LatticeLaw",
    "Staircase",
    "TableLaw",
    "TruncatedLaplace",
    "TruncatedStaircase",
    "Uniform",
]
