"""Mechanisms: a secret value goes in, a release and its price come out. One per file."""

from typing import TYPE_CHECKING

from leastnoise._names import loaded_later

if TYPE_CHECKING:
    from leastnoise.mechanisms.names import *  # noqa: F403 - the same names
    from leastnoise.mechanisms.names import __all__ as __all__
else:  # a checker of types would take any name for one of them
    __getattr__, __dir__ = loaded_later(__name__)
