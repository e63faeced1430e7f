r"""The means of all columns of a table of bits at once, with little error in the worst column.

A table has n rows and d columns with two values, low and high. Neighbours differ in one row that is
replaced; n is public. Then each of the d counts of `high` moves by at most 1: by 1 in the greatest
magnitude, by d in l1, by sqrt(d) in l2. An error e of a count is an error (high - low)*e/n of a mean.

- "cube": weight e^(-epsilon*max|y_j|) on Z^d: epsilon-DP, with errors of about d/epsilon in the worst
  column (Steinke and Ullman 2016, Theorem 1.2; on whole numbers, so that draws are exact).
- "laplace": independent noise of scale d/epsilon: epsilon-DP, the worst error is larger by log d.
- "gaussian": independent rounded Gaussian noise of variance d/mu^2: (epsilon, delta)-DP.
- "repaired": Gaussian noise z, then a sparse vector on the magnitudes of the residuals -z_j, which
  finds the few largest; their columns get fresh noise (the same paper, Theorem 1.3). With tuned
  constants this pays from about 2^16 columns on.

Means are clipped to low .. high, which never makes an error larger.

Proof page: docs/proofs/one_way_marginals.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.additive import promise_text
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.noise.joint_pure import MOST_CELLS
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.numbers.ball import ball, lower_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, exact, inside, non_negative, positive, whole
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.workloads.column_noise import ColumnNoise, CubeNoise, IndependentNoise
from leastnoise.workloads.repaired import repaired_noise

Floats = NDArray[np.float64]
Kind = Literal["cube", "gaussian", "laplace", "repaired"]
Objective = Literal["max", "average", "squared"]

_MANY = 1 << 15  # columns from which repairs are tried
_LEVEL = Fraction(19, 20)  # at which worst errors are compared


@dataclass(frozen=True, repr=False)
class OneWayMarginals(Mechanism[Any, Floats]):
    """Means of all columns with noise: `release(bits)` gives them for a table of the stated form.

    Neighbours are tables in which one row is replaced.

    Attributes:
        records: how many rows the table has; public.
        columns: how many columns.
        values: the two values of the table's entries.
        promise: what one release promises.
        kind: of noise.
        noise: of the counts.
    """

    records: int
    columns: int
    values: tuple[Fraction, Fraction]
    promise: PureDP | ApproxDP
    kind: Kind
    noise: ColumnNoise

    @property
    def guarantee(self) -> Guarantee:
        """What one release promises about one row."""
        return self.promise

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The privacy loss if up to `distance` rows are replaced."""
        return self.noise.privacy(whole(distance, "distance"))

    @property
    def _unit(self) -> Fraction:
        """What one count is in a mean."""
        return (self.values[1] - self.values[0]) / self.records

    def worst_error(self, confidence: Exact = "0.95") -> Fraction:
        """The error that no column exceeds, with this chance; proved."""
        return self.noise.worst(inside(confidence, "confidence")) * self._unit

    def exceeds(self, error: Exact) -> Interval:
        """The chance that some column has a larger error, clipping aside."""
        return self.noise.exceeds(int(non_negative(error, "error") / self._unit))

    def expected_error(self, objective: Literal["average", "squared"] = "average") -> Interval:
        """The mean over all columns of E|error|, or of E error^2, clipping aside."""
        order = {"average": 1, "squared": 2}.get(objective)
        if order is None:
            raise InvalidInput('objective is not known. Give "average" or "squared".')
        found, unit = self.noise.moment(order), self._unit**order
        return Interval(found.lower * unit, found.upper * unit)

    def _answer(self, value: Any, source: Source) -> Floats:
        low, high = (float(each) for each in self.values)
        table = np.asarray(value)
        if table.shape != (self.records, self.columns):
            raise InvalidInput(
                f"This noise is for {self.records} rows of {self.columns} columns. Give such a table."
            )
        ones = table == high
        if not np.all(ones | (table == low)):
            raise InvalidInput(
                f"An entry of the table is neither {low:g} nor {high:g}. Give values=(low, high)."
            )
        counts = ones.sum(axis=0) + self.noise.sample(source)
        shares = np.clip(counts, 0, self.records).astype(np.float64) / self.records
        return np.asarray(low + (high - low) * shares)

    def __repr__(self) -> str:
        return (
            f"Means of {self.columns} columns with {self.kind} noise, {promise_text(self.promise)}: "
            f"95 % of releases err by at most {float(self.worst_error()):.4g} in every column"
        )


