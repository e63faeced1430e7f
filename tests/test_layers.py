"""Imports go strictly down the layers, or stay inside one package; nothing goes in circles."""

import ast

import pytest

from tests.layers import (
    ROOT,
    Imports,
    dotted_names,
    imported,
    modules,
    parsed,
    project_imports,
    reachable,
)

LAYERS = (
    {"_constructor"},
    {"_dataclass"},
    {"errors", "version", "people"},
    {"_check", "_show", "_display", "_names"},
    {"_frozen"},
    {"numeric"},
    {"privacy", "randomness"},
    {"noise", "certificates"},
    {"mechanisms"},
    {"accounting"},
    {"ledger"},
    {"tabulation", "groupwise"},
    {"least_noise", "sizes", "attacks", "research"},
    {"planning"},
    {"theory"},
    {"release"},
    {"auditing"},
    {"pictures"},
    {"reports"},
    {"web"},
    {"cli"},
    {"__main__"},
)
LEVEL = {part: level for level, row in enumerate(LAYERS) for part in row}
TOP = len(LAYERS)  # where the facade is, and anything that belongs to no layer
# A facade keeps exporting what moved up, and loads it only when somebody asks for it.
LAZY_FACADES = {(f"{ROOT}.groupwise", "research")}
THE_ONLY_DOOR_TO_ENTROPY = f"{ROOT}.randomness.source"
ENTROPY = ("numpy.random", "random", "secrets", "uuid", "os.urandom", "os.getrandom")


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def breaches(imports: Imports) -> list[str]:
    """Every import that goes up, sideways, or to the facade."""
    found = []
    for module, targets in imports.items():
        if module == ROOT:
            continue
        own = part_of(module)
        for target in targets:
            other = part_of(target)
            if (module, other) in LAZY_FACADES:
                continue
            if other != own and not LEVEL.get(other, TOP) < LEVEL.get(own, TOP):
                found.append(f"{module} must not import {target}")
    return found


def cycles(imports: Imports) -> list[str]:
    return sorted(module for module in imports if module in reachable(module, imports))


def checker_breaches(imports: Imports) -> list[str]:
    """The certificate checker must stand alone: no maker anywhere below it."""
    certificates = f"{ROOT}.certificates."
    return [
        f"{module} must not need {target}"
        for module in imports
        if module.startswith(f"{certificates}check")
        for target in reachable(module, imports)
        if target.startswith(f"{certificates}make")
    ]


def test_every_module_belongs_to_a_layer() -> None:
    assert {part_of(module) for module in modules()} - {""} <= set(LEVEL)


def test_imports_go_down_only() -> None:
    assert breaches(project_imports()) == []


def test_no_import_cycles() -> None:
    assert cycles(project_imports()) == []


def test_the_checker_needs_no_maker() -> None:
    assert checker_breaches(project_imports()) == []


def test_entropy_comes_through_one_door() -> None:
    others = {name: path for name, path in modules().items() if name != THE_ONLY_DOOR_TO_ENTROPY}
    assert len(others) == len(modules()) - 1
    assert [
        f"{module} must not use {name}"
        for module, path in others.items()
        for name in dotted_names(parsed(path))
        if is_entropy(name)
    ] == []


def is_entropy(name: str) -> bool:
    return any(name == source or name.startswith(f"{source}.") for source in ENTROPY)


# The rules above pass on a clean tree; these show that they fail on a dirty one.


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("numeric.ball", "noise.shapes.stairs"),
        ("privacy.loss", "randomness.source"),
        ("randomness.table", "privacy.unit"),
        ("noise.shapes.stairs", "certificates.check"),
        ("errors", "_check"),
        ("release.plan", "cli.main"),
    ],
)
def test_a_breach_is_seen(module: str, target: str) -> None:
    assert breaches({f"{ROOT}.{module}": {f"{ROOT}.{target}"}})
    assert breaches({f"{ROOT}.{module}": {ROOT}})


def test_a_cycle_is_seen() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]


def test_a_checker_that_leans_on_a_maker_is_seen() -> None:
    check, middle, maker = (f"{ROOT}.certificates.{name}" for name in ("check", "bound", "makers"))
    assert checker_breaches({check: {middle}, middle: {maker}, maker: set()})
    assert not checker_breaches({check: {middle}, middle: set(), maker: {check}})


@pytest.mark.parametrize(
    "text",
    [
        "import leastnoise.a.b",
        "from leastnoise.a import b",
        "from leastnoise.a.b import c",
        "def f():\n    from leastnoise.a.b import c",
        "from .b import c",
        "from . import b",
        "from ..a import b",
        "if True:\n    import leastnoise.a.b as x",
    ],
)
def test_every_way_to_import_is_seen(text: str) -> None:
    known = {"leastnoise", "leastnoise.a", "leastnoise.a.b", "leastnoise.a.x"}
    found = imported(ast.parse(text), "leastnoise.a.x", known, is_package=False)
    assert found == {"leastnoise.a.b"}


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from secrets import token_bytes",
        "import numpy as np\nnp.random.default_rng()",
        "from numpy import random as r\nr.normal()",
        "import os as o\no.urandom(3)",
        "from os import urandom",
        "import numpy.random",
    ],
)
def test_every_way_to_other_entropy_is_seen(text: str) -> None:
    assert any(map(is_entropy, dotted_names(ast.parse(text))))
