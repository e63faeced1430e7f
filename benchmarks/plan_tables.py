"""Plans of marginals, of private groups, and that of the demo: noise shared, and noise apart."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb, sqrt
from statistics import mean

from benchmarks.row import Row
from leastnoise import col
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.plan import Plan, plan
from leastnoise.release.price.plan_bound import plan_certificate
from leastnoise.release.price.plan_parts import plan_parts
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.pure_shares import adding_epsilon

_PURE = PureDP(epsilon=1)
_HALF = ApproxDP(epsilon="0.5", delta="1e-6")
_WHOLE = ApproxDP(epsilon=1, delta="1e-6")
_ROOM = 1.03  # of the target
_SIZES = {"a": 2, "b": 5, "c": 10}
_PATIENT_ROWS = 8


def least_words(priced: PricedPlan, budget: Guarantee) -> str:
    """How many times the least the noise of a plan is, and among which mechanisms."""
    proof = plan_certificate(priced, budget)
    if proof is None:
        return "nothing is proved"
    bounds = ", ".join(
        f"{float(proof.achieved / each.bound):.3g} × among {each.scope.name.lower()}"
        for each in proof.bounds
    )
    return f"the least: {bounds}"


def table_rows() -> Iterator[Row]:
    """Deviations of a cell of all tables of some columns; then the mean variance of unlike ones."""
    for columns, ways, least in ((10, 2, 16.6), (20, 2, 61.3), (20, 3, 276)):
        names = [f"b{place}" for place in range(columns)]
        asked = plan(_table(dict.fromkeys(names, ColumnType.TRUTH))).marginals(names, ways=ways)
        apart = sqrt(_laplace_variance(comb(columns, ways)))
        case = f"all {ways}-way tables of {columns} yes/no columns, ε = 1, deviation of a cell"
        yield _tables_row(case, asked, apart, least, root=True)
    keys = {name: [str(value) for value in range(size)] for name, size in _SIZES.items()}
    asked = plan(_table(dict.fromkeys(keys, ColumnType.TEXT))).marginals(keys, ways=2, keys=keys)
    apart = _laplace_variance(comb(len(_SIZES), 2))
    yield _tables_row("2×5×10, all 2-way, ε = 1, mean variance", asked, apart, 11.7, root=False)


def _tables_row(case: str, asked: Plan, apart: float, least: float, *, root: bool) -> Row:
    priced = asked._priced(_PURE)
    variance = float(plan_parts(priced)[0][0].variance)
    now = sqrt(variance) if root else variance
    beside = f"apart: {apart:.4g}; {least_words(priced, _PURE)}"
    return Row(case, f"{now:.4g}", beside, now, "", "at most", round(least * _ROOM, 3))


def _laplace_variance(parts: int) -> float:
    """Of a number that gets its part of ε = 1, if so many share it."""
    return float(DiscreteLaplace(scale=parts).moment(2))


def key_rows() -> Iterator[Row]:
    """Private groups with their counts, beside a choice and a count with half of ε each."""
    one, choice = CountedPartitions(_WHOLE), PartitionSelection(_HALF)
    case = "private groups, one per person, ε = 1, δ = 1e-6"
    for chance, words, least in (("0.5", "half the time", 14), ("0.95", "95 %", 16)):
        now, apart = one.likely_kept(chance), choice.likely_kept(chance)
        said = f"{case}: shown {words} from"
        yield Row(said, f"{now}", f"apart: {apart}", now, "people", "at most", least)
    variance, beside = float(one.noise.variance), f"apart: {_laplace_variance(2):.3g}"
    most = round(1.904 * _ROOM, 3)
    yield Row(f"{case}: variance", f"{variance:.4g}", beside, variance, "", "at most", most)


def demo_rows() -> Iterator[Row]:
    """The demo's plan without private groups: the mean over questions, in squares of a unit's most.

    Quantiles have no noise of their own to weigh, but take their part of ε. The target was reckoned
    with one histogram more in their place, so both are shown.
    """
    for words, asked in (("as it is", _demo(quantiles=True)), ("", _demo(quantiles=False))):
        priced = asked._priced(_PURE)
        now, apart = _demo_mean(asked, priced), _demo_apart(asked)
        case = f"the demo's plan, ε = 1, {words or 'a histogram for the quantiles'}"
        beside = f"apart: {apart:.3g}; {least_words(priced, _PURE)}"
        yield Row(case, f"{now:.4g}", beside, now, "", "at most", round(147 * _ROOM, 3))


def _demo_mean(asked: Plan, priced: PricedPlan) -> float:
    noisy = [
        float(given.law.moment(2)) / _most(asked, place) ** 2
        for place, grants in enumerate(priced.grants)
        for given in grants
        if given.noise is not None
    ]
    parts = plan_parts(priced)[0]
    tables = [float(part.variance) / part.high**2 for part in parts if isinstance(part, TablesPart)]
    return mean([*noisy, *tables])


def _demo_apart(asked: Plan) -> float:
    demands = [each for question in asked.questions for each in question.demands(asked.bounded)]
    given = adding_epsilon(demands, Fraction(1), Fraction(0))
    tables = comb(3, 2) / float(given[-1].share)
    noisy = [
        float(each.law.moment(2)) / _most(asked, place) ** 2
        for place, each in enumerate(given)
        if each.noise is not None
    ]
    return mean([*noisy, 2 * tables**2])


def _most(asked: Plan, place: int) -> int:
    (demand,) = asked.questions[place].demands(asked.bounded)
    assert demand.adds is not None
    return demand.adds.high


def _demo(*, quantiles: bool) -> Plan:
    """As in examples/visits.toml."""
    kinds = {"patient_id": ColumnType.INTEGER, "city": ColumnType.TEXT, "cost": ColumnType.NUMBER}
    kinds |= {"age": ColumnType.INTEGER}
    bits = ["smoker", "diabetic", "insured"]
    table = _table(kinds | dict.fromkeys(bits, ColumnType.TRUTH), unit="patient_id")
    asked = (
        plan(table, max_groups=2, max_rows=_PATIENT_ROWS)
        .count_units(name="patients")
        .count(by="city", keys=[str(place) for place in range(8)])
        .mean("cost", lower=0, upper=600, by="insured", keys=[True, False])
        .sum("cost", lower=0, upper=600, where=col("age") >= 67)
        .histogram("age", lower=0, upper=110, parts=11)
    )
    if quantiles:
        asked = asked.quantiles("age", levels=["0.25", "0.5", "0.75"], lower=0, upper=110)
    else:
        asked = asked.histogram("age", lower=0, upper=110, parts=11, where=col("age") >= 0)
    return asked.marginals(bits, ways=2)


def _table(columns: Mapping[str, ColumnType], unit: str | None = None) -> Table:
    schema = Schema(list(columns.items()))
    return Table(schema=schema, unit=unit, neighbours="add_remove", location=Frame(None))
