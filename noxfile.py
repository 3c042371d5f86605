"""The things people do with a checkout: ``nox --list`` names them, ``nox -s NAME`` does one.

Sessions run in the environment that nox itself runs in (``pip install -c constraints.txt
-e '.[dev]'``): models and torch are large, and one copy is enough. ``.ci/run`` starts from
nothing instead.
"""

import shutil
from pathlib import Path

import nox

LARGEST = 60_000_000
"""Bytes that a distribution may have."""

nox.options.default_venv_backend = "none"
nox.options.sessions = ["test", "style"]


@nox.session
def test(session: nox.Session) -> None:
    """Run the fast tests; words after ``--`` go to pytest."""
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def test_all(session: nox.Session) -> None:
    """Run all tests, slow, long and browser's too, whatever the day; report coverage."""
    session.run(
        *("python", "-m", "pytest", "-m", "", "--cov", "--cov-report=term"),
        *session.posargs,
    )


@nox.session
def style(session: nox.Session) -> None:
    """Look at style, types and layers."""
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-cache")


@nox.session
def docs(session: nox.Session) -> None:
    """Make the site in build/site, and look all of its own links up; ``-- --pictures`` draws."""
    if session.posargs:
        session.run("python", "-m", "docs.pages", *session.posargs)
    session.run("python", "-m", "docs.pages")
    session.run("sphinx-build", "-q", "-E", "-W", "--keep-going", "-n", "docs", "build/site")
    session.run("python", "-m", "tests.links", "build/site")


@nox.session
def audit(session: nox.Session) -> None:
    """Ask a database for known holes in what is pinned: needs a network, installs pip-audit."""
    session.install("-q", "pip-audit")
    session.run("pip-audit", "-r", "constraints.txt", "--no-deps", "--disable-pip")


@nox.session
def sdist(session: nox.Session) -> None:
    """Build a source distribution, with the pages that come from the code."""
    session.run("python", "-m", "docs.pages")
    session.run("python", "-m", "hatchling", "build", "-t", "sdist", *session.posargs)


@nox.session
def package(session: nox.Session) -> None:
    """Build both distributions, check them, and resolve what they need for later Pythons."""
    folder = Path("build", "package")
    shutil.rmtree(folder, ignore_errors=True)
    session.run("python", "-m", "docs.pages")
    session.run("python", "-m", "hatchling", "build", "-d", str(folder))
    files = sorted(map(str, folder.iterdir()))
    session.run("twine", "check", "--strict", *files)
    session.run("check-wheel-contents", str(folder))
    for file in folder.iterdir():
        if file.stat().st_size > LARGEST:
            session.error(f"{file}: {file.stat().st_size} bytes; expected at most {LARGEST}")
    (wheel,) = folder.glob("*.whl")
    for version in ("3.12", "3.13"):
        # Nothing is installed; the wheels themselves are looked at, torch's among them.
        session.run(
            *("python", "-m", "pip", "install", "-q", "--dry-run", "--ignore-installed"),
            *("--target", str(folder / version), "--python-version", version),
            *("--only-binary=:all:", "-c", "constraints.txt", f"{wheel}[tables,frames,spanish]"),
        )


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure; words after ``--`` choose what, see ``python -m benchmarks --help``."""
    session.run("python", "-m", "benchmarks", *session.posargs)
