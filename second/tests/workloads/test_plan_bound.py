"""Joint noise of a plan: figures, proved variances, bounds by brute force, forged certificates."""

import ast
import copy
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from math import cosh, exp, sinh, sqrt, tanh
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import leastnoise.workloads.plan_checker
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import UNITS, Block, Box, Diamond, KNormNoise, Simplex
from leastnoise.noise.joint_tables import Law, variance
from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers.errors import CertificateRejected, InvalidInput
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.workloads import joint_noise
from leastnoise.workloads.plan_bound import (
    Dual,
    Reach,
    amounts,
    bounds,
    lattice_bound,
    price,
    root_trace_squared,
)
from leastnoise.workloads.plan_checker import (
    KIND,
    RIVALS,
    UNIT,
    claim_of,
    encoded,
    mean_squares,
    square_sum,
)

COUNT, MIXED = Box(0, 1), [Box(0, 1)] * 5 + [Simplex(20, 1)] * 3 + [Box(0, 1)] * 2
PLANS: dict[str, tuple[list[Reach], Guarantee]] = {
    "ten": ([COUNT] * 10, PureDP(epsilon=1)),
    "three": ([COUNT] * 3, PureDP(epsilon=2)),
    "two": ([COUNT] * 2, PureDP(epsilon=1)),
    "one": ([COUNT], PureDP(epsilon=1)),
    "ten, Gaussian": ([COUNT] * 10, GDP(mu=1)),
    "mixed": ([*MIXED], PureDP(epsilon=1)),
    "mixed, Gaussian": ([*MIXED], ZCDP(rho="0.5")),
    "many": ([COUNT] * 100, ApproxDP(epsilon=1, delta="1e-6")),
    "ball": ([Ball(5, 9), UNITS, Box(1, 4)], ZCDP(rho="0.1")),
    "list": ([Simplex(300, 6)], PureDP(epsilon=3)),
    "rounded list": ([Simplex(300, 7)], PureDP(epsilon=3)),
}


@cache
def text(name: str) -> str:
    found: str = joint_noise(*PLANS[name]).certificate().to_json()
    return found


def claim(name: str) -> dict[str, Any]:
    return dict(Certificate.from_json(text(name)).claim)


# Figures


def achieved(name: str) -> float:
    return float(F(claim(name)["achieved"]))


def bound(name: str, rivals: str = "unbiased") -> float:
    return float(F(claim(name)["bounds"][rivals]))


def test_the_figures_of_plans() -> None:
    assert achieved("ten") / 10 == pytest.approx(20.3173, abs=5e-5)
    assert achieved("mixed") / 10 == pytest.approx(51.476, abs=5e-4)
    assert achieved("ten, Gaussian") == pytest.approx((10 + sqrt(10)) ** 2 / 4, rel=1e-4)  # 43.31
    assert bound("ten, Gaussian", "Gaussian") == pytest.approx(41.006, abs=1e-3)
    assert "ratio 1.057" in text("ten, Gaussian")
    assert bound("mixed, Gaussian", "Gaussian") > 56.7


def test_the_number_of_units_is_free() -> None:
    """Beside ten counts it needs no part of the price, however little it counts."""
    reach = [COUNT] * 10 + [UNITS]
    for importance in (None, [1] * 10 + ["1e-9"]):
        noise = joint_noise(reach, PureDP(epsilon=1), importance=importance)
        assert [len(group.places) for group in noise.groups] == [11]
        assert noise.variance(0) == pytest.approx(20.3173, abs=5e-5)
        assert noise.variance(10) == pytest.approx(20.3429, abs=5e-5)


@pytest.mark.parametrize(("unit", "without"), [(1, 56.35), (1 << 20, 59.40)])
def test_start_widths_help(unit: int, without: float) -> None:
    """The mixed plan with the best shares but no start widths; with them it has less than 51.6."""
    parts = (Box(0, unit),) * 7, (Simplex(20, unit),) * 3
    costs = [len(part) * variance(KNormNoise(F(1), part, 2), 0) / unit**2 for part in parts]
    assert sum(cost ** (1 / 3) for cost in costs) ** 3 / 10 == pytest.approx(without, abs=0.02)


