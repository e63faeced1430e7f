"""Plans under hostile eyes: what may be passed in, what may be replaced, what may never crash."""

import pandas as pd
import pytest

from leastnoise.engine.neighbours import Neighbours
from leastnoise.engine.read import read
from leastnoise.errors import InvalidParameter

ROWS = pd.DataFrame(
    {
        "who": [1, 1, 2, 3, 3, 3],
        "city": ["Oslo", "Bergen", "Oslo", "Oslo", "Oslo", None],
        "age": [10, 20, 30, 40, 50, 60],
        "smoker": [True, False, True, True, False, False],
    }
)


@pytest.mark.parametrize(
    ("name", "meant"), [("add_remove", Neighbours.ADD_REMOVE), ("replace", Neighbours.REPLACE)]
)
def test_neighbours_may_be_named(name: str, meant: Neighbours) -> None:
    assert read(ROWS, unit="who", neighbours=name).neighbours is meant


@pytest.mark.parametrize("name", ["Replace", "replace-one", "", None, 1])
def test_neighbours_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(InvalidParameter, match="add_remove"):
        read(ROWS, unit="who", neighbours=name)
