"""The verifier must find every known mistake, and find nothing in the correct form."""

import pytest

from leastnoise.mechanisms.thresholds.threshold_transcripts import HonestMachine, greatest_loss
from leastnoise.numeric import ball as balls
from tests.mechanisms.broken_sparse_vectors import CASES, THRESHOLD, Case

cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@cases
def test_every_broken_variant_is_refuted(case: Case) -> None:
    assert greatest_loss(case.machine, case.one, case.other).lower > case.noise.epsilon * 5 / 4


@cases
def test_the_correct_form_passes_on_the_same_values(case: Case) -> None:
    for gaps in (0, 2):
        honest = HonestMachine(case.noise, THRESHOLD, gaps)
        loss = greatest_loss(honest, case.one, case.other)
        assert float(loss.upper) <= float(case.noise.epsilon) * (1 + 1e-15)


@cases
def test_broken_laws_are_laws_too(case: Case) -> None:
    with balls.precision(128):
        law = case.machine.law(case.one)
        total = sum(law.chances.values(), 0 * law.rest)
        assert abs(float(total) - 1) <= float(law.rest) + 1e-12
        assert all(chance >= 0 or chance.contains(0) for chance in law.chances.values())
