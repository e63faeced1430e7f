"""Windows, weeks and totals together, and totals that matter more: designed, certified, refused."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.pattern_bound import pattern_bound
from leastnoise.certificates.over_time.running_bound import running_bound
from leastnoise.certificates.over_time.spans import running
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.certificates.over_time.stream_error import total_errors
from leastnoise.errors import CertificateRejected, InvalidParameter
from leastnoise.least_noise.over_time.running_totals import running_totals, sums_of_steps

Spans = list[tuple[int, int, int]]


def windows(steps: int, length: int, weight: int = 1) -> Spans:
    return [(max(1, last - length + 1), last, weight) for last in range(1, steps + 1)]


MIXED = (
    windows(30, 1, 5) + [(7 * k + 1, 7 * k + 7, 30) for k in range(4)] + list(running((1,) * 30))
)


@pytest.mark.parametrize(
    ("spans", "error"),
    [(windows(30, 7), 1.708), (windows(30, 1), 1.0), (MIXED, 1.431), ([(1, 30, 1)], 1.0)],
    ids=["windows", "steps", "together", "one total"],
)
def test_sums_are_as_good_as_any(spans: Spans, error: float) -> None:
    made = sums_of_steps(30, spans)
    assert made.check().accepted
    assert made.ratio < Fraction(1002, 1000)
    assert float(made.achieved) == pytest.approx(error, rel=0.01)


@pytest.mark.slow
def test_a_year_of_windows() -> None:
    """Figures of another computation: 1.772 for a week, where noise of its own has 2.65."""
    assert float(sums_of_steps(365, windows(365, 7)).achieved) == pytest.approx(1.772, abs=1e-3)


def test_errors_of_sums_are_those_of_the_inverse() -> None:
    made = sums_of_steps(30, MIXED)
    rows = np.array([[float(a <= t <= b) for t in range(1, 31)] for a, b, _ in MIXED])
    inverse = np.linalg.inv(made.stream.matrix / 2.0**24)
    wanted = np.sqrt(((rows @ inverse) ** 2).sum(axis=1))
    assert total_errors(made.stream.matrix, made.spans) == pytest.approx(wanted, rel=1e-9)
    weights = np.array([weight for *_, weight in MIXED])
    error = math.sqrt(float(weights @ wanted**2 / weights.sum()))
    reach = made.allowed.squared_reach(made.stream.matrix) ** 0.5 / 2**24
    assert float(made.achieved) == pytest.approx(error * reach, rel=1e-9)


def test_two_ways_to_the_bound_of_weighted_totals() -> None:
    law, shares = (5, 3, 2, 2), (1, 7, 1, 3)
    one = float(running_bound(law, worst=False, shares=shares))
    other = float(pattern_bound(law, shares, Participation(), running(shares)))
    assert one == pytest.approx(other, rel=1e-6)
    assert one != pytest.approx(float(running_bound(law, worst=False)), rel=1e-3)


def test_few_sums_have_a_bound_too() -> None:
    """Fewer rows than columns: the total alone cannot be told with less than its own noise."""
    assert float(pattern_bound((1, 1, 1), (1,), Participation(), ((1, 3, 1),))) == pytest.approx(1)


def test_the_last_total_may_matter_most() -> None:
    last, worst = running_totals(64, objective="last"), running_totals(64)
    assert last.check().accepted
    assert last.ratio < Fraction(10001, 10000)
    errors = total_errors(last.stream.matrix), total_errors(worst.stream.matrix)
    assert errors[0][-1] < 0.7 * errors[1][-1]
    assert "64 running totals" in last.sentence
    assert "by their weights" in last.sentence


def test_weights_are_heeded() -> None:
    early = running_totals(32, weights=[100] * 4 + [1] * 28)
    errors = total_errors(early.stream.matrix)
    assert early.check().accepted
    assert errors[3] < errors[-1]
    assert early.ratio < Fraction(10001, 10000)


def test_units_in_several_steps() -> None:
    made = sums_of_steps(30, windows(30, 7), most=3)
    assert made.check().accepted
    assert made.ratio < Fraction(115, 100)
    assert (made.stream.matrix >= 0).all()
    weighted = running_totals(30, most=3, objective="last")
    assert weighted.check().accepted
    assert weighted.spans


def test_a_text_is_read_again_and_false_claims_are_refused() -> None:
    made = sums_of_steps(12, windows(12, 3))
    again = StreamCertificate.from_json(made.to_json())
    assert again.check().accepted
    assert again.spans == made.spans
    assert "12 sums of consecutive steps, of 12 steps, of units" in made.sentence
    less = Fraction(9999, 10000)
    assert not replace(made, achieved=made.achieved * less).check().accepted
    assert not replace(made, bound=made.bound / less).check().accepted
    assert not replace(made, spans=()).check().accepted
    assert not replace(made, worst=True).check().accepted
    for span in ((0, 3, 1), (4, 3, 1), (1, 13, 1), (1, 3, 0)):
        assert "sums must be" in str(replace(made, spans=(*made.spans, span)).check())
    assert "too many sums" in str(replace(made, spans=made.spans * 800).check())


@pytest.mark.parametrize("spans", [[], [[1, 2]], [[1, 2, 0]], [[1, 5000, 1]], [[True, 2, 1]], "x"])
def test_texts_of_strangers(spans: object) -> None:
    values = json.loads(sums_of_steps(3, windows(3, 2)).to_json()) | {"spans": spans}
    with pytest.raises(CertificateRejected, match="a certificate must be"):
        StreamCertificate.from_json(json.dumps(values))


@pytest.mark.parametrize(
    "asked", [[], [(0, 1, 1)], [(2, 1, 1)], [(1, 6, 1)], [(1, 2, 0)], [(1, 1, 1)] * 9000]
)
def test_what_cannot_be_asked(asked: Spans) -> None:
    with pytest.raises(InvalidParameter):
        sums_of_steps(5, asked)


def test_weights_that_are_none() -> None:
    for weights in ([1, 2], [1, 2, 0], [1, 2, 1.5]):
        with pytest.raises(InvalidParameter):
            running_totals(3, weights=weights)  # type: ignore[arg-type]
