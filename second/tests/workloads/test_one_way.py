"""Means of all columns at once: exact laws of small cases, errors computed otherwise, published values."""

import math
from collections import defaultdict
from fractions import Fraction as F
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import gamma, norm

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.workloads.column_noise import BlockNoise, gaussian_noise
from leastnoise.workloads.one_way import one_way_marginals
from tests.scripted import Scripted

SOME = bytes(np.random.default_rng(3).integers(0, 256, 1 << 16, np.uint8))
REACH = 20
Law = dict[tuple[int, ...], float]


def cube(columns: int, rate: F) -> BlockNoise:
    return BlockNoise(columns, NormStaircase(columns, 1, rate, 1, "linf"))


def weights(columns: int, weight: Any) -> Law:
    """The law of vectors with these weights, on a cube that holds all but 1e-6 of it."""
    points = product(range(-REACH, REACH + 1), repeat=columns)
    found = {point: weight(point) for point in points}
    total = math.fsum(found.values())
    return {point: each / total for point, each in found.items()}


def law_of(kind: str, columns: int, rate: float) -> Law:
    """Each written down as its definition says."""
    match kind:
        case "cube":
            return weights(columns, lambda y: math.exp(-rate * max(map(abs, y))))
        case "laplace":
            return weights(columns, lambda y: math.exp(-rate * sum(map(abs, y))))
    cells = {k: norm.cdf(k + 0.5, scale=rate) - norm.cdf(k - 0.5, scale=rate)
             for k in range(-REACH, REACH + 1)}  # fmt: skip
    return weights(columns, lambda y: math.prod(cells[k] for k in y))


def hockey_stick(one: Law, other: Law, epsilon: float) -> float:
    factor = math.exp(epsilon)
    return math.fsum(max(0.0, p - factor * other.get(y, 0.0)) for y, p in one.items())


def shifted(law: Law, by: tuple[int, ...]) -> Law:
    return {tuple(a + b for a, b in zip(y, by, strict=True)): p for y, p in law.items()}


CASES = [
    ("cube", cube(1, F(1)), 1.0),
    ("cube", cube(2, F(3, 2)), 1.5),
    ("laplace", BlockNoise(2, DiscreteLaplace(F(4, 5))), 0.8),
    ("gaussian", gaussian_noise(2, F(1, 2)), math.sqrt(2) * 2),
]
NAMES = ["cube of one", "cube", "laplace", "gaussian"]


# Privacy, by enumeration


@pytest.mark.parametrize(("kind", "noise", "rate"), CASES, ids=NAMES)
def test_no_move_of_a_row_loses_more_than_is_stated(
    kind: str, noise: BlockNoise, rate: float
) -> None:
    """Every vector of -1, 0, 1 on the law as written down, at several epsilons, for two rows too."""
    law = law_of(kind, noise.columns, rate)
    for distance in (1, 2):
        worst = 0.0
        for epsilon in ("0", "0.4", "1", "1.4"):
            stated = float(noise.loss.for_group(distance).delta(epsilon).upper)
            moves = product(range(-distance, distance + 1), repeat=noise.columns)
            lost = max(hockey_stick(law, shifted(law, by), float(epsilon)) for by in moves)
            assert lost <= stated + 1e-6
            worst = max(worst, lost / max(stated, 1e-9))
        assert worst > 0.6, "what is stated is not far off"


def test_independent_laplace_noise_loses_what_is_stated_exactly() -> None:
    """A shift by 1 is randomized response in every column."""
    noise, law = BlockNoise(2, DiscreteLaplace(F(4, 5))), law_of("laplace", 2, 0.8)
    for epsilon in (0.0, 0.5, 1.0):
        lost = hockey_stick(law, shifted(law, (1, 1)), epsilon)
        assert lost == pytest.approx(float(noise.loss.delta(F(epsilon))), abs=1e-6)


def test_cube_noise_loses_epsilon_and_not_less() -> None:
    law = law_of("cube", 2, 1.5)
    moved = [shifted(law, by) for by in product((-1, 0, 1), repeat=2)]
    ratios = [p / q for other in moved for y, p in law.items() if (q := other.get(y))]
    assert max(ratios) == pytest.approx(math.exp(1.5))


