"""An engine's errors without its own words, which may quote data, and without a reason.

Trusted.
"""

from collections.abc import Callable
from typing import TypeVar

from leastnoise.numbers.errors import EngineError

T = TypeVar("T")


def quiet(action: Callable[[], T], message: str) -> T:
    """The action's result; if it fails, `EngineError` with this message and nothing else."""
    result: list[T] = []
    try:
        result.append(action())
    except Exception:
        result.clear()
    if not result:  # outside the handler, so that the first error is not attached to this one
        raise EngineError(message)
    return result[0]
