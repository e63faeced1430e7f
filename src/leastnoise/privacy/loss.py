"""`PrivacyLoss`: what a mechanism promises, alone, for groups, and together with others."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, SupportsIndex

from flint import arb

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.budget_curve import float_above
from leastnoise.privacy.curves.tradeoff import tradeoff
from leastnoise.privacy.group_loss import group_variable
from leastnoise.privacy.least_epsilon import (
    closeness,
    delta_at_most,
    epsilon_at_most,
    least_epsilon,
)
from leastnoise.privacy.sampling import (
    Neighbours,
    Record,
    poisson_sampled,
    randomly_allocated,
    rate_of_sampling,
    sampled_without_replacement,
    with_record_first,
)
from leastnoise.privacy.two_sided import two_sided_tail
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.lattice_variable import (
    LatticeMasses,
    LatticePart,
    LatticeVariable,
)
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.product_variable import joined, repeated


@dataclass(frozen=True, repr=False)
class PrivacyLoss:
    r"""The privacy loss between neighbours, in both directions, as an immutable value.

    Every answer is a bracket. For `delta`, `epsilon`, `renyi` and `tail` the sound end, the one to
    promise, is `upper`; for `tradeoff` it is `lower`.

    Args:
        forward: the loss of the pair (P, Q).
        backward: the loss of (Q, P); None if it has the same law.
        of_group: gives the loss for groups of a size, where the mechanism knows it.

    Example:
        >>> loss = PrivacyLoss.gaussian(mu=1)
        >>> round(float(loss.delta(epsilon=1)), 4)
        0.1269
        >>> round(float(loss.self_compose(4).delta(epsilon=1)), 4)
        0.5099
    """

    forward: LossVariable
    backward: LossVariable | None = None
    of_group: Callable[[int], "PrivacyLoss"] | None = None

    @classmethod
    def gaussian(cls, *, mu: Exact) -> "PrivacyLoss":
        """Gaussian noise whose standard deviation is 1/mu of the sensitivity.

        Args:
            mu: the sensitivity over the standard deviation.

        Example:
            >>> PrivacyLoss.gaussian(mu=1)
            PrivacyLoss(gaussian)
        """
        ratio = _check.positive(mu, "mu")
        return cls(
            GaussianVariable(ratio * ratio), None, lambda size: cls.gaussian(mu=ratio * size)
        )

    @classmethod
    def laplace(cls, *, epsilon: Exact) -> "PrivacyLoss":
        """Continuous Laplace noise of scale sensitivity/epsilon.

        Args:
            epsilon: the sensitivity over the scale.

        Example:
            >>> round(float(PrivacyLoss.laplace(epsilon=1).delta(epsilon="0.5")), 4)
            0.2212
        """
        ratio = _check.positive(epsilon, "epsilon")
        return cls(LaplaceVariable(ratio), None, lambda size: cls.laplace(epsilon=ratio * size))

    @classmethod
    def randomized_response(cls, *, epsilon: Exact, categories: SupportsIndex = 2) -> "PrivacyLoss":
        """The truth with odds e^epsilon to 1 against each other category.

        Args:
            epsilon: ε > 0.
            categories: how many answers there are.

        Example:
            >>> round(float(PrivacyLoss.randomized_response(epsilon=1).delta(epsilon=0)), 4)
            0.4621
        """
        rate = _check.positive(epsilon, "epsilon")
        others = _check.integer_between(categories, "categories", 2) - 1

        def masses() -> LatticeMasses:
            truth = balls.ball(rate).exp()
            weights = (arb(1), arb(others - 1), truth)
            return LatticeMasses(-1, tuple(w / (truth + others) for w in weights), arb(0))

        return cls(LatticeVariable(((LatticePart(rate, -1, 1, masses), 1),)))

    @classmethod
    def worst_case(cls, *, epsilon: Exact, delta: Exact = 0) -> "PrivacyLoss":
        r"""The loss that dominates every (epsilon, delta)-DP mechanism.

        Theorem: every pair of laws that is (ε, δ)-indistinguishable is a randomised function of the
        pair with losses ∞ (chance δ), ε (chance (1−δ)·e^ε/(1+e^ε)) and −ε (the rest).

        References: KairouzOhViswanath2017, Theorem 3.

        Args:
            epsilon: ε ≥ 0.
            delta: δ in [0, 1].

        Example:
            >>> round(float(PrivacyLoss.worst_case(epsilon=1, delta="1e-6").delta(epsilon=0)), 4)
            0.4621
        """
        rate, leak = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
        if not rate:
            level = ((1 - leak, 1 - leak),)
            return cls(FiniteVariable(((leak, Fraction(0)), *level) if leak else level))

        def masses() -> LatticeMasses:
            high = balls.ball(rate).exp() * balls.ball(1 - leak) / (1 + balls.ball(rate).exp())
            return LatticeMasses(-1, (balls.ball(1 - leak) - high, arb(0), high), balls.ball(leak))

        return cls(LatticeVariable(((LatticePart(rate, -1, 1, masses), 1),)))

    @classmethod
    def of_laws(cls, one: Mapping[Any, Exact], other: Mapping[Any, Exact]) -> "PrivacyLoss":
        """Two finite laws given as weights by outcome, each normalised to sum to 1.

        Args:
            one: the law of the output on one input, weights by outcome.
            other: the law on its neighbour.

        Example:
            >>> PrivacyLoss.of_laws({"yes": 3, "no": 1}, {"yes": 1, "no": 3}).delta(epsilon=0)
            Interval(0.5)
        """
        p, q = _normalised(one, "one"), _normalised(other, "other")
        forward = tuple((chance, q.get(x, Fraction(0))) for x, chance in p.items())
        backward = tuple((chance, p.get(x, Fraction(0))) for x, chance in q.items())
        return cls(FiniteVariable(forward), FiniteVariable(backward))

    plot = _show.plot
    _repr_html_ = _show.html

    def __repr__(self) -> str:
        kind = type(self.forward).__name__.removesuffix("Variable").lower()
        return f"PrivacyLoss({kind}{'' if self.backward is None else ', asymmetric'})"

    @property
    def _directions(self) -> list[LossVariable]:
        return [self.forward] if self.backward is None else [self.forward, self.backward]

    def _worst(self, question: Callable[[LossVariable], Interval]) -> Interval:
        answers = [question(variable) for variable in self._directions]
        return Interval(max(a.lower for a in answers), max(a.upper for a in answers))

    def delta(self, epsilon: Exact) -> Interval:
        """The least delta for which the mechanism is (epsilon, delta)-DP.

        Args:
            epsilon: ε ≥ 0.

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu=1).delta(epsilon=1)), 4)
            0.1269
        """
        exact = _check.non_negative(epsilon, "epsilon")
        return self._worst(lambda variable: variable.delta(exact))

    def epsilon(self, delta: Exact) -> Interval:
        """The least epsilon for which the mechanism is (epsilon, delta)-DP; infinite if none is.

        Args:
            delta: δ in [0, 1].

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu=1).epsilon(delta="1e-6")), 4)
            4.8866
        """
        exact = _check.delta(delta)
        return self._worst(lambda variable: least_epsilon(variable, exact))

    def epsilon_at_most(self, delta: Exact, *, within: Exact = "1e-4") -> float:
        r"""An epsilon for which the mechanism is (epsilon, delta)-DP, nearly the least.

        The upper end of `epsilon(delta)` alone, in a part of the time for what goes by grids. That
        it is an upper end is proved. How far it is above the truth is not: the grid is chosen so
        that this is about `within` of it, by an estimate. `epsilon(delta)` proves both ends.

        Args:
            delta: δ in [0, 1].
            within: how far above the truth it may be, as a share of it.

        Example:
            >>> step = PrivacyLoss.gaussian(mu=1).poisson_sampled(rate="0.01")
            >>> round(step.self_compose(1000).epsilon_at_most(delta="1e-5"), 4)
            1.8284
        """
        exact, close = _check.delta(delta), float(closeness(within, "within"))
        return float_above(max(epsilon_at_most(v, exact, close) for v in self._directions))

    def delta_at_most(self, epsilon: Exact, *, within: Exact = "1e-4") -> float:
        """A delta for which the mechanism is (epsilon, delta)-DP: as `epsilon_at_most`.

        Args:
            epsilon: ε ≥ 0.
            within: how far above the truth it may be, as a share of it.

        Example:
            >>> round(PrivacyLoss.gaussian(mu=1).self_compose(4).delta_at_most(epsilon=1), 4)
            0.5099
        """
        exact, close = _check.non_negative(epsilon, "epsilon"), float(closeness(within, "within"))
        return float_above(max(delta_at_most(v, exact, close) for v in self._directions))

    def renyi(self, order: Exact) -> Interval:
        """The Rényi divergence of an order above 0, `math.inf` included, in the worse direction.

        Args:
            order: above 0.

        Example:
            >>> PrivacyLoss.gaussian(mu=1).renyi(order=2)  # order · mu² / 2
            Interval(1)
        """
        exact: Order = math.inf if order == math.inf else _check.positive(order, "order")
        return self._worst(lambda variable: variable.renyi(exact))

    def tail(self, epsilon: Exact) -> Interval:
        """P(loss > epsilon), the bad event of the two-step recipe.

        That it is at most δ suffices for (ε, δ)-DP but is not necessary: `delta(epsilon)` is never
        larger, and often much smaller.

        Args:
            epsilon: ε ≥ 0.

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu=1).tail(epsilon=1)), 4)
            0.3085
        """
        exact = _check.non_negative(epsilon, "epsilon")
        return self._worst(lambda variable: variable.tail(exact))

    def two_sided_tail(self, epsilon: Exact) -> Interval:
        """P(|loss| > epsilon), in the worse direction: more than enough for (ε, δ)-DP.

        Args:
            epsilon: ε ≥ 0.

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu=1).two_sided_tail(epsilon=1)), 4)
            0.3753
        """
        exact = _check.non_negative(epsilon, "epsilon")
        one, other = self._directions[0], self._directions[-1]
        pairs = [two_sided_tail(one, other, exact), two_sided_tail(other, one, exact)]
        return Interval(max(p.lower for p in pairs), max(p.upper for p in pairs))

    def tradeoff(self, false_alarm: Exact) -> Interval:
        r"""The least missed-detection rate of any test between neighbours at a false-alarm rate.

        Theorem: (ε, δ)-DP means e^ε·P_FA + P_MD ≥ 1 − δ and P_FA + e^ε·P_MD ≥ 1 − δ for every test.
        The answer is the largest of these bounds over all ε ≥ 0, for tests in either direction.

        Args:
            false_alarm: the rate of innocent people who are accused, from 0 to 1.

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu=1).tradeoff("0.05")), 4)
            0.7405
        """
        alarm = _check.probability(false_alarm, "false_alarm")
        return tradeoff(self._directions, alarm)

    def compose(self, *others: "PrivacyLoss") -> "PrivacyLoss":
        """This release together with others on the same data, budgets fixed beforehand.

        Args:
            *others: their losses.

        Example:
            >>> both = PrivacyLoss.gaussian(mu=1).compose(PrivacyLoss.laplace(epsilon=1))
            >>> round(float(both.delta(epsilon=3)), 3)
            0.012
        """
        result = self
        for other in others:
            remedy = "Ask each law or mechanism for its own: law.privacy(distance=1)."
            _check.kind(other, PrivacyLoss, "`compose` takes privacy losses", remedy)
            result = result._joined(other)
        return result

    def _joined(self, other: "PrivacyLoss") -> "PrivacyLoss":
        forward = joined(self.forward, other.forward)
        if self.backward is None and other.backward is None:
            return PrivacyLoss(forward, None, self._group_of_both(other))
        mine = self.forward if self.backward is None else self.backward
        theirs = other.forward if other.backward is None else other.backward
        return PrivacyLoss(forward, joined(mine, theirs), self._group_of_both(other))

    def _group_of_both(self, other: "PrivacyLoss") -> Callable[[int], "PrivacyLoss"]:
        return lambda size: self.for_group(size)._joined(other.for_group(size))

    def self_compose(self, count: SupportsIndex) -> "PrivacyLoss":
        """This release made `count` times on the same data.

        Args:
            count: how often.

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu=1).self_compose(4).delta(epsilon=1)), 4)
            0.5099
        """
        times = _check.integer_between(count, "count", 1)
        if times == 1:  # no grid is needed: its brackets would be wider
            return self
        backward = None if self.backward is None else repeated(self.backward, times)
        return PrivacyLoss(
            repeated(self.forward, times),
            backward,
            lambda size: self.for_group(size).self_compose(times),
        )

    def poisson_sampled(
        self,
        rate: Exact,
        neighbours: Neighbours = "add_remove",
        *,
        record: Record | None = None,
    ) -> "PrivacyLoss":
        r"""This release made of a sample in which each record is with chance `rate`, by itself.

        This loss is that between a table with a record and one without it (or with one that counts
        for nothing). The result keeps both directions: `forward` is the loss where the record is
        removed, `backward` where it is added. Neither is always the worse once steps are composed.
        With "replace" the result is about exchanging a record: exactly for Gaussian and Laplace
        noise, an upper bound for other kinds.

        Shuffled batches and batches of a fixed size are not Poisson samples.

        Args:
            rate: the chance of a record to be in the sample.
            neighbours: what one record can do.
            record: where this loss is not the same both ways, the direction whose first law has
                the record.

        Proof: docs/proofs/sampling.md.

        Example:
            >>> step = PrivacyLoss.gaussian(mu=1).poisson_sampled(rate="0.01")
            >>> round(float(step.self_compose(1000).epsilon(delta="1e-5")), 4)
            1.8282
        """
        chance = rate_of_sampling(rate, "rate")
        first, second = with_record_first(self.forward, self.backward, record)
        forward, backward = poisson_sampled(first, second, chance, neighbours)
        if self.backward is None and chance == 1:
            backward = None
        return PrivacyLoss(forward, backward)

    def sampled_without_replacement(
        self, records: SupportsIndex, sample: SupportsIndex
    ) -> "PrivacyLoss":
        r"""This release made of `sample` of the `records`, every such set equally likely.

        Neighbours exchange one record, so this loss must be about that too: Gaussian noise with
        μ = 2/σ for records of norm at most 1. One step is exact. Composed, `upper` is a bound and
        `lower` is about the pair that gives the bound, as no exact law is known.

        Proof: docs/proofs/sampling.md, section 5.

        Example:
            >>> PrivacyLoss.gaussian(mu=2).sampled_without_replacement(1000, 10).delta("0.1")
            Interval(0.00260803322603165, 0.00260803322603166)
        """
        whole = _check.integer_between(records, "records", 1)
        drawn = _check.integer_between(sample, "sample", 1, whole)
        rate = Fraction(drawn, whole)
        return PrivacyLoss(sampled_without_replacement(self.forward, self.backward, rate))

    def randomly_allocated(
        self,
        steps: SupportsIndex,
        participations: SupportsIndex = 1,
        neighbours: Neighbours = "add_remove",
        *,
        record: Record | None = None,
    ) -> "PrivacyLoss":
        r"""`steps` such releases, each record in so many of them, drawn at random.

        This loss is one step's, between a table with a record and one without it (or with one that
        counts for nothing). Which steps a record takes part in is drawn once, every choice equally
        likely, and is not told. `forward` is the loss where the record is removed, `backward` where
        it is added. With one participation the bracket is about the truth. With k of T steps
        `upper` is a bound, that of k rounds of "one of T/k, rounded down", and `lower` is about
        these rounds: no exact law is known. With "replace" `upper` is a bound too, from removing
        and adding, and `lower` is about a record exchanged for one that counts for nothing.

        This is no Poisson sample, and may cost more than one of the same rate.

        Args:
            steps: how many steps there are.
            participations: in how many of them each record is.
            neighbours: what one record can do.
            record: where this loss is not the same both ways, the direction whose first law has
                the record.

        Proof: docs/proofs/sampling.md, section 6.

        Example:
            >>> one_of_hundred = PrivacyLoss.gaussian(mu=1).randomly_allocated(100)
            >>> round(float(one_of_hundred.epsilon(delta="1e-5")), 4)
            0.6209
        """
        whole = _check.integer_between(steps, "steps", 1)
        times = _check.integer_between(participations, "participations", 1, whole)
        first, second = with_record_first(self.forward, self.backward, record)
        forward, backward = randomly_allocated(first, second, whole // times, neighbours)
        return PrivacyLoss(forward, backward).self_compose(times)

    def for_group(self, size: SupportsIndex) -> "PrivacyLoss":
        """The same release for inputs that differ in up to `size` people.

        Where the mechanism is known this is its own loss at that distance; otherwise the sharp
        bound for all mechanisms with this loss.

        Args:
            size: how many people.

        Example:
            >>> round(float(PrivacyLoss.gaussian(mu="0.2").for_group(5).delta(epsilon=1)), 4)
            0.1269
        """
        people = _check.integer_between(size, "size", 1)
        if people == 1:
            return self
        if self.of_group is not None:
            return self.of_group(people)
        worst = group_variable(self._directions, people)
        return PrivacyLoss(worst, None, lambda more: self.for_group(people * more))


def _normalised(weights: Mapping[Any, Exact], name: str) -> dict[Any, Fraction]:
    rule = f"`{name}` must map outcomes to weights"
    _check.kind(weights, Mapping, rule, "Write for example {'yes': 3, 'no': 1}.")
    exact = {x: _check.non_negative(w, f"a weight of {name}") for x, w in weights.items()}
    total = sum(exact.values(), Fraction(0))
    if not total:
        raise _check.refuse(
            f"`{name}` must hold a positive weight", "none above 0", "Weigh some outcome."
        )
    return {x: weight / total for x, weight in exact.items() if weight}
