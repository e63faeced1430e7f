"""The pictures of the documentation are those the example draws."""

import json
from pathlib import Path

import pytest

from examples.pictures import ALL, IMAGES, ROOT, SKETCHES, by_day_and_night, main
from leastnoise._show import Drawing


def test_every_image_of_the_documentation_is_drawn_by_the_example() -> None:
    assert {path.name for path in IMAGES.glob("*.svg")} == {*ALL, *SKETCHES}


def test_every_image_is_shown_somewhere() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text("utf-8") for page in pages)
    names = [path.name for path in IMAGES.iterdir()]
    assert [name for name in names if f"images/{name}" not in text] == []


@pytest.mark.parametrize("tutorial", sorted((ROOT / "docs" / "tutorials").glob("*.md")))
def test_every_tutorial_has_a_figure(tutorial: Path) -> None:
    assert "](../images/" in tutorial.read_text("utf-8")


@pytest.mark.parametrize("name", SKETCHES)
def test_sketches_are_what_is_stored(name: str) -> None:
    assert (IMAGES / name).read_text("utf-8") == SKETCHES[name]()


def test_pictures_have_no_ground_and_two_inks() -> None:
    drawn = by_day_and_night(ALL["promise.svg"]().svg())
    assert 'fill="white"' not in drawn
    assert drawn.count("prefers-color-scheme:dark") == 1


def test_the_example_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"promise.svg": ALL["promise.svg"], "least_noise.svg": ALL["least_noise.svg"]}
    monkeypatch.setattr("examples.pictures.ALL", chosen)
    monkeypatch.setattr("examples.pictures.SKETCHES", {})
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
