"""From an unsampled loss to that of a sampled release: which pair of variables it is.

Proof: docs/proofs/sampling.md.
"""

from fractions import Fraction
from typing import Literal

from leastnoise import _check
from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.variables.allocated_variable import AllocatedVariable
from leastnoise.privacy.variables.exchanged_variable import ExchangedVariable
from leastnoise.privacy.variables.fixed_sample_variable import FixedSampleVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.loss_variable import LossVariable
from leastnoise.privacy.variables.replaced_laplace_variable import ReplacedLaplaceVariable
from leastnoise.privacy.variables.replaced_sample_variable import ReplacedSampleVariable
from leastnoise.privacy.variables.sampled_variable import SampledVariable

Neighbours = Literal["add_remove", "zero_out", "replace"]
"""One record more or less; one record made to count for nothing; one record exchanged."""

NEIGHBOURS = ("add_remove", "zero_out", "replace")

Record = Literal["forward", "backward"]
"""In the first law of which direction the record is."""

Directions = tuple[LossVariable, LossVariable | None]
"""The loss of the law with the record, and of the one without it; None if they are alike."""

rate_of_sampling = _check.limited(
    _check.positive,
    lambda number: number <= 1,
    "lie in (0, 1]",
    "It is the chance of a record to be in a sample: write 0.01 for one in a hundred.",
)
"""The chance of each record to be in a sample."""


def with_record_first(
    forward: LossVariable, backward: LossVariable | None, record: Record | None
) -> tuple[LossVariable, LossVariable]:
    """Both directions, that of the law with the record first."""
    if record is not None and record not in ("forward", "backward"):
        raise _check.refuse(
            "`record` must be 'forward' or 'backward'",
            _check.shown(record),
            "Say in which direction's first law the record is.",
        )
    if backward is None:
        return forward, forward
    if record is None:
        raise _check.refuse(
            "a loss that is not the same both ways must say where the record is",
            "no `record`",
            "Write record='forward' if the first law has the record, else record='backward'.",
        )
    return (forward, backward) if record == "forward" else (backward, forward)


def known_neighbours(neighbours: str) -> str:
    """One of the three relations."""
    if neighbours in NEIGHBOURS:
        return neighbours
    raise _check.refuse(
        f"`neighbours` must be one of {', '.join(NEIGHBOURS)}",
        _check.shown(neighbours),
        "It says what one record can do: be there or not, count for nothing, or be exchanged.",
    )


def poisson_sampled(
    with_record: LossVariable, without: LossVariable, rate: Fraction, neighbours: str
) -> Directions:
    """Removing a record and adding one; or exchanging one."""
    if known_neighbours(neighbours) == "replace":
        return _replaced(with_record, without, rate), None
    return _added_or_removed(with_record, without, rate)


def _added_or_removed(
    with_record: LossVariable, without: LossVariable, rate: Fraction
) -> tuple[LossVariable, LossVariable]:
    if rate == 1:
        return with_record, without
    remove = SampledVariable(with_record, without, rate, removing=True)
    return remove, SampledVariable(without, with_record, rate, removing=False)


def _replaced(base: LossVariable, without: LossVariable, rate: Fraction) -> LossVariable:
    # With rate 1 records are exchanged for sure: twice the distance.
    if isinstance(base, GaussianVariable):
        if rate == 1:
            return GaussianVariable(4 * base.mu_squared)
        return ReplacedSampleVariable(rate, base.mu_squared)
    if isinstance(base, LaplaceVariable):
        if rate == 1:
            return LaplaceVariable(2 * base.ratio)
        return ReplacedLaplaceVariable(rate, base.ratio)
    return ExchangedVariable(*_added_or_removed(base, without, rate))


def sampled_without_replacement(
    forward: LossVariable, backward: LossVariable | None, rate: Fraction
) -> LossVariable:
    """Exchanging a record of a sample of fixed size; the loss must be the same both ways."""
    if backward is not None:
        raise UnsupportedQuery(
            "a loss that is sampled without replacement must be the same both ways; this one is "
            "not. Sample PrivacyLoss.worst_case(epsilon=…, delta=…) of it instead."
        )
    return forward if rate == 1 else FixedSampleVariable(forward, rate)


def randomly_allocated(
    with_record: LossVariable, without: LossVariable, steps: int, neighbours: str
) -> Directions:
    """Removing and adding a record that is in one of so many steps; or exchanging it."""
    if steps == 1:
        both = poisson_sampled(with_record, without, Fraction(1), neighbours)
        return (with_record, None) if both == (without, with_record) else both
    remove = AllocatedVariable(with_record, without, steps, removing=True)
    add = AllocatedVariable(without, with_record, steps, removing=False)
    if known_neighbours(neighbours) == "replace":
        return ExchangedVariable(remove, add), None
    return remove, add
