"""Schedules: all draws together within one limit, one charge, each period drawn once."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Family, Price
from leastnoise.ledger.sqlite import SQLite
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import (
    BudgetExceeded,
    EngineError,
    InvalidInput,
    LeastNoiseError,
    LedgerError,
)
from leastnoise.release import periods
from leastnoise.release import schedule as scheduling
from leastnoise.release.choose_noise import proposal
from leastnoise.release.gate import NotAdmitted, admit
from leastnoise.release.measurement import NORM, Limit, Measurement, Part, Proposal, Shared
from leastnoise.release.periods import draw_period, of_periods
from leastnoise.release.run import TOTALS, run, statement
from leastnoise.release.schedule import AllPeriods, Schedule, periods_of
from leastnoise.tables.contributions import ONE
from leastnoise.tables.dialect import Fragment
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.groups import Groups
from leastnoise.tables.schema import CsvFiles, Frame, Schema, Table, Type
from tests import reference
from tests.forked import in_child
from tests.ledger.charges import charged, request
from tests.oracle import _replaced
from tests.release.test_run import Events, Killed, Noise, Recorded, killed

FAMILIES: list[Family] = ["laplace", "gaussian"]
SCHEMA = pa.schema(
    {"u": pa.string(), "d": pa.date32(), "g": pa.string(), "x": pa.float64(), "ok": pa.bool_()}
)
MONTHS: dict[str, Any] = {
    "every": "month",
    "column": "d",
    "first": "2013-01-01",
    "append_only": True,
}
"""A year whose months are over for long."""

Rows = list[dict[str, Any]]


def data_of(rows: Rows, unit: Any = "u", **tables: Any) -> Any:
    own = {"visits": pa.Table.from_pylist(rows, schema=SCHEMA)} | tables
    named = unit if unit == ln.ROW else {"person": dict.fromkeys(own, "u")}
    return ln.read(own, privacy_unit=named)


# --- what is drawn, in integers

QUERIES: dict[str, Callable[[], Any]] = {
    "count": lambda: data_of([])["visits"].group_by("g", groups=["a", None, "b"]).agg(
        n=ln.count(), max_contributions=4, max_per_group=2),
    "several": lambda: data_of([])["visits"].where("x < 9").agg(
        n=ln.count("ok"), m=ln.mean("x", lower=0, upper=8), people=ln.count_units("x > 1"), max_contributions=3),
    "people": lambda: data_of([])["visits"].group_by("ok").agg(
        people=ln.count_units(), max_contributions=2),
    "rows": lambda: data_of([], ln.ROW).group_by("g", groups=["a", "b"]).agg(s=ln.sum("x", lower=-1, upper=5)),
    "median": lambda: data_of([])["visits"].agg(
        m=ln.median("x", lower=0, upper=8), n=ln.count(), max_contributions=3, max_per_group=1),
    "exists": lambda: data_of([], others=pa.Table.from_pylist([], schema=SCHEMA)).sql(
        "SELECT v.g, COUNT(*) AS n FROM visits v JOIN others o ON v.u = o.u AND o.ok WHERE EXISTS "
        "(SELECT 1 FROM others p WHERE p.u = v.u AND p.x > 1) GROUP BY v.g",
        groups=["a", "b"], max_contributions=5, max_per_group=2),
}  # fmt: skip


@cache
def together(name: str, periods: int = 4) -> AllPeriods:
    return periods_of(QUERIES[name](), periods=periods, **MONTHS)[0]


def measured(name: str, family: Family, periods: int = 4) -> list[Measurement]:
    pairs = together(name, periods).measurements(family, over_limit=True)
    return [each for each, _ in pairs][:3]


Snapshot = dict[str, Rows]
"""The rows of every table at one time."""
Earlier = Callable[[str, list[str]], Iterable[str]]
"""Which periods use up the limit of a draw: of the period, and of what was drawn already."""


def already_drawn(_period: str, before: list[str]) -> Iterable[str]:
    return before


def earlier_by_date(period: str, before: list[str]) -> Iterable[str]:
    return [f"2013-{month:02}-01" for month in range(1, int(period[5:7]))]


def none(_period: str, _before: list[str]) -> Iterable[str]:
    return ()


def parts_of_draws(
    measurement: Measurement, order: list[str], earlier: Earlier
) -> Iterator[tuple[Part, int]]:
    """For every draw: what is measured, and how many of its groups are shown."""
    part = Part(measurement, (1,) * len(measurement.totals))
    for at, period in enumerate(order):
        own = of_periods(part, [period])
        yield of_periods(part, [period, *earlier(period, order[:at])]), len(own.measurement.groups)  # type: ignore[arg-type]


def by_reference(
    measurement: Measurement, family: Family, order: list[str], at: list[Snapshot],
    earlier: Earlier = already_drawn,
) -> dict[Any, list[int]]:  # fmt: skip
    """(draw, group) -> totals."""
    found: dict[Any, list[int]] = {}
    tables = dict.fromkeys(measurement.relation.tables)
    for draw, (both, shown) in enumerate(parts_of_draws(measurement, order, earlier)):
        data = {table: at[draw][table.name] for table in tables}
        lines = reference.totals(both.measurement, NORM[family], data, shown)
        found |= {(draw, code): line for code, line in lines.items() if any(line)}
    return found


def by_sql(
    measurement: Measurement, family: Family, order: list[str], at: list[Snapshot]
) -> dict[Any, list[int]]:
    """The same by the statements that a schedule runs, in one engine."""
    found: dict[Any, list[int]] = {}
    tables = dict.fromkeys(measurement.relation.tables)
    draws = [{t: replace(t, place=_frame(each[t.name])) for t in tables} for each in at]
    with DuckDB([new for each in draws for new in each.values()]) as engine:
        for draw, (both, shown) in enumerate(parts_of_draws(measurement, order, already_drawn)):
            relation = _replaced(both.measurement.relation, draws[draw])
            own = replace(both, measurement=replace(both.measurement, relation=relation))
            text = statement(own, family, engine, shown=shown)
            engine.prepare(text)
            lines = engine.integers(text)
            found |= {(draw, code): line for code, *line in lines if any(line)}
    return found


def _frame(rows: Rows) -> Frame:
    return Frame(pa.Table.from_pylist(rows, schema=SCHEMA))


def scenes(seed: int, periods: int = 4) -> tuple[list[str], list[Snapshot]]:
    """An order of some periods, and the tables at each draw: rows are added all the time, also late."""
    chosen = random.Random(seed)
    starts = [f"2013-{month:02}-01" for month in range(1, periods + 1)]
    order = chosen.sample(starts, chosen.randint(2, periods))
    now: Snapshot = {"visits": [], "others": []}
    found = []
    for _ in order:
        for name, own in now.items():
            own += [
                {
                    "u": chosen.choice(["p", "p", "p", "q", "r", None]),
                    "d": chosen.choice([date(2013, chosen.randint(1, periods), 28), date(2013, 1, 1), None]),
                    "g": chosen.choice(["a", "a", "b", "c", None]),
                    "x": chosen.choice([0.0, 1.5, 3.0, 8.5, -2.0, None, float("nan")]),
                    "ok": chosen.choice([True, False, None]),
                }
                for _ in range(chosen.randint(2, 14) if name == "visits" else 2)
            ]  # fmt: skip
        found.append({name: list(own) for name, own in now.items()})
    return order, found


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", QUERIES)
def test_the_statements_give_what_the_reference_gives(name: str, family: Family) -> None:
    for seed in range(2):
        order, at = scenes(seed)
        for each in measured(name, family):
            assert by_sql(each, family, order, at) == by_reference(each, family, order, at)


def without(unit: str, at: list[Snapshot]) -> list[Snapshot]:
    return [{name: [row for row in rows if row["u"] != unit] for name, rows in each.items()}
            for each in at]  # fmt: skip


def neighbours(name: str, at: list[Snapshot]) -> Iterator[list[Snapshot]]:
    """The tables without one unit at all times."""
    if name != "rows":
        yield from (without(unit, at) for unit in ("p", "q", "r"))
        return
    for gone in at[-1]["visits"][:6]:
        yield [{key: [row for row in rows if row is not gone] for key, rows in each.items()}
               for each in at]  # fmt: skip


def moved(one: dict[Any, list[int]], other: dict[Any, list[int]], family: Family) -> list[int]:
    """Squared, of every total: how far all draws together are from each other."""
    nothing = [0] * len(next(iter([*one.values(), *other.values()]), []))
    apart = [[abs(a - b) for a, b in zip(one.get(k, nothing), other.get(k, nothing), strict=True)]
             for k in one.keys() | other.keys()]  # fmt: skip
    columns = zip(*apart, strict=True)
    return [sum(each) ** 2 if family == "laplace" else sum(x * x for x in each) for each in columns]


def violations(
    name: str, each: Measurement, family: Family, seeds: Iterable[int], earlier: Earlier
) -> Iterator[int]:
    """The seeds of scenes in which a unit moves all draws further than the gate believes."""
    most = [each.sensitivity(total, NORM[family]) for total in each.totals]
    for seed in seeds:
        order, at = scenes(seed)
        everybody = by_reference(each, family, order, at, earlier)
        for others in neighbours(name, at):
            far = moved(everybody, by_reference(each, family, order, others, earlier), family)
            if any(a > b for a, b in zip(far, most, strict=False)):
                yield seed


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", QUERIES)
def test_no_unit_moves_all_draws_together_by_more_than_one_measurement(
    name: str, family: Family
) -> None:
    seeds = range(5 if name == "median" else 12)
    for each in measured(name, family):
        assert not [*violations(name, each, family, seeds, already_drawn)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["count", "several", "people"])
@pytest.mark.parametrize("wrong", [earlier_by_date, none])
def test_the_same_tables_show_what_is_wrong_with_other_rules(
    wrong: Earlier, name: str, family: Family
) -> None:
    (each,) = measured(name, family)
    assert next(violations(name, each, family, range(30), wrong), None) is not None


SHRINKING = {
    "no LEFT JOIN": "SELECT COUNT(*) AS n FROM visits v LEFT JOIN others o ON v.u = o.u AND v.g = o.g WHERE o.g IS NULL",
    "no NOT EXISTS": "SELECT COUNT(*) AS n FROM visits v WHERE NOT EXISTS (SELECT 1 FROM others o WHERE o.u = v.u AND o.g = v.g)",
    "no GROUP BY in a subquery": "SELECT COUNT(*) AS n FROM (SELECT u, g, MAX(d) AS d FROM visits GROUP BY u, g) AS q",
}
"""By what the refusal says: queries of which new rows take rows away, or move them."""


def shrinking(sql: str) -> AllPeriods:
    data = data_of([], others=pa.Table.from_pylist([], schema=SCHEMA))
    query = data.sql(sql, max_contributions=2)
    column = next(name for name in query.relation.schema if name.endswith("d"))
    return periods_of(query, periods=4, **MONTHS | {"column": column})[0]


@pytest.mark.parametrize("message", SHRINKING)
def test_relations_that_lose_rows_would_break_the_promise_and_are_refused(
    message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match=message):
        shrinking(SHRINKING[message])
    monkeypatch.setattr(scheduling, "check", lambda _measured: None)
    together = shrinking(SHRINKING[message])
    for family in FAMILIES:
        ((each, _),) = together.measurements(family, over_limit=False)
        found = violations("shrinking", each, family, range(40), already_drawn)
        assert next(found, None) is not None


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["count", "several", "people"])
def test_whatever_becomes_of_the_tables_one_draw_is_within_one_limit(
    name: str, family: Family
) -> None:
    """If tables are replaced between draws, m draws move by no more than m measurements."""
    (each,) = measured(name, family)
    most = [each.sensitivity(total, NORM[family]) for total in each.totals]
    for seed in range(6):
        order, _ = scenes(seed)
        at = [scenes(seed + 50 + draw)[1][-1] for draw in range(len(order))]
        everybody = by_reference(each, family, order, at)
        for others in neighbours(name, at):
            without = by_reference(each, family, order, others)
            for draw in range(len(order)):
                one, other = (
                    {key: line for key, line in found.items() if key[0] == draw}
                    for found in (everybody, without)
                )
                if one or other:
                    far = moved(one, other, family)
                    assert all(a <= b for a, b in zip(far, most, strict=True))


def one_unit(months: Iterable[int], rows: int = 4) -> Rows:
    return [
        {"u": "p", "d": date(2013, month, 7), "g": "a", "x": 1.0, "ok": True}
        for month in months for _ in range(rows)
    ]  # fmt: skip


def used(order: list[int], at: list[Rows], earlier: Earlier, family: Family) -> float:
    """How often one unit uses the limit of 4 rows in all months."""
    query = data_of([])["visits"].agg(n=ln.count(), max_contributions=4)
    measurement = periods_of(query, periods=12, **MONTHS)[0].measurements(family, over_limit=False)[
        0
    ][0]
    periods = [f"2013-{month:02}-01" for month in order]
    snapshots = [{"visits": rows} for rows in at]
    found = by_reference(measurement, family, periods, snapshots, earlier)
    power = 1 if family == "laplace" else 2
    return sum((line[0] / ONE / 4) ** power for line in found.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_year_drawn_backwards_with_late_rows(family: Family) -> None:
    """Before each draw come four rows of its month, when all later months were drawn."""
    order = [*range(12, 0, -1)]
    at = [one_unit(range(month, 13)) for month in order]
    assert used(order, at, earlier_by_date, family) == 12
    assert used(order, at, already_drawn, family) == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_a_public_table_that_forgets_breaks_the_promise_too(family: Family) -> None:
    """Rows of a day that is no longer listed do not use up the limit any more."""
    days = pa.table({"day": pa.array([], pa.date32())})
    data = ln.read({"visits": pa.Table.from_pylist([], schema=SCHEMA)}, public={"days": days},
                   privacy_unit={"person": {"visits": "u"}})  # fmt: skip
    query = data.sql(
        "SELECT COUNT(*) AS n FROM visits JOIN days ON visits.d = days.day", max_contributions=4
    )
    ((each, _),) = periods_of(query, periods=4, **MONTHS)[0].measurements(family, over_limit=False)
    order = [f"2013-{month:02}-01" for month in (1, 2, 3)]
    power = 1 if family == "laplace" else 2
    for kept, times in (([[1], [1, 2], [1, 2, 3]], 1), ([[1], [2], [3]], 3)):
        at = [{"visits": one_unit([1, 2, 3]), "days": [{"day": date(2013, m, 7)} for m in months]}
              for months in kept]  # fmt: skip
        found = by_reference(each, family, order, at)
        assert sum((line[0] / ONE / 4) ** power for line in found.values()) == times


@pytest.mark.parametrize("family", FAMILIES)
def test_tables_that_forget_break_the_promise_so_append_only_is_asked_for(family: Family) -> None:
    """A unit that is there every other month, in tables that hold the last two months."""
    order = [*range(1, 13)]
    kept = [one_unit([m for m in (month - 1, month) if m % 2]) for month in order]
    assert used(order, kept, already_drawn, family) == 6
    everything = [one_unit(range(1, month + 1, 2)) for month in order]
    assert used(order, everything, already_drawn, family) == 1


# --- the gate


def a_proposal(family: Family) -> Proposal:
    """Prices of one over a power of two divide the noise without a remainder."""
    price = (Price.pure if family == "laplace" else Price.gaussian)(Fraction(1, 16))
    made = proposal([together("count")], family, price)
    (part,) = made.parts
    (squared,) = (part.measurement.sensitivity(t, NORM[family]) for t in part.measurement.totals)
    exact = 16 * squared if family == "gaussian" else 16 * 4 * ONE
    return replace(made, parts=(replace(part, noise=(exact,)),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "x.ledger"
    Ledger.create(place, privacy_unit="person", epsilon=6, delta="1e-6")
    return place


def draw(made: Proposal, store: Any, number: int | None = None, period: str = "2013-02-01") -> Any:
    with DuckDB(
        dict.fromkeys(t for p in made.parts for t in p.measurement.relation.tables)
    ) as engine:
        return draw_period(made, request(), period, engine, store, Source(), after=store.last,
                           number=number, remarks={})  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_one_unit_of_noise_less_is_refused(family: Family, path: Path) -> None:
    made, store = a_proposal(family), SQLite(path)
    (part,) = made.parts
    (size,) = part.noise
    assert isinstance(size, int)
    less = replace(made, parts=(replace(part, noise=(size - 1,)),))
    with pytest.raises(NotAdmitted):
        draw(less, store)
    assert not store.entries
    assert draw(made, store) == 1
    last = store.last
    assert draw(made, store, 1) == 1 and store.last == last  # it was drawn: nothing is tried
    with pytest.raises(NotAdmitted):
        draw(less, store, 1, "2013-03-01")
    assert store.entries[1].tries == {"2013-02-01": 1}


def test_all_draws_of_a_charge_measure_the_same(path: Path) -> None:
    made, store = a_proposal("gaussian"), SQLite(path)
    draw(made, store)
    (part,) = made.parts
    own, last = part.measurement, store.last
    (table,) = own.relation.tables
    rich = replace(made, price=replace(made.price, rho=made.price.rho * 2))
    assert isinstance(own.groups, Groups)
    group = replace(own.groups, keys=own.groups.keys[::-1])
    filtered = measured("several", "gaussian")[0].relation
    column = replace(table.schema["x"], type=table.schema["g"].type)
    columns = [column if each.name == "x" else each for each in table.schema.values()]
    retyped = replace(table, schema=type(table.schema)(columns, table.schema.of))
    other: list[Any] = [
        replace(made, parts=(replace(part, noise=(part.noise[0] + 1,)),)),  # type: ignore[operator]
        rich,
        *(
            replace(made, parts=(replace(part, measurement=replace(own, **changed)),))
            for changed in (
                {"limit": replace(own.limit, rows=3)},  # type: ignore[type-var]
                {"groups": group},
                {"relation": filtered},
                {"relation": _replaced(own.relation, {table: replace(table, name="w")})},
                {"relation": _replaced(filtered, {table: retyped})},
            )
        ),
    ]
    for changed in other:
        with pytest.raises(LeastNoiseError, match="Nothing was read"):
            draw(changed, store, 1, "2013-03-01")
    assert store.last == last
    moved_place = replace(table, place=_frame(one_unit([3])))
    grown = replace(own, relation=_replaced(own.relation, {table: moved_place}))
    assert (
        draw(replace(made, parts=(replace(part, measurement=grown),)), store, 1, "2013-03-01") == 1
    )


def test_a_release_and_a_schedule_never_continue_each_other(path: Path) -> None:
    """Else a period could be drawn twice, with other noise."""
    made, store = a_proposal("gaussian"), SQLite(path)
    draw(made, store)
    with DuckDB(made.parts[0].measurement.relation.tables) as engine:
        with pytest.raises(LeastNoiseError, match="other noise"):
            run(made, request(), engine, store, Source(), after=store.last, unfinished=1)
        assert run(made, request(), engine, store, Source(), after=store.last) == 2
    with pytest.raises(LedgerError, match="Nothing was read"):
        draw(made, store, 2)
    assert store.entries[1].stored.keys() == {"1"} and store.entries[2].stored.keys() == {TOTALS}


def test_how_values_are_read_belongs_to_what_is_measured() -> None:
    """With another decimal point values are missing, and their rows no longer use up the limit.

    In another time zone rows are of other periods.
    """
    found = set()
    form: dict[str, Any]
    for zone, form in (
        (None, {}), (None, {"delimiter": ";"}), (None, {"decimal": ","}), ("Europe/Oslo", {}),
        (None, {"paths": ("elsewhere.csv",)}),
    ):  # fmt: skip
        place = CsvFiles(**{"paths": ("x.csv",), "columns": tuple(SCHEMA.names)} | form)
        own = measured("several", "gaussian")[0]
        (table,) = own.relation.tables
        new = {table: replace(table, place=place, time_zone=zone)}
        found.add(periods._digest(replace(own, relation=_replaced(own.relation, new))))
    assert len(found) == 4
    columns = [
        replace(each, type=Type.INTEGER) if each.name == "u" else each
        for each in table.schema.values()
    ]
    new = {
        table: replace(
            table, place=CsvFiles(("x.csv",), tuple(SCHEMA.names)), schema=Schema(columns)
        )
    }
    assert periods._digest(replace(own, relation=_replaced(own.relation, new))) not in found


def test_what_cannot_be_drawn_period_by_period_is_refused_by_the_trusted_part(path: Path) -> None:
    made, store = a_proposal("gaussian"), SQLite(path)
    (part,) = made.parts
    counted = replace(
        part, measurement=replace(part.measurement, over_limit=True), over_limit_noise=10**30
    )
    plain = proposal([QUERIES["count"]()], "gaussian", Price.gaussian(Fraction(1)))
    one = proposal([data_of([])["visits"].agg(n=ln.count(), max_contributions=3)], "gaussian",
                   Price.gaussian(Fraction(1)))  # fmt: skip
    auto = data_of([])["visits"].group_by("g", groups=["a"]).agg(n=ln.count())
    drawn_limit = proposal([auto], "gaussian", Price.gaussian(Fraction(1)))
    own = part.measurement
    assert isinstance(own.groups, Groups)
    first = replace(own, groups=Groups(own.groups.by, own.groups.keys[:1]), limit=Limit(1))
    law = CentredGaussian(200 * ONE**2, ONE, (Box(0, ONE),), (1,))
    shared = Proposal(
        "gaussian", (Part(first, (Shared(0, 0),)),), Price.gaussian(Fraction(1)), (law,)
    )
    admit(shared)  # as a release it would do
    over = replace(made, parts=(counted,), price=Price.gaussian(Fraction(1)))
    for wrong, words in ((shared, "share no draw"), (over, "needs a limit"), (plain, "needs a limit"),
                         (one, "needs a limit"), (drawn_limit, "needs a limit")):  # fmt: skip
        with pytest.raises(LeastNoiseError, match=words):
            draw(wrong, store)
    assert not store.entries


# --- one charge, each period drawn once


def three_months(rows: Rows, ledger: Ledger, **options: Any) -> Schedule:
    words = MONTHS | {"epsilon": 1, "periods": 3} | options
    found: Schedule = (
        data_of(rows)["visits"].agg(n=ln.count(), max_contributions=4).schedule(ledger, **words)
    )
    return found


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path)


def test_one_charge_for_all_periods_and_what_was_drawn_is_shown_again(ledger: Ledger) -> None:
    first = three_months(one_unit([1, 2]), ledger)
    assert (first.entry, first.drawn) == (None, [])
    february = first.release("2013-02")
    spent = ledger.store.meters.spent
    grown = three_months(one_unit([1, 2, 2, 3]), ledger)  # late rows, and a month more
    assert grown.release("2013-02")["n"] == february["n"]
    assert "shown again" in str(grown.release(date(2013, 2, 1))) and "shown again" not in str(
        february
    )
    grown.release("2013-01-01")
    grown.release("2013-03")
    assert grown.drawn == [date(2013, 2, 1), date(2013, 1, 1), date(2013, 3, 1)]
    assert len(ledger.entries) == 1 and ledger.store.meters.spent == spent
    assert ledger.unfinished == []
    ledger.verify()


def test_another_plan_is_another_schedule(ledger: Ledger) -> None:
    three_months([], ledger).release("2013-01")
    for other in ({"periods": 4}, {"first": "2013-02-01"}, {"epsilon": 2}, {"every": "quarter"}):
        assert three_months([], ledger, **other).entry is None
    data = data_of([])["visits"]
    for query in (data.agg(n=ln.count(), max_contributions=5), data.agg(n=ln.count("ok"), max_contributions=4),
                  data.where("ok").agg(n=ln.count(), max_contributions=4),
                  data.group_by("ok").agg(n=ln.count(), max_contributions=4)):  # fmt: skip
        assert query.schedule(ledger, epsilon=1, periods=3, **MONTHS).entry is None
    assert three_months([], ledger).drawn == [date(2013, 1, 1)]


def test_a_name_for_the_data_is_kept_and_makes_no_new_schedule(ledger: Ledger) -> None:
    """A monthly job names its data, and they grow."""

    def job(version: str) -> Schedule:
        query = replace(data_of(one_unit([1])), data_version=version)["visits"]
        found: Schedule = query.agg(n=ln.count(), max_contributions=4).schedule(
            ledger, epsilon=1, periods=3, **MONTHS)  # fmt: skip
        return found

    job("2013-02").release("2013-01")
    job("2013-03").release("2013-02")
    assert len(ledger.entries) == 1
    (note,) = [n.text for n in job("2013-04").release("2013-01").notes if n.code == "stored"]
    assert "(data_version 2013-02) and shown again; nothing was charged." in note
    assert note.endswith("Rows that came later are not in it.")


def test_a_period_that_is_not_over_is_refused(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over everywhere on earth: the last place is twelve hours behind."""
    year = three_months([], ledger)
    for hour, over in ((11, False), (12, True)):
        monkeypatch.setattr(
            scheduling, "_now", lambda hour=hour: datetime(2013, 3, 1, hour, tzinfo=UTC)
        )
        if over:
            assert [cell[1].value for cell in year.view().rows] == ["over", "over", "not over"]
            year.release("2013-02")
        else:
            with pytest.raises(
                InvalidInput, match="February 2013 is not over, so its rows are still"
            ):
                year.release("2013-02")
            assert year.entry is None


