"""Laws of noise in words, and in the unit of the answer."""

import math

from leastnoise.people.digits import Real, after
from leastnoise.people.numbers import said_value

_LAWS = {
    "DiscreteGaussian": "whole-number Gaussian noise",
    "DiscreteLaplace": "whole-number Laplace noise",
    "Laplace": "Laplace noise",
    "CentredGaussian": "Gaussian noise drawn for several questions together",
    "TwoCounterNoise": "noise drawn for several questions together",
    "OneCounterNoise": "noise drawn for several questions together",
    "PureMarginals": "noise drawn for all tables together",
    "CountedPartitions": "noise on the counts that find the groups",
    "Staircase": "staircase noise",
    "GammaStaircase": "staircase noise",
    "TruncatedLaplace": "cut Laplace noise",
}


def said_law(mechanism: str, standard_error: Real | None = None, unit: str = "") -> str:
    """A noise in words and in the answer's own unit, from its name in a release.

    Args:
        mechanism: as a release has it, such as "DiscreteGaussian(variance=12387129137037312)".
        standard_error: of the answer, in its own unit; None if it is not known.
        unit: that unit.

    Example:
        >>> said_law("DiscreteGaussian(variance=12387129137037312)", 1.04, "kr")
        'whole-number Gaussian noise, standard error 1.0 kr'
    """
    name = mechanism.replace("(", " ").partition(" ")[0]
    words = _LAWS.get(name) or ("noise" if "(" in mechanism else mechanism)
    if standard_error is None or not math.isfinite(standard_error):
        return words
    return f"{words}, standard error {said_value(standard_error, standard_error)}{after(unit)}"
