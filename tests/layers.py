"""Who imports whom under src/leastnoise, read from the syntax trees without running anything."""

import ast
import gc
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = "leastnoise"
SOURCES = Path(__file__).parent.parent / "src" / ROOT

Imports = Mapping[str, set[str]]
"""Module name ↦ the project modules it imports, anywhere in its file."""


_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements hold statements; the body of a lambda or of `a if b else c` is none."""


@cache
def modules() -> Mapping[str, Path]:
    """Dotted name ↦ file, for every module of the package."""
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file, which several tests look through."""
    return ast.parse(path.read_text("utf-8"))


def _all_parsed() -> None:
    """Trees are kept, and hold no garbage: without looking for it, a third of the time."""
    sought = gc.isenabled()
    gc.disable()
    try:
        for path in modules().values():
            parsed(path)
    finally:
        if sought:
            gc.enable()


def imported(tree: ast.AST, module: str, known: set[str], *, is_package: bool) -> set[str]:
    """The modules of `known` that a syntax tree imports; local imports count like any other.

    `from package import name` means the module package.name if there is one, else the package.
    """
    found = set()
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & known
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, module, is_package=is_package)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                found |= {full if full in known else base} & known
    return found - {module}


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement, however deep; `ast.walk` would look into every expression, too."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for field in _BLOCKS:
            todo += getattr(node, field, ())


def _absolute(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    kept = parts[: len(parts) - node.level + is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])


@cache
def project_imports() -> Imports:
    """The import graph of the package as it stands."""
    _all_parsed()
    found = modules()
    known = set(found)
    return {
        name: imported(
            parsed(path),
            name,
            known,
            is_package=path.name == "__init__.py",
        )
        for name, path in found.items()
    }


def reachable(start: str, imports: Imports) -> set[str]:
    """Every module that importing `start` needs, directly or not; `start` only by a cycle."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for target in imports.get(todo.pop(), set()) - seen:
            seen.add(target)
            todo.append(target)
    return seen


def dotted_names(tree: ast.AST) -> Iterator[str]:
    """Every imported module and every a.b.c in a syntax tree, aliases of imports resolved."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                aliases[alias.asname or alias.name] = alias.name
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            yield f"{aliases.get(first, first)}.{rest}"
