"""The program as people start it: on this machine alone, new each time, gone when stopped."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urlsplit

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.web.server import _listening, opened_page, serve
from tests.cli.run import run
from tests.web.running import running

HANGING = 1200  # seconds after which a test has surely failed; no verdict hangs on them


def get(address: str, path: str) -> int:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=HANGING)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_answers_leave_at_once() -> None:
    """No answer waits for a full packet, which would take 40 ms of the hundred a move may take."""

    async def accepted() -> int:
        told: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        opened: list[asyncio.StreamWriter] = []

        def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            own = writer.get_extra_info("socket")
            told.set_result(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            opened.append(writer)

        ear = _listening(0)
        server = await asyncio.start_server(met, sock=ear)
        _, visitor = await asyncio.open_connection(*ear.getsockname())
        found = await told
        for each in (visitor, *opened):  # else what is left of them is found in a later test
            each.close()
            await each.wait_closed()
        server.close()
        await server.wait_closed()
        return found

    assert asyncio.run(accepted()) == 1


def test_the_address_works_at_once_and_only_with_its_token(tmp_path: Path) -> None:
    with running(tmp_path) as address:
        place = urlsplit(address)
        assert place.hostname == "127.0.0.1"
        assert get(address, place.path) == 200
        assert get(address, "/") == 403
        # Whoever listened on all addresses would answer here too.
        with pytest.raises(OSError):  # noqa: PT011 - systems word it differently
            socket.create_connection(("127.0.0.2", place.port), timeout=5)


def test_every_run_has_another_token(tmp_path: Path) -> None:
    with running(tmp_path) as one, running(tmp_path) as other:
        assert urlsplit(one).path != urlsplit(other).path
        assert get(one, urlsplit(other).path) == 403


@pytest.mark.skipif(not Path("/proc").exists(), reason="children are looked up in /proc")
def test_no_process_outlives_the_page(tmp_path: Path) -> None:
    program = "from leastnoise.cli.main import main; main()"
    command = [sys.executable, "-c", program, "explore", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=PIPE, stderr=PIPE, text=True) as started:
        assert started.stdout is not None
        address = started.stdout.readline().split()[-1]
        place = urlsplit(address)
        ask = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1"}
        connection = HTTPConnection(place.netloc, timeout=HANGING)
        kind = {"content-type": "application/json"}
        connection.request("POST", f"{place.path}api/choose", json.dumps(ask), kind)
        assert connection.getresponse().status == 200
        connection.close()
        children = _children(started.pid)
        assert children
        started.send_signal(signal.SIGINT)
        started.wait()
        assert started.stderr is not None
        assert "Traceback" not in started.stderr.read()
    assert [child for child in children if _lives(child)] == []


def _children(process: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it ended meanwhile
                continue
            if parent == process:
                found.append(int(entry.name))
    return found


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_taken_port_is_refused_in_words(tmp_path: Path) -> None:
    with socket.socket() as ear:
        ear.bind(("127.0.0.1", 0))
        ear.listen()
        port = ear.getsockname()[1]
        with pytest.raises(InvalidParameter, match="port must be free"):
            serve(port=port, folder=tmp_path, browser=False)
        told = run("explore", "--port", str(port), "--no-browser")
        assert told.status == 2
        assert f"port {port}" in told.errors


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "leastnoise.web.server", raising=False)
    told = run("explore", "--no-browser")
    assert told.status == 2
    assert "leastnoise[explore]" in told.errors


def test_the_page_is_part_of_the_package() -> None:
    from importlib.resources import files

    names = {each.name for each in (files("leastnoise.web") / "page").iterdir()}
    assert {"index.html", "style.css", "main.js", "icon.svg"} <= names


def test_the_page_names_no_other_machine() -> None:
    from importlib.resources import files

    for each in (files("leastnoise.web") / "page").iterdir():
        text = each.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML" not in text
        assert "eval(" not in text


@pytest.mark.skipif(os.name != "posix", reason="folders have other rules elsewhere")
def test_the_token_is_not_on_the_browsers_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    address = "http://127.0.0.1:1/secret-token/"
    with opened_page(address):
        (given,) = opened
        assert "secret-token" not in given
        file = Path(urlsplit(given).path)
        assert address in file.read_text("utf-8")
        assert file.parent.stat().st_mode & 0o077 == 0
    assert not file.parent.exists()
