"""Examples in pages and docstrings: where output holds noise, drawn numbers are not compared."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import leastnoise
from tests.noisy_output import NOTE, alike

# A module that pytest imports first takes the place of a function of its name in its package, such
# as `audit`: the packages come before it.
for package in pkgutil.iter_modules(leastnoise.__path__, "leastnoise."):
    if package.ispkg:
        import_module(package.name)

NOISE = doctest.register_optionflag("NOISE")


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
