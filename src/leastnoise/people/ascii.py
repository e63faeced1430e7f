"""The same text for terminals that know no letters but those of ASCII."""

from leastnoise.people.digits import MINUS

_ASCII = {
    "ε": "e", "δ": "d", "ρ": "rho", "μ": "mu", "±": "+-", MINUS: "-", "–": "-", "—": "-", "·": "*",
    "≈": "~", "≤": "<=", "≥": ">=", "×": "x", "…": "...", "▓": "#", "░": ".", "━": "=", "─": "-",
    "“": '"', "”": '"', "’": "'", "∞": "inf", "√": "sqrt", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def in_ascii(text: str) -> str:
    """The same for terminals that know no other letters; what has no counterpart stays.

    Example:
        >>> in_ascii("ε = 2, δ = 4·10⁻⁸ left, ±360")
        'e = 2, d = 4*10^-8 left, +-360'
    """
    found: list[str] = []
    for each in text:
        low = each.translate(_LOWERED)
        if low != each:
            found.append(
                low if found and found[-1][-1:] in "-0123456789" and _raised(found) else f"^{low}"
            )
        else:
            found.append(_ASCII.get(each, each))
    return "".join(found)


def _raised(found: list[str]) -> bool:
    """Whether the last part stands in an exponent already."""
    tail = "".join(found).rpartition("^")
    return bool(tail[1]) and all(each in "-0123456789" for each in tail[2])
