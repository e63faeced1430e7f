"""The reduction by copies: privacy of groups, accuracy without padding, and a refutation."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from leastnoise.attacks import CopiedRecords, TardosCode, most_copies
from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteGaussian
from tests.attacks.seeded import SeededSource


def exact_means(table: NDArray[Any]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = table.mean(axis=0)
    return means


@given(st.integers(1, 40), st.data())
def test_padding_is_taken_out_exactly(records: int, data: st.DataObject) -> None:
    copies = data.draw(st.integers(1, records))
    made = CopiedRecords(exact_means, records=records, copies=copies, values=(-1, 1))
    people = np.array(
        data.draw(
            st.lists(
                st.lists(st.sampled_from([-1, 1]), min_size=2, max_size=2),
                min_size=made.people,
                max_size=made.people,
            )
        )
    )
    assert made(people) == pytest.approx(people.mean(axis=0), abs=1e-12)
    table = made.table(people)
    assert table.shape == (records, 2)
    assert made.copies * made.people + made.padding == records
    shift = np.abs(table.mean(axis=0) - people.mean(axis=0)).max()
    assert shift - 1e-12 <= made.padding_shift() <= Fraction(2 * (copies - 1), records)


@given(st.integers(1, 30), st.fractions(0, 1))
def test_error_grows_by_the_stated_factor(records: int, error: Fraction) -> None:
    made = CopiedRecords(
        lambda t: t.mean(axis=0) + float(error), records=records, copies=1 + records // 3
    )
    people = np.zeros((made.people, 1), dtype=int)
    assert made(people)[0] == pytest.approx(float(made.error(error)), abs=1e-9)


def test_one_record_of_few_is_a_group_of_many() -> None:
    made = CopiedRecords(exact_means, records=10, copies=3)
    one = np.array([[0, 0], [0, 1], [1, 1]])
    other = one.copy()
    other[1] = [1, 0]
    assert (made.table(one) != made.table(other)).any(axis=1).sum() == 3


def test_errata_b5_and_b8() -> None:
    """The δ of ten copies at ε = 0.1 is 16.34 times δ: not e, and not 10."""
    made = CopiedRecords(exact_means, records=1000, copies=10)
    assert float(made.delta(epsilon="0.1", delta="1e-3")) == pytest.approx(0.0163380, abs=1e-7)
    few = CopiedRecords(exact_means, records=1000, copies=7)
    assert float(few.delta(epsilon="0.1", delta="1e-6")) <= 10e-6
    more = CopiedRecords(exact_means, records=1000, copies=8)
    assert float(more.delta(epsilon="0.1", delta="1e-6")) > 10e-6


def test_errata_b7() -> None:
    """Padding moves every column by up to 2k/n, so the ℓ1 distance by up to 2kd/n."""
    made = CopiedRecords(exact_means, records=199, copies=100, values=(-1, 1))
    people = -np.ones((1, 50), dtype=int)
    moved = np.abs(made.table(people).mean(axis=0) - people.mean(axis=0)).sum()
    assert moved == pytest.approx(50 * float(made.padding_shift()))
    assert moved > 2 * 100 / 199


def accusations(means: CopiedRecords, trials: int, source: SeededSource) -> float:
    """How often the first user is accused at risk 1e-6, over fresh codes."""
    found = 0
    for _ in range(trials):
        code = TardosCode(users=means.people, length=3000, coalition=means.people, source=source)
        answer = np.clip(means(code.words), 0, 1)
        found += bool(code.trace(answer, false_accusation="1e-6").accused[0])
    return found / trials


def test_the_promise_of_exact_means_is_refuted() -> None:
    """Accused every time; (1, 1e-6)-DP would allow it once in 6 000 times."""
    made = CopiedRecords(exact_means, records=30, copies=5)
    allowed = made.accusation_bound(epsilon=1, delta="1e-6", false_accusation="1e-6")
    assert float(allowed) < 1 / 4000
    assert accusations(made, 10, SeededSource(21)) == 1


def test_the_promise_of_private_means_stands() -> None:
    source = SeededSource(22)
    noise = DiscreteGaussian(variance=54_000)  # about 4.2247²·3000: (1, 1e-6)-DP

    def private(table: NDArray[Any]) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = (table.sum(axis=0) + noise.sample(3000, source)) / len(table)
        return drawn

    assert accusations(CopiedRecords(private, records=30, copies=5), 10, source) == 0


@pytest.mark.parametrize("records", [10**4, 10**6])
@pytest.mark.parametrize("delta", ["1e-8", "1e-9", "1e-12", "1e-30"])
def test_copies_of_the_published_proof_are_never_more(records: int, delta: str) -> None:
    printed = math.floor(math.log(1 / (12 * records * float(delta))) - 1)
    ours = most_copies(epsilon=1, delta=delta, records=records)
    assert ours >= min(printed, records // 200) >= 0
    assert ours <= records // 200


@pytest.mark.parametrize("copies", [1, 5, 8])
def test_most_copies_satisfies_the_inequality(copies: int) -> None:
    loss, leak, size = 0.7, 1e-9, 10_000
    most = most_copies(epsilon="0.7", delta="1e-9", records=size)

    def spent(k: int) -> float:
        return leak * (math.exp(k * loss) + math.expm1(k * loss) / math.expm1(loss))

    assert spent(most) < 1 / (12 * size) <= spent(most + 1)
    assert copies <= most


def test_no_copy_if_delta_is_large() -> None:
    assert most_copies(epsilon=1, delta="0.1", records=1000) == 0


@pytest.mark.parametrize(
    ("people", "values", "kind"),
    [
        ([[True], [False]], (0, 1), "b"),
        ([[True], [False]], (0, 2), "f"),
        ([[0], [1]], (0, 1), "i"),
        ([[0], [1]], (0, "2.5"), "f"),
        (np.array([[0], [1]], dtype=np.uint8), (0, 1000), "f"),
        ([[0.5], [0.25]], (0, 1), "f"),
    ],
)
def test_padding_keeps_the_type_where_it_can(
    people: Any, values: tuple[float, float], kind: str
) -> None:
    made = CopiedRecords(exact_means, records=5, copies=2, values=values)
    table = made.table(people)
    assert table.dtype.kind == kind
    assert table[-1, 0] == float(values[1])
    assert made(people)[0] == pytest.approx(np.mean(people))


def test_bad_input() -> None:
    with pytest.raises(InvalidParameter, match="`copies`"):
        CopiedRecords(exact_means, records=3, copies=4)
    made = CopiedRecords(exact_means, records=10, copies=3)
    with pytest.raises(InvalidParameter, match="`people` must have records // copies = 3 rows"):
        made([[1]])
    with pytest.raises(InvalidParameter, match="`people` must hold values"):
        made([[7391]] * 3)
    with pytest.raises(InvalidParameter, match="`people` must be a table"):
        made([1, 0, 1])
    assert repr(made) == "CopiedRecords(records=10, copies=3)"
