"""Names of laws, costs and numbers in plain words."""

import re
from collections.abc import Container
from itertools import chain, count

from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.numeric.cost import ABSOLUTE, SQUARED, Cost

_FAMILY_NAMES = {"Laplace", "Gaussian"}


def plain_name(law: LatticeLaw) -> str:
    """The name of a law as one writes it.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> plain_name(DiscreteLaplace(scale=2))
        'discrete Laplace'
    """
    if isinstance(law, TableLaw):
        return "optimum of a linear program"
    return spaced(type(law).__name__)


def spaced(name: str) -> str:
    """The words of a name that is written together.

    Example:
        >>> spaced("TruncatedLaplace")
        'truncated Laplace'
    """
    words = re.findall("[A-Z][a-z]*", name)
    return " ".join(word if word in _FAMILY_NAMES else word.lower() for word in words)


def capital(text: str) -> str:
    """With a large first letter."""
    return text[:1].upper() + text[1:]


def cut(text: str, longest: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def free(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it if it is taken."""
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(each for each in names if each not in taken)


def number(value: float) -> str:
    """A number for a sentence: four digits, no exponent unless it is long."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def cost_words(cost: Cost) -> str:
    """What is minimised, in words."""
    if cost == ABSOLUTE:
        return "average error"
    return "average squared error" if cost == SQUARED else cost.name


_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def drawable(words: str) -> str:
    """A text with powers of ten as programs write them; few fonts have raised digits.

    Example:
        >>> drawable("ε = 1, δ = 4·10⁻⁸ or 10⁻⁷")
        'ε = 1, δ = 4e-8 or 1e-7'
    """
    return re.sub(
        "(?:([0-9.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)",
        lambda found: f"{found[1] or 1}e{found[2].translate(_LOWERED)}",
        words,
    )


def small(words: str) -> str:
    """A text with small numbers as programs write them; few fonts have raised digits.

    Example:
        >>> small("δ = 1E-7")
        'δ = 1e-7'
    """
    return re.sub(r"(?<=\d)E-", "e-", words)
