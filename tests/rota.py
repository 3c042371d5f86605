"""The rota: of the slow, long and browser tests, another part is run each day.

``--rota 3/10`` runs the third of ten parts, ``--rota today`` the one of ten that is due, so that
ten days run all of them; tests marked ``always`` are in each part. Whole files are dealt, by the
seconds in ``durations.tsv``, so that no part takes much longer than the others;
``--write-durations`` writes that file.
"""

from collections import Counter
from datetime import date
from pathlib import Path
from zlib import crc32

DAYS = 10

_DURATIONS = Path(__file__).with_name("durations.tsv")
_MARKS = frozenset(("slow", "long", "browser"))


def pytest_addoption(parser):
    parser.addoption(
        "--rota", type=_part, metavar="K/N", help="part of the slow, long and browser tests"
    )
    parser.addoption("--write-durations", action="store_true", help=f"write {_DURATIONS.name}")


def _part(text):
    part, parts = (
        (date.today().toordinal() % DAYS + 1, DAYS)
        if text == "today"
        else map(int, text.split("/"))
    )
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def part_of(file, parts, durations):
    """The part that a file is in, from 1."""
    loads = [0.0] * parts
    for other, seconds in sorted(durations.items(), key=lambda row: (-row[1], row[0])):
        place = loads.index(min(loads))
        if other == file:
            return place + 1
        loads[place] += seconds
    return crc32(file.encode()) % parts + 1


def read_durations():
    """Seconds that the slow tests of a file take, by file."""
    rows = (line.split("\t", 1) for line in _DURATIONS.read_text("utf-8").splitlines())
    return {file: float(seconds) for seconds, file in rows}


def pytest_collection_modifyitems(config, items):
    if not config.option.rota:
        return
    part, parts = config.option.rota
    files = {item.nodeid.partition("::")[0] for item in items}
    durations = read_durations()
    due = {file for file in files if part_of(file, parts, durations) == part}
    left = []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & _MARKS and "always" not in marks and item.nodeid.partition("::")[0] not in due:
            left.append(item)
    config.hook.pytest_deselected(items=left)
    others = set(left)
    items[:] = [item for item in items if item not in others]


class Durations:
    """Writes what the tests of each file took when all are done."""

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
