"""A design on a coarse lattice, where the whole law can be written down and compared."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from leastnoise.groupwise import rounded_error
from leastnoise.groupwise.count_map import CountMap
from leastnoise.groupwise.design_error import DesignError
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.groupwise.log_map import LogMap
from leastnoise.groupwise.relative_design import RelativeDesign
from leastnoise.groupwise.response_chain import ResponseChain, word_chances
from leastnoise.numeric import ball as balls
from leastnoise.randomness.source import Source
from tests.groupwise.exact_law import arrived_law, mean_error, released_law, renyi

ORDERS = (1.001, 1.1, 1.5, 2, 3, 5, 10, 20, 40)
ROUNDING = 1e-9


def coarse(  # noqa: PLR0913
    *,
    smallest: int = 1,
    chances: tuple[float, ...] = (0.05, 0.08, 0.15, 0.24),
    gaps: tuple[int, ...] = (),
    offset: Fraction = Fraction(0),
    sigma: float = 0.2,
    bits: int = 9,
) -> RelativeDesign:
    """A design whose noise is a hundred steps wide; the junction is made as it should be."""
    log_map = LogMap(bits, offset)
    channel = LogChannel(
        CountMap(log_map, smallest + len(chances), gaps), round((sigma * 2**bits) ** 2)
    )
    if not chances:
        return RelativeDesign(ResponseChain(smallest, ()), channel, 0)
    steps = round(-0.7 * sigma * 2**bits)
    threshold = channel.map.place(smallest + len(chances)) + steps
    met = math.floor(channel.noise.tail(1 - steps).lower * 2**64)
    chain = ResponseChain(smallest, (*word_chances(chances[:-1]), met))
    return RelativeDesign(chain, channel, threshold)


GAPPED = coarse(gaps=(92, 80, 70, 60, 54))
DESIGNS = {
    "chain and logarithms": coarse(),
    "chain, table, logarithms": GAPPED,
    "no chain": coarse(smallest=4, chances=()),
    "no chain, a table": coarse(smallest=4, chances=(), gaps=(112, 88, 74)),
    "slack": coarse(smallest=0, chances=(0.1, 0.2), offset=Fraction(5, 2)),
    "from ten on": coarse(smallest=10, chances=(0.2, 0.24), sigma=0.1),
    "much noise": coarse(smallest=1, chances=(0.24,), sigma=0.9, bits=7),
}


@pytest.fixture(params=DESIGNS, name="design")
def _design(request: pytest.FixtureRequest) -> RelativeDesign:
    return DESIGNS[request.param]


def sizes(design: RelativeDesign) -> range:
    return range(max(design.smallest - 2, 0), design.channel.map.bend + 6)


def test_designs_are_sound(design: RelativeDesign) -> None:
    assert design.is_sound


def test_the_law_adds_up(design: RelativeDesign) -> None:
    for x in sizes(design):
        law = released_law(design, x)
        assert math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
        assert min(law) >= design.smallest


def test_no_divergence_of_any_order_exceeds_the_budget(design: RelativeDesign) -> None:
    laws = {x: released_law(design, x) for x in sizes(design)}
    for x in list(laws)[1:]:
        # Both the smaller and the larger of the two sizes must be promised enough.
        promised = float(min(design.budget(x), design.budget(x - 1)))
        # A divergence of order α lives α gaps away; floats reach 38 deviations.
        for order in (order for order in ORDERS if order * math.sqrt(2 * promised) < 25):
            for one, other in ((laws[x - 1], laws[x]), (laws[x], laws[x - 1])):
                assert renyi(one, other, order) <= order * promised * (1 + ROUNDING) + 1e-13


def test_the_budget_of_the_chain_is_met() -> None:
    """Near order 1 the divergence of neighbours in the chain is all that is promised, and no less.

    A budget that was a tenth of a percent too small would be refuted by the test above.
    """
    design = GAPPED
    for x in range(design.smallest + 1, design.top):
        one, other = released_law(design, x - 1), released_law(design, x)
        met = renyi(one, other, 1.001) / 1.001
        assert met == pytest.approx(float(design.budget(x)), rel=1e-3)


def test_budgets_never_grow(design: RelativeDesign) -> None:
    budgets = [design.budget(x) for x in [*sizes(design), 100, 10**4, 10**9, 2**62]]
    assert budgets == sorted(budgets, reverse=True)


def test_losses_are_those_of_the_law(design: RelativeDesign) -> None:
    """E_ε(P‖Q) of the released laws is at most the δ of the loss, and close to it in the chain."""
    laws = {x: released_law(design, x) for x in sizes(design)}
    for x in range(design.smallest + 1, design.channel.map.bend + 2):
        for epsilon in (0.2, 1.0):
            promised = float(design.loss(x).delta(epsilon=epsilon).upper)
            for one, other in ((laws[x - 1], laws[x]), (laws[x], laws[x - 1])):
                gap = sum(
                    max(0.0, p - math.exp(epsilon) * other[y]) for y, p in one.items() if y in other
                )
                assert gap <= promised + 1e-12
                if x < design.top:
                    assert gap == pytest.approx(promised, abs=1e-9)


def test_error_brackets_hold_the_error(design: RelativeDesign) -> None:
    errors = DesignError(design)
    for x in [*sizes(design), 3 * design.channel.map.bend, 20 * design.channel.map.bend]:
        exact = mean_error(released_law(design, x), x)
        bracket = errors.at(x)
        assert float(bracket.lower) <= exact * (1 + ROUNDING)
        assert exact <= float(bracket.upper) * (1 + ROUNDING)


@pytest.mark.parametrize("terms", [3, 12, 48])
def test_fewer_terms_widen_the_bracket_and_keep_it_true(terms: int) -> None:
    errors = DesignError(GAPPED)
    for x in (30, 100, 300):
        exact = mean_error(released_law(GAPPED, x), x)
        low, high = (float(errors.error(x, side, terms)) for side in (-1, 1))
        assert low <= exact <= high
        # Three steps of the lattice and an eighth of a density to either side, not more.
        assert high - low <= 0.06 * x + 0.2


def test_chances_of_large_releases_are_not_understated(design: RelativeDesign) -> None:
    errors = DesignError(design)
    for x in sizes(design)[3:]:
        law = released_law(design, x)
        for y in (x + 1, x + 2, x + 5, design.top + 3):
            exact = math.fsum(chance for end, chance in law.items() if end >= y)
            assert exact <= float(errors.chance_above(max(x, design.smallest), Fraction(y))) + 1e-12


def test_borders_that_are_skipped_are_accounted_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """If terms stop at one deviation instead of nine, upper bounds widen and remain bounds."""
    monkeypatch.setattr(rounded_error, "_FAR", 1)
    errors = DesignError(GAPPED)
    for x in (9, 12, 30, 100):
        exact = mean_error(released_law(GAPPED, x), x)
        assert float(errors.error(x, -1, 48)) <= exact <= float(errors.error(x, 1, 48))


def test_what_sinks_delays_the_closed_formula() -> None:
    """Where the error leaves room for rounding but not for sinking, sizes are checked singly."""

    class Unsinkable(DesignError):
        def _sinking(self, x: int, side: int) -> arb:  # noqa: ARG002
            return arb(0)

    design = coarse(bits=30)
    error = Fraction(18, 100)
    with balls.precision(128):
        alone, settled = (kind(design).settled_from(error) for kind in (Unsinkable, DesignError))
    assert design.top <= alone < settled


def test_a_promise_is_proved_just_above_the_greatest_error_and_not_below() -> None:
    """On a fine lattice the proof decides within a thousandth."""
    design = coarse(smallest=30, chances=(), bits=30, sigma=0.2)
    errors = DesignError(design)
    real = 0.15851941887820603  # 2Φ(0.2) − 1
    assert errors.is_at_most(Fraction(real) * Fraction(1001, 1000))
    assert not errors.is_at_most(Fraction(real) * Fraction(999, 1000))


@pytest.mark.parametrize("factor", [1, 2])
def test_a_chain_with_too_much_noise_is_refused(factor: int) -> None:
    chances = tuple(factor * u for u in (0.1, 0.1, 0.12, 0.2))
    design = coarse(chances=chances, bits=30, sigma=0.25)
    kept = DesignError(design).is_at_most(Fraction(1, 5))
    assert (
        kept
        == all(DesignError(design).at(x).upper <= Fraction(x, 5) for x in (1, 2, 3, 4))
        == (factor == 1)
    )


def test_unsound_designs_prove_nothing() -> None:
    high = RelativeDesign(GAPPED.chain, GAPPED.channel, GAPPED.channel.map.place(GAPPED.top) + 1)
    assert not high.is_sound
    assert not DesignError(high).is_at_most(Fraction(99, 100))
    growing = coarse(gaps=(70, 92, 60))
    assert not growing.is_sound


def test_walks_that_arrive_at_the_top_forget_what_was_below() -> None:
    size = 300_000
    drawn = GAPPED._from_top(size, Source())
    law = arrived_law(GAPPED)
    mean = sum(chance * y for y, chance in law.items())
    deviation = math.sqrt(sum(chance * (y - mean) ** 2 for y, chance in law.items()) / size)
    assert abs(drawn.mean() - mean) <= 6 * deviation


def test_releases_fit_the_law(design: RelativeDesign) -> None:
    """Mean and variance of |x̂ − x| from a million draws; a false alarm has chance 1e-6."""
    for x in (design.smallest, design.top - 1, design.top, design.channel.map.bend + 3):
        size = 200_000
        drawn = design.release(np.full(size, x, dtype=np.int64), Source())
        law = released_law(design, x)
        for power in (1, 2):
            mean = sum(chance * abs(y - x) ** power for y, chance in law.items())
            square = sum(chance * abs(y - x) ** (2 * power) for y, chance in law.items())
            deviation = math.sqrt(max(square - mean**2, 1e-12) / size)
            seen = float((np.abs(drawn - x).astype(float) ** power).mean())
            assert abs(seen - mean) <= 6 * deviation
        assert set(np.unique(drawn).tolist()) <= {y for y, chance in law.items() if chance > 0}
