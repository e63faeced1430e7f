"""Noise of the wrong law or the wrong size."""

import math
from fractions import Fraction

from leastnoise.noise import DiscreteLaplace, TableLaw, Uniform
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.privacy.loss import PrivacyLoss
from tests.museum.evidence import Enumerated, Priced, Sampled, Verified
from tests.museum.exhibit import exhibit

LOG_TWO = "0.7"  # a little above log 2: weights that halve promise this ε


def halving(radius: int) -> dict[int, Fraction]:
    """Weights 2^−|k|, cut off."""
    return {k: Fraction(1, 2 ** abs(k)) for k in range(-radius, radius + 1)}


@exhibit(Verified(epsilon=1))
def noise_a_tenth_too_small() -> LatticeLaw:
    """Laplace noise of scale 0.9·Δ/ε.

    Shown by: DingEtAl2018.
    """
    return DiscreteLaplace(scale="0.9")


@exhibit(Sampled(neighbours=(0, 10), epsilon=1, samples=1_000_000))
def noise_a_tenth_too_small_in_a_black_box(value: int, *, size: int) -> Draws:
    """The same, when only the releases are seen; Δ is 10.

    Shown by: DingEtAl2018.
    """
    return value + DiscreteLaplace(scale=9).sample(size)


@exhibit(Verified(epsilon=LOG_TWO))
def cut_off_noise_called_pure() -> LatticeLaw:
    """Laplace noise cut off at ±20 and sold with δ = 0: at the edge a release has one origin only.

    Shown by: GengDingGuoKumar2020.
    """
    return TableLaw(halving(20))


@exhibit(Verified(epsilon=5, delta="1e-3"))
def bounded_noise_of_tables() -> LatticeLaw:
    """Even noise between −2 and 2, as some statistical offices add to cells.

    Shown by: AsgharKaafar2020.
    """
    return Uniform(sensitivity=1, delta="1/5")


@exhibit(Enumerated(neighbours=(0, 1), epsilon=LOG_TWO))
def drawn_again_until_it_looks_right(value: int) -> dict[int, Fraction]:
    """Noise is drawn again until the release is not negative: the chance of that depends on the
    true value, and so does every probability after it.

    Shown by: HolohanAntonatosBraghinMacAonghusa2020.
    """
    allowed = {value + k: weight for k, weight in halving(60).items() if 0 <= value + k <= 50}
    total = sum(allowed.values())
    return {k: weight / total for k, weight in allowed.items()}


@exhibit(Priced(epsilon=10, delta="1e-5"))
def classical_gaussian_at_ten() -> PrivacyLoss:
    """σ = Δ·√(2·ln(1.25/δ))/ε is proved for ε < 1 and was used at ε = 10.

    Shown by: BalleWang2018, SmartnoiseGaussian2022.
    """
    return PrivacyLoss.gaussian(mu=10 / math.sqrt(2 * math.log(1.25e5)))


@exhibit(Priced(epsilon=1, delta="1e-6"))
def sigma_for_each_of_many() -> PrivacyLoss:
    """Each of 16 numbers gets the σ of one, though a person moves them all.

    Shown by: DworkRoth2014.
    """
    one = PrivacyLoss.gaussian(mu=1 / 5)  # σ = 5 would do for one number
    return one.self_compose(16)


@exhibit(Sampled(neighbours=(0, 1), epsilon="1/2", samples=20_000))
def scale_read_as_rate(value: int, *, size: int) -> Draws:
    """The scale Δ/ε = 2 was passed to a function that takes a rate: the noise has scale ½.

    Shown by: DingEtAl2018.
    """
    return value + DiscreteLaplace(scale="1/2").sample(size)


@exhibit(Enumerated(neighbours=("sick", "well"), epsilon=1))
def name_and_shame(diagnosis: str) -> dict[str, Fraction]:
    """Publishes one record in a hundred in full and calls that a small ε: no ε covers it.

    Shown by: DworkRoth2014.
    """
    return {"nothing": Fraction(99, 100), diagnosis: Fraction(1, 100)}


@exhibit(Enumerated(neighbours=((0, 0), (0, 1)), epsilon=1))
def flips_that_miss_the_last_bit(bits: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """Randomized response that draws one flip too few: the last bit is told as it is.

    Shown by: OpenDpBitVector2026.
    """
    keep = Fraction(19, 26)  # 19/7 < e
    law: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for bit in bits[:-1]:
        law = {
            (*told, shown): chance * (keep if shown == bit else 1 - keep)
            for told, chance in law.items()
            for shown in (0, 1)
        }
    return {(*told, bits[-1]): chance for told, chance in law.items()}


@exhibit(Enumerated(neighbours=((1,), (1, 0)), epsilon=1))
def answers_as_long_as_the_data(bits: tuple[int, ...]) -> dict[int, Fraction]:
    """Randomized response on a list whose length is not public: the length comes out exactly.

    Shown by: OpenDpBitVectorLength2026.
    """
    return {len(bits): Fraction(1)}


@exhibit(Priced(epsilon=1))
def noise_in_proportion_to_the_value() -> PrivacyLoss:
    """Laplace noise with a scale of a tenth of the total itself, where one person adds up to 10:
    here 100 beside 110, and the width of the noise tells which.

    Shown by: NissimRaskhodnikovaSmith2007.
    """
    one, other = DiscreteLaplace(scale=10), DiscreteLaplace(scale=11)
    window = range(-400, 401)
    return PrivacyLoss.of_laws(
        {k: one.pmf(k).lower for k in window}, {k: other.pmf(k - 10).lower for k in window}
    )
