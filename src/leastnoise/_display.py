"""Text that shows what it is: for terminals, reports and pictures.

Names and keys may come from the data, and from people who wish to deceive. A control character
steers a terminal and ends a drawing program; U+202E turns a name around; a space of no width makes
two names look like one. Where text is shown, `visible` writes the number of each of these. What is
stored (JSON, Parquet, the ledger) keeps the exact text.
"""

import re
import textwrap
import unicodedata

# Letters, marks and symbols by Unicode's categories that are drawn as nothing at all: fillers,
# joiners, variation selectors, and the empty pattern of Braille.
_EMPTY = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)


def visible(text: str, *, keep: str = "") -> str:
    """The text, with everything that cannot be seen or would change how the rest looks named.

    Args:
        text: any.
        keep: characters to leave as they are, such as line ends where there may be several lines.

    Example:
        >>> visible("Oslo" + chr(0x202E) + chr(27) + "[31m")
        'Oslo<U+202E><U+001B>[31m'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        each if each in keep or _is_seen(each) else f"<U+{ord(each):04X}>" for each in text
    )


def wrapped(text: str, *, wide: int = 80) -> str:
    """A sentence in lines that fit a terminal; all but the first are indented.

    Example:
        >>> print(wrapped("values are cut to 0 … 600; intervals do not hold the rest", wide=40))
        values are cut to 0 … 600; intervals do
          not hold the rest
    """
    return textwrap.fill(
        text, wide, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def visible_json(text: str) -> str:
    r"""JSON with the same value, in which what cannot be seen is written as JSON's own escapes.

    Example:
        >>> print(visible_json('{"city": "Oslo\u202e"}'))
        {"city": "Oslo\u202e"}
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each == "\n" or _is_seen(each) else _pair(each) for each in text)


def _is_seen(character: str) -> bool:
    if character.isprintable():
        return not _EMPTY.match(character)
    return unicodedata.category(character) == "Zs"  # spaces that have a width


def _pair(character: str) -> str:
    """As JSON writes it: beyond four digits, in two halves."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