def test_blocks_share_epsilon_and_the_last_may_be_short() -> None:
    """Three columns in two blocks of two; the fourth number is dropped."""
    noise = BlockNoise(3, NormStaircase(2, 1, F(3, 4), 1, "linf"))
    pair, law = law_of("cube", 2, 0.75), defaultdict[tuple[int, ...], float](float)
    one = defaultdict[int, float](float)
    for (c, _), p in pair.items():
        one[c] += p
    few = {y: p for y, p in pair.items() if max(map(abs, y)) <= 12}
    for (a, b), p in few.items():
        for c in range(-12, 13):
            law[a, b, c] += p * one[c]
    for epsilon in ("0.3", "1"):
        stated = float(noise.loss.delta(epsilon).upper)
        lost = max(hockey_stick(law, shifted(law, by), float(epsilon))
                   for by in ((1, 1, 1), (1, 0, 1), (1, -1, 0), (0, 0, -1)))  # fmt: skip
        assert lost <= stated + 2e-3  # what the smaller cube leaves out
    assert noise.loss.delta("1.5").upper == 0
    for t in range(6):
        worst = math.fsum(p for y, p in law.items() if max(map(abs, y)) <= t)
        assert float(noise.exceeds(t).lower) <= 1 - worst <= float(noise.exceeds(t).upper)
    source, used = Scripted(SOME), Scripted(SOME)
    drawn = [*noise.sample(source)]
    assert drawn == [*np.ravel(noise.law.sample(2, used))][:3] and source.left == used.left


@pytest.mark.parametrize("kind", ["cube", "laplace", "gaussian"])
def test_releases_of_all_small_tables_are_as_private_as_promised(kind: Any) -> None:
    """All tables of two rows and two columns, all replaced rows, the law of the clipped means."""
    made = one_way_marginals((2, 2), epsilon=2, delta=0 if kind != "gaussian" else "0.05", values=(0, 1), mechanism=kind)  # fmt: skip
    column: Any = made.noise
    size = math.sqrt(column.law.variance) if kind == "gaussian" else float(column.law.rate)
    noise = law_of(kind, 2, size)

    def outputs(counts: tuple[int, ...]) -> Law:
        found = defaultdict[tuple[int, ...], float](float)
        for y, p in noise.items():
            found[tuple(min(max(a + b, 0), 2) for a, b in zip(counts, y, strict=True))] += p
        return found

    rows = list(product((0, 1), repeat=2))
    of_tables = {pair: outputs((pair[0][0] + pair[1][0], pair[0][1] + pair[1][1]))
                 for pair in product(rows, repeat=2)}  # fmt: skip
    lost = max(
        hockey_stick(of_tables[kept, one], of_tables[kept, other], 2)
        for kept, one, other in product(rows, repeat=3)
    )
    delta = made.promise.delta if isinstance(made.promise, ApproxDP) else 0
    assert lost <= delta + 1e-6  # what lies beyond the cube


# Errors, computed in another way


@pytest.mark.parametrize(("kind", "noise", "rate"), CASES, ids=NAMES)
def test_errors_are_those_of_the_law(kind: str, noise: BlockNoise, rate: float) -> None:
    law = law_of(kind, noise.columns, rate)
    for order in (1, 2):
        mean = math.fsum(p * abs(y[0]) ** order for y, p in law.items())
        assert float(noise.moment(order)) == pytest.approx(mean, rel=1e-4)
    for t in range(8):
        beyond = math.fsum(p for y, p in law.items() if max(map(abs, y)) > t)
        assert float(noise.exceeds(t)) == pytest.approx(beyond, abs=1e-5)
    for confidence in (F(1, 2), F(19, 20)):
        least = next(t for t in range(99) if sum(p for y, p in law.items() if max(map(abs, y)) > t) <= 1 - confidence)  # fmt: skip
        assert noise.worst(confidence) == least


