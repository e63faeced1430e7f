"""Pages made while the site is built: the project's own files, and the reference."""

import importlib
from pathlib import Path

import mkdocs_gen_files

import leastnoise
from docs_site.choosing import HERE, script
from docs_site.links import PROJECT_FILES

PACKAGES = ("noise", "mechanisms", "privacy", "accounting", "planning", "tabulation", "groupwise",
            "attacks", "theory", "ledger", "auditing", "pictures", "reports")  # fmt: skip
# What `read` and `plan` lead to: no names to import, but things to ask.
RELEASE = ("ask.table.Table", "plan.Plan", "result.forecast.Forecast",
           "result.plan_release.PlanRelease", "result.released_table.ReleasedTable",
           "ask.neighbours.Neighbours")  # fmt: skip

# What nearly everybody needs stands first.
FIRST = ("leastnoise.release.read.read", "leastnoise.release.plan.plan",
         "leastnoise.release.plan.Plan.release", "leastnoise.ledger.ledger.Ledger")  # fmt: skip

# Their methods are written in several files: all of them are shown together.
WHOLE = ("leastnoise.release.plan.Plan", "leastnoise.ledger.ledger.Ledger")


def write(page: str, text: str) -> None:
    """Adds a page to the site."""
    with mkdocs_gen_files.open(page, "w") as file:
        file.write(text)


def places(module: str) -> list[str]:
    """Where each public name of a module is defined."""
    loaded = importlib.import_module(f"leastnoise.{module}")
    found = []
    for name in loaded.__all__:
        value = getattr(loaded, name)
        home = getattr(value, "__module__", None)
        if isinstance(home, str) and home.startswith("leastnoise."):
            found.append(f"{home}.{getattr(value, '__qualname__', name)}")
    return found


def reference(title: str, names: list[str]) -> str:
    """A page that shows the docstrings of several names."""
    return "\n\n".join([f"# {title}", *map(_entry, names)]) + "\n"


def _entry(name: str) -> str:
    more = "\n    options:\n      inherited_members: true" if name in WHOLE else ""
    return f"::: {name}{more}"


for name, page in PROJECT_FILES.items():
    text = Path(name).read_text("utf-8")
    write(page, text if name.endswith(".md") else f"# {name}\n\n```text\n{text}\n```\n")

known_at = [
    f"leastnoise.{home}.{name}" for home, names in leastnoise._HOMES.items() for name in names
]
facade = [*FIRST, *(place for place in known_at if place not in FIRST)]
write("reference/leastnoise.md", reference("leastnoise", facade))
for package in PACKAGES:
    known = [place for place in places(package) if place not in facade]
    write(f"reference/{package}.md", reference(f"leastnoise.{package}", known))
write(
    "reference/release.md",
    reference("leastnoise.release", [f"leastnoise.release.{name}" for name in RELEASE]),
)

write("javascripts/choose.js", script())
write("stylesheets/choose.css", (HERE / "choose.css").read_text("utf-8"))
