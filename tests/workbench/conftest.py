"""A real server with a project folder, and a page in Chromium that lets nothing go wrong."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

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


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve") / "project"
    command = [sys.executable, "-m", "ists_asp", "serve", str(folder), "--no-browser", "--quiet"]
    with subprocess.Popen(
        [*command, "--profile", "headlines"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        address = urlsplit(process.stdout.readline().strip())
        assert address.netloc, "the server printed no address"
        yield Served(
            f"{address.scheme}://{address.netloc}", folder, parse_qs(address.query)["token"][0]
        )
        process.terminate()
        process.wait(20)


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


@pytest.fixture
def expect(browser):
    """Playwright's expectations, with time for a machine that is busy."""
    from playwright.sync_api import expect

    expect.set_options(timeout=60_000)
    return expect


@pytest.fixture
def page(browser, served):
    """A page that was let in; errors in the browser fail the test, but those it expects.

    ``page.expected`` lists statuses of answers that a test provokes, as Chromium logs them.
    """
    faults = []
    context = browser.new_context(base_url=served.address, viewport={"width": 1400, "height": 900})
    # The first answer waits until rules are loaded, on a machine that may be busy.
    context.set_default_timeout(90_000)
    view = context.new_page()
    view.expected = []

    def logged(line):
        provoked = any(f"status of {status} " in line.text for status in view.expected)
        if line.type == "error" and not provoked:
            faults.append(f"{line.type}: {line.text}")

    view.on("console", logged)
    view.on("pageerror", lambda fault: faults.append(str(fault)))
    view.goto(f"/try?token={served.token}")
    yield view
    context.close()
    assert faults == []
