"""Seven queries of TPC-H: as they are asked plainly, and as plans whose unit is a customer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path

from leastnoise.release.ask.expression import Condition, Term, col
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.sources import (
    PublicRows,
    Rows,
    Stored,
    filtered,
    owned,
    public,
    public_filtered,
    public_mapped,
    referring,
    tied,
    with_public,
)
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read

PRICE, DISCOUNT, TAX = col("l_extendedprice"), col("l_discount"), col("l_tax")
REVENUE = PRICE * (1 - DISCOUNT)
MOST = 105_000  # of a line's price
NATIONS = ["CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]


@dataclass(frozen=True)
class Tables:
    """The files of one scale, and the rows of their owners."""

    folder: str

    @cache  # noqa: B019 - a process asks about one folder
    def stored(self, name: str) -> Stored:
        """A table as it lies."""
        found = read(Path(self.folder) / f"{name}.parquet", unit=None)
        return Stored(name, found.location, found.schema)  # type: ignore[arg-type]

    @property
    def customer(self) -> Rows:
        """The units."""
        return owned(self.stored("customer"), "c_custkey", called="customer.c_custkey")

    @property
    def orders(self) -> Rows:
        """Of a customer each."""
        return referring(self.stored("orders"), "o_custkey", self.customer, "c_custkey")

    def lines(self, of: Rows | None = None, *keep: str) -> Rows:
        """Of an order each, with columns of it."""
        parent = self.orders if of is None else of
        return referring(self.stored("lineitem"), "l_orderkey", parent, "o_orderkey", keep=keep)

    def public(self, name: str) -> PublicRows:
        """A table that is the same whoever the customers are."""
        return public(self.stored(name))


def within(column: str, first: date, end: date) -> Condition:
    """From a day up to the day before another."""
    return (col(column) >= first) & (col(column) < end)


def query_1(tables: Tables) -> Plan:
    """Counts and sums by flag and status; averages follow from them."""
    rows = filtered(tables.lines(), col("l_shipdate") <= date(1998, 9, 2))
    by = ("l_returnflag", "l_linestatus")
    keys = Keys(by, [("A", "F"), ("N", "F"), ("N", "O"), ("R", "F")])
    asked = plan(rows.table(), max_groups=4, max_rows=60, measure_cut=False).count(by=by, keys=keys)
    sums: tuple[tuple[Term, int | Fraction], ...] = (
        (col("l_quantity"), 50),
        (PRICE, MOST),
        (REVENUE, MOST),
        (REVENUE * (1 + TAX), MOST * Fraction(108, 100)),
        (DISCOUNT, Fraction(1, 10)),
    )
    for term, most in sums:
        asked = asked.sum(term, lower=0, upper=most, by=by, keys=keys)
    return asked


def query_4(tables: Tables) -> Plan:
    """Orders with a late line, by priority."""
    late = filtered(tables.lines(), col("l_commitdate") < col("l_receiptdate"))
    wanted = filtered(tables.orders, within("o_orderdate", date(1993, 7, 1), date(1993, 10, 1)))
    rows = tied(wanted, late, on=[("o_orderkey", "l_orderkey")], how="semi")
    asked = plan(rows.table(), max_groups=3, max_rows=2, measure_cut=False)
    return asked.count(by="o_orderpriority", keys=Keys(["o_orderpriority"], PRIORITIES))


def query_5(tables: Tables) -> Plan:
    """Revenue from suppliers of the customer's own nation, in Asia, by nation."""
    wanted = filtered(tables.orders, within("o_orderdate", date(1994, 1, 1), date(1995, 1, 1)))
    bought = tied(wanted, tables.customer, on=[("o_custkey", "c_custkey")])
    rows = tables.lines(bought, "c_nationkey")
    rows = with_public(
        rows,
        tables.public("supplier"),
        on=[("l_suppkey", "s_suppkey"), ("c_nationkey", "s_nationkey")],
    )
    rows = with_public(rows, tables.public("nation"), on=[("s_nationkey", "n_nationkey")])
    asia = public_filtered(tables.public("region"), col("r_name") == "ASIA")
    rows = with_public(rows, asia, on=[("n_regionkey", "r_regionkey")], how="semi")
    asked = plan(rows.table(), max_groups=1, max_rows=4, measure_cut=False)
    return asked.sum(REVENUE, lower=0, upper=MOST, by="n_name", keys=Keys(["n_name"], NATIONS))


def query_6(tables: Tables) -> Plan:
    """What discounts of a year cost."""
    condition = (
        within("l_shipdate", date(1994, 1, 1), date(1995, 1, 1))
        & DISCOUNT.between(Fraction(5, 100), Fraction(7, 100))
        & (col("l_quantity") < 24)
    )
    asked = plan(filtered(tables.lines(), condition).table(), max_groups=1, max_rows=8,
                 measure_cut=False)  # fmt: skip
    return asked.sum(PRICE * DISCOUNT, lower=0, upper=4000)


def query_12(tables: Tables) -> Plan:
    """Late lines of urgent orders and of others, by mode."""
    condition = (
        within("l_receiptdate", date(1994, 1, 1), date(1995, 1, 1))
        & (col("l_commitdate") < col("l_receiptdate"))
        & (col("l_shipdate") < col("l_commitdate"))
    )
    rows = filtered(tables.lines(None, "o_orderpriority"), condition)
    keys = Keys(["l_shipmode"], ["MAIL", "SHIP"])
    urgent = col("o_orderpriority").isin(PRIORITIES[:2])
    asked = plan(rows.table(), max_groups=2, max_rows=3, measure_cut=False)
    asked = asked.count(by="l_shipmode", keys=keys, where=urgent)
    return asked.count(by="l_shipmode", keys=keys, where=~urgent)


