"""The first picture of the README: what is published, and with how much noise.

It is drawn for light and for dark pages: a code forge shows the one that suits its reader.
"""

from dataclasses import dataclass
from fractions import Fraction

import leastnoise as ln
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise

WIDE, HIGH = 960, 370
_SANS = '-apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif'
_COLUMNS, _ROWS, _ADA = 8, 9, (5, 4)
_BARS = (62, 50, 30, 40, 20)
_MOVED = (-3, -1, 1, 2, -2)  # noise, in the picture's units


@dataclass(frozen=True)
class Colours:
    """The same tokens as in reports."""

    ink: str
    soft: str
    line: str
    edge: str
    data: str
    bars: str
    cut: str


LIGHT = Colours("#15202b", "#4b5867", "#d5dce4", "#6f7b89", "#0b5fa5", "#5a96cc", "#a34700")
DARK = Colours("#e8edf2", "#aab6c3", "#2d3a48", "#8593a2", "#74b6f2", "#4a86ba", "#f2a65e")


def hero(look: Colours) -> str:
    """The picture as SVG."""
    parts = [
        *_table(look),
        _arrow(look, 255),
        *_alike(look),
        _arrow(look, 612),
        *_errors(look),
    ]
    says = (
        "A table about people, one of them Ada. The published numbers look alike with and without "
        f"her. 95 of 100 errors are at most {_least()} with leastnoise, {_usual()} with the usual "
        "Gaussian noise."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" '
        f'height="{HIGH}" font-family=\'{_SANS}\' role="img" aria-label="{says}">'
        + "".join(parts)
        + "</svg>\n"
    )


def _count() -> OptimalNoise:
    return ln.optimal(sensitivity=1, epsilon=1, delta="1e-6", cost="squared")


def _least() -> Fraction:
    return _count().error("0.95")


def _usual() -> Fraction:
    """Of the Gaussian that keeps the same promise."""
    laws = [each.law for each in _count().alternatives()]
    gaussian = next(law for law in laws if isinstance(law, ln.noise.DiscreteGaussian))
    return Fraction(gaussian.quantile("0.95"))


def _words(look: Colours, x: float, y: float, text: str, size: int = 14, **style: str) -> str:
    shown = {"fill": look.ink, **{key.replace("_", "-"): value for key, value in style.items()}}
    said = " ".join(f'{key}="{value}"' for key, value in shown.items())
    return f'<text x="{x}" y="{y}" font-size="{size}" {said}>{text}</text>'


def _head(look: Colours, x: float, title: str, below: str) -> list[str]:
    return [
        _words(look, x, 30, title, 17, font_weight="700"),
        _words(look, x, 54, below, 14, fill=look.soft),
    ]


def _person(x: float, y: float, size: float, paint: str) -> str:
    shoulders = (
        f"M{x - size} {y + 2.2 * size}a{size} {1.3 * size} 0 0 1 {2 * size} 0z"  # half an ellipse
    )
    return f'<g {paint}><circle cx="{x}" cy="{y}" r="{0.6 * size}"/><path d="{shoulders}"/></g>'


def _table(look: Colours) -> list[str]:
    parts = _head(look, 10, "1. A table about people", "One of them is Ada.")
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            ada = (column, row) == _ADA
            colour = look.cut if ada else look.bars
            x, y = 22 + 28 * column, 84 + 31 * row
            parts.append(_person(x, y, 9, f'fill="{colour}"'))
            if ada:
                parts.append(
                    f'<circle cx="{x}" cy="{y + 8}" r="19" fill="none" stroke="{look.cut}" '
                    'stroke-width="2"/>'
                )
    return parts


def _alike(look: Colours) -> list[str]:
    parts = _head(look, 305, "2. The published numbers look alike", "Nobody can tell which it was.")
    with_ada = f'fill="{look.cut}"'
    without = f'fill="none" stroke="{look.cut}" stroke-width="2" stroke-dasharray="4 3"'
    for top, paint, title, sign in (
        (74, with_ada, "with Ada", 1),
        (214, without, "without Ada", -1),
    ):
        parts.append(
            f'<rect x="305" y="{top}" width="290" height="128" rx="8" fill="none" '
            f'stroke="{look.line}"/>'
        )
        parts.append(_person(350, top + 48, 24, paint))
        parts.append(_words(look, 405, top + 24, title, 14, font_weight="600"))
        ground = top + 112
        for place, (height, moved) in enumerate(zip(_BARS, _MOVED, strict=True)):
            tall, left = height + sign * moved, 405 + 36 * place
            parts.append(
                f'<rect x="{left}" y="{ground - tall}" width="26" height="{tall}" '
                f'fill="{look.bars}"/>'
                f'<path d="M{left + 13} {ground - tall - 8}v16" stroke="{look.ink}" '
                'stroke-width="2"/>'
            )
        parts.append(f'<path d="M400 {ground}h184" stroke="{look.edge}"/>')
    return parts


def _errors(look: Colours) -> list[str]:
    parts = _head(look, 662, "3. With the least error there is", "One count of people.")
    middle, step = 800, 14.0
    for top, name, error, colour in (
        (110, "leastnoise", _least(), look.data),
        (220, "usual Gaussian noise", _usual(), look.edge),
    ):
        half = float(error) * step
        parts.append(_words(look, 662, top, name, 14, font_weight="600"))
        parts.append(
            f'<rect x="{middle - half}" y="{top + 16}" width="{2 * half}" height="14" '
            f'fill="{colour}"/>'
            f'<circle cx="{middle}" cy="{top + 23}" r="8" fill="{look.ink}"/>'
        )
        shown = {"fill": colour if name == "leastnoise" else look.soft, "text_anchor": "middle"}
        parts.append(_words(look, middle, top + 60, f"± {error}", 24, font_weight="700", **shown))
    parts.append(_words(look, 662, 316, "95 of 100 errors are at most this;", 13, fill=look.soft))
    parts.append(_words(look, 662, 336, "ε = 1, δ = 10⁻⁶ for both.", 13, fill=look.soft))
    return parts


def _arrow(look: Colours, x: float) -> str:
    drawn = f'<path d="M{x} 200h34m-11-9l11 9l-11 9" fill="none" stroke="{look.edge}" '
    return drawn + 'stroke-width="2"/>'
