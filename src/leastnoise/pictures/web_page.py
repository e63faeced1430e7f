"""A picture as a web page of its own."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

# It may run the code inside it, and reach nothing outside.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
<main>
<h1 style="position:absolute;left:-99rem">{title}</h1>
<div id="picture"></div>
<noscript>{svg}</noscript>
</main>
<script>{code}</script>
<script>vegaEmbed("#picture", {spec}, {options}).catch(console.error)</script>
</body>
</html>
"""


def web_page(spec: Mapping[str, Any], *, svg: str, code: str) -> str:
    """A page that draws a specification, and shows an image where it may not run code.

    Args:
        spec: the drawing.
        svg: the same as an image.
        code: JavaScript that defines vegaEmbed.
    """
    return _PAGE.format(
        policy=escape(_POLICY),
        title=escape(str(spec["title"]["text"])),
        svg=svg,
        code=code,
        spec=_inside_script(spec),
        options=_inside_script({"actions": False, "renderer": "svg"}),
    )


def _inside_script(value: Mapping[str, Any]) -> str:
    r"""As JSON that cannot end the script it stands in, whatever names there are in it.

    Example:
        >>> _inside_script({"name": "</script>"})
        '{"name": "\\u003c/script\\u003e"}'
    """
    text = json.dumps(value)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
