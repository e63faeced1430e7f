"""The bound on Gaussian noise for plans against eigenvalues of the matrix itself."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.certificates.gaussian_plan_bound import ActiveBlock, gaussian_plan_bound
from leastnoise.certificates.listed_plan_bound import listed_plan_bound
from leastnoise.errors import InvalidParameter
from tests.examples import examples


def units(block: ActiveBlock) -> list[tuple[list[float], float]]:
    """All that a block may add, with chances."""
    found = []
    for active, chance in block.law:
        chosen = list(combinations(range(block.cells), active))
        for cells in chosen:
            unit = [float(block.high if i in cells else block.low) for i in range(block.cells)]
            found.append((unit, float(chance) / len(chosen)))
    return found


def by_matrix(blocks: list[ActiveBlock]) -> float:
    """(tr (W^½·E[vvᵀ]·W^½)^½)², with the expectation written out."""
    moment = 0.0
    for choice in product(*(units(block) for block in blocks)):
        vector = np.concatenate([unit for unit, _ in choice])
        moment = moment + np.prod([chance for _, chance in choice]) * np.outer(vector, vector)
    scale = np.sqrt(np.repeat([float(b.weight) for b in blocks], [b.cells for b in blocks]))
    values = np.linalg.eigvalsh(scale[:, None] * moment * scale)
    return float(np.sqrt(np.maximum(values, 0)).sum() ** 2)


@st.composite
def active_blocks(draw: st.DrawFn) -> ActiveBlock:
    cells = draw(st.integers(1, 3))
    low = draw(st.integers(-2, 1))
    share = Fraction(draw(st.integers(0, 8)), 8)
    first, second = draw(st.integers(0, cells)), draw(st.integers(0, cells))
    weight = Fraction(draw(st.integers(0, 5)), 2)
    law = ((first, share), (second, 1 - share))
    return ActiveBlock(cells, low, low + draw(st.integers(0, 3)), weight, law)


@examples(60, 300)
@given(st.lists(active_blocks(), min_size=1, max_size=3))
def test_the_bound_is_that_of_the_matrix(blocks: list[ActiveBlock]) -> None:
    exact, bound = by_matrix(blocks), float(gaussian_plan_bound(blocks))
    assert bound <= exact * (1 + 1e-9) + 1e-6
    # Guessed places may be refused where eigenvalues all but coincide; the bound is then lower.
    assert bound >= exact * (1 - 1e-4) - 1e-6


def test_four_counts() -> None:
    # A law of {0,1}⁴ with three ones: ((√d + 1)/2)²·d = 9, the best there is.
    block = ActiveBlock(4, 0, 1, Fraction(1), ((3, Fraction(1)),))
    assert float(gaussian_plan_bound([block])) == pytest.approx(9, rel=1e-8)
    assert gaussian_plan_bound([block]) <= 9


def test_many_different_blocks_are_bounded_from_below_too() -> None:
    blocks = [
        ActiveBlock(1, 0, n, Fraction(1), ((1, Fraction(2, 3)), (0, Fraction(1, 3))))
        for n in range(1, 400)
    ]
    # The eigenvalues of diag(2n²/9) + (2m/3)(2n/3) in Arb, 200 bits (`acb_mat.eig`, 40 s). Those in
    # floats add up to 1645205553.4295309, which is 1e-4 too little.
    exact = Fraction("1645205553.4296483955")
    assert exact * (1 - Fraction(1, 10**12)) < gaussian_plan_bound(blocks) < exact


@pytest.mark.parametrize(
    "law",
    [
        ((1, Fraction(1, 2)),),
        ((3, Fraction(1)),),
        ((-1, Fraction(1)),),
        ((1, Fraction(3, 2)), (0, Fraction(-1, 2))),
        (),
    ],
)
def test_what_is_no_law_proves_nothing(law: tuple[tuple[int, Fraction], ...]) -> None:
    with pytest.raises(InvalidParameter):
        ActiveBlock(2, 0, 1, Fraction(1), law)


BOXES = [(0, 1), (-1, 2), (0, 3)]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 30), min_size=8, max_size=8),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
)
def test_listed_units_prove_what_their_matrix_says(parts: list[int], weights: list[int]) -> None:
    corners = list(product(*BOXES))
    law = [(unit, Fraction(part, sum(parts))) for unit, part in zip(corners, parts, strict=True)]
    bound = listed_plan_bound(BOXES, [Fraction(w) for w in weights], law)
    scaled = np.array(corners) * np.sqrt(weights)
    matrix = (scaled.T * np.array([float(chance) for _, chance in law])) @ scaled
    exact = np.sqrt(np.linalg.eigvalsh(matrix)).sum() ** 2
    assert exact * (1 - 1e-6) <= bound <= exact * (1 + 1e-12)


def test_listed_units_with_a_singular_matrix_prove_little_or_nothing() -> None:
    assert listed_plan_bound(BOXES, [Fraction(1)] * 3, [((1, 1, 1), Fraction(1))]) <= 3


@pytest.mark.parametrize(
    "law",
    [
        [((1, 3, 1), Fraction(1))],
        [((1, 1), Fraction(1))],
        [((1, 1, 1), Fraction(1, 2))],
        [((1, 1, 1), Fraction(2)), ((0, 0, 0), Fraction(-1))],
    ],
)
def test_units_outside_of_the_boxes_are_refused(
    law: list[tuple[tuple[int, ...], Fraction]],
) -> None:
    with pytest.raises(InvalidParameter):
        listed_plan_bound(BOXES, [Fraction(1)] * 3, law)


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        ActiveBlock(2, 0, 1, Fraction(-1), ((1, Fraction(1)),))
