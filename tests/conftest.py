"""What holds for all tests: a cache of their own, one thread each, interrupts that are heard.

The cache is that of a run, of all its processes. What has been worked out about rules goes on to
the next run: its keys hold the rules and the code. ``--cache-clear`` and ``--cov`` begin anew.

Stanza's models and the reader's are read once in a process, however many systems are loaded.

Half as many examples are tried as hypothesis does by itself; ``--hypothesis-profile=thorough``
tries many more. None has a deadline: on a busy machine that would fail what is right.
"""

import os
import shutil
import signal
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests import rota
from tests.rota import (  # noqa: F401
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_report_header,
)
from tests.serving import browser  # noqa: F401

# Before numpy and torch are imported: there is a process for each core already.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("thorough", max_examples=4000, deadline=None)
settings.register_profile("quick", max_examples=50, deadline=None)
settings.load_profile("quick")


def pytest_xdist_auto_num_workers():
    return os.cpu_count() or 1


def pytest_configure(config):
    rota.pytest_configure(config)
    if not hasattr(config, "workerinput"):
        kept = None
        with suppress(OSError):
            if hasattr(config, "cache") and not config.getoption("cov_source", None):
                kept = Path(config.cache.mkdir("rules"))
        cache = _cache_of_a_run(kept)
        cache.__enter__()
        config.add_cleanup(lambda: cache.__exit__(None, None, None))


@contextmanager
def _cache_of_a_run(kept):
    """The cache of all processes of a run, which begins with the rules in the folder ``kept``."""
    with tempfile.TemporaryDirectory(prefix="ists-asp-", ignore_cleanup_errors=True) as folder:
        # Workers and commands inherit it.
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_STATE_HOME"] = folder
        file = Path(folder, "ists-asp", "cache.sqlite3")
        if kept and (kept / file.name).exists():
            file.parent.mkdir()
            shutil.copyfile(kept / file.name, file)
        yield
        if kept and file.exists():
            fresh = kept / f"{os.getpid()}"
            with suppress(OSError, sqlite3.Error), closing(sqlite3.connect(file)) as database:
                with database:
                    others = "DELETE FROM entries WHERE kind != 'rules' OR used < ?"
                    database.execute(others, (time.time() - 2 * 86400,))
                database.execute("VACUUM INTO ?", (str(fresh),))
                fresh.replace(kept / file.name)


@pytest.fixture(autouse=True, scope="session")
def _models_once():
    """Annotators share a pipeline of the same models, and readers the model that is shipped."""
    from ists_asp import annotate
    from ists_asp.engine import preparation
    from ists_asp.knowledge import reader_model
    from ists_asp.resources import data_dir

    model, once = reader_model.Model, cache(reader_model.Model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annotate, "StanzaAdapter", cache(annotate.StanzaAdapter))
        shipped = data_dir()
        patch.setattr(
            reader_model, "Model", lambda at: (once if shipped in at.parents else model)(at)
        )
        # Each system would look through all that tests hold: half a second.
        patch.setattr(preparation, "freeze_gc", cache(preparation.freeze_gc))
        yield


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run ists-asp in an empty folder; unexpected exceptions fail the test."""
    from click.testing import CliRunner

    from ists_asp.cli.app import main

    monkeypatch.chdir(tmp_path)

    def invoke(*args, stdin=None):
        return CliRunner().invoke(main, [str(arg) for arg in args], stdin, catch_exceptions=False)

    return invoke


@pytest.fixture
def good(run):
    """Run ists-asp, which must succeed; return what it prints."""

    def invoke(*args, stdin=None):
        result = run(*args, stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    return invoke


@pytest.fixture
def bad(run):
    """Run ists-asp, which must fail with this exit code; return its error, one line."""

    def invoke(exit_code, *args, stdin=None):
        result = run(*args, stdin=stdin)
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert (result.exit_code, len(errors), result.stdout) == (exit_code, 1, ""), result.stderr
        return errors[0].removeprefix("error: ")

    return invoke


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background: commands that tests interrupt would not hear it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    # Started by nohup: commands that tests tell to end would go on.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
