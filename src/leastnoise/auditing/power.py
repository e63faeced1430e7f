"""`Power`: how large a violation would have been seen, and how surely."""

import math

from leastnoise._dataclass import dataclass
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.judged_event import JudgedEvent

_MISS = 0.05  # power is told for 95 %
_STEPS = 24  # halvings of 30: to two millionths
_WIDEST = 30.0  # a larger loss is not asked for


@dataclass(frozen=True)
class Power:
    r"""What "no violation found" is worth, for the event that was tested.

    Attributes:
        epsilon: the size of violation. math.inf: none, however large, would have been seen.
        probability: if the event's probability under the likely input is the frequency seen, and
            under the other it is as small as a loss of `epsilon` makes it, then the audit finds a
            violation with at least this probability.
    """

    epsilon: float
    probability: float


def power(event: JudgedEvent, promise: AuditedPromise) -> Power:
    """The least violation of this event that is seen with probability 0.95.

    It is found in floating point: a statement about the test, on which no promise rests.
    """
    seen = event.hits[0] / event.trials - float(promise.delta)

    def caught(size: float) -> bool:
        rare = max(seen, 0.0) * math.exp(-size)
        return _surely_found(event, rare, promise)

    low, high = float(promise.epsilon), float(promise.epsilon) + _WIDEST
    if not caught(high):
        return Power(math.inf, 1 - _MISS)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if caught(middle) else (middle, high)
    return Power(high, 1 - _MISS)


def _surely_found(event: JudgedEvent, rare: float, promise: AuditedPromise) -> bool:
    """Whether all but 0.05 of the counts that are to be expected prove a violation."""
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    trials, share = event.trials, float(promise.risk) / 2
    least = _low_count(trials, event.hits[0] / trials)
    most = trials - _low_count(trials, 1 - rare)
    if not least or most >= trials:
        return False
    over = float(betaincinv(least, trials - least + 1, share))
    under = 1 - float(betaincinv(trials - most, most + 1, share))
    return over - float(promise.delta) > math.exp(promise.epsilon) * under


def _low_count(trials: int, chance: float) -> int:
    """A count that is not fallen short of but with probability 0.025."""
    from scipy.special import bdtr  # noqa: PLC0415 - slow to import

    spread = math.sqrt(trials * chance * (1 - chance))
    count = min(trials, max(0, math.ceil(trials * chance - 1.9 * spread)))
    while count > 0 and bdtr(count - 1, trials, chance) > _MISS / 2:
        count -= max(1, int(spread / 50))
    return max(0, count)
