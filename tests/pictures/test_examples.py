"""The pictures of the documentation are those the example draws."""

import json
from pathlib import Path

import pytest

from examples.pictures import ALL, IMAGES, main
from leastnoise._show import Drawing


def test_every_image_of_the_documentation_is_drawn_by_the_example() -> None:
    assert {path.name for path in IMAGES.glob("*.svg")} == set(ALL)
    pages = "".join(page.read_text("utf-8") for page in IMAGES.parent.glob("*.md"))
    assert [name for name in ALL if f"(images/{name})" not in pages] == []


def test_the_example_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"promise.svg": ALL["promise.svg"], "least_noise.svg": ALL["least_noise.svg"]}
    monkeypatch.setattr("examples.pictures.ALL", chosen)
    main(tmp_path / "images")
    assert {path.name for path in (tmp_path / "images").iterdir()} == set(chosen)


@pytest.mark.parametrize(
    "name", ["least_noise.svg", "promise.svg", "sample_size.svg", "shared_noise.svg"]
)
def test_the_stored_image_says_what_the_library_says_now(name: str) -> None:
    shown: Drawing = ALL[name]()
    json.dumps(shown.spec, allow_nan=False)
    start = shown.svg().partition("style=")[0]  # role and words; the rest may differ by version
    assert (IMAGES / name).read_text("utf-8").startswith(start)
