"""`optimal`: the least noise for a stated guarantee and cost, in one call."""

from fractions import Fraction
from typing import TYPE_CHECKING, Literal, SupportsIndex, overload

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.certificates.problem import Problem
from leastnoise.least_noise.checked_problem import check_rising, checked_promise, checked_steps
from leastnoise.least_noise.scalar.law_choice import chosen
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.noise.vectors.norm import Norm
from leastnoise.numeric.cost import CostLike, checked_cost

if TYPE_CHECKING:
    from leastnoise.least_noise.optimal_answers import OptimalAnswers
    from leastnoise.least_noise.vector.optimal_euclidean import OptimalEuclideanNoise
    from leastnoise.least_noise.vector.optimal_vector import OptimalVectorNoise

_FINENESS = 1024  # rounding a real value then costs a thousandth of the noise at most


def optimal_scalar(
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    cost: CostLike = "absolute",
    granularity: Exact | None = None,
) -> OptimalNoise:
    """The least noise for one query."""
    reach = _check.positive(sensitivity, "sensitivity")
    step = chosen_step(reach, granularity)
    problem = Problem(
        sensitivity=checked_steps(Lattice(step).reach(reach)),
        epsilon=_check.non_negative(epsilon, "epsilon"),
        delta=_check.delta(delta),
        cost=checked_cost(cost),
        step=step,
    )
    promise = checked_promise(problem.epsilon, problem.delta)
    check_rising(problem.cost, step)
    choice = chosen(problem)
    mechanism = AdditiveNoise(
        choice.law,
        sensitivity=reach,
        guarantee=promise,
        granularity=step,
        cost=problem.cost,
    )
    return OptimalNoise(mechanism, problem, choice)


def chosen_step(sensitivity: Fraction, granularity: Exact | None) -> Fraction:
    """As asked for; else 1 for whole sensitivities, and a fine power of two for others."""
    if granularity is not None:
        return _check.positive(granularity, "granularity")
    if sensitivity.denominator == 1:
        return Fraction(1)
    step = Fraction(1)
    while step * _FINENESS > sensitivity:
        step /= 2
    while 2 * step * _FINENESS <= sensitivity:
        step *= 2
    return step


