"""Version, Python and licence as one small picture, made from the project's own description."""

import tomllib
from pathlib import Path

from leastnoise.version import __version__

_PROJECT = Path(__file__).parent.parent / "pyproject.toml"
_HIGH, _LETTER, _EDGE, _GAP = 20, 6.7, 8, 8


def badges() -> str:
    """SVG."""
    project = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]
    python = project["requires-python"].removeprefix(">=") + " or newer"
    told = (("leastnoise", __version__), ("python", python), ("licence", "Apache 2.0"))
    parts, at = [], 0.0
    for name, value in told:
        for text, colour in ((name, "#4b5867"), (value, "#0b5fa5")):
            wide = _LETTER * len(text) + 2 * _EDGE
            parts.append(
                f'<rect x="{at:g}" width="{wide:g}" height="{_HIGH}" fill="{colour}"/>'
                f'<text x="{at + wide / 2:g}" y="14">{text}</text>'
            )
            at += wide
        at += _GAP
    words = ", ".join(f"{name} {value}" for name, value in told)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{at - _GAP:g}" height="{_HIGH}" '
        f'role="img" aria-label="{words}"><g fill="#ffffff" text-anchor="middle" '
        f'font-family=\'"Liberation Sans", Arial, sans-serif\' font-size="12">'
        + "".join(parts)
        + "</g></svg>\n"
    )
