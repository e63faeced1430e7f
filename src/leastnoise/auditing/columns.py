"""`Columns`: what is looked at in many outputs of a mechanism, one column per aspect."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Label = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Columns:
    """Aspects of a row of outputs, each computed from one output at a time.

    Attributes:
        size: how many outputs there are.
        numbers: aspects with an order; NaN where an output has no such number.
        codes: aspects without an order, coded as integers; 0 where an output lacks it.
        labels: by column of codes, what a code stands for.
        words: what outputs are made of, 64 bits at a time; 0 where an output lacks it.
    """

    size: int
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    codes: Mapping[str, Codes] = field(default_factory=dict)
    labels: Mapping[str, Label] = field(default_factory=dict)
    words: Mapping[str, Codes] = field(default_factory=dict)

    def number(self, name: str) -> Floats:
        """A column of numbers; all missing where none of these outputs has any."""
        found = self.numbers.get(name)
        return np.full(self.size, np.nan) if found is None else found

    def code(self, name: str) -> Codes:
        """A column of codes; all missing where none of these outputs has any."""
        return self._or_none(self.codes.get(name))

    def word(self, name: str) -> Codes:
        """A column of words; all missing where none of these outputs has any."""
        return self._or_none(self.words.get(name))

    def _or_none(self, found: Codes | None) -> Codes:
        return np.zeros(self.size, dtype=np.int64) if found is None else found

    def label(self, name: str, code: int) -> str:
        """What a code stands for."""
        say = self.labels.get(name)
        return str(code) if say is None else say(code)

    def beside(self, numbers: Mapping[str, Floats]) -> "Columns":
        """The same with more columns of numbers."""
        return replace(self, numbers={**self.numbers, **numbers})
