"""TPC-H in small: random rows of its tables, and seven of its queries in a private form."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_file import dataset

MODES = ["AIR", "AIR REG", "MAIL", "SHIP", "TRUCK"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]


def tables() -> dict[str, pd.DataFrame]:
    """The same every time."""
    rng = np.random.default_rng(22)
    people, orders, lines, parts, suppliers = 60, 200, 700, 40, 12

    def days(count: int, low: int = 0, high: int = 2500) -> Any:
        first = date(1992, 1, 1).toordinal()
        return [date.fromordinal(first + int(n)) for n in rng.integers(low, high, count)]

    return {
        "customer": pd.DataFrame(
            {"c_custkey": np.arange(people), "c_nationkey": rng.integers(0, 4, people)}
        ),
        "orders": pd.DataFrame(
            {
                "o_orderkey": np.arange(orders) + 1000,
                "o_custkey": rng.integers(0, people, orders),
                "o_orderdate": pd.to_datetime(days(orders)),
                "o_orderpriority": rng.choice(PRIORITIES, orders),
            }
        ),
        "lineitem": pd.DataFrame(
            {
                "l_orderkey": rng.integers(1000, 1000 + orders, lines),
                "l_partkey": rng.integers(0, parts, lines),
                "l_suppkey": rng.integers(0, suppliers, lines),
                "l_quantity": rng.integers(1, 51, lines).astype(float),
                "l_extendedprice": rng.integers(900, 105000, lines).astype(float),
                "l_discount": rng.integers(0, 11, lines) / 100,
                "l_tax": rng.integers(0, 9, lines) / 100,
                "l_returnflag": rng.choice(["A", "N", "R"], lines),
                "l_linestatus": rng.choice(["F", "O"], lines),
                "l_shipdate": pd.to_datetime(days(lines)),
                "l_commitdate": pd.to_datetime(days(lines)),
                "l_receiptdate": pd.to_datetime(days(lines)),
                "l_shipmode": rng.choice(MODES, lines),
                "l_shipinstruct": rng.choice(["DELIVER IN PERSON", "NONE"], lines),
            }
        ),
        "part": pd.DataFrame(
            {
                "p_partkey": np.arange(parts),
                "p_type": rng.choice(["PROMO TIN", "SMALL BRASS"], parts),
                "p_brand": rng.choice(["Brand#12", "Brand#23", "Brand#34"], parts),
                "p_container": rng.choice(["SM CASE", "MED BAG", "LG BOX"], parts),
                "p_size": rng.integers(1, 20, parts),
            }
        ),
        "supplier": pd.DataFrame(
            {"s_suppkey": np.arange(suppliers), "s_nationkey": rng.integers(0, 4, suppliers)}
        ),
        "nation": pd.DataFrame(
            {
                "n_nationkey": np.arange(4),
                "n_name": ["CHINA", "INDIA", "JAPAN", "PERU"],
                "n_regionkey": [0, 0, 0, 1],
            }
        ),
        "region": pd.DataFrame({"r_regionkey": [0, 1], "r_name": ["ASIA", "AMERICA"]}),
    }


def shop(data: dict[str, Any] | None = None, **bounds: Any) -> Dataset:
    """The dataset: whose rows are customers'."""
    amounts = {"l_quantity": 50, "l_extendedprice": 105000, "l_discount": 0.1, "l_tax": 0.08}
    ranges = {
        f"lineitem.{name}": {"range": [0, most], "never_null": True}
        for name, most in amounts.items()
    }
    return dataset(
        tables=data or tables(),
        unit="customer.c_custkey",
        refers={
            "orders.o_custkey": "customer.c_custkey",
            "lineitem.l_orderkey": "orders.o_orderkey",
            "lineitem.l_partkey": "part.p_partkey",
            "lineitem.l_suppkey": "supplier.s_suppkey",
        },
        public=["part", "supplier", "nation", "region"],
        columns={
            **ranges,
            "lineitem.l_returnflag": {"values": ["A", "N", "R"], "never_null": True},
            "lineitem.l_linestatus": {"values": ["F", "O"], "never_null": True},
            "lineitem.l_shipmode": {"values": MODES, "never_null": True},
            "orders.o_orderpriority": {"values": PRIORITIES, "never_null": True},
        },
        name="shop",
        bounds={"max_groups": 6, "max_rows": 100, "measure_cut": False, **bounds},
    )


QUERIES = {
    1: """
    SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,
      sum(l_extendedprice) AS sum_base_price,
      sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
      sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
      avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
      count(*) AS count_order
    FROM lineitem WHERE l_shipdate <= date '1998-09-02'
    GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    4: """
    SELECT o_orderpriority, count(*) AS order_count FROM orders
    WHERE o_orderdate >= date '1993-07-01' AND o_orderdate < date '1996-10-01' AND EXISTS (
      SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
    GROUP BY o_orderpriority ORDER BY o_orderpriority""",
    5: """
    SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
    FROM customer, orders, lineitem, supplier, nation, region
    WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
      AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
      AND r_name = 'ASIA' AND o_orderdate >= date '1993-01-01' AND o_orderdate < date '1998-01-01'
    GROUP BY n_name HAVING sum(l_extendedprice) > 1000 ORDER BY revenue DESC""",
    6: """
    SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
    WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1996-01-01'
      AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    12: """
    SELECT l_shipmode,
      sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END)
        AS high_line_count,
      sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END)
        AS low_line_count
    FROM orders, lineitem
    WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')
      AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
      AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1998-01-01'
    GROUP BY l_shipmode HAVING high_line_count + low_line_count > 0.5 ORDER BY l_shipmode""",
    14: """
    SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount)
      ELSE 0 END) / sum(l_extendedprice * (1 - l_discount)) AS promo_revenue
    FROM lineitem, part
    WHERE l_partkey = p_partkey AND l_shipdate >= date '1995-09-01'
      AND l_shipdate < date '1997-10-01'""",
    19: """
    SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part
    WHERE (p_partkey = l_partkey AND p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX')
        AND l_quantity >= 1 AND l_quantity <= 1 + 30 AND p_size BETWEEN 1 AND 15
        AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')
      OR (p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX')
        AND l_quantity >= 10 AND l_quantity <= 10 + 30 AND p_size BETWEEN 1 AND 19
        AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')
      OR (p_partkey = l_partkey AND p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX')
        AND l_quantity >= 20 AND l_quantity <= 20 + 30 AND p_size BETWEEN 1 AND 19
        AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')""",
}