def test_three_counts_are_near_the_least_of_all_additive_noise() -> None:
    lone = 3 * float(DiscreteLaplace(2).moment(2))
    assert achieved("three") == pytest.approx(3.228801, abs=1e-6)
    assert bound("three") > 2.45 > 1.08 > lone / 3
    assert lone == pytest.approx(1.086, abs=1e-3)
    assert bound("three", "additive") > 3.2002
    assert claim("three")["statement"].splitlines() == [
        "Weighted variances add up to at most 3.229.",
        "No unbiased mechanism has less than 2.45 at its worst table: ratio 1.318.",
        "No noise of whole numbers with mean 0, the same for all data, has less than 3.2: "
        "ratio 1.009.",
    ]


def test_one_count_is_the_least() -> None:
    assert claim("one")["statement"].endswith("ratio 1, the least possible.")
    assert [*claim("one")["bounds"]] == ["unbiased"]


@pytest.mark.parametrize("cells", [20, 300])
@pytest.mark.parametrize("epsilon", ["0.7", "1", "3"])
def test_a_lone_list_is_not_rounded_up(cells: int, epsilon: str) -> None:
    """Scales of independent noise are whole; in place of 1/0.7 or 1/3 a diamond is drawn."""
    exact = float(DiscreteLaplace(epsilon).moment(2))
    noise = joint_noise([Simplex(cells, 1)], PureDP(epsilon=epsilon))
    assert noise.total == pytest.approx(exact, rel=1e-9)
    assert isinstance(noise.groups[0].law, LaplaceNoise) == (epsilon == "1")


def test_a_budget_takes_the_better_noise() -> None:
    few, many = (joint_noise([COUNT] * k, ApproxDP(epsilon=1, delta="1e-6")) for k in (10, 100))
    assert not isinstance(few.groups[0].law, CentredGaussian)
    assert isinstance(many.groups[0].law, CentredGaussian)
    assert (
        many.variance(0)
        < 548
        < variance(joint_noise([COUNT] * 100, PureDP(epsilon=1)).groups[0].law, 0)
    )
    assert joint_noise([COUNT], GDP(mu=1)).total <= 1.1


# Variances


def drawn(block: Block, p: int, q: int) -> list[tuple[int, ...]]:
    """All points of C(p, q)."""
    if isinstance(block, Box):
        low = p * block.low - q * block.high - block.start // 2
        side = range(low, low + (p + q) * (block.high - block.low) + block.start + 1)
        return list(product(side, repeat=block.cells))
    reach = (p + q) * block.total + block.start
    found = []
    for x in product(range(-reach, reach + 1), repeat=block.cells):
        up, down = sum(a for a in x if a > 0), -sum(a for a in x if a < 0)
        if isinstance(block, Diamond) and up + down <= reach:
            found.append(x)
        fits = up <= p * block.total + block.start and down <= q * block.total + block.start
        if isinstance(block, Simplex) and fits:
            found.append(x)
    return found


@pytest.mark.parametrize(
    "block",
    [Box(0, 1), Box(-1, 2, 2, 3), Simplex(2, 1), Simplex(3, 1, 1), Diamond(2, 2), Diamond(3, 1, 1)],
)
def test_sums_of_squares_by_listing_all_points(block: Block) -> None:
    for p, q in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 1)):
        points = drawn(block, p, q)
        assert len(points) == block.points(p, q)
        assert square_sum(block, p, q) == sum(x[0] ** 2 for x in points)


@pytest.mark.parametrize("name", PLANS)
def test_proved_variances_are_those_of_the_tables(name: str) -> None:
    for group in joint_noise(*PLANS[name]).groups:
        rounding = 1 / 12 if isinstance(group.law, CentredGaussian) else 0
        for place, proved in enumerate(mean_squares(group.law)):
            assert float(proved) + rounding == pytest.approx(variance(group.law, place), rel=1e-3)


def test_exact_variances() -> None:
    # At e^-epsilon near 1/2 the variance of two unit counts is 88/13 (docs/proofs/joint_pure.md's law).
    half = F(6931471805599453, 10**16)
    (found, _) = mean_squares(KNormNoise(half, (COUNT, COUNT)))
    assert float(found) == pytest.approx(88 / 13, rel=1e-12)
    (alone,) = mean_squares(LaplaceNoise(5, Simplex(300, 7)))
    assert float(alone) == pytest.approx(float(DiscreteLaplace("0.2").moment(2)), rel=1e-12)


