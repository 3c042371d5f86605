"""The rota: of the slow, long and browser tests, another part is run each day.

``--rota 3/10`` runs the third of ten parts, ``--rota today`` the one of ten that is due, so that
ten days run all of them; tests marked ``always`` are in each part. Files are dealt, those that
take long by slices of their tests, by the seconds in ``durations.tsv``, so that no part takes much
longer than the others, in the workbench and elsewhere; ``--write-durations`` writes that file.
"""

from collections import Counter, defaultdict
from datetime import date
from functools import cache
from pathlib import Path
from zlib import crc32

DAYS = 10

_DURATIONS = Path(__file__).with_name("durations.tsv")
_MARKS = frozenset(("slow", "long", "browser"))
_LONG = 80  # seconds that a slice of a file takes at most, if its tests take equally long


def pytest_addoption(parser):
    parser.addoption(
        "--rota", type=_part, metavar="K/N", help="part of the slow, long and browser tests"
    )
    parser.addoption("--write-durations", action="store_true", help=f"write {_DURATIONS.name}")


def _part(text):
    today = f"{date.today().toordinal() % DAYS + 1}/{DAYS}"
    part, parts = map(int, (today if text == "today" else text).split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def slices_of(file, durations):
    """The number of slices of a file's tests: a worker runs all that a part has of a file."""
    return 1 + int(durations.get(file, 0) / _LONG)


def part_of(file, parts, durations, piece=0):
    """The part, from 1, of a slice of a file; files of the workbench are dealt by themselves."""
    loads = [0.0] * parts
    beside = [other for other in durations if _bench(other) == _bench(file)]
    dealt = {
        (other, number): durations[other] / slices_of(other, durations)
        for other in beside
        for number in range(slices_of(other, durations))
    }
    for other, seconds in sorted(dealt.items(), key=lambda row: (-row[1], row[0])):
        place = loads.index(min(loads))
        if other == (file, piece):
            return place + 1
        loads[place] += seconds
    return crc32(file.encode()) % parts + 1


def _bench(file):
    return file.startswith("tests/workbench/")


def read_durations():
    rows = (line.split("\t", 1) for line in _DURATIONS.read_text("utf-8").splitlines())
    return {file: float(seconds) for seconds, file in rows}


def pytest_collection_modifyitems(config, items):
    if not config.option.rota:
        return
    part, parts = config.option.rota
    durations = read_durations()
    due = cache(lambda file, piece: part_of(file, parts, durations, piece) == part)
    groups, left = defaultdict(dict), []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & _MARKS and "always" not in marks:
            file = item.nodeid.partition("::")[0]
            # What the lines of a page do rests on those before.
            group = item.nodeid.partition(" line ")[0]
            number = groups[file].setdefault(group, len(groups[file]))
            if not due(file, number % slices_of(file, durations)):
                left.append(item)
    config.hook.pytest_deselected(items=left)
    others = set(left)
    items[:] = [item for item in items if item not in others]


class Durations:
    def __init__(self):
        self.seconds = Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self):
        rows = sorted((read_durations() | self.seconds).items())
        _DURATIONS.write_text("".join(f"{took:.0f}\t{file}\n" for file, took in rows), "utf-8")


def pytest_configure(config):
    if config.option.write_durations and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


def pytest_report_header(config):
    if not config.option.rota:
        return None
    return "rota: part {} of {} of the slow, long and browser tests".format(*config.option.rota)
