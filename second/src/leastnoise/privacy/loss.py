"""`PrivacyLoss`: what a mechanism costs, in both directions, and what many of them cost together."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import KNormNoise
from leastnoise.noise.line import Laplace as LaplaceLaw
from leastnoise.noise.line import Normal
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import (
    Exact,
    non_negative,
    positive,
    probability,
    renyi_order,
    truth_value,
    whole,
    written,
)
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.curve import Corners, Curve, Gaussian, Laplace, finite, response, worst
from leastnoise.privacy.direction import ROUGHLY, Direction, Part
from leastnoise.privacy.divergence import pairs_of
from leastnoise.privacy.events import price_of_event
from leastnoise.privacy.lattice import LatticeLaw, Moved, Shifted, checked_law
from leastnoise.privacy.renyi import renyi_divergence
from leastnoise.privacy.sampling import (
    Allocated,
    ReplacedGaussian,
    Sampled,
    WithoutReplacement,
)

Neighbours = Literal["add_remove", "replace"]

_MOST_EPSILON = 1 << 40  # that is asked about
_MOST_STEPS = 1 << 40  # of which each record is in one


@dataclass(frozen=True, repr=False)
class PrivacyLoss:
    """Hockey-stick curves and how often each is used. Nothing is computed before a question.

    Attributes:
        forward: of the output with a record against without it, for example.
        backward: the other way round; None if it is the same.

    >>> PrivacyLoss.gaussian(mu="0.05").self_compose(1000).epsilon(delta="1e-6")
    8.30622504995472...
    >>> step = PrivacyLoss.gaussian(mu=1).poisson_sampled(rate="0.01")
    >>> step.self_compose(1000).epsilon(delta="1e-5")
    1.8280...
    >>> step.self_compose(1000)
    PrivacyLoss(1000 × Sampled(base=Gaussian(square=1), rate=0.01))
    """

    forward: tuple[Part, ...]
    backward: tuple[Part, ...] | None = None

    @classmethod
    def gaussian(cls, *, mu: Exact) -> "PrivacyLoss":
        """Gaussian noise of standard deviation sensitivity/mu."""
        return _squared(non_negative(mu, "mu") ** 2)

    @classmethod
    def laplace(cls, *, epsilon: Exact) -> "PrivacyLoss":
        """Laplace noise of scale sensitivity/epsilon on the real line."""
        size = non_negative(epsilon, "epsilon")
        return cls(((Laplace(size), 1),) if size else ())

    @classmethod
    def randomized_response(cls, *, epsilon: Exact, categories: int = 2) -> "PrivacyLoss":
        """A category that is reported e^epsilon times as often as each of the others.

        >>> PrivacyLoss.randomized_response(epsilon=1, categories=4).delta(0)
        0.300489181891562...
        """
        size, count = non_negative(epsilon, "epsilon"), whole(categories, "categories", least=2)
        return cls(((response(size, count), 1),) if size else ())

    @classmethod
    def worst_case(cls, *, epsilon: Exact, delta: Exact = 0) -> "PrivacyLoss":
        """The greatest loss of all (epsilon, delta)-DP mechanisms.

        >>> float(PrivacyLoss.worst_case(epsilon=0, delta="0.1").tradeoff("0.5"))
        0.4
        """
        size, lost = non_negative(epsilon, "epsilon"), probability(delta, "delta")
        return cls(((worst(size, lost), 1),) if size or lost else ())

    @classmethod
    def of_laws(cls, one: object, other: object) -> "PrivacyLoss":
        """Of two laws: two `Normal` or two `Laplace` of one scale, or two dicts of weights.

        >>> PrivacyLoss.of_laws({"yes": 3, "no": 1}, {"yes": 1, "no": 3}).delta(0)
        0.5
        """
        match one, other:
            case Normal(), Normal() if one.variance == other.variance:
                return _squared((one.mean - other.mean) ** 2 / one.variance)
            case LaplaceLaw(), LaplaceLaw() if one.scale == other.scale:
                return cls.laplace(epsilon=abs(one.centre - other.centre) / one.scale)
            case dict(), dict():
                curve = finite(pairs_of(one, other))
                return cls(((curve, 1),), ((curve.reversed(), 1),))
        raise InvalidInput(
            "The laws do not fit. Give two Normal of one variance, two Laplace of one scale, or "
            "two dicts of weights."
        )

    @classmethod
    def of_noise(cls, law: LatticeLaw, distance: int) -> "PrivacyLoss":
        """Of noise of a law on the integers, for values up to `distance` apart.

        Where the chances of a law rise somewhere, a shorter distance may cost more, and each step may
        move its own way. Then every distance counts, and the lower end is proved for one step alone.
        """
        shift, law = whole(distance, "distance", least=0), checked_law(law)
        if not shift:
            return cls(())
        if getattr(law, "is_peaked", False):
            return cls(((Shifted(law, shift), 1),))
        return cls(((Moved(law, shift), 1),))

    @classmethod
    def of_joint(cls, law: Any, reach: Sequence[Any]) -> "PrivacyLoss":
        """Of joint noise: `CentredGaussian` exactly, `KNormNoise` by its epsilon."""
        if isinstance(law, CentredGaussian):
            return _squared(law.squared_mu(reach))
        if not isinstance(law, KNormNoise):
            raise InvalidInput("The law is no joint noise. Give a CentredGaussian or a KNormNoise.")
        return cls.worst_case(epsilon=law.epsilon(reach))

    @classmethod
    def from_events(cls, event: object, *, neighbours: Neighbours = "add_remove") -> "PrivacyLoss":
        """Of a program that describes itself by DpEvents, as dp-accounting has them."""
        found: PrivacyLoss = price_of_event(cls, event, neighbours)
        return found

    def __repr__(self) -> str:
        parts = (f"{n} × {_text(curve)}" if n > 1 else _text(curve) for curve, n in self.forward)
        return f"PrivacyLoss({' + '.join(parts) or 'nothing'})"

    @property
    def is_simple(self) -> bool:
        """Whether answers are read off one curve."""
        return all(each.alone is not None for each in self._directions)

    def compose(self, *others: "PrivacyLoss") -> "PrivacyLoss":
        """All of them together; each may depend on the answers of those before."""
        every = (self, *others)
        if not all(isinstance(each, PrivacyLoss) for each in every):
            raise InvalidInput(
                "compose takes privacy losses. Give PrivacyLoss objects, one by one."
            )
        forward = tuple(part for each in every for part in each.forward)
        if all(each.backward is None for each in every):
            return PrivacyLoss(forward)
        return PrivacyLoss(forward, tuple(part for each in every for part in each._backward))

    def self_compose(self, count: int) -> "PrivacyLoss":
        """`count` times this."""
        times = whole(count, "count", least=0)

        def repeated(parts: tuple[Part, ...]) -> tuple[Part, ...]:
            return tuple((curve, n * times) for curve, n in parts if times)

        return PrivacyLoss(
            repeated(self.forward), None if self.backward is None else repeated(self.backward)
        )

    def for_group(self, size: int) -> "PrivacyLoss":
        """For inputs that differ by `size` neighbours.

        >>> PrivacyLoss.gaussian(mu=1).for_group(3) == PrivacyLoss.gaussian(mu=3)
        True
        """
        people = whole(size, "size")
        if people == 1:
            return self

        def grouped(parts: tuple[Part, ...]) -> tuple[Part, ...]:
            return tuple((curve.group(people), n) for curve, n in parts)

        return PrivacyLoss(
            grouped(self.forward), None if self.backward is None else grouped(self.backward)
        )

    def poisson_sampled(
        self, rate: Exact, *, neighbours: Neighbours = "add_remove"
    ) -> "PrivacyLoss":
        """Of a random part of the records, each in it with chance `rate`, independently.

        With neighbours="replace" this is still the loss of a record against none.
        """
        share = probability(rate, "rate")
        if not isinstance(neighbours, str) or neighbours not in ("add_remove", "replace"):
            raise InvalidInput('neighbours is not known. Give "add_remove" or "replace".')
        if not share or not self.forward:
            return PrivacyLoss(())
        curve = self._step("sampled")
        if neighbours == "replace":
            if not isinstance(curve, Gaussian):
                raise InvalidInput('neighbours="replace" is known for Gaussian noise only.')
            return PrivacyLoss(((ReplacedGaussian(curve.square, share), 1),))
        if share == 1:
            return self
        # Forward is with the record against without it.
        removed = Sampled(curve, share)
        return PrivacyLoss(((removed, 1),), ((removed.reversed(), 1),))

    def sampled_without_replacement(self, size: int, of: int) -> "PrivacyLoss":
        """Of `size` of `of` records, every set equally likely. This loss is of a replaced record."""
        sample, records = whole(size, "size", least=0), whole(of, "of")
        if sample > records:
            raise InvalidInput(f"size is {sample}, of is {records}. A sample is no larger.")
        if not sample or not self.forward:
            return PrivacyLoss(())
        if sample == records:
            return self
        if self.backward is not None:
            raise InvalidInput("A replaced record costs the same both ways. This loss does not.")
        glued = WithoutReplacement(self._step("sampled"), Fraction(sample, records))
        return PrivacyLoss(((glued, 1),))

    def allocated(self, steps: int) -> "PrivacyLoss":
        """`steps` steps together; each record is in exactly one, chosen uniformly."""
        count = whole(steps, "steps", most=_MOST_STEPS)
        if count == 1 or not self.forward:
            return self
        curve = Allocated(self._step("allocated"), count)
        return PrivacyLoss(((curve, 1),), ((curve.reversed(), 1),))

    def epsilon(self, delta: Exact, *, within: Exact = "3e-4") -> Interval:
        """The least epsilon at delta, to a relative width of `within` where a million points do."""
        lost, width = probability(delta, "delta"), positive(within, "within")
        # A direction that is certainly the lesser need not be known well.
        rough = [each.epsilon(lost, ROUGHLY) for each in self._directions]
        if not rough:
            return Interval.exactly(0)
        least = max(each.lower for each in rough)
        return _greater(
            found if found.upper <= least else each.epsilon(lost, width, least)
            for each, found in zip(self._directions, rough, strict=True)
        )

    def delta(self, epsilon: Exact, *, within: Exact = "1e-3") -> Interval:
        """The least delta at epsilon."""
        at, width = _epsilon(epsilon), positive(within, "within")
        rough = [each.delta(at, ROUGHLY) for each in self._directions]
        least = max((each.lower for each in rough), default=0)
        return _greater(
            found if found.upper <= least else each.delta(at, width)
            for each, found in zip(self._directions, rough, strict=True)
        )

    def renyi(self, order: Exact) -> Interval:
        """The Renyi divergence of an order from 1 on: 1 is Kullback-Leibler, math.inf the greatest loss.

        >>> PrivacyLoss.gaussian(mu=1).self_compose(10).renyi(2)
        10
        """
        at = renyi_order(order)
        found = [
            [(renyi_divergence(curve, at), n) for curve, n in each.parts]
            for each in self._directions
        ]
        return _greater(
            Interval(sum(n * one.lower for one, n in each), sum(n * one.upper for one, n in each))
            for each in found
        )

    def tail(self, epsilon: Exact, *, two_sided: bool = False) -> Interval:
        """P(loss > epsilon), or P(|loss| > epsilon): if at most delta, then (epsilon, delta)-DP.

        >>> loss = PrivacyLoss.gaussian(mu=1)
        >>> loss.delta(1), loss.tail(1), loss.tail(1, two_sided=True)
        (0.126936737506643..., 0.308537538725986..., 0.375344739994844...)
        """
        at, found = _epsilon(epsilon), []
        for one, other in zip(self._directions, self._mirrored, strict=True):
            chance = one.tail(at)
            if truth_value(two_sided, "two_sided"):
                low = other.reversed_tail(at)
                chance = Interval(
                    min(chance.lower + low.lower, Fraction(1)),
                    min(chance.upper + low.upper, Fraction(1)),
                )
            found.append(chance)
        return _greater(found)

    def tradeoff(self, false_alarm: Exact) -> Interval:
        """The least chance to miss the difference, for tests with this chance of a false alarm."""
        alarm = probability(false_alarm, "false_alarm")
        found = [each.tradeoff(alarm) for each in self._directions]
        if not found:
            return Interval.exactly(1 - alarm)
        return Interval(min(each.lower for each in found), min(each.upper for each in found))

    @property
    def _backward(self) -> tuple[Part, ...]:
        if self.backward is not None:
            return self.backward
        return self.forward

    @property
    def _directions(self) -> list[Direction]:
        """Those that may be the worse."""
        parts = [self.forward] if self.backward is None else [self.forward, self.backward]
        return [Direction.of(each) for each in parts if each]

    @property
    def _mirrored(self) -> list[Direction]:
        """The pairs of `_directions` the other way round."""
        return [
            Direction.of((curve.reversed(), n) for curve, n in each.parts)
            for each in self._directions
        ]

    def _step(self, what: str) -> Curve:
        """The curve of a single step."""
        found = Direction.of(self.forward).alone
        if found is None:
            raise InvalidInput(f"Only one step can be {what}. Do it to each step, then compose.")
        return found


def _text(value: Any) -> str:
    """A curve in short, without the outcomes of finite laws."""
    if isinstance(value, Fraction):
        return written(value)
    if isinstance(value, Corners):
        name, *rest = value.key
        return f"{name}({', '.join(_text(x) for x in rest if isinstance(x, Fraction | int | str))})"
    if isinstance(value, Curve):
        fields = (f"{k}={_text(x)}" for k, x in vars(value).items() if not isinstance(x, tuple))
        return f"{type(value).__name__}({', '.join(fields)})"
    return repr(value)


def _epsilon(value: Exact) -> Fraction:
    if (found := non_negative(value, "epsilon")) > _MOST_EPSILON:
        raise InvalidInput(f"epsilon is above {_MOST_EPSILON:,}. Give a smaller one.")
    return found


def _greater(found: Any) -> Interval:
    known = list(found) or [Interval.exactly(0)]
    return Interval(max(each.lower for each in known), max(each.upper for each in known))


def _squared(square: Fraction) -> PrivacyLoss:
    return PrivacyLoss(((Gaussian(square), 1),) if square else ())
