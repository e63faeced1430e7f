"""`Connection`: a visitor who begins a request must end it soon, and only so many may stand there.

The server underneath waits for ever for the rest of a request. A thousand visitors that send half
a line each would use up the files that the process may open, and nobody else would be answered.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0  # to send a whole request
MOST_CONNECTIONS = 64  # a browser opens six
_WAITING = (h11.IDLE, h11.SEND_BODY)


class Connection(H11Protocol):  # type: ignore[misc]
    """One connection, cut if a request is not whole in time.

    Of too many the one goes that has been waiting for the rest of its request for longest; whoever
    is being answered stays.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """A new visitor."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MOST_CONNECTIONS:
            min(self._others_waiting(), key=_since, default=self).cut()

    def _others_waiting(self) -> list["Connection"]:
        others = (each for each in self.connections if isinstance(each, Connection))
        return [each for each in others if each is not self and each._deadline is not None]

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request."""
        super().data_received(data)
        if self.scope is not None:
            self.scope["leastnoise.more_time"] = self._more_time
        self._watch()

    def _more_time(self) -> None:
        """The time for the rest begins anew: who got past the guard may send a large file."""
        self._forget()
        self._watch()

    def on_response_complete(self) -> None:
        """An answer was sent; the next request may have begun to come before."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The visitor is gone."""
        self._forget()
        super().connection_lost(exc)

    def cut(self) -> None:
        """End it at once, whatever is still to be said."""
        self._forget()
        self.transport.abort()

    def _watch(self) -> None:
        """The time runs from the first moment that something is missing to when all is there."""
        if self.conn.their_state not in _WAITING:
            self._forget()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.cut)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _since(connection: Connection) -> float:
    assert connection._deadline is not None
    return connection._deadline.when()
