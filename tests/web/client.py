"""The application without a browser or a port: requests go straight in."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOKEN = "a-token-for-tests"
HOST = "127.0.0.1:8765"


@dataclass(frozen=True)
class Client:
    """Asks as the page does."""

    http: Any
    folder: Path

    def post(self, name: str, said: Mapping[str, Any]) -> Any:
        return self.http.post(f"/{TOKEN}/api/{name}", json=dict(said))

    def ask(self, name: str, **said: Any) -> dict[str, Any]:
        response = self.post(name, said)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def refused(self, name: str, **said: Any) -> dict[str, str]:
        response = self.post(name, said)
        assert response.status_code == 422, response.text
        parts: dict[str, str] = response.json()["refused"]
        assert set(parts) >= {"rule", "finding", "remedy"}
        return parts


@contextmanager
def client_of(folder: Path) -> Iterator[Client]:
    from starlette.testclient import TestClient

    from leastnoise.web.app import explorer

    app = explorer(TOKEN, frozenset({HOST}), folder)
    with TestClient(app, base_url=f"http://{HOST}") as http:
        yield Client(http, folder)
