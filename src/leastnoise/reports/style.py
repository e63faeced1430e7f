"""How the page looks: on a screen by day and by night, on a phone, and on paper."""

from leastnoise.reports.markup import Markup

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f1f1f",
    "faint": "#555555",
    "line": "#d0d0d0",
    "ground": "#f3f5f7",
    "accent": "#0065a3",
}
DARK = {
    "paper": "#16191d",
    "ink": "#ececec",
    "faint": "#b3b3b3",
    "line": "#444b54",
    "ground": "#20252b",
    "accent": "#7cc0ee",
}


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())


STYLE = Markup(
    f""":root{{color-scheme:light dark;{_variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"""
    """
body{background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,
"Segoe UI","Liberation Sans",Arial,sans-serif;max-width:60rem;margin:0 auto;padding:1rem 1.25rem;
overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.25rem;margin:2.2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}
h3{font-size:1.05rem;margin:1.8rem 0 .4rem;overflow-wrap:anywhere}
a{color:var(--accent)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
.key{background:var(--ground);border-left:.3rem solid var(--accent);padding:.5rem 1rem}
.small{color:var(--faint);font-size:.9rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.5rem 0}
caption{text-align:left;color:var(--faint);font-size:.9rem;padding:.2rem 0}
th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid var(--line);
vertical-align:top;unicode-bidi:isolate;overflow-wrap:break-word;max-width:24rem}
th{font-weight:600}
tbody th{font-weight:400}
.asked td:nth-child(2){min-width:13rem}
td.n,.numbers td{text-align:right;white-space:nowrap}
th.n{text-align:right;white-space:nowrap}
.flag{display:block;color:var(--faint);font-weight:600}
td svg{width:120px;height:12px;vertical-align:middle}
td svg path{stroke:var(--accent);stroke-width:2;fill:none}
figure{margin:.5rem 0}
figure svg{width:100%;max-width:30rem;height:1.4rem}
rect.scale{fill:var(--line)}
rect.after{fill:var(--accent);opacity:.55}
rect.before{fill:var(--accent)}
code,pre{font:.88rem/1.4 ui-monospace,"Liberation Mono",Consolas,monospace}
code{background:var(--ground);padding:.05rem .25rem;overflow-wrap:anywhere}
pre{background:var(--ground);padding:.7rem;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.25rem 1.25rem}
dt{color:var(--faint)}
dd{margin:0;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--accent)}
nav ul{columns:2;padding-left:1.2rem}
@media (max-width:40rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}nav ul{columns:1}}
@media print{"""
    f":root{{{_variables(LIGHT)}}}"
    """
@page{margin:18mm 15mm}
html{font-size:10pt}
body{max-width:none;padding:0}
nav,.skip{display:none}
h2,h3,caption{break-after:avoid}
tr,.key,dl,.few{break-inside:avoid}
thead{display:table-header-group}
.scroll{overflow:visible}
details::details-content{content-visibility:visible;block-size:auto}
a{color:inherit;text-decoration:none}
}"""
)
