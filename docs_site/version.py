"""Which version a page of the site is about, and where it is edited."""

from typing import Any

from leastnoise.version import __version__


def on_config(config: Any) -> Any:
    """Says the version at the foot of every page; links to editing need a place that was said."""
    config.copyright = f"leastnoise {__version__}"
    if not config.repo_url:
        config.edit_uri = None
    return config
