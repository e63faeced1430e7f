"""Examples in pages and docstrings: where output holds noise, drawn numbers are not compared."""

import doctest
import os
import pkgutil
from collections.abc import Generator
from contextlib import nullcontext
from importlib import import_module
from typing import Any

import pytest

import leastnoise
from tests.noisy_output import NOTE, alike
from tests.repeatable import repeatable_entropy

# A module that pytest imports first takes the place of a function of its name in its package, such
# as `audit`: the packages come before it.
for package in pkgutil.iter_modules(leastnoise.__path__, "leastnoise."):
    if package.ispkg:
        import_module(package.name)

NOISE = doctest.register_optionflag("NOISE")

# What CI says of a commit must not depend on luck; at a desk, every run draws anew.
ENTROPY = repeatable_entropy() if os.environ.get("CI") else None


class Checker(doctest.OutputChecker):
    """Compares real output with what a page shows of it."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether the page shows what happens."""
        if optionflags & NOISE:
            return alike(want, got)
        return super().check_output(want, got, optionflags)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Examples that say so hold noise."""
    if not isinstance(item, pytest.DoctestItem):
        return
    for example in item.dtest.examples:
        if NOTE in example.source:
            example.options[NOISE] = True
    item.runner._checker = Checker()


def _named(name: str) -> Any:
    return nullcontext() if ENTROPY is None else ENTROPY.named(name)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """What a module draws while it is loaded."""
    with _named(collector.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """What a test draws, with all that is made for it alone."""
    with _named(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """What is made for many tests draws the same, whichever of them is the first of a worker."""
    if fixturedef.scope == "function":
        return (yield)
    with _named(f"{fixturedef.baseid} {fixturedef.argname} {getattr(request, 'param_index', 0)}"):
        return (yield)
