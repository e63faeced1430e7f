"""The exported names are a promise: a change here is a change of the public interface."""

from importlib.metadata import version
from inspect import isabstract, isclass

import pytest

import leastnoise
from leastnoise import noise


def test_names_of_the_package() -> None:
    assert sorted(leastnoise.__all__) == [
        "ApproxDP",
        "BudgetExceeded",
        "GDP",
        "Interval",
        "InvalidParameter",
        "LeastNoiseError",
        "PrivacyLoss",
        "PureDP",
        "RDP",
        "Source",
        "Undecided",
        "UnsupportedQuery",
        "Verification",
        "ZCDP",
        "__version__",
        "accounting",
        "mechanisms",
        "noise",
        "planning",
        "privacy",
        "randomized_response",
        "suggest_delta",
        "theory",
    ]


def test_names_of_noise() -> None:
    assert sorted(noise.__all__) == [
        "Canonical",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "LAWS",
        "LatticeLaw",
        "MedianOfUniforms",
        "NormLaplace",
        "NormStaircase",
        "Staircase",
        "TableLaw",
        "TruncatedLaplace",
        "TruncatedStaircase",
        "Uniform",
        "VectorLaw",
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