def query_14(tables: Tables) -> Plan:
    """Revenue of a month, and that of promoted parts."""
    parts = public_mapped(
        tables.public("part"),
        {"part": col("p_partkey"), "start": FUNCTIONS["substring"].make(col("p_type"), 1, 5)},
    )
    month = filtered(tables.lines(), within("l_shipdate", date(1995, 9, 1), date(1995, 10, 1)))
    rows = with_public(month, parts, on=[("l_partkey", "part")])
    asked = plan(rows.table(), max_groups=1, max_rows=8, measure_cut=False)
    asked = asked.sum(REVENUE, lower=0, upper=MOST, where=col("start") == "PROMO")
    return asked.sum(REVENUE, lower=0, upper=MOST)


def query_19(tables: Tables) -> Plan:
    """Revenue of a few kinds of parts, in small quantities."""
    kinds = [
        _kind("Brand#12", ("SM CASE", "SM BOX", "SM PACK", "SM PKG"), (1, 11), 5),
        _kind("Brand#23", ("MED BAG", "MED BOX", "MED PKG", "MED PACK"), (10, 20), 10),
        _kind("Brand#34", ("LG CASE", "LG BOX", "LG PACK", "LG PKG"), (20, 30), 15),
    ]
    sent = filtered(
        tables.lines(),
        col("l_shipmode").isin(["AIR", "AIR REG"]) & (col("l_shipinstruct") == "DELIVER IN PERSON"),
    )
    rows = with_public(sent, tables.public("part"), on=[("l_partkey", "p_partkey")])
    asked = plan(filtered(rows, kinds[0] | kinds[1] | kinds[2]).table(), max_groups=1, max_rows=1,
                 measure_cut=False)  # fmt: skip
    return asked.sum(REVENUE, lower=0, upper=MOST)


def _kind(brand: str, boxes: tuple[str, ...], quantity: tuple[int, int], size: int) -> Condition:
    return (
        (col("p_brand") == brand)
        & col("p_container").isin(boxes)
        & col("l_quantity").between(*quantity)
        & col("p_size").between(1, size)
    )


PRIVATE: dict[int, Callable[[Tables], Plan]] = {
    1: query_1, 4: query_4, 5: query_5, 6: query_6, 12: query_12, 14: query_14, 19: query_19,
}  # fmt: skip

_LINES = "lineitem"
_OWNED = "lineitem JOIN orders ON l_orderkey = o_orderkey"
_REVENUE = "l_extendedprice * (1 - l_discount)"
_PART = " JOIN part ON l_partkey = p_partkey"
_NATIONS = (
    " JOIN customer ON o_custkey = c_custkey"
    " JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey"
    " JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey"
)
_LATE = (
    "o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-10-01' AND EXISTS "
    "(SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)"
)
_ASIA = "r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'"
_CHEAP = (
    "l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' "
    "AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"
)
_MODES = (
    "l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate "
    "AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'"
)
_MONTH = "l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'"
_KINDS = (
    "l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON' AND ("
    "(p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') "
    "AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5) OR "
    "(p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') "
    "AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10) OR "
    "(p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') "
    "AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))"
)
_URGENT = "o_orderpriority IN ('1-URGENT', '2-HIGH')"


@dataclass(frozen=True)
class Plain:
    """What somebody without privacy would ask, and from which rows its customers come."""

    shown: str
    source: str
    where: str
    by: str = ""
    owned: str = ""

    @property
    def query(self) -> str:
        """The answers, in the order of the groups."""
        tail = f" GROUP BY {self.by} ORDER BY {self.by}" if self.by else ""
        return f"SELECT {self.shown} FROM {self.source} WHERE {self.where}{tail}"

    @property
    def count(self) -> str:
        """How many customers there are among the rows."""
        source = self.owned or self.source
        return f"SELECT COUNT(DISTINCT o_custkey) FROM {source} WHERE {self.where}"


PLAIN = {
    1: Plain(
        "COUNT(*), SUM(l_quantity), SUM(l_extendedprice), "
        f"SUM({_REVENUE}), SUM({_REVENUE} * (1 + l_tax)), SUM(l_discount)",
        _LINES, "l_shipdate <= DATE '1998-09-02'", "l_returnflag, l_linestatus", _OWNED,
    ),
    4: Plain("COUNT(*)", "orders", _LATE, "o_orderpriority"),
    5: Plain(f"SUM({_REVENUE})", _OWNED + _NATIONS, _ASIA, "n_name"),
    6: Plain("SUM(l_extendedprice * l_discount)", _LINES, _CHEAP, "", _OWNED),
    12: Plain(f"COUNT(*) FILTER ({_URGENT}), COUNT(*) FILTER (NOT {_URGENT})", _OWNED, _MODES,
              "l_shipmode"),
    14: Plain(f"SUM({_REVENUE}) FILTER (p_type LIKE 'PROMO%'), SUM({_REVENUE})", _LINES + _PART,
              _MONTH, "", _OWNED + _PART),
    19: Plain(f"SUM({_REVENUE})", _LINES + _PART, _KINDS, "", _OWNED + _PART),
}  # fmt: skip
