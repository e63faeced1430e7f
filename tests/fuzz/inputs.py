"""How many inputs are tried: 1000 in all unless LEASTNOISE_FUZZ says otherwise.

`make test-slow` tries 10^4, and then each test here is a slow one.

`make fuzz` tries a million, in pieces with seeds of their own.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck

from tests.examples import ASKED, examples

_QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)


def tried(percent: float) -> Callable[[Any], Any]:
    """A share of all inputs, for one test."""
    count = max(1, round(ASKED * percent / 100))
    return examples(count, count, suppressed=_QUIET)
