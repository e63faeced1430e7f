"""Choosing groups at promises so small that floats do not hold them: an answer or a refusal."""

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import ZCDP, ApproxDP

TINY = ["1e-16", "1e-17", "1e-20", "1e-100", "1e-308", "1e-320", "1e-400"]


@pytest.mark.parametrize("epsilon", TINY)
@pytest.mark.parametrize("groups", [1, 3])
def test_hardly_any_epsilon_means_delta_per_unit(epsilon: str, groups: int) -> None:
    choice = PartitionSelection(ApproxDP(epsilon=epsilon, delta="0.01"), max_groups=groups)
    none = PartitionSelection(ApproxDP(epsilon=0, delta="0.01"), max_groups=groups)
    assert abs(choice.likely_kept("0.5") - none.likely_kept("0.5")) <= groups


def test_the_smallest_of_other_peoples_tests() -> None:
    # Google's differential privacy libraries ask for ε = 1e-20; without ε, unit n adds δ.
    choice = PartitionSelection(ApproxDP(epsilon="1e-20", delta="0.01"))
    assert [float(choice.keep_probability(n)) for n in (1, 50, 100)] == pytest.approx(
        [0.01, 0.5, 1]
    )


@pytest.mark.spread(7)
@pytest.mark.parametrize("size", TINY)
@pytest.mark.parametrize("groups", [1, 3])
def test_what_would_never_show_a_group_is_refused(size: str, groups: int) -> None:
    for promise in (ApproxDP(epsilon=size, delta=size), ZCDP(rho=size, delta="1e-6")):
        with pytest.raises(UnsupportedQuery, match="even chance"):
            _ = PartitionSelection(promise, max_groups=groups).step


@pytest.mark.parametrize("delta", ["1e-100", "1e-320", "1e-400"])
def test_a_tiny_delta_beside_a_plain_epsilon(delta: str) -> None:
    choice = PartitionSelection(ApproxDP(epsilon=1, delta=delta))
    exponent = int(delta.removeprefix("1e-"))
    assert choice.likely_kept("0.5") == pytest.approx(exponent * 2.302585, abs=3)
