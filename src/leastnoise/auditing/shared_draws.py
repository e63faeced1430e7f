r"""Draws that several steps of a plan share, seen on one pair of neighbouring tables.

The changes of the exact answers are held against the parts of the draw one by one. No reach and no
bound of a measurement is looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointDraw, JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.step import Step

Allows = Callable[[Part, list[int]], bool]
Exact = Sequence[tuple[SecretTotals, ...]]
"""The exact answers of one table, to each step."""


@dataclass
class SharedDraw:
    """One draw, and how far the numbers moved that its parts are added to.

    Attributes:
        whole: the draw.
        moved: the changes of the numbers of each part that a step uses, by its place.
    """

    whole: JointDraw
    moved: dict[int, list[int]] = field(default_factory=dict)

    @property
    def fits(self) -> bool:
        """Whether one unit may do all this: the same one adds to all parts, or takes from all."""
        if isinstance(self.whole, OneCounterNoise):
            return self._is_in(_is_turned, 1)
        return self._is_in(_is_added, 1) or self._is_in(_is_added, -1)

    def _is_in(self, allows: Allows, sign: int) -> bool:
        parts = self.whole.parts
        return all(allows(parts[i], [sign * by for by in own]) for i, own in self.moved.items())

    def losses(self) -> list[PrivacyLoss]:
        """What the pair loses by the draw, if that is known: one loss, or none."""
        counted = any(isinstance(self.whole.parts[place], Everyone) for place in self.moved)
        match self.whole:
            case TwoCounterNoise() if counted:
                return [PrivacyLoss.worst_case(epsilon=self.whole.epsilon)]
            case CentredGaussian():
                most, least = _squares(self.whole, self.moved, counted)
                return [self.whole.gaussians.loss(most, least, 1)] if most else []
            case _:
                return []


def shared_draws(steps: Sequence[Step], one: Exact, other: Exact) -> list[SharedDraw]:
    """All shared draws, with the changes from the second table to the first."""
    found: dict[int, SharedDraw] = {}
    for step, mine, others in zip(steps, one, other, strict=True):
        if isinstance(step.mechanism, JointPart):
            whole, place = step.mechanism.whole, step.mechanism.place
            draw = found.setdefault(id(whole), SharedDraw(whole))
            pairs = zip(_numbers(mine), _numbers(others), strict=True)
            draw.moved[place] = [a - b for a, b in pairs]
    return list(found.values())


def _numbers(answers: tuple[SecretTotals, ...]) -> list[int]:
    return [int(n) for answer in answers for total in answer.totals for n in total.tolist()]


def _is_added(part: Part, by: list[int]) -> bool:
    """Whether one unit may add this."""
    match part:
        case Everyone():
            return by == [1]
        case Box():
            return len(by) == part.cells and all(part.low <= each <= part.high for each in by)
        case Simplex():
            most = part.total if part.cell is None else part.cell
            inside = all(0 <= each <= most for each in by)
            return len(by) == part.cells and inside and sum(by) <= part.total
        case _:
            return False


def _is_turned(part: Part, by: list[int]) -> bool:
    """Whether one unit in the place of another may do this: up and down alike."""
    if isinstance(part, Simplex):
        ups, downs = ([max(side * each, 0) for each in by] for side in (1, -1))
        return _is_added(part, ups) and _is_added(part, downs)
    return isinstance(part, Box) and _is_added(part, by)


def _squares(
    whole: CentredGaussian, moved: dict[int, list[int]], counted: bool
) -> tuple[Fraction, Fraction]:
    """How far the measured numbers move, in squares; and if n′ could move by any real number.

    They move by K − 2Lc + Qc² if n′ moves by c, whichever whole c suits best; if n′ is shown, by
    as many steps as the number of units.
    """
    norm, along, square = 0, 0, whole.common**2
    for place, by in moved.items():
        own = _terms(whole.parts[place], whole.precisions[place], by)
        norm, along, square = norm + own[0], along + own[1], square + own[2]
    if counted:
        (units,) = next(by for i, by in moved.items() if isinstance(whole.parts[i], Everyone))
        c = units * whole.steps
        found = Fraction(norm - 2 * along * c + square * c**2)
        return found, found
    best = Fraction(along, square or 1)
    least = norm - best * along
    c = round(best)
    return Fraction(norm - 2 * along * c + square * c**2), least


def _terms(part: Part, fine: Precision, by: list[int]) -> tuple[int, int, int]:
    """K, L and Q of one part."""
    if isinstance(part, Everyone):
        return 0, 0, 0
    own, total = fine.own**2, sum(by)
    rows = [total] if fine.residual else by
    spread = fine.residual**2 * sum((part.cells * each - total) ** 2 for each in by)
    norm = own * fine.scale**2 * sum(each**2 for each in rows) + spread
    return norm, own * fine.scale * fine.centre * sum(rows), own * fine.centre**2 * len(rows)
