"""`Asked`: whatever the engine can be asked to measure. A closed family."""

from typing import TypeAlias

from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import UnitSpread

Asked: TypeAlias = Measurement | Histograms | UnitSpread
