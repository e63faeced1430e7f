"""Spark: sums are taken on the cluster, in a session of our own beside the user's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from datetime import date
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.randomness.source import checked_source
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import SparkFrame
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.backends.quiet_errors import Advice, Said, quiet
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.backends.spark_exposed import refuse_fragile, warn_of_pages
from leastnoise.release.measure.backends.spark_lost import refuse_lost
from leastnoise.release.measure.backends.spark_stable import FileStates, file_states
from leastnoise.release.measure.sql.dialect import SPARK, Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.step.secret_totals import Totals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SETTINGS = {
    # What does not fit is an error, never a wrong number.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    # Otherwise a column called ${env:HOME} would be replaced by what it names.
    "spark.sql.variable.substitute": "false",
    # Otherwise the name a.b would be a pattern, which fits aXb too.
    "spark.sql.parser.quotedRegexColumnNames": "false",
    # Otherwise functions of the catalogue could come before Spark's own.
    "spark.sql.path.enabled": "false",
    # Otherwise the types of folders' columns would hang on the folders' names.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Otherwise one date before 1582-10-15 could make a file unreadable.
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    # Lists are made of sorted rows, unit by unit: never of many units at once in memory.
    "spark.sql.execution.useObjectHashAggregateExec": "false",
}
_KIND = re.compile("[A-Z0-9_]{1,60}([.][A-Z0-9_]{1,60})?")
_OF_NAMES = (
    "PATH_NOT_FOUND",
    "TABLE_OR_VIEW_NOT_FOUND",
    "UNABLE_TO_INFER_SCHEMA",
    "UNRESOLVED_COLUMN",
    "UNRESOLVED_ROUTINE",
)
"""Kinds of errors whose first sentence names paths, tables, columns and functions alone."""
_INT64 = range(-(2**63), 2**63)
_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class SparkSessionBeside:
    """A session with settings of its own on the cluster of the frame's session.

    The user's session keeps its settings and its views. The frame is computed as its own session
    computes it, and its rows are all that ours is given: of our queries its source sees the names
    of columns. Told of filters, readers leave out files and parts of files by the least and the
    greatest values in them, and order −0.0, NaN and old dates otherwise than Spark does: then one
    row decides about others.
    """

    def __init__(self, location: SparkFrame, *, session: SparkSession | None = None) -> None:
        self._frame: DataFrame = location.frame
        _refuse_remote(self._frame)
        self._open = ExitStack()
        self._scans: dict[tuple[str, ...], Fragment] = {}
        self._states_before = cache(self._states)
        self._session: SparkSession = session or self._quiet(
            lambda: session_beside(self._frame.sparkSession)
        )
        refuse_fragile(self._frame.sparkSession)
        warn_of_pages(self._frame.sparkSession)

    def beside(self, location: SparkFrame) -> Self:
        """A session on another frame, whose rows our queries can read together with this one's."""
        return type(self)(location, session=self._session)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    @property
    def dialect(self) -> Dialect:
        """Spark's spelling."""
        return SPARK

    def schema(self) -> Schema:
        """The columns, by name and type; reads no rows."""
        fields = self._quiet(lambda: [(f.name, f.dataType) for f in self._frame.schema.fields])
        return Schema((name, column_type(kind)) for name, kind in fields)

    @property
    def rereads(self) -> bool:
        """Rows picked from files are the same each time; all else may be computed anew."""
        return self._states_before() is not None

    @property
    def stored_bytes(self) -> int:
        """The length of all files behind the rows; 0 if they may be computed anew."""
        return sum(length for _, length, _ in self._states_before() or ())

    def refuse_changed(self) -> None:
        """Checks that what was looked at twice was the same each time.

        Raises:
            BackendError: files were written, replaced or removed in between.
        """
        before = self._states_before()
        if before is None or self._states() == before:
            return
        raise BackendError(
            "a table must stay as it is while it is read; files of the Spark DataFrame changed "
            "meanwhile. Wait until nobody writes them, or read a copy."
        )

    def _states(self) -> FileStates | None:
        return self._quiet(lambda: file_states(self._frame))  # type: ignore[no-any-return]

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """A view of these columns of the frame's rows."""
        self._states_before()
        if columns not in self._scans:
            self._scans[columns] = self._quiet(lambda: self._rows(columns))
        return self._scans[columns]

    def _rows(self, columns: tuple[str, ...]) -> Fragment:
        return self._shown(rows_alone(self._frame, columns, self._session))

    def key_table(self, keys: Keys) -> Fragment:
        """Public keys and their numbers, sent to every executor."""
        return self._quiet(lambda: self._shown(_key_frame(keys, self._session)))  # type: ignore[no-any-return]

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """The query's columns; totals are exact, whether 64-bit integers or decimals."""
        names = ", ".join([*(f"k{i}" for i in range(keys)), *(f"t{i}" for i in range(totals))])
        asked = fill(f"SELECT {names} FROM ({{}}) AS answer", query)
        found = self._quiet(lambda: self._run(asked), said_of_schema)
        with nullcontext() if self.rereads else refuse_lost(self._session.sparkContext):
            columns = self._quiet(lambda: found.toArrow().columns)
        return Found(
            tuple(column.to_pylist() for column in columns[:keys]),
            tuple(map(_whole_numbers, columns[keys:])),
        )

    @contextmanager
    def held(self, query: Fragment) -> Iterator[Fragment]:
        """Rows kept by the executors, in memory or on their disks."""
        rows = self._quiet(lambda: self._run(query).persist(), said_of_schema)
        try:
            yield self._quiet(lambda: self._shown(rows))
        finally:
            with suppress(BackendError):  # a lost session holds nothing
                self._quiet(rows.unpersist)

    def explain(self, query: Fragment) -> str:
        """Spark's plan, for tests."""
        rows = self._quiet(lambda: self._run(fill("EXPLAIN {}", query)).collect())
        return "\n".join(row[0] for row in rows)

    def _run(self, query: Fragment) -> DataFrame:
        return self._session.sql(query.text, args=[_bound(value) for value in query.parameters])

    def _shown(self, frame: DataFrame) -> Fragment:
        name = f"leastnoise_{checked_source(None).bits(128):x}"
        frame.createTempView(name)
        self._open.callback(self._forget, name)
        return SPARK.identifier(name)

    def _forget(self, name: str) -> None:
        with suppress(BackendError):  # a lost session has no views
            self._quiet(lambda: self._session.catalog.dropTempView(name))

    def _quiet(self, action: Callable[[], Any], said: Said | None = None) -> Any:
        return quietly(self._frame.sparkSession, action, said)


