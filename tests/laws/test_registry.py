"""Every registered law is exercised by the suite."""

import pytest

from leastnoise.noise import LAWS
from leastnoise.noise.laws.lattice_law import LatticeLaw
from tests.laws.examples import EXAMPLES, SPOILABLE

LATTICE_LAWS = [law for law in LAWS if issubclass(law, LatticeLaw)]


@pytest.mark.parametrize("law", LATTICE_LAWS)
def test_every_law_has_examples(law: type[LatticeLaw]) -> None:
    assert any(type(example.law) is law for example in EXAMPLES)


@pytest.mark.parametrize("law", LATTICE_LAWS)
def test_every_law_has_a_spoiled_copy(law: type[LatticeLaw]) -> None:
    assert any(type(example.law) is law for example in SPOILABLE)
