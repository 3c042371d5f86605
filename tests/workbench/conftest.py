"""A server with a project folder, and a page in Chromium that lets nothing go wrong."""

from contextlib import contextmanager
from urllib.parse import quote

import pytest

from tests.serving import serving


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    (folder / "second").mkdir()
    options = "--profile", "headlines", "--second", str(folder / "second")
    with serving(folder / "project", *options) as server:
        # No test waits for what is only loaded when it is needed.
        for kind, more in (("explain", {}), ("rate", {}), ("why", {"decision": ["rating"]})):
            server.asked(f"/api/{kind}", {"sent1": "a dog", "sent2": "a dog", **more})
        yield server


def settle(server):
    """Wait until the rules that are in the folder now are loaded."""
    server.asked("/project/rules")
    server.asked("/project/rules/loaded")


@pytest.fixture
def written(served):
    """Write files of the project, which are put back after, when the rules are loaded again."""
    before = {}

    def write(name, text):
        path = served.folder / name
        before.setdefault(path, path.read_text("utf-8") if path.exists() else None)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        served.asked("/project/rules")
        return path

    yield write
    for path, text in before.items():
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, "utf-8")
    settle(served)


@pytest.fixture
def correct(served):
    """Act on the answer to a pair; all corrections are taken back afterwards."""

    def act(do, pair="1", corpus="images", **fields):
        return served.asked(f"/project/corrections/{corpus}", {"id": pair, "do": do, **fields})

    yield act
    for corpus in map(quote, served.asked("/project/learning")["counts"]):
        while served.ask(f"/project/corrections/{corpus}/undo", {})[0] == 200:
            pass


@pytest.fixture(scope="session")
def expect(browser):
    """Playwright's expectations."""
    from playwright.sync_api import expect

    return expect


def watched(context, faults):
    """A new page of a context; what goes wrong in it is added to ``faults``.

    ``expected`` lists what a test provokes: statuses of answers, and words that Chromium logs.
    """
    view = context.new_page()
    view.expected = []

    def logged(line):
        provoked = (f"status of {one} " if isinstance(one, int) else one for one in view.expected)
        if line.type == "error" and not any(words in line.text for words in provoked):
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
        context.set_default_timeout(60_000)
        faults = []
        view = watched(context, faults)
        view.another = lambda: watched(context, faults)
        # The cookie, as after a first visit; no page is shown yet.
        view.request.get(f"/static/icon.svg?token={server.token}")
        # The first answer waits until rules are loaded, on a machine that may be busy.
        settle(server)
        yield view
        context.close()
        assert faults == []

    return enter


@pytest.fixture
def page(let_in, served):
    """A page of the server that all tests share."""
    with let_in(served) as view:
        yield view
