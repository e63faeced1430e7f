"""The checker accepts what is true and refuses what was tampered with."""

import dataclasses
import random
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check_dual import dual_bound, dual_is_feasible, dual_slacks
from leastnoise.certificates.described_law import CanonicalNoise, CutSteps, Steps, WeightTable
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Multipliers, Rounded, Theorem
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.numeric.cost import Moment, OwnCost, TabulatedCost, TailProbability

CASES = [
    {"sensitivity": 1, "epsilon": 1},
    {"sensitivity": 1, "epsilon": 1, "delta": "1e-6", "cost": "squared"},
    {"sensitivity": 4, "epsilon": "0.7"},
    {"sensitivity": 3, "epsilon": "0.5", "delta": "1e-6", "cost": "squared"},
    {"sensitivity": 2, "epsilon": 0, "delta": "0.07"},
    {"sensitivity": 3, "epsilon": 2, "delta": "0.01", "cost": TailProbability(2)},
    {"sensitivity": 5, "epsilon": 1, "cost": Moment("2.5")},
    {"sensitivity": 100, "epsilon": 1, "delta": "1e-3"},
]


def certificate(case: int) -> Certificate:
    return optimal_scalar(**CASES[case]).certificate()  # type: ignore[arg-type]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_true_certificates_are_accepted(case: int) -> None:
    made = certificate(case)
    assert made.check(), str(made.check())
    assert Certificate.from_json(made.to_json()) == made
    assert 1 <= made.ratio < 1.001
    assert "ACCEPTED" in str(made.check())


@pytest.mark.parametrize("case", range(len(CASES)))
def test_better_claims_are_refused(case: int) -> None:
    made, hair = certificate(case), Fraction(1, 10**9)
    for change in (
        {"bound": made.achieved * (1 + hair)},
        {"achieved": made.achieved * (1 - hair) - (made.achieved - made.bound)},
        {"problem": dataclasses.replace(made.problem, epsilon=made.problem.epsilon * 99 / 100)},
        {"problem": dataclasses.replace(made.problem, sensitivity=made.problem.sensitivity + 1)},
        {"problem": dataclasses.replace(made.problem, step=-made.problem.step)},
    ):
        if made.problem.epsilon == 0 and "epsilon" in repr(change.get("problem")):
            continue
        assert not dataclasses.replace(made, **change).check(), change


def perturbed(dual: Dual, row: int, place: int, change: int) -> Dual:
    old = dual.rows[row]
    values = list(old.values)
    values[place] += change
    rows = list(dual.rows)
    rows[row] = Multipliers(old.shift, old.first, tuple(values), old.beyond)
    return Dual(dual.level, dual.bits, tuple(rows))


def test_a_thousand_perturbations_past_the_slack_are_refused() -> None:
    made = certificate(3)
    dual, problem = made.witness, made.problem
    assert isinstance(dual, Dual)
    slacks = dual_slacks(problem, dual)
    factor = Fraction(problem.factor().upper)
    chance = random.Random(20261115)
    refused = 0
    for _ in range(1000):
        row = chance.randrange(len(dual.rows))
        multipliers = dual.rows[row]
        place = chance.randrange(len(multipliers.values))
        outer = abs(multipliers.first + place + multipliers.shift)
        # Raising a multiplier takes e^ε times as much from the inequality of its outer place.
        spare = slacks[outer] if outer < len(slacks) else Fraction(10**9)
        past = int(spare / factor * 2**dual.bits) + 2
        worse = perturbed(dual, row, place, past)
        refused += not dual_is_feasible(problem, worse)
    assert refused == 1000


def test_lowering_a_multiplier_past_its_slack_is_refused() -> None:
    made = certificate(3)
    dual, problem = made.witness, made.problem
    assert isinstance(dual, Dual)
    slacks = dual_slacks(problem, dual)
    chance = random.Random(1)
    tried = 0
    for _ in range(400):
        row = chance.randrange(len(dual.rows))
        multipliers = dual.rows[row]
        place = chance.randrange(len(multipliers.values))
        past = int(slacks[abs(multipliers.first + place)] * 2**dual.bits) + 2
        if past > multipliers.values[place]:
            past = multipliers.values[place] + 1  # a negative multiplier is refused as such
        tried += 1
        assert not dual_is_feasible(problem, perturbed(dual, row, place, -past))
    assert tried


def test_raising_the_level_is_refused() -> None:
    made = certificate(3)
    dual = made.witness
    assert isinstance(dual, Dual)
    spare = min(s / (2 if j else 1) for j, s in enumerate(dual_slacks(made.problem, dual)))
    higher = Dual(dual.level + spare + Fraction(1, 10**30), dual.bits, dual.rows)
    assert not dual_is_feasible(made.problem, higher)