@pytest.mark.parametrize(
    ("every", "first", "names", "title", "kind"),
    [
        ("day", "2012-12-31", ["2013-01-01"], "1 Jan 2013", pa.timestamp("us")),
        ("week", "2012-12-31", ["2013-01-07"], "week of 7 Jan 2013", pa.date32()),
        ("month", date(2012, 12, 1), ["2013-01", "2013-01-01"], "January 2013", pa.date32()),
        ("quarter", "2012-10-01", ["2013-01-01"], "quarter 1 of 2013", pa.timestamp("us")),
        ("year", "2012-01-01", ["2013", "2013-01-01"], "2013", pa.date32()),
    ],
)
def test_periods_of_every_length_count_their_own_rows(
    every: str, first: Any, names: list[str], title: str, kind: Any, tmp_path: Path
) -> None:
    days = [
        date(2013, 1, 1),
        date(2013, 1, 7),
        date(2013, 1, 13),
        date(2013, 3, 31),
        date(2013, 12, 31),
    ]
    within = {"day": 1, "week": 2, "month": 3, "quarter": 4, "year": 5}[every]
    days.append(date(2014, 1, 1))
    rows = pa.table(
        {"u": [str(i) for i in range(600)], "d": pa.array(days * 100, pa.date32()).cast(kind)}
    )
    ledger = Ledger.create(tmp_path / "y.ledger", privacy_unit="person", epsilon=100, delta="1e-6")
    query = ln.read({"visits": rows}, privacy_unit={"person": {"visits": "u"}}).agg(
        n=ln.count(), max_contributions=1)  # fmt: skip
    found = query.schedule(
        ledger, epsilon=60, every=every, column="d", first=first, periods=2, append_only=True
    )
    results = [found.release(name) for name in names]
    assert abs(results[0]["n"].value - 100 * within) < 20
    assert str(results[-1]).startswith(f"visits, {title}, with 95 % margins\n")


