"""The exact law of the output of mechanisms with few outputs, and small inputs to try them on.

Laws are worked out from what a mechanism says it does, not from its sampler or its price. A further
mechanism registers two functions: `law_of.register` and, for audits of all small inputs,
`small_inputs.register`.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import combinations_with_replacement, product
from typing import Any

from leastnoise.mechanisms.response import RandomizedResponse
from leastnoise.mechanisms.selection import PermuteAndFlip, Selection
from leastnoise.mechanisms.teaching import NameAndShame
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exponential import ExponentialSum

Weights = Mapping[Hashable, ExponentialSum]
"""From each output to its chance, up to a factor."""

Pair = tuple[Any, Any]

_MOST_CANDIDATES = 4
_ONE, _NOTHING = ExponentialSum.of(1), ExponentialSum.of(0)


@singledispatch
def law_of(mechanism: Any, data: Any) -> Weights:  # noqa: ARG001
    """The weights of all outputs, for public or made-up data.

    >>> law_of(RandomizedResponse(epsilon=1), 0)
    {0: 1*e^(1), 1: 1*e^(0)}
    """
    raise InvalidInput(
        f"The exact law of a {type(mechanism).__name__} is not known here. "
        "Give neighbours= to audit it by samples."
    )


@singledispatch
def small_inputs(mechanism: Any) -> Iterator[Pair]:
    """Pairs of neighbours that stand for all small inputs; each is tried in both orders."""
    raise InvalidInput(
        f"The small inputs of a {type(mechanism).__name__} are not known here. Give neighbours=."
    )


def has_law(mechanism: Any) -> bool:
    """Whether the law of its output is known here."""
    return law_of.dispatch(type(mechanism)) is not law_of.dispatch(object)


@law_of.register
def _(mechanism: RandomizedResponse, data: int) -> Weights:
    odds = ExponentialSum.exp(mechanism.epsilon)
    return {y: odds if y == data else _ONE for y in range(mechanism.categories)}


@small_inputs.register
def _(mechanism: RandomizedResponse) -> Iterator[Pair]:  # noqa: ARG001
    yield 0, 1  # any other pair of categories is this one with other names


@law_of.register
def _(mechanism: NameAndShame, data: Sequence[Any]) -> Weights:
    weights: dict[Hashable, ExponentialSum] = {}
    for shown in product((False, True), repeat=len(data)):
        output = tuple((i, data[i]) for i, seen in enumerate(shown) if seen)
        hidden = len(data) - sum(shown)
        chance = mechanism.delta ** sum(shown) * (1 - mechanism.delta) ** hidden
        weights[output] = ExponentialSum.of(chance)
    return weights


@small_inputs.register
def _(mechanism: NameAndShame) -> Iterator[Pair]:  # noqa: ARG001
    for table in product("ab", repeat=2):
        yield ("a", *table), ("b", *table)


@law_of.register
def _(mechanism: Selection, data: Sequence[int]) -> Weights:
    if mechanism.count > 1:
        raise InvalidInput("count is above 1. Audit one choice; all of them are its composition.")
    heads = [ExponentialSum.exp(mechanism.rate * (u - max(data))) for u in data]
    return _flipped(heads) if isinstance(mechanism, PermuteAndFlip) else dict(enumerate(heads))


def _flipped(heads: list[ExponentialSum]) -> Weights:
    """Each set of coins that show heads, its chance shared by its members."""
    chances = dict.fromkeys(range(len(heads)), _NOTHING)
    for coins in product((False, True), repeat=len(heads)):
        chance = _ONE
        for head, is_shown in zip(heads, coins, strict=True):
            chance = chance * (head if is_shown else 1 - head)
        for i in (i for i, is_shown in enumerate(coins) if is_shown):
            chances[i] = chances[i] + chance * Fraction(1, sum(coins))
    return dict(chances)


@small_inputs.register
def _(mechanism: Selection) -> Iterator[Pair]:
    """Utilities of a few steps, moved by up to the sensitivity. Only gaps matter, and no order."""
    size, reach = mechanism.candidates, mechanism.sensitivity
    if size > _MOST_CANDIDATES:
        raise InvalidInput(
            f"There are {size} candidates, too many for all inputs. Audit {_MOST_CANDIDATES}."
        )
    window = sorted({0, 1, reach, 2 * reach})
    for move in product((0, reach) if mechanism.monotone else (-reach, 0, reach), repeat=size):
        for rest in combinations_with_replacement(window, size - 1):
            start = (0, *rest)
            if any(move):
                yield start, tuple(u + step for u, step in zip(start, move, strict=True))
