"""`AnswerCache`: answers that were costly, the latest few, for whoever asks again."""

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class AnswerCache(Generic[T]):
    """A mapping that forgets what was not asked for longest.

    Args:
        most: how many answers are kept.

    Example:
        >>> kept = AnswerCache[int](most=2)
        >>> for name in "abac":
        ...     kept.put(name, ord(name)) if kept.find(name) is None else None
        >>> kept.find("a"), kept.find("b")
        (97, None)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[str, T] = OrderedDict()

    def find(self, key: str) -> T | None:
        """What is kept under a key, if anything."""
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def put(self, key: str, answer: T) -> None:
        """Keep an answer."""
        self._answers[key] = answer
        self._answers.move_to_end(key)
        while len(self._answers) > self._most:
            self._answers.popitem(last=False)
