"""Nobody gets in without the token, under another name, from elsewhere, or with too much."""

import asyncio
import json

import pytest

from leastnoise.web.guard import MOST_BYTES, Guard, Message
from leastnoise.web.token import new_token, same_token
from tests.web.client import HOST, TOKEN, Client

ASK = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1", "cost": "absolute"}


def test_the_page_and_its_assets_need_the_token(client: Client) -> None:
    assert client.http.get(f"/{TOKEN}/").status_code == 200
    assert client.http.get(f"/{TOKEN}/page/main.js").status_code == 200
    for path in ("/", "/page/main.js", "/wrong/", f"/{TOKEN[:-1]}/", f"/{TOKEN}x/", "/api/sketch"):
        assert client.http.get(path).status_code == 403


def test_the_api_needs_the_token(client: Client) -> None:
    assert client.http.post("/api/sketch", json=ASK).status_code == 403
    assert client.http.post("/wrong/api/sketch", json=ASK).status_code == 403
    assert client.http.post(f"/{TOKEN}/api/sketch", json=ASK).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1"])
def test_other_names_get_nothing(client: Client, host: str) -> None:
    response = client.http.get(f"/{TOKEN}/", headers={"host": host})
    assert response.status_code == 421


def test_other_origins_get_nothing(client: Client) -> None:
    path = f"/{TOKEN}/api/sketch"
    foreign = {"origin": "https://evil.example"}
    assert client.http.post(path, json=ASK, headers=foreign).status_code == 403
    assert client.http.post(path, json=ASK, headers={"origin": "null"}).status_code == 403
    own = client.http.post(path, json=ASK, headers={"origin": f"http://{HOST}"})
    assert own.status_code == 200
    assert not [name for name in own.headers if name.startswith("access-control")]


def test_a_form_of_another_page_cannot_ask(client: Client) -> None:
    path = f"/{TOKEN}/api/sketch"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        sent = client.http.post(path, content=json.dumps(ASK), headers={"content-type": kind})
        assert sent.status_code == 415


def test_long_requests_are_refused(client: Client) -> None:
    path, kind = f"/{TOKEN}/api/sketch", {"content-type": "application/json"}
    fits = json.dumps(ASK | {"more": "x" * (MOST_BYTES - 200)})
    assert client.http.post(path, content=fits, headers=kind).status_code == 200
    too_long = "x" * (MOST_BYTES + 1)
    assert client.http.post(path, content=too_long, headers=kind).status_code == 413


def test_an_endless_request_is_cut_off() -> None:
    """The client for tests would first collect it all, so this one speaks to the guard itself."""
    sent: list[Message] = []
    read = 0

    async def receive() -> Message:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"x" * 65536, "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message)

    async def never(*_: object) -> None:
        raise AssertionError

    headers = [(b"host", HOST.encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": f"/{TOKEN}/api/x", "headers": headers}
    asyncio.run(Guard(never, TOKEN, frozenset({HOST}))(scope, receive, send))
    assert sent[0]["status"] == 413
    assert read == MOST_BYTES // 65536 + 1


def test_every_answer_tells_the_browser_to_stay_here(client: Client) -> None:
    for path in (f"/{TOKEN}/", "/wrong", f"/{TOKEN}/page/style.css", f"/{TOKEN}/download/1/x"):
        headers = client.http.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "body",
    ["", "[]", "1", "null", "{", '{"epsilon": NaN}', "[" * 100_000, '{"epsilon": 1e999}', "\x00"],
)
def test_what_is_not_an_object_is_refused_in_words(client: Client, body: str) -> None:
    kind = {"content-type": "application/json"}
    response = client.http.post(f"/{TOKEN}/api/sketch", content=body, headers=kind)
    assert response.status_code == 422
    rule = response.json()["refused"]["rule"]
    assert ("must be a JSON object" in rule) == ("1e999" not in body)


@pytest.mark.parametrize(
    "path", ["page/../app.py", "page/%2e%2e/app.py", "page/..%2fapp.py", "page/", "page/none.js"]
)
def test_nothing_but_the_page_has_an_address(client: Client, path: str) -> None:
    assert client.http.get(f"/{TOKEN}/{path}").status_code in (403, 404)


def test_unknown_questions_and_methods_are_refused(client: Client) -> None:
    assert client.post("nothing", {}).status_code == 422
    assert client.http.get(f"/{TOKEN}/api/sketch").status_code == 405
    kind = {"content-type": "application/json"}
    assert client.http.put(f"/{TOKEN}/api/sketch", headers=kind).status_code == 405


def test_tokens_are_long_new_and_compared_whole() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) == 32 and token.isascii() for token in tokens)
    token = tokens.pop()
    assert same_token(token, token)
    for other in ("", token[:-1], f"{token}x", token.swapcase(), "ö", "\udc80"):
        assert not same_token(other, token)
