"""What no other quick test noticed when it was changed: `make mutants`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from leastnoise.certificates.over_time import running_bound as module
from leastnoise.certificates.over_time import stream_error
from leastnoise.certificates.over_time.check_stream import achieved_error
from leastnoise.certificates.over_time.float_norms import gamma
from leastnoise.certificates.over_time.integer_stream import IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.pattern_bound import pattern_bound, patterns
from leastnoise.certificates.over_time.running_bound import _excess, running_bound
from leastnoise.certificates.over_time.stream_certificate import _stream, _stream_text
from leastnoise.certificates.over_time.stream_claim import StreamClaim
from leastnoise.certificates.over_time.stream_error import mean_square, total_errors
from leastnoise.certificates.strict_json import WRONG_TYPES
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.over_time.buffered_noise import BufferedNoise
from leastnoise.mechanisms.over_time.step_totals import MOST_TOTAL
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.mechanisms.over_time.stream_price import (
    MOST_PARAMETER,
    SMOOTHING,
    checked_parameter,
)
from leastnoise.mechanisms.over_time.tree_noise import TreeNoise
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians
from leastnoise.privacy import ZCDP, ApproxDP
from leastnoise.release import stream_gate
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.draw.stream_drawn import cut_totals
from leastnoise.release.step.stream_step import StreamStep
from tests.over_time.tables import streamed
from tests.over_time.test_long_totals import small

ONE = 1 << 24  # the integer that stands for 1
EYE = np.array([[ONE, 0], [0, ONE]])


def test_units_come_as_soon_and_often_as_they_may() -> None:
    found = patterns(6, Participation(most=2, apart=3))
    assert [list(each) for each in found] == [[0, 3], [1, 4], [2, 5], [3], [4], [5]]


def test_what_an_inverse_is_off_by_makes_errors_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_error, "product_error", lambda *_: 1 / 16)
    # Two products, each off by 2/16: ‖E‖ ≤ 1/4, so that 1 and √2 may be larger by 4/3.
    assert total_errors(EYE) == pytest.approx([4 / 3, 4 / 3 * 2**0.5], rel=1e-9)


def test_what_is_left_and_what_was_rounded_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """E is I/16, and two products are known up to 1/32: ‖E‖ ≤ √2/16 + 2/16."""
    monkeypatch.setattr(stream_error, "product_error", lambda *_: 1 / 32)
    monkeypatch.setattr(stream_error, "solve_triangular", lambda *_, **__: np.eye(2) * 15 / 16)
    off = (2**0.5 + 2) / 16
    assert total_errors(EYE)[0] == pytest.approx(15 / 16 / (1 - off), rel=1e-9)


def test_sums_of_large_numbers_are_off_by_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_error, "gamma", lambda _: 1 / 8)
    assert total_errors(EYE // 4) == pytest.approx([4 + 2 * 2**0.5, 6 * 2**0.5], rel=1e-9)


def test_an_inverse_that_is_made_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any size of blocks, and as a plain inverse tells it."""
    matrix = np.tril(np.random.default_rng(3).integers(1, ONE // 4, (9, 9))) + ONE * np.eye(
        9, dtype=int
    )
    inverse = np.linalg.inv(matrix / ONE)
    wanted = np.sqrt((np.cumsum(inverse, axis=0) ** 2).sum(axis=1))
    for columns, rows in ((512, 128), (4, 2), (3, 5), (2, 2)):
        monkeypatch.setattr(stream_error, "_COLUMNS", columns)
        monkeypatch.setattr(stream_error, "_ROWS", rows)
        found = total_errors(matrix)
        assert (found >= wanted * (1 - 1e-12)).all()
        assert found == pytest.approx(wanted, rel=1e-10)


def test_gamma_is_a_little_more_than_so_many_units() -> None:
    assert 3 * 2.0**-53 < gamma(3) < 3 * 2.0**-53 * (1 + 1e-14)


def test_the_root_of_a_mean_of_squares() -> None:
    found = float(mean_square(np.array([3.0, 4.0])))
    assert 12.5**0.5 <= found <= 12.5**0.5 * (1 + 1e-13)


def test_smaller_integers_are_no_worse() -> None:
    """Half the integers double the errors, and a unit moves them half as far."""
    for worst, square in ((True, 2), (False, 1.5)):
        for part in (1, 2):
            stream = IntegerStream.of_matrix(EYE // part)
            found = achieved_error(stream, Participation(), worst=worst)
            assert float(found) == pytest.approx(square**0.5, rel=1e-9)


def test_bounds_of_one_step_and_of_two() -> None:
    """One step has the error 1; both steps of a unit: singular values of ((1, 0), (2, 1))/2."""
    assert 1 - 1e-6 < running_bound((1,), worst=False) <= 1
    base = math.exp(-(math.pi**2) * 5 / 3)
    assert float(_excess().mid()) == pytest.approx(4 * base / (1 - base), rel=1e-10, abs=0)
    found = float(pattern_bound((1, 1), (1, 1), Participation(most=2)))
    assert 2**0.5 * (1 - 1e-9) < found <= 2**0.5


def test_a_matrix_from_its_generators() -> None:
    whole, half = 1 << 28, 1 << 27
    same, direct = np.array([[whole], [whole]]), np.array([whole, whole])
    found = IntegerStream(np.array([[whole], [half]]), same, same, direct)
    assert found.matrix.tolist() == [[ONE, 0], [ONE // 2, ONE]]
    listed = IntegerStream.of_matrix(np.array([[1, 0], [2, 3]]))
    assert not listed.matrix.flags.writeable
    assert _stream_text(listed) == {"rows": [[1], [2, 3]]}


@pytest.mark.parametrize(("apart", "said"), [(1, False), (3, True)])
def test_what_is_claimed(apart: int, said: bool) -> None:
    allowed, stream = Participation(most=2, apart=apart), IntegerStream.of_matrix(EYE)
    claim = StreamClaim(stream, allowed, True, (1, 1), Fraction(3), Fraction(2))
    assert claim.ratio == Fraction(3, 2)
    assert (f", {apart} apart," in claim.sentence) is said


def test_every_group_of_every_step_has_noise_of_its_own() -> None:
    noise = StreamNoise(stream=IntegerStream.of_matrix(EYE), parameter=2**48, groups=3, reach=4)
    assert noise.gaussians == LatticeGaussians(Fraction(2**48), SMOOTHING, 6)
    assert noise.squared_reach == 4 * ONE**2
    assert noise.guarantee.rho == 2


def test_steps_are_measured_with_all_steps_before() -> None:
    """σ is 2^−12 of what stands for 1: the totals come out as they are."""
    stream = IntegerStream.of_matrix(np.array([[ONE, 0], [ONE // 2, ONE]]))
    noise = StreamNoise(stream=stream, parameter=2**24)
    assert noise.release(np.array([[5], [7]])).value.tolist() == [[5], [12]]


def test_what_nodes_overestimate_is_divided_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_excess", lambda: arb(1))
    assert float(running_bound((1,), worst=False)) == pytest.approx(1 / 2, rel=1e-5)


def test_listed_integers_are_not_too_large() -> None:
    assert _stream({"rows": [[2**25]]}).steps == 1
    with pytest.raises((*WRONG_TYPES, ValueError)):
        _stream({"rows": [[2**25 + 1]]})


def test_totals_beyond_what_fits_are_put_at_the_end() -> None:
    given = np.array([-(2**62), -MOST_TOTAL, -3, 5, 2**62])
    for each in (cut_totals(given), cut_totals(given.astype(np.object_))):
        assert each.tolist() == [-MOST_TOTAL, -MOST_TOTAL, -3, 5, MOST_TOTAL]
    assert cut_totals(np.array([10**40, -(10**40)])).tolist() == [MOST_TOTAL, -MOST_TOTAL]


def test_totals_far_below_zero_are_refused_too() -> None:
    stream = StreamNoise(stream=IntegerStream.of_matrix(EYE), parameter=4 * ONE**2)
    tree = TreeNoise(steps=2, branching=(), scales=(1,))
    for noise in (stream, tree):
        with pytest.raises(InvalidParameter):
            noise.measure(np.array([[-MOST_TOTAL - 1], [0]]))
        noise.measure(np.array([[-MOST_TOTAL]]))


def test_rounding_is_paid_for_in_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three steps and five groups fifteen numbers, and not eight."""
    seen: list[int] = []

    def keeps(parts: list[tuple[Fraction, Fraction, int]], _: object) -> bool:
        seen.extend(each[2] for each in parts)
        return True

    monkeypatch.setattr(stream_gate, "line_keeps", keeps)
    noise = StreamNoise(
        stream=IntegerStream.of_matrix(np.eye(3, dtype=np.int64) * ONE), parameter=2**30, groups=5
    )
    schedule = Schedule("day", start="2026-01-01", steps=3, contributes=1, column="day")
    step = StreamStep(streamed(schedule), noise, ZCDP(rho=1))
    assert stream_gate._on_the_line([step], ApproxDP(epsilon=1, delta="1e-6"))
    assert seen == [15]


def test_the_price_on_the_line_is_of_all_numbers_of_all_groups() -> None:
    """The leak of rounding is counted for each number that is measured."""
    stream = StreamNoise(stream=IntegerStream.of_matrix(EYE), parameter=4 * ONE**2, groups=5)
    long = BufferedNoise(stream=small(), parameter=2**60, groups=5)
    assert stream.gaussians == LatticeGaussians(stream.parameter, SMOOTHING, 2 * 5)
    assert long.gaussians == LatticeGaussians(long.parameter, SMOOTHING, long.steps * 5)


def test_the_largest_noise_of_a_stream_is_as_large_as_is_said() -> None:
    assert checked_parameter(2**80, "parameter") == MOST_PARAMETER == 2**80
    assert checked_parameter(2**24, "parameter") == 2**24
    for other in (2**80 + 1, 2**24 - 1):
        with pytest.raises(InvalidParameter, match=r"2\*\*24, 2\*\*80"):
            checked_parameter(other, "parameter")