def one_way_marginals(
    bits: Any,
    *,
    epsilon: Exact,
    delta: Exact = 0,
    objective: Objective = "max",
    values: tuple[Exact, Exact] = (-1, 1),
    mechanism: Kind | None = None,
) -> OneWayMarginals:
    """Means of all columns of a table of two values; `release(bits)` gives them with noise.

    Args:
        bits: the table, of which only the number of rows and of columns is read; or these two.
        epsilon: above 0.
        delta: 0, or below 1.
        objective: what to make small: "max", the error that the worst column exceeds in 5 % of
            releases; "average" or "squared", means over the columns.
        values: the two values of the entries, the lesser first.
        mechanism: "cube", "gaussian", "laplace" or "repaired"; the best if None.

    >>> one_way_marginals((5000, 100), epsilon=1)
    Means of 100 columns with cube noise, (1, 0)-DP: 95 % of releases err by at most 0.0468 in every
    column
    """
    records, columns = _form(bits)
    low, high = (exact(each, "values") for each in values)
    if low >= high:
        raise InvalidInput("values are not in order. Give the lesser first.")
    amount, lost = positive(epsilon, "epsilon"), non_negative(delta, "delta")
    promise = (
        ApproxDP(epsilon=amount, delta=inside(lost, "delta")) if lost else PureDP(epsilon=amount)
    )
    if objective not in ("max", "average", "squared"):
        raise InvalidInput('objective is not known. Give "max", "average" or "squared".')
    kinds = [mechanism] if mechanism else _candidates(columns, lost, objective)
    made = [
        OneWayMarginals(
            records, columns, (low, high), promise, kind, _noise(kind, columns, amount, lost)
        )
        for kind in kinds
    ]

    def price(each: OneWayMarginals) -> Any:
        if objective == "max":
            return each.worst_error(_LEVEL)
        return each.expected_error(objective).upper

    return min(made, key=price) if len(made) > 1 else made[0]


def _form(bits: Any) -> tuple[int, int]:
    """Rows and columns."""
    form = bits if isinstance(bits, tuple) else np.shape(bits)
    if len(form) != 2 or any(np.ndim(each) for each in form):
        raise InvalidInput("bits is no table. Give rows of equal length, or (rows, columns).")
    records, columns = form
    return whole(records, "the number of rows"), whole(columns, "the number of columns")


def _candidates(columns: int, delta: Fraction, objective: Objective) -> list[Kind]:
    found: list[Kind] = ["cube"] if columns <= MOST_CELLS else ["laplace"]
    if delta:
        found.append("gaussian")
    if delta and columns >= _MANY and objective == "max":
        found.append("repaired")
    return found


def _noise(kind: Kind, columns: int, epsilon: Fraction, delta: Fraction) -> ColumnNoise:
    if kind in ("gaussian", "repaired") and not delta:
        raise InvalidInput(f"Without delta there is no {kind} noise. Give delta, for example 1e-6.")
    match kind:
        case "cube":
            if columns > MOST_CELLS:
                raise InvalidInput(f"Cube noise is for at most {MOST_CELLS} columns.")
            return CubeNoise(columns, epsilon)
        case "laplace":
            return IndependentNoise(columns, DiscreteLaplace(epsilon / columns))
        case "gaussian":
            square = squared_mu(epsilon, delta)
            mu = lower_end(lambda: ball(square).sqrt())
            return IndependentNoise(columns, RoundedGaussian(columns / mu**2), mu)
        case "repaired":
            return repaired_noise(columns, epsilon, delta)
    raise InvalidInput('mechanism is not known. Give "cube", "gaussian", "laplace" or "repaired".')