def test_the_ledger_gives_the_money_or_nothing_is_read(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "z.ledger", privacy_unit="person", epsilon=1, delta=0)
    with pytest.raises(BudgetExceeded, match="would cost"):
        three_months([], ledger, epsilon=2).release("2013-01")
    assert not ledger.entries
    three_months(one_unit([1]), ledger, epsilon=1).release("2013-01")
    assert ledger.entries[1].title == "visits, 3 months"
    assert ledger.store.meters.spent == 1


# --- kills and races

ORDER = ["charge", "charged", "attempt", "attempted", "read", "draw", "store", "stored"]


class Watched:
    """A schedule whose steps are events: on a recorded ledger, with a watched engine and source.

    Its engine alone is watched: the oracle, which looks at every draw once, reads with others.
    """

    def __init__(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, rows: Rows | None = None
    ) -> None:
        self.ledger, self.totals = Ledger(path), list[list[tuple[int, ...]]]()
        self._path, self._patch = path, monkeypatch
        self.rows = one_unit([1, 2], 2) if rows is None else rows

    def release(self, period: str, events: Events) -> Any:
        totals = self.totals

        class Engine(DuckDB):
            def integers(self, query: Fragment) -> list[tuple[int, ...]]:
                events("read")
                totals.append(super().integers(query))
                return totals[-1]

        self.ledger.store = Recorded(self._path, events)
        with self._patch.context() as patch:
            patch.setattr(scheduling, "DuckDB", Engine)
            patch.setattr(scheduling, "system_source", lambda: Noise(events))
            return three_months(self.rows, self.ledger).release(period)


