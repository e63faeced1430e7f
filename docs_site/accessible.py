"""What the theme forgets to tell those who do not see the page."""

from typing import Any

_NAMELESS = 'data-md-component="search" role="dialog"'


def on_post_page(output: str, **_: Any) -> str:
    """Names the search."""
    return output.replace(_NAMELESS, f'{_NAMELESS} aria-label="Search"')
