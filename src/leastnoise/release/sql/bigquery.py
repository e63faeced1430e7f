"""What BigQuery's clause means here: budget, bounds and whose rows they are."""

from dataclasses import field
from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.text.clause import Clause, Option
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import Name

_STRATEGIES = {"laplace_threshold", "public_groups"}


@dataclass(frozen=True)
class Said:
    """What a statement says of privacy.

    Attributes:
        budget: what to spend, if it says so.
        bounds: how much of one unit counts, as far as it says so.
        at_least: of private groups, the fewest units.
        notes: what differs from BigQuery.
    """

    budget: Guarantee | None = None
    bounds: dict[str, int] = field(default_factory=dict)
    at_least: int | None = None
    notes: tuple[str, ...] = ()


def said_by(clause: Clause, prepared: Prepared) -> Said:
    """What a clause says of the rows that are asked about.

    Raises:
        InvalidParameter: a number out of its range, another unit than that of the data, or an
            option that has no meaning here.
    """
    options = clause.options
    _refuse_unit(options.get("privacy_unit_column"), prepared)
    notes = ["Groups, rows and values are bounded as in the page SQL, not as BigQuery does it."]
    strategy = options.get("group_selection_strategy")
    if strategy is not None and str(strategy.value).lower() not in _STRATEGIES:
        raise refused(
            strategy.at,
            "`group_selection_strategy` must be LAPLACE_THRESHOLD or PUBLIC_GROUPS",
            f"{str(strategy.value)[:40]!r}",
            "Leave it out: groups whose values are declared are public.",
        )
    if strategy is not None:
        notes.append("Groups are public where their values are declared, and private elsewhere.")
    groups = _whole(options.get("max_groups_contributed"), "max_groups_contributed")
    fewest = _whole(options.get("min_privacy_units_per_group"), "min_privacy_units_per_group")
    return Said(
        budget=_budget(options),
        bounds={} if groups is None else {"max_groups": groups},
        at_least=fewest,
        notes=tuple(notes),
    )


def _budget(options: dict[str, Option]) -> Guarantee | None:
    epsilon, delta = options.get("epsilon"), options.get("delta")
    if epsilon is None:
        if delta is not None:
            raise refused(
                delta.at, "`delta` stands beside `epsilon`", "it alone", "Write both, or none."
            )
        return None
    if _number(epsilon, "epsilon") <= 0:
        raise refused(epsilon.at, "`epsilon` must be above 0", "another", "Write epsilon = 1.")
    with standing_at(epsilon.at):
        spent = PureDP(epsilon=_number(epsilon, "epsilon"))
    if delta is None or _number(delta, "delta") == 0:
        return spent
    with standing_at(delta.at):
        return ApproxDP(epsilon=spent.epsilon, delta=_number(delta, "delta"))


def _number(option: Option, name: str) -> Fraction:
    if isinstance(option.value, Fraction):
        return option.value
    raise refused(option.at, f"`{name}` must be a number", "something else", "Write it in digits.")


def _whole(option: Option | None, name: str) -> int | None:
    if option is None:
        return None
    value = option.value
    if isinstance(value, Fraction) and value.denominator == 1 and 1 <= value < 2**31:
        return int(value)
    found: Any = "NULL" if value is None else "something else"
    raise refused(
        option.at,
        f"`{name}` must be a whole number from 1",
        f"{found}",
        "Without a bound no noise is enough: write 2, say.",
    )


def _refuse_unit(option: Option | None, prepared: Prepared) -> None:
    """Who asks does not choose whose rows they are."""
    if option is None:
        return
    table, _, name = str(option.value).rpartition(".")
    known = None
    if option.value is not None:
        known = prepared.scope.find(Name(option.at, name, table=table.rpartition(".")[2] or None))
    if known is None or not known.is_unit:
        raise refused(
            option.at,
            "`privacy_unit_column` must be the unit that the dataset names",
            f"{name or 'NULL'!r}",
            "Leave it out: the owner of the data says whose rows they are.",
        )
