"""No quick test may take a minute: an endless loop becomes a failure with a traceback."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from mpmath import mp

from tests.time_limit import time_limit

# What CI says of a commit must not depend on luck; at a desk, every run looks further.
settings.register_profile("ci", derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# One precision for all references: mpmath keeps it in one place for the whole process.
mp.dps = 60


@pytest.fixture(autouse=True)
def _in_time(request: pytest.FixtureRequest) -> Iterator[None]:
    slow = request.node.get_closest_marker("slow") is not None
    with time_limit(1800 if slow else 60):
        yield
