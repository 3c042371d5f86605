"""What is kept between runs: entries, damage, bounds, several processes."""

import os
import subprocess
import sys
import time

import pytest

from ists_asp.io import store as store_module
from ists_asp.io.store import FOLDER, Store

WRITE = """
import sys
from pathlib import Path
from ists_asp.io.store import Store
store = Store(Path(sys.argv[1]))
for number in range(60):
    store.put(f"shared {number % 5}", {"value": [number % 5] * 5000})
    found = store.get(f"shared {number % 5}")
    assert found == {"value": [number % 5] * 5000}, found
"""


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def test_an_entry_is_found_by_its_key_only(store):
    assert store.get("a") is None
    store.put("a", {"text": "año", "numbers": [1, 2]})
    assert Store(store.path.parent).get("a") == {"text": "año", "numbers": [1, 2]}
    assert store.get("b") is None


@pytest.mark.parametrize("cut", [0, 10, 80, -1])
def test_a_damaged_entry_is_none_and_is_written_anew(store, cut):
    store.put("a", [1, 2, 3])
    (file,) = store.path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:cut])
    assert store.get("a") is None
    file.write_bytes(whole.replace(b"[1,2,3]", b"[1,2,4]"))
    assert store.get("a") is None
    store.put("a", [1, 2, 3])
    assert store.get("a") == [1, 2, 3]


def test_what_stands_in_the_place_of_an_entry_is_none(store):
    store.put("a", [1])
    (file,) = store.path.iterdir()
    store.put("b", {"of another": "kind"})
    (other,) = set(store.path.iterdir()) - {file}
    other.replace(file)
    assert store.get("a") is None
    file.unlink()
    # A pipe is not waited for.
    os.mkfifo(file)
    assert (store.get("a"), store.info().entries) == (None, 0)
    store.put("a", [2])
    assert store.get("a") == [2]


def test_clear_removes_entries_and_old_drafts_and_nothing_else(store):
    store.put("a", 1)
    (file,) = store.path.iterdir()
    draft = file.with_name(f"{file.stem}.x1.part")
    draft.write_text("half of")
    others = {store.path / "notes.txt", store.path / f"{'0' * 40}.kept"}
    for other in others:
        other.write_text("mine")
    assert (store.info().entries, store.clear()) == (1, 1)
    assert set(store.path.iterdir()) == others
    # That of an interrupted process goes with time.
    draft.write_text("half of")
    Store(store.path.parent).put("b", 1)
    assert draft.exists()
    os.utime(draft, (0, time.time() - 7200))
    Store(store.path.parent).put("c", 1)
    assert not draft.exists()


def test_an_entry_that_unpacks_to_too_much_is_none(store, monkeypatch):
    store.put("a", "x" * 1_000_000)
    assert store.get("a") == "x" * 1_000_000
    monkeypatch.setattr(store_module, "LARGEST_ENTRY", 500_000)
    assert store.get("a") is None


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path):
    (tmp_path / FOLDER).write_text("somebody's file")
    store = Store(tmp_path)
    store.put("a", 1)
    assert store.get("a") is None
    assert (store.clear(), store.info().entries) == (0, 0)
    assert (tmp_path / FOLDER).read_text() == "somebody's file"


def test_what_was_not_used_for_longest_goes_first(store, monkeypatch):
    monkeypatch.setattr(store_module, "MOST", 3)
    for number in range(5):
        # Each process bounds the folder once.
        Store(store.path.parent).put(f"key {number}", number)
        for file in store.path.iterdir():
            found = file.stat()
            os.utime(file, (found.st_atime, found.st_mtime - 10))
    assert [store.get(f"key {number}") for number in range(5)] == [None, None, 2, 3, 4]


def test_size_is_bounded(store, monkeypatch):
    monkeypatch.setattr(store_module, "LARGEST", 5000)
    for number in range(10):
        Store(store.path.parent).put(f"key {number}", "x" * 1000)
    assert 3 <= store.info().entries <= 4
    assert store.info().size <= 5000


def test_a_process_that_writes_much_bounds_the_folder_again(store, monkeypatch):
    monkeypatch.setattr(store_module, "MOST", 5)
    monkeypatch.setattr(store_module, "OFTEN", 10)
    store = Store(store.path.parent)
    for number in range(41):
        store.put(f"key {number}", number)
    assert store.info().entries == 5


def test_processes_share_a_folder(tmp_path):
    running = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path)], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    ends = [process.communicate(timeout=60)[1].decode() for process in running]
    assert ends == ["", "", ""]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert Store(tmp_path).info().entries == 5
