"""The few rows of results.json that the page of comparisons shows, misses included.

`python -m benchmarks.comparison` prints the table; a test holds docs/comparison.md to it.
"""

from typing import Any

from benchmarks.results import read_results

# The case, how the peer's cell begins, and what is measured, in words.
SHOWN = (
    ("DiscreteLaplace, scale 10", "OpenDP", "exact Laplace noise, samples a second"),
    ("DiscreteGaussian, σ 10", "OpenDP", "exact Gaussian noise, samples a second"),
    ("DiscreteLaplace, scale 1e+09", "NumPy", "exact Laplace noise, scale 1e9"),
    ("1000 × Gaussian, σ = 30, time", "dp-accounting, both", "1000 Gaussians composed to 1e-4"),
    ("1000 × Gaussian, σ = 30, time", "dp-accounting, upper", "the same, one end, truth known"),
    ("Calibration of 10 × Gaussian to (1, 1e-6), time", "dp-acc", "calibration of 10 Gaussians"),
)


def table() -> str:
    """Markdown."""
    rows = read_results()["rows"]
    head = ["| measured | leastnoise | beside | ratio |", "|---|---|---|---|"]
    lines = [_line(words, _found(rows, case, peer)) for case, peer, words in SHOWN]
    return "\n".join([*head, *lines])


def _found(rows: list[dict[str, Any]], case: str, peer: str) -> dict[str, Any]:
    return next(row for row in rows if row["case"] == case and row["peer"].startswith(peer))


def _line(words: str, row: dict[str, Any]) -> str:
    figure = f"{row['figure']:.3g} {row['unit']}"
    return f"| {words} | {row['ours']} | {row['peer']} | {figure} |"


if __name__ == "__main__":
    print(table())
