"""`Connections`: kept open between transactions, because making one costs more than a charge."""

import os
import weakref
from threading import Lock
from typing import Any

_INHERITED: list[Any] = []  # a fork must not close what its parent uses, not even by forgetting it


class Connections:
    """Connections that nobody uses at the moment; each serves one transaction at a time."""

    def __init__(self, url: str) -> None:
        self._url, self._process, self._lock = url, os.getpid(), Lock()
        self._idle: list[Any] = []
        weakref.finalize(self, _close, self._idle, self._process)

    def begun(self, driver: Any, beginning: str) -> Any:
        """A connection after these statements, which begin a transaction.

        One that the server has closed in the meantime is noticed here, before anything is asked
        or written, and another one is made.
        """
        while (connection := self._taken()) is not None:
            try:
                connection.execute(beginning)
            except driver.OperationalError:
                connection.close()
            else:
                return connection
        connection = driver.connect(
            self._url, autocommit=True, client_encoding="UTF8", prepare_threshold=None
        )
        connection.execute(beginning)
        return connection

    def give_back(self, connection: Any) -> None:
        """After a transaction has ended; one in any other state is closed."""
        if connection.closed or connection.info.transaction_status:  # 0 is idle
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)

    def _taken(self) -> Any:
        with self._lock:
            if os.getpid() != self._process:
                _INHERITED.extend(self._idle)
                self._idle, self._process = [], os.getpid()
                weakref.finalize(self, _close, self._idle, self._process)
            return self._idle.pop() if self._idle else None


def _close(connections: list[Any], process: int) -> None:
    if os.getpid() == process:
        for connection in connections:
            connection.close()
