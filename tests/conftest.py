"""No quick test may take a minute: an endless loop becomes a failure with a traceback."""

from collections.abc import Iterator

import pytest

from tests.time_limit import time_limit


@pytest.fixture(autouse=True)
def _in_time(request: pytest.FixtureRequest) -> Iterator[None]:
    slow = request.node.get_closest_marker("slow") is not None
    with time_limit(1800 if slow else 60):
        yield
