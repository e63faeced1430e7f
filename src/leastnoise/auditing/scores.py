"""Scores: one number for a whole output, learned from examples, that tells two inputs apart."""

from typing import Protocol

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.auditing.columns import Columns, Floats

_CELLS = 64  # of about equal numbers of outputs
_MOST_LINEAR = 128  # the matrix to solve has its square


class Score(Protocol):
    """A function of one output."""

    @property
    def name(self) -> str:
        """The name of its column."""

    def of(self, columns: Columns) -> Floats:
        """The score of each output."""


@dataclass(frozen=True, eq=False)
class LinearScore:
    """A weighted sum of numbers (Fisher's discriminant): sees noise that is shared."""

    columns: tuple[str, ...]
    centre: Floats
    weights: Floats
    name: str = "weighted sum of the output"

    def of(self, columns: Columns) -> Floats:
        """The score of each output."""
        table = np.stack([columns.number(name) for name in self.columns], axis=1)
        scores: Floats = np.nan_to_num(table - self.centre, posinf=0.0, neginf=0.0) @ self.weights
        return scores


@dataclass(frozen=True, eq=False)
class LikelihoodScore:
    """A sum of log-likelihood ratios, column by column: sees what many columns say together."""

    tables: tuple[tuple[str, Floats, Floats], ...]
    name: str = "likelihood ratio of the output"

    def of(self, columns: Columns) -> Floats:
        """The score of each output."""
        total = np.zeros(columns.size)
        for name, edges, ratios in self.tables:
            values = columns.number(name)
            places = np.where(np.isnan(values), ratios.size - 1, np.searchsorted(edges, values))
            total += ratios[places]
        return total


def learned_scores(one: Columns, other: Columns) -> tuple[Score, ...]:
    """The scores that tell these two rows of outputs apart best; none for a single number."""
    names = tuple(sorted({*one.numbers, *other.numbers}))
    if len(names) < 2:
        return ()
    likelihood = LikelihoodScore(tuple(_table(name, one, other) for name in names))
    plain = tuple(name for name in names if name.startswith("output["))[:_MOST_LINEAR]
    return (likelihood, _linear(plain, one, other)) if len(plain) > 1 else (likelihood,)


def _table(name: str, one: Columns, other: Columns) -> tuple[str, Floats, Floats]:
    """Edges, and the log-ratio of frequencies between them; the last one is for no number."""
    values = one.number(name), other.number(name)
    edges = cell_edges(np.concatenate(values), _CELLS)
    counts = [
        np.bincount(
            np.where(np.isnan(x), edges.size + 1, np.searchsorted(edges, x)),
            minlength=edges.size + 2,
        )
        for x in values
    ]
    ratios = np.log((counts[0] + 1.0) / one.size) - np.log((counts[1] + 1.0) / other.size)
    return name, edges, ratios


def _linear(names: tuple[str, ...], one: Columns, other: Columns) -> LinearScore:
    tables = []
    for side in (one, other):
        table = np.stack([side.number(name) for name in names], axis=1)
        tables.append(np.nan_to_num(table, posinf=0.0, neginf=0.0))
    means = [table.mean(axis=0) for table in tables]
    spread = sum(np.atleast_2d(np.cov(table.T)) for table in tables)
    ridge = 1e-9 * max(float(np.trace(spread)), 1e-300) * np.eye(len(names))
    weights = np.linalg.lstsq(spread + ridge, means[0] - means[1], rcond=None)[0]
    return LinearScore(names, (means[0] + means[1]) / 2, weights)


def cell_edges(values: Floats, cells: int) -> Floats:
    """Edges that cut the values into cells of about equal number; a frequent value gets its own.

    A cell is (edge, next edge], so a value below whose float a second edge lies is alone.
    """
    kept = values[~np.isnan(values)]
    if not kept.size:
        return np.empty(0)
    ranks = np.linspace(0, kept.size - 1, cells + 1).astype(np.int64)
    chosen = np.sort(kept)[ranks]
    repeated = chosen[1:][chosen[1:] == chosen[:-1]]
    return np.unique(np.concatenate([chosen, np.nextafter(repeated, -np.inf)]))
