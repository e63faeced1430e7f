"""A refusal shows the public value that was found, and never one that is secret."""

import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.attacks import trace
from leastnoise.auditing import audit
from leastnoise.auditing.command import Command
from leastnoise.errors import InvalidParameter
from leastnoise.groupwise import relative_counts
from leastnoise.numeric.cost import OwnCost
from leastnoise.planning import sample_size
from leastnoise.tabulation.bit_table import bit_table
from leastnoise.tabulation.neighbours import checked_neighbours
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.target import checked_target

BITS = np.zeros((3, 2), dtype=np.int64)


def falling(error: Fraction) -> Fraction:
    return -min(error, Fraction(3)) + 5


@pytest.mark.parametrize(
    ("call", "finding"),
    [
        (lambda: ln.optimal(sensitivity=2**50, epsilon=1), "1.126e+15 steps"),
        (
            lambda: ln.optimal(sensitivity=1, epsilon=1, cost=OwnCost(falling)),
            "at 1 below that at 0",
        ),
        (
            lambda: ln.optimal(sensitivity=1, epsilon=1, dimension=2, cost=OwnCost(falling)),
            "at 1 below that at 0",
        ),
        (lambda: ln.optimal(sensitivity=1, epsilon=5000, dimension=2), "got epsilon=5000"),
        (lambda: bit_table([1, 0], signs=False), "got 1 dimensions"),
        (lambda: checked_neighbours("replace", None), "got records=None"),
        (lambda: ResidualWorkload({"sex": 2}, []), "got an empty list"),
        (
            lambda: checked_target(epsilon=None, delta="0.1", guarantee=ln.ZCDP(rho=1)),
            "delta='0.1'",
        ),
        (lambda: relative_counts(relative_error="0.1").release({"a": 1}, zeros=["b"]), "got 'b'"),
        (
            lambda: sample_size(
                dimension=2, error="0.1", epsilon=1, objective="average", confidence="0.9"
            ),
            "confidence=0.9",
        ),
        (lambda: trace([0.5], BITS, [0.5], false_accusation="0.1"), "got 2 columns"),
        (
            lambda: trace([0.5] * 2, BITS, [0.5] * 2, false_accusation="0.1", values=(1, 0)),
            "got (1, 0)",
        ),
        (
            lambda: audit(lambda x: x, neighbours=(0, 1), delta=0),  # type: ignore[call-overload]
            "got epsilon=None",
        ),
        (lambda: Command("say 'so"), 'unbalanced quotes in "say \'so"'),
        (lambda: Command([]), "got []"),
    ],
)
def test_findings_are_shown(call: Callable[[], object], finding: str) -> None:
    with pytest.raises(InvalidParameter, match=re.escape(finding)):
        call()


def test_a_number_of_rows_that_is_secret_is_not_shown() -> None:
    with pytest.raises(InvalidParameter, match="not shown") as caught:
        checked_neighbours("add_remove", 12345)
    assert "12345" not in str(caught.value)
