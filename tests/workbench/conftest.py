"""A real server with a project folder, and a page in Chromium that lets nothing go wrong."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Root may not use the sandbox; without the others Chromium looks for its maker's servers.
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)


@dataclass(frozen=True)
class Served:
    """A server: its address without a token, the project's folder, the token."""

    address: str
    folder: Path
    token: str
    process: subprocess.Popen


@pytest.fixture(scope="session")
def serving():
    """Run a server on a folder until the context ends, by SIGTERM."""

    @contextmanager
    def serve(folder, *arguments):
        command = [sys.executable, "-m", "ists_asp", "serve", str(folder), "--no-browser"]
        with subprocess.Popen(
            [*command, "--quiet", "--profile", "headlines", *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        ) as process:
            try:
                address = urlsplit(process.stdout.readline().strip())
                assert address.netloc, "the server printed no address"
                token = parse_qs(address.query)["token"][0]
                yield Served(f"{address.scheme}://{address.netloc}", folder, token, process)
            finally:
                process.terminate()
                process.wait(30)

    return serve


@pytest.fixture(scope="session")
def served(serving, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("serve") / "project") as server:
        # No test waits for what is only loaded when it is needed.
        for kind, more in (("explain", {}), ("rate", {}), ("why", {"decision": ["rating"]})):
            pair = {"sent1": "a dog", "sent2": "a dog", **more}
            headers = {"authorization": f"Bearer {server.token}"}
            headers["content-type"] = "application/json"
            asked = Request(f"{server.address}/api/{kind}", json.dumps(pair).encode(), headers)
            urlopen(asked, timeout=600).close()
        yield server


@pytest.fixture(scope="session")
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no browser: install chromium, on Debian by apt-get install chromium")
    sync = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: pip install -c constraints.txt -e '.[test]'"
    )
    with sync.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def expect(browser):
    """Playwright's expectations, with time for a machine that is busy."""
    from playwright.sync_api import expect

    expect.set_options(timeout=240_000)
    return expect


def watched(context, faults):
    """A new page of a context; what goes wrong in it is added to ``faults``.

    ``expected`` lists what a test provokes: statuses of answers, and words that Chromium logs.
    """
    view = context.new_page()
    view.expected = []

    def logged(line):
        told = (one if isinstance(one, str) else f"status of {one} " for one in view.expected)
        provoked = any(one in line.text for one in told)
        if line.type == "error" and not provoked:
            faults.append(f"{line.type}: {line.text}")

    view.on("console", logged)
    view.on("pageerror", lambda fault: faults.append(str(fault)))
    return view


@pytest.fixture(scope="session")
def let_in(browser):
    """Open a page that was let in by a server; what goes wrong in it fails the test."""

    @contextmanager
    def enter(server, **options):
        wide = {"width": 1400, "height": 900}
        context = browser.new_context(base_url=server.address, viewport=wide, **options)
        # The first answer waits until rules are loaded, on a machine that may be busy.
        context.set_default_timeout(300_000)
        faults = []
        view = watched(context, faults)
        view.another = lambda: watched(context, faults)
        # The cookie, as after a first visit; no page is shown yet.
        view.request.get(f"/static/icon.svg?token={server.token}")

        def settle():
            """Wait until the rules that are in the folder now are loaded."""
            for path in ("/project/rules", "/project/rules/loaded"):
                view.request.get(path, timeout=300_000)

        view.settle = settle
        settle()
        yield view
        context.close()
        assert faults == []

    return enter


@pytest.fixture
def page(let_in, served):
    """A page of the server that all tests share."""
    with let_in(served) as view:
        yield view
