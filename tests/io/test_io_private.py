"""What is stored of texts is readable by its owner alone."""

import os
import subprocess
import sys

import pytest

from ists_asp.io.store import FILE, Store


def mode(path):
    return path.stat().st_mode & 0o777


def test_the_cache_is_private_and_becomes_so_again(tmp_path):
    folder = tmp_path / "cache"
    for _ in range(2):
        with Store(folder) as store:
            store.put_many([(b"key", [1])])
            assert mode(folder) == 0o700
            assert {mode(path) for path in folder.iterdir()} == {0o600}
            assert len(list(folder.iterdir())) == 4
        (folder / FILE).chmod(0o644)


@pytest.mark.slow
def test_no_library_keeps_or_sends_anything_of_its_own(tmp_path):
    code = "import ists_asp; ists_asp.load(cache=None).solve('a dog', 'a cat')"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=300)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
