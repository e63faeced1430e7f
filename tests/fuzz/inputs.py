"""How many inputs are tried: 2500 in all unless LEASTNOISE_FUZZ says otherwise.

`make test-slow` tries 10^4, and then each test here is a slow one.

`make fuzz` tries a million, in pieces with seeds of their own.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_QUICK = 2_500
TOTAL = int(os.environ.get("LEASTNOISE_FUZZ", _QUICK))
_QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)


def tried(percent: float) -> Callable[[Any], Any]:
    """A share of all inputs, for one test."""
    count = max(1, round(TOTAL * percent / 100))
    chosen = settings(max_examples=count, deadline=None, suppress_health_check=_QUIET)

    def decorated(test: Any) -> Any:
        marked = chosen(test)
        return pytest.mark.slow(marked) if TOTAL > _QUICK else marked

    return decorated
