"""`quiet`: an engine's errors replaced by fixed words, because its own may quote data."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from leastnoise.errors import BackendError

_Result = TypeVar("_Result")

Advice = Sequence[tuple[type[Exception] | tuple[type[Exception], ...], str]]
"""What to say for which kind of error; the first that fits counts."""

_UNKNOWN = "Check that the data are where they were and still have the columns they had."


def quiet(action: Callable[[], _Result], engine: str, advice: Advice = ()) -> _Result:
    """The action's result.

    Raises:
        BackendError: the action failed; nothing of the original error is kept, not even as its
            cause.
    """
    try:
        return action()
    except Exception as error:
        remedy = next((text for kind, text in advice if isinstance(error, kind)), _UNKNOWN)
    # Outside the handler, so that the original error is not attached to the new one.
    raise BackendError(
        f"the data engine must finish; {engine} failed, and its message is withheld because it may "
        f"quote data. {remedy}"
    )
