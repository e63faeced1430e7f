"""A law is a value: frozen, comparable, hashable, printable, copyable, before and after use."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

from leastnoise.noise import TableLaw, names
from leastnoise.noise.laws.lattice_law import LatticeLaw
from tests.laws.examples import EXAMPLES, Example

each = pytest.mark.parametrize("example", EXAMPLES, ids=str)


def rebuilt(law: LatticeLaw) -> LatticeLaw:
    """An equal law that shares nothing with the given one."""
    return type(law)(**law.parameters)


@each
def test_law_is_frozen(example: Example) -> None:
    law = example.law
    assert is_dataclass(law)
    for field in fields(law):
        with pytest.raises(FrozenInstanceError):
            setattr(law, field.name, getattr(law, field.name))
    with pytest.raises(FrozenInstanceError):
        law.something_new = 1


@each
def test_equal_parameters_make_equal_laws(example: Example) -> None:
    twin = rebuilt(example.law)
    assert twin is not example.law
    assert twin == example.law
    assert hash(twin) == hash(example.law)


@each
def test_repr_is_a_call_that_makes_the_law(example: Example) -> None:
    law = example.law
    assert repr(law).startswith(f"{type(law).__name__}(")
    if not isinstance(law, TableLaw):  # a table may be too long to print
        assert eval(repr(law), vars(names)) == law


def test_different_laws_differ() -> None:
    laws = [example.law for example in EXAMPLES]
    assert len(set(laws)) == len(laws)


@each
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_the_law(example: Example, protocol: int) -> None:
    law = rebuilt(example.law)
    fresh = pickle.loads(pickle.dumps(law, protocol))
    law.sample(3)
    used = pickle.loads(pickle.dumps(law, protocol))
    assert law == fresh == used
    assert law.pmf(1) == used.pmf(1)
    assert used.sample(3).shape == (3,)


@each
def test_copies_are_equal(example: Example) -> None:
    law = rebuilt(example.law)
    law.sample(3)
    assert copy.copy(law) == copy.deepcopy(law) == law
