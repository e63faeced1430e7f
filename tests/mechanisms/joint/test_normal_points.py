"""Points that stand for normal noise are those that lines between knots give."""

import numpy as np

from leastnoise.mechanisms.joint.normal_points import _CHANCES, _KNOTS, normal
from leastnoise.release.spread.simultaneous import uniform


def test_the_table_finds_what_halving_finds() -> None:
    near = np.concatenate([_CHANCES, np.nextafter(_CHANCES, 0), np.nextafter(_CHANCES, 1)])
    edges = np.arange(8193) / 8192
    ends = np.array([0.0, 5e-324, 1e-300, 2.0**-54, 1 - 2.0**-53, 1.0])
    beside = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
    for chances in (uniform(0), uniform(21), near, beside, ends):
        inside = np.clip(chances, 0, 1)
        expected = np.interp(inside, _CHANCES, _KNOTS)
        assert np.allclose(normal(iter([inside])), expected, rtol=1e-13, atol=1e-13)