@pytest.mark.parametrize("way", ["exception", "exit"])
@pytest.mark.parametrize("number", range(len(ORDER)))
def test_a_draw_that_was_killed_is_finished_and_costs_nothing_more(
    number: int, way: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    year = Watched(path, monkeypatch)

    def work() -> bytes:
        year.release("2013-02", Events(killed(number, way)))
        return b"done"

    if way == "exit":
        assert in_child(work) == b""
    else:
        with pytest.raises(Killed):
            work()
    store = SQLite(path)
    store.verify()
    if ORDER[number] == "charge":
        assert not store.entries
        return
    (entry,) = store.entries.values()
    done = ORDER[number] == "stored"
    assert bool(entry.stored) is done
    before = store.stored(1, "1")
    events = Events()
    year.release("2013-02", events)
    assert events.names == ([] if done else ORDER[2:])
    after = SQLite(path)
    after.verify()
    assert len(after.entries) == 1
    assert after.entries[1].line == entry.line
    assert [*after.entries[1].stored] == ["1"]
    if done:
        assert after.stored(1, "1") == before
    second = Events()
    year.release("2013-01", second)
    assert second.names == ORDER[2:]


def test_a_period_is_tried_four_times_and_closes_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    year = Watched(path, monkeypatch)

    def fails(_number: int, name: str) -> None:
        if name == "read":
            raise EngineError("secret")

    for left in (3, 2, 1, 0):
        with pytest.raises(LedgerError, match=f"{left} tries are left") as told:
            year.release("2013-02", Events(fails))
        assert "secret" not in str(told.value) and told.value.__context__ is None
    events = Events()
    with pytest.raises(
        LedgerError, match="2013-02-01 of release 1 was tried and tried 3 times more"
    ):
        year.release("2013-02", events)
    assert events.names == ["attempt"]
    year.release("2013-01", Events())
    assert three_months([], Ledger(path)).drawn == [date(2013, 1, 1)]


def test_what_fails_before_anything_is_read_takes_no_try(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(_engine: DuckDB, _text: Any) -> None:
        raise EngineError("visits cannot be read.")

    year = three_months([], Ledger(path))
    year.release("2013-01")
    with monkeypatch.context() as patch:
        patch.setattr(DuckDB, "prepare", prepare)
        with pytest.raises(EngineError, match="cannot be read"):
            year.release("2013-02")
        with pytest.raises(EngineError, match="cannot be read"):
            three_months([], Ledger(path), periods=5).release("2013-02")
        assert "shown again" in str(year.release("2013-01"))  # for that, nothing needs to be read
    assert SQLite(path).entries[1].tries == {"2013-01-01": 1}
    assert len(SQLite(path).entries) == 1


@pytest.mark.parametrize("at", ORDER)
@pytest.mark.parametrize("other", ["2013-02", "2013-01"])
def test_of_two_at_once_one_stores_and_the_other_takes_it_or_draws_again(
    at: str, other: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one runs to its end at some step of the first one.

    One unit has four rows in each month, which is its limit. So whatever is drawn second adds 0.
    """
    year = Watched(path, monkeypatch, one_unit([1, 2]))
    meanwhile = Watched(path, monkeypatch, one_unit([1, 2]))
    inner: list[Any] = []

    def now(_number: int, name: str) -> None:
        if name == at and not inner:
            inner.append(None)
            inner.append(meanwhile.release(other, Events()))

    events = Events(now)
    answer = year.release("2013-02", events)
    store = SQLite(path)
    store.verify()
    assert len(store.entries) == 1
    kept = [json.loads(store.stored(1, stage) or "") for stage in store.entries[1].stored]
    late = ["attempt", "attempted", "read", "draw", "store"]  # the list of periods was read before
    if other == "2013-02":
        assert [each["period"] for each in kept] == ["2013-02-01"]
        assert answer["n"] == inner[1]["n"]
        assert events.names.count("read") == (at in [*late, "stored"])
        return
    order = ["2013-02-01", "2013-01-01"] if at == "stored" else ["2013-01-01", "2013-02-01"]
    assert [each["period"] for each in kept] == order
    assert [*answer.found] == kept[order.index("2013-02-01")]["parts"]
    first, second = (meanwhile, year) if at != "stored" else (year, meanwhile)
    assert first.totals[-1] == [(0, 4 * ONE)] and second.totals[-1] == [(0, 0)]
    assert events.names.count("read") == (2 if at in late else 1)
    assert events.names.count("attempt") == 1


# --- texts


def flights(rows: int = 10) -> Any:
    table = pa.table(
        {"tailnum": ["N1"] * rows, "origin": ["EWR"] * rows, "date": [date(2013, 3, 1)] * rows}
    )
    return ln.read({"flights": table}, privacy_unit={"plane": {"flights": "tailnum"}})


def test_an_answer_says_that_all_periods_are_paid_for_together(tmp_path: Path) -> None:
    ledger = Ledger.create(
        tmp_path / "flights.ledger", privacy_unit="plane", epsilon=6, delta="1e-6"
    )
    charged(ledger, Price.gaussian(ledger.store.header.total.squared_mu / 2))
    monthly = flights().group_by("origin", groups=["EWR", "JFK", "LGA"]).agg(
        max_contributions=600, max_per_group=80, flights=ln.count())  # fmt: skip
    year = monthly.schedule(ledger, epsilon=1, every="month", column="date", first="2013-01-01",
                            periods=12, append_only=True)  # fmt: skip
    assert str(year).splitlines()[:4] == [
        "flights by origin, 12 months",
        "Epsilon 1 for all of them would cost 4 % of flights.ledger.",
        "",
        "period",
    ]
    assert "flights    count         ± 2,200" in str(year.preview())
    lines = str(year.release("2013-03")).splitlines()
    assert lines[:3] == [
        "flights by origin, March 2013, with 95 % margins",
        "Each plane is protected. Cost: epsilon 1 for all 12 months together = 4 % of",
        "flights.ledger, 46 % left.",
    ]
    assert [line.split()[0] for line in lines[5:8]] == ["EWR", "JFK", "LGA"]
    assert "Epsilon 1 for all of them cost 4 % of flights.ledger." in str(year)
    assert "March 2013        drawn" in str(year)
    guarantee = year.release("2013-03").guarantee
    assert isinstance(guarantee, ln.GDP)
    assert float(guarantee.mu) ** 2 == pytest.approx(
        float(ledger.store.entries[2].price.squared_mu)
    )


def test_a_ledger_in_rho_and_quantiles_of_every_period(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "r.ledger", privacy_unit="person", rho=50)
    rows = [{"u": str(i), "d": date(2013, 1 + i % 2, 1 + i % 8)} for i in range(800)]
    query = data_of(rows)["visits"].agg(
        m=ln.median("day(d)", lower=0, upper=9), max_contributions=1
    )
    found = query.schedule(ledger, rho=40, periods=2, **MONTHS)
    january = found.release("2013-01")
    assert "Cost: rho 40 for all 2 months together = 80 % of" in str(january)
    assert abs(january["m"].value - 4) <= 2
    assert abs(found.release("2013-02")["m"].value - 5) <= 2


def test_a_quantile_has_as_many_cells_in_a_period_as_in_all(tmp_path: Path) -> None:
    """All periods together have too many for its finest level."""
    ledger = Ledger.create(tmp_path / "q.ledger", privacy_unit="person", rho=50)
    rows = [{"u": str(i), "d": date(2013, 1, 1), "x": i / 100} for i in range(400)]
    query = data_of(rows)["visits"].agg(m=ln.median("x", lower=0, upper=4), max_contributions=1)
    found = query.schedule(ledger, rho=40, periods=300, **MONTHS | {"every": "day"})
    (histogram,) = query.histograms
    assert query.depth(histogram) > found.all.depth(histogram)
    assert abs(found.release("2013-01-01")["m"].value - 2) < 0.1


# --- bad input

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"every": "fortnight"}, "every is 'fortnight'. Give one of \"day\", "),
    ({"every": None}, "every is None"),
    ({"column": "g"}, 'g is of type text; date_trunc takes date or timestamp there'),
    ({"column": "dd"}, 'no column "dd"'),
    ({"column": 3}, "column"),
    ({"first": "2013-01-02"}, "first is 2013-01-02, which is not the first day of a month"),
    ({"first": "January"}, "first"),
    ({"first": None}, "first"),
    ({"first": 20130101}, "first"),
    ({"first": "9999-11-01"}, "beyond the year 9999"),
    ({"periods": 1}, "periods is 1. Give a number from 2 to 1,000"),
    ({"periods": 0}, "periods"),
    ({"periods": 1001}, "periods is 1001"),
    ({"periods": 2.5}, "periods"),
    ({"append_only": False}, "append_only=True is missing"),
    ({"append_only": None}, "append_only=True is missing"),
    ({"append_only": "yes"}, "append_only=True is missing"),
    ({"epsilon": None}, "epsilon"),
    ({"epsilon": -1}, "epsilon"),
    ({"rho": 1}, "rho"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_bad_words_are_refused_with_a_sentence(words: Any, message: str, ledger: Ledger) -> None:
    with pytest.raises(InvalidInput) as told:
        three_months([], ledger, **words)
    assert message in str(told.value)


LAST = "(SELECT u, g, MAX(d) AS d FROM visits GROUP BY u, g)"
INSIDE = [
    f"SELECT COUNT(*) AS n FROM {LAST} AS q WHERE g = 'a'",
    f"SELECT COUNT(*) AS n FROM visits v JOIN {LAST} q ON v.u = q.u",
    f"SELECT COUNT(*) AS n FROM {LAST} q JOIN others o ON o.u = q.u",
    f"SELECT COUNT(*) AS n FROM (SELECT u, d FROM visits UNION ALL SELECT u, d FROM {LAST} AS q) AS r",
    f"SELECT COUNT(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM {LAST} AS q WHERE q.u = v.u)",
]


@pytest.mark.parametrize("sql", INSIDE)
def test_what_loses_rows_is_refused_inside_of_other_relations_too(sql: str) -> None:
    with pytest.raises(InvalidInput, match="A new row could change or take away rows"):
        shrinking(sql)


def test_queries_that_no_schedule_takes(ledger: Ledger) -> None:
    data = data_of([])["visits"]
    words = MONTHS | {"epsilon": 1, "periods": 3}
    limit = {"max_contributions": 4}
    both = data_of([], others=pa.Table.from_pylist([], schema=SCHEMA))
    per_unit = "SELECT COUNT(*) AS n FROM (SELECT u, d, MAX(x) AS x FROM visits GROUP BY u, d) AS q"
    left = "SELECT COUNT(*) AS n FROM visits LEFT JOIN others ON visits.u = others.u"
    gone = "SELECT COUNT(*) AS n FROM visits WHERE NOT EXISTS (SELECT 1 FROM others WHERE others.u = visits.u)"
    top = "SELECT g, COUNT(*) AS n FROM visits GROUP BY g ORDER BY n DESC LIMIT 1"
    refused = {
        "max_contributions=600": data.agg(n=ln.count()),
        "needs known groups": data.group_by("g", groups="auto").agg(n=ln.count(), **limit),
        "no GROUP BY in a subquery": both.sql(per_unit, **limit),
        "no LEFT JOIN": both.sql(left, **limit),
        "no NOT EXISTS": both.sql(gone, **limit),
        "Leave HAVING and LIMIT out": both.sql(top, groups=["a", "b"], **limit),
        'columns of the answer are called "period"': data.agg(period=ln.count(), **limit),
    }
    for message, query in refused.items():
        own = words | ({"column": "visits.d"} if "LEFT" in message else {})
        column = next(name for name in query.relation.schema if name.endswith("d"))
        with pytest.raises(InvalidInput, match=message):
            query.schedule(ledger, **own | {"column": column})
    with pytest.raises(InvalidInput, match="protects each person, and the data each plane"):
        flights().agg(n=ln.count(), **limit).schedule(ledger, **words | {"column": "date"})
    with pytest.raises(InvalidInput, match="The ledger is a str"):
        data.agg(n=ln.count(), **limit).schedule("x.ledger", **words)


@pytest.mark.parametrize(
    "period", ["2013", "2013-1", "2013-04", "2012-12-31", "March", "", None, 3, "2013-01-15"]
)
def test_a_period_that_is_none_of_the_schedule_is_refused(period: Any, ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match="is no month of this schedule"):
        three_months([], ledger).release(period)
    assert not ledger.entries


def test_tables_are_named_in_the_digest_and_not_their_places(path: Path) -> None:
    """A file that moved, or a frame that is another object, continues the schedule."""
    store = SQLite(path)
    made = a_proposal("gaussian")
    draw(made, store)
    assert draw(a_proposal("gaussian"), store, 1, "2013-03-01") == 1
    line = store.entries[1].charge
    assert isinstance(line.noise["measured"], list) and len(line.noise["measured"][0]) == 64
    assert all(isinstance(each, Table) for each in made.parts[0].measurement.relation.tables)
