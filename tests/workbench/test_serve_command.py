"""The command: what it refuses in one line, and how it ends."""

import json
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser


def serve(*arguments):
    command = [sys.executable, "-m", "ists_asp", "serve", "--no-browser", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )


def refused(*arguments):
    with serve(*arguments) as process:
        said, told = process.communicate(timeout=90)
    assert (process.returncode, said, told.count("\n")) == (2, "", 1), told
    return told


def test_what_cannot_be_served_is_told_in_a_line(tmp_path, served):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        assert f"port {number} is taken" in refused(tmp_path / "a", "--port", number)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine.txt").write_text("mine")
    assert "neither empty nor a project" in refused(tmp_path / "b")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["mine.txt"]
    (tmp_path / "c").write_text("")
    assert "this is not a folder" in refused(tmp_path / "c")
    assert "another server is at work on this folder" in refused(served.folder)
    assert "\\u001b" in refused(tmp_path / "d", "--profile", "\x1b]0;x\x07")
    assert not (tmp_path / "d").exists()


def test_it_ends_when_it_is_told_to_and_leaves_no_process(tmp_path):
    """Whoever waits for a worker then hears of it, and no trace of Python is printed."""
    pair = {"sent1": "a dog", "sent2": "a cat", "decision": ["rating"]}
    for number in (signal.SIGINT, signal.SIGTERM):
        with serve(tmp_path / "p", "--quiet") as process:
            address = urlsplit(process.stdout.readline().strip())
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            assert children
            token = parse_qs(address.query)["token"][0]
            headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
            with closing(HTTPConnection("127.0.0.1", address.port, timeout=60)) as connection:
                connection.request("POST", "/api/why", json.dumps(pair), headers)
                time.sleep(0.5)
                process.send_signal(number)
                assert "error" in json.load(connection.getresponse())
            assert process.communicate(timeout=60)[1] == ""
        left = children
        for _ in range(100):
            left = [one for one in left if Path("/proc", one).exists()]
            time.sleep(0.1 if left else 0)
        assert left == []
