"""A workbench in a process of its own, which is asked over HTTP; and a Chromium to look at it."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Root may not use the sandbox; without the others Chromium looks for its maker's servers.
_OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)


@dataclass(frozen=True)
class Server:
    """A server: the project's folder, its process, the port, the token."""

    folder: Path
    process: subprocess.Popen
    port: int
    token: str

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def send(self, path, body=None, method=None, **headers):
        """The status, the headers and the body of a response, with the token if none is given."""
        given = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in given.items() if value}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=600)) as connection:
            connection.request(method or ("GET" if body is None else "POST"), path, data, given)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()

    def ask(self, path, body=None, method=None):
        """The status of a response and its JSON; of a stream, the last line's."""
        status, headers, text = self.send(path, body, method)
        lines = text.splitlines() if "ndjson" in headers["content-type"] else [text]
        return status, json.loads(lines[-1])

    def asked(self, path, body=None, method=None):
        """The JSON of a response to what is in order."""
        status, found = self.ask(path, body, method)
        assert status == 200, found
        return found


def opened(folder, process):
    """The server that a process is, when it has printed its address."""
    address = urlsplit(process.stdout.readline().strip())
    assert address.netloc, "the server printed no address"
    return Server(Path(folder), process, address.port, parse_qs(address.query)["token"][0])


def start_server(folder, *arguments, **options):
    command = [sys.executable, "-m", "ists_asp", "serve", str(folder), "--no-browser"]
    command += map(str, arguments)
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


@contextmanager
def serving(folder, *arguments, stderr=None, **variables):
    """Run a server on a folder until the context ends, by SIGTERM."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    options = {"env": environment, "stderr": stderr}
    with start_server(folder, "--quiet", *arguments, **options) as process:
        try:
            yield opened(folder, process)
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="session")
def browser():
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        pytest.skip("no browser: install chromium, on Debian by apt-get install chromium")
    sync = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: pip install -c constraints.txt -e '.[test]'"
    )
    sync.expect.set_options(timeout=60_000)
    with sync.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        yield started
        started.close()
