"""Certificates of relative counts: how near to the least v, by bounds on all mechanisms; forgeries."""

import ast
import copy
import json
import math
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.linalg import eigh_tridiagonal

import leastnoise.relative.bound as checker
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import CertificateRejected
from leastnoise.relative import relative_counts
from leastnoise.relative.error import ChannelError
from leastnoise.relative.search import best_level


@cache
def text(error: str = "0.1", smallest: int = 1, slack: str = "0") -> str:
    counts = relative_counts(relative_error=error, smallest=smallest, slack=slack)
    return counts.certificate().to_json()


def information(error: F) -> float:
    """The proved bound on J."""
    level, multiplier, ends = best_level(error)
    assert checker.is_below_spectrum(level, multiplier, ends)
    return float(level - multiplier * error)


@pytest.mark.parametrize(
    ("error", "ratio"),
    [("0.05", 1.0202), ("0.1", 1.0281)],
)
def test_large_groups_are_within_a_few_percent_of_the_least(error: str, ratio: float) -> None:
    certificate = Certificate.from_json(text(error))
    assert certificate.claim["verdict"] == f"at most {ratio:.4f} times the least"
    assert certificate.check().endswith(f"So v is at most {ratio:.4f} times the least.")


@pytest.mark.parametrize(("smallest", "slack"), [(1, "0"), (0, "3/2"), (1000, "0")])
def test_what_is_achieved_is_that_of_the_mechanism(smallest: int, slack: str) -> None:
    certificate = Certificate.from_json(text("0.1", smallest, slack))
    certificate.check()
    claim, counts = (
        certificate.claim,
        relative_counts(relative_error="0.1", smallest=smallest, slack=slack),
    )
    achieved = float(F(claim["achieved"]))
    for x in np.geomspace(claim["above"] + 1, claim["up_to"], 60).astype(np.int64).tolist():
        value = (x + F(slack)) ** 2 * F(math.expm1(2 * float(counts.privacy(x))))
        assert 0.99 * achieved <= float(value) <= achieved


def test_near_one_the_certificate_is_honest() -> None:
    certificate = Certificate.from_json(text("0.95"))
    assert "not known to be near the least" in certificate.check()


