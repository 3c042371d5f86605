"""Odd surroundings, and a cache in which what was worked out about rules is spoilt."""

import os
import shutil
import time

from .faults import Same, Told, fault
from .place import FEW, SOLVE

for _name, _variables in (
    ("the locale knows ASCII only", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    ("the locale is not installed", {"LC_ALL": "xx_XX.KOI8-R"}),
    ("there is no home", {"HOME": "/nonexistent", "XDG_CACHE_HOME": ""}),
    ("there is no place for drafts", {"TMPDIR": "/nonexistent"}),
    ("the terminal is dumb and narrow", {"TERM": "dumb", "COLUMNS": "1", "LINES": "1"}),
    ("Python leaves assertions out", {"PYTHONOPTIMIZE": "2"}),
    ("Python hashes in another order", {"PYTHONHASHSEED": "77"}),
    ("there are more threads than processors", {"OMP_NUM_THREADS": "64"}),
    ("the time zone is unknown", {"TZ": "Nowhere/Never"}),
):

    def _surrounded(place, variables=_variables):
        place.environment.update(variables)
        return place.pairs().solve("-q")

    fault(_name, Same(FEW))(_surrounded)


for _name, _text in (
    ("few files may be open", "ulimit -n 40; $solve --tsv pairs.tsv -o out.wa -q"),
    ("new files may be read by nobody", "umask 0777; $solve --tsv pairs.tsv -q > out.wa"),
    ("there is no program on the path", "PATH=; $solve --tsv pairs.tsv -o out.wa -q"),
):
    fault(_name, Same(FEW))(lambda place, text=_text: place.pairs().shell(text))


@fault("the folder of the run is gone", Told("the working folder has been removed"))
def _(place):
    return place.pairs().shell(
        'mkdir gone; cd gone; rmdir "$PWD"; $solve --tsv ../pairs.tsv -o out.wa'
    )


def _spoilt(place, spoil):
    """What comes of a run if each file that an earlier one kept, but for words, is spoilt."""
    copy = place.folder / "cache"
    shutil.copytree(place.cache, copy)
    place.cache = copy
    place.pairs().solve("-q")
    place.out.unlink()
    kept = sorted(path for path in copy.rglob("*") if path.is_file() and "sqlite" not in path.name)
    assert len(kept) > 5, "nothing was kept"
    spoil(kept)
    return place.solve("-q")


def _each(work):
    return lambda kept: [work(path) for path in kept]


def _replaced(make):
    def spoil(path):
        path.unlink()
        make(path)

    return _each(spoil)


def _exchanged(kept):
    texts = [path.read_bytes() for path in kept]
    for path, text in zip(kept, texts[1:] + texts[:1], strict=True):
        path.write_bytes(text)


for _name, _spoil in (
    ("what was kept of rules is empty", _each(lambda path: path.write_bytes(b""))),
    ("what was kept of rules is random", _each(lambda path: path.write_bytes(os.urandom(500)))),
    ("what was kept of rules is cut", _each(lambda path: os.truncate(path, 60))),
    ("what was kept of rules lies under other names", _exchanged),
    ("what was kept of rules are folders", _replaced(lambda path: path.mkdir())),
    ("what was kept of rules are pipes", _replaced(os.mkfifo)),
    ("what was kept of rules are devices", _replaced(lambda path: path.symlink_to("/dev/zero"))),
    ("what was kept of rules leads nowhere", _replaced(lambda path: path.symlink_to(path.name))),
    (
        "what was kept of rules is from the future",
        _each(lambda path: os.utime(path, (time.time() + 1e9,) * 2)),
    ),
    ("what was kept of rules is from 1970", _each(lambda path: os.utime(path, (0, 0)))),
):
    fault(_name, Same(FEW))(lambda place, spoil=_spoil: _spoilt(place, spoil))


def _served(place, target, *options):
    (place.folder / "file").write_text("no project")
    return place.run([*SOLVE[:3], "serve", target, "--no-browser", *options])


for _name, _arguments, _ends in (
    ("a project is a file", ("file",), Told("this is no folder", code=2)),
    ("a project is some folder", (".",), Told("neither empty nor a project", code=2)),
    ("a project has an unknown profile", ("new", "--profile", "x"), Told('no profile "x"', code=2)),
    ("a port is out of range", ("new", "--port", "70000"), Told("70000 is not in", code=2)),
):
    fault(_name, _ends)(lambda place, arguments=_arguments: _served(place, *arguments))


_TAKEN = Told("this is an input file", code=2)


def _parted(place, *options):
    return place.pairs().run(
        [*SOLVE, "--engine", "dask", "--table", "pairs.tsv", "--cache", "none", *options]
    )


for _name, _arguments, _ends in (
    ("a cluster has no folder to write", (), Told("writes a folder", code=2)),
    ("a cluster is to write into a file", ("-o", "pairs.tsv"), _TAKEN),
    (
        "a cluster is to write a sheet",
        ("--format", "xlsx", "-o", "parts"),
        Told("in parts", code=2),
    ),
    (
        "a scheduler is not there",
        ("-o", "parts", "--scheduler", "tcp://127.0.0.1:9"),
        Told("there are no workers"),
    ),
):
    fault(_name, _ends)(lambda place, arguments=_arguments: _parted(place, *arguments))