@pytest.mark.parametrize(("columns", "rate"), [(7, 0.3), (100, 1.0)])
def test_cube_noise_of_many_columns_has_the_sums_of_its_definition(
    columns: int, rate: float
) -> None:
    """Layers of the norm added up by mpmath, with 40 digits."""
    noise = cube(columns, F(str(rate)))
    with mpmath.workdps(40):
        b = mpmath.exp(-mpmath.mpf(str(rate)))

        def total(first: int, value: Any) -> Any:
            return mpmath.fsum(value(k) * b**k for k in range(first, 3000))

        def shell(k: int) -> Any:
            return (2 * k + 1) ** columns - ((2 * k - 1) ** columns if k else 0)

        whole = total(0, shell)
        for t in (0, columns // 2, columns, 3 * columns):
            assert float(noise.exceeds(t)) == pytest.approx(float(total(t + 1, shell) / whole))
        mass = total(0, lambda k: (2 * k + 1) ** columns)
        absolute = total(0, lambda k: mpmath.mpf(k * (k + 1)) / (2 * k + 1) * (2 * k + 1) ** columns)  # fmt: skip
        square = total(0, lambda k: mpmath.mpf(k * (k + 1)) / 3 * (2 * k + 1) ** columns)
        assert float(noise.moment(1)) == pytest.approx(float(absolute / mass))
        assert float(noise.moment(2)) == pytest.approx(float(square / mass))


def test_the_worst_of_independent_columns_is_a_power() -> None:
    laplace, normal = BlockNoise(50, DiscreteLaplace(F(1, 9))), gaussian_noise(50, F(1, 3))
    for t in (5, 40, 90):
        one = 2 * math.exp(-(t + 1) / 9) / (1 + math.exp(-1 / 9))
        assert float(laplace.exceeds(t)) == pytest.approx(-math.expm1(50 * math.log1p(-one)))
        sigma = math.sqrt(50) * 3
        inside = 1 - 2 * norm.sf((t + 0.5) / sigma)
        assert float(normal.exceeds(t)) == pytest.approx(1 - inside**50)
    assert isinstance(normal.law, RoundedGaussian) and normal.law.variance == 450


def test_draws_err_as_stated() -> None:
    """200 draws of 600 columns in two blocks; each bound is missed with chance below 1e-9."""
    noise = one_way_marginals((9, 600), epsilon=1).noise
    assert isinstance(noise, BlockNoise) and noise.law.dimension == 300
    words = np.random.default_rng(8).integers(0, 256, (200, 1 << 14), np.uint8)
    drawn = np.array([noise.sample(Scripted(bytes(each))) for each in words])
    assert drawn.shape == (200, 600)
    above = int((np.abs(drawn).max(axis=1) > noise.worst(F(1, 2))).sum())
    assert 57 <= above <= 143  # 100 +- 6 * 7.1
    # Blocks have a mean of |y| around K/2 with K within 1/sqrt(300): 400 of them are averaged.
    assert float(np.abs(drawn).mean()) == pytest.approx(float(noise.moment(1)), rel=6 / math.sqrt(300 * 400) * 2)  # fmt: skip
    assert abs(np.corrcoef(np.abs(drawn[:, 0]), np.abs(drawn[:, 599]))[0, 1]) < 0.45


# Published values: Steinke and Ullman 2016, with the corrections of docs/errata.md


def fine(columns: int) -> BlockNoise:
    """On a lattice so fine that it is the law on the line: 1/epsilon is 10,000 steps."""
    return cube(columns, F(1, 10_000))


def test_the_norm_has_a_gamma_law_and_the_radius_one_more() -> None:
    """B1, B2: Gamma(d + 1) for the radius gives a norm of mean d; Gamma(d) would give 9.09 at d = 10."""
    noise = fine(10)
    for t in (3, 8, 12, 20):
        assert float(noise.exceeds(t * 10_000)) == pytest.approx(gamma.sf(t, 10), abs=1e-3)
    assert float(noise.law.moment(1)) / 10_000 == pytest.approx(10, rel=1e-3)
    assert float(noise.moment(1)) / 10_000 == pytest.approx(11 / 2, rel=1e-3)  # half a radius


def test_the_tail_bound_is_false_below_its_range() -> None:
    """B3: d = 10 at 5: printed 0.145, truth 0.968."""
    printed = (5 / 10) ** 10 * math.exp(10 - 5)
    assert printed == pytest.approx(0.145, abs=1e-3)
    assert float(fine(10).exceeds(50_000)) == pytest.approx(0.968, abs=1e-3)


@pytest.mark.parametrize(("columns", "truth"), [(2, 0.0916), (10, 0.0050)])
def test_four_columns_over_epsilon_and_error_fail_as_rarely_as_derived(
    columns: int, truth: float
) -> None:
    """B4, Theorem 1.2: n = 4d/(epsilon*alpha) rows fail with chance at most (2/e)^d, not (2e)^-d."""
    epsilon, alpha = F(1, 10_000), F(1, 10)
    made = one_way_marginals((int(4 * columns / (epsilon * alpha)), columns), epsilon=epsilon)
    chance = float(made.exceeds(alpha))
    assert chance == pytest.approx(truth, abs=2e-4)
    assert (2 * math.e) ** -columns < chance <= (2 / math.e) ** columns


def test_rows_for_a_hundred_means() -> None:
    """Worst error 0.1 with confidence 0.95: 2,340 and 15,160 rows (the table of sample sizes)."""
    kinds: Any = (("cube", 2340), ("laplace", 15_160))
    for kind, rows in kinds:
        at, fewer = (
            one_way_marginals((n, 100), epsilon=1, mechanism=kind) for n in (rows, rows - 1)
        )
        assert at.worst_error() <= F(1, 10) < fewer.worst_error()


def test_many_columns_have_nine_times_less_error_than_with_independent_noise() -> None:
    """1,000 columns at epsilon = 1: 1,052 with one cube, 1,089 with two, 9,878 with Laplace noise."""
    found = one_way_marginals((10**6, 1000), epsilon=1)
    other = one_way_marginals((10**6, 1000), epsilon=1, mechanism="laplace")
    worst = [each.noise.worst(F(19, 20)) for each in (found, other)]
    assert found.kind == "cube" and worst == [1089, 9878]
    assert found.privacy().delta(1).upper == 0


# The choice, and what is printed


@pytest.mark.parametrize(
    ("columns", "delta", "objective", "kind"),
    [(100, 0, "max", "cube"), (2, "1e-6", "max", "cube"), (100, "1e-6", "max", "cube"), (300, "1e-6", "max", "gaussian"),
     (30, "1e-6", "average", "cube"), (300, "1e-6", "average", "gaussian"), (300, "1e-6", "squared", "gaussian"), (300, 0, "squared", "cube")],
)  # fmt: skip
def test_the_best_is_chosen(columns: int, delta: Any, objective: Any, kind: str) -> None:
    made = one_way_marginals((999, columns), epsilon=1, delta=delta, objective=objective)
    assert made.kind == kind
    assert made.guarantee == (PureDP(epsilon=1) if kind == "cube" else ApproxDP(epsilon=1, delta=delta))  # fmt: skip

    def cost(each: Any) -> Any:
        return each.worst_error() if objective == "max" else each.expected_error(objective).upper

    others: list[Any] = ["cube", "laplace"] + ["gaussian"] * bool(delta)
    assert cost(made) == min(
        cost(one_way_marginals((999, columns), epsilon=1, delta=delta, mechanism=each))
        for each in others
    )


@pytest.mark.parametrize("kind", ["cube", "laplace", "gaussian", "repaired"])
def test_every_kind_keeps_what_it_promises(kind: Any) -> None:
    made = one_way_marginals((99, 40), epsilon="0.7", delta="1e-6", mechanism=kind)
    delta = made.promise.delta if isinstance(made.promise, ApproxDP) else 0
    assert made.kind == kind and made.privacy().delta("0.7").upper <= delta
    assert made.privacy(2).delta("0.7").lower > delta
    assert made.certificate() is None


def test_it_says_what_it_is() -> None:
    made = one_way_marginals((1000, 20), epsilon=1, delta="1e-6", mechanism="gaussian", values=(0, 1))  # fmt: skip
    worst = float(made.worst_error())
    assert repr(made) == (
        "Means of 20 columns with gaussian noise, (1, 1e-06)-DP: 95 % of releases err by at most "
        f"{worst:.4g} in every column"
    )
    assert float(made.exceeds(worst + 1e-9).upper) <= 0.05 < float(made.exceeds(worst - 1e-3).upper)


def test_errors_scale_with_the_values() -> None:
    bits, signs = (one_way_marginals((1000, 20), epsilon=1, values=v) for v in ((0, 1), (-1, 1)))
    assert signs.worst_error() == 2 * bits.worst_error()
    assert signs.expected_error("squared").upper == 4 * bits.expected_error("squared").upper
    assert bits.worst_error() * 1000 == bits.noise.worst(F(19, 20))


# Releases


class Silent(BlockNoise):
    """No noise at all."""

    def sample(self, source: Source) -> Any:
        return np.zeros(self.columns, np.int64)


@pytest.mark.parametrize("values", [(-1, 1), (0, 1), ("0.5", 3)])
def test_without_noise_means_are_those_of_the_table(values: Any) -> None:
    low, high = (float(F(each)) for each in values)
    table = np.random.default_rng(2).choice([low, high], (50, 7))
    made = one_way_marginals(table, epsilon=1, values=values)
    assert isinstance(made.noise, BlockNoise)
    object.__setattr__(made, "noise", Silent(7, made.noise.law))
    assert made.release(table).value == pytest.approx(table.mean(axis=0))
    assert made.release(table.tolist()).value == pytest.approx(table.mean(axis=0))


def test_a_release_adds_one_draw_to_the_counts_and_clips() -> None:
    table = np.random.default_rng(2).integers(0, 2, (40, 9)).astype(bool)
    made = one_way_marginals(table, epsilon="0.1", values=(0, 1))
    source, used = Scripted(SOME), Scripted(SOME)
    answer = made.release(table, source)
    noisy = table.sum(axis=0) + made.noise.sample(used)
    assert answer.value.tolist() == [min(max(int(each), 0), 40) / 40 for each in noisy]
    assert answer.guarantee == PureDP(epsilon="0.1") and source.left == used.left
    assert any(not 0 <= each <= 40 for each in noisy), "clipping plays a part here"


SECRET = 987654321


@pytest.mark.parametrize(
    ("table", "words"),
    [([[1, 1]], "3 rows of 2 columns"), ([1, 1, 1], "3 rows"), ([[1, 1], [1], [1, 1]], "3 rows"), ([], "3 rows"),
     ([[1, 1], [1, SECRET], [1, 1]], "neither"), ([[1, 1], [1, math.nan], [1, 1]], "neither"), ([["1", "1"]] * 3, "neither"),
     ([[1, 1], [None, 1], [1, 1]], "neither"), ([[True, False]] * 3, "neither")],
)  # fmt: skip
def test_tables_that_do_not_fit_are_refused_before_a_draw(table: Any, words: str) -> None:
    source = Scripted(SOME)
    with pytest.raises(InvalidInput, match=words) as refusal:
        one_way_marginals((3, 2), epsilon=1).release(table, source)
    assert str(SECRET) not in str(refusal.value) and len(source.left) == len(SOME)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"bits": [1, 2, 3]}, "no table"), ({"bits": [[1], [1, 2]]}, "no table"), ({"bits": (3,)}, "no table"), ({"bits": ([1], [2])}, "no table"),
     ({"bits": (0, 3)}, "number of rows"), ({"bits": (3, 1.5)}, "number of columns"), ({"bits": np.zeros((3, 0))}, "number of columns"),
     ({"epsilon": 0}, "above 0"), ({"epsilon": -1}, "above 0"), ({"epsilon": "x"}, "number"), ({"delta": 1}, "delta"), ({"delta": -1}, "delta"),
     ({"objective": "median"}, "objective"), ({"objective": []}, "objective"), ({"mechanism": "box"}, "mechanism"), ({"mechanism": []}, "mechanism"),
     ({"values": (1, 0)}, "lesser first"), ({"values": (0, 1, 2)}, "lesser first"), ({"values": (0, "b")}, "values"), ({"values": 3}, "lesser first"),
     ({"mechanism": "gaussian"}, "Without delta"), ({"mechanism": "repaired"}, "Without delta")],
)  # fmt: skip
def test_arguments_that_are_wrong(arguments: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        one_way_marginals(**{"bits": (3, 2), "epsilon": 1} | arguments)


def test_questions_that_are_wrong() -> None:
    made: Any = one_way_marginals((3, 2), epsilon=1)
    asks: list[Any] = [
        lambda: made.privacy(0), lambda: made.worst_error(1), lambda: made.worst_error(0),
        lambda: made.exceeds(-1), lambda: made.expected_error("max"), lambda: made.expected_error([]),
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(InvalidInput):
            ask()
