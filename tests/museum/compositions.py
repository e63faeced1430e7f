"""Several releases sold at the price of one."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.privacy.loss import PrivacyLoss
from tests.museum.evidence import Enumerated, Priced, Sampled, generator
from tests.museum.exhibit import exhibit


@exhibit(Priced(epsilon=1))
def two_answers_at_the_price_of_one() -> PrivacyLoss:
    """The same count asked twice, each time for ε = 1, booked once.

    Shown by: DworkRoth2014.
    """
    return PrivacyLoss.laplace(epsilon=1).self_compose(2)


@exhibit(Priced(epsilon="1.1"))
def ten_responses_counted_once() -> PrivacyLoss:
    """An accountant that ignores how often a randomized response (truth with probability 3/4) was
    repeated: ten of them at the ε of one, log 3.

    Shown by: DpAccountingRepeats2026.
    """
    weights = {0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
    return PrivacyLoss.of_laws(*weights).self_compose(10)


@exhibit(Priced(epsilon=2, delta="1e-6"))
def deltas_forgotten_in_the_sum() -> PrivacyLoss:
    """Four releases of (½, 10^-6) booked as (2, 10^-6): the δ add up as well.

    Shown by: KairouzOhViswanath2017.
    """
    return PrivacyLoss.worst_case(epsilon="1/2", delta="1e-6").self_compose(4)


@exhibit(Priced(epsilon=1))
def groups_that_overlap() -> PrivacyLoss:
    """Counts by age and counts by town, each for ε = 1, booked as disjoint: everybody is in both.

    Shown by: McSherry2009.
    """
    return PrivacyLoss.laplace(epsilon=1).compose(PrivacyLoss.laplace(epsilon=1))


@exhibit(Priced(epsilon=1))
def group_of_two_at_the_price_of_one() -> PrivacyLoss:
    """A household of two protected with the noise for one person.

    Shown by: DworkRoth2014.
    """
    return PrivacyLoss.laplace(epsilon=1).for_group(2)


@exhibit(Sampled(neighbours=((5, 5), (5, 6)), epsilon=2, samples=1000))
def one_noise_for_two_answers(values: tuple[int, int], *, size: int) -> NDArray[np.float64]:
    """The same noise on two numbers: their difference is exact.

    Shown by: GarfinkelLeclerc2020.
    """
    noise = generator().laplace(size=size)
    return np.rint((values[0] + noise) - (values[1] + noise))


@exhibit(Enumerated(neighbours=(0, 1), epsilon="0.19"))
def sampling_that_everybody_can_see(value: int) -> dict[tuple[bool, int], Fraction]:
    """A tenth of the people is asked, and log(1 + (e^ε − 1)/10) is booked instead of ε = log 3; but
    who was asked is published, and to them sampling hid nothing.

    Shown by: KasiviswanathanLeeNissimRaskhodnikovaSmith2011.
    """
    keep = Fraction(3, 4)
    answers = {told: keep if told == value else 1 - keep for told in (0, 1)}
    asked = {(True, told): chance / 10 for told, chance in answers.items()}
    return {(False, 0): Fraction(9, 10), **asked}
