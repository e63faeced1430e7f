"""`EventNode`: one DpEvent by its name and fields, whatever object or mapping it is written as."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import InvalidParameter, UnsupportedQuery

_DEEPEST = 64  # events within events
_KEYS = ("event", "class_name")  # where a mapping may have its name: ours, and dp-accounting's


@dataclass(frozen=True)
class EventNode:
    """An event's name, the fields it has, and where it stands."""

    kind: str
    fields: Callable[[str], Any]
    place: str

    @classmethod
    def of(cls, event: Any, place: str) -> "EventNode":
        """An object with fields, or a mapping."""
        if place.count(" of ") > _DEEPEST:
            raise InvalidParameter(
                f"events must not be nested deeper than {_DEEPEST}; these are. "
                "Write repeated events as SelfComposed."
            )
        if isinstance(event, Mapping):
            name = next((event[key] for key in _KEYS if isinstance(event.get(key), str)), None)
            # "event" holds the name here, so that the event inside is "of".
            inner = "of" if isinstance(event.get("event"), str) else "event"
            return cls._named(
                name, lambda field: event[inner if field == "event" else field], place
            )
        name = getattr(event, "class_name", type(event).__name__)
        return cls._named(name, lambda field: getattr(event, field), place)

    @classmethod
    def _named(cls, name: Any, fields: Callable[[str], Any], place: str) -> "EventNode":
        if isinstance(name, bytes):
            name = name.decode("utf-8", "replace")
        if not isinstance(name, str):
            raise InvalidParameter(
                f"{place} must have a name; it has none. Write it under 'event'."
            )
        kind = name.removesuffix("Event").removesuffix("Dp")
        return cls(kind, fields, f"{place} ({kind})")

    def get(self, field: str) -> Any:
        """A field, refused in words if it is missing."""
        try:
            return self.fields(field)
        except (AttributeError, KeyError):
            raise InvalidParameter(
                f"{self.place} must have the field {field!r}; it has not. Add it."
            ) from None

    def number(self, field: str) -> Fraction:
        """A field that is a number ≥ 0."""
        return _check.non_negative(self.get(field), field)

    def whole(self, field: str) -> int:
        """A field that is a whole number ≥ 0."""
        return _check.integer_between(self.get(field), field, 0)

    def inner(self) -> "EventNode":
        """The event inside."""
        return EventNode.of(self.get("event"), f"what is inside of {self.place}")

    def refused(self, reason: str) -> UnsupportedQuery:
        """That it has no price here, and why."""
        return UnsupportedQuery(f"{self.place} must be one that can be priced; {reason}")
