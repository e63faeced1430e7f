"""Sound noise on numbers that are published again and again, sold as if one step were all, or as if
people came once, or as if nobody had seen what was drawn before.
"""

from collections.abc import Sequence
from functools import reduce

from leastnoise.noise import DiscreteLaplace
from leastnoise.privacy.loss import PrivacyLoss
from tests.museum.evidence import Measured, Priced
from tests.museum.exhibit import exhibit

LEVELS = 4
"""Of a binary tree over eight days."""


def moved_nodes(days: Sequence[int]) -> list[int]:
    """How far somebody who comes on these days, counted from 0, moves each node of the tree."""
    found = []
    for level in range(LEVELS):
        blocks = [day >> level for day in days]
        found += [blocks.count(block) for block in sorted(set(blocks))]
    return found


@exhibit(Priced(epsilon=1))
def tree_with_understated_participation() -> PrivacyLoss:
    """A binary tree over eight days, with noise for somebody who is in one node of each of its four
    levels. People come on three days in a row: they move seven nodes, by 12 in all.

    Shown by: ChanShiSong2011, ChoquetteChooEtAl2023.
    """
    law = DiscreteLaplace(scale=LEVELS)
    losses = [law.privacy(distance=moved) for moved in moved_nodes([0, 1, 2])]
    return reduce(PrivacyLoss.compose, losses)


@exhibit(Priced(epsilon=1))
def step_redrawn_after_a_restart() -> PrivacyLoss:
    """The number of a day is drawn, shown, and then stored. The process is killed in between; after
    the restart the day is open, and is drawn and shown once more with other noise.

    Shown by: DworkEtAl2010, DenisovEtAl2022.
    """
    return DiscreteLaplace(scale=1).privacy(distance=1).self_compose(2)


Days = Sequence[tuple[str, int]]
"""Who came, and on which day."""
KEPT_DAYS = 2
REGULAR: Days = [("ann", day) for day in range(12)] + [("bob", 3)]


@exhibit(Measured(neighbours=(REGULAR, [("bob", 3)])))
def first_day_of_everybody_with_erased_rows(visits: Days) -> float:
    """Everybody counts on the first day on which they have a row, as the table is on that evening;
    and rows older than two days are erased. Who comes every day is new again every third day.

    Shown by: DworkEtAl2010.
    """
    counted: list[tuple[str, int]] = []
    for today in range(12):
        there = [visit for visit in visits if today - KEPT_DAYS <= visit[1] <= today]
        # Counted rows are not remembered, only looked for.
        seen = {who for who, day in there if day < today and (who, day) in counted}
        counted += [visit for visit in there if visit[1] == today and visit[0] not in seen]
    return len(counted)


@exhibit(Priced(epsilon=1))
def least_squares_that_revise_the_past() -> PrivacyLoss:
    """Every evening of a week all totals so far are measured anew and made consistent by least
    squares, at the price of one look: a day's number is revised six times, with fresh noise.

    Shown by: ChanShiSong2011, DenisovEtAl2022.
    """
    return DiscreteLaplace(scale=1).privacy(distance=1).self_compose(7)
