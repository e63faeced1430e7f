"""Poisson samples: the study's check values, brute force on finite pairs, another accountant."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.pooling import pooled
from leastnoise.privacy.variables.sampled_renyi import _between_whole_orders
from leastnoise.privacy.variables.sampled_variable import SampledVariable
from tests.examples import examples


def gaussian(sigma: str) -> PrivacyLoss:
    return PrivacyLoss.gaussian(mu=1 / Fraction(sigma))


def add(loss: PrivacyLoss) -> LossVariable:
    assert loss.backward is not None
    return loss.backward


def holds(found: Interval, value: str) -> bool:
    """Whether a value rounded to its last digit lies in the bracket."""
    digits, _, exponent = value.partition("e")
    places = len(digits.partition(".")[2]) - int(exponent or 0)
    place = Fraction(1, 10**places)
    return found.lower - place <= Fraction(value) <= found.upper + place


@pytest.mark.parametrize(
    ("loss", "rate", "epsilon", "removed", "added"),
    [
        (gaussian("1"), "0.01", "0.1", "7.29003769576e-5", None),
        (gaussian("1"), "0.01", "0.005", "2.63515084590e-3", "9.63144335305e-4"),
        (gaussian("0.5"), "0.5", "1", "0.210495594285", None),
        (gaussian("0.5"), "0.5", "0.5", None, "0.0721700401512"),
        (gaussian("2"), "0.1", "-0.01", "0.0241358777742", "0.0258693232470"),
        (PrivacyLoss.laplace(epsilon=1), "0.1", "0.1", "0.0131218308858", None),
        (PrivacyLoss.laplace(epsilon=1), "0.1", "0.05", None, "0.00821794835085"),
    ],
)
def test_one_step_against_thirty_digits(
    loss: PrivacyLoss, rate: str, epsilon: str, removed: str | None, added: str | None
) -> None:
    sampled = loss.poisson_sampled(rate)
    for variable, value in ((sampled.forward, removed), (add(sampled), added)):
        found = variable.delta(Fraction(epsilon))
        assert float(found.width) < 1e-15
        assert value is None or holds(found, value)


@pytest.mark.parametrize(
    ("rate", "epsilon", "value"),
    [("0.1", "0.5", "0.00334197179101"), ("0.01", "0.1", "9.33184568273e-5")],
)
def test_one_step_of_replacing(rate: str, epsilon: str, value: str) -> None:
    loss = gaussian("1").poisson_sampled(rate, "replace")
    assert holds(loss.delta(epsilon), value)
    assert loss.backward is None


@pytest.mark.parametrize(
    ("rate", "removed", "added"),
    [
        ("0.01", ("0.1", "1.54518564155e-4"), ("0.01", "1.00352959225e-3")),
        ("0.5", ("0.5", "0.147920133411"), ("0.5", "0.0853238599601")),
    ],
)
def test_two_steps(rate: str, removed: tuple[str, str], added: tuple[str, str]) -> None:
    two = gaussian("1").poisson_sampled(rate).self_compose(2)
    for variable, (epsilon, value) in ((two.forward, removed), (add(two), added)):
        found = variable.delta(Fraction(epsilon))
        assert holds(found, value)
        assert float(found.width) <= 1e-3 * float(found.upper)


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("rate", "sigma", "steps_and_delta", "removed", "added"),
    [
        ("0.01", "1", (1000, "1e-5"), ("1.828222", "1.828244"), ("1.416639", "1.416673")),
        ("256/60000", "1.1", (14000, "1e-5"), ("2.375812", "2.375850"), ("2.237858", "2.237899")),
        ("0.001", "0.6", (5000, "1e-6"), ("2.748378", "2.748416"), ("0.872094", "0.872321")),
        ("0.5", "10", (1000, "1e-5"), ("7.545148", "7.545182"), ("7.477430", "7.477465")),
    ],
)
def test_many_steps_meet_an_independent_prototype(
    rate: str,
    sigma: str,
    steps_and_delta: tuple[int, str],
    removed: tuple[str, str],
    added: tuple[str, str],
) -> None:
    steps, delta = steps_and_delta
    many = gaussian(sigma).poisson_sampled(rate).self_compose(steps)
    for variable, (low, high) in ((many.forward, removed), (add(many), added)):
        found = PrivacyLoss(variable).epsilon(delta)
        assert found.lower <= Fraction(high)
        assert found.upper >= Fraction(low)
        assert float(found.width) <= 1e-4 * max(1.0, float(found.upper))


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "removed", "added"),
    [
        ("0.00483", "0.966", 2, ("0.115712", "0.115714"), ("0.0080640", "0.0080643")),
        ("0.0114", "1.37", 7, ("0.147934", "0.147937"), ("0.0456313", "0.0456321")),
        ("0.0581", "0.416", 19, ("16.9116", "16.9119"), ("1.08537", "1.08540")),
        ("0.000146", "0.33", 13, ("2.851073", "2.851074"), ("0.0017757", "0.0017832")),
    ],
)
def test_few_steps_that_rarely_lose_much(
    rate: str, sigma: str, steps: int, removed: tuple[str, str], added: tuple[str, str]
) -> None:
    """Most losses are below a rate, a few above 1; the values are brackets of far finer grids.

    Each direction has a grid of its own: what one is asked for hardly matters to the other.
    """
    loss = gaussian(sigma).poisson_sampled(rate).self_compose(steps)
    for variable, (low, high) in ((loss.forward, removed), (add(loss), added)):
        found = PrivacyLoss(variable).epsilon("1e-5")
        assert found.lower <= Fraction(high)
        assert found.upper >= Fraction(low)
        assert found.width <= found.upper / 1000


@pytest.mark.parametrize("removing", [True, False])
def test_two_rare_steps_against_an_integral(*, removing: bool) -> None:
    """With rate 0.00483 and σ = 0.966: the mean of one step's delta over the other step's loss."""
    q, mu = 0.00483, 1 / 0.966
    two = gaussian("0.966").poisson_sampled("0.00483").self_compose(2)
    found = PrivacyLoss(two.forward if removing else add(two)).epsilon("1e-5")
    z = np.linspace(-12.0, 14.0, 40001)
    loss = np.log1p(q * np.expm1(mu * z - mu * mu / 2))
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    if removing:
        density *= np.exp(loss)

    def one_step(epsilon: "np.ndarray") -> "np.ndarray":
        """P(L > ε) − e^ε·Q(L > ε), or the same of the reversed pair."""
        signed = epsilon if removing else -epsilon
        rise = np.maximum(np.expm1(signed) + q, 1e-300)
        place = np.log(rise / q) / mu + mu / 2
        without, with_record = special.ndtr(-place), special.ndtr(mu - place)
        mixed = without + q * (with_record - without)
        if removing:
            return np.asarray(mixed - np.exp(epsilon) * without)
        return np.asarray((1 - without) - np.exp(epsilon) * (1 - mixed))

    for end, sign in ((found.lower, 1), (found.upper, -1)):
        rest = float(end) - (loss if removing else -loss)
        delta = float((density * np.maximum(one_step(rest), 0.0)).sum() * (z[1] - z[0]))
        assert (delta - 1e-5) * sign >= -1e-11
        assert delta == pytest.approx(1e-5, rel=0.01)


def test_deltas_far_below_the_usual_have_brackets_too() -> None:
    """At 5.7663 delta is 1e-18: the cells of usual deltas leave out more than that."""
    loss = gaussian("1").poisson_sampled("0.01").self_compose(1000)
    found = loss.delta("5.7663")
    assert 0.999e-18 < float(found.lower) <= float(found.upper) < 1.001e-18


def test_neither_direction_is_always_the_worse() -> None:
    two = PrivacyLoss.randomized_response(epsilon=1).poisson_sampled("1/2").self_compose(2)
    removed, added = (v.delta(Fraction("0.2415213")) for v in (two.forward, add(two)))
    assert float(removed.upper) == pytest.approx(0.157911, abs=1e-5)
    assert float(added.upper) == pytest.approx(0.216151, abs=1e-5)
    assert two.delta("0.2415213").lower == added.lower


chances = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=4).filter(
    lambda pairs: any(p and q for p, q in pairs)
)


@settings(max_examples=12, deadline=None)
@given(chances, st.sampled_from(["0.05", "1/2", "0.9"]), st.integers(1, 3))
def test_finite_pairs_against_all_outcomes(
    pairs: list[tuple[int, int]], rate: str, count: int
) -> None:
    one, other = dict(enumerate(p for p, _ in pairs)), dict(enumerate(q for _, q in pairs))
    found = PrivacyLoss.of_laws(one, other).poisson_sampled(rate, record="forward")
    found = found.self_compose(count)
    share = float(Fraction(rate))
    with_record = np.array(list(one.values())) / sum(one.values())
    without = np.array(list(other.values())) / sum(other.values())
    mixed = share * with_record + (1 - share) * without
    for epsilon in (Fraction(0), Fraction(1, 5), Fraction(1)):
        for variable, p, q in ((found.forward, mixed, without), (add(found), without, mixed)):
            truth = sum(
                max(0.0, math.prod(p[list(s)]) - math.exp(epsilon) * math.prod(q[list(s)]))
                for s in product(range(len(pairs)), repeat=count)
            )
            bracket = variable.delta(epsilon)
            assert float(bracket.lower) <= truth + 1e-9
            assert float(bracket.upper) >= truth - 1e-9


@pytest.mark.parametrize("rate", ["0.02", "0.4"])
@pytest.mark.parametrize("base", [gaussian("0.8"), PrivacyLoss.laplace(epsilon="0.7")])
def test_tail_and_delta_belong_to_one_law(base: PrivacyLoss, rate: str) -> None:
    """δ as a function of y = e^ε has the slope −Q(L > ε) = −e^−ε·(tail − δ)."""
    loss = base.poisson_sampled(rate)
    for variable in (loss.forward, add(loss)):
        for epsilon in (Fraction(-1, 100), Fraction(1, 200), Fraction(1, 20)):
            width = Fraction(1, 10**6)
            left, right = (float(variable.delta(epsilon + d)) for d in (-width, width))
            slope = (left - right) / (2 * float(width))
            here = float(variable.tail(epsilon)) - float(variable.delta(epsilon))
            assert slope == pytest.approx(here, rel=1e-4, abs=1e-9)


@pytest.mark.spread(2)
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_renyi_against_plain_integrals(order: int, neighbours: str) -> None:
    loss = gaussian("1").poisson_sampled("0.1", neighbours)  # type: ignore[arg-type]
    z = np.linspace(-18, 26, 400001)

    def density(at: float) -> np.ndarray:
        return np.exp(-((z - at) ** 2) / 2) / math.sqrt(2 * math.pi)

    p = 0.9 * density(0) + 0.1 * density(1)
    q = density(0) if neighbours == "add_remove" else 0.9 * density(0) + 0.1 * density(-1)

    def divergence(a: np.ndarray, b: np.ndarray, at: float) -> float:
        return math.log(float((b * (a / b) ** at).sum() * (z[1] - z[0]))) / (at - 1)

    for at in (order, order + 0.5):
        pairs = [(loss.forward, p, q), (loss.backward or loss.forward, q, p)]
        for variable, a, b in pairs:
            found, truth = variable.renyi(Fraction(at)), divergence(a, b, at)
            assert float(found.lower) <= truth * (1 + 1e-9)
            assert float(found.upper) >= truth * (1 - 1e-9)
            assert float(found.width) <= 1e-4 * truth


def test_a_sample_of_everybody_is_the_release_itself() -> None:
    base = gaussian("2")
    assert base.poisson_sampled(1).delta("0.1") == base.delta("0.1")
    assert base.poisson_sampled(1, "replace").delta("0.1") == gaussian("1").delta("0.1")
    assert base.poisson_sampled("0.3", "zero_out").delta("0.1") == base.poisson_sampled(
        "0.3"
    ).delta("0.1")


@pytest.mark.parametrize(("rate", "sigma", "steps"), [(0.01, 1.0, 1000), (0.2, 4.0, 100)])
def test_never_outside_the_bracket_of_another_accountant(
    rate: float, sigma: float, steps: int
) -> None:
    distribution = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    ends = [
        distribution.from_gaussian_mechanism(
            sigma,
            sampling_prob=rate,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=1e-3,
        )
        .self_compose(steps)
        .get_epsilon_for_delta(1e-5)
        for pessimistic in (False, True)
    ]
    sampled = gaussian(str(sigma)).poisson_sampled(str(rate)).self_compose(steps)
    found = sampled.epsilon("1e-5")
    assert ends[0] <= float(found.upper)
    assert float(found.lower) <= ends[1]
    assert float(found.width) < ends[1] - ends[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gaussian("1").poisson_sampled(0), "positive"),
        (lambda: gaussian("1").poisson_sampled("1.01"), r"\(0, 1\]"),
        (lambda: gaussian("1").poisson_sampled("0.1", "shuffle"), "add_remove"),  # type: ignore[arg-type]
        (lambda: gaussian("1").poisson_sampled("0.1", record="left"), "forward"),  # type: ignore[arg-type]
        (lambda: PrivacyLoss.of_laws({0: 1, 1: 2}, {0: 1, 1: 1}).poisson_sampled("0.1"), "record="),
    ],
)
def test_bad_samples_are_refused(call: object, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        call()  # type: ignore[operator]


def test_what_has_no_theorem_here_is_refused_by_name() -> None:
    summed = PrivacyLoss.laplace(epsilon="0.2").self_compose(5).poisson_sampled("0.1")
    assert summed.delta("0.01").upper > 0
    with pytest.raises(UnsupportedQuery, match="sum by grids"):
        summed.self_compose(2).delta("0.01")


masses = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


@examples(80, 400)
@given(masses, st.sampled_from([0.01, 0.3]))
def test_pools_keep_the_mass_and_never_raise_delta(
    rows: list[tuple[float, float]], step: float
) -> None:
    mass, depth = np.array([m for m, _ in rows]), step * np.array([d for _, d in rows])
    edges = np.cumsum([0] + [1 + i % 3 for i in range(len(rows))])
    depth = depth * np.diff(edges)
    ends = _ends(mass, depth, step * np.diff(edges))
    found = pooled(edges.astype(np.int64), *ends, step, 0.0)
    assert float(found.sum()) == pytest.approx(float(mass.sum()), abs=1e-12)
    points, losses = edges * step, edges[:-1] * step + depth
    for epsilon in np.linspace(-step, float(points[-1]), 23):
        ours = float((found * np.maximum(0.0, -np.expm1(epsilon - points))).sum())
        truth = float((mass * np.maximum(0.0, -np.expm1(epsilon - losses))).sum())
        assert ours <= truth + 1e-12


def test_an_abrupt_end_costs_the_optimistic_twin_nothing() -> None:
    """All but a thin tail of a law that begins, or ends, with much mass: E e^−L is kept."""
    fall = np.exp(-np.arange(200) / 5.0)
    step, depth = 0.01, np.full(200, 0.005)
    for mass in (fall, fall[::-1]):
        ends = _ends(mass, depth, np.full(200, step))
        found = pooled(np.arange(201, dtype=np.int64), *ends, step, 0.0)
        before = float((mass * np.exp(-step * np.arange(200) - depth)).sum())
        after = float((found * np.exp(-step * np.arange(201))).sum())
        assert after == pytest.approx(before, rel=1e-12)


def test_mass_below_the_second_edge_is_put_there() -> None:
    edges = np.arange(5, 7, dtype=np.int64)
    cells = Cells(0.1, edges, np.ones(1), np.zeros(1), np.zeros(2), 0.0, 0.0, beneath=0.25)
    high, low = cells.pessimistic(), cells.optimistic()
    assert high.mass.tolist() == pytest.approx([1.0, 0.25])
    assert high.mass[1] > 0.25  # rounded up
    assert low.mass.sum() < 1


def _ends(mass: np.ndarray, depth: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    up = mass * np.expm1(-depth) / np.expm1(-width)
    return np.maximum(mass - up, 0.0), up


@pytest.mark.parametrize(
    ("sample", "epsilon", "value"),
    [(100, "0.5", "0.0329682368541"), (10, "0.1", "0.00260803322603")],
)
def test_without_replacement_against_thirty_digits(sample: int, epsilon: str, value: str) -> None:
    loss = PrivacyLoss.gaussian(mu=2).sampled_without_replacement(1000, sample)
    assert holds(loss.delta(epsilon), value)


def test_without_replacement_composed_is_above_both_directions_of_poisson() -> None:
    """Randomized response, ε₀ = 1, a quarter drawn, 20 steps, at 0.5."""
    base = PrivacyLoss.randomized_response(epsilon=1)
    glued = base.sampled_without_replacement(4, 1).self_compose(20).delta("0.5")
    assert float(glued.lower) <= 0.354176 + 1e-6
    assert float(glued.upper) == pytest.approx(0.354176, abs=1e-3)
    poisson = base.poisson_sampled("1/4").self_compose(20)
    assert float(poisson.forward.delta(Fraction(1, 2))) == pytest.approx(0.291754, abs=1e-3)
    assert float(add(poisson).delta(Fraction(1, 2))) == pytest.approx(0.281063, abs=1e-3)


@pytest.mark.parametrize(
    "base",
    [
        gaussian("1"),
        PrivacyLoss.laplace(epsilon=1),
        PrivacyLoss.randomized_response(epsilon=1),
        PrivacyLoss.randomized_response(epsilon=1, categories=5),  # with a loss of 0
    ],
)
def test_without_replacement_is_a_law_of_one_mass(base: PrivacyLoss) -> None:
    """The twins hold the mass and bracket δ on both sides of 0; the law is its own reverse."""
    variable = base.sampled_without_replacement(10, 3).forward
    cells = variable.cells(0.01)
    high, low = cells.pessimistic(), cells.optimistic()
    assert float(high.mass.sum()) == pytest.approx(1, abs=1e-9)
    for epsilon in (-0.3, -0.05, 0.0, 0.07, 0.3):
        truth = float(variable.delta(Fraction(epsilon)))
        reversed_ = (
            1 - math.exp(epsilon) + math.exp(epsilon) * float(variable.delta(Fraction(-epsilon)))
        )
        assert truth == pytest.approx(reversed_, abs=1e-12)
        for twin, sign in ((high, 1), (low, -1)):
            losses = (twin.first + np.arange(len(twin.mass))) * twin.step
            leak = float((twin.mass * np.maximum(0.0, -np.expm1(epsilon - losses))).sum())
            assert sign * (leak - truth) >= -1e-11


@pytest.mark.parametrize("order", ["0.5", "1", "1.5", "2", "5"])
def test_without_replacement_renyi_is_that_of_its_atoms(order: str) -> None:
    """Randomized response has three losses: up, 0 and down."""
    loss = PrivacyLoss.randomized_response(epsilon=1).sampled_without_replacement(4, 1)
    truth_, lie = math.e / (1 + math.e), 1 / (1 + math.e)
    up, at = math.log(0.75 + 0.25 * math.e), float(Fraction(order))
    high, low = 0.25 * truth_ + 0.75 * lie, lie
    middle = 0.75 * (truth_ - lie)
    assert high + low + middle == pytest.approx(1)
    losses, masses = (up, 0.0, -up), (high, middle, low)
    if at == 1:
        value = sum(m * x for m, x in zip(masses, losses, strict=True))
    else:
        moment = sum(m * math.exp((at - 1) * x) for m, x in zip(masses, losses, strict=True))
        value = math.log(moment) / (at - 1)
    found = loss.renyi(order)
    assert float(found.upper) >= value - 1e-12
    if at > 1:
        assert float(found.upper) <= value * 1.01


def test_samples_without_replacement_are_checked() -> None:
    with pytest.raises(InvalidParameter, match="sample"):
        gaussian("1").sampled_without_replacement(10, 11)
    with pytest.raises(InvalidParameter, match="`sample`"):
        gaussian("1").sampled_without_replacement(10, 0)
    with pytest.raises(UnsupportedQuery, match="both ways"):
        PrivacyLoss.of_laws({0: 1, 1: 2}, {0: 1, 1: 1}).sampled_without_replacement(10, 1)
    assert gaussian("1").sampled_without_replacement(5, 5).delta(1) == gaussian("1").delta(1)


@pytest.mark.parametrize("rate", ["0.1", "0.5"])
def test_mean_losses_are_bracketed_narrowly(rate: str) -> None:
    """Order 1, Kullback–Leibler, against a plain integral."""
    loss, share = gaussian("1").poisson_sampled(rate), float(Fraction(rate))
    z = np.linspace(-18, 19, 400001)
    without = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    ratio = 1 - share + share * np.exp(z - 0.5)
    step = z[1] - z[0]
    for variable, truth in (
        (loss.forward, float((without * ratio * np.log(ratio)).sum() * step)),
        (add(loss), float(-(without * np.log(ratio)).sum() * step)),
    ):
        found = variable.renyi(Fraction(1))
        assert float(found.lower) <= truth * (1 + 1e-9)
        assert float(found.upper) >= truth * (1 - 1e-9)
        assert float(found.width) <= 1e-3 * truth


@pytest.mark.parametrize("removing", [True, False])
def test_tails_hold_wherever_the_threshold_is(
    removing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threshold is known up to a width: each end of the tail is at the end that is safe."""
    loss = PrivacyLoss.laplace(epsilon=3).poisson_sampled("0.5")
    variable = loss.forward if removing else add(loss)
    at = {}
    for place in (1, 2):
        monkeypatch.setattr(
            SampledVariable, "_threshold", lambda *_, p=place: Interval(Fraction(p), Fraction(p))
        )
        at[place] = variable.tail(Fraction(1, 10))
    monkeypatch.setattr(
        SampledVariable, "_threshold", lambda *_: Interval(Fraction(1), Fraction(2))
    )
    wide = variable.tail(Fraction(1, 10))
    assert at[2].lower < at[1].lower
    assert (wide.lower, wide.upper) == (at[2].lower, at[1].upper)


