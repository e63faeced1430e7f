"""The exported names are a promise: a change here is a change of the public interface."""

from importlib.metadata import version
from inspect import isabstract, isclass

import pytest

import leastnoise
from leastnoise import noise


def test_names_of_the_package() -> None:
    assert sorted(leastnoise.__all__) == [
        "Interval",
        "InvalidParameter",
        "LeastNoiseError",
        "Source",
        "Undecided",
        "UnsupportedQuery",
        "Verification",
        "__version__",
        "noise",
    ]


def test_names_of_noise() -> None:
    assert sorted(noise.__all__) == [
        "LAWS",
        "Canonical",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "LatticeLaw",
        "MedianOfUniforms",
        "NormLaplace",
        "NormStaircase",
        "Staircase",
        "TableLaw",
        "TruncatedLaplace",
        "TruncatedStaircase",
        "Uniform",
    ]


@pytest.mark.parametrize("module", [leastnoise, noise])
def test_every_name_exists(module: object) -> None:
    missing = [name for name in module.__all__ if not hasattr(module, name)]  # type: ignore[attr-defined]
    assert missing == []


def test_registry_holds_exactly_the_public_laws() -> None:
    public = [getattr(noise, name) for name in noise.__all__]
    laws = {value for value in public if isclass(value) and not isabstract(value)}
    assert set(noise.LAWS) == laws


def test_version_is_stated_once() -> None:
    assert leastnoise.__version__ == version("leastnoise")
