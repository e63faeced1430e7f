"""Black-box audits: outputs are drawn, events are found on one half of them and judged on the other.

Theorem: if outputs are independent and the mechanism keeps its promise for the two neighbours, a
violation is reported with a chance of at most 1 - confidence; and whatever the mechanism is, what is
shown exceeds the truth with at most that chance. Proof: docs/proofs/audit.md, sections 1 to 3.

References: Clopper and Pearson 1934; Ding et al. 2018; Bichsel et al. 2021.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from leastnoise.auditing.events import learn
from leastnoise.auditing.evidence import measure_of
from leastnoise.auditing.outputs import Outputs, Raised
from leastnoise.auditing.report import Audit
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import Guarantee

_MOST_EVENTS = 16  # the risk is shared among them
_NEARLY = 0.05
_TURN = 1 << 12  # outputs of one input before it is the other's turn


@dataclass(frozen=True)
class Subject:
    """A function of the data that is audited, and two inputs that its promise calls neighbours.

    Attributes:
        function: of an input, and of size= if it gives so many outputs at once.
        neighbours: the two inputs.
        vectorised: whether the function takes size=.
    """

    function: Callable[..., Any]
    neighbours: tuple[Any, Any]
    vectorised: bool = False

    def draw(self, count: int) -> tuple[Outputs, Outputs]:
        """So many outputs of each input, by turns, so that slow changes meet both alike."""
        drawn: tuple[list[Outputs], list[Outputs]] = ([], [])
        for turn, start in enumerate(range(0, count, _TURN)):
            for side in (0, 1) if turn % 2 == 0 else (1, 0):
                drawn[side].append(self._outputs(side, min(_TURN, count - start)))
        return joined(drawn[0]), joined(drawn[1])

    def _outputs(self, side: int, count: int) -> Outputs:
        data = self.neighbours[side]
        if not self.vectorised:
            return [self._one(data) for _ in range(count)]
        outputs = self.function(data, size=count)
        if not hasattr(outputs, "__len__") or len(outputs) != count:
            raise InvalidInput(f"With size={count} the function must give {count} outputs.")
        return outputs if isinstance(outputs, np.ndarray) else list(outputs)

    def _one(self, data: Any) -> Any:
        try:
            return self.function(data)
        except Exception as error:  # whether data make it fail is something that others can see
            return Raised(type(error).__name__)


def black_box(subject: Subject, promise: Guarantee, samples: int, risk: Fraction) -> Audit:
    """Holds a promise against `samples` outputs, one half of them of each input."""
    sides = subject.draw(samples // 2)
    refuse_failures(sides)
    half, measure = samples // 4, measure_of(promise)
    found = learn(
        (sides[0][:half], sides[1][:half]), measure.worth(risk / _MOST_EVENTS), _MOST_EVENTS
    )
    fresh = sides[0][half:], sides[1][half:]
    trials = len(fresh[0])
    hits = [(int(both + one), int(both + other)) for both, one, other, _ in found.counts(fresh)]
    # Only the event that shows most is reported. All of them have their share of the risk.
    each_risk = risk / len(hits)
    over, under = np.array(hits, dtype=np.float64).T
    rough = measure.worth(each_risk)(over, under, trials)
    # Of events that show nearly the same, the one with the shortest description.
    near = rough.max() - _NEARLY * max(0.0, rough.max() - float(measure.promised))
    best = min(np.flatnonzero(rough >= near), key=lambda place: len(found.events[place].text))
    level = measure.shown(hits[best], trials, each_risk)
    return Audit(
        promise=promise,
        violated=level > measure.promised,
        proved=False,
        measure=measure.name,
        at=measure.at,
        found=Interval(level, inf),
        allowed=measure.promised,
        how=f"confidence {written(1 - risk)}, {samples:,} outputs",
        where=f"event: {found.events[best].text}",
        samples=samples,
    )


def refuse_failures(sides: tuple[Outputs, Outputs]) -> None:
    """A function that always fails is no mechanism."""
    kinds = {each.kind if isinstance(each, Raised) else "" for side in sides for each in side}
    if len(kinds) == 1 and "" not in kinds:
        raise InvalidInput(f"The function always raises {kinds.pop()}. Call it once by hand.")


def joined(pieces: list[Outputs]) -> Outputs:
    """The outputs of several draws as one."""
    known = [piece for piece in pieces if len(piece)]
    if all(isinstance(piece, np.ndarray) for piece in known):
        return np.concatenate([np.asarray(piece) for piece in known])
    return [output for piece in known for output in piece]
