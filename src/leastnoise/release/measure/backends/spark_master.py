"""A Spark session by the address of its master, for plans that are read from files."""

from typing import Any

from leastnoise import _check
from leastnoise.release.measure.backends.quiet_errors import quiet

_ADVICE = "Check the address, and that a Java that Spark knows is installed."
_SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    # Pages and logs would show exact numbers of rows.
    "spark.ui.enabled": "false",
    "spark.ui.prometheus.enabled": "false",
    "spark.eventLog.enabled": "false",
    "spark.driver.log.persistToDfs.enabled": "false",
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def spark_session(master: str) -> Any:
    """The running session, or a new one on the cluster, without pages or logs of its queries.

    Args:
        master: such as spark://host:7077 or local[4].

    Raises:
        InvalidParameter: Spark is not installed, or runs on another cluster already.
        BackendError: the cluster does not answer.
    """
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ImportError:
        raise _check.refuse(
            "a cluster needs Spark", "it is not installed", "Install leastnoise[spark]."
        ) from None
    session = quiet(lambda: _session(SparkSession, master), "Spark", [(Exception, _ADVICE)])
    running = session.sparkContext.master
    if running == master:
        return session
    raise _check.refuse(
        "a process has one Spark session at a time",
        f"one on {running}, and a plan for {master}",
        "Stop that session first, or name its master in the plan.",
    )


def _session(sessions: Any, master: str) -> Any:
    """A running session is left as it is: the builder would write our settings into it."""
    running = sessions.getActiveSession()
    if running is not None:
        return running
    builder = sessions.builder.appName("leastnoise").master(master)
    local = master.startswith("local")
    for name, value in (_SETTINGS | (_LOOPBACK if local else {})).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
