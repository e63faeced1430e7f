"""The aggregates there are, by name, and what to write in the place of others."""

from leastnoise.release.sql.text.place import PlacedRefusal, refused
from leastnoise.release.sql.text.tree import Call

COUNTS = frozenset({"count"})
COUNTS_IF = frozenset({"count_if", "countif"})
SUMS = frozenset({"sum"})
MEANS = frozenset({"avg", "mean"})
VARIANCES = {
    "var_pop": False,
    "variance_pop": False,
    "variance": True,
    "var_samp": True,
    "var": True,
}
"""By name, whether it is that of a sample."""
DEVIATIONS = {"stddev_pop": False, "stddev": True, "stddev_samp": True, "std": True}
MEDIANS = frozenset({"median"})
QUANTILES = frozenset({"percentile_cont", "percentile_disc", "quantile_cont", "approx_percentile"})
TOPS = frozenset({"approx_top_count", "approx_top_k"})

EXTREMES = frozenset({"min", "max"})
"""Of a unit's own rows; of all rows they are one person's value."""

KNOWN = frozenset(
    {*COUNTS, *COUNTS_IF, *SUMS, *MEANS, *VARIANCES, *DEVIATIONS, *MEDIANS, *QUANTILES, *TOPS}
)

_EXTREME = (
    "MIN and MAX are one person's value",
    "Write PERCENTILE_CONT(0.01) WITHIN GROUP (ORDER BY x), or 0.99; each unit's own MIN or MAX "
    "may stand in a subquery that is grouped by the unit.",
)
_LISTS = ("values of rows are not shown", "Use COUNT, SUM, AVG or PERCENTILE_CONT.")
_PAIRS = ("two columns together are asked about in a plan", "Use plan.covariance or correlation.")
_REFUSED: dict[str, tuple[str, str]] = {
    "min": _EXTREME,
    "max": _EXTREME,
    "min_by": _EXTREME,
    "max_by": _EXTREME,
    "arg_min": _EXTREME,
    "arg_max": _EXTREME,
    "first": _LISTS,
    "last": _LISTS,
    "any_value": _LISTS,
    "array_agg": _LISTS,
    "list": _LISTS,
    "string_agg": _LISTS,
    "group_concat": _LISTS,
    "json_agg": _LISTS,
    "mode": ("the most common value is asked for as such", "Write APPROX_TOP_COUNT(x, 1)."),
    "corr": _PAIRS,
    "covar_pop": _PAIRS,
    "covar_samp": _PAIRS,
    "regr_slope": _PAIRS,
    "regr_intercept": _PAIRS,
    "approx_count_distinct": (
        "different values are counted by COUNT(DISTINCT x)",
        "Write COUNT(DISTINCT x).",
    ),
    "approx_quantiles": (
        "quantiles are asked for by PERCENTILE_CONT",
        "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x).",
    ),
    "bool_and": ("a truth of all is one person's", "Write COUNT_IF(p) and COUNT(*)."),
    "bool_or": ("a truth of one is one person's", "Write COUNT_IF(p)."),
    "logical_and": ("a truth of all is one person's", "Write COUNT_IF(p) and COUNT(*)."),
    "logical_or": ("a truth of one is one person's", "Write COUNT_IF(p)."),
    "every": ("a truth of all is one person's", "Write COUNT_IF(p) and COUNT(*)."),
    "product": ("values are added up, not multiplied", "Use SUM."),
    "row_number": ("a row's place among others tells of them", "Leave it out."),
    "rank": ("a row's place among others tells of them", "Leave it out."),
    "random": ("a statement must mean the same whenever it is asked", "Leave it out."),
    "rand": ("a statement must mean the same whenever it is asked", "Leave it out."),
    "now": ("a statement must mean the same whenever it is asked", "Write DATE '2026-01-31'."),
}


def is_aggregate(node: object) -> bool:
    """Whether a call is one of the aggregates there are."""
    return isinstance(node, Call) and node.name in KNOWN


def refusal_of(call: Call) -> PlacedRefusal | None:
    """What to say of a function that is known to have no private answer; None of others."""
    if call.name not in _REFUSED:
        return None
    rule, remedy = _REFUSED[call.name]
    return refused(call.at, rule, f"{call.written}", remedy)