# Bounds


def test_prices() -> None:
    assert float(price(PureDP(epsilon=1))) == pytest.approx(2 * sinh(0.5) ** 2)
    assert 1 / price(PureDP(epsilon=F(1, 3))) <= F(DiscreteLaplace("1/3").moment(2).upper)
    approx = 4 * sinh(0.5) ** 2 + 4 * cosh(0.5) ** 2 / 99
    assert float(price(ApproxDP(epsilon=1, delta="0.01"))) == pytest.approx(approx)
    root = (float(price(ZCDP(rho="0.3"))) / 4) ** 0.5
    a = np.arcsinh(root)
    assert 2 * a * tanh(a) == pytest.approx(0.3)
    assert price(GDP(mu=1)) == price(ZCDP(rho="0.5")) > 1 == amounts(GDP(mu=1))[1]
    square = amounts(ApproxDP(epsilon=1, delta="1e-6"))[1]
    assert float(square) == pytest.approx(1 / 17.848, rel=1e-4)
    one = [COUNT], [F(1)], [F(1)]
    assert float(bounds(GDP(mu=2), *one, {})["Gaussian"]) == pytest.approx(1 / 4)
    assert "Gaussian" not in bounds(PureDP(epsilon=1), *one, {})


def law_of_pair(epsilon: float, delta: float, low: float) -> tuple[float, float]:
    """The squared distance of two means over the variance, of a pair that keeps (epsilon, delta).

    Both have the same variance by symmetry: values -far, -1, 1, far, the outer ones with delta.
    """
    share = exp(epsilon) / (1 + exp(epsilon)) * (1 - delta)
    mean = (2 * share - (1 - delta)) + delta * low
    square = (1 - delta) + delta * low**2
    return (2 * mean) ** 2, square - mean**2


def test_prices_of_pairs_are_attained_or_above() -> None:
    """Randomised response, with a part delta that says all: how far means are apart."""
    for epsilon, delta in product((0.1, 1.0, 3.0), (0.001, 0.1, 0.5)):
        budget = ApproxDP(epsilon=epsilon, delta=delta)
        ratios = []
        for low in (0.5, 1.0, 1 / tanh(epsilon / 2), 5.0, 40.0):
            apart, spread = law_of_pair(epsilon, delta, low)
            ratios.append(apart / spread)
        assert max(ratios) == pytest.approx(float(price(budget)), rel=1e-9)


def units(block: Reach, c: float) -> list[tuple[float, list[int]]]:
    """The law of what a random unit does to a vector."""
    d, rest = block.cells, [0] * block.cells
    if isinstance(block, Box):
        return [
            (
                float(np.prod([c if up else 1 - c for up in ups])),
                [block.high if up else block.low for up in ups],
            )
            for ups in product((0, 1), repeat=d)
        ]
    if isinstance(block, Simplex):
        whole = [[*rest[:i], block.total, *rest[i + 1 :]] for i in range(d)]
        return [(1 - c, rest), *((c / d, each) for each in whole)]
    size = int(sqrt(block.square)) if isinstance(block, Ball) else block.total
    return [(0.5 / d, [*rest[:i], s * size, *rest[i + 1 :]]) for i in range(d) for s in (1, -1)]


def test_the_trace_by_listing_all_units() -> None:
    kinds: list[Reach] = [
        Box(0, 1),
        Box(-1, 3, 2),
        Box(2, 2),
        Simplex(3, 2),
        Diamond(2, 3),
        Ball(2, 5),
        Box(0, 1),
    ]
    for seed in range(12):
        rng = Random(seed)
        reach = [rng.choice(kinds) for _ in range(rng.randint(1, 4))]
        weights = [F(rng.randint(1, 9), rng.randint(1, 9)) for _ in reach]
        chances = [F(rng.randint(0, 8), 8) for _ in reach]
        size = sum(block.cells for block in reach)
        matrix = np.zeros((size, size))
        for unit in product(*(units(b, float(c)) for b, c in zip(reach, chances, strict=True))):
            v = np.concatenate([each for _, each in unit])
            matrix += np.prod([p for p, _ in unit]) * np.outer(v, v)
        root = np.sqrt(np.repeat([float(w) for w in weights], [b.cells for b in reach]))
        values = np.linalg.eigvalsh(root[:, None] * matrix * root)
        true = np.sqrt(np.maximum(values, 0)).sum() ** 2
        found = float(root_trace_squared(reach, weights, chances))
        assert found == pytest.approx(true, rel=1e-6, abs=1e-5)
        assert found <= true * (1 + 1e-7) + 1e-12