@pytest.mark.parametrize("rate", ["0.1", "0.7"])
def test_laplace_noise_with_a_record_replaced(rate: str) -> None:
    """Against plain sums over z; δ on both sides of 0, the tail, divergences, and two steps."""
    loss = PrivacyLoss.laplace(epsilon="0.8").poisson_sampled(rate, "replace")
    q, r = float(Fraction(rate)), 0.8
    width = 1e-4
    z = np.arange(-40, 40, width) + width / 2

    def density(at: float) -> np.ndarray:
        return np.exp(-np.abs(z - at)) / 2

    one, other = ((1 - q) * density(0) + q * density(at) for at in (r, -r))
    assert loss.backward is None
    for epsilon in (-0.2, 0.0, 0.05, 0.3):
        truth = float(np.maximum(0.0, one - math.exp(epsilon) * other).sum() * width)
        assert float(loss.forward.delta(Fraction(epsilon))) == pytest.approx(truth, abs=1e-7)
        reached = float(one[np.log(one / other) > epsilon + 1e-9].sum() * width)
        assert float(loss.forward.tail(Fraction(epsilon))) == pytest.approx(reached, abs=1e-3)
    for order in (1.5, 2.0, 6.0):
        moment = float((other * (one / other) ** order).sum() * width)
        found = loss.renyi(order)
        assert float(found.lower) <= math.log(moment) / (order - 1) * (1 + 1e-6)
        assert float(found.upper) >= math.log(moment) / (order - 1) * (1 - 1e-6)
        assert float(found.width) <= 2e-4 * float(found.upper)
    top = math.log((1 - q + q * math.exp(r)) / (1 - q + q * math.exp(-r)))
    assert float(loss.epsilon(0)) == pytest.approx(top)
    both = loss.self_compose(2).epsilon("0.01")
    assert loss.epsilon("0.01").upper < both.lower <= both.upper < Fraction(2 * top)
    assert float(both.width) <= 1e-3 * float(both.upper)
    whole = PrivacyLoss.laplace(epsilon="0.8").poisson_sampled(1, "replace")
    assert whole.delta("0.1") == PrivacyLoss.laplace(epsilon="1.6").delta("0.1")


