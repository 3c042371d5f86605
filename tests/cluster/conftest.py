"""A scheduler and a worker in this process, and the command in it."""

import pytest
from click.testing import CliRunner
from distributed import LocalCluster

from ists_asp.cli.app import main


@pytest.fixture(scope="module")
def inside():
    """The address of a scheduler whose worker is a thread of this process."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0):
        done = CliRunner().invoke(main, list(arguments))
        assert done.exit_code == code, (done.output, done.exception)
        return done

    return call


@pytest.fixture
def dask(command, inside):
    def call(name, *arguments, code=0, size=2):
        engine = ("--engine", "dask", "--scheduler", inside, "--partition", str(size))
        return command(name, *engine, *arguments, code=code)

    return call
