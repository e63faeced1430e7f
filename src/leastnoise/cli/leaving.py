"""`Leaving`: how a process ends that has nothing left to do."""

import atexit
import os

from leastnoise.cli.streams import finish


class Leaving:
    """Ends the process without taking it apart first: the system takes all of it back at once.

    Python would free every function of every module, one by one. What anybody wants to be called at
    the end is called before: last registered, first called, and this was registered first. Where
    somebody else was before, as tools that measure a program are, Python ends as usual.
    """

    def __init__(self) -> None:
        """To be made before anything else is loaded."""
        self._status: int | None = None
        waiting = getattr(atexit, "_ncallbacks", None)
        if waiting is not None and not waiting():
            atexit.register(self._leave)

    def with_status(self, status: int) -> None:
        """Say how it ends; a process of which nobody says that ends as usual."""
        self._status = status

    def _leave(self) -> None:
        if self._status is not None:
            finish()
            os._exit(self._status)
