"""Tests that changes of the trusted code asked for: they had survived all others."""

import numpy as np
import pytest

from leastnoise.certificates.over_time import stream_error
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.pattern_bound import patterns
from leastnoise.certificates.over_time.stream_error import total_errors


def test_units_come_as_soon_and_often_as_they_may() -> None:
    found = patterns(6, Participation(most=2, apart=3))
    assert [list(each) for each in found] == [[0, 3], [1, 4], [2, 5], [3], [4], [5]]


def test_what_an_inverse_is_off_by_makes_errors_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    one = np.array([[1 << 24, 0], [0, 1 << 24]])
    monkeypatch.setattr(stream_error, "product_error", lambda *_: 1 / 8)
    # ‖E‖ ≤ 1/4, so that the totals 1 and √2 may be larger by the factor 4/3.
    assert total_errors(one) == pytest.approx([4 / 3, 4 / 3 * 2**0.5], rel=1e-9)
