"""The things people do with a checkout: ``nox --list`` names them, ``nox -s NAME`` does one.

Sessions run in the environment that nox itself runs in (``pip install -c constraints.txt
-e '.[dev]'``): models and torch are large, and one copy is enough. ``.ci/run`` starts from
nothing instead.
"""

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["test", "style"]


@nox.session
def test(session: nox.Session) -> None:
    """Run the tests of every day; words after ``--`` go to pytest."""
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def test_all(session: nox.Session) -> None:
    """Run all tests, the slow ones and the browser's too, and report coverage."""
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
    """Make the pages that come from the code, in docs/reference/."""
    session.run("python", "-m", "docs.pages")


@nox.session
def sdist(session: nox.Session) -> None:
    """Build a source distribution, with the pages that come from the code."""
    session.run("python", "-m", "docs.pages")
    session.run("python", "-m", "hatchling", "build", "-t", "sdist", *session.posargs)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure; words after ``--`` choose what, see ``python -m benchmarks --help``."""
    session.run("python", "-m", "benchmarks", *session.posargs)
