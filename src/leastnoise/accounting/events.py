"""`loss_of_event`: what a program that describes itself by DpEvents costs.

Events are those of the dp-accounting package, which is not needed: an event is known by the name of
its class and by its fields, or by a mapping (from JSON, say) that has the name under "event".
What cannot be priced soundly is refused by its place and with a reason.
"""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.accounting.event_node import EventNode
from leastnoise.errors import InvalidParameter
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.sampling import Neighbours, known_neighbours
from leastnoise.privacy.variables.bounded_range_variable import BoundedRangeVariable
from leastnoise.privacy.variables.finite_variable import FiniteVariable

_ROUNDED = Fraction(1, 10**9)  # chances are floats as a rule


def loss_of_event(event: Any, *, neighbours: Neighbours) -> PrivacyLoss:
    """The loss of an event, as dp-accounting's classes, their named tuples or mappings tell it.

    `neighbours` says what one record can do, for events do not: it is one that is there or not
    ("add_remove"), made to count for nothing ("zero_out"), or exchanged ("replace"). Noise
    multipliers are relative to the norm bound of one record, so that exchanging costs twice.

    Args:
        event: an event, a mapping such as {"event": "Gaussian", "noise_multiplier": 1}, or such a
            mapping as JSON text.
        neighbours: the relation that the promise is about.

    Raises:
        UnsupportedQuery: an event, named by its place, has no sound price here.

    Example:
        >>> step = {"event": "Gaussian", "noise_multiplier": 1}
        >>> sampled = {"event": "PoissonSampled", "sampling_probability": "0.01", "of": step}
        >>> run = {"event": "SelfComposed", "count": 1000, "of": sampled}
        >>> round(float(loss_of_event(run, neighbours="add_remove").epsilon(delta="1e-5")), 4)
        1.8282
    """
    known_neighbours(neighbours)
    if isinstance(event, str):
        try:
            event = json.loads(event)
        except (ValueError, RecursionError):
            raise InvalidParameter(
                "an event that is text must be JSON; this text is not. Write for example "
                '{"event": "Gaussian", "noise_multiplier": 1}.'
            ) from None
    found = _priced(EventNode.of(event, "the event"), neighbours)
    return found if found is not None else _nothing()


