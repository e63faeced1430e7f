"""Certificates of running totals: true ones are accepted, forged ones refused, bounds are true."""

import ast
import copy
import json
import math
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import leastnoise.workloads.stream_certificate as checker
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers.errors import CertificateRejected, Undecided
from leastnoise.workloads.factor import Factor, Participation, squared_sensitivity
from leastnoise.workloads.stream import running_totals

SCHEDULES: dict[str, dict[str, Any]] = {
    "worst": {"steps": 7},
    "mean": {"steps": 6, "objective": "mean square", "mu": "0.3"},
    "several": {"steps": 5, "max_participations": 2},
}


@cache
def text(name: str) -> str:
    certificate = running_totals(**SCHEDULES[name]).certificate()
    assert certificate is not None
    return certificate.to_json()


def test_a_year_says_how_good_it_is() -> None:
    certificate = running_totals(365).certificate()
    words = (
        "365 totals, one step per unit, Gaussian: worst error within 1.00003 of the least of all "
        "linear unbiased mechanisms"
    )
    assert certificate is not None and repr(certificate) == words and certificate.check() == words


@pytest.mark.parametrize("name", SCHEDULES)
def test_what_is_made_is_accepted(name: str) -> None:
    certificate = Certificate.from_json(text(name))
    assert certificate.check() == repr(certificate) == certificate.claim["statement"]
    assert certificate.to_json() == text(name)


