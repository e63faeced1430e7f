"""The stations of a release: imports go down, and what is trusted needs no search."""

import pytest

from tests.layers import ROOT, Imports, modules, project_imports, reachable

RELEASE = f"{ROOT}.release"

# A row holds packages or single modules of `release`; the longest name that fits a module decides.
STATIONS = (
    {"ask", "document"},
    {"step"},
    {"gate", "measure", "result"},
    {"stream_gate"},
    {"sql.text"},
    {"sql.rows"},
    {"draw"},
    {"spread"},
    {"questions"},
    {"price"},
    {"over_time"},
    {"draw.answered"},
    {"asking"},
    {"questionnaire", "second_stage", "stored_answers"},
    {"scheduled_plan"},
    {"read", "plan"},
    {"sql"},
    {"dataset"},
    {"file", "bounds_look", "inspection", "prepare"},
)
LEVEL = {part: level for level, row in enumerate(STATIONS) for part in row}

TRUSTED = ("ask", "step", "gate", "stream_gate", "measure", "draw", "questions")
UNTRUSTED = (
    "price",
    "over_time",
    "document",
    "file",
    "dataset",
    "plan",
    "second_stage",
    "stored_answers",
    "bounds_look",
    "inspection",
    "prepare",
    "sql",
)

# What is trusted and still names something that is not, with the reason why that is harmless.
EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "draw.answered",
        "price.priced_plan",
    ): "reads which noise each question gets; it prices nothing",
}


def station(module: str) -> str:
    """The row of a module: the longest entry that is the module or a package around it."""
    inner = module.removeprefix(f"{RELEASE}.")
    fitting = [part for part in LEVEL if f"{inner}.".startswith(f"{part}.")]
    return max(fitting, key=len, default="")


def inside(imports: Imports) -> list[tuple[str, str]]:
    """Every import from one module of `release` to another."""
    own = f"{RELEASE}."
    return [
        (module, target)
        for module, targets in imports.items()
        if module.startswith(own)
        for target in targets
        if target.startswith(own)
    ]


def breaches(imports: Imports) -> list[str]:
    return [
        f"{module} must not import {target}"
        for module, target in inside(imports)
        if station(module) != station(target)
        and LEVEL.get(station(target), -1) >= LEVEL.get(station(module), -1)
    ]


def distrusted(imports: Imports) -> list[str]:
    """What the trusted stations import of the others, directly, without a stated reason."""
    found = []
    for module, target in inside(imports):
        pair = (module.removeprefix(f"{RELEASE}."), target.removeprefix(f"{RELEASE}."))
        if is_of(pair[0], TRUSTED) and is_of(pair[1], UNTRUSTED) and pair not in EXCEPTIONS:
            found.append(f"{module} must not trust {target}")
    return found


def is_of(inner: str, parts: tuple[str, ...]) -> bool:
    return any(f"{inner}.".startswith(f"{part}.") for part in parts)


def test_every_module_has_a_station() -> None:
    own = [module for module in modules() if module.startswith(f"{RELEASE}.")]
    assert [module for module in own if not station(module)] == []


def test_imports_go_down() -> None:
    assert breaches(project_imports()) == []


def test_what_is_trusted_needs_no_search() -> None:
    assert distrusted(project_imports()) == []


def test_every_exception_is_needed() -> None:
    imports = project_imports()
    assert [
        pair for pair in EXCEPTIONS if f"{RELEASE}.{pair[1]}" not in imports[f"{RELEASE}.{pair[0]}"]
    ] == []


def test_only_a_facade_knows_research() -> None:
    research = f"{ROOT}.research"
    knowing = [
        module
        for module, targets in project_imports().items()
        if not module.startswith(research)
        and any(target.startswith(research) for target in targets)
    ]
    assert knowing == [f"{ROOT}.groupwise"]


@pytest.mark.parametrize(
    "module",
    [
        "gate",
        "stream_gate",
        "draw.stream_drawn",
        "draw.drawn",
        "draw.noisy_numbers",
        "measure.measure",
    ],
)
def test_the_spine_needs_no_search_at_all(module: str) -> None:
    """Not even by way of others."""
    whole = f"{RELEASE}.{module}"
    assert whole in modules()
    assert [name for name in reachable(whole, project_imports()) if ".release.price" in name] == []


# The rules above pass on a clean tree; these show that they fail on a dirty one.


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("ask.keys", "step.measurement"),
        ("measure.measure", "price.allocation"),
        ("draw.noisy_numbers", "price.priced_plan"),
        ("draw.drawn", "spread.hats"),
        ("spread.hats", "questions.count"),
        ("gate", "plan"),
        ("plan", "file.plan_file"),
    ],
)
def test_a_breach_is_seen(module: str, target: str) -> None:
    assert breaches({f"{RELEASE}.{module}": {f"{RELEASE}.{target}"}})


def test_trust_in_a_search_is_seen() -> None:
    assert distrusted({f"{RELEASE}.gate": {f"{RELEASE}.price.allocation"}})
