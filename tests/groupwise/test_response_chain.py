"""The walk of randomized responses: its law by enumeration, its privacy exactly, its errors."""

from fractions import Fraction
from math import log, tanh

import numpy as np
import pytest
from flint import arb
from scipy.stats import chi2

from leastnoise.groupwise.response_chain import ResponseChain, word_chances
from leastnoise.privacy.implications import rho_of_pure
from leastnoise.randomness.source import Source
from tests.scripted import ScriptedSource, words

FALSE_ALARM = 1e-6
CHAIN = ResponseChain(3, word_chances([0.05, 0.05, 0.1, 0.25, 0.3]))
COUNTS = range(CHAIN.first, CHAIN.top)


def law(chain: ResponseChain, x: int) -> dict[int, Fraction]:
    """P(end) for a walk from x, straight from the definition of the steps."""

    def u(j: int) -> Fraction:
        inside = chain.first < j <= chain.top
        return chain.chance(j) if inside else Fraction(0)

    ends: dict[int, Fraction] = {x: 1 - u(x) - u(x + 1)}
    here, j = u(x + 1), x + 1
    while here:
        on = u(j + 1) / (1 - u(j)) if j < chain.top else Fraction(0)
        ends[j], here, j = here * (1 - on), here * on, j + 1
    here, j = u(x), x - 1
    while here:
        on = u(j) / (1 - u(j + 1)) if j > chain.first else Fraction(0)
        ends[j], here, j = here * (1 - on), here * on, j - 1
    return ends


@pytest.mark.parametrize("x", COUNTS)
def test_the_law_is_a_law_with_the_weights_of_a_geometric_one(x: int) -> None:
    ends = law(CHAIN, x)
    assert sum(ends.values()) == 1
    # m(y)·Π b over the borders between, with b = u/(1−u): the geometric mechanism.
    for y, chance in ends.items():
        borders = range(min(x, y) + 1, max(x, y) + 1)
        product = Fraction(1)
        for j in borders:
            product *= CHAIN.chance(j) / (1 - CHAIN.chance(j))
        lower = CHAIN.chance(y) if y > CHAIN.first else Fraction(0)
        upper = CHAIN.chance(y + 1) if y < CHAIN.top else Fraction(0)
        assert chance == product * (1 - lower - upper)


@pytest.mark.parametrize("x", range(CHAIN.first + 1, CHAIN.top))
def test_neighbours_are_a_randomized_response(x: int) -> None:
    """The likelihood ratio takes two values, (1−u)/u and its inverse: nothing else can be seen."""
    one, other = law(CHAIN, x - 1), law(CHAIN, x)
    u = CHAIN.chance(x)
    ratios = {y: other[y] / one[y] for y in one}
    assert all(ratio == ((1 - u) / u if y >= x else u / (1 - u)) for y, ratio in ratios.items())
    assert sum(chance for y, chance in other.items() if y < x) == u


@pytest.mark.parametrize("x", range(CHAIN.first + 1, CHAIN.top + 1))
def test_epsilon_and_rho_are_those_of_the_response(x: int) -> None:
    epsilon, u = CHAIN.epsilon(x), CHAIN.chance(x)
    assert log((1 - u) / u) == pytest.approx(float(epsilon), rel=1e-14)
    assert float(CHAIN.rho(x)) == pytest.approx(float(epsilon) * tanh(float(epsilon) / 2))
    assert CHAIN.rho(x).lower <= rho_of_pure(Fraction(epsilon.upper)).upper
    assert rho_of_pure(Fraction(epsilon.lower)).lower <= CHAIN.rho(x).upper


@pytest.mark.parametrize("x", COUNTS)
def test_errors_are_those_of_the_law(x: int) -> None:
    beyond = Fraction(7, 5)
    expected = sum(
        chance * (abs(y - x) + (beyond if y == CHAIN.top else 0))
        for y, chance in law(CHAIN, x).items()
    )
    error = CHAIN.errors(arb(7) / 5)[x - CHAIN.first]
    assert float(error) == pytest.approx(float(expected), rel=1e-14)


def test_the_way_up() -> None:
    for x in COUNTS:
        for y in range(x + 1, CHAIN.top + 1):
            above = sum(chance for end, chance in law(CHAIN, x).items() if end >= y)
            assert CHAIN.chance_up(x, y) == above


