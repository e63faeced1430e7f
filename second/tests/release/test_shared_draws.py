"""Draws that totals share: their price for what shares them, their size, and their line in the ledger."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.meters import Price
from leastnoise.ledger.records import canonical
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box, KNormNoise
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.measurement import (
    Drawn,
    Law,
    Limit,
    Measurement,
    Part,
    Proposal,
    Shared,
)
from leastnoise.release.shared_draws import drawn_for, noise_of, of_json, prices, reach, to_json
from leastnoise.tables.contributions import ONE
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Centred, Rows
from leastnoise.workloads.marginal_noise import ResidualNoise, SignedNoise

TABLE = pa.table({"u": ["p"], "g": ["a"], "n": [1]})
PERSON: Any = ln.read(TABLE, privacy_unit="u").agg(n=ln.count(), max_contributions=1).relation
G, N = Column("g", Type.TEXT), Column("n", Type.INTEGER)
STEPS = Centred(None, N, Fraction(0), Fraction(4))  # |y| <= 2
TWO, FOUR = (Groups((G,), tuple((f"g{i}",) for i in range(n))) for n in (2, 4))

BOXES = (Box(0, 3 * ONE), Box(-6 * ONE, 6 * ONE))
PURE = KNormNoise(Fraction(1, 2), BOXES)
GAUSSIAN = CentredGaussian(8 * ONE**2 * 144, 0, (Box(-6 * ONE, 6 * ONE),), (2,))
RESIDUAL = ResidualNoise((2, 2), ((0,), (0, 1)), ((((0,), 3),), (((1,), 5), ((0, 1), 2))), 70)
SIGNED = SignedNoise((2, 2), ((0,), (0, 1)), (Fraction(1, 3), Fraction(1, 5)),
                     ((((0,), (), 0),), (((), (1,), 0), ((0, 1), (), 1))))  # fmt: skip


def part(total: Any, noise: Any, limit: Any = None, groups: Any = None, **rest: Any) -> Part:
    made = Measurement(PERSON, groups or Groups(), (total,), limit or Limit(3), **rest)
    return Part(made, (noise,))


BOTH = [part(Rows(), Shared(0, 0)), part(STEPS, Shared(0, 1))]
TABLES = [part(Rows(), Shared(0, 0), groups=TWO, in_common=True),
          part(Rows(), Shared(0, 1), Limit(5), FOUR, in_common=True)]  # fmt: skip


def test_how_far_a_unit_moves_a_total_of_one_group() -> None:
    for family in ("laplace", "gaussian"):
        moved = [reach(each, each.measurement.totals[0], family) for each in BOTH]
        assert moved == [*BOXES]
    for limit, groups in (
        (Drawn(3), Groups()),
        (Limit(3), TWO),
        (Limit(3), Unlisted((G,), (None,))),
    ):
        with pytest.raises(InvalidInput, match="Only totals of one group, with a known limit"):
            reach(part(Rows(), 1, limit, groups), Rows(), "laplace")


PRICED: list[tuple[list[Law], list[Part], Any, list[Price]]] = [
    ([PURE], BOTH, "laplace", [Price.pure(Fraction(1, 2))]),
    ([GAUSSIAN], [part(STEPS, Shared(0, 0))], "gaussian", [Price.gaussian(Fraction(1, 2))]),
    ([RESIDUAL], TABLES, "gaussian", [Price.gaussian(Fraction(1, 7))]),
    ([SIGNED], TABLES, "laplace", [Price.pure(Fraction(8, 15))]),
    ([], [part(Rows(), 5)], "laplace", []),
]  # fmt: skip


@pytest.mark.parametrize(("draws", "parts", "family", "expected"), PRICED)
def test_the_price_of_a_draw_is_that_of_its_law(
    draws: list[Law], parts: list[Part], family: Any, expected: list[Price]
) -> None:
    assert prices(draws, parts, family) == expected
    other: Any = "gaussian" if family == "laplace" else "laplace"
    if draws:
        with pytest.raises(InvalidInput, match="o such noise"):
            prices(draws, parts, other)
        for fewer in (parts[1:], parts[:-1]):
            with pytest.raises(InvalidInput, match="shared by other totals than it was made for"):
                prices(draws, fewer, family)
        for wrong in (
            (*parts, parts[0]),
            (*parts, part(Rows(), Shared(1, 0))),
            (*parts, part(Rows(), Shared(-1, 0))),
        ):
            with pytest.raises(InvalidInput, match="the noise of another, or of no draw"):
                prices(draws, wrong, family)
        with pytest.raises(InvalidInput, match="shared by other totals than it was made for"):
            prices(draws, [*parts, part(Rows(), Shared(0, len(parts)))], family)


def test_noise_in_common_is_for_tables_of_known_groups_that_are_limited_in_l1_norm() -> None:
    for other in (replace(TABLES[0].measurement, in_common=False),
                  replace(TABLES[0].measurement, groups=Unlisted((G,), (None,)))):  # fmt: skip
        with pytest.raises(InvalidInput, match="Only tables of known groups"):
            prices([SIGNED], [replace(TABLES[0], measurement=other), TABLES[1]], "laplace")
    with pytest.raises(InvalidInput, match="other tables than it was made for"):
        prices([SIGNED], [replace(TABLES[0], noise=(Shared(0, 1),)), replace(TABLES[1], noise=(Shared(0, 0),))], "laplace")  # fmt: skip


def test_noise_of_tables_is_made_for_the_greatest_move(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Any]()

    def draw(_law: Law, _source: Source, *most: int) -> Any:
        asked.append(most)
        return ([7],)

    for kind in (SignedNoise, ResidualNoise, KNormNoise):
        monkeypatch.setattr(kind, "draw", draw)
    apart = [replace(each, noise=(Shared(1, i),)) for i, each in enumerate(TABLES)]
    for parts in (TABLES + apart[::-1] + BOTH[:0], TABLES[::-1] + apart):
        found = drawn_for(parts, [SIGNED, RESIDUAL], "gaussian", Source())
        assert found == [(SIGNED, ([7],)), (RESIDUAL, ([7],))]
    assert asked == [(5 * ONE,)] * 4
    assert drawn_for(BOTH, [PURE], "laplace", Source()) == [(PURE, ([7],))]
    assert asked[4:] == [()]


@pytest.mark.parametrize("law", [PURE, KNormNoise(Fraction(1, 3), BOXES[1:], 1), GAUSSIAN, RESIDUAL, SIGNED])  # fmt: skip
def test_a_law_is_read_as_it_was_written(law: Any) -> None:
    body = json.loads(canonical(to_json(law)))
    assert (type(of_json(body)), of_json(body)) == (type(law), law)


def test_the_charge_line_of_a_release() -> None:
    made = Proposal("laplace", tuple(BOTH), Price.pure(Fraction(1, 2)), (PURE,))
    parts = [{"totals": [[0, 0]]}, {"totals": [[0, 1]]}]
    assert noise_of(made) == {"family": "laplace", "parts": parts, "draws": [to_json(PURE)]}
    assert noise_of(replace(made, draws=())) == {"family": "laplace", "parts": parts}
    started = KNormNoise(Fraction(1), (Box(0, 2, start=6),))
    assert to_json(started) == {"rate": "1", "counters": 2, "boxes": [[0, 2, 6]]}
    assert to_json(SIGNED)["signed"] == [[[[0], [], 0]], [[[], [1], 0], [[0, 1], [], 1]]]
    assert to_json(RESIDUAL)["residuals"] == [[[[0], "3"]], [[[1], "5"], [[0, 1], "2"]]]