def laws_of_two_counts(epsilon: F) -> list[list[F]]:
    """Mean squares of noise for two counts that keeps the promise."""
    started = (replace(COUNT, start=s) for s in range(5))
    found = [mean_squares(KNormNoise(epsilon, (box, box))) for box in started]
    found += [
        [F(DiscreteLaplace(epsilon * share).moment(2).upper) for share in (part, 1 - part)]
        for part in (F(1, 10), F(1, 2), F(2, 3))
    ]
    return found


def test_the_lattice_bound_is_below_every_law_that_keeps_the_promise() -> None:
    """Whatever the weights y: random ones say little or nothing, those of a certificate much."""
    budget, weights = PureDP(epsilon=2), [F(1), F(2)]
    moves = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if abs(a + b) == abs(a) + abs(b) > 0]
    duals: list[Dual] = []
    for seed in range(30):
        rng = Random(seed)
        duals.append({
            move: {(rng.randint(-2, 2), rng.randint(-2, 2)): F(rng.randint(0, 9), 9 + 9 * seed)}
            for move in rng.sample(moves, 3)
        })  # fmt: skip
    witness = joint_noise([COUNT] * 2, budget, importance=[1, 2]).certificate().witness
    duals.append({
        tuple(move): {tuple(x): y * UNIT for x, y in values} for move, values in witness["dual"]
    })  # fmt: skip
    bounds = [lattice_bound(budget, [COUNT, COUNT], weights, dual) for dual in duals]
    for law in laws_of_two_counts(F(2)):
        assert max(bounds) <= law[0] + 2 * law[1]
    least = mean_squares(KNormNoise(F(2), (COUNT, COUNT)))
    assert bounds[-1] == max(bounds) > F(99, 100) * (least[0] + 2 * least[1])


def test_the_bound_of_one_count_by_hand() -> None:
    """x^2 + y(x) - e*y(x - 1) = L for x > 0, from y(40) = 0 down to 2*y(0) = L at x = 0."""
    least = 1 / price(PureDP(epsilon=1))
    ys = [F(0)]
    for x in range(40, 0, -1):
        rounded = (x * x - least * F(9999, 10**4) + ys[0]) / F("2.718281828459046")
        ys.insert(0, max(rounded, F(0)))
    dual: Dual = {(sign,): {(sign * x,): y for x, y in enumerate(ys)} for sign in (1, -1)}
    found = lattice_bound(PureDP(epsilon=1), [COUNT], [F(1)], dual)
    assert least * F(9998, 10**4) < found <= least


@pytest.mark.parametrize(
    ("budget", "reach", "dual"),
    [
        (PureDP(epsilon=2), [COUNT, COUNT], {(1, -1): {(0, 0): F(1, 3)}}),
        (PureDP(epsilon=2), [COUNT, COUNT], {(1, 1): {(0, 0): F(-1, 3)}}),
        (PureDP(epsilon=2), [COUNT, COUNT], {(1, 1): {(300, 0): F(1, 3)}}),
        (PureDP(epsilon=2), [Box(0, 1, 2)], {(1, 1): {(0, 0): F(1, 3)}}),
        (ZCDP(rho=2), [COUNT, COUNT], {(1, 1): {(0, 0): F(1, 3)}}),
    ],
)
def test_weights_that_prove_nothing(budget: Guarantee, reach: list[Reach], dual: Dual) -> None:
    with pytest.raises(InvalidInput):
        lattice_bound(budget, reach, [F(1)] * len(reach), dual)


@pytest.mark.parametrize(
    "reach",
    [
        [UNITS],
        [Box(2, 2), Box(-3, -3), Box(0, 0)],
        [COUNT, Box(0, 0), Simplex(4, 0)],
        [Box(0, 2**62), Simplex(5, 2**61)],
        [Box(0, 1, 600)],
        [Simplex(600, 1)],
        [Box(0, k) for k in range(1, 31)],
    ],
)
@pytest.mark.parametrize("budget", [PureDP(epsilon="1e-50"), PureDP(epsilon=9), GDP(mu="0.3")])
def test_odd_plans_have_certificates(reach: list[Reach], budget: Guarantee) -> None:
    noise = joint_noise(reach, budget)
    assert 0 < noise.total < float("inf")
    assert "ratio" in noise.certificate().check()


