"""Copies of records: what becomes of the promise, the error and an accusation."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.bounds import CopiedRecords, FingerprintingCode
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy import ApproxDP, PureDP, group_privacy
from tests.bounds.test_fingerprint import Seeded


def exact_means(table: Any) -> Any:
    return table.mean(axis=0)


@pytest.mark.parametrize(("records", "copies"), [(10, 3), (12, 4), (7, 7), (5, 1)])
def test_padding_is_taken_out_exactly(records: int, copies: int) -> None:
    seen = []

    def shifted(table: Any) -> Any:
        seen.append(table)
        return table.mean(axis=0) + 0.1

    copied = CopiedRecords(shifted, records=records, copies=copies)
    people = np.random.default_rng(1).integers(0, 2, (copied.people, 6))
    answer = copied(people)
    assert copied.people == records // copies and seen[0].shape == (records, 6)
    grown = records / (copies * copied.people)  # what an error grows by
    assert answer == pytest.approx(people.mean(axis=0) + 0.1 * grown)


def test_padding_that_is_left_in_moves_each_column() -> None:
    """Errata B7: up to 2*k/n in each of d columns, so 2*k*d/n in all, not 2*k/n."""
    copied = CopiedRecords(exact_means, records=1000, copies=7)
    people = -np.ones((copied.people, 40))
    table = np.vstack([np.repeat(people, 7, axis=0), np.ones((1000 % 7, 40))])
    moved = np.abs(table.mean(axis=0) - people.mean(axis=0)).sum()
    assert moved == pytest.approx(float(copied.padding_shift(40)))
    assert 2 * 7 / 1000 < moved <= 2 * 7 * 40 / 1000
    assert all(  # at most n/200 copies move the mean of signs by at most d/100
        CopiedRecords(exact_means, records=n, copies=max(1, n // 200)).padding_shift(d) <= Fraction(d, 100)
        for n in (200, 399, 1001, 54321) for d in (1, 60)
    )  # fmt: skip


def test_a_promise_becomes_one_about_groups() -> None:
    """Errata B5: at epsilon 0.1, ten copies and delta 1e-3 it is 0.01634; e^(k*epsilon)*delta is 0.00272."""
    copied = CopiedRecords(exact_means, records=100, copies=10)
    found = copied.privacy(ApproxDP(epsilon="0.1", delta="1e-3"))
    assert isinstance(found, ApproxDP) and found.epsilon == 1
    assert float(found.delta) == pytest.approx(1e-3 * math.expm1(1) / math.expm1(0.1))
    assert float(found.delta) == pytest.approx(0.01634, abs=1e-5)
    assert math.exp(1) * 1e-3 == pytest.approx(0.00272, abs=1e-5)
    assert copied.privacy(PureDP(epsilon="0.3")) == PureDP(epsilon=3)


def test_most_copies_to_raise_epsilon_to_one() -> None:
    """Errata B8: 1/epsilon copies multiply delta by 16.34 at epsilon 0.1, more than by 10; 7.19 may be."""
    assert math.expm1(1) / math.expm1(0.1) == pytest.approx(16.34, abs=5e-3)
    for epsilon in ("1", "0.7", "0.1", "0.03", "1/7000"):
        most = CopiedRecords.most_to_one(epsilon=epsilon)
        loss = float(Fraction(epsilon))
        for copies, fits in ((most, True), (most + 1, False)):
            assert (math.expm1(copies * loss) / math.expm1(loss) <= 1 / loss) == fits
        assert most * loss <= 1
        kept = group_privacy(ApproxDP(epsilon=epsilon, delta="1e-9"), size=most)
        assert isinstance(kept, ApproxDP)
        assert kept.delta <= Fraction("1e-9") / Fraction(epsilon) * (1 + Fraction(1, 2**60))
    assert math.log(1 + math.expm1(0.1) / 0.1) / 0.1 == pytest.approx(7.19, abs=5e-3)


@pytest.mark.parametrize("epsilon", ["1", "0.1", "2.5"])
@pytest.mark.parametrize(
    ("delta", "records"), [("1e-9", 10_000), ("1e-30", 400), ("1e-12", 10**6), ("1e-3", 10**4)]
)
def test_most_copies_by_trying(epsilon: str, delta: str, records: int) -> None:
    loss, leak = float(epsilon), float(delta)

    def refutes(k: int) -> bool:
        spent = math.exp(k * loss) * leak + leak * math.expm1(k * loss) / math.expm1(loss)
        return spent < 1 / (12 * records) and k <= records / 200

    most = CopiedRecords.most(epsilon=epsilon, delta=delta, records=records)
    assert most == max((k for k in range(1, 250) if refutes(k)), default=0)
    if epsilon == "1":  # the choice of the paper, within n/200, is never more
        assert min(math.floor(math.log(1 / (12 * records * leak)) - 1), records // 200) <= most


def test_how_often_a_record_may_be_accused() -> None:
    """(8) of the paper, and never more than 1."""
    copied = CopiedRecords(exact_means, records=1000, copies=3)
    found = copied.accusation_bound(ApproxDP(epsilon=1, delta="1e-6"), false_accusation="1e-6")
    leak = 1e-6 * math.expm1(3) / math.expm1(1)
    assert float(found) == pytest.approx(math.exp(3) * 1e-6 + leak)
    often = copied.accusation_bound(ApproxDP(epsilon=1, delta="1e-6"), false_accusation="0.4")
    assert float(often) == pytest.approx(1 - math.exp(-3) * (0.6 - leak))
    assert copied.accusation_bound(PureDP(epsilon=9), false_accusation=1).upper == 1


def test_exact_means_refute_every_promise_and_noise_does_not() -> None:
    """The proof of the lower bound as a program: the users of a code, copied, through a mechanism."""
    code = FingerprintingCode(users=3, false_accusation="1e-4")
    source, generator = Seeded(11), np.random.default_rng(12)
    promise = ApproxDP(epsilon=1, delta="1e-6")
    exact = CopiedRecords(exact_means, records=20, copies=6)
    allowed = exact.accusation_bound(promise, false_accusation="1e-4")
    caught = code.completeness(lambda words: np.clip(exact(words), 0, 1), trials=10, source=source)
    assert caught.lower > 3 * float(allowed)  # some user is accused with a third of it or more

    def noisy(table: Any) -> Any:
        scale = table.shape[1] / len(table)  # epsilon 1
        return table.mean(axis=0) + generator.laplace(0, scale, table.shape[1])

    private = CopiedRecords(noisy, records=20, copies=6)
    kept = code.completeness(lambda words: np.clip(private(words), 0, 1), trials=10, source=source)
    assert kept.lower == 0


def test_bad_input() -> None:
    for asked, message in (
        ({"records": 0, "copies": 1}, "records is 0"),
        ({"records": 5, "copies": 6}, "copies is 6. Give at most 5"),
    ):
        with pytest.raises(InvalidInput, match=message):
            CopiedRecords(exact_means, **asked)
    copied = CopiedRecords(exact_means, records=10, copies=3)
    for people in ([[0, 1]], [[0, 4711]] * 3, [0, 1, 1], [["a", "b"]] * 3):
        with pytest.raises(InvalidInput) as refused:
            copied(people)
        assert "4711" not in str(refused.value)
    with pytest.raises(InvalidInput, match="answer has no number"):
        CopiedRecords(lambda table: [math.nan], records=3, copies=3)([[1]])
    with pytest.raises(InvalidInput, match="Give at most 1"):
        CopiedRecords.most_to_one(epsilon=2)
    with pytest.raises(InvalidInput, match="delta is 0"):
        CopiedRecords.most(epsilon=1, delta=0, records=10)
