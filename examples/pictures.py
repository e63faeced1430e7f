"""The pictures of the documentation, drawn anew; the same ones every time.

python examples/pictures.py [folder]     needs the extra `plots`; writes to docs/images by default
"""

import sys
from collections.abc import Callable
from pathlib import Path

import leastnoise as ln
from leastnoise._show import Drawing
from leastnoise.pictures import error_by_epsilon, error_by_questions
from leastnoise.planning.tradeoff_view import tradeoff_view

IMAGES = Path(__file__).parent.parent / "docs" / "images"


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


ALL: dict[str, Callable[[], Drawing]] = {
    "least_noise.svg": least_noise,
    "error_against_epsilon.svg": error_against_epsilon,
    "attacker.svg": attacker,
    "promise.svg": promise,
    "group_sizes.svg": group_sizes,
    "sample_size.svg": sample_size,
    "shared_noise.svg": shared_noise,
}


def main(folder: Path) -> None:
    """Draw them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in ALL.items():
        shown = draw()
        shown.save(folder / name)
        print(f"{name}: {shown.words}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
