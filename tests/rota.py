"""The rota: of the slow, long and browser tests, another part is run each day.

``--rota 3/10`` runs the third of ten parts, ``--rota today`` the one of ten that is due, so that
ten days run all of them; tests marked ``always`` are in each part. A test stays in its part
until it is renamed. Those in ``durations.tsv`` are dealt by the seconds they take, so that no
part takes much longer than the others; ``--write-durations`` writes that file.
"""

from collections import Counter
from datetime import date
from pathlib import Path
from zlib import crc32

DAYS = 10
LONG = 2.0
"""Seconds of the tests that are dealt by time."""

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


def parts_of(tests, parts, durations):
    """The part that each test is in, from 1."""
    loads, dealt = [0.0] * parts, {}
    for test, seconds in sorted(durations.items(), key=lambda row: (-row[1], row[0])):
        place = loads.index(min(loads))
        loads[place] += seconds
        dealt[test] = place + 1
    return {test: dealt.get(test) or crc32(test.encode()) % parts + 1 for test in tests}


def read_durations():
    rows = (line.split("\t", 1) for line in _DURATIONS.read_text("utf-8").splitlines())
    return {test: float(seconds) for seconds, test in rows}


def pytest_collection_modifyitems(config, items):
    if not config.option.rota:
        return
    part, parts = config.option.rota
    due = parts_of([item.nodeid for item in items], parts, read_durations())
    left = []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & _MARKS and "always" not in marks and due[item.nodeid] != part:
            left.append(item)
    config.hook.pytest_deselected(items=left)
    others = set(left)
    items[:] = [item for item in items if item not in others]


class Durations:
    """Writes what each test took when all are done."""

    def __init__(self):
        self.seconds = Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self):
        lines = [
            f"{took:.0f}\t{test}\n" for test, took in sorted(self.seconds.items()) if took >= LONG
        ]
        _DURATIONS.write_text("".join(lines), "utf-8")


def pytest_configure(config):
    if config.option.write_durations and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


def pytest_report_header(config):
    if not config.option.rota:
        return None
    return "rota: part {} of {} of the slow, long and browser tests".format(*config.option.rota)
