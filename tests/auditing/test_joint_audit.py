"""Does an audit of joint noise find noise that is too narrow, and no other?"""

from typing import Any

import pytest

from leastnoise.auditing import audit
from leastnoise.auditing.joint_audit import audit_joint
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms import Box, Diamond, Everyone, OneCounterNoise, Simplex, TwoCounterNoise


@pytest.mark.parametrize(
    ("noise", "units"),
    [
        (TwoCounterNoise(1, [Box(0, 99)]), [Box(0, 100)]),
        (TwoCounterNoise(1, [Box(0, 100, start=200)]), [Box(-1, 100)]),
        (TwoCounterNoise(1, [Box(5, 5)]), [Box(4, 5)]),
        (TwoCounterNoise(1, [Simplex(2, 99), Everyone()]), [Simplex(2, 100), Everyone()]),
        (TwoCounterNoise(1, [Simplex(2, 9), Box(0, 1)]), [Box(0, 9, cells=2), Box(0, 1)]),
        (OneCounterNoise(1, [Box(-99, 99)]), [Box(-100, 100)]),
        (OneCounterNoise(1, [Diamond(2, 99)]), [Diamond(2, 100)]),
        (OneCounterNoise(1, [Simplex(2, 99)]), [Simplex(2, 100)]),
        (OneCounterNoise(1, [Diamond(2, 9)]), [Simplex(2, 9)]),  # differences reach 18
    ],
    ids=str,
)
def test_a_wider_reach_is_refuted(noise: Any, units: Any) -> None:
    found = audit(noise)
    assert found.proved
    assert found.attained.lower == 1  # and not a hair less
    assert audit_joint(noise, units).violated


def test_what_is_too_large_to_go_through() -> None:
    with pytest.raises(UnsupportedQuery, match="at most 4 numbers"):
        audit(TwoCounterNoise(1, [Box(0, 1, cells=5)]))
