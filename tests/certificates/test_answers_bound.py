"""Bounds for many answers: true ones are accepted, tampered ones are not, and they are sharp."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.certificates.answers_certificate import AnswersCertificate
from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.answers_witness import MovedCounts, PairDual, PairRow
from leastnoise.certificates.check_answers import pair_bound, proved_bound
from leastnoise.errors import CertificateRejected
from leastnoise.least_noise.composed.optimal_composed import optimal_composed
from leastnoise.noise import CountsLaw
from leastnoise.numeric.cost import Moment


def made(**changes: Any) -> AnswersCertificate:
    arguments: dict[str, Any] = {"sensitivity": 1, "epsilon": 2, "count": 2, "cost": "squared"}
    certificate = optimal_composed(**(arguments | {"one_sided": True} | changes)).certificate()
    assert isinstance(certificate, AnswersCertificate)
    return certificate


CASES: list[dict[str, Any]] = [
    {},
    {"delta": "0.01"},
    {"one_sided": False},
    {"cost": "absolute"},
    {"count": 12, "epsilon": 1},
    {"count": 12, "epsilon": 1, "one_sided": False},
    {"sensitivity": 2},
]


@pytest.mark.spread(4)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_true_bounds_are_accepted_and_survive_text(case: dict[str, Any]) -> None:
    certificate = made(**case)
    assert certificate.check(), str(certificate.check())
    again = AnswersCertificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.check()
    assert again.check().claim == certificate.sentence
    assert again.ratio is None
    assert certificate.ratio is not None
    assert certificate.ratio >= 1


def test_two_answers_have_the_least_noise_there_is() -> None:
    """Pure ε: two counters in one direction, the cube both ways, whole numbers and halves."""
    cases: list[dict[str, Any]] = [{"epsilon": 1}, {"one_sided": False}, {}]
    for case in cases:
        ratio = made(**case).ratio
        assert ratio is not None
        assert 1 <= ratio < 1 + 1e-5


@pytest.mark.parametrize(
    ("epsilon", "delta", "truth"), [(1, "0.01", 2.550), (1, "0.05", 1.697), (2, "0.01", 0.595)]
)
def test_golden_bounds(epsilon: int, delta: str, truth: float) -> None:
    """Source: the linear program on Z² solved elsewhere, three digits."""
    assert float(made(epsilon=epsilon, delta=delta).bound) == pytest.approx(truth, abs=6e-4)


def test_unbiased_bounds_have_the_formula() -> None:
    certificate = made(count=10, epsilon=1, one_sided=False)
    assert isinstance(certificate.witness, MovedCounts)
    assert float(certificate.bound) == pytest.approx(10 / (exp(1) + exp(-1) - 2), rel=1e-9)
    assert "unbiased" in certificate.scope
    assert 3.9 < float(made(count=10, epsilon=1).bound) < 4.0


def test_a_higher_bound_is_refused() -> None:
    cases: list[dict[str, Any]] = [{}, {"count": 12, "epsilon": 1}]
    for case in cases:
        certificate = made(**case)
        more = replace(certificate, bound=certificate.bound * (1 + Fraction(1, 10**6)))
        assert not more.check()
    assert not replace(made(), problem=replace(made().problem, epsilon=Fraction(3))).check()


def test_a_bound_for_one_direction_holds_for_both_but_not_the_other_way_round() -> None:
    both = made(one_sided=False)
    assert not replace(both, problem=replace(both.problem, one_sided=True)).check()


def test_rows_off_the_middle_prove_nothing() -> None:
    """Far from 0 all prices are high: who leaves 0 out could claim them all."""
    problem = made().problem
    values = ((0, 0), (0, 0))
    away = PairDual(100, 0, (PairRow((1, 1), values),))
    assert proved_bound(problem, away) is None
    middle = PairDual(0, 0, (PairRow((1, 1), values),))
    assert proved_bound(problem, middle) == 0


@pytest.mark.parametrize(
    "dual",
    [
        PairDual(0, 0, (PairRow((1, 1), ((0, 0), (0, -1))),)),
        PairDual(0, 0, (PairRow((1, -1), ((0, 0), (0, 0))),)),
        PairDual(0, 0, (PairRow((0, 0), ((0, 0), (0, 0))),)),
        PairDual(0, 0, (PairRow((2, 0), ((0, 0), (0, 0))),)),
        PairDual(0, 0, (PairRow((1, 0), ((0, 0), (0, 0))),) * 2),
        PairDual(0, 0, (PairRow((1, 0), ((0, 0), (0,))),)),
        PairDual(0, 2000, (PairRow((1, 0), ((0, 0), (0, 0))),)),
        PairDual(0, 0, ()),
    ],
)
def test_malformed_witnesses_prove_nothing(dual: PairDual) -> None:
    assert proved_bound(made().problem, dual) is None


def test_moves_must_be_a_law_of_moves() -> None:
    problem = AnswersProblem(5, True, 1, Fraction(1), Fraction(0), Moment(2))
    half = Fraction(1, 2)
    assert proved_bound(problem, MovedCounts(((1, half), (5, half)))) is not None
    for chances in (((1, half),), ((6, Fraction(1)),), ((1, -half), (2, 3 * half))):
        assert proved_bound(problem, MovedCounts(chances)) is None
    leaky = replace(problem, delta=Fraction(1, 10**9))
    assert proved_bound(leaky, MovedCounts(((1, Fraction(1)),))) is None
    assert proved_bound(replace(problem, cost=Moment(1)), MovedCounts(((1, Fraction(1)),))) is None


def test_weak_duality_by_going_through_a_law() -> None:
    """The proof's inequality on a law and multipliers of no merit."""
    law = CountsLaw(dimension=2, epsilon=1, radius=3)
    problem = AnswersProblem(2, True, 1, Fraction(1), Fraction(law.delta(1).upper), Moment(2))
    grid = tuple(tuple((3 * i + 5 * j) % 7 for j in range(9)) for i in range(9))
    dual = PairDual(-4, 3, (PairRow((1, 0), grid), PairRow((-1, -1), grid)))
    cost = sum(
        float(law.pmf(x)) * (x[0] ** 2 + x[1] ** 2) / 2 for x in product(range(-4, 5), repeat=2)
    )
    assert float(pair_bound(problem, dual)) <= cost


