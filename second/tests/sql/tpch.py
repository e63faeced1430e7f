"""A tiny TPC-H: customers are the privacy unit; their orders and the lines of these are private."""

from datetime import date
from typing import Any

import pyarrow as pa

import leastnoise as ln

REGION = pa.table({"r_regionkey": [0, 1], "r_name": ["ASIA", "EUROPE"]})
NATION = pa.table(
    {"n_nationkey": [0, 1, 2], "n_name": ["CHINA", "FRANCE", "GERMANY"], "n_regionkey": [0, 1, 1]}
)
SUPPLIER = pa.table(
    {"s_suppkey": [1, 2], "s_name": ["S1", "S2"], "s_nationkey": [1, 2], "s_acctbal": [10.0, -5.0]}
)
PART = pa.table(
    {"p_partkey": [1, 2, 3], "p_name": ["green tin", "red brass", "forest tin"], "p_brand": ["Brand#12", "Brand#23", "Brand#12"],
     "p_type": ["PROMO TIN", "STANDARD BRASS", "ECONOMY TIN"], "p_size": [5, 15, 1], "p_container": ["SM BOX", "MED BOX", "SM BOX"]}
)  # fmt: skip
PARTSUPP = pa.table(
    {
        "ps_partkey": [1, 2, 3],
        "ps_suppkey": [1, 2, 1],
        "ps_supplycost": [1.0, 2.0, 3.0],
        "ps_availqty": [10, 20, 30],
    }
)
CUSTOMER = pa.table(
    {"c_custkey": [1, 2, 3, 4], "c_nationkey": [0, 1, 2, 1], "c_mktsegment": ["BUILDING", "AUTOMOBILE", "BUILDING", "MACHINERY"],
     "c_acctbal": [100.0, -5.0, 900.0, 40.0], "c_phone": ["13-1", "31-2", "23-3", "13-4"]}
)  # fmt: skip
ORDERS = pa.table(
    {"o_orderkey": [10, 11, 12, 13], "o_custkey": [1, 1, 2, 3], "o_orderdate": [date(1993, 7, 2), date(1995, 3, 1), date(1994, 5, 5),
     date(1996, 8, 8)], "o_orderpriority": ["1-URGENT", "2-HIGH", "5-LOW", "1-URGENT"], "o_totalprice": [100.0, 200.0, 300.0, 400.0],
     "o_comment": ["ok", "special requests", "ok", "ok"]}
)  # fmt: skip
LINEITEM = pa.table(
    {"l_orderkey": [10, 10, 11, 12, 13], "l_partkey": [1, 2, 1, 3, 2], "l_suppkey": [1, 2, 1, 1, 2], "l_quantity": [5.0, 30.0, 7.0, 12.0, 24.0],
     "l_extendedprice": [1000.0, 2000.0, 3000.0, 4000.0, 5000.0], "l_discount": [0.05, 0.06, 0.0, 0.07, 0.06],
     "l_tax": [0.01, 0.02, 0.0, 0.03, 0.04], "l_returnflag": ["A", "N", "R", "R", "N"], "l_linestatus": ["F", "O", "F", "F", "O"],
     "l_shipdate": [date(1993, 8, 1), date(1995, 4, 1), date(1995, 9, 9), date(1994, 6, 6), date(1996, 9, 1)],
     "l_commitdate": [date(1993, 8, 1), date(1995, 3, 1), date(1995, 9, 20), date(1994, 6, 1), date(1996, 9, 9)],
     "l_receiptdate": [date(1993, 8, 9), date(1995, 4, 9), date(1995, 9, 10), date(1994, 6, 9), date(1996, 9, 5)],
     "l_shipmode": ["MAIL", "AIR", "SHIP", "MAIL", "AIR"], "l_shipinstruct": ["DELIVER IN PERSON", "NONE", "NONE", "COLLECT COD", "NONE"]}
)  # fmt: skip

