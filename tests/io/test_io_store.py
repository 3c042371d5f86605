"""The cache: entries, bounds, damage, files of others, several processes."""

import logging
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from ists_asp.errors import ResourceError
from ists_asp.io import store as store_module
from ists_asp.io.store import FILE, RULES, TRACES, SharedStore, Store, key_of
from tests.sharing import refused

DAMAGE = {
    "it is no database": lambda content: b"no database file" + content[16:],
    "it is text": lambda content: b"notes\n" * 1000,
    "the format is unknown": lambda content: content[:19] + b"\x09" + content[20:],
    "it may only be read": lambda content: content[:18] + b"\x03" + content[19:],
    "the schema is no text": lambda it: it.replace(b"TABLE entries ", b"\xa6" * 14, 1),
    "pages point to nowhere": lambda content: content[:5000].ljust(len(content), b"\xff"),
    "it is cut": lambda content: content[:5000],
    "it is half as long": lambda content: content[: len(content) // 2],
}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as store:
        yield store


@pytest.fixture(params=["file", "address"])
def either(request, tmp_path):
    if request.param == "file":
        return Store(tmp_path)
    pytest.importorskip("fsspec")
    return SharedStore(f"file://{tmp_path}/shared")


def get(store, key):
    return store.get_many([key])[0]


def put(store, key, value):
    store.put_many([(key, value)])


def keys(count):
    return [key_of("entry", number) for number in range(count)]


def execute(folder, statement, *values):
    with closing(sqlite3.connect(folder / FILE)) as database, database:
        return database.execute(statement, values).fetchall()


@pytest.mark.parametrize(
    "value",
    [{"text": "año", "numbers": [1, 2]}, [], "", 0, False, "x" * 1_000_000, [["a", None]] * 999],
)
def test_an_entry_is_found_by_its_key_only(either, value):
    first, second = keys(2)
    assert either.get_many([first, second]) == [None, None]
    either.put_many([(first, value)])
    assert either.get_many([second, first, first]) == [None, value, value]


def test_keys_differ_if_parts_do():
    parts = [(), ("",), ("a", "b"), ("ab",), ("a", ["b"]), ("\ud800",), (None,), ("null",)]
    assert len({key_of(*each) for each in parts}) == len(parts)


@pytest.mark.parametrize("kind", [RULES, TRACES])
def test_a_damaged_value_is_no_entry(tmp_path, kind):
    first, second = keys(2)
    store = Store(tmp_path, kind)
    store.put_many([(first, [1, 2, 3]), (second, [4])])
    store.close()
    select = "SELECT value FROM entries WHERE key = ?"
    ((value,),), ((other,),) = (execute(tmp_path, select, key) for key in (first, second))
    damaged = [value[:-1] + b"?", other, value.hex(), 7, value[:4] + b"?" + value[5:]]
    for wrong in (*damaged, *(value[:cut] for cut in (0, 3, 4, 5, -1))):
        execute(tmp_path, "UPDATE entries SET value = ? WHERE key = ?", wrong, first)
        assert store.get_many([first, second]) == [None, [4]]
    put(store, first, [1, 2, 3])
    assert get(store, first) == [1, 2, 3]


def test_what_was_not_used_for_longest_goes_first(store, monkeypatch):
    monkeypatch.setattr(store_module, "MOST", 3)
    of_traces = store.of(TRACES)
    put(of_traces, key_of("trace"), 1)
    for number, key in enumerate(keys(5)):
        execute(store.path.parent, "UPDATE entries SET used = used - 100000")
        assert get(store, keys(1)[0]) == (0 if number else None)
        put(Store(store.path.parent), key, number)
    assert store.get_many(keys(5)) == [0, None, None, 3, 4]
    assert get(of_traces, key_of("trace")) == 1
    assert store.info().keys() == {RULES, TRACES}


def test_bytes_are_bounded(store, monkeypatch):
    monkeypatch.setattr(store_module, "OFTEN", 10)
    monkeypatch.setitem(store_module.LIMITS, RULES, 5000)
    for key in keys(40):
        put(Store(store.path.parent), key, "x" * 1000)
    assert store.info()[RULES][1] <= 5000
    # What a store has written does not make room for more of it.
    first = key_of("first")
    put(store, first, "y")
    for key in keys(40):
        put(store, key, "z" * 1000)
    assert 5 <= store.get_many(keys(40)).count("z" * 1000) <= 6
    assert get(store, first) == "y"


def test_clear_removes_entries_and_damaged_files_and_nothing_else(store):
    notes = store.path.parent / "notes.txt"
    notes.write_text("mine")
    (store.path.parent / f"{FILE}.damaged-20261231-235959-wal").write_text("old")
    store.put_many([(key, 1) for key in keys(3)])
    assert (store.info()[RULES][0], store.clear()) == (3, 3)
    assert {path.name for path in store.path.parent.iterdir()} == {notes.name, f"{FILE}.lock"}
    # A store that is open goes on with a new file.
    put(store, keys(1)[0], 2)
    assert (get(store, keys(1)[0]), store.info()[RULES][0]) == (2, 1)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("use", ["info", "clear", "get", "put"])
def test_a_damaged_file_is_renamed_and_told_once(tmp_path, damage, use, caplog):
    store = Store(tmp_path)
    store.put_many([(key, "y" * 500) for key in keys(200)])
    store.close()
    content = damage(store.path.read_bytes())
    store.path.write_bytes(content)
    with caplog.at_level(logging.WARNING, "ists_asp"):
        if use == "get":
            assert set(store.get_many(keys(200))) <= {"y" * 500, None}
        elif use == "put":
            store.put_many([(key, "new") for key in keys(200)])
        else:
            getattr(store, use)()
        store.close()
        for _ in range(2):
            store.put_many([(key, "z") for key in keys(200)])
            assert store.get_many(keys(200)) == ["z"] * 200
        assert execute(tmp_path, "PRAGMA integrity_check") == [("ok",)]
    store.close()
    names = [path.name for path in tmp_path.glob(f"{FILE}.damaged-*")]
    if use == "clear" and not caplog.records:
        assert not names
    else:
        (record,) = caplog.records
        assert max(names, default="") in record.getMessage()
        assert use == "clear" or (tmp_path / names[0]).read_bytes() == content
    assert store.get_many(keys(200)) == ["z"] * 200


def test_who_waited_for_the_lock_looks_again(store, monkeypatch, caplog):
    """Two processes meet a damaged file: the second one does not rename the successor."""
    (key,) = keys(1)
    put(store, key, 1)
    store.close()
    store.path.write_bytes(b"no database" * 1000)
    alone = store_module._alone

    def other_first(path):
        monkeypatch.setattr(store_module, "_alone", alone)
        code = "import sys; from pathlib import Path; from ists_asp.io.store import *;"
        code += "Store(Path(sys.argv[1])).put_many([(bytes.fromhex(sys.argv[2]), 2)])"
        command = [sys.executable, "-c", code, str(path.parent), key.hex()]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert "the cache was damaged" in done.stderr
        return alone(path)

    monkeypatch.setattr(store_module, "_alone", other_first)
    assert get(store, key) == 2
    assert not caplog.records


@pytest.mark.parametrize("mark", [0, store_module.APPLICATION_ID + 1])
def test_a_database_of_another_program_stays_as_it_is(tmp_path, mark):
    execute(tmp_path, "CREATE TABLE entries (key, kind, used, size, value)")
    execute(tmp_path, f"PRAGMA application_id = {mark}")
    content = (tmp_path / FILE).read_bytes()
    store = Store(tmp_path)
    for use in (store.info, store.clear, lambda: get(store, b""), lambda: put(store, b"", 1)):
        refused(ResourceError, f"{FILE} is the file of another.*--cache none", use)
    assert (tmp_path / FILE).read_bytes() == content
    assert {path.name for path in tmp_path.iterdir()} == {FILE, f"{FILE}.lock"}


def test_a_file_of_another_version_is_emptied(store):
    (key,) = keys(1)
    put(store, key, 1)
    store.close()
    for statement in ("DROP TABLE entries", "CREATE TABLE entries (key, value)"):
        execute(store.path.parent, statement)
    execute(store.path.parent, "PRAGMA user_version = 77")
    assert get(store, key) is None
    put(store, key, 2)
    assert get(store, key) == 2


def test_a_place_that_cannot_be_used_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    for place in ("file/cache", "folder"):
        with pytest.raises(ResourceError, match=r"^[^\n]*cache cannot be used .*--cache none.*$"):
            get(Store(tmp_path / place), keys(1)[0])


def test_a_file_that_another_process_holds_is_waited_for_once(store, monkeypatch):
    monkeypatch.setattr(store_module, "_WAIT", 0.1)
    monkeypatch.setattr(store_module, "_paused", {})
    put(store, keys(1)[0], 1)
    store.close()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert get(store, keys(1)[0]) is None
        begin = time.monotonic()
        for _ in range(100):
            put(store, keys(1)[0], 2)
        assert time.monotonic() - begin < 5
        refused(ResourceError, "cannot be used", store.info)
    store_module._paused.clear()
    assert get(store, keys(1)[0]) == 1


def test_a_fork_shares_no_connection(store):
    put(store, keys(1)[0], 1)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        child = os.fork()
        if not child:
            assert not store_module._connections
            put(store, keys(2)[1], get(store, keys(1)[0]) + 1)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert store.get_many(keys(2)) == [1, 2]
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


PROCESSES = """
import os, random, signal, sqlite3, sys, threading, time
from pathlib import Path
from ists_asp.io.store import FILE, Store, key_of

folder, rounds, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
dice = random.Random(1)

def work(kind, seed):
    dice = random.Random(f"{seed} {kind}")
    try:
        for number in range(10**9):
            store = Store(folder, kind)
            entries = [
                (key_of(kind, dice.random()), {"x": "y" * dice.randint(10, 3000)})
                for _ in range(dice.randint(1, 30))
            ]
            store.put_many(entries)
            values = store.get_many([key for key, _ in entries])
            assert values == [value for _, value in entries], "an entry is lost"
            store.get_many([key_of("shared", dice.randrange(100)) for _ in range(20)])
            store.put_many([(key_of("shared", dice.randrange(100)), [1] * dice.randrange(20000))])
            if number % 3 == 0:
                store.close()
            if kind == "traces" and number % 20 == 0 and not os.fork():
                assert store.get_many([key for key, _ in entries]) == values
                os._exit(0)
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(1)

def begin():
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for kind in ("annotations", "answers", "traces"):
        threading.Thread(target=work, args=(kind, os.getpid())).start()
    signal.pause()

def kill(child):
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        print("ended by itself:", status)

for _ in range(rounds):
    running = [begin() for _ in range(8)]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(dice.random() * seconds / 10)
        place = dice.randrange(8)
        kill(running[place])
        running[place] = begin()
    for child in running:
        kill(child)
    database = sqlite3.connect(folder / FILE)
    print(*database.execute("PRAGMA integrity_check").fetchall())
    print(database.execute("SELECT count(*) FROM entries").fetchone()[0] > 100)
    database.close()
"""


@pytest.mark.parametrize(
    ("rounds", "seconds"),
    [("1", "1.5"), pytest.param("12", "5", marks=[pytest.mark.long, pytest.mark.slow])],
)
def test_eight_processes_that_are_killed_leave_a_sound_file(tmp_path, rounds, seconds):
    """Each has three stores in three threads, which open, close, read, write and fork."""
    command = [sys.executable, "-c", PROCESSES, str(tmp_path), rounds, seconds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "('ok',)\nTrue\n" * int(rounds)
    assert done.stderr == ""
    assert not list(tmp_path.glob("*.damaged-*"))
