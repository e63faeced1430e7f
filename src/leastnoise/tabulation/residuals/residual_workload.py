"""`ResidualWorkload`: which marginals of which attributes are wanted; all of it public."""

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.errors import InvalidParameter
from leastnoise.privacy.guarantee import exact_text
from leastnoise.tabulation.residuals.residual_axis import ResidualAxis

Marginal = tuple[str, ...]
"""The attributes that a table is broken down by; () is the number of people."""

AttributeSet = tuple[int, ...]
"""The places of some attributes in the list of all, increasing."""

_MOST_CELLS = 1 << 28  # a table of two gigabytes
_MOST_PAIRS = 1 << 21


@dataclass(frozen=True, init=False, repr=False)
class ResidualWorkload:
    """Attributes with their numbers of values, and the marginals wanted with their weights.

    Args:
        attributes: name ↦ number of values, at least 2.
        marginals: tuples of names, or a mapping from such tuples to positive weights. A bare name
            stands for its one-way marginal, () for the number of people.

    Raises:
        InvalidParameter: an attribute without a choice, an unknown name, a marginal named twice, or
            none at all; tables of more than 2**28 cells; millions of marginals.

    Example:
        >>> workload = ResidualWorkload({"sex": 2, "age": 10}, ["age", ("sex", "age")])
        >>> workload.residuals
        ((), (0,), (1,), (0, 1))
        >>> workload.needed
        (('sex', 'age'),)
    """

    attributes: tuple[tuple[str, int], ...]
    marginals: tuple[tuple[Marginal, Fraction], ...]

    def __init__(
        self,
        attributes: Mapping[str, SupportsIndex],
        marginals: Iterable[Marginal | str] | Mapping[Marginal | str, Exact],
    ) -> None:
        keep(self, attributes=_checked_attributes(attributes))
        keep(self, marginals=self._checked_marginals(marginals))

    def __repr__(self) -> str:
        weights = {
            marginal: weight.numerator if weight.denominator == 1 else exact_text(weight)
            for marginal, weight in self.marginals
        }
        return f"ResidualWorkload({dict(self.attributes)}, {weights})"

    def _checked_marginals(
        self, marginals: Iterable[Marginal | str] | Mapping[Marginal | str, Exact]
    ) -> tuple[tuple[Marginal, Fraction], ...]:
        found: dict[AttributeSet, tuple[Marginal, Fraction]] = {}
        for wanted, weight in _weighted(marginals):
            places = self.places(wanted)
            marginal = _as_tuple(wanted)
            if places in found:
                raise _check.refuse(
                    "`marginals` must name each marginal once",
                    f"{marginal!r} twice",
                    "Give it more weight instead: write a mapping to weights.",
                )
            found[places] = marginal, _check.positive(weight, f"weight of {marginal!r}")
        if not found:
            raise _no_marginals("an empty list")
        _check_size(found)
        return tuple(found.values())

    @cached_property
    def names(self) -> Marginal:
        """The attributes in their order."""
        return tuple(name for name, _ in self.attributes)

    @cached_property
    def axes(self) -> tuple[ResidualAxis, ...]:
        """The attributes as axes of tables."""
        return tuple(ResidualAxis(size) for _, size in self.attributes)

    def axes_of(self, places: AttributeSet) -> tuple[ResidualAxis, ...]:
        """The axes of one set of attributes."""
        return tuple(self.axes[place] for place in places)

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def typed_places(self, marginal: Marginal | str) -> tuple[int, ...]:
        """The places of a marginal's attributes, in the order typed."""
        names = _as_tuple(marginal)
        unknown = [name for name in names if name not in self._place_of]
        if unknown:
            raise _check.refuse(
                "a marginal must be made of the attributes",
                f"{unknown[0]!r}",
                f"The attributes are {', '.join(self.names)}.",
            )
        if len(set(names)) < len(names):
            raise _check.refuse(
                "a marginal must name an attribute once", f"{names!r}", "Leave out the repetition."
            )
        return tuple(self._place_of[name] for name in names)

    def places(self, marginal: Marginal | str) -> AttributeSet:
        """The places of a marginal's attributes, increasing; checks its size."""
        places = tuple(sorted(self.typed_places(marginal)))
        if self.cells(places) > _MOST_CELLS:
            raise _check.refuse(
                f"a marginal must have at most {_MOST_CELLS} cells",
                f"{_as_tuple(marginal)!r} with {self.cells(places)}",
                "Ask for several smaller marginals.",
            )
        return places

    def cells(self, places: AttributeSet) -> int:
        """How many cells a table of these attributes has."""
        return math.prod(axis.size for axis in self.axes_of(places))

    @cached_property
    def sets(self) -> tuple[AttributeSet, ...]:
        """The marginals as sets of attributes, in their order."""
        return tuple(self.places(marginal) for marginal, _ in self.marginals)

    @cached_property
    def weights(self) -> tuple[Fraction, ...]:
        """The weights of the marginals, in their order."""
        return tuple(weight for _, weight in self.marginals)

    @cached_property
    def residuals(self) -> tuple[AttributeSet, ...]:
        """All subsets of the marginals, small ones first: what must be measured."""
        found = {subset for places in self.sets for subset in subsets(places)}
        return tuple(sorted(found, key=lambda places: (len(places), places)))

    @cached_property
    def index_of(self) -> dict[AttributeSet, int]:
        """Where a residual stands in `residuals`."""
        return {places: index for index, places in enumerate(self.residuals)}

    @cached_property
    def largest(self) -> tuple[AttributeSet, ...]:
        """The marginals that are part of no other: their tables hold all that is needed."""
        covered: set[AttributeSet] = set()
        kept = []
        for places in sorted(self.sets, key=len, reverse=True):
            if places not in covered:
                kept.append(places)
                covered.update(subsets(places))
        return tuple(sorted(kept))

    @cached_property
    def needed(self) -> tuple[Marginal, ...]:
        """The marginals whose tables of counts must be given, by name."""
        return tuple(self.named(places) for places in self.largest)

    def named(self, places: tuple[int, ...]) -> Marginal:
        """A set of attributes by name."""
        return tuple(self.names[place] for place in places)

    def measured(self, marginal: Marginal | str) -> AttributeSet:
        """The set of a marginal that the measurements determine.

        Raises:
            InvalidParameter: it is not part of any marginal of the workload.
        """
        places = self.places(marginal)
        if places in self.index_of:
            return places
        raise _check.refuse(
            "a marginal must be part of one that was asked for",
            f"{_as_tuple(marginal)!r}",
            "Name it among the `marginals` of the planner.",
        )

    def measured_numbers(self, places: AttributeSet) -> int:
        """How many numbers the residual of a set of attributes has."""
        return math.prod(axis.kept for axis in self.axes_of(places))


