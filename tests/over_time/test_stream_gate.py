"""The gate of a schedule: what it admits, what it refuses, and who may draw."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leastnoise.certificates.over_time.integer_stream import IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.errors import BudgetExceeded, LedgerError, NotAdmitted
from leastnoise.ledger import Charge, Ledger
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.mechanisms.over_time.tree_noise import TreeNoise
from leastnoise.privacy import ZCDP, ApproxDP, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.schedule import Schedule, Turns
from leastnoise.release.ask.table import Table
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, CountValues, SumOf
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.stream_step import (
    Streamed,
    StreamStep,
    keeps_stream_claim,
    stream_reach,
)
from leastnoise.release.stream_gate import (
    AdmittedSchedule,
    PaidSchedule,
    admit_schedule,
)
from tests.over_time.tables import Visit, arrow, streamed

MATRIX = np.array([[2**12, 0, 0], [2**11, 2**12, 0], [2**10, 2**11, 2**12]])
LEAST = 2**24 + 2**22 + 2**20  # the longest column
WEEK = Schedule("day", start="2026-01-01", steps=3, contributes=1, column="day")
RHO = Fraction(1, 10)


def table(neighbours: str = "add_remove", unit: str | None = "person") -> Table:
    rows = [Visit(1, date(2026, 1, 1), "a"), Visit(2, date(2026, 1, 2), "b")]
    return read(arrow(rows), unit=unit, neighbours=neighbours)


def stream(  # noqa: PLR0913 - each is looked at alone
    schedule: Schedule = WEEK,
    *,
    reach: int = 2,
    allowed: Participation | None = None,
    matrix: np.ndarray = MATRIX,
    groups: int = 2,
    rho: Fraction = RHO,
    parameter: Fraction | None = None,
    asked: Streamed | None = None,
) -> StreamStep:
    """As little noise as the claim allows, unless it is said otherwise."""
    own = allowed or Participation(most=schedule.contributes, apart=schedule.apart)
    integers = IntegerStream.of_matrix(matrix)
    square = reach * own.squared_reach(integers.matrix)
    noise = StreamNoise(
        stream=integers,
        parameter=square / (2 * rho) if parameter is None else parameter,
        allowed=own,
        reach=reach,
        groups=groups,
    )
    return StreamStep(asked or streamed(schedule), noise, ZCDP(rho=rho))


def noise_of(step: StreamStep) -> StreamNoise:
    assert isinstance(step.mechanism, StreamNoise)
    return step.mechanism


def test_the_least_noise_is_admitted_and_less_is_not() -> None:
    assert keeps_stream_claim(stream(), table())
    exact = Fraction(2 * LEAST) / (2 * RHO)
    assert noise_of(stream()).parameter == exact
    assert not keeps_stream_claim(stream(parameter=exact - 1), table())


def test_a_unit_that_counts_in_more_steps_needs_more() -> None:
    twice = replace_schedule(contributes=2)
    assert not keeps_stream_claim(stream(twice, allowed=Participation()), table())
    assert keeps_stream_claim(stream(twice), table())
    assert noise_of(stream(twice)).parameter > noise_of(stream()).parameter
    assert keeps_stream_claim(stream(allowed=Participation(most=2)), table())


def test_steps_that_may_be_nearer_need_more() -> None:
    apart = replace_schedule(contributes=2, apart=2)
    assert keeps_stream_claim(stream(apart), table())
    assert not keeps_stream_claim(
        stream(replace_schedule(contributes=2), allowed=Participation(most=2, apart=2)), table()
    )
    assert keeps_stream_claim(stream(apart, allowed=Participation(most=2)), table())


def replace_schedule(**changes: int) -> Schedule:
    parts: dict[str, Any] = {"steps": 3, "contributes": 1, "apart": 1} | changes
    return Schedule("day", start="2026-01-01", column="day", **parts)


def test_units_in_two_steps_need_integers_without_signs() -> None:
    """Rows of a unit that are chosen anew at every look could pull both the same way."""
    twice, mixed = replace_schedule(contributes=2), np.array([[1, 1, 1], [-1, 1, 1], [1, 1, 1]])
    assert keeps_stream_claim(stream(twice), table())
    assert not keeps_stream_claim(stream(twice, matrix=MATRIX * mixed), table())
    assert keeps_stream_claim(stream(matrix=MATRIX * mixed), table())


@pytest.mark.parametrize(
    "wrong",
    [
        {"reach": 1},
        {"groups": 1},
        {"groups": 3},
        {"matrix": MATRIX[:2, :2]},
    ],
)
def test_what_does_not_fit_the_question(wrong: dict[str, object]) -> None:
    assert not keeps_stream_claim(stream(**wrong), table())  # type: ignore[arg-type]


def test_rows_that_are_units_are_in_one_step() -> None:
    many = replace_schedule(contributes=3)
    assert keeps_stream_claim(stream(many, allowed=Participation()), table(unit=None))
    assert not keeps_stream_claim(stream(many, allowed=Participation()), table())


def test_a_replaced_unit_moves_twice_as_far() -> None:
    replaced = table("replace")
    assert stream_reach(streamed(WEEK), table()).square == 2
    assert stream_reach(streamed(WEEK), replaced).square == 8
    assert not keeps_stream_claim(stream(reach=7), replaced)
    assert keeps_stream_claim(stream(reach=8), replaced)


GRID = Grid(lower=0, upper=4, bits=0)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (lambda m: m, True),
        (lambda m: replace(m, aggregates=(CountUnits(),)), True),
        (lambda m: replace(m, aggregates=(CountRows(), CountUnits())), False),
        (lambda m: replace(m, aggregates=(CountValues(col("person")),)), False),
        (lambda m: replace(m, bounds=Clip(max_norm=1)), False),
        (lambda m: replace(m, keys=None), False),
        (lambda m: replace(m, turns=Turns(WEEK)), False),
    ],
)
def test_kinds(change: Callable[[Measurement], Measurement], kept: bool) -> None:
    asked = Streamed(change(streamed(WEEK).measurement), WEEK)
    assert keeps_stream_claim(stream(asked=asked, reach=1000), table()) is kept


def test_sums_move_by_their_range() -> None:
    asked = Streamed(
        Measurement((SumOf(col("person"), GRID),), Bounds(max_groups=1, max_rows=3)), WEEK
    )
    assert stream_reach(asked, table()).square == (3 * 4) ** 2
    assert keeps_stream_claim(stream(asked=asked, reach=144, groups=1), table())
    assert not keeps_stream_claim(stream(asked=asked, reach=143, groups=1), table())


def tree(
    schedule: Schedule = WEEK,
    *,
    reach: int = 2,
    allowed: Participation | None = None,
    scales: tuple[int, ...] = (8, 8),
    epsilon: Fraction = Fraction(1, 2),
) -> StreamStep:
    """One unit in one step moves two cells by 1, in each of two levels: 2·(1/8 + 1/8)."""
    noise = TreeNoise(
        steps=3,
        branching=(2,) * (len(scales) - 1),
        scales=scales,
        allowed=allowed or Participation(most=schedule.contributes, apart=schedule.apart),
        reach=reach,
        groups=2,
    )
    return StreamStep(streamed(schedule), noise, PureDP(epsilon=epsilon))


def test_trees_are_priced_by_their_levels() -> None:
    assert keeps_stream_claim(tree(), table())
    assert not keeps_stream_claim(tree(epsilon=Fraction(1, 2) - Fraction(1, 10**9)), table())
    assert not keeps_stream_claim(tree(scales=(8, 8, 8)), table())
    assert not keeps_stream_claim(tree(reach=1), table())
    assert keeps_stream_claim(tree(scales=(4,)), table())
    twice = replace_schedule(contributes=2)
    assert not keeps_stream_claim(tree(twice), table())
    assert keeps_stream_claim(tree(twice, epsilon=Fraction(1)), table())
    assert not keeps_stream_claim(tree(twice, allowed=Participation()), table())
    assert not keeps_stream_claim(tree(), table("replace"))
    assert keeps_stream_claim(tree(reach=4, epsilon=Fraction(1)), table("replace"))


def test_kinds_of_noise_keep_their_own_kind_of_promise() -> None:
    assert not keeps_stream_claim(replace(tree(), claim=ZCDP(rho=100)), table())
    assert not keeps_stream_claim(replace(stream(), claim=PureDP(epsilon=100)), table())
    assert admitted(PureDP(epsilon=1), tree(), tree()).costs == (PureDP(epsilon=1),)
    assert admitted(ApproxDP(epsilon=1, delta="1e-9"), tree(), tree()).costs[1] == PureDP(epsilon=1)
    with pytest.raises(NotAdmitted):
        admitted(PureDP(epsilon=1), tree(), tree(), tree())
    with pytest.raises(NotAdmitted):
        admitted(ApproxDP(epsilon=9, delta="0.1"), tree(), stream())


class Quiet(StreamNoise):
    """Draws nothing."""


def test_strangers_are_not_believed() -> None:
    ours = stream()
    fake = Quiet(
        stream=noise_of(ours).stream, parameter=noise_of(ours).parameter, reach=2, groups=2
    )
    assert not keeps_stream_claim(StreamStep(ours.asked, fake, ours.claim), table())


def admitted(budget: object = ZCDP(rho=RHO), *streams: StreamStep) -> AdmittedSchedule:
    return admit_schedule(table(), WEEK, streams or (stream(),), budget)  # type: ignore[arg-type]


def test_prices_add_up() -> None:
    both = stream(), stream()
    assert admitted(ZCDP(rho=2 * RHO), *both).costs == (ZCDP(rho=2 * RHO),)
    with pytest.raises(NotAdmitted, match="together must keep"):
        admitted(ZCDP(rho=2 * RHO - Fraction(1, 10**9)), *both)
    with pytest.raises(NotAdmitted, match="stream 2"):
        admitted(ZCDP(rho=1), stream(), stream(reach=1))
    with pytest.raises(NotAdmitted):
        admit_schedule(table(), WEEK, (), ZCDP(rho=1))


def test_a_stream_of_another_schedule_is_refused() -> None:
    other = replace_schedule(steps=3, contributes=2)
    with pytest.raises(NotAdmitted):
        admit_schedule(table(), WEEK, (stream(other),), ZCDP(rho=1))


def test_other_budgets() -> None:
    # ρ = 1/10 is μ² = 1/5; δ(1) of N(0, 1) and N(√0.2, 1) is 0.003185…
    assert admitted(ApproxDP(epsilon=1, delta="0.0032")).costs[1] == ZCDP(rho=RHO)
    with pytest.raises(NotAdmitted):
        admitted(ApproxDP(epsilon=1, delta="0.0031"))
    with pytest.raises(NotAdmitted):
        admitted(PureDP(epsilon=100))


def ledger(folder: Path, rho: int = 1) -> Ledger:
    return Ledger(folder / "budget.db", total=ZCDP(rho=rho), begin=True)


def begun(book: Ledger, content: str = "design") -> PaidSchedule:
    one = admitted()
    held = one.charge(book, name="plan", content=content, purpose="all", labels=None)
    return one.paid(book, held)


def test_all_steps_are_charged_once(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    first = begun(book)
    assert book.spent == ZCDP(rho=RHO)
    again = begun(Ledger(tmp_path / "budget.db"), "another design")
    assert again.entry == first.entry
    assert book.spent == ZCDP(rho=RHO)
    assert sum(isinstance(each.event, Charge) for each in book.history()) == 1
    assert book.kept("plan") == "design"


def test_too_little_budget_stores_nothing(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "budget.db", total=ZCDP(rho=RHO / 2), begin=True)
    with pytest.raises(BudgetExceeded):
        begun(book)
    assert book.kept("plan") is None
    assert book.history() == []


def test_a_design_that_nobody_paid_for(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    book.keep("plan", "design")
    with pytest.raises(LedgerError, match="charged before"):
        begun(book)


def test_a_charge_for_something_cheaper(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    begun(book)
    dearer = admit_schedule(table(), WEEK, (stream(rho=2 * RHO),), ZCDP(rho=2 * RHO))
    with pytest.raises(LedgerError, match="must be what its steps cost"):
        dearer.paid(book, "design")


def test_steps_are_drawn_in_their_order_and_once(tmp_path: Path) -> None:
    paid = begun(ledger(tmp_path))
    with pytest.raises(NotAdmitted, match="one after another"):
        paid.step(2, lambda: "two")
    with pytest.raises(NotAdmitted):
        paid.step(0, lambda: "none")
    with pytest.raises(NotAdmitted):
        paid.step(4, lambda: "four")
    assert paid.step(1, lambda: "one") == "one"
    assert paid.step(1, _never) == "one"
    assert paid.step(2, lambda: "two") == "two"
    assert paid.step(3, lambda: "three") == "three"
    assert paid.done() == ["one", "two", "three"]
    other = begun(Ledger(tmp_path / "budget.db"))
    assert [other.step(number, _never) for number in (1, 2, 3)] == ["one", "two", "three"]


def _never() -> str:
    raise AssertionError("it was drawn before")


def test_of_two_draws_the_first_that_is_stored_counts(tmp_path: Path) -> None:
    paid = begun(ledger(tmp_path))
    rival = begun(Ledger(tmp_path / "budget.db"))

    def slow() -> str:
        assert rival.step(1, lambda: "first") == "first"
        return "second"

    assert paid.step(1, slow) == "first"
    assert paid.done() == ["first"]


def test_rights_are_not_made_or_copied(tmp_path: Path) -> None:
    one = admitted()
    with pytest.raises(TypeError):
        replace(one, costs=(ZCDP(rho=0),), seal=object())
    paid = begun(ledger(tmp_path))
    with pytest.raises(TypeError):
        PaidSchedule(one, ledger, "", paid.entry, object())  # type: ignore[arg-type]
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            copied(paid)


def test_neighbours_are_part_of_the_charge(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "b.db", total=ZCDP(rho=1), neighbours="replace", begin=True)
    assert table().neighbours is Neighbours.ADD_REMOVE
    with pytest.raises(LedgerError):
        begun(book)


def test_keys_are_all_told() -> None:
    assert streamed(WEEK).groups == 2
    alone = Streamed(Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1)), WEEK)
    assert alone.groups == 1
    assert streamed(WEEK).measurement.keys == Keys.of("town", ["a", "b"])
