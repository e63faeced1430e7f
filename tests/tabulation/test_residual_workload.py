"""Which marginals of which attributes: what is accepted, and what is made of it."""

from fractions import Fraction
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload

ATTRIBUTES = {"sex": 2, "age": 10, "region": 5}


def test_what_a_workload_needs() -> None:
    workload = ResidualWorkload(ATTRIBUTES, [("age", "sex"), "region", ("sex",), ()])
    assert workload.sets == ((0, 1), (2,), (0,), ())
    assert workload.residuals == ((), (0,), (1,), (2,), (0, 1))
    assert workload.needed == (("sex", "age"), ("region",))
    assert workload.cells((0, 1)) == 20
    assert workload.measured_numbers((0, 1)) == 10
    assert workload.weights == (Fraction(1),) * 4


def test_the_number_of_people_alone() -> None:
    workload = ResidualWorkload(ATTRIBUTES, [()])
    assert workload.residuals == ((),)
    assert workload.needed == ((),)


def test_weights() -> None:
    workload = ResidualWorkload(ATTRIBUTES, {"age": "0.5", ("sex", "age"): 3})
    assert workload.weights == (Fraction(1, 2), Fraction(3))


def test_a_list_serves_as_a_marginal() -> None:
    marginals: Any = [["sex", "age"]]
    assert ResidualWorkload(ATTRIBUTES, marginals).sets == ((0, 1),)


def test_repr_makes_it_again() -> None:
    workload = ResidualWorkload(ATTRIBUTES, {"age": "1/3", ("sex", "age"): 3})
    assert eval(repr(workload)) == workload


@pytest.mark.parametrize(
    ("attributes", "marginals", "hint"),
    [
        ({"sex": 1}, ["sex"], "at least 2 values"),
        ({"sex": 0}, ["sex"], "at least 2 values"),
        ({"sex": -3}, ["sex"], "at least 2 values"),
        ({"sex": 2.0}, ["sex"], "integer"),
        ({"sex": True}, ["sex"], "integer"),
        ({3: 2}, [], "names"),
        ([("sex", 2)], ["sex"], "names"),
        ({}, [()], "at least one"),
        (ATTRIBUTES, [], "at least one marginal"),
        (ATTRIBUTES, {}, "at least one marginal"),
        (ATTRIBUTES, "sex", "at least one marginal"),
        (ATTRIBUTES, 7, "at least one marginal"),
        (ATTRIBUTES, [7], "tuple of attribute names"),
        (ATTRIBUTES, [("sex", 7)], "tuple of attribute names"),
        (ATTRIBUTES, ["height"], "'height'"),
        (ATTRIBUTES, [("sex", "sex")], "once"),
        (ATTRIBUTES, [("sex", "age"), ("age", "sex")], "twice"),
        (ATTRIBUTES, {"sex": 0}, "weight of"),
        (ATTRIBUTES, {"sex": float("nan")}, "weight of"),
        (ATTRIBUTES, {"sex": -1}, "weight of"),
        ({"a": 2**15, "b": 2**15}, [("a", "b")], "cells"),
        ({f"a{i}": 2 for i in range(22)}, [tuple(f"a{i}" for i in range(22))], "subsets"),
    ],
)
def test_bad_workloads_are_refused(attributes: Any, marginals: Any, hint: str) -> None:
    with pytest.raises(InvalidParameter, match=hint):
        ResidualWorkload(attributes, marginals)


def test_only_parts_of_what_was_asked_for_are_measured() -> None:
    workload = ResidualWorkload(ATTRIBUTES, [("age", "sex"), "region"])
    assert workload.measured(("age", "sex")) == (0, 1)
    assert workload.measured(()) == ()
    with pytest.raises(InvalidParameter, match="part of one"):
        workload.measured(("age", "region"))
