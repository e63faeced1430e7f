"""The least noise for a count: chosen, proved, drawn, and shown to be the least there is."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import ceil, floor

from leastnoise import Interval, theory
from leastnoise.accounting import discrete_gaussian_variance
from leastnoise.noise import Canonical, DiscreteGaussian, DiscreteLaplace, LatticeLaw
from leastnoise.numeric.ball import ball, enclosure

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)
TRUE_COUNT = 1234


def main() -> None:
    """Walk through one release of a count."""
    law = Canonical(epsilon=EPSILON, delta=DELTA)
    say("The task", "Publish how many people are in a table, such that nobody can tell whether")
    print("any one person is: (ε, δ)-differential privacy with ε = 1, δ = 0.000001.")
    print(f"The noise: {law}")

    say("1. Privacy, proved", str(law.verify(sensitivity=1, epsilon=EPSILON, delta=DELTA)))
    print("One part in a million million less δ, and the proof fails, as it must:")
    print(law.verify(sensitivity=1, epsilon=EPSILON, delta=DELTA * (1 - Fraction(1, 10**12))))

    say("2. Exact draws", f"true count {TRUE_COUNT}; ten independent releases of it would read")
    print(" ".join(str(TRUE_COUNT + noise) for noise in law.sample(10)))

    say("3. The law", "")
    print(*picture(law), sep="\n")

    say("4. Beside the usual choices", "all three give the same guarantee")
    print(*comparison(law), sep="\n")

    say("5. Why no integer noise can do better", "")
    print(*certificate(law), sep="\n")

    say("6. A hundred counts", "if each is 0.1-DP alone, all together cost this ε, at the same δ:")
    print(*together(), sep="\n")


def say(title: str, text: str) -> None:
    """A heading and the first line below it."""
    print(f"\n{title}\n{'-' * len(title)}" + (f"\n{text}" if text else ""))


def picture(law: LatticeLaw, reach: int = 5) -> Iterator[str]:
    """The probabilities around 0 as bars."""
    for k in range(-reach, reach + 1):
        chance = float(law.pmf(k))
        yield f"{k:+3d}  {chance:8.5f}  {'█' * round(60 * chance)}"


def comparison(law: LatticeLaw) -> Iterator[str]:
    """Errors of three laws with the same guarantee."""
    least_variance = discrete_gaussian_variance(epsilon=EPSILON, delta=DELTA, sensitivity=1)
    rivals = {
        "Canonical": law,
        "DiscreteLaplace": DiscreteLaplace(scale=1 / EPSILON),
        "DiscreteGaussian": DiscreteGaussian(variance=least_variance.upper),
    }
    yield f"{'':18}{'expected |error|':>18}{'variance':>12}{'95 % within ±':>16}"
    for name, rival in rivals.items():
        assert rival.verify(sensitivity=1, epsilon=EPSILON, delta=DELTA)
        error, variance = float(rival.moment(1)), float(rival.variance)
        yield f"{name:18}{error:18.6f}{variance:12.6f}{rival.quantile('0.95'):16d}"


def certificate(law: LatticeLaw) -> Iterator[str]:
    """Any private noise leaves its centre at least so often; this law leaves it no more often."""
    yield "Let U(k) = P(|X| ≥ k) for any integer noise X with this guarantee. Counts differ by 1,"
    yield "so P(X ≥ k) ≤ e^ε·P(X ≥ k+1) + δ, and the same for −X. Adding the two inequalities:"
    yield "    U(1) ≥ 2(1 − δ)/(1 + e^ε)     and     U(k+1) ≥ max(0, e^−ε·(U(k) − 2δ)).  (*)"
    yield "This law meets (*) with equality at every k, checked in rigorous interval arithmetic:"
    yield f"{'k':>4}{'least possible U(k)':>24}{'U(k) of this law':>24}"
    assert law.support is not None
    bounds = list(islice(least_outside(), law.support[1] + 1))
    for k, least in enumerate(bounds, start=1):
        own = Interval(2 * law.tail(k).lower, 2 * law.tail(k).upper)
        assert_equal_to_20_digits(own, least)
        if k <= 3 or k >= law.support[1]:
            yield f"{k:4d}{float(least):24.15e}{float(own):24.15e}"
        elif k == 4:
            yield "   …"
    # E|X| = U(1) + U(2) + …, and nothing is left of U after the support.
    bound = sum(bounds, start=Interval.exactly(0))
    assert_equal_to_20_digits(law.moment(1), bound)
    yield f"Expected |error| of any such noise: at least {float(bound):.15f}"
    yield f"Expected |error| of this law:                {float(law.moment(1)):.15f}"
    yield "As (*) holds for every k at once, the same is true of the variance, of every quantile"
    yield "and of every other cost that grows with |error|: this is the least noise there is."


def together(count: int = 100) -> Iterator[str]:
    """What theorems say of many releases, and what this noise really costs."""
    each = 1 / Fraction(10)
    theorems = theory.compose(epsilon=each, delta=0, count=count, target_delta=DELTA)
    for row in theorems.rows:
        yield f"{rounded_up(row.epsilon.upper):10}   {row.name} composition, for any mechanism"
    loss = DiscreteLaplace(scale=1 / each).privacy(distance=1).self_compose(count)
    cost = loss.epsilon(delta=DELTA)
    assert cost.lower <= theorems.rows[-1].epsilon.upper
    yield f"{rounded_up(cost.upper):10}   discrete Laplace noise of scale 10, by its own loss"
    missed = floor(1000 * loss.tradeoff(false_alarm="0.05").lower) / 10
    yield "An attacker who sees all hundred, and accepts 5 % false alarms, overlooks at least"
    yield f"{missed:.1f} % of the people who are in the table."


def rounded_up(price: Fraction | float) -> float:
    """A price with four decimals that is still enough."""
    return ceil(price * 10**4) / 10**4


def least_outside() -> Iterator[Interval]:
    """The least P(|X| ≥ k), k = 1, 2, …, that (*) allows, as brackets."""
    (low_e, high_e), (low_inverse, high_inverse) = power_of_e(EPSILON), power_of_e(-EPSILON)
    low, high = 2 * (1 - DELTA) / (1 + high_e), 2 * (1 - DELTA) / (1 + low_e)
    while True:
        yield Interval(low, high)
        low = max(Fraction(0), low - 2 * DELTA) * low_inverse
        high = max(Fraction(0), high - 2 * DELTA) * high_inverse


def power_of_e(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """A rational below e**exponent and one above it."""
    bracket = enclosure(lambda: ball(exponent).exp())
    return Fraction(bracket.lower), Fraction(bracket.upper)


def assert_equal_to_20_digits(a: Interval, b: Interval) -> None:
    """Two brackets overlap and are so narrow that the numbers inside agree to 20 digits."""
    assert a.lower <= b.upper
    assert b.lower <= a.upper
    assert max(a.upper, b.upper) - min(a.lower, b.lower) < Fraction(1, 10**20)


if __name__ == "__main__":
    main()
