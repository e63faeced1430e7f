"""Laws of noise on the integers, each drawn exactly as stated. One law, one file."""

from typing import TYPE_CHECKING

from leastnoise._names import loaded_later

if TYPE_CHECKING:
    from leastnoise.noise.names import *  # noqa: F403 - the same names
    from leastnoise.noise.names import __all__ as __all__
else:  # a checker of types would take any name for one of them
    __getattr__, __dir__ = loaded_later(__name__)
