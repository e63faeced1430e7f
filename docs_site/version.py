"""Which version a page of the site is about."""

from typing import Any

from leastnoise.version import __version__


def on_config(config: Any) -> Any:
    """Says it at the foot of every page."""
    config.copyright = f"leastnoise {__version__}"
    return config