def test_the_checker_imports_nothing_that_makes_certificates() -> None:
    package = Path(checker.__file__).parent
    seen, todo = set[str](), ["stream_certificate"]
    while todo:
        name = todo.pop()
        seen.add(name)
        for node in ast.walk(ast.parse((package / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                assert "scipy" not in ast.dump(node)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "leastnoise.workloads"
            ):
                names = [str(node.module).rpartition(".")[2], *(each.name for each in node.names)]
                todo += [each for each in names if (package / f"{each}.py").exists()]
    assert seen == {"stream_certificate", "factor"}


# The numbers of a claim, found in other ways


def test_the_error_is_that_of_the_inverse_and_not_much_more() -> None:
    """Against exact elimination in fractions."""
    rng = Random(3)
    for steps in (1, 2, 5, 8):
        factor = Factor(
            column=[1 << 28, *(rng.randrange(1 << 27) for _ in range(steps - 1))],
            scale=[rng.randrange(1 << 26, 1 << 28) for _ in range(steps)],
        )
        matrix = [[F(int(each), 1 << 24) for each in row] for row in factor.matrix]
        errors, rows = [], [[F(0)] * steps for _ in range(steps)]
        for t in range(steps):
            for column in range(steps):
                done = sum(matrix[t][s] * rows[s][column] for s in range(t))
                rows[t][column] = (F(t == column) - done) / matrix[t][t]
        for t in range(steps):
            totals = [sum(rows[s][column] for s in range(t + 1)) for column in range(steps)]
            errors.append(sum(each**2 for each in totals))
        bounds = checker.total_errors(factor.matrix)
        squares = [F(float(each)) ** 2 for each in bounds]
        assert all(
            one <= two <= one * F(10**8 + 1, 10**8)
            for one, two in zip(errors, squares, strict=True)
        )
        for allowed in (Participation(), Participation(2)):
            price = F(squared_sensitivity(factor.matrix, allowed), 1 << 48)
            for objective, one in (("worst", max(errors)), ("mean square", sum(errors) / steps)):
                found = checker.achieved_error(factor, allowed, objective) ** 2
                assert one * price <= found <= one * price * F(10**8 + 1, 10**8)


@pytest.mark.parametrize(("steps", "seed"), [(1, 1), (2, 2), (5, 3), (9, 4)])
def test_the_bound_is_the_sum_of_singular_values(steps: int, seed: int) -> None:
    """Three ways to one number: an integral in balls, a guess of the best U, numpy's singular values."""
    rng = Random(seed)
    law, shares = ([rng.randint(1, 99) for _ in range(steps)] for _ in range(2))
    pi, theta = (np.array(each) / sum(each) for each in (law, shares))
    totals = np.tril(np.ones((steps, steps)))
    norm = float(np.linalg.norm(np.sqrt(theta)[:, None] * totals * np.sqrt(pi), "nuc"))
    assert norm * (1 - 1e-6) <= checker.one_step_bound(law, shares) <= norm
    even = float(np.linalg.norm(totals * np.sqrt(pi) / math.sqrt(steps), "nuc"))
    assert even * (1 - 1e-9) <= checker.several_steps_bound(law, Participation()) <= even
    assert checker.one_step_bound(law, [1] * steps) <= even


def test_solvers_are_trusted_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong inverse makes the error larger, a wrong guess of the singular vectors the bound lower."""
    matrix, law = np.tril(np.full((4, 4), 1 << 23)) + np.diag([1 << 23] * 4), [3, 2, 1, 1]
    allowed = Participation(2)
    errors, bound = checker.total_errors(matrix), checker.several_steps_bound(law, allowed)
    invert, decompose = np.linalg.inv, np.linalg.svd

    def twice(matrix: Any) -> Any:
        left, sizes, right = decompose(matrix)
        return 2 * left, sizes, right

    monkeypatch.setattr(np.linalg, "inv", lambda matrix: 0.9 * invert(matrix))
    monkeypatch.setattr(np.linalg, "svd", twice)
    assert (checker.total_errors(matrix) >= errors).all()
    assert 0 < checker.several_steps_bound(law, allowed) <= bound


def test_the_bound_of_several_steps_is_that_of_sets_of_steps() -> None:
    """Steps 1 and 3, 2 and 4, 3, 4: what a unit that comes every other step moves."""
    moved = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 1, 0], [2, 2, 1, 1]]) / 4
    norm = float(np.linalg.norm(moved, "nuc"))
    found = checker.several_steps_bound([1] * 4, Participation(2, 2))
    assert norm * (1 - 1e-9) <= found <= norm


def test_no_linear_mechanism_is_below_the_bound() -> None:
    """Random ones, of units in one step and in two: the bound of any law is below their errors."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        matrix = np.tril(rng.integers(-(1 << 20), 1 << 20, (4, 4)))
        np.fill_diagonal(matrix, rng.integers(1 << 20, 1 << 24, 4))
        law = [int(each) for each in rng.integers(1, 9, 4)]
        errors = checker.total_errors(matrix)
        for allowed in (Participation(), Participation(2)):
            price = math.sqrt(squared_sensitivity(matrix, allowed)) / 2**24
            mean = float(np.sqrt(np.mean(errors**2))) * price
            assert checker.proved_bound(law, allowed, "mean square") <= mean
        worst = (
            float(errors.max()) * math.sqrt(squared_sensitivity(matrix, Participation())) / 2**24
        )
        assert checker.proved_bound(law, Participation(), "worst") <= worst


def test_a_matrix_without_an_inverse_proves_nothing() -> None:
    near = np.tril(np.full((40, 40), (1 << 25) - 1))
    np.fill_diagonal(near, 1)
    with pytest.raises(Undecided):
        checker.total_errors(near)


# Forgeries: each takes the body of a true certificate and spoils it

Forgery = Callable[[dict[str, Any]], object]


def claim(part: str, value: Any) -> Forgery:
    return lambda body: body["claim"].__setitem__(part, value)


def moved(part: str, factor: F) -> Forgery:
    """A number is moved, and the words with it, so that they fit."""

    def forge(body: dict[str, Any]) -> None:
        said = body["claim"]
        said[part] = str(F(said[part]) * factor)
        allowed = Participation(said["max_participations"], said["min_separation"])
        ends = (F(said["achieved"]), F(said["bound"]))
        said |= checker.claim_of(Factor(**said["factor"]), allowed, said["objective"], *ends)

    return forge


def entry(name: str, change: Callable[[Any], Any]) -> Forgery:
    """The first number of a part of the factor, or of its first row."""

    def forge(body: dict[str, Any]) -> None:
        row = body["claim"]["factor"][name]
        row = row[0] if isinstance(row[0], list) else row
        row[0] = change(row[0])

    return forge


FORGERIES: dict[str, tuple[str, Forgery]] = {
    "less error": ("worst", moved("achieved", 1 - F(1, 10**6))),
    "less mean error": ("mean", moved("achieved", 1 - F(1, 10**6))),
    "less error of several": ("several", moved("achieved", 1 - F(1, 10**6))),
    "a higher bound": ("worst", moved("bound", 1 + F(1, 10**6))),
    "a higher mean bound": ("mean", moved("bound", 1 + F(1, 10**6))),
    "a higher bound of several": ("several", moved("bound", 1 + F(1, 10**6))),
    "no bound": ("worst", claim("bound", "0")),
    "a negative bound": ("worst", claim("bound", "-1")),
    "a negative bound in words": ("worst", moved("bound", F(-1))),
    "a decimal": ("worst", claim("achieved", "1.5")),
    "other words": ("worst", claim("statement", "the least of all mechanisms")),
    "a better ratio in words": ("worst", lambda b: b["claim"].update(statement=b["claim"]["statement"].replace("1.0000", "1.00000"))),
    "more rivals": ("worst", claim("rivals", "all mechanisms")),
    "another objective": ("worst", claim("objective", "mean square")),
    "no objective": ("worst", claim("objective", "least")),
    "a list as objective": ("worst", claim("objective", [])),
    "the worst of several": ("several", claim("objective", "worst")),
    "more participations": ("worst", claim("max_participations", 2)),
    "fewer participations": ("several", claim("max_participations", 1)),
    "participations of True": ("worst", claim("max_participations", True)),
    "a wider gap": ("several", claim("min_separation", 2)),
    "more steps": ("worst", claim("steps", 8)),
    "steps in text": ("worst", claim("steps", "7")),
    "a larger entry": ("worst", entry("direct", lambda n: n + (n >> 10))),
    "a smaller entry": ("worst", entry("direct", lambda n: n - (n >> 10))),
    "no entry": ("worst", entry("direct", lambda _: 0)),
    "an entry that wraps": ("worst", entry("direct", lambda n: n + (1 << 64))),
    "an entry in text": ("worst", entry("direct", str)),
    "a larger column": ("several", entry("column", lambda n: n + (n >> 10))),
    "no factor": ("worst", claim("factor", {})),
    "an empty factor": ("worst", claim("factor", {"column": [], "scale": []})),
    "a part too many": ("worst", claim("note", "")),
    "a part too few": ("worst", lambda b: b["claim"].pop("rivals")),
    "no law": ("worst", lambda b: b.__setitem__("witness", {})),
    "another law": ("worst", lambda b: b["witness"].update(law=[1] * 7)),
    "a shorter law": ("worst", lambda b: b["witness"]["law"].pop()),
    "a chance of nothing": ("worst", lambda b: b["witness"]["law"].__setitem__(0, 0)),
    "a negative chance": ("worst", lambda b: b["witness"]["law"].__setitem__(0, -5)),
    "a huge chance": ("worst", lambda b: b["witness"]["law"].__setitem__(0, 1 << 9999)),
    "a law in text": ("worst", lambda b: b["witness"].update(law="1111111")),
    "a note in the witness": ("worst", lambda b: b["witness"].update(note="")),
    "another kind": ("worst", lambda b: b.__setitem__("kind", "least noise")),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused(name: str) -> None:
    schedule, forge = FORGERIES[name]
    body = copy.deepcopy(json.loads(text(schedule)))
    forge(body)
    forged = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert forged != text(schedule)
    with pytest.raises(CertificateRejected):
        Certificate.from_json(forged).check()


def test_a_true_claim_may_be_looser() -> None:
    body = json.loads(text("worst"))
    moved("achieved", F(11, 10))(body)
    moved("bound", F(9, 10))(body)
    said = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert "within 1.2222" in Certificate.from_json(said).check()