def test_the_endless_tail_matters() -> None:
    # A bounded cost never exceeds 1, so that no μ above 1 can be feasible far out.
    problem = Problem(1, Fraction(1), Fraction(1, 100), TailProbability(2))
    nothing = Dual(Fraction(1), 10, (Multipliers(1, 0, (0, 0, 0, 0, 0)),))
    assert not dual_is_feasible(problem, nothing)  # c(0) = 0 < 1
    flat = Dual(Fraction(0), 10, (Multipliers(1, 0, (0,), beyond=1024),))
    # y = 1 for all k ≥ 1 takes e from every later place and gives back 1.
    assert not dual_is_feasible(problem, flat)
    assert dual_is_feasible(problem, Dual(Fraction(0), 10, (Multipliers(1, 0, (0,)),)))


def test_a_weak_but_valid_dual_point_proves_a_weak_bound() -> None:
    problem = Problem(2, Fraction(1), Fraction(1, 100), Moment(1))
    trivial = Dual(Fraction(0), 10, (Multipliers(2, 0, (0,)),))
    assert dual_is_feasible(problem, trivial)
    assert dual_bound(problem, trivial) == 0


@pytest.mark.parametrize(
    ("law", "witness"),
    [
        (Steps(1), Theorem.STAIRCASE),  # δ > 0: the theorem does not apply
        (CanonicalNoise(), Theorem.CANONICAL),  # Δ = 2
        (CutSteps(1, 1), Theorem.STAIRCASE),
        (WeightTable((1,)), Theorem.CANONICAL),
        (WeightTable(()), Theorem.CANONICAL),
        (WeightTable((0, 0)), Theorem.CANONICAL),
        (WeightTable((5, -1)), Theorem.CANONICAL),
        (Steps(3), Theorem.STAIRCASE),
        (Steps(1), Dual(Fraction(0), -1, ())),
        (Steps(1), Dual(Fraction(0), 3, (Multipliers(3, 0, (1,)),))),
        (Steps(1), Dual(Fraction(0), 3, (Multipliers(1, 0, (1,)), Multipliers(1, 0, (1,))))),
        (Steps(1), Rounded(2, Fraction(1, 2), Dual(Fraction(0), 3, ()))),
        (Steps(1), Rounded(3, Fraction(1), Dual(Fraction(0), 3, ()))),
        (Steps(1), Rounded(1, Fraction(0), Dual(Fraction(0), 3, ()))),
    ],
)
def test_misapplied_theorems_are_refused(law: object, witness: object) -> None:
    problem = Problem(2, Fraction(1), Fraction(1, 100), Moment(1))
    claim = Certificate(problem, law, Fraction(100), Fraction(1, 10**6), witness)  # type: ignore[arg-type]
    assert not claim.check()


def test_a_width_that_is_not_the_best_proves_nothing() -> None:
    best = certificate(2)
    assert isinstance(best.law, Steps)
    from leastnoise.certificates.check_stairs import staircase_cost

    other = Steps(best.law.width + 1)
    cost = Fraction(staircase_cost(best.problem, other.width).upper)
    claim = dataclasses.replace(best, law=other, achieved=cost, bound=cost)
    assert not claim.check()
    honest = dataclasses.replace(best, law=other, achieved=cost)
    assert honest.check()  # a worse law with the true bound is a true claim


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": Fraction(10**3999)},
        {"epsilon": Fraction(-1)},
        {"epsilon": Fraction(0), "delta": Fraction(0)},
        {"delta": Fraction(1)},
        {"sensitivity": 2**62},
        {"cost": TabulatedCost((Fraction(0), Fraction(1)), Fraction(1))},
        {"cost": TailProbability(10**3000)},
    ],
)
@pytest.mark.parametrize("case", [0, 1, 3, 7])
def test_absurd_problems_are_refused_quickly(case: int, change: dict[str, Any]) -> None:
    made = certificate(case)
    claim = dataclasses.replace(made, problem=dataclasses.replace(made.problem, **change))
    verdict = claim.check()
    assert verdict.finding
    if verdict:  # a tail no law of these reaches: the true cost is below what is claimed
        assert change == {"cost": TailProbability(10**3000)} or "sensitivity" in change


def test_a_law_that_costs_nothing_more_at_any_width_is_not_mistaken() -> None:
    flat = OwnCost(lambda error: 1 + 0 * error, growth=0)
    made = optimal_scalar(sensitivity=6, epsilon=2, cost=flat).certificate()
    assert float(made.bound) == pytest.approx(float(made.achieved)) == 1
    assert made.check()


def test_scope_is_said() -> None:
    assert "lattice" in certificate(3).scope
    assert "line" in certificate(7).scope
    assert "optimal among all mechanisms that add noise" in repr(certificate(0))
