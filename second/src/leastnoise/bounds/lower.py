r"""Lower bounds: with how few records no private mechanism whatever reaches an error.

Each theorem is about the sums of n rows of d signs, where one row is replaced. Its total is a number T
such that the sums cannot all be closer than T; so means that are off by at most a need T <= a*n. A
`Group` is k copies of each of n0 records: for them the mechanism is (L, leak)-DP with L = k*epsilon and
leak = delta*(e^L - 1)/(e^epsilon - 1), and a total T for the n0 records is k*T for the k*n0. Known rows
can be added to few records and taken out of the answer again: a total for n0 records is one for more.

Theorem (walk): if fewer than N records are impossible at the error a, and T is a total for at most N
records, then fewer than T/a records are impossible too. So N grows until nothing more follows.

Parameters are searched for in rough numbers, totals computed in balls and rounded down: a poor search
gives a weak bound, never a wrong one.

Proof page: docs/proofs/lower_bounds.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, inf, log

from flint import arb

from leastnoise.bounds.question import Objective, Question, rounded, table
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.exact import Exact, positive
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.group import sharp_delta

_SHARP = 1000  # up to this size the delta of a group is the least one
_FINE = 1.01  # factor by which the last steps of a search change a parameter
_MOST_RECORDS = 1 << 50  # what holds for so many holds for more
_MOST_STEPS = 200  # of a walk; to stop early is sound
_UNBIASED = "answers without bias"

Theorem = Callable[[Question, int], Fraction]  # from records to a total, 0 if it says nothing
Formula = Callable[..., arb]  # from a group and some parameters to its total


@dataclass(frozen=True)
class Group:
    """`size` copies of each of `people` records."""

    question: Question
    size: int
    people: int

    @property
    def loss(self) -> arb:
        """L."""
        return ball(self.size * self.question.epsilon)

    @property
    def leak(self) -> arb:
        """A delta of the group."""
        return ball(self.question.delta) * self.loss.expm1() / ball(self.question.epsilon).expm1()

    @property
    def divergence(self) -> arb:
        """The most relative entropy: L*tanh(L/2) - log(1 - leak)."""
        return self.loss * (self.loss / 2).tanh() - (-self.leak).log1p()

    @property
    def contrast(self) -> arb:
        """The greatest standard deviation of a likelihood ratio: 2*sinh(L/2)."""
        return 2 * (self.loss / 2).sinh()


def packing(question: Question, records: int) -> Fraction:  # noqa: ARG001
    """Worst error.

    Theorem: if all sums are off by less than m <= n with chance 1 - risk, then
    (2^d - 1)*e^(-m*epsilon)*(1 - risk - leak) <= risk, leak at k = m (Hardt and Talwar 2010).
    """
    d, risk = question.dimension, question.risk

    def is_possible(m: int) -> bool:
        group = Group(question, m, 1)
        leak = sharp_delta(question.epsilon, question.delta, m) if m <= _SHARP else None

        def kept() -> arb:
            return ball(1 - risk) - (group.leak if leak is None else ball(Fraction(leak.upper)))

        def excess() -> arb:
            rivals = d * arb(2).log() + (-(arb(2) ** -d)).log1p() if d > 1 else arb(0)
            return rivals + (kept() / ball(risk)).log() - group.loss

        return balls.sign(kept) <= 0 or balls.sign(excess) <= 0

    logs = min(d * log(2), -log(question.delta) if question.delta else inf)
    return Fraction(least_integer(is_possible, 1, int(logs / question.epsilon)) - 1)


def window(question: Question, records: int) -> Fraction:
    """Worst error, for delta 0; packing is better from four columns on.

    Theorem: let b = e^-epsilon, K = ceil(m/2), 2*(K + s) <= h <= n/2 and t = 1 - b^(s + 1). With
    u = b^-K - 1 for even m and b^(1 - K) - 1 + b^-K*(1 - b)/2 for odd m, some sum is off by m or more
    with chance t/(t + u)*(2*(h - K - s) + 1)/(2*h + 1) at least.
    """
    h, loss = records // 2, question.epsilon

    def is_possible(spare: int, m: int) -> bool:
        near, inner = (m + 1) // 2, h - (m + 1) // 2 - spare

        def excess() -> arb:
            b, t = (-ball(loss)).exp(), -(-ball(loss * (spare + 1))).expm1()
            u = b**-near - 1 if m % 2 == 0 else b ** (1 - near) - 1 + b**-near * (1 - b) / 2
            return ball(Fraction(2 * inner + 1, 2 * h + 1)) - ball(question.risk) * (1 + u / t)

        return 2 * inner < h or balls.sign(excess) <= 0

    spares = [] if question.delta or question.dimension > 3 else [2**j / loss for j in range(-3, 6)]
    found = (least_integer(partial(is_possible, int(each)), 1) - 1 for each in spares)
    return Fraction(max(found, default=0))


def worst_fingerprint(group: Group, angle: arb) -> arb:
    """Worst error.

    Theorem: let each mean be off by at most x with chance 1 - risk. For every angle > 0, with
    a = tanh(angle) and t = x + (1 + a)/n, both for w = contrast*sqrt(d*a/angle) + 2*leak*(1 + a)*d and
    for w = sqrt(2*d*divergence) + leak*(1 + a)*d:
    d*((1 - risk)*a - x - risk*(1 + a)/n)/angle <= n*t*w.
    """
    d, n, risk = group.question.dimension, group.people, ball(group.question.risk)
    a, found = angle.tanh(), arb(0)
    share = (1 - risk) * a * n - risk * (1 + a)
    most = group.leak * (1 + a) * d
    for w in (
        group.contrast * (d * a / angle).sqrt() + 2 * most,
        (2 * d * group.divergence).sqrt() + most,
    ):
        found = found.max((d * share / angle - (1 + a) * n * w) / (n * w + d / angle))
    return group.size * found


def mean_fingerprint(group: Group, rate: arb, cut: arb) -> arb:
    """Mean error.

    Theorem: let the mean over the columns of E|error of the mean| be x. For every rate r and cut c > 0,
    with s = 2*r*(r*(psi((r + 1)/2) - psi(r/2)) - 1), u = sqrt(c)*x + (sqrt(s) + 1/sqrt(c))/n and
    t = c*x + 2/n, both for w = contrast*sqrt(d)*u + 4*leak*t*d and for
    w = sqrt(2*d*divergence)*u + 2*leak*t*d: d*(s*(1 - 1/n) - 1/c - 2*r*x) <= n*w.
    """
    d, n, root = group.question.dimension, group.people, cut.sqrt()
    spread = 2 * rate * (rate * (((rate + 1) / 2).digamma() - (rate / 2).digamma()) - 1)
    gain, found = d * (spread * (1 - arb(1) / n) - 1 / cut), arb(0)
    for size, most in (
        (group.contrast * arb(d).sqrt(), 4 * group.leak * d),
        ((2 * d * group.divergence).sqrt(), 2 * group.leak * d),
    ):
        lost = size * (spread.sqrt() + 1 / root) + 2 * most
        found = found.max((gain - lost) / (2 * rate * d + n * (size * root + most * cut)))
    return group.size * n * found


def spread(group: Group, width: arb) -> arb:
    """Mean error.

    Theorem: for t = k records, l = width/t and q = e^(-2*l), the mean over the columns of
    E|error of the sum| is at least
    ((1 - leak)/l)*(log((2 + (t - 1)*(1 - q))/(1 + q)) - divergence/d).
    """
    t, step = group.size, width / group.size
    q = (-2 * step).exp()
    gain = ((2 + (t - 1) * (1 - q)) / (1 + q)).log()
    return (1 - group.leak) / step * (gain - group.divergence / group.question.dimension)


def one_column(group: Group) -> arb:
    """Mean error.

    Theorem: for h = floor(n/2) >= 1, C = cosh(L), S = sinh(L) and E = C^(1 - h), the mean over the
    columns of E|error of the sum| is at least
    2*k*((C - E)/((C - 1)*E + S*(1 - E) + S*(C - 1)) - 2*h*leak/(e^L - 1)).
    For n = 1 it is at least 2*k*(1 - leak)/(1 + e^L). For delta 0 and many records it tends to
    2/sinh(epsilon), which geometric noise attains.
    """
    h, loss = group.people // 2, group.loss
    if not h:
        return 2 * group.size * (1 - group.leak) / (1 + loss.exp())
    sine, excess = loss.sinh(), 2 * (loss / 2).sinh() ** 2
    faded = -(-(h - 1) * excess.log1p()).expm1()
    share = (excess + faded) / (excess * (1 - faded) + sine * faded + sine * excess)
    return 2 * group.size * (share - 2 * h * group.leak / loss.expm1())


def two_tables(group: Group) -> arb:
    """Squares.

    Theorem: for t = k records the root mean square error of the sums is at least
    t*sqrt(1 - leak)/cosh(L/2).
    """
    return group.size * (1 - group.leak).sqrt() / (group.loss / 2).cosh()


def corners(group: Group) -> arb:
    """Squares, for delta 0.

    Theorem: for t = k records the mean square error of the sums is at least
    t^2*(1 - min(sinh(L/2)^2, 4*log(cosh(L/2)))/d).
    """
    if group.question.delta:
        return arb(0)
    square = (group.loss / 2).sinh() ** 2
    known = square.min(2 * square.log1p()) / group.question.dimension
    return group.size * (1 - known).sqrt()


def searched(formula: Formula, *starts: int) -> Callable[[Question, int], Fraction]:
    """The greatest total found for at most so many records."""

    def total(question: Question, records: int) -> Fraction:
        def at(size: float, *parameters: float) -> arb:
            group = Group(question, int(size), records // int(size))
            return formula(group, *map(arb, parameters))

        def rough(place: tuple[float, ...]) -> float:
            found = float(at(*place).mid())
            return found if 0 < found < inf else 0.0

        with balls.precision(64):
            sizes = [2**bits for bits in range(records.bit_length())]
            best = max(((size, *starts) for size in sizes), key=rough)
            here, step = rough(best), 2.0
            while step > _FINE:
                tried = [moved for moved in _moves(best, step) if 1 <= moved[0] <= records]
                found = max(tried, key=rough, default=best)
                if rough(found) > here:
                    best, here = found, rough(found)
                else:
                    step **= 0.5
        return max(Fraction(0), balls.lower_end(lambda: at(*best))) if here else Fraction(0)

    return total


def _moves(place: tuple[float, ...], step: float) -> list[tuple[float, ...]]:
    """One parameter larger or smaller; the first is a whole number."""
    moved = [
        (*place[:i], place[i] * factor, *place[i + 1 :])
        for i in range(len(place))
        for factor in (step, 1 / step)
    ]
    return [(round(each[0]), *each[1:]) for each in moved]


def variances(price: Fraction) -> Theorem:
    """Squares, without bias.

    Theorem: let every change v of the sums by one row have
    (u.v)^2 <= C*u.S u for every u, S the mean of the two covariances. For every power of two m <= n and
    c_1, ... c_m as even as possible with sum d, the mean over the columns of the variance of the sums
    is on some table at least 4*(sqrt(c_1) + ... + sqrt(c_m))^2/(d*C); that is 4*d/C for m >= d.
    """

    def total(question: Question, records: int) -> Fraction:
        d = question.dimension
        places = min(1 << (records.bit_length() - 1), 1 << (d - 1).bit_length())
        share, more = divmod(d, places)

        def compute() -> arb:
            roots = more * arb(share + 1).sqrt() + (places - more) * arb(share).sqrt()
            return 2 * roots / (d * ball(price)).sqrt()

        return balls.lower_end(compute)

    return total


_MEAN: dict[str, Theorem] = {
    "one column": searched(one_column),
    "spread": searched(spread, 4),
    "fingerprint": searched(mean_fingerprint, 2, 4),
}
_SQUARED = _MEAN | {"two tables": searched(two_tables), "corners": searched(corners)}
_THEOREMS: dict[str, dict[str, Theorem]] = {
    "max": {"packing": packing, "window": window, "fingerprint": searched(worst_fingerprint, 1)},
    "average": _MEAN,
} | dict.fromkeys(("squared", "l2"), _SQUARED)  # the mean error is at most the root mean square


def barriers(question: Question, records: int) -> dict[str, Fraction]:
    """The total of each theorem for every mechanism, for at most so many records."""
    few = min(records, _MOST_RECORDS)
    return {name: theorem(question, few) for name, theorem in _THEOREMS[question.objective].items()}


def _unbiased(question: Question) -> list[tuple[str, Theorem]]:
    """Scopes of answers without bias, and the theorem for each."""
    delta, half = question.delta, question.epsilon / 2

    def approximate() -> arb:
        sine = ball(half).sinh() ** 2
        return 4 * (sine + (1 + sine) * ball(delta / (1 - delta)))

    found = [(_UNBIASED, variances(balls.upper_end(approximate)))]
    rho = squared_mu(question.epsilon, delta) / 2
    if rho:  # C = 4*sinh(a)^2 where 2*a*tanh(a) = rho
        a = balls.border(
            lambda a: balls.sign(lambda: 2 * ball(a) * ball(a).tanh() - ball(rho)) <= 0, Fraction(1)
        )[1]
        price = balls.upper_end(lambda: 4 * ball(a).sinh() ** 2)
        found.append((f"{_UNBIASED}, {rounded(rho)}-zCDP", variances(price)))
    return found


@dataclass(frozen=True)
class LowerBound:
    """With fewer than `records` records no mechanism of the scope reaches the error."""

    theorem: str
    scope: str
    records: int


@dataclass(frozen=True, repr=False)
class LowerBounds:
    """Numbers of records, the strongest theorem first, those of every mechanism before others."""

    question: Question
    error: Fraction
    rows: tuple[LowerBound, ...]

    @property
    def records(self) -> int:
        """With fewer no mechanism reaches the error."""
        return self.rows[0].records

    def __repr__(self) -> str:
        rows = [(row.theorem, f"{row.records:,}", row.scope) for row in self.rows]
        title = f"{self.question.title(self.error)}, {self.question.promise}"
        return table(title, ("impossible below", "records"), rows)


def lower_bounds(
    *,
    dimension: int,
    error: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    objective: Objective,
    confidence: Exact | None = None,
    values: tuple[Exact, Exact] = (-1, 1),
) -> LowerBounds:
    """Numbers of records with which no private mechanism reaches an error, and by which theorem.

    The arguments are those of `sample_size`. The bounds hold where values in between are allowed.

    >>> lower_bounds(dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="max")
    1,000 means of ±1, worst error 0.1 with confidence 0.95, epsilon 1, delta 1e-06
    <BLANKLINE>
    impossible below  records
    fingerprint           300  every mechanism
    packing               150  every mechanism
    """
    question = Question(
        dimension=dimension, epsilon=epsilon, delta=delta, objective=objective,
        confidence=confidence, values=values,
    )  # fmt: skip
    rows = bounds_at(question, question.on_signs(error))
    return LowerBounds(question, positive(error, "error"), rows)


def bounds_at(question: Question, error: Interval) -> tuple[LowerBound, ...]:
    """One row for each theorem, at an error of means of signs; the walk."""
    allowed, records = Fraction(error.upper), 1
    for _ in range(_MOST_STEPS):
        totals = barriers(question, records)
        further = ceil(max(totals.values()) / allowed)
        if further <= records:
            break
        records = further
    found = sorted(((ceil(total / allowed), name) for name, total in totals.items()), reverse=True)
    useful = [each for each in found if each[0] > 1] or [(1, found[0][1])]
    rows = [LowerBound(name, "every mechanism", least) for least, name in useful]
    for scope, theorem in _unbiased(question) if question.is_squared else []:
        most = records
        while (further := ceil(theorem(question, most) / allowed)) > most:
            most = further
        rows.append(LowerBound("variances", scope, most))
    return tuple(rows)
