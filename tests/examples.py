"""`examples`: how many inputs Hypothesis tries, in a quick run and in a long one.

A run is long if LEASTNOISE_FUZZ asks for more than usual, as `make test-slow` does: then every test
that would try more is a slow one, under the same name.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

USUAL = 1_000  # hostile inputs, by all of tests/fuzz together
ASKED = int(os.environ.get("LEASTNOISE_FUZZ", USUAL))
LONG = ASKED > USUAL
UNSAID = 200 if LONG else 50
"""Inputs of a test that does not say how many."""


def says_nothing(test: Any) -> bool:
    """Whether a test of Hypothesis leaves the number of its inputs to the profile."""
    own = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
    return getattr(test, "is_hypothesis_test", False) and own.max_examples == UNSAID


def examples(
    quick: int, long: int, *, suppressed: Sequence[HealthCheck] = (HealthCheck.too_slow,)
) -> Callable[[Any], Any]:
    """So many in a quick run, and so many in a long one."""
    chosen = settings(
        max_examples=long if LONG else quick, deadline=None, suppress_health_check=suppressed
    )

    def decorated(test: Any) -> Any:
        return pytest.mark.slow(chosen(test)) if LONG else chosen(test)

    return decorated
