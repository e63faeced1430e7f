"""Adding prices up: composition theorems, least noise for a target, budgets that never overrun."""

from typing import TYPE_CHECKING

from leastnoise._names import loaded_later

if TYPE_CHECKING:
    from leastnoise.accounting.names import *  # noqa: F403 - the same names
    from leastnoise.accounting.names import __all__ as __all__
else:  # a checker of types would take any name for one of them
    __getattr__, __dir__ = loaded_later(__name__)
