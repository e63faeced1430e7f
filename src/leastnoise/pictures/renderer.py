"""The optional packages that turn a specification into an image, loaded when first needed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from leastnoise.errors import UnsupportedQuery

REMEDY = "To see pictures: pip install 'leastnoise[plots]'"


def converter() -> Any:
    """vl-convert: SVG, PNG and HTML from Vega-Lite, with no browser and no network."""
    return _loaded("vl_convert", "vl-convert-python")


def altair() -> Any:
    """Altair: charts to go on working with."""
    return _loaded("altair", "altair")


def is_installed() -> bool:
    """Whether images can be made here."""
    return find_spec("vl_convert") is not None


def _loaded(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise UnsupportedQuery(
            f"drawing needs the package {package}; it is not installed. "
            "Install it: pip install 'leastnoise[plots]'."
        ) from None
