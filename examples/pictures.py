"""The pictures of the documentation, drawn anew; the same ones every time.

python -m examples.pictures [folder]     needs the extra `plots`; writes to docs/images by default

Pictures of pages in a browser, with numbers that are new in every run: tests/web/screenshots.py.
"""

import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import leastnoise as ln
from examples.badges import badges
from examples.diagrams import every_day, joined_tables
from examples.hero import DARK, LIGHT, hero
from examples.terminal import printed, terminal
from leastnoise._show import Drawing
from leastnoise.accounting import Training, epoch_costs
from leastnoise.pictures import error_by_epsilon, error_by_questions
from leastnoise.pictures.picture import in_any_light
from leastnoise.planning.tradeoff_view import tradeoff_view

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
INK = "<style>svg{color:#15202b}@media(prefers-color-scheme:dark){svg{color:#e8edf2}}</style>"


def least_noise() -> Drawing:
    """The best noise for a sum of small numbers, beside the usual one."""
    return ln.optimal(sensitivity=10, epsilon=3).plot()


def error_against_epsilon() -> Drawing:
    """How much error privacy costs, and how little is possible."""
    return error_by_epsilon(ln.optimal(sensitivity=8, epsilon=1, delta="1e-6"))


def attacker() -> Drawing:
    """What someone who looks for a person finds out from a count."""
    mechanism = ln.optimal(sensitivity=1, epsilon=1, delta="1e-6", count=10, independent=True)
    return tradeoff_view(mechanism).plot()


def promise() -> Drawing:
    """What ε = 1 means."""
    return ln.PureDP(epsilon=1).plot()


def group_sizes() -> Drawing:
    """Counts with a relative error of 5 %."""
    return ln.relative_counts(relative_error="0.05", smallest=1).curve().plot()


def sample_size() -> Drawing:
    """How many people a hundred averages need."""
    return ln.sample_size(
        dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95"
    ).plot()


def shared_noise() -> Drawing:
    """What one noise for several counts saves."""
    return error_by_questions()


def training() -> Drawing:
    """What training costs, epoch by epoch."""
    run = Training(noise="1.1", rate="256/60000", steps=14000)
    return epoch_costs(run, delta="1e-5").plot()


ALL: dict[str, Callable[[], Drawing]] = {
    "least_noise.svg": least_noise,
    "error_against_epsilon.svg": error_against_epsilon,
    "attacker.svg": attacker,
    "promise.svg": promise,
    "group_sizes.svg": group_sizes,
    "sample_size.svg": sample_size,
    "shared_noise.svg": shared_noise,
    "training.svg": training,
}


def preview() -> str:
    """What the demo's plan will cost, in a terminal: nothing is read, so it is always the same."""
    typed = "preview examples/visits.toml"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "examples", home / "examples")
        table = home / "build" / "demo" / "visits.parquet"
        table.parent.mkdir(parents=True)
        subprocess.run(
            [sys.executable, home / "examples" / "make_visits.py", table],
            check=True,
            capture_output=True,
        )
        with contextlib.chdir(home):
            return terminal(f"leastnoise {typed}", printed(*typed.split()))


SKETCHES: dict[str, Callable[[], str]] = {
    "badges.svg": badges,
    "every_day.svg": every_day,
    "joined_tables.svg": joined_tables,
    "hero.svg": lambda: hero(LIGHT),
    "hero-dark.svg": lambda: hero(DARK),
    "terminal.svg": preview,
}


def main(folder: Path) -> None:
    """Draw them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sketch in SKETCHES.items():
        (folder / name).write_text(sketch(), "utf-8")
    for name, draw in ALL.items():
        shown = draw()
        (folder / name).write_text(by_day_and_night(shown.svg()), "utf-8")
        print(f"{name}: {shown.words}")


def by_day_and_night(svg: str) -> str:
    """The drawing without a ground of its own, in ink that suits the reader's screen."""
    return re.sub(r"<svg [^>]*>", lambda found: found[0] + INK, in_any_light(svg), count=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
