"""The groups of a period."""

import pytest

from leastnoise.numbers.errors import LeastNoiseError
from leastnoise.release.measurement import Limit, Part
from leastnoise.release.periods import of_periods
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups
from leastnoise.tables.schema import Type
from tests.release.test_measurement import measured


def test_groups_of_periods_stand_in_the_order_that_is_asked_for() -> None:
    keys = (("a", 1), ("b", 1), ("a", 2), ("c", 1), ("b", 2))
    by = (Column("g", Type.TEXT), Column("n", Type.INTEGER))
    part = Part(measured(Limit(1), Groups(by, keys)), (1, 1, 1))
    kept = of_periods(part, ["b", "a"]).measurement.groups
    assert kept == Groups(by, (("b", 1), ("b", 2), ("a", 1), ("a", 2)))
    for periods in (["d"], ["a", "d"], ["d", "a"]):
        with pytest.raises(LeastNoiseError, match="no such period"):
            of_periods(part, periods)
