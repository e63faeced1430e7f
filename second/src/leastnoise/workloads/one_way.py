r"""The means of all columns of a table of two values at once, with little error in the worst column.

A table has n rows and d columns with two values, low and high. Neighbours differ in one row that is
replaced; n is public. Then each of the d counts of `high` moves by at most 1: by 1 in the greatest
magnitude, by d in l1, by sqrt(d) in l2. An error e of a count is an error (high - low)*e/n of a mean.

- "cube": weight e^(-epsilon*max|y_j|): epsilon-DP, the worst column errs by about d/epsilon (Steinke
  and Ullman 2016, Theorem 1.2). Above 512 columns, blocks of them share epsilon: some per cent more.
- "laplace": independent noise of scale d/epsilon: epsilon-DP, the worst error is larger by log d.
- "gaussian": independent rounded Gaussian noise of variance d/mu^2: (epsilon, delta)-DP.
- "repaired": Gaussian noise whose few largest values are found by a sparse vector and drawn anew (the
  same paper, Theorem 1.3). With tuned constants this pays from about 2^16 columns on. How the budget
  is divided is searched in floats; what comes of it is priced, and scaled until the price is proved.

Means are clipped to low .. high, which never makes an error larger.

Proof page: docs/proofs/one_way_marginals.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.additive import promise_text
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.thresholds import AboveThreshold
from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.joint_pure import MOST_CELLS
from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.noise.source import Source
from leastnoise.numbers.ball import ball, lower_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, exact, inside, non_negative, positive, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.workloads.column_noise import BlockNoise, ColumnNoise, RepairedNoise, gaussian_noise

Floats = NDArray[np.float64]
Kind = Literal["cube", "gaussian", "laplace", "repaired"]
Objective = Literal["max", "average", "squared"]

_ORDERS = {"average": 1, "squared": 2}
_MANY = 1 << 15  # columns from which repairs are tried
_LEVEL = Fraction(19, 20)  # at which worst errors are compared
_RISK = 1 - float(_LEVEL)  # each way to exceed the error of repaired noise gets a quarter
_SEARCH_SHARES = np.array([0.02, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35])  # of the budget
_THRESHOLD_SHARE = Fraction(11, 20)  # of a search
_GROWTH = 256  # noise is scaled by multiples of 1/256, until the price is proved


@dataclass(frozen=True, repr=False)
class OneWayMarginals(Mechanism[Any, Floats]):
    """Means of all columns with noise: `release(bits)` gives them for a table of the stated form.

    Attributes:
        records: how many rows the table has; public.
        columns: how many columns.
        values: the two values of the table's entries.
        promise: what one release promises about one row.
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
        return self.noise.loss.for_group(whole(distance, "distance"))

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
        if objective not in [*_ORDERS]:
            raise InvalidInput('objective is not known. Give "average" or "squared".')
        order = _ORDERS[objective]
        found, unit = self.noise.moment(order), self._unit**order
        return Interval(found.lower * unit, found.upper * unit)

    def _answer(self, value: Any, source: Source) -> Floats:
        low, high = (float(each) for each in self.values)
        table = _array(value)
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
    form = bits if isinstance(bits, tuple) else _array(bits).shape
    if len(form) != 2 or any(np.ndim(each) for each in form):
        raise InvalidInput("bits is no table. Give rows of equal length, or (rows, columns).")
    records, columns = whole(form[0], "the number of rows"), whole(form[1], "the number of columns")
    ends = [exact(each, "values") for each in np.ravel(np.asarray(values, object))]
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise InvalidInput("values are two numbers, the lesser first. Give for example (0, 1).")
    amount = positive(epsilon, "epsilon")
    if not Fraction(1, 10**9) <= amount <= 1000:
        raise InvalidInput(f"epsilon is {written(amount)}. Give a number from 1e-9 to 1000.")
    lost = inside(delta, "delta") if exact(delta, "delta") else Fraction(0)
    if not isinstance(objective, str) or objective not in ["max", *_ORDERS]:
        raise InvalidInput('objective is not known. Give "max", "average" or "squared".')
    kinds: list[Kind] = ["cube", "gaussian"] if lost else ["cube"]
    if lost and columns >= _MANY and objective == "max":
        kinds.append("repaired")

    def made(kind: Kind) -> OneWayMarginals:
        noise, pure = _noise(kind, columns, amount, lost), kind in ("cube", "laplace")
        promise = PureDP(epsilon=amount) if pure else ApproxDP(epsilon=amount, delta=lost)
        return OneWayMarginals(records, columns, (ends[0], ends[1]), promise, kind, noise)

    def error(each: OneWayMarginals) -> Any:
        if objective == "max":
            return each.worst_error(_LEVEL)
        return each.expected_error(objective).upper

    return made(mechanism) if mechanism is not None else min(map(made, kinds), key=error)


