"""What is promised: guarantees, divergences, privacy loss, and what follows from what."""

from typing import TYPE_CHECKING

from leastnoise._names import loaded_later

if TYPE_CHECKING:
    from leastnoise.privacy.names import *  # noqa: F403 - the same names

__getattr__, __dir__ = loaded_later(__name__)
