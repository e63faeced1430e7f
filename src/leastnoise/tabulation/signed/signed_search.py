r"""Which signed tables to measure, in which groups, and how much of ε each group gets.

A search in floats: it decides how good the answers are, never how private.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.tabulation.residuals.residual_split import Floats
from leastnoise.tabulation.residuals.residual_workload import AttributeSet, ResidualWorkload
from leastnoise.tabulation.signed.block_variance import smooth_variance
from leastnoise.tabulation.signed.signed_sources import (
    binary_places,
    residual_costs,
    signed_tables,
    told_residuals,
    uncovered,
)
from leastnoise.tabulation.signed.signed_table import SignedTable

Tables = tuple[SignedTable, ...]
Grouped = tuple[Tables, ...]

_WIDEST = 256  # wider tables gain nothing from company
_MOST_GROUPS = 12  # of tables that could be in one
_MOST_TOLD = 1 << 15  # pairs of a table and a residual, for more than one look
_ROUNDS = 100
_SETTLED = 1e-9
_WORTHWHILE = 1e-6


@dataclass(frozen=True)
class SignedChoice:
    """Groups of tables, each with its share of ε, and the cost at ε = 1 on a fine lattice."""

    signs: AttributeSet
    groups: Grouped
    shares: tuple[float, ...]
    cost: float


def best_choice(workload: ResidualWorkload) -> SignedChoice:
    """The best found, with all attributes of two values as signs, or none."""
    binary = binary_places(workload)
    searches = [_Search(workload, signs) for signs in dict.fromkeys([binary, ()])]
    return min((search.found() for search in searches), key=lambda one: one.cost)


@dataclass(frozen=True)
class _Search:
    workload: ResidualWorkload
    signs: AttributeSet

    @cached_property
    def _costs(self) -> Floats:
        return residual_costs(self.workload, self.signs)

    @cached_property
    def _tables(self) -> dict[SignedTable, tuple[int, list[int], Floats]]:
        """Each table that may be measured: its width, what it tells of, and how precisely."""
        found = {}
        for places in self.workload.sets:
            for table in signed_tables(self.signs, places):
                told = list(told_residuals(self.workload, table))
                indices = [self.workload.index_of[subset] for subset, _ in told]
                precision = 1 / np.array([summed for _, summed in told], dtype=np.float64)
                found[table] = table.width(self.workload), indices, precision
        return found

    def found(self) -> SignedChoice:
        """Greedy: join neighbours in width, leave out what follows from finer tables."""
        every = list(self._tables)
        starts = [self._by_width(every), self._by_width(uncovered(every, every))]
        best = min(map(self._priced, starts), key=lambda one: one.cost)
        small = sum(len(told) for _, told, _ in self._tables.values()) <= _MOST_TOLD
        while small:
            tried = [self._priced(groups) for groups in self._changes(best.groups)]
            better = min(tried, key=lambda one: one.cost, default=best)
            if better.cost >= best.cost * (1 - _WORTHWHILE):
                break
            best = better
        return self._with_wide_ones_alone(best)

    def _width(self, table: SignedTable) -> int:
        return self._tables[table][0]

    def _by_width(self, tables: list[SignedTable]) -> Grouped:
        """Tables of one width together, of similar widths if there are many; wide ones alone."""
        groups: dict[int, list[SignedTable]] = {}
        for table in sorted(tables, key=self._width):
            groups.setdefault(self._width(table), []).append(table)
        narrow = [tuple(group) for width, group in groups.items() if width <= _WIDEST]
        wide = [tuple(group) for width, group in groups.items() if width > _WIDEST]
        return (*self._fewer(narrow), *self._fewer(wide))

    def _fewer(self, groups: list[Tables]) -> list[Tables]:
        while len(groups) > _MOST_GROUPS:
            ends = [self._width(group[-1]) for group in groups]
            closest = min(range(len(ends) - 1), key=lambda i: ends[i + 1] / ends[i])
            groups[closest : closest + 2] = [groups[closest] + groups[closest + 1]]
        return groups

    def _is_wide(self, group: Tables) -> bool:
        """Whether its tables share no noise, only a share of ε, in equal parts."""
        return self._width(group[-1]) > _WIDEST

    def _with_wide_ones_alone(self, choice: SignedChoice) -> SignedChoice:
        groups: list[Tables] = []
        shares: list[float] = []
        for group, share in zip(choice.groups, choice.shares, strict=True):
            parts = [(table,) for table in group] if self._is_wide(group) else [group]
            groups += parts
            shares += [share / len(parts)] * len(parts)
        return replace(choice, groups=tuple(groups), shares=tuple(shares))

    def _changes(self, groups: Grouped) -> list[Grouped]:
        """Each with one group less, or with fewer tables in a group."""
        every = [table for group in groups for table in group]
        found = []
        for i, group in enumerate(groups):
            fewer = tuple(uncovered(group, every))
            if len(fewer) < len(group):
                found.append((*groups[:i], *([fewer] if fewer else []), *groups[i + 1 :]))
            following = groups[i + 1 : i + 2]
            if following and not self._is_wide(following[0]):
                found.append((*groups[:i], group + following[0], *groups[i + 2 :]))
        return found

    def _priced(self, groups: Grouped) -> SignedChoice:
        r"""The best shares: at the minimum, all groups gain alike from a little more.

        The cost is Σ K_A/Σ share_g²·q; each round multiplies a share by the cube root of what its
        group gains, which for groups that have nothing in common is exact at once.
        """
        group, residual, precision = self._entries(groups)
        shares = np.full(len(groups), 1 / len(groups))
        best, kept = np.inf, shares
        for _ in range(_ROUNDS):
            told = np.bincount(residual, shares[group] ** 2 * precision, len(self._costs))
            cost = float((self._costs / told).sum())
            settled = cost > best * (1 - _SETTLED)
            if cost < best:
                best, kept = cost, shares
            if settled:
                break
            gain = (self._costs / told**2)[residual] * precision * shares[group]
            shares = shares * np.cbrt(np.bincount(group, gain, len(groups)))
            shares = np.maximum(shares / shares.sum(), _WORTHWHILE)
        return SignedChoice(self.signs, groups, tuple((kept / kept.sum()).tolist()), best)

    def _entries(
        self, groups: Grouped
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], list[int], Floats]:
        """For each table and residual: the group, the residual, and the precision at share 1."""
        numbers: list[int] = []
        residual: list[int] = []
        precisions = []
        for number, group in enumerate(groups):
            total = sum(map(self._width, group))
            for table in group:
                width, told, precision = self._tables[table]
                numbers += [number] * len(told)
                residual += told
                joint = smooth_variance(width, total)
                precisions.append(
                    precision / (2 * len(group) ** 2 if self._is_wide(group) else joint)
                )
        return np.array(numbers, dtype=np.intp), residual, np.concatenate(precisions)
