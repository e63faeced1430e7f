"""The optional packages that turn a specification into an image, loaded when first needed."""

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from leastnoise.errors import UnsupportedQuery

REMEDY = "To see pictures: pip install 'leastnoise[plots]'"


def converter() -> Any:
    """vl-convert: SVG, PNG and HTML from Vega-Lite, with no browser and no network."""
    return _loaded("vl_convert", "vl-convert-python")


def converted(form: str, spec: Mapping[str, Any], **options: Any) -> Any:
    """A chart as "svg" or "png".

    Raises:
        UnsupportedQuery: the converter cannot draw it.
    """
    convert = getattr(converter(), f"vegalite_to_{form}")
    try:
        return convert(json.dumps(spec), allowed_base_urls=[], **options)
    except ValueError:
        raise UnsupportedQuery(
            "a chart must be one that the converter can draw; got another. "
            "The numbers themselves are there: see .spec."
        ) from None


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