def _weighted(
    marginals: Iterable[Marginal | str] | Mapping[Marginal | str, Exact],
) -> Iterable[tuple[Marginal | str, Exact]]:
    if isinstance(marginals, Mapping):
        return marginals.items()
    if isinstance(marginals, str) or not isinstance(marginals, Iterable):
        raise _no_marginals(f"a {type(marginals).__name__}")
    return [(wanted, 1) for wanted in marginals]


def subsets(places: AttributeSet) -> Iterator[AttributeSet]:
    """All subsets, the empty one first."""
    for count in range(len(places) + 1):
        yield from combinations(places, count)


def _as_tuple(marginal: object) -> Marginal:
    if isinstance(marginal, str):
        return (marginal,)
    if isinstance(marginal, tuple | list) and all(isinstance(name, str) for name in marginal):
        return tuple(marginal)
    raise _check.refuse(
        "a marginal must be a tuple of attribute names",
        f"a {type(marginal).__name__}",
        "Write for example ('sex', 'age'), or 'age' for a one-way marginal.",
    )


def _no_marginals(found: str) -> InvalidParameter:
    return _check.refuse(
        "`marginals` must list at least one marginal",
        found,
        "Write for example [('sex', 'age'), 'region'].",
    )


def _checked_attributes(attributes: object) -> tuple[tuple[str, int], ...]:
    if not isinstance(attributes, Mapping) or not all(isinstance(name, str) for name in attributes):
        raise _check.refuse(
            "`attributes` must map names to numbers of values",
            f"a {type(attributes).__name__}",
            "Write for example {'sex': 2, 'age': 10}.",
        )
    if not attributes:
        raise _check.refuse(
            "`attributes` must name at least one", "{}", "Write for example {'sex': 2}."
        )
    return tuple((name, _checked_size(name, size)) for name, size in attributes.items())


def _checked_size(name: str, size: SupportsIndex) -> int:
    number = _check.integer(size, f"size of {name}")
    if number >= 2:
        return number
    raise _check.refuse(
        "an attribute must have at least 2 values",
        f"{number} for {name!r}",
        "One that is the same for everybody tells nobody apart: leave it out.",
    )


def _check_size(found: Iterable[AttributeSet]) -> None:
    pairs = sum(2 ** len(places) for places in found)
    if pairs <= _MOST_PAIRS:
        return
    raise _check.refuse(
        f"the marginals must have at most {_MOST_PAIRS} subsets, counted for each",
        f"{pairs}",
        "Ask for fewer marginals, or of fewer attributes each.",
    )
