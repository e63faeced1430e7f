"""Names of a package that are loaded when one of them is first used.

Whoever needs one module of a package would otherwise wait for all that the package shows. The names
are imported and listed in the package's `names.py`; no module beside it may share one of them.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def loaded_later(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a package whose names are in its `names.py`."""

    def named(name: str) -> Any:
        names = import_module(f"{package}.names")
        if name == "__all__" or name in names.__all__:
            return getattr(names, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return named, lambda: sorted(named("__all__"))
