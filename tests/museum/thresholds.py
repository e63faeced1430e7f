"""Groups that are published because enough people seem to be in them: how rare is the accident?"""

from fractions import Fraction

import numpy as np
from scipy.special import ndtr

from tests.museum.evidence import Enumerated
from tests.museum.exhibit import exhibit

Groups = dict[str, int]


def halving_tail(least: int) -> Fraction:
    """P(X ≥ least) for P(X = k) ∝ 2^−|k| and least ≥ 1."""
    return Fraction(2, 3 * 2**least)


def listed(chances: dict[str, Fraction]) -> dict[tuple[str, ...], Fraction]:
    """The law of the list of published groups."""
    law: dict[tuple[str, ...], Fraction] = {(): Fraction(1)}
    for name, chance in chances.items():
        law = {
            (*names, *more): before * now
            for names, before in law.items()
            for more, now in (((name,), chance), ((), 1 - chance))
        }
    return law


@exhibit(Enumerated(neighbours=({}, {"rare": 1}), epsilon="0.7", delta=halving_tail(10)))
def threshold_that_forgets_equality(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """Groups whose noisy count equals the threshold are published, and δ was computed for those
    beyond it: twice too little here.

    Shown by: OpenDpThreshold2026.
    """
    return listed({name: halving_tail(10 - count) for name, count in groups.items()})


@exhibit(Enumerated(neighbours=({}, {"rare": 3}), epsilon="0.7", delta=halving_tail(9)))
def threshold_on_rows(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """The threshold is set for one row per person and compared with a count of rows.

    Shown by: WilsonEtAl2020.
    """
    return listed({name: halving_tail(10 - count) for name, count in groups.items()})


@exhibit(
    Enumerated(neighbours=({}, dict.fromkeys("abcde", 1)), epsilon="3.5", delta=halving_tail(9))
)
def threshold_for_one_group_each(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """δ is that of one new group, and a person may be alone in five of them.

    Shown by: KorolovaKenthapadiMishraNtoulas2009, WilsonEtAl2020.
    """
    return listed({name: halving_tail(10 - count) for name, count in groups.items()})


SIGMA, LAPLACE_THRESHOLD = 4.0, 1 + np.log(1 / (2 * 1e-6)) * 1.0


@exhibit(Enumerated(neighbours=({}, {"rare": 1}), epsilon=1, delta="1e-6"))
def threshold_from_another_noise(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """The threshold 1 + ln(1/2δ)/ε is right for Laplace noise, and the noise is normal.

    Shown by: SmartnoiseThreshold2020.
    """
    chance = {n: Fraction(float(ndtr((c - LAPLACE_THRESHOLD) / SIGMA))) for n, c in groups.items()}
    return listed(chance)


@exhibit(Enumerated(neighbours=({"rare": 1}, {}), epsilon=1, delta="1e-6"))
def groups_of_at_least_one(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """Noise first, then every group above 0 is published: two thirds of the lonely ones do.

    Shown by: KorolovaKenthapadiMishraNtoulas2009.
    """
    at_least_0 = 1 - halving_tail(1)
    return listed(dict.fromkeys(groups, at_least_0))
