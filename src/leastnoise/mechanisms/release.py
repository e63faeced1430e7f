"""`Release`: what leaves the mechanism, with the promise that travels with it."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.privacy.groupwise import GroupwiseZCDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.per_record import PerRecordZCDP

Output_co = TypeVar("Output_co", covariant=True)
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Release(Generic[Output_co]):
    r"""A released value, the guarantee it was released under, and the mechanism that made it.

    Everything here is public. Two releases are equal only if they are the same event: equal
    values drawn twice have cost twice. An array is made read-only.

    Theorem (post-processing): for every mechanism M, every pair of neighbours D, D′ and every f,
    randomized or not, that is given M's output and nothing else that depends on the data: whatever
    of (ε, δ)-DP, zCDP, group-wise zCDP, RDP, GDP or f-DP holds for M holds for f∘M, with the same
    parameters.
    Proof: fix f's own coins r, which are independent of M. An event E of the result is the event
    {y : f(y, r) ∈ E} of M's output, so P(f(M(D), r) ∈ E) ≤ e^ε·P(f(M(D′), r) ∈ E) + δ; average
    over r. A test of D against D′ from f's result is a test from M's output, so trade-off curves
    only rise; Rényi divergences only fall by the data-processing inequality.

    Args:
        value: what was released.
        guarantee: the promise about neighbours at distance 1.
        mechanism: a description that makes the mechanism again.

    References: DworkRoth2014, Proposition 2.1; DongRothSu2022, Lemma 2.9 (arXiv 1905.02383v3).

    Example:
        >>> from leastnoise.mechanisms import NameAndShame
        >>> release = NameAndShame(delta=0).release(["secret", "other"])
        >>> release.map(len).value, release.map(len).guarantee == release.guarantee
        (0, True)
    """

    value: Output_co
    guarantee: Guarantee | GroupwiseZCDP | PerRecordZCDP
    mechanism: str

    def __post_init__(self) -> None:
        if isinstance(self.value, np.ndarray):
            self.value.flags.writeable = False

    def map(self, f: Callable[[Output_co], Result]) -> "Release[Result]":
        """f(value) under the same guarantee, by post-processing.

        The theorem speaks of functions that see the data only through this value. One that looks
        the data up again is a second query: release its result by a mechanism of its own.
        """
        return Release(f(self.value), self.guarantee, self.mechanism)

    def __repr__(self) -> str:
        return f"Release({self.value!r}, {self.guarantee!r}, by {self.mechanism})"
