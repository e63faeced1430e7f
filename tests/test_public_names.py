"""The exported names are a promise: a change here is a change of the public interface."""

import ast
from importlib.metadata import version
from inspect import isabstract, isclass
from pathlib import Path
from types import ModuleType

import pytest

import leastnoise
from leastnoise import accounting, mechanisms, noise, privacy, tabulation

LOADED_LATER = [accounting, mechanisms, noise, privacy, tabulation]


def test_names_of_the_package() -> None:
    assert sorted(leastnoise.__all__) == [
        "ApproxDP",
        "BackendError",
        "BudgetExceeded",
        "Certificate",
        "CertificateRejected",
        "Clip",
        "CsvForm",
        "GDP",
        "GroupwiseZCDP",
        "Interval",
        "InvalidParameter",
        "Keys",
        "LeastNoiseError",
        "Ledger",
        "LedgerError",
        "Moment",
        "OwnCost",
        "PlanCertificate",
        "PrivacyLoss",
        "PureDP",
        "RDP",
        "Source",
        "StreamCertificate",
        "TailProbability",
        "Undecided",
        "UnsupportedQuery",
        "Verification",
        "ZCDP",
        "__version__",
        "above_threshold",
        "accounting",
        "attack_risk",
        "attacks",
        "audit",
        "auditing",
        "coalesce",
        "col",
        "dataset",
        "exponential_mechanism",
        "gaussian",
        "greatest",
        "groupwise",
        "laplace",
        "least",
        "least_epsilon",
        "least_error",
        "marginals",
        "mechanisms",
        "noise",
        "optimal",
        "permute_and_flip",
        "pictures",
        "plan",
        "planning",
        "prepare",
        "privacy",
        "randomized_response",
        "read",
        "relative_counts",
        "reports",
        "running_totals",
        "sample_size",
        "sparse_vector",
        "staircase",
        "suggest_delta",
        "tabulation",
        "theory",
        "when",
    ]


def test_names_of_noise() -> None:
    assert sorted(noise.__all__) == [
        "Canonical",
        "CountsLaw",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "EuclideanLaw",
        "GeneralizedGaussian",
        "Independent",
        "LAWS",
        "LatticeLaw",
        "MedianOfUniforms",
        "NormLaplace",
        "NormStaircase",
        "Staircase",
        "TableLaw",
        "TruncatedLaplace",
        "TruncatedNormStaircase",
        "TruncatedStaircase",
        "Uniform",
        "VectorLaw",
    ]


@pytest.mark.parametrize("module", [leastnoise, *LOADED_LATER])
def test_every_name_exists(module: ModuleType) -> None:
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == []


def test_registry_holds_exactly_the_public_laws() -> None:
    public = [getattr(noise, name) for name in noise.__all__]
    laws = {value for value in public if isclass(value) and not isabstract(value)}
    assert set(noise.LAWS) == laws


def test_version_is_stated_once() -> None:
    assert leastnoise.__version__ == version("leastnoise")


def test_names_are_loaded_from_where_they_live() -> None:
    listed = set(leastnoise._HOME) | leastnoise._PACKAGES | {"__version__"}
    assert listed == set(leastnoise.__all__)
    assert dir(leastnoise) == sorted(leastnoise.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        leastnoise.nothing  # noqa: B018


def test_functions_are_not_hidden_by_packages_of_the_same_name() -> None:
    """Importing a package binds its name in its parent; a function there must not share it."""
    packages = {path.name for path in Path(leastnoise.__file__).parent.iterdir() if path.is_dir()}
    assert packages & set(leastnoise._HOME) == set()


@pytest.mark.parametrize("package", LOADED_LATER)
def test_names_that_are_loaded_later_are_not_hidden_by_modules(package: ModuleType) -> None:
    assert package.__file__ is not None
    modules = {path.stem for path in Path(package.__file__).parent.iterdir()}
    assert modules & set(package.__all__) == set()
    assert dir(package) == sorted(package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize("package", LOADED_LATER)
def test_checkers_of_types_see_the_names_and_no_others(package: ModuleType) -> None:
    """Of a module with `__getattr__` they take every name to be there, misspelt ones, too."""
    assert package.__file__ is not None
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    (choice,) = (each for each in tree.body if isinstance(each, ast.If))
    assert ast.unparse(choice.test) == "TYPE_CHECKING"
    assert "__getattr__" in ast.unparse(choice.orelse[0])
    choice.orelse = []
    assert "__getattr__" not in ast.unparse(tree)
