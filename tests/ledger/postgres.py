"""A real PostgreSQL server on loopback, for as long as a test needs it."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString
from uuid import uuid4

import psycopg
from psycopg import sql

_PATIENCE = 1200  # seconds after which a server surely does not start
_TRIES = 5


def _programs() -> Path | None:
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    on_path = shutil.which("initdb")
    if found:
        return Path(found[-1]).parent
    return Path(on_path).parent if on_path else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _taken(start: Callable[[int], None]) -> int:
    """The port of what was started; somebody else may take a free one before it does."""
    for _ in range(_TRIES):
        port = _free_port()
        try:
            start(port)
        except subprocess.CalledProcessError:
            continue
        return port
    raise RuntimeError(f"PostgreSQL did not start, on any of {_TRIES} ports")


def _as_someone_else() -> dict[str, int | str]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": account.pw_uid, "group": account.pw_gid}
    return {}


@contextmanager
def server(*, sync: bool = False) -> Iterator[str | None]:
    """The URL of a fresh server; None if this machine has none to start."""
    programs = _programs()
    if programs is None:
        yield None
        return
    who = _as_someone_else()
    folder = Path(tempfile.mkdtemp(prefix="leastnoise-postgres-"))
    if who:
        os.chown(folder, int(who["user"]), int(who["group"]))
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run(
            [str(programs / command[0]), *command[1:]],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            **who,  # type: ignore[call-overload]
        )

    try:
        run("initdb", "-D", str(data), "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8")
        usual = f"-h 127.0.0.1 -k {folder} -c fsync={'on' if sync else 'off'}"
        start = ["pg_ctl", "-D", str(data), "-w", "-t", str(_PATIENCE), "-l", str(folder / "log")]
        port = _taken(lambda free: run(*start, "-o", f"{usual} -p {free}", "start"))
        yield f"postgresql://tester@127.0.0.1:{port}/postgres"
    finally:
        if data.exists():
            subprocess.run(
                [str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"],
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **who,  # type: ignore[call-overload]
            )
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def empty_database(url: str) -> Iterator[str]:
    """The URL of one more database on a server, which is dropped in the end."""
    name = f"tests_{uuid4().hex}"
    _told(url, "CREATE DATABASE {}", name)
    try:
        yield f"{url.rpartition('/')[0]}/{name}"
    finally:
        _told(url, "DROP DATABASE {} WITH (FORCE)", name)


def _told(url: str, statement: LiteralString, name: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
