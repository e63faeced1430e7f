"""`Plan`: all budgets fixed before the data is touched, so that the losses may be composed."""

from collections.abc import Iterable
from functools import cached_property, reduce
from typing import Any

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, checked, frozen
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss


def _losses(given: Iterable[PrivacyLoss] | PrivacyLoss, name: str) -> tuple[PrivacyLoss, ...]:
    losses: tuple[Any, ...] = (given,) if isinstance(given, PrivacyLoss) else tuple(given)
    wrong = [each for each in losses if not isinstance(each, PrivacyLoss)]
    if losses and not wrong:
        return losses
    raise _check.refuse(
        f"`{name}` must be a list of privacy losses",
        f"{_check.shown(wrong[0])} in it" if wrong else "none",
        "Ask each mechanism for its loss: Plan([mechanism.privacy(), …]).",
    )


@frozen
class Plan:
    r"""A list of privacy losses, one for each release to come.

    Theorem: if release number i has at most the i-th loss, whatever the earlier answers were, then
    all of them together have at most the composed loss. The *questions* may be chosen in view of
    earlier answers; the *losses*, and their order, may not.
    Proof: docs/proofs/filters.md, "Plans".

    This is the tightest accounting there is. If budgets themselves must answer to results, use
    `PrivacyFilter`.

    Args:
        losses: at least one.

    References: DongRothSu2022, Theorem 3.2 (arXiv 1905.02383v3);
    VadhanZhang2023, for questions that interleave.

    Example:
        >>> from leastnoise.mechanisms import RandomizedResponse
        >>> coin = RandomizedResponse(epsilon="0.1").privacy()
        >>> plan = Plan([coin] * 100)
        >>> round(float(plan.epsilon(delta="1e-6").upper), 4)
        4.7746
        >>> plan.within(ApproxDP(epsilon="4.8", delta="1e-6"))
        True
    """

    losses: Checked[Iterable[PrivacyLoss] | PrivacyLoss, tuple[PrivacyLoss, ...]] = checked(_losses)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The loss of everything together."""
        return reduce(PrivacyLoss.compose, self.losses)

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ for which everything together is (ε, δ)-DP; its upper end is safe."""
        return self.loss.delta(epsilon)

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε for which everything together is (ε, δ)-DP; its upper end is safe."""
        return self.loss.epsilon(delta)

    def within(self, limit: PureDP | ApproxDP) -> bool:
        """Whether the plan surely keeps a limit; False also where the bracket leaves it open."""
        rule = "`limit` must be a PureDP or an ApproxDP"
        _check.kind(limit, PureDP | ApproxDP, rule, "Write for example PureDP(epsilon=1).")
        allowed = limit.delta if isinstance(limit, ApproxDP) else 0
        return self.loss.delta(limit.epsilon).upper <= allowed
