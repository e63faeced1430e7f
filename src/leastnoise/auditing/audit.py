"""`audit`: does a mechanism keep its promise?"""

from typing import Any, SupportsIndex, overload

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.auditing.audit_report import Audit
from leastnoise.auditing.audited_promise import audited_promise
from leastnoise.auditing.black_box import black_box
from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.auditing.limit import checked_limit
from leastnoise.auditing.outputs import Feature
from leastnoise.auditing.progress import Progress, checked_progress
from leastnoise.auditing.sequential import sequential as bets
from leastnoise.auditing.subject import Neighbours, subject
from leastnoise.auditing.white_box import white_box
from leastnoise.randomness.source import Source

_FEWEST = 40  # ten outputs for each input and each half


@overload
def audit(
    mechanism: Any,
    *,
    neighbours: Neighbours,
    epsilon: Exact,
    delta: Exact = 0,
    samples: SupportsIndex | None = 200_000,
    seconds: Exact | None = None,
    confidence: Exact = "0.999999",
    sequential: bool = False,
    vectorised: bool = False,
    features: tuple[Feature, ...] = (),
    source: Source | None = None,
    progress: Progress | bool | None = None,
) -> Audit: ...
@overload
def audit(
    mechanism: Any,
    *,
    sensitivity: SupportsIndex | None = None,
    epsilon: Exact | None = None,
    delta: Exact = 0,
) -> ExactAudit: ...
def audit(  # noqa: PLR0913 - everything but the mechanism is by keyword
    mechanism: Any,
    *,
    neighbours: Neighbours | None = None,
    sensitivity: SupportsIndex | None = None,
    epsilon: Exact | None = None,
    delta: Exact = 0,
    samples: SupportsIndex | None = 200_000,
    seconds: Exact | None = None,
    confidence: Exact = "0.999999",
    sequential: bool = False,
    vectorised: bool = False,
    features: tuple[Feature, ...] = (),
    source: Source | None = None,
    progress: Progress | bool | None = None,
) -> Audit | ExactAudit:
    r"""Look for a violation of (ε, δ)-DP, from outside or from inside.

    From outside, with `neighbours`: in the outputs of a mechanism on two neighbouring inputs.
    What is looked at: values, frequent outputs, likelihood ratios, single bits of numbers and
    those in which two numbers differ, bytes, kinds and lengths of outputs, keys of mappings and
    their order, and exceptions, which are outputs too.
    Such an audit never shows that a mechanism is private: it finds a violation or it finds none.

    From inside, without `neighbours`: a law at a sensitivity, or a mechanism of this library held
    to its own guarantee, by adding up exact probabilities. Nothing is drawn.

    Args:
        mechanism: a function of the data; a law or a mechanism of this library; a `Command`.
        neighbours: two inputs that the promise calls neighbours; None to look inside.
        sensitivity: for a law that is looked at from inside.
        epsilon: the ε that was promised.
        delta: the δ that was promised.
        samples: how many outputs are drawn, half of them for each input; None for no limit.
        seconds: a limit of time, for sequential audits.
        confidence: 1 − the probability of a false alarm.
        sequential: whether to stop as soon as there is evidence. `samples` is then a limit.
        vectorised: whether to call mechanism(data, size=n) for n outputs at once.
        features: functions of one output that return a telling number, if you suspect one.
        source: where the library's own mechanisms draw from.
        progress: True for a bar on a terminal, or a function of (done, total).

    Raises:
        InvalidParameter: an argument breaks a rule.

    References: DingEtAl2018; BichselEtAl2021; docs/proofs/auditing.md.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> law = DiscreteLaplace(scale="1/2")
        >>> found = audit(law, neighbours=(0, 1), epsilon=1, samples=40_000)
        >>> found.violated, found.epsilon_lower > 1
        (True, True)
        >>> soon = audit(law, neighbours=(0, 1), epsilon=1, samples=10**6, sequential=True)
        >>> soon.violated, soon.samples < 40_000
        (True, True)
        >>> print(audit(law, sensitivity=1, epsilon=2))
        no violation among 2 pairs of neighbours (all values up to 1 apart; symmetric and
        unimodal: the largest shift is the worst): the least δ at ε = 2 is in [0, 0], 0 was
        promised
    """
    if neighbours is None:
        return white_box(mechanism, sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    promise = audited_promise(epsilon, delta, confidence)
    drawn = subject(mechanism, neighbours, vectorised=vectorised, source=source)
    chosen, bar = tuple(features), checked_progress(progress)
    if sequential or samples is None or seconds is not None:
        limit = checked_limit(samples, seconds)
        return bets(drawn, promise, limit=limit, features=chosen, progress=bar)
    count = _check.integer_between(samples, "samples", _FEWEST)
    return black_box(drawn, promise, samples=count, features=chosen, progress=bar)
