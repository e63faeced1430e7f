"""What is audited, as something that can be drawn from."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.auditing.command import Command
from leastnoise.auditing.object_columns import Raised
from leastnoise.auditing.outputs import Outputs
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.vectors.counts_law import CountsLaw
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.randomness.source import Source

Neighbours = tuple[Any, Any]


class Subject(Protocol):
    """Independent outputs under either of two neighbouring inputs."""

    def draw(self, place: int, count: int) -> Outputs:
        """So many outputs under the input at that place, 0 or 1."""


@dataclass(frozen=True)
class OneByOne:
    """A function of the data that is called once for each output; what it raises is an output."""

    function: Callable[[Any], object]
    neighbours: Neighbours

    def draw(self, place: int, count: int) -> Outputs:
        """So many outputs under the input at that place."""
        data = self.neighbours[place]
        return [self._one(data) for _ in range(count)]

    def _one(self, data: object) -> object:
        try:
            output = self.function(data)
        except Exception as error:  # that data can make it fail is a thing that outsiders see
            return Raised(type(error).__name__)
        return output.value if isinstance(output, Release) else output


@dataclass(frozen=True)
class ManyAtOnce:
    """A function of the data and of size=, that returns as many independent outputs."""

    function: Callable[..., Any]
    neighbours: Neighbours

    def draw(self, place: int, count: int) -> Outputs:
        """So many outputs under the input at that place."""
        try:
            outputs = self.function(self.neighbours[place], size=count)
        except Exception as error:
            raise _check.refuse(
                "a vectorised mechanism must take size= and not raise",
                f"{type(error).__name__}",
                "Audit it one output at a time: what it raises then counts as an output.",
            ) from None
        value = outputs.value if isinstance(outputs, Release) else outputs
        rows: Outputs = value if isinstance(value, np.ndarray) else list(value)
        if len(rows) == count:
            return rows
        raise _check.refuse(
            "a vectorised mechanism must return `size` outputs",
            f"{len(rows)} of {count}",
            "Return one output per row.",
        )


@dataclass(frozen=True)
class Runs:
    """A program that is run for its outputs."""

    command: Command
    neighbours: Neighbours

    def draw(self, place: int, count: int) -> Outputs:
        """So many outputs under the input at that place."""
        return self.command.outputs(str(self.neighbours[place]), count)


def subject(
    mechanism: object, neighbours: Neighbours, *, vectorised: bool, source: Source | None
) -> Subject:
    """The mechanism in a form that can be drawn from, whatever it is."""
    _check_pair(neighbours)
    if isinstance(mechanism, LatticeLaw | VectorLaw | CountsLaw | EuclideanLaw):
        law = mechanism

        def shifted(value: Any, size: int) -> Any:
            return np.asarray(value) + law.sample((size,), source=source)

        return ManyAtOnce(shifted, neighbours)
    if isinstance(mechanism, AdditiveNoise) and all(np.ndim(value) == 0 for value in neighbours):
        noisy = mechanism

        def released(value: Any, size: int) -> Any:
            return noisy.release(np.repeat(np.asarray(value), size), source)

        return ManyAtOnce(released, neighbours)
    if hasattr(mechanism, "release"):
        release = mechanism.release
        return OneByOne(lambda value: release(value, source), neighbours)
    if isinstance(mechanism, Command):
        return Runs(mechanism, neighbours)
    if not callable(mechanism):
        raise _check.refuse(
            "`mechanism` must be a function of the data, a law, a mechanism or a `Command`",
            f"a {type(mechanism).__name__}",
            "Wrap it: lambda data: thing(data).",
        )
    return (ManyAtOnce if vectorised else OneByOne)(mechanism, neighbours)


def _check_pair(neighbours: object) -> None:
    if isinstance(neighbours, tuple | list) and len(neighbours) == 2:
        return
    raise _check.refuse(
        "`neighbours` must be two inputs",
        f"a {type(neighbours).__name__}",
        "Give a pair: neighbours=(data, data_without_one_person).",
    )
