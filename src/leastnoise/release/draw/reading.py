"""What a pass over the data is for: the names of questions, for whoever waits."""

from collections.abc import Callable, Sequence

Progress = Callable[[int, int], None]
"""Called with the number of passes that are done, and of all.

If it has a method `reading`, that is called with names of questions before each pass for them.
"""


def announcing(
    progress: Progress | None, names: Sequence[Sequence[str]]
) -> Callable[[Sequence[int]], None] | None:
    """For `measure`: tells `progress` the names of what the next pass is for, if it listens.

    Args:
        progress: who is told.
        names: for each measurement, the questions that it is for.
    """
    listens = getattr(progress, "reading", None)
    if listens is None:
        return None

    def announce(places: Sequence[int]) -> None:
        listens(list(dict.fromkeys(name for place in places for name in names[place])))

    return announce
