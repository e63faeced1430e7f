"""The house: imports go down, the trusted closure is small, no module is long, names are listed."""

import ast
from pathlib import Path

import pytest

import leastnoise

SRC = Path(leastnoise.__file__).parent.parent
FILES = sorted((SRC / "leastnoise").rglob("*.py"))
CEILING = 7_500  # lines that must be right for the promise, with one engine and one ledger store

THEORY = {"numbers", "noise", "privacy", "mechanisms"}
ALLOWED = {
    "numbers": set(),
    "noise": {"numbers"},
    "privacy": {"numbers", "noise"},
    "mechanisms": {"numbers", "noise", "privacy"},
    "relative": THEORY,
    "optima": THEORY,
    "workloads": THEORY | {"optima"},
    "bounds": THEORY | {"relative", "optima", "workloads"},
    "auditing": THEORY | {"relative", "optima", "workloads", "bounds"},
    "tables": {"numbers"},
    "report": {"numbers"},
    "sql": {"numbers", "tables"},
    "ledger": {"numbers", "privacy", "report"},
    "release": THEORY | {"workloads", "tables", "report", "sql", "ledger"},
    "files": {"numbers", "tables", "ledger", "release"},
    "cli": THEORY
    | {"optima", "bounds", "auditing", "tables", "report", "ledger", "release", "files"},
}


def name_of(path: Path) -> str:
    parts = list(path.relative_to(SRC).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
LINES = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}


def hidden_by_type_checking(tree: ast.AST) -> set[int]:
    blocks = [node for node in ast.walk(tree)
              if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]  # fmt: skip
    return {id(inner) for block in blocks for inner in ast.walk(block)}


def imports_of(name: str) -> set[str]:
    """Modules of the project that a module imports anywhere, function-local imports too."""
    found, hidden = set(), hidden_by_type_checking(TREES[name])
    for node in ast.walk(TREES[name]):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} has a relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in TREES else str(node.module))
    return found & TREES.keys() - {name}


GRAPH = {name: imports_of(name) for name in TREES}
TRUSTED = {name for name, tree in TREES.items()
           if (ast.get_docstring(tree) or "").rstrip().endswith("Trusted.")}  # fmt: skip


def closure(start: set[str]) -> set[str]:
    seen, todo = set[str](), [*start]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += GRAPH[name]
    return seen


def test_imports_go_down() -> None:
    for name, imported in GRAPH.items():
        parts = name.split(".")
        if len(parts) < 2:
            continue
        for other in imported:
            package = other.split(".")[1]
            assert package == parts[1] or package in ALLOWED[parts[1]], f"{name} imports {other}"


def test_trusted_modules_import_only_trusted_modules() -> None:
    for name in TRUSTED:
        strangers = {other for other in GRAPH[name] if other not in TRUSTED}
        assert not strangers, f"{name} is trusted and imports {strangers}"


def test_the_trusted_closure_is_below_its_ceiling() -> None:
    lines = sum(LINES[name] for name in closure(TRUSTED))
    assert lines <= CEILING, f"{lines} lines must be right for the promise"


def test_what_a_release_runs_between_charge_and_store_is_trusted() -> None:
    assert {"leastnoise.release.run", "leastnoise.release.gate", "leastnoise.ledger.meters",
            "leastnoise.tables.contributions"} <= TRUSTED  # fmt: skip
    assert closure({"leastnoise.release.run"}) <= TRUSTED | {"leastnoise.release", "leastnoise"}


def test_no_import_cycle() -> None:
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"cycle: {' -> '.join((*path, name))}"
        if name not in done:
            for other in GRAPH[name]:
                visit(other, (*path, name))
            done.add(name)

    for name in GRAPH:
        visit(name, ())


@pytest.mark.parametrize("name", LINES)
def test_no_module_is_long(name: str) -> None:
    assert LINES[name] <= 500


def test_public_names() -> None:
    assert sorted(leastnoise.__all__, key=str.casefold) == [
        "above_threshold", "Answer", "ApproxDP", "audit", "bins", "BudgetExceeded", "calibrate", "count",
        "count_units", "Data", "EngineError", "GDP", "Interval", "InvalidInput", "LeastNoiseError",
        "Ledger", "LedgerError", "load", "marginals", "mean", "median", "one_way_marginals", "optimal",
        "Plan", "plan", "Preview", "PrivacyLoss", "PureDP", "quantile", "Query", "randomized_response",
        "read", "relative_counts", "Release", "Result", "ROW", "running_totals", "sample_size",
        "Schedule", "share", "Source", "std", "sum", "Undecided", "UnsupportedSQL", "variance", "ZCDP",
    ]  # fmt: skip
    for name in leastnoise.__all__:
        documented = getattr(getattr(leastnoise, name), "__doc__", None)
        assert documented, f"{name} has no docstring"


PACKAGES = {
    "auditing": "",
    "bounds": "attack_risk CopiedRecords cube_tail FingerprintingCode least_epsilon least_error "
    "lower_bounds norm_of suggest_delta trace",
    "mechanisms": "exponential_mechanism gaussian laplace mean_error NameAndShame partition_rule "
    "permute_and_flip quantiles sparse_vector staircase",
    "noise": "Ball Box CentredGaussian DiscreteLaplace KNormNoise Laplace Normal NormStaircase "
    "RoundedGaussian Simplex Staircase StaircaseDensity TableLaw TruncatedLaplace Uniform",
    "numbers": "CertificateRejected Moment TailProbability",
    "optima": "Certificate noise_bounds staircase_theory uniform_bounds",
    "privacy": "advanced_composition basic_composition classical_range convert gaussian_sigma "
    "group_privacy hockey_stick optimal_composition privacy_loss renyi tail_bound verify",
    "relative": "GroupwiseZCDP ProductNoise ProportionalNoise",
    "workloads": "joint_noise ResidualPlan",
}


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_of_a_package(package: str) -> None:
    """Names that stand at the top too are listed there alone."""
    module = getattr(leastnoise, package)
    names = getattr(module, "__all__", [])
    assert sorted(names, key=str.casefold) == PACKAGES[package].split()
    for name in names:
        assert getattr(module, name).__doc__, f"{package}.{name} has no docstring"
