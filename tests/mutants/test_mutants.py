"""The kit itself: its changes are real, they run, and its lists are not out of date."""

import ast
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from leastnoise.numeric.interval import Interval
from leastnoise.release import gate
from tests.mutants import judge
from tests.mutants.changes import changes_of
from tests.mutants.installed import install, prepare
from tests.mutants.justified import JUSTIFIED
from tests.mutants.mistake import Named
from tests.mutants.named import NAMED
from tests.mutants.trusted import PARTS

TRUSTED = {module for part in PARTS.values() for module in (*part.trusted(), *part.searching)}


def in_a_child(question: Callable[[], bool]) -> bool:
    """What is installed stays: so it is asked in a child, which ends without a word."""
    child = os.fork()
    if not child:
        try:
            os._exit(0 if question() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("named", NAMED, ids=lambda named: f"{named.module} {named.breaks}")
def test_mistakes_by_name_are_in_the_code_as_it_is(named: Named) -> None:
    change = named.change()
    assert change.is_python
    assert change.module in TRUSTED
    assert named.function in outermost(change.source)


def outermost(source: str) -> set[str]:
    """What can be exchanged in a running program, a method with the name of its class."""
    body = ast.parse(source).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    methods = {
        f"{owner.name}.{node.name}"
        for owner in classes
        for node in owner.body
        if isinstance(node, ast.FunctionDef)
    }
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    targets = [each for node in body if isinstance(node, ast.Assign) for each in node.targets]
    return methods | names | {each.id for each in targets if isinstance(each, ast.Name)}


def test_what_is_justified_is_there_and_has_a_reason() -> None:
    known = {change.name for name in {each.split(" ")[0] for each in JUSTIFIED}
             for change in changes_of(name)}  # fmt: skip
    assert set(JUSTIFIED) <= known
    assert all(len(reason) > 20 for reason in JUSTIFIED.values())


def test_there_are_enough_changes_and_each_is_named_once() -> None:
    assert sum(part.changes for part in PARTS.values()) + len(NAMED) >= 400
    changes = changes_of("leastnoise.privacy.gaussian")
    assert len({change.name for change in changes}) == len(changes) > 100


def test_lines_keep_their_numbers() -> None:
    for change in changes_of("leastnoise.release.step.step_price"):
        assert change.source.count("\n") == changes_of(change.module)[0].source.count("\n")


def test_a_changed_function_is_what_everybody_runs() -> None:
    change = next(
        each
        for each in changes_of("leastnoise.release.gate")
        if each.function == "_has_private_groups" and each.new == "return True"
    )

    def answer() -> bool:
        prepare()
        before = gate._has_private_groups.__code__
        return install(change) and gate._has_private_groups.__code__ != before

    assert in_a_child(answer)


def test_a_changed_method_and_a_changed_constant_too() -> None:
    swapped = next(each for each in changes_of(Interval.__module__) if "." in each.function)
    constant = next(
        each
        for each in changes_of("leastnoise.release.step.step_price")
        if each.function == "_LEAK_BITS"
    )

    def answer() -> bool:
        from leastnoise.release.step import step_price

        prepare()
        return install(swapped) and install(constant) and step_price._LEAK_BITS == 257

    assert in_a_child(answer)


def test_a_test_whose_time_is_over_while_it_is_reported_costs_no_other_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The signal may come between two phases, where nothing of pytest's catches it."""

    def late(*_: object, **__: object) -> None:
        raise AssertionError("too slow for this kit")

    left: list[object] = []
    state = SimpleNamespace(teardown_exact=left.append)
    item: Any = SimpleNamespace(session=SimpleNamespace(_setupstate=state))
    monkeypatch.setattr(judge, "runtestprotocol", late)
    assert in_a_child(lambda: not judge._passes(item, [item], 3) and left == [item])
