"""What a Spark session shows to others: exact sizes of everything that it computes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from leastnoise import _check

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REBASE = (
    "spark.sql.parquet.datetimeRebaseModeInRead",
    "spark.sql.parquet.int96RebaseModeInRead",
    "spark.sql.avro.datetimeRebaseModeInRead",
)


def warn_of_pages(session: SparkSession) -> None:
    """Warns, once, of a session whose web page or event log shows exact numbers of rows."""
    context = session.sparkContext
    shown = ["a web page"] if context.uiWebUrl is not None else []
    if context.getConf().get("spark.eventLog.enabled", "false") == "true":
        shown.append("an event log")
    if shown:
        warnings.warn(
            "what Spark shows of its queries must be kept as the data are; this session has "
            f"{' and '.join(shown)} with exact numbers of rows, without noise. Start it with "
            "spark.ui.enabled=false and spark.eventLog.enabled=false.",
            stacklevel=2,
        )


def refuse_fragile(session: SparkSession) -> None:
    """Refuses a session in which one old date makes the whole table unreadable.

    Raises:
        InvalidParameter: whether a release fails would tell whether the date is there.
    """
    for name in _REBASE:
        if session.conf.get(name) == "EXCEPTION":
            raise _check.refuse(
                "Spark must be able to read dates before 1582-10-15",
                f"{name}=EXCEPTION",
                "Set it to CORRECTED, or to LEGACY if the files were written by Spark before 3.0.",
            )
