"""Laws of noise, drawn exactly as stated. They know nothing about guarantees.

`Normal`, `Laplace` and `StaircaseDensity` are laws on the real line, for reading; nothing is drawn
from them. All others are laws of whole numbers, or of vectors of whole numbers.
"""

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import Box, KNormNoise, Simplex
from leastnoise.noise.laws import (
    DiscreteLaplace,
    RoundedGaussian,
    Staircase,
    TableLaw,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.noise.line import Laplace, Normal, StaircaseDensity
from leastnoise.noise.source import Source as Source

__all__ = [
    "Ball",
    "Box",
    "CentredGaussian",
    "DiscreteLaplace",
    "KNormNoise",
    "Laplace",
    "NormStaircase",
    "Normal",
    "RoundedGaussian",
    "Simplex",
    "Staircase",
    "StaircaseDensity",
    "TableLaw",
    "TruncatedLaplace",
    "Uniform",
]
