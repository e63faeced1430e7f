"""The word that opens the page: drawn anew for each run, compared without telling by time."""

import base64
from hmac import compare_digest

from leastnoise.randomness.source import Source

_BYTES = 24  # 192 bits: not to be guessed


def new_token() -> str:
    """192 random bits as text that fits an address.

    Example:
        >>> len(new_token()), new_token() == new_token()
        (32, False)
    """
    return base64.urlsafe_b64encode(Source().bytes(_BYTES).tobytes()).decode("ascii")


def same_token(offered: str, token: str) -> bool:
    """Whether they are equal, in a time that does not depend on where they differ."""
    return compare_digest(offered.encode("utf-8", "surrogateescape"), token.encode("ascii"))