def test_levels_below_the_top_are_those_of_a_walk_that_sinks() -> None:
    """The mean depth of a walk that came down to top − 1: the law from there, given no rise."""
    x = CHAIN.top - 1
    ends = {y: chance for y, chance in law(CHAIN, x).items() if y <= x}
    depth = sum(chance * (CHAIN.top - y) for y, chance in ends.items()) / sum(ends.values())
    assert float(CHAIN.levels_down()[-1]) == pytest.approx(float(depth), rel=1e-14)


def test_one_word_decides_the_first_step_exactly() -> None:
    up, down, full = CHAIN.chances[2], CHAIN.chances[1], 1 << 64
    start = np.array([5])
    stop = full // 2  # neither goes on nor is drawn again
    cases = {
        (up - 1, stop): 6,
        (up,): 5,
        (full - down - 1,): 5,
        (full - down, stop): 4,
        (full - 1, stop): 4,
    }
    for script, end in cases.items():
        source = ScriptedSource(words(*script))
        assert CHAIN.walk(start, source).tolist() == [end]
        assert source.left == 0


def test_a_walk_goes_on_stops_or_draws_again() -> None:
    full, onward, back = 1 << 64, CHAIN.chances[3], CHAIN.chances[2]
    rise = CHAIN.chances[2] - 1
    again = full - back
    script = (
        rise,
        again,
        full - 1,
        onward,
    )
    assert CHAIN.walk(np.array([5]), ScriptedSource(words(*script))).tolist() == [6]
    script = (rise, again, onward - 1, full // 2)
    assert CHAIN.walk(np.array([5]), ScriptedSource(words(*script))).tolist() == [7]
    assert CHAIN.walk(np.array([5]), ScriptedSource(words(rise, again - 1))).tolist() == [6]


def test_ends_of_the_chain_take_no_words() -> None:
    source = ScriptedSource(words(0))  # up from top − 1, where nothing is left to decide
    assert CHAIN.walk(np.array([CHAIN.top - 1]), source).tolist() == [CHAIN.top]
    lowest = ResponseChain(1, (1 << 60,))
    assert lowest.sink(2, ScriptedSource(b"")).tolist() == [1, 1]


def fit(draws: list[int], expected: dict[int, float]) -> float:
    """Pearson's p-value, with cells of fewer than 100 expected draws joined."""
    ends = sorted(expected, key=lambda y: -expected[y])
    large = [y for y in ends if expected[y] * len(draws) >= 100]
    seen = [int((np.asarray(draws) == y).sum()) for y in large]
    cells = [expected[y] * len(draws) for y in large]
    rest = len(draws) - sum(cells)
    if rest > 20:
        seen, cells = [*seen, len(draws) - sum(seen)], [*cells, rest]
    statistic = sum((s - e) ** 2 / e for s, e in zip(seen, cells, strict=True))
    return float(chi2.sf(statistic, df=len(cells) - 1))


@pytest.mark.parametrize("x", COUNTS)
def test_walks_fit_the_law_and_no_other(x: int) -> None:
    draws = CHAIN.walk(np.full(300_000, x), Source()).tolist()
    assert fit(draws, {y: float(p) for y, p in law(CHAIN, x).items()}) > FALSE_ALARM
    for factor in (0.9, 1.1):
        other = ResponseChain(3, tuple(int(factor * chance) for chance in CHAIN.chances))
        assert fit(draws, {y: float(p) for y, p in law(other, x).items()}) < FALSE_ALARM


def test_sinking_fits_the_law_below_the_top() -> None:
    ends = law(CHAIN, CHAIN.top - 1)
    below = sum(chance for y, chance in ends.items() if y < CHAIN.top)
    draws = CHAIN.sink(300_000, Source()).tolist()
    expected = {y: float(chance / below) for y, chance in ends.items() if y < CHAIN.top}
    assert fit(draws, expected) > FALSE_ALARM


def test_unsound_chances_are_noticed() -> None:
    assert CHAIN.is_sound
    assert ResponseChain(1, ()).is_sound
    assert not ResponseChain(1, (5, 4)).is_sound
    assert not ResponseChain(1, (0, 4)).is_sound
    assert not ResponseChain(1, (4, (1 << 63) + 1)).is_sound


def test_chances_become_words_that_do_not_fall() -> None:
    assert word_chances([0.5, 0.25, 0.375]) == (1 << 62, 1 << 62, 3 << 61)
    assert word_chances([]) == ()