# Releases


def test_a_release_adds_noise_of_the_laws() -> None:
    noise = joint_noise([COUNT, Simplex(3, 1)], PureDP(epsilon=500))
    assert noise.release([5, [1, 2, 10**20]]).value[0] == 5
    assert list(noise.release([5, np.array([1, 2, 3])]).value[1]) == [1, 2, 3]
    assert noise.privacy().epsilon(0).upper <= 500
    assert joint_noise([COUNT] * 10, GDP(mu=1)).privacy(2).delta(1).upper < F(51, 100)
    for wrong in ([5], [5, [1, 2]], [5, 1, 2]):
        with pytest.raises(InvalidInput, match="as many or as long"):
            noise.release(wrong)


@pytest.mark.parametrize(
    ("reach", "budget", "importance", "message"),
    [
        ([], PureDP(epsilon=1), None, "Give one"),
        ([(0, 1)], PureDP(epsilon=1), None, "Give one"),
        ([COUNT], PureDP(epsilon=1), [1, 2], "importance has 2"),
        ([COUNT], PureDP(epsilon=1), [0], "above 0"),
        ([Ball(2, 1)], PureDP(epsilon=1), None, "Ball needs"),
        ([COUNT], PureDP(epsilon=0), None, "No noise keeps"),
        ([Box(0, 0)], PureDP(epsilon=1), None, "moves no number"),
        ([Box(0, 2**63)], PureDP(epsilon=1), None, "by more than"),
        ([COUNT, COUNT], PureDP(epsilon=1), [1, "1e300"], "1e-30 .. 1e30"),
        ([COUNT], PureDP(epsilon=600), None, "from 1e-100 to 512"),
        ([COUNT], GDP(mu=33), None, "from 1e-100 to 32"),
        ([COUNT], ApproxDP(epsilon="1e-300", delta="1e-6"), None, "from 1e-100 to 512"),
        ([COUNT], ApproxDP(epsilon=1, delta=1), None, "no guarantee"),
        ([COUNT], "1", None, "no guarantee"),
    ],
)
def test_bad_input_gets_a_sentence(reach: Any, budget: Any, importance: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        joint_noise(reach, budget, importance=importance)


# Certificates


@pytest.mark.parametrize("name", PLANS)
def test_what_is_made_is_accepted(name: str) -> None:
    certificate = Certificate.from_json(text(name))
    said, found = certificate.check(), certificate.claim
    assert said == found["statement"] == repr(certificate)
    also = {"two": "additive", "three": "additive"} | dict.fromkeys(
        ("ten, Gaussian", "mixed, Gaussian", "many", "ball"), "Gaussian"
    )
    assert found["bounds"].keys() == {"unbiased"} | ({also[name]} if name in also else set())
    assert ("least possible" in said) == (name == "one")
    assert ("before answers are rounded" in said) == (also.get(name) == "Gaussian")
    for rivals, least in found["bounds"].items():
        assert F(least) <= F(found["achieved"])
        assert RIVALS[rivals].split("{}")[0] in said


def test_the_checker_imports_nothing_that_makes_certificates() -> None:
    package = Path(leastnoise.workloads.plan_checker.__file__).parent
    seen, todo = set[str](), ["plan_checker"]
    while todo:
        name = todo.pop()
        if name in seen or not (package / f"{name}.py").exists():
            continue
        seen.add(name)
        for node in ast.walk(ast.parse((package / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "leastnoise.workloads"
            ):
                todo += [str(node.module).rpartition(".")[2], *(each.name for each in node.names)]
            assert "scipy" not in ast.dump(node)[:80]
    assert seen == {"plan_checker", "plan_bound"}


Forgery = Callable[[dict[str, Any]], object]


def setter(part: str, value: Any) -> Forgery:
    return lambda body: body["claim"].__setitem__(part, value)


def moved(part: str, factor: F) -> Forgery:
    return lambda body: body["claim"].__setitem__(part, str(F(body["claim"][part]) * factor))


def in_law(place: int, value: Any) -> Forgery:
    return lambda body: body["claim"]["groups"][0][0].__setitem__(place, value)


def in_witness(part: str, value: Any) -> Forgery:
    return lambda body: body["witness"].__setitem__(part, value)


def row(change: Callable[[list[Any]], object]) -> Forgery:
    return lambda body: change(body["witness"]["dual"][0])


def moved_bound(rivals: str, factor: F) -> Forgery:
    def forge(body: dict[str, Any]) -> None:
        bounds = body["claim"]["bounds"]
        bounds[rivals] = str(F(bounds[rivals]) * factor)

    return forge


def renamed(old: str, new: str) -> Forgery:
    return lambda body: body["claim"]["bounds"].__setitem__(new, body["claim"]["bounds"].pop(old))


def said(old: str, new: str) -> Forgery:
    def forge(body: dict[str, Any]) -> None:
        assert old in body["claim"]["statement"]
        body["claim"]["statement"] = body["claim"]["statement"].replace(old, new)

    return forge


def half_move(move: list[Any]) -> None:
    move[0] = ["1/2"] * 3


MORE, LESS = 1 + F(1, 10**7), 1 - F(1, 10**7)
FORGERIES: list[tuple[str, str, Forgery]] = [
    ("achieved lower", "ten", moved("achieved", LESS)),
    ("achieved higher", "ten", moved("achieved", MORE)),
    ("achieved lower, Gaussian", "ten, Gaussian", moved("achieved", LESS)),
    ("achieved lower, list", "list", moved("achieved", LESS)),
    ("bound higher", "ten", moved_bound("unbiased", MORE)),
    ("bound lower", "ten", moved_bound("unbiased", LESS)),
    ("bound higher, lattice", "three", moved_bound("additive", MORE)),
    ("bound higher, Gaussian", "mixed, Gaussian", moved_bound("Gaussian", MORE)),
    ("bound above what is achieved", "one", moved_bound("unbiased", F(2))),
    ("verdict", "ten", said("ratio 2.691", "ratio 1, the least possible")),
    ("also verdict", "three", said("ratio 1.009", "ratio 1, the least possible")),
    ("rivals in words", "three", said("of whole numbers with mean 0, the same for all data,", "")),
    ("rivals", "ten", renamed("unbiased", "additive")),
    ("more rivals", "three", renamed("additive", "all")),
    ("other rivals", "three", renamed("additive", "Gaussian")),
    ("fewer rivals", "three", lambda body: body["claim"]["bounds"].pop("additive")),
    ("less budget", "ten", setter("budget", ["PureDP", "99/100"])),
    ("another kind of budget", "three", setter("budget", ["ApproxDP", "2", "0"])),
    ("less budget, Gaussian", "ten, Gaussian", setter("budget", ["GDP", "99/100"])),
    ("no budget", "ten", setter("budget", ["PureDP", "0"])),
    ("endless budget", "ten", setter("budget", ["PureDP", "10000"])),
    ("no guarantee", "ten", setter("budget", ["Box", 0, 1, 1, 0])),
    ("delta 1", "ten", setter("budget", ["ApproxDP", "1", "1"])),
    ("larger rate", "ten", in_law(1, "2")),
    ("smaller rate", "ten", in_law(1, "1/2")),
    ("one counter", "ten", in_law(3, 1)),
    ("a law without name", "ten", in_law(0, "TableLaw")),
    ("less variance", "ten, Gaussian", in_law(1, 1)),
    ("other weights", "ten, Gaussian", in_law(4, [1] * 10)),
    ("a law for a vector", "ten", lambda body: body["claim"]["reach"].__setitem__(0, ["LaplaceNoise", 1, ["Box", 0, 1, 1, 0]])),
    ("reach beyond the law", "ten", lambda body: body["claim"]["reach"].__setitem__(0, ["Box", 0, 2, 1, 0])),
    ("a vector twice", "ten", lambda body: body["claim"]["groups"][0][1].__setitem__(0, 1)),
    ("a vector less", "ten", lambda body: body["claim"]["reach"].pop()),
    ("a truth value", "ten", lambda body: body["claim"]["groups"][0][1].__setitem__(1, True)),
    ("importance", "ten", lambda body: body["claim"]["importance"].__setitem__(0, "2")),
    ("negative importance", "ten", lambda body: body["claim"]["importance"].__setitem__(0, "-1")),
    ("group missing", "mixed", lambda body: body["claim"]["groups"].pop()),
    ("chance above 1", "ten", in_witness("chances", ["3/2"] * 10)),
    ("other chances", "ten", in_witness("chances", ["1/2"] * 10)),
    ("float", "ten", in_witness("chances", [0.5] * 10)),
    ("no dual", "three", in_witness("dual", [])),
    ("impossible move", "three", row(lambda move: move.__setitem__(0, [1, -1, 0]))),
    ("short move", "three", row(lambda move: move.__setitem__(0, [1, 1]))),
    ("half a move", "three", row(half_move)),
    ("half a place", "three", row(lambda move: move[1][0].__setitem__(0, ["1/2", 0, 0]))),
    ("negative weight", "three", row(lambda move: move[1][0].__setitem__(1, -1))),
    ("larger weight", "three", row(lambda move: move[1][0].__setitem__(1, 2**40))),
    ("far weight", "three", row(lambda move: move[1].append([[900, 0, 0], 1]))),
    ("no weights", "three", row(lambda move: move.__setitem__(1, []))),
    ("dual for zCDP", "ten, Gaussian", in_witness("dual", [[[1] * 10, [[[0] * 10, 1]]]])),
    ("dual for a list", "list", in_witness("dual", [[[1] * 300, [[[0] * 300, 1]]]])),
    ("a part more", "ten", setter("note", "")),
    ("a part less", "ten", lambda body: body["claim"].pop("statement")),
    ("a witness more", "ten", in_witness("note", "")),
    ("another kind", "ten", lambda body: body.__setitem__("kind", "least noise")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "forgery"), [each[1:] for each in FORGERIES], ids=[each[0] for each in FORGERIES]
)
def test_forgeries_are_refused(name: str, forgery: Forgery) -> None:
    body = copy.deepcopy(json.loads(text(name)))
    forgery(body)
    with pytest.raises(CertificateRejected):
        Certificate(body["kind"], body["claim"], body["witness"]).check()


PURE, GAUSS = KNormNoise(F(1), (COUNT,)), CentredGaussian(1 << 20, 1 << 9, (COUNT,), (1 << 9,))
WRONG: list[tuple[str, Guarantee, list[tuple[Law, tuple[int, ...]]], str]] = [
    ("too dear", PureDP(epsilon="0.9"), [(PURE, (0,))], "price"),
    ("both dear", PureDP(epsilon="1.9"), [(PURE, (0,)), (PURE, (1,))], "price"),
    ("Gaussian", PureDP(epsilon=9), [(GAUSS, (0,))], "price"),
    ("two kinds", ZCDP(rho="0.6"), [(PURE, (0,)), (GAUSS, (1,))], "price"),
    ("too dear, Gaussian", GDP(mu="0.7"), [(GAUSS, (0,))], "price"),
    ("twice", PureDP(epsilon=2), [(PURE, (0,)), (PURE, (0,))], "vector"),
    ("left out", PureDP(epsilon=2), [(PURE, (0,)), (PURE, (2,))], "vector"),
]


@pytest.mark.parametrize(("budget", "groups", "part"), [each[1:] for each in WRONG],
                         ids=[each[0] for each in WRONG])  # fmt: skip
def test_laws_are_refused_before_any_number(budget: Guarantee, groups: Any, part: str) -> None:
    """Forgeries above have a wrong number too. Here nothing but the laws is wrong."""
    reach = [COUNT] * (1 + max(place for _, places in groups for place in places))
    given = {"budget": budget, "reach": reach, "importance": [F(1)] * len(reach), "groups": groups}
    claim = {name: encoded(value) for name, value in given.items()}
    with pytest.raises(CertificateRejected, match=part):
        Certificate(KIND, claim, {"chances": ["1/2"] * len(reach), "dual": []}).check()


def test_equal_prices_are_accepted() -> None:
    for budget, law in ((PureDP(epsilon=1), PURE), (GDP(mu="0.8"), GAUSS)):
        claim = claim_of(budget, [COUNT], [F(1)], [(law, (0,))], [F(1, 2)], {})
        Certificate(KIND, claim, {"chances": ["1/2"], "dual": []}).check()
