"""`Leaving`: how a process ends that has nothing left to do."""

import atexit
import os
from typing import ClassVar

from leastnoise.cli.streams import finish


class Leaving:
    """Ends the process without taking it apart first: the system takes all of it back at once.

    Python would free every function of every module, one by one. What anybody wants to be called at
    the end is called before: last registered, first called, and this was registered first. Where
    somebody else was before, as tools that measure a program are, or where code of others was run,
    Python ends as usual: what they opened is closed, and what they wrote is written.
    """

    _as_usual: ClassVar[bool] = False

    def __init__(self) -> None:
        """To be made before anything else is loaded."""
        self._status: int | None = None
        waiting = getattr(atexit, "_ncallbacks", None)
        if waiting is not None and not waiting():
            atexit.register(self._leave)

    @classmethod
    def as_usual(cls) -> None:
        """To be called before code of others is."""
        cls._as_usual = True

    def with_status(self, status: object) -> None:
        """Say how it ends; a process of which nobody says that ends as usual."""
        self._status = status if isinstance(status, int) else None

    def _leave(self) -> None:
        if self._status is not None and not self._as_usual:
            finish()
            os._exit(self._status)
