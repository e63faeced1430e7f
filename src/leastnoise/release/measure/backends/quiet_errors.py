"""`quiet`: an engine's errors replaced by fixed words, because its own may quote data.

What an engine says before it reads any row is about the plan or the schema. Of that, what is known
to name tables, columns and functions alone is shown; the message says which of the two it is.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from leastnoise._display import visible
from leastnoise.errors import BackendError

_Result = TypeVar("_Result")

Advice = Sequence[tuple[type[Exception] | tuple[type[Exception], ...], str]]
"""What to say for which kind of error; the first that fits counts."""

Said = Callable[[Exception], str]
"""What an engine said before it read any row, if that may be shown; else nothing."""

_UNKNOWN = "Check that the data are where they were and still have the columns they had."
_LONGEST = 300
_WITHHELD = "failed, and its message is withheld because it may quote data"


def quiet(
    action: Callable[[], _Result], engine: str, advice: Advice = (), *, said: Said | None = None
) -> _Result:
    """The action's result.

    Args:
        action: what the engine is to do.
        engine: its name.
        advice: what to do about which error.
        said: what may be shown of an error.

    Raises:
        BackendError: the action failed; nothing of the original error is kept, not even as its
            cause, but what may be shown.
    """
    try:
        return action()
    except Exception as error:
        remedy = next((text for kind, text in advice if isinstance(error, kind)), _UNKNOWN)
        words = "" if said is None else _first_line(said(error))
    # Outside the handler, so that the original error is not attached to the new one.
    told = (
        f"failed before it read any row, and said of the plan or the schema: “{words}”"
        if words
        else _WITHHELD
    )
    raise BackendError(f"the data engine must finish; {engine} {told}. {remedy}")


def _first_line(words: str) -> str:
    return visible(words.partition("\n")[0].strip().rstrip("."))[:_LONGEST]