def test_words_are_checked_and_strange_texts_refused() -> None:
    data = json.loads(made().to_json())
    for field, value in (("claim", "the best noise of all"), ("reference", "trust me")):
        assert not AnswersCertificate.from_json(json.dumps(data | {field: value})).check()
    strange: list[tuple[str, Any]] = [
        ("format", "leastnoise certificate, version 1"),
        ("bound", 3),
        ("witness", {"kind": "theorem"}),
        ("problem", data["problem"] | {"count": 1}),
        ("problem", data["problem"] | {"one_sided": 1}),
        ("problem", data["problem"] | {"more": 1}),
        ("extra", 1),
    ]
    for field, other in strange:
        with pytest.raises(CertificateRejected):
            AnswersCertificate.from_json(json.dumps(data | {field: other}))


def test_every_witness_survives_text_and_strange_ones_are_refused() -> None:
    moved = MovedCounts(((0, Fraction(1, 3)), (1, Fraction(2, 3))))
    row = PairRow((0, 1), ((1, 2), (3, 4)))
    for witness in (moved, PairDual(-1, 3, (row,))):
        certificate = replace(made(), witness=witness)
        assert AnswersCertificate.from_json(certificate.to_json()) == certificate
    data = json.loads(made().to_json())
    told = {"kind": "pair", "first": 0, "bits": 3, "rows": [{"shift": [0, 1], "values": [["1"]]}]}
    again = AnswersCertificate.from_json(json.dumps(data | {"witness": told}))
    assert isinstance(again.witness, PairDual)
    strange: list[dict[str, Any]] = [
        {"kind": "told", "chances": []},
        {"kind": "moved", "chances": {"0": "1"}},
        {"kind": "moved", "chances": [[0, "1"]] * 2**17},
        told | {"rows": "1"},
        told | {"rows": [{"shift": [0, 1], "values": [["1/2"]]}]},
    ]
    for each in strange:
        with pytest.raises(CertificateRejected):
            AnswersCertificate.from_json(json.dumps(data | {"witness": each}))


def test_no_bound_where_none_is_known() -> None:
    few = ln.optimal(sensitivity=1, epsilon=1, count=1, cost="squared", one_sided=True)
    assert few.certificate() is None
    tail = ln.optimal(sensitivity=1, epsilon=1, count=2, cost=ln.TailProbability(3))
    assert tail.certificate() is None
    small = ln.optimal(sensitivity=1, epsilon="0.01", count=2, cost="absolute", one_sided=True)
    assert small.certificate() is None