PRIVATE = {"customer": CUSTOMER, "orders": ORDERS, "lineitem": LINEITEM}
PUBLIC = {
    "region": REGION,
    "nation": NATION,
    "supplier": SUPPLIER,
    "part": PART,
    "partsupp": PARTSUPP,
}
COLUMNS: dict[str, Any] = {
    "customer": {"c_acctbal": {"type": "number", "range": [-1000, 10_000]}},
    "orders": {"o_orderpriority": {"type": "text", "values": ["1-URGENT", "2-HIGH", "5-LOW"]}},
    "lineitem": {"l_quantity": {"type": "number", "range": [0, 50]}, "l_extendedprice": {"type": "number", "range": [0, 100_000]},
                 "l_discount": {"type": "number", "range": [0, "0.1"]}, "l_returnflag": {"type": "text", "values": ["A", "N", "R"]},
                 "l_linestatus": {"type": "text", "values": ["F", "O"]}, "l_shipmode": {"type": "text", "values": ["AIR", "MAIL", "SHIP"]}},
}  # fmt: skip


def tpch() -> ln.Data:
    """The eight tables, with customers as the privacy unit."""
    unit = {
        "customer": {
            "customer": "c_custkey",
            "orders": "o_custkey",
            "lineitem": "l_orderkey -> orders.o_orderkey",
        }
    }
    return ln.read(PRIVATE, privacy_unit=unit, public=PUBLIC, columns=COLUMNS)


GAIN = "l_extendedprice * (1 - l_discount)"
CLIPPED = f"clip({GAIN}, 0, 100000)"

QUERIES: dict[int, tuple[str, str, str, Any]] = {}
"""Of each query: a text of its shape, what the refusal says ("" if it is answered), a text that is answered ("" if
it asks about public tables alone), and its groups."""


def _query(
    number: int, text: str, refused: str = "", rewritten: str | None = None, groups: Any = None
) -> None:
    QUERIES[number] = (text, refused, text if rewritten is None else rewritten, groups)


