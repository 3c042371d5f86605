"""What is stored of texts is readable by its owner alone."""

import os
import subprocess
import sys

from ists_asp.io.cache import Cache
from ists_asp.io.store import Store


def mode(path):
    return path.stat().st_mode & 0o777


def test_cache_and_store_are_private(tmp_path):
    folder = tmp_path / "cache"
    cache = Cache(folder)
    cache.put("models", [("a", "b")])
    store = Store(folder)
    store.put("key", [1])
    assert mode(folder) == mode(store.path) == 0o700
    assert {mode(path) for path in folder.rglob("*") if path.is_file()} == {0o600}
    cache.close()


def test_a_file_of_an_earlier_version_becomes_private(tmp_path):
    Cache(tmp_path).close()
    (tmp_path / "annotations.sqlite3").chmod(0o644)
    Cache(tmp_path).close()
    assert mode(tmp_path / "annotations.sqlite3") == 0o600


def test_no_library_keeps_or_sends_anything_of_its_own(tmp_path):
    code = "import ists_asp; ists_asp.load(cache=None).solve('a dog', 'a cat')"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=300)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