def session_beside(session: SparkSession) -> SparkSession:
    """A new session on the same cluster: the settings of the given one, then ours."""
    beside = session.newSession()
    settings = dict(session.conf.getAll)
    for name, value in (settings | _SETTINGS).items():
        if beside.conf.get(name, None) != value:
            beside.conf.set(name, value)
    return beside


def rows_alone(frame: DataFrame, columns: tuple[str, ...], session: SparkSession) -> DataFrame:
    """Columns of a frame in another session, which cannot see how they are made."""
    from pyspark.sql import DataFrame  # noqa: PLC0415 - an extra

    # By number: the frame's own session may take one name for another.
    names = {name: f"c{number}" for number, name in enumerate(frame.columns)}
    picked = frame.toDF(*names.values()).select([names[column] for column in columns])._jdf
    rows, schema = picked.queryExecution().toRdd(), picked.schema()
    alone = session._jsparkSession.internalCreateDataFrame(rows, schema, False)
    return DataFrame(alone, session).toDF(*columns)


def frame_of(path: str, session: SparkSession) -> DataFrame:
    """The Parquet files at a path that the cluster can read; reads no rows."""
    found: DataFrame = quietly(
        session, lambda: session_beside(session).read.parquet(path), said_of_schema
    )
    return found


def quietly(session: SparkSession, action: Callable[[], Any], said: Said | None = None) -> Any:
    """The action's result; neither errors nor this process's logs say what Spark said."""

    def unlogged() -> Any:
        with _hushed(session):
            return action()

    return quiet(unlogged, "Spark", _advice(), said=said)


def said_of_schema(error: Exception) -> str:
    """What Spark's analysis says of names and types; of what is not known here, the kind alone.

    Folders may be named by values, and a plan may be quoted behind the first sentence.
    """
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an extra

    if not isinstance(error, AnalysisException):
        return ""
    kind = error.getCondition() or ""
    if not _KIND.fullmatch(kind):
        return ""
    return str(error).partition(";")[0] if kind.startswith(_OF_NAMES) else kind


def _refuse_remote(frame: DataFrame) -> None:
    if hasattr(frame, "_jdf"):
        return
    raise _check.refuse(
        "a DataFrame must belong to a Spark session of this process",
        "one of Spark Connect, which does not show how it reads its source",
        "Start a session on the cluster's master, such as spark://host:7077.",
    )


@contextmanager
def _hushed(session: SparkSession) -> Iterator[None]:
    """PySpark writes errors to its own logs, and the driver to its, whoever catches them."""
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 - an extra

    with ExitStack() as restored:
        for name in _LOGS:
            logger = PySparkLogger.getLogger(name)
            restored.callback(setattr, logger, "disabled", logger.disabled)
            logger.disabled = True
        log = session._jvm.org.apache.logging.log4j.LogManager.getRootLogger()
        restored.callback(session.sparkContext.setLogLevel, log.getLevel().toString())
        session.sparkContext.setLogLevel("OFF")
        yield


def _key_frame(keys: Keys, session: SparkSession) -> DataFrame:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    columns = {"i": pa.array(np.arange(len(keys), dtype=np.int32))}
    for number, values in enumerate(keys.listed.values):
        columns[f"c{number}"] = pa.array(values)
    return session.createDataFrame(pa.table(columns)).hint("broadcast")


def _bound(value: object) -> object:
    """Times go as text, which no zone can shift; integers beyond 64 bits as decimals."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) and value not in _INT64:
        return Decimal(value)
    return value


def _whole_numbers(column: Any) -> Totals:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    try:
        fits: Totals = column.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return np.array([int(value) for value in column.to_pylist()], np.object_)
    return fits


def column_type(kind: Any) -> ColumnType:
    """What a Spark type means."""
    name = type(kind).__name__
    if name == "DecimalType":
        return ColumnType.WIDE_INTEGER if kind.scale == 0 else ColumnType.NUMBER
    return _TYPES.get(name, ColumnType.OTHER)


_TYPES = {
    "BooleanType": ColumnType.TRUTH,
    **dict.fromkeys(("ByteType", "ShortType", "IntegerType", "LongType"), ColumnType.INTEGER),
    **dict.fromkeys(("FloatType", "DoubleType"), ColumnType.NUMBER),
    **dict.fromkeys(("StringType", "CharType", "VarcharType"), ColumnType.TEXT),
    "DateType": ColumnType.DATE,
    "TimestampNTZType": ColumnType.MOMENT,
    "TimestampType": ColumnType.INSTANT,
}


def _advice() -> Advice:
    try:
        from pyspark.errors import AnalysisException  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return ((ModuleNotFoundError, "Install leastnoise[spark]."),)
    return (
        (ModuleNotFoundError, "Install leastnoise[spark]."),
        (AnalysisException, "Check that the cluster can read the path, or still has the columns."),
        (Exception, "Check that the Spark session runs and that its cluster has room."),
    )
