"""`audit`: does a mechanism keep its promise?"""

from collections.abc import Callable
from typing import Any

from leastnoise.auditing.black_box import Subject, black_box
from leastnoise.auditing.black_box import sequential as bets
from leastnoise.auditing.evidence import Audit
from leastnoise.auditing.exact import exact_audit, is_exact
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, inside, probability, truth_value, whole
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

_MOST_SAMPLES = 10**9
_FEWEST = 40  # ten outputs of each input to learn from, ten to judge


def audit(
    mechanism: Any,
    *,
    neighbours: tuple[Any, Any] | None = None,
    epsilon: Exact | None = None,
    delta: Exact = 0,
    rho: Exact | None = None,
    mu: Exact | None = None,
    sensitivity: int | None = None,
    samples: int = 100_000,
    confidence: Exact = "0.999999",
    sequential: bool = False,
    vectorised: bool = False,
) -> Audit:
    """Looks for a violation of a promise, by the strongest method that applies. Print the answer.

    What is known exactly is decided exactly, and nothing is drawn: noise, the mechanisms of this
    library with one number or few outputs, a `PrivacyLoss`, or a pair of laws. A function of the data
    is audited by samples of its outputs under two neighbours. That never proves a promise: it finds a
    violation or none. Exceptions are outputs too.

    Args:
        mechanism: a function, a mechanism, a law of noise, a `PrivacyLoss`, or a pair of laws (two
            dicts from outputs to weights, or two laws of `leastnoise.noise`).
        neighbours: two inputs that the promise calls neighbours; all small ones if None.
        epsilon: what was promised; a mechanism's own guarantee if no promise is given.
        delta: beside epsilon.
        rho: of zCDP.
        mu: of GDP.
        sensitivity: how far neighbours are apart, for a law of noise.
        samples: how many outputs are drawn at most, one half of them of each input.
        confidence: a false alarm has a chance of at most 1 - confidence.
        sequential: whether to stop as soon as there is evidence.
        vectorised: whether the function takes size= and gives so many independent outputs.

    >>> from leastnoise.noise import DiscreteLaplace
    >>> audit(DiscreteLaplace("0.9"), sensitivity=1, epsilon="0.9")
    no violation: delta <= 0 at epsilon 0.9 where delta = 0 was promised (proved)
    >>> audit(DiscreteLaplace("0.9"), sensitivity=1, epsilon="0.8")
    violation: delta >= 0.06765 at epsilon 0.8 where delta = 0 was promised
    (proved); neighbours: 0 and 1
    """
    promise = _promise(mechanism, epsilon, delta, rho, mu)
    if neighbours is not None and (not isinstance(neighbours, tuple) or len(neighbours) != 2):
        raise InvalidInput("neighbours is no pair. Give two inputs: neighbours=(one, other).")
    if is_exact(mechanism, neighbours):
        return exact_audit(mechanism, promise, neighbours, sensitivity)
    function = _function(mechanism)
    if sensitivity is not None:
        raise InvalidInput("sensitivity is for noise alone. Give neighbours=(one, other) instead.")
    if neighbours is None:
        raise InvalidInput("neighbours is missing. Give a pair of inputs: neighbours=(one, other).")
    subject = Subject(function, neighbours, truth_value(vectorised, "vectorised"))
    count = whole(samples, "samples", least=_FEWEST, most=_MOST_SAMPLES)
    risk = 1 - inside(confidence, "confidence")
    return (bets if truth_value(sequential, "sequential") else black_box)(
        subject, promise, count, risk
    )


def _promise(
    mechanism: Any, epsilon: Exact | None, delta: Exact, rho: Exact | None, mu: Exact | None
) -> Guarantee:
    """What is audited."""
    match epsilon, probability(delta, "delta"), rho, mu:
        case None, 0, None, None if isinstance(mechanism, Mechanism):
            return mechanism.guarantee
        case size, lost, None, None if size is not None:
            return ApproxDP(epsilon=size, delta=lost) if lost else PureDP(epsilon=size)
        case None, 0, size, None if size is not None:
            return ZCDP(rho=size)
        case None, 0, None, size if size is not None:
            return GDP(mu=size)
    raise InvalidInput("Give one promise: epsilon= with or without delta=, or rho=, or mu=.")


def _function(mechanism: Any) -> Callable[..., Any]:
    """From an input to an output."""
    if isinstance(mechanism, Mechanism):
        return lambda data: mechanism.release(data).value
    if not callable(mechanism):
        raise InvalidInput(
            f"An object of the type {type(mechanism).__name__} cannot be audited. Give a function of "
            "the data, a mechanism, noise on whole numbers, a pair of laws or a PrivacyLoss."
        )
    function: Callable[..., Any] = mechanism
    return function
