"""The formula after `Law:` in a docstring is run, and must give the pmf."""

import inspect
import re

import mpmath
import pytest

from leastnoise.noise import Canonical, TruncatedLaplace, TruncatedStaircase
from leastnoise.noise.laws.lattice_law import LatticeLaw
from tests.laws.examples import SMALL, Example

NAMES = {name: getattr(mpmath, name) for name in ("exp", "sqrt", "log", "floor", "ceil", "inf")}
NAMES["comb"] = mpmath.binomial
STATED = re.compile(r"^\s*Law: (.*?)(?:\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


def formula(law: LatticeLaw) -> str:
    found = STATED.search(inspect.getdoc(law) or "")
    assert found is not None, f"{type(law).__name__} does not state its law"
    return " ".join(found[1].split())


# Their pmf is the outcome of a search for the radius; docs/proofs states what is found.
WITHOUT_FORMULA = (Canonical, TruncatedStaircase, TruncatedLaplace)
WITH_FORMULA = [e for e in SMALL if not isinstance(e.law, WITHOUT_FORMULA)]


@pytest.mark.parametrize("example", WITH_FORMULA, ids=str)
def test_stated_law_equals_pmf(example: Example) -> None:
    law = example.law
    far = law.quantile("0.99")
    with mpmath.workprec(200):
        for k in {0, 1, 2, -1, -3, far, -far, far // 2}:
            value = eval(formula(law), NAMES | law.parameters | {"k": k})
            assert float(value) == pytest.approx(float(law.pmf(k)), rel=1e-12, abs=1e-300)
