"""The colours of everything people see, by day and by night: page, notebook and charts.

Blue is data, orange is what limits cut or where to be careful; nothing else has a colour. All
pairs of text and ground have a contrast of at least 4.5 to 1, bars and borders of 3 to 1.
"""

LIGHT = {
    "paper": "#ffffff", "wash": "#f4f6f8", "ink": "#15202b", "ink2": "#4b5867",
    "line": "#d5dce4", "edge": "#6f7b89", "data": "#0b5fa5", "mid": "#5a96cc",
    "soft": "#cfe1f2", "faint": "#eaf2fa", "cut": "#a34700", "cutmid": "#cf7a24",
    "cutsoft": "#f8dfc4", "cutfaint": "#fdf4e9", "on": "#ffffff",
}  # fmt: skip
DARK = {
    "paper": "#10161d", "wash": "#18212b", "ink": "#e8edf2", "ink2": "#aab6c3",
    "line": "#2d3a48", "edge": "#8593a2", "data": "#74b6f2", "mid": "#4a86ba",
    "soft": "#21435f", "faint": "#162736", "cut": "#f2a65e", "cutmid": "#b06a25",
    "cutsoft": "#553717", "cutfaint": "#2a2017", "on": "#0b1117",
}  # fmt: skip

SANS = (
    '-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,'
    "system-ui,sans-serif"
)
MONO = (
    'ui-monospace,"SF Mono","Cascadia Mono",Consolas,"Liberation Mono","DejaVu Sans Mono",monospace'
)


def variables(colours: dict[str, str]) -> str:
    """As custom properties of CSS."""
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())
