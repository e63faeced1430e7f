"""`Pass`: measurements that share groups, condition and bounds, answered by one query."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leastnoise.engine.aggregate import Aggregate
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.expression import Column, Condition
from leastnoise.engine.keys import Keys
from leastnoise.engine.measurement import Answer, Measurement


@dataclass(frozen=True)
class Pass:
    """One group-by of the bounded table, with every aggregate asked of it, each once."""

    by: tuple[Column, ...]
    keys: Keys | None
    where: Condition | None
    bounds: Bounds
    aggregates: tuple[Aggregate, ...]

    def serves(self, measurement: Measurement) -> bool:
        """Whether a measurement asks about the same groups of the same bounded rows."""
        return (
            self.by == measurement.by
            and self.bounds == measurement.bounds
            and self.where == measurement.where
            and self.keys == measurement.keys
        )

    def answer(self, measurement: Measurement, whole: Answer) -> Answer:
        """A measurement's part of the pass's answer."""
        places = [self.aggregates.index(aggregate) for aggregate in measurement.aggregates]
        return Answer(whole.rows, tuple(whole.totals[place] for place in places))


def fused(measurements: Iterable[Measurement]) -> tuple[list[Pass], list[int]]:
    """As few passes as serve all measurements, and the number of the pass of each."""
    parts: list[list[Measurement]] = []
    numbers = []
    for measurement in measurements:
        number = next(
            (i for i, part in enumerate(parts) if _pass(part[:1]).serves(measurement)), len(parts)
        )
        if number == len(parts):
            parts.append([])
        parts[number].append(measurement)
        numbers.append(number)
    return [_pass(part) for part in parts], numbers


def _pass(measurements: Sequence[Measurement]) -> Pass:
    first = measurements[0]
    asked = (aggregate for each in measurements for aggregate in each.aggregates)
    aggregates = tuple(dict.fromkeys(asked))
    return Pass(first.by, first.keys, first.where, first.bounds, aggregates)
