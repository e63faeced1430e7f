"""A Spark session by the address of its master, for plans that are read from files."""

from typing import Any

from leastnoise import _check
from leastnoise.engine.quiet import quiet

_ADVICE = "Check the address, and that a Java that Spark knows is installed."


def spark_session(master: str) -> Any:
    """The running session, or a new one on the cluster.

    Args:
        master: such as spark://host:7077 or local[4].

    Raises:
        InvalidParameter: Spark is not installed.
        BackendError: the cluster does not answer.
    """
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ImportError:
        raise _check.refuse(
            "a cluster needs Spark", "it is not installed", "Install leastnoise[spark]."
        ) from None
    builder = SparkSession.builder.appName("leastnoise").master(master)
    quiet_terminal = builder.config("spark.ui.showConsoleProgress", "false")
    return quiet(quiet_terminal.getOrCreate, "Spark", [(Exception, _ADVICE)])
