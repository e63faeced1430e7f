"""Puts a change into the running program. Only a forked child may do that: it cannot be undone."""

import gc
import sys
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from types import CodeType, FunctionType
from typing import Any

from tests.mutants.changes import Change

PROJECT = "leastnoise"


def prepare() -> None:
    """Finds all functions of the project once, for every child to come."""
    gc.unfreeze()  # tests/conftest.py froze what was there before the first test
    for found in gc.get_objects():
        if isinstance(found, FunctionType):
            code = found.__code__
            if found.__module__ and found.__module__.startswith(PROJECT):
                _FUNCTIONS.setdefault((found.__module__, code.co_qualname), []).append(found)
        elif isinstance(found, _lru_cache_wrapper) and str(found.__module__).startswith(PROJECT):
            _CACHES.append(found)
    gc.freeze()


_FUNCTIONS: dict[tuple[str, str], list[FunctionType]] = {}
_CACHES: list[Any] = []


def install(change: Change) -> bool:
    """Whether the change is now what runs. What was computed before it is forgotten."""
    module = sys.modules.get(change.module)
    if module is None:
        return False
    code = compile(change.source, str(module.__file__), "exec")
    if change.function in vars(module) and not isinstance(
        getattr(module, change.function), FunctionType | type | _lru_cache_wrapper
    ):
        done = _rebind(change, module.__dict__)
    else:
        done = _exchange(change, code)
    for each in _CACHES:
        each.cache_clear()
    return done


def _exchange(change: Change, code: CodeType) -> bool:
    """New code in every function object that had the old: whoever imported it runs the new."""
    done = False
    for new in _codes(code):
        if new.co_qualname != change.function:
            continue
        for function in _FUNCTIONS.get((change.module, change.function), []):
            old = function.__code__
            if old.co_firstlineno == new.co_firstlineno and old.co_freevars == new.co_freevars:
                function.__code__ = new
                done = done or new != old
    return done


def _codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            if "<locals>" not in part.co_qualname:
                yield from _codes(part)


def _rebind(change: Change, names: dict[str, Any]) -> bool:
    """A new constant, in its module and in all that imported it."""
    lines = change.source.split("\n")
    first, last = change.lines
    space = dict(names)
    exec("\n".join(lines[first - 1 : last]), space)
    old, new = names[change.function], space[change.function]
    for module in list(sys.modules.values()):
        if vars(module).get(change.function) is old:
            setattr(module, change.function, new)
    return bool(new != old)
