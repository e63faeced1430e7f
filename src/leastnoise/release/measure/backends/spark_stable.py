"""Which DataFrames show the same rows however often they are read, and whether they did.

Spark says of few computations that they are not repeatable: neither of a user's function, nor of
the time, nor of a table into which others write. So what is known to stay is listed, and all else
is not: rows of files, and of values that the DataFrame itself holds; picked and named, and nothing
computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FileStates: TypeAlias = frozenset[tuple[str, int, int]]
"""Path, length and time of the last change, of every file."""

_MOST_FILES = 1000  # each is asked about on its own
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
_EXPRESSION = "org.apache.spark.sql.catalyst.expressions."
_SOURCE = "org.apache.spark.sql.execution.datasources."
_RELATION = _SOURCE + "LogicalRelation"
_NODES = frozenset(
    {_LOGICAL + name for name in ("Project", "Filter", "SubqueryAlias", "LocalRelation")}
    | {_RELATION}
)
_EXPRESSIONS = frozenset(
    _EXPRESSION + name
    for name in (
        "AttributeReference",
        "Literal",
        "Alias",
        "And",
        "Or",
        "Not",
        "IsNull",
        "IsNotNull",
        "In",
        "EqualTo",
        "EqualNullSafe",
        "LessThan",
        "LessThanOrEqual",
        "GreaterThan",
        "GreaterThanOrEqual",
    )
)
_NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double", "decimal"})
# A file that could not be read once may be readable the next time.
_SKIPPING = ("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles")


def file_states(frame: DataFrame) -> FileStates | None:
    """The files behind a DataFrame that surely shows the same rows while they stay; else None."""
    if any(frame.sparkSession.conf.get(name) != "false" for name in _SKIPPING):
        return None
    # Whatever was cached under the same plan is what Spark would read instead of it.
    nodes = list(_tree(frame.select("*")._jdf.queryExecution().withCachedData()))
    if not all(map(_is_stable, nodes)):
        return None
    relations = [node.relation() for node in nodes if _class(node) == _RELATION]
    files = [(each, path) for each in relations for path in _paths(each)]
    if len(files) > _MOST_FILES:
        return None
    return frozenset(_state(relation, path) for relation, path in files)


def _tree(node: Any) -> Iterator[Any]:
    yield node
    for child in _members(node.children()):
        yield from _tree(child)


def _members(found: Any) -> Iterator[Any]:
    return (found.apply(i) for i in range(found.size()))


def _class(thing: Any) -> str:
    return str(thing.getClass().getName())


def _is_stable(node: Any) -> bool:
    if _class(node) not in _NODES or (_class(node) == _RELATION and not _is_of_files(node)):
        return False
    expressions = (part for each in _members(node.expressions()) for part in _tree(each))
    return all(_class(each) in _EXPRESSIONS or _is_widening(each) for each in expressions)


def _is_widening(expression: Any) -> bool:
    """A number as another kind of number; as a time stamp, the text 'now' would be the time."""
    if _class(expression) != _EXPRESSION + "Cast":
        return False
    kinds = (expression.child().dataType(), expression.dataType())
    return all(kind.typeName().partition("(")[0] in _NUMBERS for kind in kinds)


def _is_of_files(node: Any) -> bool:
    """Files of a format of Spark's own, listed once, that are not a table of the catalogue."""
    relation = node.relation()
    return (
        _class(relation) == _SOURCE + "HadoopFsRelation"
        and not node.catalogTable().isDefined()
        and _class(relation.location()) == _SOURCE + "InMemoryFileIndex"
        and _class(relation.fileFormat()).startswith(_SOURCE)
        and "ignore" not in relation.options().toString().lower()
    )


def _paths(relation: Any) -> Iterator[Any]:
    return (each.getPath() for each in _members(relation.location().allFiles()))


def _state(relation: Any, path: Any) -> tuple[str, int, int]:
    state = relation.sparkSession().sessionState()
    settings = state.newHadoopConfWithOptions(relation.options())
    found = path.getFileSystem(settings).getFileStatus(path)
    return str(path), found.getLen(), found.getModificationTime()
