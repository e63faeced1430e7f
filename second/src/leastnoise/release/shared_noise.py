"""The noise of totals that share draws, for forecasts and intervals: sums of it, with their law."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.sums import NoisePoints, NoiseSum, Number
from leastnoise.release.measurement import JointLaw
from leastnoise.tables.contributions import ONE
from leastnoise.tables.totals import Total


class _Draws:
    """The laws of some draws, with what was computed of them."""

    def __init__(self, laws: tuple[JointLaw, ...]) -> None:
        self.laws = laws
        self.points = dict[tuple[Number, ...], NoisePoints]()
        self.quantiles = dict[tuple[Any, float], float]()

    @cached_property
    def alike(self) -> dict[Any, list[Number]]:
        """The numbers of each law that stand for the same thing: their joint law is the same, too."""
        found = dict[Any, list[Number]]()
        for draw, law in enumerate(self.laws):
            for place in range(len(law.blocks)):
                found.setdefault(self.kind(draw, place), []).append((draw, place, 0))
        return found

    def kind(self, draw: int, place: int) -> Any:
        """What tells numbers of a draw apart."""
        law = self.laws[draw]
        weight = law.weights[place] if isinstance(law, CentredGaussian) else 0
        return draw, law.blocks[place], weight


_recent: deque[_Draws] = deque(maxlen=4)


def _draws(laws: tuple[JointLaw, ...]) -> _Draws:
    """By identity: to compare laws of hundreds of totals takes longer than to compute with them."""
    for known in _recent:
        if known.laws is laws:
            return known
    _recent.append(_Draws(laws))
    return _recent[-1]


@dataclass(frozen=True, eq=False)
class SharedNoise:
    """The noise of totals of one group that share draws.

    Attributes:
        draws: the laws.
        numbers: for each total its place there.
    """

    draws: tuple[JointLaw, ...]
    numbers: Mapping[Total, Number]

    def has(self, coefficients: Mapping[Total, Any]) -> bool:
        """Whether the noise of a sum is among it."""
        return any(total in self.numbers for total in coefficients)

    def sum(self, coefficients: Mapping[Total, Any]) -> NoiseSum:
        """The noise of a sum of totals."""
        found = self._numbers(coefficients)
        known, numbers = _draws(self.draws), tuple(found)
        if numbers not in known.points:
            known.points[numbers] = NoisePoints(self.draws, numbers)
        return known.points[numbers].sum(found)

    def quantile(self, coefficients: Mapping[Total, Any], risk: float) -> float:
        """The x with P(noise of a sum of totals > x) = risk."""
        known, key = _draws(self.draws), (tuple(self._numbers(coefficients).items()), risk)
        if key not in known.quantiles:
            known.quantiles[key] = self.sum(coefficients).quantile(risk)
        return known.quantiles[key]

    def _numbers(self, coefficients: Mapping[Total, Any]) -> dict[Number, float]:
        """The coefficients, of the first numbers that are alike."""
        known, used, found = _draws(self.draws), dict[Any, int](), dict[Number, float]()
        for total, c in coefficients.items():
            draw, place, _ = self.numbers[total]
            kind = known.kind(draw, place)
            at = used[kind] = used.get(kind, -1) + 1
            found[known.alike[kind][at]] = float(np.max(c)) / ONE
        return found
