"""Which mechanism when: the table of docs/which_mechanism.md, every number computed here.

Usage: python examples/which_mechanism.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log
from typing import Any

import leastnoise as ln
from leastnoise.accounting import discrete_gaussian_variance
from leastnoise.mechanisms import BernoulliMean, PartitionSelection, Quantiles
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace
from leastnoise.tabulation import NoiseFamily, marginals_mechanism

DELTA = "1e-6"
MOST = "0.95"
COLUMNS, RECORDS = 1000, 10**6
RUNNING_BEHIND = [100, *[90] * 19]  # one candidate leads nineteen others by ten


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    have: str
    promise: str
    call: str
    pick: str
    error: str
    usual: str


def number(value: Any) -> str:
    """To three digits; whole where it is whole."""
    return f"{float(value):.3g}" if float(value) < 1000 else f"{float(value):.0f}"


def within(value: Any) -> str:
    """How far off 95 % of the answers are."""
    return f"±{number(value)}"


def named(law: Any) -> str:
    """What a law is called in prose."""
    words = "".join(f" {each.lower()}" if each.isupper() else each for each in type(law).__name__)
    return words.strip()


def one_number() -> Iterator[Row]:
    """A count, or a sum of bounded values."""
    count = ln.optimal(sensitivity=1, epsilon=1)
    usual = DiscreteLaplace(scale=1).quantile(MOST)
    call = "`ln.optimal(sensitivity=1, epsilon=1)`"
    yield Row(
        "one count",
        "ε = 1",
        call,
        named(count.law),
        within(count.error(MOST)),
        f"Laplace {within(usual)}",
    )

    count = ln.optimal(sensitivity=1, epsilon=1, delta=DELTA)
    variance = discrete_gaussian_variance(epsilon=1, delta=DELTA, sensitivity=1).upper
    usual = DiscreteGaussian(variance).quantile(MOST)
    call = "`ln.optimal(sensitivity=1, epsilon=1, delta=1e-6)`"
    yield Row(
        "one count",
        "ε = 1, δ = 10⁻⁶",
        call,
        named(count.law),
        within(count.error(MOST)),
        f"Gaussian {within(usual)}",
    )

    for epsilon in (1, 4):
        total = ln.optimal(sensitivity=100, epsilon=epsilon)
        laplace = DiscreteLaplace(scale=100 // epsilon).moment(1)
        call = f"`ln.optimal(sensitivity=100, epsilon={epsilon})`"
        yield Row(
            "one sum of values from 0 to 100",
            f"ε = {epsilon}",
            call,
            named(total.law),
            f"mean {number(total.expected_cost())}",
            f"Laplace mean {number(laplace)}",
        )


def many_numbers() -> Iterator[Row]:
    """Counts that one person may all be part of."""
    for count in (10, 100):
        chosen = ln.optimal(sensitivity=1, epsilon=1, delta=DELTA, count=count)
        usual = chosen.alternatives()
        laplace = next(each for each in usual if each.family == "discrete Laplace")
        call = f"`ln.optimal(…, delta=1e-6, count={count})`"
        yield Row(
            f"{count} counts; a person may be in all",
            "ε = 1, δ = 10⁻⁶",
            call,
            chosen.family,
            f"mean {number(chosen.expected_cost())}",
            f"Laplace mean {number(float(laplace.ratio) * float(chosen.expected_cost()))}",
        )


def many_columns() -> Iterator[Row]:
    """Tables of yes-or-no columns, judged by the worst of them."""
    for promise, delta, pick, rival in (
        ("ε = 1", 0, NoiseFamily.CUBE, NoiseFamily.LAPLACE),
        ("ε = 1, δ = 10⁻⁶", DELTA, NoiseFamily.BOUNDED, NoiseFamily.GAUSSIAN),
    ):
        chosen, named_one, usual = (
            marginals_mechanism(
                columns=COLUMNS, records=RECORDS, epsilon=1, delta=delta, mechanism=kind
            )
            for kind in (None, pick, rival)
        )
        assert chosen == named_one
        extra = ", delta=1e-6" if delta else ""
        yield Row(
            f"{COLUMNS} yes-or-no columns, the worst counts",
            promise,
            f"`ln.marginals(bits, epsilon=1{extra})`",
            f"{pick.value} noise",
            f"{within(chosen.error(MOST).upper)} for all",
            f"{rival.value.capitalize()} {within(usual.error(MOST).upper)} for all",
        )


def choices() -> Iterator[Row]:
    """Answers that are names, places or groups instead of numbers."""
    flip = ln.permute_and_flip(candidates=20, epsilon=1, sensitivity=1)
    usual = ln.exponential_mechanism(candidates=20, epsilon=1, sensitivity=1)
    yield Row(
        "which of 20 is best (it leads by 10)",
        "ε = 1",
        "`ln.permute_and_flip(candidates=20, …)`",
        "permute-and-flip",
        f"loses {number(flip.expected_error(RUNNING_BEHIND))} on average",
        f"exponential {number(usual.expected_error(RUNNING_BEHIND))}",
    )

    search = ln.above_threshold(threshold=0, epsilon=1, sensitivity=1, queries=1000)
    gap = search.accuracy(queries=1000, confidence=MOST).gap
    yield Row(
        "which of 1000 numbers is the first above a limit",
        "ε = 1",
        "`ln.above_threshold(threshold=…, …)`",
        "sparse vector",
        f"sure outside a gap of {number(gap)}",
        f"textbook's bound: a gap of {ceil(16 * log(2 * 1000 / 0.05))}",
    )

    promise = ln.PureDP(epsilon=1)
    median = Quantiles([0.5], cells=1 << 14, contribution=1, promise=promise, ends=True)
    yield Row(
        "the median of a column in 16384 parts, with an interval of values",
        "ε = 1",
        "`plan.quantiles(column, [0.5], …)`",
        "two choices on ranks, below and above",
        f"rank {within(median.likely_reach(MOST))}",
        "mean: another question",
    )

    groups = PartitionSelection(ln.ApproxDP(epsilon=1, delta=DELTA))
    yield Row(
        "which groups there are",
        "ε = 1, δ = 10⁻⁶",
        '`keys="private"` in a plan',
        "partition selection",
        f"shown in 95 % from {groups.likely_kept(MOST)} people on",
        "publish all: not private",
    )


def other_shapes() -> Iterator[Row]:
    """Errors in per cent, and nobody to trust."""
    relative = ln.relative_counts(relative_error="0.05", smallest=100)
    small, large = (f"{float(relative.privacy(size)):.1e}" for size in (100, 10**6))
    yield Row(
        "groups from 100 to a million people",
        f"ρ about {small} … {large}, by size",
        "`ln.relative_counts(relative_error=0.05, smallest=100)`",
        "relative counts",
        "mean 5 % of each",
        f"the same noise for all: ρ about {small}",
    )

    survey = ln.randomized_response(epsilon=1)
    alone, trusted = (
        1.96 * float(each.squared_error(**asked).privacy) ** 0.5
        for each, asked in (
            (survey, {"frequency": "0.3", "records": 1000}),
            (BernoulliMean(epsilon=1, records=1000), {"frequency": "0.3"}),
        )
    )
    yield Row(
        "nobody to trust: 1000 people answer for themselves",
        "ε = 1",
        "`ln.randomized_response(epsilon=1)`",
        "randomized response",
        f"share ±{number(alone)}",
        f"a trusted curator: ±{number(trusted)}",
    )


def table() -> str:
    """The table in Markdown."""
    head = ("you have", "promise", "call", "it uses", "error", "usual choice")
    rows = [head, ("---",) * len(head)]
    for part in (one_number, many_numbers, many_columns, choices, other_shapes):
        rows += [
            (each.have, each.promise, each.call, each.pick, each.error, each.usual)
            for each in part()
        ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(table())