@pytest.mark.parametrize(
    ("rate", "sigma", "order", "truth"),
    [("0.01", "1", "16.25", "3.21787658068395"), ("0.001", "0.5", "16.25", "25.1392771617403")],
)
def test_divergences_between_whole_orders(rate: str, sigma: str, order: str, truth: str) -> None:
    """Truths by quadrature with 40 digits; the grid alone was 12 % and 45 % wide."""
    loss = PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).poisson_sampled(rate).forward
    found = loss.renyi(Fraction(order))
    assert found.lower <= Fraction(truth) <= found.upper
    assert found.width <= Fraction("0.006") * found.upper


@pytest.mark.parametrize("order", ["16.1", "16.9"])
def test_chords_between_whole_orders_take_the_sound_ends(order: str) -> None:
    """A base whose divergences are known to a part in a hundred: all three chords, by hand."""

    class Wide(GaussianVariable):
        def renyi(self, order: Order) -> Interval:
            size = Fraction(order) / 2
            return Interval(size, size * Fraction("1.01"))

    def moment(n: int, factor: float) -> float:
        terms = (
            math.comb(n, k) * 0.3**k * 0.7 ** (n - k) * math.exp((k - 1) * k / 2 * factor)
            for k in range(n + 1)
        )
        return math.log(sum(terms))

    found = _between_whole_orders(Wide(Fraction(1)), Fraction("0.3"), Fraction(order))
    low, high = ([moment(n, factor) for n in range(15, 19)] for factor in (1, 1.01))
    part, below = float(order) - 16, float(order) - 1
    chord = (1 - part) * high[1] + part * high[2]
    rising = low[1] + part * (low[1] - high[0])
    falling = low[2] - (1 - part) * (high[3] - low[2])
    assert float(found.upper) == pytest.approx(chord / below, rel=1e-12)
    assert float(found.lower) == pytest.approx(max(rising, falling) / below, rel=1e-12)
    assert (rising > falling) == (order == "16.1")
