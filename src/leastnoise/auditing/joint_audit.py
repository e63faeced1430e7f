"""`audit_joint`: the promise of joint noise, held against the law of its outputs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.joint.joint_mechanism import JointMechanism
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.numeric.interval import Interval

_MOST_CELLS = 4
_MOST_PAIRS = 20_000
_FAR = 64  # what no sum below this holds is taken to be that far
_ALL = 5  # values in a row, from which on only the outer ones are tried

Rows = tuple[tuple[int, ...], ...]
Move = tuple[Rows, int]
"""What changes in each row, and in the number of units."""


def audit_joint(mechanism: JointMechanism, units: Sequence[Part] | None = None) -> ExactAudit:
    """The greatest loss of an output: of the numbers and, for two counters, the number of units.

    An output's probability is proportional to e^(−ε·N), N the least sum of counters whose sets hold
    it: so is stated, and so the loss of a change is ε times the difference of two such sums.

    Args:
        mechanism: small enough to go through.
        units: what one unit may really add to each row; as promised, unless something else is said.

    Raises:
        UnsupportedQuery: the mechanism is too large, or of a kind that is not known here.
    """
    if not isinstance(mechanism, OneCounterNoise | TwoCounterNoise):
        raise UnsupportedQuery(
            "joint noise must have one counter or two to be audited; got a "
            f"{type(mechanism).__name__}. Audit it from outside: give neighbours=."
        )
    parts = mechanism.parts
    if sum(part.cells for part in parts) > _MOST_CELLS:
        raise UnsupportedQuery(
            f"joint noise must have at most {_MOST_CELLS} numbers to be gone through; got more. "
            "Audit a smaller one of the same kind."
        )
    paired = isinstance(mechanism, TwoCounterNoise)
    sets = parts if paired else [_half(part) for part in parts]
    found = [
        (_least(sets, _moved(rows, move), s + step, paired) - _least(sets, rows, s, paired), rows)
        for (rows, s), (move, step) in _pairs(sets, parts if units is None else units, paired)
    ]
    worst, where = max(found)
    return ExactAudit(
        measure="the greatest loss of an output",
        attained=Interval.exactly(mechanism.epsilon * worst),
        allowed=mechanism.epsilon,
        pairs=len(found),
        scope="outputs near 0, and one unit more or less",
        worst=where,
    )


def _half(part: Part) -> Part:
    """With one counter a box goes as far down as up: as if p units came and p left."""
    return replace(part, low=0) if isinstance(part, Box) else part


def _pairs(
    parts: Sequence[Part], units: Sequence[Part], paired: bool
) -> Iterator[tuple[Move, Move]]:
    """Outputs of few counters, and what a unit changes; evenly thinned to some thousands."""
    sums = [(p, q) for p, q in product(range(3), repeat=2) if paired or p == q]
    outputs = [(rows, p - q) for p, q in sums for rows in product(*(_rows(x, p, q) for x in parts))]
    added = list(product(*(_added(part, paired) for part in units)))
    moves = [(rows, 1) for rows in added] + [(_negative(rows), -1) for rows in added]
    stride = 1 + len(outputs) * len(moves) // _MOST_PAIRS
    return islice(product(dict.fromkeys(outputs), moves), 0, None, stride)


def _negative(rows: Rows) -> Rows:
    return tuple(tuple(-x for x in row) for row in rows)


def _moved(rows: Rows, by: Rows) -> Rows:
    return tuple(
        tuple(a + b for a, b in zip(row, move, strict=True))
        for row, move in zip(rows, by, strict=True)
    )


def _some(low: int, high: int) -> list[int]:
    if high - low < _ALL:
        return list(range(low, high + 1))
    return sorted({low, low + 1, 0, high - 1, high})


def _rows(part: Part, p: int, q: int) -> list[tuple[int, ...]]:
    """Points of a set, the outer ones above all."""
    if isinstance(part, Everyone):
        return [(p - q,)]
    if isinstance(part, Box):
        ends = p * part.low - q * part.high, p * part.high - q * part.low
        values = _some(ends[0] - part.start // 2, ends[1] + part.start // 2)
    else:
        values = _some(-q * part.total - part.start, p * part.total + part.start)
    return [row for row in product(values, repeat=part.cells) if _holds(part, row, p, q)]


def _added(part: Part, paired: bool) -> list[tuple[int, ...]]:
    """What one unit may add; for one counter, what two units of a simplex may differ by."""
    if isinstance(part, Everyone):
        return [(1,)]
    if isinstance(part, Box):
        return list(product(_some(part.low, part.high), repeat=part.cells))
    if isinstance(part, Simplex) and paired:
        rows = product(_some(0, part.total), repeat=part.cells)
        return [row for row in rows if sum(row) <= part.total]
    one = type(part)(part.cells, part.total)
    return _rows(one, 1, 1)


def _holds(part: Part, row: tuple[int, ...], p: int, q: int) -> bool:
    """Whether the set of a part holds a row, as its docstring says."""
    if isinstance(part, Everyone):
        return row == (p - q,)
    if isinstance(part, Box):
        half = part.start // 2
        low, high = p * part.low - q * part.high - half, p * part.high - q * part.low + half
        return all(low <= x <= high for x in row)
    up, down = sum(x for x in row if x > 0), -sum(x for x in row if x < 0)
    if isinstance(part, Diamond):
        return up + down <= p * part.total + part.start
    return up <= p * part.total + part.start and down <= q * part.total + part.start


def _least(parts: Sequence[Part], rows: Rows, s: int, paired: bool) -> int:
    """The least sum of counters whose sets hold the rows; with two, their difference is s."""
    for r in range(abs(s), _FAR, 2) if paired else range(_FAR):
        p, q = ((r + s) // 2, (r - s) // 2) if paired else (r, r)
        if all(_holds(part, row, p, q) for part, row in zip(parts, rows, strict=True)):
            return r
    return _FAR