_query(
    1,
    f"""SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS quantity, SUM(l_extendedprice) AS price,
  SUM({GAIN}) AS gain, AVG(l_quantity) AS each, AVG(l_discount) AS discount, COUNT(*) AS lines
FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    "INTERVAL",
    f"""SELECT l_returnflag, l_linestatus,
  SUM(l_quantity) AS quantity, SUM(l_extendedprice) AS price, SUM({CLIPPED}) AS gain, AVG(l_quantity) AS each,
  AVG(l_discount) AS discount, COUNT(*) AS lines
FROM lineitem WHERE l_shipdate <= DATE '1998-09-02'
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
)
_query(
    2,
    """SELECT s_name, p_partkey FROM part, supplier, partsupp, nation, region
WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
ORDER BY s_acctbal DESC LIMIT 100""",
    "part is public, so it needs no noise. Query it directly.",
    "",
)
_query(
    3,
    f"""SELECT l_orderkey, SUM({GAIN}) AS revenue, o_orderdate
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate ORDER BY revenue DESC LIMIT 10""",
    "needs a range",
    f"""SELECT CASE WHEN o_orderdate < '1995-01-01' THEN 'before' ELSE 'after' END AS ordered,
  SUM({CLIPPED}) AS revenue
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_shipdate > DATE '1995-03-15'
GROUP BY ordered ORDER BY revenue DESC LIMIT 10""",
)
_query(
    4,
    """SELECT o_orderpriority, COUNT(*) AS orders FROM orders
WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-10-01'
  AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority ORDER BY o_orderpriority""",
)
_query(
    5,
    f"""SELECT n_name, SUM({CLIPPED}) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE'
GROUP BY n_name ORDER BY revenue DESC""",
)
_query(
    6,
    """SELECT SUM(clip(l_extendedprice * l_discount, 0, 10000)) AS revenue FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
)
_query(
    7,
    f"""SELECT supp, cust, year, SUM(clip(volume, 0, 100000)) AS revenue
FROM (SELECT n1.n_name AS supp, n2.n_name AS cust, year(l_shipdate) AS year, {GAIN} AS volume
      FROM supplier, lineitem, orders, customer, nation n1, nation n2
      WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey
        AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey) AS shipping
GROUP BY supp, cust, year""",
    'which values of "year"',
    groups={"year": [1993, 1994, 1995, 1996]},
)
_query(
    8,
    """SELECT o_year, SUM(CASE WHEN nation = 'FRANCE' THEN volume ELSE 0 END) / SUM(volume) AS part
FROM (SELECT year(o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
      FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
      WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
        AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'EUROPE'
        AND s_nationkey = n2.n_nationkey) AS every
GROUP BY o_year""",
    "needs a range",
    """SELECT o_year, SUM(clip(CASE WHEN nation = 'FRANCE' THEN volume ELSE 0 END, 0, 100000)) / SUM(clip(volume, 0, 100000)) AS part
FROM (SELECT year(o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
      FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
      WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
        AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'EUROPE'
        AND s_nationkey = n2.n_nationkey) AS every
GROUP BY o_year""",
    {"o_year": [1994, 1996]},
)
_query(
    9,
    """SELECT nation, SUM(clip(amount, -100000, 100000)) AS profit
FROM (SELECT n_name AS nation, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
      FROM part, supplier, lineitem, partsupp, orders, nation
      WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey
        AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
GROUP BY nation""",
    "LIKE",
    """SELECT nation, SUM(clip(amount, -100000, 100000)) AS profit
FROM (SELECT n_name AS nation, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
      FROM part, supplier, lineitem, partsupp, orders, nation
      WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey
        AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND contains(p_name, 'green')) AS profit
GROUP BY nation""",
)
_query(
    10,
    f"""SELECT c_custkey, SUM({CLIPPED}) AS lost FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_returnflag = 'R' AND c_nationkey = n_nationkey
GROUP BY c_custkey ORDER BY lost DESC LIMIT 20""",
    'which values of "c_custkey"',
    f"""SELECT n_name, SUM({CLIPPED}) AS lost
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_returnflag = 'R' AND c_nationkey = n_nationkey
GROUP BY n_name ORDER BY lost DESC LIMIT 20""",
)
_query(
    11,
    """SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation
WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
GROUP BY ps_partkey ORDER BY value DESC""",
    "partsupp is public, so it needs no noise. Query it directly.",
    "",
)
_query(
    12,
    """SELECT l_shipmode,
  SUM(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
  SUM(CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low
FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
GROUP BY l_shipmode ORDER BY l_shipmode""",
)
_query(
    13,
    """SELECT c_count, COUNT(*) AS customers
FROM (SELECT c_custkey, COUNT(o_orderkey) AS c_count FROM customer
      LEFT OUTER JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
      GROUP BY c_custkey) AS counts
GROUP BY c_count ORDER BY customers DESC""",
    "LIKE",
    """SELECT bins(c_count, 0, 40, 1) AS c_count, COUNT(*) AS customers
FROM (SELECT c_custkey, COUNT(o_orderkey) AS c_count FROM customer
      LEFT OUTER JOIN orders ON c_custkey = o_custkey AND NOT contains(o_comment, 'special requests')
      GROUP BY c_custkey) AS counts
GROUP BY 1 ORDER BY customers DESC""",
)
_query(
    14,
    """SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
  / SUM(l_extendedprice * (1 - l_discount)) AS promo
FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01'""",
    "LIKE",
    f"""SELECT
  100.00 * SUM({CLIPPED}) FILTER (WHERE starts_with(p_type, 'PROMO')) / SUM({CLIPPED}) AS promo
FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1993-08-01'""",
)
_query(
    15,
    f"""WITH revenue AS (SELECT l_suppkey AS no, SUM({GAIN}) AS total FROM lineitem GROUP BY l_suppkey)
SELECT s_name, total FROM supplier, revenue
WHERE s_suppkey = no AND total = (SELECT MAX(total) FROM revenue)""",
    "This would mix rows of more than one customer",
    f"""SELECT s_name, SUM({CLIPPED}) AS total
FROM lineitem JOIN supplier ON l_suppkey = s_suppkey GROUP BY s_name ORDER BY total DESC LIMIT 1""",
)
_query(
    16,
    """SELECT p_brand, COUNT(DISTINCT ps_suppkey) AS suppliers FROM partsupp, part
WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45' GROUP BY p_brand""",
    "partsupp is public, so it needs no noise. Query it directly.",
    "",
)
_query(
    17,
    """SELECT SUM(l_extendedprice) / 7.0 AS yearly FROM lineitem, part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23'
  AND l_quantity < (SELECT 0.2 * AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)""",
    "A subquery cannot stand for a value",
    """SELECT SUM(l_extendedprice) / 7.0 AS yearly
FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND l_quantity < 5""",
)
_query(
    18,
    """SELECT o_orderkey, SUM(l_quantity) AS quantity FROM customer, orders, lineitem
WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 30)
  AND c_custkey = o_custkey AND o_orderkey = l_orderkey
GROUP BY o_orderkey ORDER BY quantity DESC LIMIT 100""",
    "This would mix rows of more than one customer",
    """SELECT COUNT(*) AS orders
FROM (SELECT o_custkey, o_orderkey, SUM(l_quantity) AS quantity FROM orders, lineitem
      WHERE o_orderkey = l_orderkey GROUP BY o_custkey, o_orderkey HAVING SUM(l_quantity) > 30) AS large""",
)
_query(
    19,
    f"""SELECT SUM({CLIPPED}) AS revenue FROM lineitem, part
WHERE p_partkey = l_partkey AND (p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX') AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5
  OR p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX') AND l_quantity BETWEEN 10 AND 50)""",
)
_query(
    20,
    """SELECT s_name FROM supplier, nation
WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp WHERE ps_availqty > (SELECT 0.5 * SUM(l_quantity) FROM lineitem
  WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey))
  AND s_nationkey = n_nationkey AND n_name = 'FRANCE' ORDER BY s_name""",
    "A subquery cannot stand for a value",
    """SELECT s_name, SUM(l_quantity) AS shipped
FROM lineitem, supplier, nation WHERE l_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'FRANCE'
GROUP BY s_name ORDER BY s_name""",
)
_query(
    21,
    """SELECT s_name, COUNT(*) AS waiting FROM supplier, lineitem l1, orders, nation
WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND l1.l_receiptdate > l1.l_commitdate
  AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
  AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
                  AND l3.l_receiptdate > l3.l_commitdate)
  AND s_nationkey = n_nationkey
GROUP BY s_name ORDER BY waiting DESC LIMIT 100""",
)
_query(
    22,
    """SELECT code, COUNT(*) AS customers, SUM(c_acctbal) AS balance
FROM (SELECT substring(c_phone, 1, 2) AS code, c_acctbal, c_custkey FROM customer
      WHERE substring(c_phone, 1, 2) IN ('13', '31', '23') AND c_acctbal > (SELECT AVG(c_acctbal) FROM customer WHERE c_acctbal > 0)
        AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS idle
GROUP BY code ORDER BY code""",
    "A subquery cannot stand for a value",
    """SELECT CASE WHEN code IN ('13', '31', '23') THEN code ELSE 'other' END AS code,
  COUNT(*) AS customers, SUM(c_acctbal) AS balance
FROM (SELECT substring(c_phone, 1, 2) AS code, c_acctbal, c_custkey FROM customer
      WHERE c_acctbal > 20 AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS idle
GROUP BY 1 ORDER BY code""",
)
