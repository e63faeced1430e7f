"""`Mechanism`: what every mechanism is, and the checks of secret values, which never show them.

A mechanism is frozen data about public things: its law of noise, its sensitivity, its parameters.
Secrets and entropy are arguments of `release` alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise.source import Source, system_source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import exact, written
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.loss import PrivacyLoss

Secret = TypeVar("Secret")
Public = TypeVar("Public")
Further = TypeVar("Further")


@dataclass(frozen=True)
class Answer(Generic[Public]):
    """What a mechanism gave, and what it promises about one privacy unit.

    Attributes:
        value: the answer; print or publish it.
        guarantee: of this one answer.
    """

    value: Public
    guarantee: Guarantee


class Mechanism(ABC, Generic[Secret, Public]):
    """Turns a secret value into an answer, and knows its privacy beforehand."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What one answer promises about one privacy unit."""

    @abstractmethod
    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The privacy loss, where values of neighbours are `distance` times the sensitivity apart."""

    @abstractmethod
    def _answer(self, value: Secret, source: Source) -> Public: ...

    def release(self, value: Secret, source: Source | None = None) -> Answer[Public]:
        """The answer for a secret value. Every call spends its privacy anew."""
        return Answer(self._answer(value, system_source(source)), self.guarantee)

    def certificate(self) -> Certificate | None:
        """A proof of how good the mechanism is, if one is known."""
        return None

    def then(
        self, function: Callable[[Public], Further]
    ) -> "PostProcessed[Secret, Public, Further]":
        """The same with a function of the answer: post-processing costs no privacy.

        The function sees nothing but the answer. If it reads the data too, nothing is promised.

        >>> from leastnoise.mechanisms.additive import laplace
        >>> at_least_0 = laplace(sensitivity=1, epsilon=1).then(lambda count: max(count, 0))
        >>> at_least_0.release(0).value >= 0, at_least_0.guarantee
        (True, PureDP(epsilon=1))
        """
        if not callable(function):
            raise InvalidInput("What comes after the answer is no function. Write .then(round).")
        return PostProcessed(self, function)

    def __repr__(self) -> str:
        given = [(each, getattr(self, each.name)) for each in fields(self)]  # type: ignore[arg-type]
        shown = (f"{each.name}={_text(value)}" for each, value in given if value != each.default)
        return f"{type(self).__name__}({', '.join(shown)})"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, Mechanism):
        return f"<{value!r}>"
    return written(value) if isinstance(value, Fraction) else repr(value)


@dataclass(frozen=True, repr=False)
class PostProcessed(Mechanism[Secret, Further], Generic[Secret, Public, Further]):
    """A mechanism whose answer goes through a function.

    Theorem: its privacy is that of the mechanism. For every event S of the function's results, the
    answers that lead there are an event of the mechanism.
    """

    before: Mechanism[Secret, Public]
    function: Callable[[Public], Further]

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism."""
        return self.before.guarantee

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """That of the mechanism."""
        return self.before.privacy(distance)

    def _answer(self, value: Secret, source: Source) -> Further:
        return self.function(self.before._answer(value, source))


def whole_numbers(value: Any, step: Fraction, what: str) -> Draws:
    """A secret number, or an array of them, in whole steps; its shape is kept.

    Raises:
        InvalidInput: something is no whole multiple of the step. The value is not shown.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise InvalidInput(f"{what} has parts of different lengths. Give an array.") from None
    if array.dtype.kind in "iu" and step == 1:
        return array.astype(np.object_)
    flat = [_in_steps(each, step, what) for each in array.ravel().tolist()]
    found = np.empty(len(flat), dtype=np.object_)
    found[:] = flat
    return found.reshape(array.shape)


def _in_steps(value: Any, step: Fraction, what: str) -> int:
    """A float stands for itself, or for the decimal that it prints as, whichever is on the grid."""
    steps = Fraction(1, 2)
    try:
        if isinstance(value, float | np.floating):
            steps = Fraction(*value.as_integer_ratio()) / step
        if not isinstance(value, str) and steps.denominator != 1:
            steps = exact(value) / step
    except (ValueError, OverflowError):
        pass
    if steps.denominator != 1:
        grid = "whole numbers" if step == 1 else f"whole multiples of {written(step)}"
        raise InvalidInput(f"{what} is made of {grid}, and this is not. Round it before.") from None
    return int(steps)
