"""What every test relies on: limits of processor time, and signals as a program finds them.

No verdict may depend on the wall clock, on how busy the machine is, or on who started the tests.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from mpmath import mp

from tests.examples import LONG, UNSAID, says_nothing
from tests.ledger.postgres import empty_database, server
from tests.repeatable import draw_no_constants_of_the_project
from tests.spread import leave_the_rest_to_slow_runs
from tests.time_limit import time_limit

# Hypothesis measures on the wall: how long an example takes is no verdict here.
settings.register_profile(
    "desk", max_examples=UNSAID, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# What CI says of a commit must not depend on luck; at a desk, every run looks further.
settings.register_profile("ci", settings.get_profile("desk"), derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
    draw_no_constants_of_the_project()
else:
    settings.load_profile("desk")


def _usual_signals() -> None:
    """A shell's background jobs ignore SIGINT, nohup's SIGHUP, and so would every child of theirs.

    Spark puts a handler of its own in place, and leaves it there.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


_usual_signals()

# Compiled once, for this process and for those that it starts, whatever the environment says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# One precision for all references: mpmath keeps it in one place for the whole process.
mp.dps = 60

# Some 20 000 tests are collected and stay: they need not be looked through again and again.
gc.disable()

_QUICK, _SLOW = 120, 1800  # seconds of processor time

# Fixtures that start a cluster, a browser or the making of the site.
_WIDE = {"running", "opened", "address", "site"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs a large program beside it is `wide`; cluster first, so that one worker has all.

    Where a long run tries more inputs, the test is `slow` in it.
    """
    needs = {item: set(getattr(item, "fixturenames", ())) for item in items}
    for item in items:
        if needs[item] & _WIDE:
            item.add_marker("wide")
        if LONG and says_nothing(getattr(item, "obj", None)):
            item.add_marker("slow")
    items.sort(key=lambda item: "running" not in needs[item])
    leave_the_rest_to_slow_runs(items)


def pytest_collection_finish() -> None:
    """From here on garbage is collected as usual, among what is made from here on."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Some packages tell at the end what was never let go of."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _in_time(request: pytest.FixtureRequest) -> Iterator[None]:
    _usual_signals()
    slow = request.node.get_closest_marker("slow") is not None
    with time_limit(_SLOW if slow else _QUICK):
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str | None]:
    """One for all tests of a process that do not change it: each has a database of its own."""
    with server() as url:
        yield url


@pytest.fixture(scope="module")
def empty_postgres(postgres_server: str | None) -> Iterator[str]:
    """The address of an empty database on a server, for the tests of one file."""
    if postgres_server is None:
        pytest.skip("this machine has no PostgreSQL to start")
    with empty_database(postgres_server) as url:
        yield url