def test_the_checker_imports_nothing_that_makes_certificates() -> None:
    package = Path(checker.__file__).parent
    seen, todo = set[str](), ["bound"]
    while todo:
        name = todo.pop()
        seen.add(name)
        for node in ast.walk(ast.parse((package / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                assert "scipy" not in ast.dump(node)
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                "leastnoise.relative."
            ):
                todo.append(str(node.module).rpartition(".")[2])
    assert seen == {"bound", "design", "error"}


# The bound


def by_differences(multiplier: float, left: float, right: float, points: int = 6000) -> float:
    """The least eigenvalue of -4f'' + m*|e^z - 1|*f, with f = 0 at both ends."""
    z = np.linspace(-left, right, points + 2)[1:-1]
    step = z[1] - z[0]
    diagonal = 8 / step**2 + multiplier * np.abs(np.expm1(z))
    return float(
        eigh_tridiagonal(diagonal, np.full(points - 1, -4 / step**2), True, "i", (0, 0))[0]
    )


@pytest.mark.parametrize(
    ("multiplier", "left", "right"), [(1253, F("1.8"), F("0.95")), (10, F(18), F(5))]
)
def test_the_eigenvalue_is_bracketed(multiplier: int, left: F, right: F) -> None:
    """Just below it the proof succeeds, just above it fails."""
    near = by_differences(multiplier, float(left), float(right))
    below, above = (F(near * (1 + shift)) for shift in (-1e-4, 1e-4))
    assert checker.is_below_spectrum(below, F(multiplier), (left, right))
    assert not checker.is_below_spectrum(above, F(multiplier), (left, right))


def test_a_solution_that_falls_too_fast_at_the_end_proves_nothing() -> None:
    """It is positive so far, but beyond a wall so near it becomes negative."""
    level, multiplier, left = F(186), F(1253), F("1.8")
    assert checker.is_below_spectrum(level, multiplier, (left, F("0.95")))
    assert not checker.is_below_spectrum(level, multiplier, (left, F("0.16")))


def test_levels_without_walls_prove_nothing() -> None:
    for level, ends in (
        (20, (18, 5)),
        (9, (F(1, 10), 5)),
        (5, (0, 5)),
        (5, (18, 0)),
        (5, (-1, 5)),
        (5, (18, F(1, 10))),
    ):
        assert not checker.is_below_spectrum(F(level), F(10), (F(ends[0]), F(ends[1])))


@pytest.mark.parametrize(
    ("error", "least"),
    [("0.05", 250.0), ("0.1", 62.05)],
)
def test_the_least_information(error: str, least: float) -> None:
    """By finite differences, with the best multiplier; below every density that exists."""
    found = information(F(error))
    assert found == pytest.approx(least, rel=1e-3)
    r, (_, multiplier, (left, right)) = float(error), best_level(F(error))
    best = max(
        by_differences(m, float(left), float(right), 2500) - m * r
        for m in float(multiplier) * np.linspace(0.95, 1.05, 3)
    )
    assert best * (1 - 2e-3) <= found <= best * (1 + 1e-4)


def test_small_errors_approach_the_airy_law() -> None:
    """J*r^2/2 tends to kappa^2/2 of the density Ai(|z| - 1.0188)^2, by mpmath."""
    airy, cuts = mpmath.airyai, [0, 2, 12]
    place = mpmath.airyaizero(1, derivative=1)
    mass = mpmath.quad(lambda z: airy(z + place) ** 2, cuts)
    error = mpmath.quad(lambda z: z * airy(z + place) ** 2, cuts) / mass
    fisher = 4 * mpmath.quad(lambda z: airy(z + place, derivative=1) ** 2, cuts) / mass
    limit = float(error**2 * fisher / 2)
    assert limit == pytest.approx(0.313317, abs=1e-6)
    assert limit * (1 - 2e-5) <= information(F(1, 1000)) / 2e6 <= limit * (1 + 1e-6)


def test_the_bound_never_passes_a_density_that_exists() -> None:
    """Normal noise with the best shift has error 2*Phi(sigma) - 1 and information 1/sigma^2."""
    sigma = 1.0
    assert information(F(math.erf(sigma / math.sqrt(2)))) < 1 / sigma**2


def test_the_prior_costs_what_it_must() -> None:
    claim = Certificate.from_json(text()).claim
    first, last, error = claim["above"], claim["up_to"], F(1, 10)
    prior = (2 * math.pi / math.log(last / first)) ** 2
    level, multiplier, _ = best_level(error)
    rest = float(level - multiplier * (error + F(1, 2 * first))) - prior
    assert float(F(claim["bound"])) == pytest.approx(rest, rel=1e-9)


# Forgeries: each takes the body of a true certificate and spoils it

Forgery = Callable[[dict[str, Any]], object]


def claim(part: str, value: Any) -> Forgery:
    return lambda body: body["claim"].__setitem__(part, value)


def witness(part: str, value: Any) -> Forgery:
    return lambda body: body["witness"].__setitem__(part, value)


def design(part: str, change: Callable[[Any], Any]) -> Forgery:
    def forge(body: dict[str, Any]) -> None:
        body["witness"]["design"][part] = change(body["witness"]["design"][part])

    return forge


def moved(part: str, factor: F) -> Forgery:
    """A number is moved, and the verdict with it, so that they fit."""

    def forge(body: dict[str, Any]) -> None:
        said = body["claim"]
        said[part] = str(F(said[part]) * factor)
        said["verdict"] = checker.verdict(F(said["achieved"]), F(said["bound"]))

    return forge


FORGERIES: dict[str, Forgery] = {
    "less achieved": moved("achieved", 1 - F(1, 10**6)),
    "a higher bound": moved("bound", 1 + F(1, 10**6)),
    "other words": claim("verdict", "at most 1.0000 times the least"),
    "more rivals": claim("rivals", "all mechanisms"),
    "a smaller error": claim("relative_error", "999/10000"),
    "an error of 1": claim("relative_error", "1"),
    "a decimal": claim("relative_error", "0.1"),
    "a smaller size": claim("smallest", 0),
    "less slack": claim("slack", "-1/2"),
    "an earlier range": claim("above", 10),
    "a later end": claim("up_to", 10**12),
    "no range": claim("up_to", 3),
    "a range in text": claim("above", "9487"),
    "a part too many": claim("note", ""),
    "a part too few": lambda body: body["claim"].pop("slack"),
    "no design": witness("design", {}),
    "a higher level": lambda body: body["witness"].update(
        level=str(F(body["witness"]["level"]) * F(1001, 1000))
    ),
    "another multiplier": lambda body: body["witness"].update(
        multiplier=str(F(body["witness"]["multiplier"]) * 2)
    ),
    "no walls": witness("left", "0"),
    "walls far away": witness("right", "1000000"),
    "more noise": design("deviation", lambda n: n + (n >> 10)),
    "less noise": design("deviation", lambda n: n - (n >> 10)),
    "no noise": design("deviation", lambda _: 0),
    "a coarse lattice": design("bits", lambda _: 8),
    "a lattice of true": design("bits", lambda _: True),
    "larger chances": design("chances", lambda u: [int(each * 1.1) for each in u]),
    "falling chances": design("chances", lambda u: u[::-1]),
    "chances of text": design("chances", lambda u: [str(each) for each in u]),
    "another chain": design("chances", lambda u: u[1:]),
    "a million chances": design("chances", lambda u: u * 10**5),
    "smaller gaps": design("gaps", lambda g: [each // 2 for each in g]),
    "a threshold above the top": design("threshold", lambda t: t + (1 << 45)),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused(name: str) -> None:
    body = copy.deepcopy(json.loads(text()))
    FORGERIES[name](body)
    forged = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert forged != text()
    with pytest.raises(CertificateRejected):
        Certificate.from_json(forged).check()


def test_an_error_that_only_endless_checks_would_prove_is_refused() -> None:
    """Just above the error of real-valued estimates the sizes to check one by one are too many."""
    body = json.loads(text())
    channel = relative_counts(relative_error="0.1").design.channel
    with balls.precision(128):
        real = balls.exact_value(ChannelError(channel).relative(1).upper())
    claim("relative_error", str(real + F(1, 2**70)))(body)
    forged = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    with pytest.raises(CertificateRejected, match="error of the design"):
        Certificate.from_json(forged).check()


def test_a_true_claim_may_be_looser() -> None:
    body = json.loads(text())
    moved("achieved", F(11, 10))(body)
    moved("bound", F(9, 10))(body)
    said = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert "at most 1.2566 times the least" in Certificate.from_json(said).check()
