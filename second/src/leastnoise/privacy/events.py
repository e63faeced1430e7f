"""What a program costs that describes itself by DpEvents, the classes of the dp-accounting package.

That package is not needed: an event is known by the name of its class and by its fields, or is a
mapping with the name under "event", and the event inside under "of". What has no sound price is
refused, by its place and with a reason.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from leastnoise.noise.laws import DiscreteLaplace
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import non_negative, probability, whole
from leastnoise.privacy.curve import Curve, Gaussian, Laplace, finite, worst
from leastnoise.privacy.lattice import Shifted

Neighbours = Literal["add_remove", "replace"]

_DEEPEST = 64
_ROUNDED = Fraction(1, 10**9)  # chances are floats as a rule
_EVERYTHING = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))


class Event:
    """One event: its name, its fields, where it stands, and what neighbours are."""

    def __init__(self, event: object, place: str, neighbours: Neighbours) -> None:
        if place.count(" of ") > _DEEPEST:
            raise InvalidInput(f"Events are nested deeper than {_DEEPEST}. Use SelfComposed.")
        self._event, self._neighbours = event, neighbours
        if isinstance(event, Mapping):
            name = event.get("event", event.get("class_name"))
        else:
            name = getattr(event, "class_name", type(event).__name__)
        if not isinstance(name, str):
            raise InvalidInput(f'{place} has no name. Write it under "event".')
        self.kind = name.removesuffix("Event").removesuffix("Dp")
        self.place = f"{place} ({self.kind})"

    def get(self, field: str) -> Any:
        """A field."""
        known = self._event
        if isinstance(known, Mapping):
            if field == "event" and isinstance(known.get("event"), str):
                field = "of"
            if field in known:
                return known[field]
        elif hasattr(known, field):
            return getattr(known, field)
        raise InvalidInput(f"{self.place} has no {field}. Add it.")

    def number(self, field: str) -> Fraction:
        """A field that is a number from 0 on."""
        return non_negative(self.get(field), f"{field} of {self.place}")

    def whole(self, field: str) -> int:
        """A field that is a whole number from 0 on."""
        return whole(self.get(field), f"{field} of {self.place}", least=0)

    def inner(self, neighbours: Neighbours | None = None) -> "Event":
        """The event inside."""
        return Event(
            self.get("event"), f"the inside of {self.place}", neighbours or self._neighbours
        )

    def parts(self) -> list["Event"]:
        """The events of a composition."""
        events = self.get("events")
        if not isinstance(events, Sequence) or isinstance(events, str | bytes):
            raise InvalidInput(f"The events of {self.place} are no list.")
        return [
            Event(each, f"number {i} of {self.place}", self._neighbours)
            for i, each in enumerate(events)
        ]

    @property
    def replaces(self) -> bool:
        """Whether one record is replaced, so that norm bounds count twice."""
        return self._neighbours == "replace"

    def refused(self, reason: str) -> InvalidInput:
        """That it has no price here."""
        return InvalidInput(f"{self.place} has no price here: {reason}")


def price_of_event(loss: Any, event: object, neighbours: Neighbours) -> Any:
    """The `loss` (the class `PrivacyLoss`) of an event."""
    if not isinstance(neighbours, str) or neighbours not in ("add_remove", "replace"):
        raise InvalidInput('neighbours is not known. Give "add_remove" or "replace".')
    return _price(loss, Event(event, "the event", neighbours))


def _price(loss: Any, event: Event) -> Any:
    match event.kind:
        case "Composed":
            return loss(()).compose(*(_price(loss, each) for each in event.parts()))
        case "SelfComposed":
            return _price(loss, event.inner()).self_compose(event.whole("count"))
        case "PoissonSampled":
            # What is sampled is the loss of a record against none, also where one is replaced.
            inner = _price(loss, event.inner("add_remove"))
            relation = "replace" if event.replaces else "add_remove"
            rate = event.number("sampling_probability")
            return inner.poisson_sampled(rate, neighbours=relation)
        case "SampledWithoutReplacement":
            if not event.replaces:
                raise event.refused('a sample of fixed size needs neighbours="replace".')
            sizes = event.whole("sample_size"), event.whole("source_dataset_size")
            return _price(loss, event.inner()).sampled_without_replacement(*sizes)
        case "MixtureOfGaussians":
            return _mixture(loss, event)
        case kind if kind in _STEPS:
            curve = _STEPS[kind](event)
            return loss(((curve, 1),) if curve else ())
        case kind:
            raise event.refused(_REFUSED.get(kind, "it is not known."))


def _gaussian(event: Event) -> Curve:
    noise = event.number("noise_multiplier")
    return Gaussian((_norms(event) / noise) ** 2) if noise else finite(_EVERYTHING)


def _laplace(event: Event) -> Curve:
    noise = event.number("noise_multiplier")
    return Laplace(_norms(event) / noise) if noise else finite(_EVERYTHING)


def _norms(event: Event) -> int:
    """How many norm bounds neighbours may be apart."""
    return 2 if event.replaces else 1


def _response(event: Event) -> Curve | None:
    if not event.replaces:
        raise event.refused('its answer without a record is not stated. Use neighbours="replace".')
    lies, buckets = event.number("noise_parameter"), event.whole("num_buckets")
    if lies > 1 or not buckets:
        raise event.refused("noise_parameter is a chance, and num_buckets is at least 1.")
    if buckets == 1:
        return None
    lie = lies / buckets
    truth, rest = 1 - lies + lie, (buckets - 2) * lie
    return finite([(truth, lie), (lie, truth), (rest, rest)])


def _pair(event: Event) -> Curve | None:
    epsilon = event.number("epsilon")
    delta = probability(event.get("delta"), f"delta of {event.place}")
    return worst(epsilon, delta) if epsilon or delta else None


def _path(event: Event) -> Curve | None:
    """Permute-and-flip is dominated by Laplace noise: docs/proofs/composition.md, section 4."""
    epsilon = event.number("epsilon")
    return Laplace(epsilon) if epsilon else None


def _pure(event: Event) -> Curve | None:
    """An upper bound: a bounded range is somewhat less than epsilon-DP."""
    epsilon = event.number("epsilon")
    return worst(epsilon, Fraction(0)) if epsilon else None


def _discrete_laplace(event: Event) -> Curve | None:
    """Two-sided geometric noise at a whole distance: losses are multiples of the rate."""
    rate, distance = event.number("noise_parameter"), event.whole("sensitivity") * _norms(event)
    if not distance:
        return None
    if not rate:
        raise event.refused("noise of rate 0 is spread over all integers.")
    return Shifted(DiscreteLaplace(rate), distance)


def _tree(event: Event) -> Curve | None:
    if not event.replaces:
        raise event.refused('records keep their steps in it. Use neighbours="replace".')
    counts = event.get("step_counts")
    every = counts if isinstance(counts, Sequence) else [counts]
    longest = max((whole(each, "step_counts", least=0) for each in every), default=0)
    noise = event.number("noise_multiplier")
    if not longest:
        return None
    levels = (longest - 1).bit_length() + 1  # a record is in one node of each
    return Gaussian(levels * (_norms(event) / noise) ** 2) if noise else finite(_EVERYTHING)


def _mixture(loss: Any, event: Event) -> Any:
    if event.replaces:
        raise event.refused('it is about a record that is there or not. Use "add_remove".')
    noise = event.number("standard_deviation")
    moves = [non_negative(each, "a sensitivity") for each in event.get("sensitivities")]
    shares = [probability(each, "a chance") for each in event.get("sampling_probs")]
    if len(moves) != len(shares) or abs(sum(shares, Fraction(0)) - 1) > _ROUNDED:
        raise event.refused("its chances do not add up to 1.")
    some = {move for move, share in zip(moves, shares, strict=True) if move and share}
    if not some or not noise:
        return loss(((finite(_EVERYTHING), 1),) if some else ())
    if len(some) > 1:
        raise event.refused("more than one sensitivity above 0 has none.")
    rate = sum(share for at, share in zip(moves, shares, strict=True) if at) / sum(shares)
    return loss.gaussian(mu=some.pop() / noise).poisson_sampled(rate)


_STEPS: dict[str, Callable[[Event], Curve | None]] = {
    "NoOp": lambda _: None,
    "NonPrivate": lambda _: finite(_EVERYTHING),
    "Gaussian": _gaussian,
    "Laplace": _laplace,
    "DiscreteLaplace": _discrete_laplace,
    "RandomizedResponse": _response,
    "EpsilonDelta": _pair,
    "ExponentialMechanism": _pure,
    "PermuteAndFlip": _path,
    "SingleEpochTreeAggregation": _tree,
}

_REFUSED = {
    "Unsupported": "it says that it is unsupported.",
    "ZCDp": "a bound on divergences is no law of a loss. Convert ZCDP to ApproxDP.",
    "ZC": "a bound on divergences is no law of a loss. Convert ZCDP to ApproxDP.",
    "SampledWithReplacement": "a record may be drawn twice. Sample without replacement.",
    "RepeatAndSelect": "the best of many runs has no known law of its loss.",
    "TruncatedSubsampledGaussian": "samples cut to a size are no Poisson samples.",
}