def _array(bits: Any) -> NDArray[Any]:
    try:
        return np.asarray(bits)
    except ValueError:  # rows of different lengths
        return np.empty(0)


def _noise(kind: Kind, columns: int, epsilon: Fraction, delta: Fraction) -> ColumnNoise:
    """The noise of this kind that is just enough."""
    if not isinstance(kind, str):
        raise InvalidInput("mechanism is no text. Leave it out for the best one.")
    if kind in ["gaussian", "repaired"] and not delta:
        raise InvalidInput(f"Without delta there is no {kind} noise. Give delta, for example 1e-6.")
    match kind:
        case "cube":
            blocks = -(-columns // MOST_CELLS)
            law = NormStaircase(-(-columns // blocks), 1, epsilon / blocks, 1, "linf")
            return BlockNoise(columns, law)
        case "laplace":
            return BlockNoise(columns, DiscreteLaplace(epsilon / columns))
        case "gaussian":
            square = squared_mu(epsilon, delta)
            return gaussian_noise(columns, lower_end(lambda: ball(square).sqrt()))
        case "repaired":
            return _repaired(columns, epsilon, delta)
    raise InvalidInput('mechanism is not known. Give "cube", "gaussian", "laplace" or "repaired".')


def _repaired(columns: int, epsilon: Fraction, delta: Fraction) -> RepairedNoise:
    """The least error of 95 % of draws, about: over numbers of repairs (rows) and shares (columns)."""
    from scipy.special import gammaincinv, log_ndtr, ndtr, ndtri

    square, part = float(squared_mu(epsilon, delta)), float(_THRESHOLD_SHARE)
    powers = np.arange(2 * max(1, columns.bit_length() - 6)) / 2
    repairs = np.floor(2**powers)[:, None]
    sigma = np.sqrt(columns / (square * (1 - _SEARCH_SHARES)))
    own = _SEARCH_SHARES * square / repairs  # of mu^2; a search has 2*e*tanh(e/2)
    each = np.sqrt(own)
    for _ in range(40):
        each = own / (2 * np.tanh(each / 2))
    fall = (1 - part) * each / 2 * sigma
    most = gammaincinv(repairs + 1, _RISK / 4)  # expected hits; more than `repairs` are rare then
    low, high = np.zeros_like(fall), 60 * (1 + 1 / fall)
    for _ in range(60):  # the threshold, in deviations of the first noise
        place = (low + high) / 2
        chance = 2 * (ndtr(-place) + np.exp(fall * (fall / 2 - place) + log_ndtr(place - fall)))
        rare = columns * chance <= most
        low, high = np.where(rare, low, place), np.where(rare, place, high)
    error = high * sigma + np.log(4 * repairs / _RISK) / (part * each)
    row, column = np.unravel_index(int(error.argmin()), error.shape)
    count, one, threshold = int(repairs[row, 0]), each[row, column], (high * sigma)[row, column]
    fresh = error[row, column] / ndtri(1 - _RISK / (8 * count))

    def noise(step: int) -> RepairedNoise:
        scale = 1 + step / _GROWTH
        search = AboveThreshold(
            threshold=ceil(scale * threshold), epsilon=_short(one / scale), share=_THRESHOLD_SHARE
        )
        first = gaussian_noise(columns, _short(sqrt(columns) / (sigma[column] * scale)))
        return RepairedNoise(
            first, search, gaussian_noise(count, _short(sqrt(count) / (scale * fresh)))
        )

    def keeps(step: int) -> bool:
        return noise(step).loss.delta(epsilon).upper <= delta

    return noise(least_integer(keeps, -_GROWTH // 2, 0))


def _short(value: float) -> Fraction:
    return Fraction(f"{value:.6g}")