@overload
def optimal(
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = ...,
    cost: CostLike = ...,
    granularity: Exact | None = ...,
) -> OptimalNoise: ...
@overload
def optimal(
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = ...,
    cost: CostLike = ...,
    granularity: Exact | None = ...,
    dimension: SupportsIndex,
    norm: Norm = ...,
) -> "OptimalVectorNoise": ...
@overload
def optimal(
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = ...,
    cost: CostLike = ...,
    granularity: Exact | None = ...,
    dimension: SupportsIndex,
    norm: Literal["l2"],
) -> "OptimalEuclideanNoise": ...
@overload
def optimal(
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = ...,
    cost: CostLike = ...,
    granularity: Exact | None = ...,
    count: SupportsIndex,
    independent: bool = ...,
    one_sided: bool = ...,
) -> "OptimalAnswers": ...
def optimal(  # noqa: PLR0913 - every one is for the user to choose
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    cost: CostLike = "absolute",
    granularity: Exact | None = None,
    dimension: SupportsIndex | None = None,
    norm: Norm | Literal["l2"] = "l1",
    count: SupportsIndex | None = None,
    independent: bool = False,
    one_sided: bool = False,
) -> "OptimalNoise | OptimalVectorNoise | OptimalEuclideanNoise | OptimalAnswers":
    r"""The mechanism with the least expected cost for a guarantee, with its reasons and a proof.

    One query: for δ = 0 the staircase law of the best width; at sensitivity 1 canonical noise,
    best for every cost at once; else the optimum of a linear program over all laws, or for fine
    lattices the truncated staircase. Each choice has proved its privacy, and `certificate()` says
    how near to optimal it is, in a form that anyone can check.

    Args:
        sensitivity: the most the query's value changes between neighbours; > 0. A whole number
            means a query with whole values, unless `granularity` says otherwise.
        epsilon: ε ≥ 0; 0 needs delta > 0.
        delta: δ in [0, 1).
        cost: what to minimise: "absolute", "squared", `Moment(p)`, `TailProbability(t)` or
            `OwnCost(f)`.
        granularity: the step of the lattice to which a real-valued query is rounded. By default 1
            for a whole sensitivity, else a power of two of at most sensitivity/1024.
        dimension: answer a vector of that many numbers; `sensitivity` is in `norm`.
        norm: "l1", "linf" or "l2", for vectors; in "l2" costs are "absolute" and "squared".
        count: answer that many queries under one guarantee, each of the stated sensitivity.
        independent: with `count`, whether each answer must get noise of its own.
        one_sided: with `count`, whether a person who comes can only raise answers, and one who goes
            only lower them, as with counts: far less noise is needed than for both ways.

    Raises:
        InvalidParameter: a parameter outside its range, or `dimension` together with `count`.

    References: GengViswanath2016; GengViswanath2016b; AwanRamasethu2023.

    Example:
        >>> mechanism = optimal(sensitivity=3, epsilon="0.5", delta="1e-6", cost="squared")
        >>> print(f"{float(mechanism.expected_cost()):.4f}", mechanism.why)
        71.1646 the optimum of the linear program over all laws on the lattice
        >>> print(mechanism.certificate().check())
        ACCEPTED: every claim was computed anew and holds
        >>> for other in mechanism.alternatives()[:2]:
        ...     print(other)
        71.1646 (1×): TruncatedStaircase(sensitivity=3, epsilon=0.5, delta='0.000001', width=2)
        71.1852 (1×): Staircase(sensitivity=3, epsilon=0.5, width=2)
    """
    if dimension is not None and count is not None:
        raise _check.refuse(
            "`dimension` and `count` must not be given together",
            "both",
            "A vector moves as a whole, counted in one norm; `count` queries each move by up to "
            "their own sensitivity.",
        )
    _refuse_idle(count, independent=independent, one_sided=one_sided)
    if dimension is not None:
        if norm not in {"l1", "linf", "l2"}:
            raise _check.refuse(
                "`norm` must be 'l1', 'linf' or 'l2'",
                f"norm={_check.shown(norm)}",
                "Name the one in which the sensitivity is measured.",
            )
        if norm == "l2":
            from leastnoise.least_noise.vector.optimal_euclidean import (  # noqa: PLC0415
                optimal_euclidean,
            )

            return optimal_euclidean(
                sensitivity=sensitivity,
                epsilon=epsilon,
                delta=delta,
                dimension=dimension,
                cost=cost,
                granularity=granularity,
            )
        from leastnoise.least_noise.vector.optimal_vector import optimal_vector  # noqa: PLC0415

        return optimal_vector(
            sensitivity=sensitivity,
            epsilon=epsilon,
            delta=delta,
            dimension=dimension,
            norm=norm,
            cost=cost,
            granularity=granularity,
        )
    if count is not None:
        step = chosen_step(_check.positive(sensitivity, "sensitivity"), granularity)
        from leastnoise.least_noise.composed.optimal_composed import (  # noqa: PLC0415
            optimal_composed,
        )

        return optimal_composed(
            sensitivity=sensitivity,
            epsilon=epsilon,
            delta=delta,
            count=count,
            cost=cost,
            granularity=step,
            independent=independent,
            one_sided=one_sided,
        )
    return optimal_scalar(
        sensitivity=sensitivity, epsilon=epsilon, delta=delta, cost=cost, granularity=granularity
    )


def _refuse_idle(count: SupportsIndex | None, **flags: bool) -> None:
    """What says how several queries move means nothing for one."""
    for name, given in flags.items():
        if _check.flag(given, name) and count is None:
            raise _check.refuse(
                f"`{name}` needs `count`", f"{name}=True alone", "Say how many queries there are."
            )