def _priced(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    """The loss, or None of an event that tells nothing."""
    if event.kind in _REFUSED:
        raise event.refused(_REFUSED[event.kind])
    if event.kind not in _PRICES:
        raise event.refused(f"it is not known. Known are {', '.join(_PRICES)}.")
    return _PRICES[event.kind](event, neighbours)


def _nothing() -> PrivacyLoss:
    return PrivacyLoss(FiniteVariable(((Fraction(1), Fraction(1)),)))


def _everything() -> PrivacyLoss:
    return PrivacyLoss(FiniteVariable(((Fraction(1), Fraction(0)),)))


def _no_op(_: EventNode, __: Neighbours) -> None:
    return None


def _non_private(_: EventNode, __: Neighbours) -> PrivacyLoss:
    return _everything()


def _twice(neighbours: Neighbours) -> int:
    """How many norm bounds apart neighbours may be."""
    return 2 if neighbours == "replace" else 1


def _gaussian(event: EventNode, neighbours: Neighbours) -> PrivacyLoss:
    noise = event.number("noise_multiplier")
    return PrivacyLoss.gaussian(mu=_twice(neighbours) / noise) if noise else _everything()


def _laplace(event: EventNode, neighbours: Neighbours) -> PrivacyLoss:
    noise = event.number("noise_multiplier")
    return PrivacyLoss.laplace(epsilon=_twice(neighbours) / noise) if noise else _everything()


def _discrete_laplace(event: EventNode, neighbours: Neighbours) -> PrivacyLoss:
    rate, distance = event.number("noise_parameter"), event.whole("sensitivity")
    if not distance:
        return _nothing()
    if not rate:
        raise event.refused("noise of rate 0 is spread over all integers. Give a rate above 0.")
    return DiscreteLaplace(scale=1 / rate).privacy(_twice(neighbours) * distance)


def _randomized_response(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    if neighbours != "replace":
        raise event.refused(
            "what it answers without a record is not told. Use neighbours='replace'."
        )
    lies, buckets = event.number("noise_parameter"), event.whole("num_buckets")
    if lies > 1 or not buckets:
        raise event.refused("noise_parameter is a chance and num_buckets is at least 1.")
    if buckets == 1:
        return None
    lie = lies / buckets
    truth = 1 - lies + lie
    rest = (buckets - 2) * lie
    outcomes = [(truth, lie), (lie, truth), (rest, rest)]
    return PrivacyLoss(FiniteVariable(tuple(pair for pair in outcomes if pair[0])))


def _epsilon_delta(event: EventNode, _: Neighbours) -> PrivacyLoss:
    return PrivacyLoss.worst_case(epsilon=event.number("epsilon"), delta=event.number("delta"))


def _exponential(event: EventNode, _: Neighbours) -> PrivacyLoss:
    return PrivacyLoss(BoundedRangeVariable(_check.positive(event.get("epsilon"), "epsilon")))


def _permute_and_flip(event: EventNode, _: Neighbours) -> PrivacyLoss:
    # Dominated by Laplace noise: docs/proofs/paths.md.
    return PrivacyLoss.laplace(epsilon=_check.positive(event.get("epsilon"), "epsilon"))


def _composed(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    parts = event.get("events")
    if not isinstance(parts, Sequence) or isinstance(parts, (str, bytes)):
        raise InvalidParameter(f"{event.place} must have a list of events; it has another value.")
    losses = []
    for i, part in enumerate(parts):
        found = _priced(EventNode.of(part, f"number {i} of {event.place}"), neighbours)
        if found is not None:
            losses.append(found)
    return losses[0].compose(*losses[1:]) if losses else None


def _self_composed(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    count = event.whole("count")
    inner = _priced(event.inner(), neighbours)
    return inner.self_compose(count) if inner is not None and count else None


def _poisson_sampled(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    # What is sampled is the loss with a record against without it, also if records are exchanged.
    without: Neighbours = "add_remove" if neighbours == "replace" else neighbours
    rate, inner = event.number("sampling_probability"), _priced(event.inner(), without)
    if inner is None or not rate:
        return None
    return _sampled(inner, rate, neighbours)


def _sampled(loss: PrivacyLoss, rate: Exact, neighbours: Neighbours) -> PrivacyLoss:
    record = None if loss.backward is None else "forward"
    return loss.poisson_sampled(rate, neighbours, record=record)  # type: ignore[arg-type]


def _without_replacement(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    if neighbours != "replace":
        raise event.refused(
            "a sample of fixed size is about a record exchanged. Use neighbours='replace'."
        )
    inner = _priced(event.inner(), neighbours)
    whole, drawn = event.whole("source_dataset_size"), event.whole("sample_size")
    if inner is None or not drawn:
        return None
    return inner.sampled_without_replacement(whole, drawn)


def _mixture(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    if neighbours == "replace":
        raise event.refused("it is about a record that is there or not. Use 'add_remove'.")
    noise = event.number("standard_deviation")
    said = event.get("sensitivities"), event.get("sampling_probs")
    if not all(isinstance(each, Sequence) for each in said) or len(said[0]) != len(said[1]):
        raise event.refused("sensitivities and chances must be two lists of one length.")
    moves = [_check.non_negative(move, "a sensitivity") for move in said[0]]
    shares = [_check.probability(share, "a chance") for share in said[1]]
    if abs(sum(shares, Fraction(0)) - 1) > _ROUNDED:
        raise event.refused("its chances must add up to 1.")
    some = {move for move, share in zip(moves, shares, strict=True) if move and share}
    if not some:
        return None
    if len(some) > 1:
        raise event.refused("only mixtures of 0 and one other sensitivity are.")
    if not noise:
        return _everything()
    (move,) = some
    rate = sum(share for at, share in zip(moves, shares, strict=True) if at) / sum(shares)
    return _sampled(PrivacyLoss.gaussian(mu=move / noise), rate, neighbours)


def _tree(event: EventNode, neighbours: Neighbours) -> PrivacyLoss | None:
    if neighbours == "add_remove":
        raise event.refused("records keep their steps in it. Use neighbours='zero_out'.")
    noise, steps = event.number("noise_multiplier"), event.get("step_counts")
    counts = steps if isinstance(steps, Sequence) else [steps]
    longest = max((_check.integer_between(n, "step_counts", 0) for n in counts), default=0)
    if not longest:
        return None
    if not noise:
        return _everything()
    # A record is in one node of each level.
    levels = (longest - 1).bit_length() + 1
    return PrivacyLoss.gaussian(mu=_twice(neighbours) / noise).self_compose(levels)


_PRICES: dict[str, Callable[[EventNode, Neighbours], PrivacyLoss | None]] = {
    "NoOp": _no_op,
    "NonPrivate": _non_private,
    "Gaussian": _gaussian,
    "Laplace": _laplace,
    "DiscreteLaplace": _discrete_laplace,
    "RandomizedResponse": _randomized_response,
    "EpsilonDelta": _epsilon_delta,
    "ExponentialMechanism": _exponential,
    "PermuteAndFlip": _permute_and_flip,
    "Composed": _composed,
    "SelfComposed": _self_composed,
    "PoissonSampled": _poisson_sampled,
    "SampledWithoutReplacement": _without_replacement,
    "MixtureOfGaussians": _mixture,
    "SingleEpochTreeAggregation": _tree,
}

_REFUSED = {
    "Unsupported": "it says of itself that it cannot be.",
    "ZC": "a bound on divergences is no law of a loss. Convert ZCDP(rho) to (ε, δ) and use that.",
    "SampledWithReplacement": "a record may be drawn more than once, and no tight law is known. "
    "Sample without replacement.",
    "RepeatAndSelect": "the best of many runs has no law of a loss here.",
    "TruncatedSubsampledGaussian": "samples that are cut to a size are no Poisson samples, and "
    "have no law here.",
}
