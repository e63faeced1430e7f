"""A law of vectors is a value too: frozen, comparable, hashable, printable, copyable."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass
from fractions import Fraction

import pytest

from leastnoise.noise import (
    LAWS,
    Canonical,
    CountsLaw,
    EuclideanLaw,
    Independent,
    LatticeLaw,
    NormLaplace,
    NormStaircase,
    TruncatedLaplace,
    TruncatedNormStaircase,
    names,
)
from leastnoise.noise.vectors.vector_law import VectorLaw

AnyVectorLaw = VectorLaw | CountsLaw | EuclideanLaw

EXAMPLES: list[AnyVectorLaw] = [
    NormLaplace(dimension=3, scale="0.5", norm="l1"),
    NormLaplace(dimension=20, scale=7, norm="linf"),
    NormStaircase(dimension=2, sensitivity=4, epsilon=1, width=2, norm="l1"),
    NormStaircase(dimension=2, sensitivity=4, epsilon="1/3", width=2, norm="linf"),
    TruncatedNormStaircase(
        dimension=2, sensitivity=4, epsilon="1/3", width=2, radius=9, norm="l1", edge="0.3"
    ),
    TruncatedNormStaircase(dimension=2, sensitivity=4, epsilon=0, width=2, radius=9, norm="linf"),
    Independent(TruncatedLaplace(sensitivity=3, epsilon=1, delta="0.01"), dimension=3),
    Independent(Canonical(epsilon=1, delta="0.01"), dimension=3),
    CountsLaw(dimension=3, sensitivity=2, epsilon="1/3", start=3),
    CountsLaw(dimension=2, epsilon=1, radius=4, edge="1/3"),
    EuclideanLaw(dimension=3, scale="7/2", power=1),
    EuclideanLaw(dimension=3, scale="7/2", power=2),
]
each = pytest.mark.parametrize("law", EXAMPLES, ids=repr)


def rebuilt(law: AnyVectorLaw) -> AnyVectorLaw:
    value = eval(repr(law), vars(names) | {"Fraction": Fraction})
    assert isinstance(value, AnyVectorLaw)
    return value


def test_every_law_of_vectors_has_examples() -> None:
    assert {law for law in LAWS if not issubclass(law, LatticeLaw)} == set(map(type, EXAMPLES))


@each
def test_law_is_frozen(law: AnyVectorLaw) -> None:
    assert is_dataclass(law)
    for field in fields(law):
        with pytest.raises(FrozenInstanceError):
            setattr(law, field.name, getattr(law, field.name))


@each
def test_repr_rebuilds_an_equal_law(law: AnyVectorLaw) -> None:
    twin = rebuilt(law)
    assert twin == law
    assert hash(twin) == hash(law)


def test_different_laws_differ() -> None:
    assert len(set(EXAMPLES)) == len(EXAMPLES)


@each
def test_copies_and_pickles_are_equal_before_and_after_use(law: AnyVectorLaw) -> None:
    law = rebuilt(law)
    assert pickle.loads(pickle.dumps(law)) == copy.deepcopy(law) == law
    law.sample(3)
    used = pickle.loads(pickle.dumps(law))
    assert used == copy.copy(law) == copy.deepcopy(law) == law
    assert used.sample(3).shape == (3, law.dimension)
