"""Queries that one person moves by more than was claimed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise.noise import DiscreteLaplace
from leastnoise.noise.shapes.shape import Draws
from tests.museum.evidence import Enumerated, Measured, Sampled
from tests.museum.exhibit import exhibit

Record = tuple[str, int]
AGE_NOISE = DiscreteLaplace(scale=120)


@exhibit(Measured(neighbours=([100, None, None, None], [0, None, None, None]), sensitivity=100))
def missing_values_replaced_by_the_mean(values: list[int | None]) -> float:
    """NULLs filled with the mean of the others: one value moves every filled one, too.

    Shown by: McSherry2009.
    """
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known)
    return sum(mean if value is None else value for value in values)


@exhibit(Measured(neighbours=([("ann", 1)] * 5 + [("bob", 1)], [("bob", 1)])))
def rows_counted_as_people(rows: Sequence[Record]) -> float:
    """COUNT(*) with noise for one row, where a person has many.

    Shown by: WilsonEtAl2020.
    """
    return len(rows)


@exhibit(Measured(neighbours=(["ann", "bob"], ["bob"])))
def rows_after_a_join(people: Sequence[str]) -> float:
    """Counting after a join with noise for one row: a person comes out as often as they have visits
    in the other table.

    Shown by: JohnsonNearSong2018.
    """
    visits = ["ann"] * 7 + ["bob"] * 2
    return sum(person == visitor for person in people for visitor in visits)


@exhibit(Measured(neighbours=([70, 90], [70]), sensitivity=50))
def replacement_noise_for_removal(values: list[int]) -> float:
    """Values in 50..100: replacing one moves the sum by 50, removing one by 100. The noise was made
    for the first and the promise is about the second.

    Shown by: KiferMachanavajjhala2011.
    """
    return sum(min(max(value, 50), 100) for value in values)


@exhibit(Measured(neighbours=([0, 0, 1], [0, 1, 1])))
def median_as_smooth_as_a_mean(values: list[int]) -> float:
    """The median with noise (upper − lower)/n, as if it were a mean; in units of 1/n here.

    Shown by: NissimRaskhodnikovaSmith2007.
    """
    return float(np.median(values)) * len(values)


@exhibit(Sampled(neighbours=([0], [0, 0]), samples=20_000))
def mean_with_the_true_count(values: list[int], *, size: int) -> Draws:
    """Noise of scale (upper − lower)/n with the true n: the noise itself tells n, and removing a
    person changes it. Values lie in 0..1000.

    Shown by: KuleszaSureshWang2024.
    """
    mean = sum(values) // len(values)
    return mean + DiscreteLaplace(scale=Fraction(1000, len(values))).sample(size)


@exhibit(Sampled(neighbours=([3, 3], [3, 8]), samples=1000))
def bounds_taken_from_the_data(values: list[int], *, size: int) -> Draws:
    """Noise of scale max − min of the data itself: none at all if all values are equal.

    Shown by: DiffprivlibBounds2020, DpsynthBounds2026.
    """
    width = max(values) - min(values)
    noise = DiscreteLaplace(scale=width).sample(size) if width else np.zeros(size, dtype=np.int64)
    return sum(values) + noise


@exhibit(Enumerated(neighbours=({"flu": 1}, {"flu": 1, "rare disease": 1})))
def histogram_of_the_groups_there_are(groups: dict[str, int]) -> dict[tuple[str, ...], Fraction]:
    """Noise on every count, but only groups with somebody in them are listed: the list is exact.

    Shown by: KorolovaKenthapadiMishraNtoulas2009.
    """
    return {tuple(groups): Fraction(1)}


@exhibit(Enumerated(neighbours=(9, 10)))
def small_counts_hidden(count: int) -> dict[str, Fraction]:
    """Counts below 10 are withheld, judged by the true count; the others get noise.

    Shown by: AsgharKaafar2020.
    """
    return {"withheld" if count < 10 else "a number": Fraction(1)}


@exhibit(Sampled(neighbours=([40, 41], [40, 400]), samples=1000, vectorised=False))
def error_that_tells(ages: list[int]) -> Any:
    """Values out of range raise an error, and an error is an output like any other; this one even
    quotes the value.

    Shown by: HaeberlenPierceNarayan2011, TumultOutOfDomain2025.
    """
    for age in ages:
        if age > 120:
            raise ValueError(f"no such age: {age}")
    return sum(ages) + AGE_NOISE.sample(())
