"""What the tests of the page share: one application without a browser, for all of them."""

from collections.abc import Iterator

import pytest

from tests.web.client import Client, client_of


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with client_of(tmp_path_factory.mktemp("explorer")) as opened:
        yield opened
