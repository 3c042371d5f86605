"""Waits of people: the CPU seconds of each, and the most that it may take.

``python -m benchmarks.waits`` needs no data: it makes up pairs. Waits of the workbench go over HTTP
to a server that has answered before, and count all its processes until the answer is there;
commands count their children. ``--old`` measures another checkout as well, in turns. Only ``two
jobs`` are measured by the clock: they need two idle cores.
"""

from __future__ import annotations

import compileall
import json
import math
import os
import subprocess
import sys
import time
from contextlib import ExitStack, closing, suppress
from functools import cached_property, partial
from http.client import HTTPConnection
from itertools import count, islice, product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from benchmarks import ROOT
from benchmarks.compare import checkout, cpu_seconds, environment
from benchmarks.options import add_json, describe_machine, make_parser, write_json
from benchmarks.synthetic import make_pair
from benchmarks.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CHUNKS = 3  # of a side: about as many tokens as headlines have
_LOOK = 0.3  # seconds between two looks at a server
_IDLE = 0.05  # share of a core that an idle server may take
_RULE = """\
%@rule measured_{0}: "{{W}} is in the first sentence"
forbidden_label(X,Y,equi) :- viable(X,Y), span_token(1,X,I), word(1,I,W), _measured(W).
%@rule measured_words_{0}: "words that are looked for"
_measured("boat";"doctor";"guard";"{1}").
"""


class Place:
    """A checkout at work in a folder; ``short`` takes fewer pairs."""

    def __init__(self, tree: Path, folder: Path, stack: ExitStack, *, short: bool) -> None:
        self._tree, self._folder, self._stack = tree, folder, stack
        self._many, self._most, self._few = (40, 60, 10) if short else (375, 750, 28)
        self._numbers, self._cache = count(1), folder / "cache"

    def _pairs(self, size: int) -> list[tuple[str, str]]:
        """Pairs of sentences that were not there before."""
        made = (make_pair(_CHUNKS, number) for number in islice(self._numbers, size))
        return [(pair.sent1.text, pair.sent2.text) for pair in made]

    def _new(self, name: str, text: str) -> Path:
        path = self._folder / f"{next(self._numbers)}{name}"
        path.write_text(text, "utf-8")
        return path

    def _table(self, size: int) -> Path:
        return self._new("pairs.tsv", "".join(f"{one}\t{two}\n" for one, two in self._pairs(size)))

    def _rule(self) -> Path:
        (pair,) = self._pairs(1)
        word = pair[0].split()[-1]
        return self._new("measured.lp", _RULE.format(next(self._numbers), word))

    def _command(self, *words: object, cache: Path | None = None) -> float:
        cache = cache or self._folder / f"cache{next(self._numbers)}"
        return cpu_seconds(self._tree, ["-m", "ists_asp", *map(str, (*words, "--cache", cache))])

    def new_pair(self) -> float:
        """With what another pair left in the cache."""
        first, *pairs = self._pairs(4)
        self._command("solve", *first, cache=self._cache)
        return median(self._command("solve", *pair, cache=self._cache) for pair in pairs)

    def first_result(self) -> float:
        """With an empty cache, as after an installation."""
        return median(self._command("solve", *pair) for pair in self._pairs(3))

    def jobs(self) -> float:
        """How many times as fast two are; nothing is in the cache."""
        table, seconds = self._table(self._most), []
        for jobs in (1, 2):
            began = time.perf_counter()
            self._command("solve", "--tsv", table, "--jobs", jobs)
            seconds.append(time.perf_counter() - began)
        return seconds[0] / seconds[1]

    def rerun(self) -> float:
        """After edits of a rule that affects some of the pairs."""
        solve = ("solve", "--tsv", self._table(self._many))
        self._command(*solve, cache=self._cache)
        runs = ((*solve, "--rules", self._rule()) for _ in range(3))
        return median(self._command(*run, cache=self._cache) for run in runs)

    def report(self) -> float:
        """With an empty cache."""
        table, page = self._table(self._few), self._folder / "report.html"
        return self._command("report", "--tsv", table, "-o", page)

    def where(self) -> float:
        """In pairs that the shipped rules have decided."""
        pairs, rule = ("--tsv", self._table(self._few)), self._rule()
        self._command("solve", *pairs, cache=self._cache)
        name = rule.read_text("utf-8").split()[1].rstrip(":")
        return self._command("rules", "where", name, *pairs, "--rules", rule, cache=self._cache)

    @cached_property
    def _server(self) -> _Server:
        """A server that has loaded what it loads on demand."""
        project = self._folder / "project"
        (project / "corpora").mkdir(parents=True)
        (project / "workbench.toml").write_text('profile = "default"\n', "utf-8")
        (project / "corpora" / "few.tsv").write_text("A dog sleeps\tA cat sleeps\n", "utf-8")
        server = _Server(self._tree, project, self._folder / "cache of the server")
        self._stack.callback(server.close)
        kinds: tuple[tuple[str, dict[str, Any]], ...]
        kinds = (("explain", {}), ("rate", {}), ("why", {"decision": ["rating"]}))
        for text, (kind, more) in product(("a dog", "a cat", "a man"), kinds):
            server.ask(f"/api/{kind}", {"sent1": text, "sent2": text, **more})
        server.ask("/project/rules/check", self._draft())
        return server

    def _draft(self) -> dict[str, str]:
        return {"name": "measured.lp", "text": self._rule().read_text("utf-8")}

    def asked(self, *kinds: str, size: int = 10, **more: str) -> float:
        """Seconds a pair until the server has answered these questions about it."""
        server, pairs = self._server, self._pairs(size)

        def ask() -> None:
            for (one, two), kind in product(pairs, kinds):
                server.ask(f"/api/{kind}", {"sent1": one, "sent2": two, **more})

        return server.seconds(ask) / size

    def check(self) -> float:
        """Of a rule that is being written."""
        ask, drafts = self._server.ask, [self._draft() for _ in range(3)]
        checks = (partial(ask, "/project/rules/check", draft) for draft in drafts)
        return median(map(self._server.seconds, checks))

    @cached_property
    def decided(self) -> float:
        """Of a corpus that comes into the project."""
        lines = self._table(self._many).read_text("utf-8")
        file = self._server.folder / "corpora" / "many.tsv"
        return self._server.seconds(lambda: file.write_text(lines, "utf-8"), corpora=2)

    def word_edit(self) -> float:
        """Until the corpora are decided again."""
        entry = {"name": "measured.tsv", "left": "boat", "right": "ship"}
        return self._edit("POST", "/project/words", entry)

    def rule_edit(self) -> float:
        """Until the corpora are decided again."""
        return self._edit("PUT", "/project/rules/file", self._draft())

    def _edit(self, method: str, path: str, edit: dict[str, str]) -> float:
        assert self.decided
        return self._server.seconds(lambda: self._server.ask(path, edit, method), corpora=2)


class _Server:
    """A workbench in processes of its own."""

    def __init__(self, tree: Path, folder: Path, cache: Path) -> None:
        self.folder = folder
        command = ("serve", folder, "--no-browser", "--quiet", "--port", 0, "--cache", cache)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ists_asp", *map(str, command)],
            env={**environment(tree), "XDG_STATE_HOME": str(folder.parent / "state")},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        address = urlsplit(self._process.stdout.readline().strip())
        self._place, token = address.netloc, parse_qs(address.query).get("token", [""])[0]
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.communicate()

    def ask(self, path: str, body: object = None, method: str = "POST") -> Any:  # noqa: ANN401
        """The JSON of a response."""
        with closing(HTTPConnection(self._place)) as connection:
            data = None if body is None else json.dumps(body)
            connection.request("GET" if data is None else method, path, data, self._headers)
            response = connection.getresponse()
            text = response.read().decode()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {text}")
        return json.loads(text)

    def seconds(self, work: Callable[[], object], corpora: int = 0) -> float:
        """CPU seconds from when it is idle until some work is done, and so many corpora decided."""
        before, now = -math.inf, _spent(self._process.pid)
        while now - before > _IDLE * _LOOK:
            time.sleep(_LOOK)
            before, now = now, _spent(self._process.pid)
        work()
        while corpora:
            found = [corpus["pending"] for corpus in self.ask("/project/effects")["corpora"]]
            if len(found) == corpora and not any(found):
                break
            time.sleep(_LOOK)
        return _spent(self._process.pid) - now


def _spent(process: int) -> float:
    """CPU seconds of a process, its descendants, and those of them that have ended."""
    seconds = 0.0
    with suppress(OSError):
        # Behind the name, which may have blanks and brackets.
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            seconds += sum(_spent(int(child)) for child in task.read_text("utf-8").split())
    return seconds


WAITS: dict[str, tuple[float, Callable[[Place], float]]] = {
    "key to picture": (0.15, lambda place: place.asked("solve")),
    "key to words and rating": (0.4, lambda place: place.asked("solve", "explain", "rate")),
    "rule check while typing": (1, Place.check),
    "another profile": (3, lambda place: place.asked("solve", size=1, profile="images")),
    "first decision of 375 pairs": (15, lambda place: place.decided),
    "effects of a word edit": (1.5, Place.word_edit),
    "effects of a rule edit": (3, Place.rule_edit),
    "solve of a new pair": (2.2, Place.new_pair),
    "first result of all": (6, Place.first_result),
    "rerun of 375 pairs, of the old": (0.75, Place.rerun),
    "report of 28 pairs, cold": (9, Place.report),
    "rules where, a new rule": (4, Place.where),
    "two jobs, times as fast": (1.7, Place.jobs),
}
"""What is asked, and what measures it. More is better of jobs; a rerun is held against the old."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 if a wait is longer than asked."""
    parser = make_parser("waits", __doc__)
    parser.add_argument("--old", metavar="COMMIT|DIR", help="another checkout to compare with")
    parser.add_argument("--short", action="store_true", help="fewer pairs")
    parser.add_argument("--only", nargs="+", metavar="WORDS", help="waits whose names have these")
    add_json(parser)
    options = parser.parse_args(arguments)
    chosen = [name for name in WAITS if any(words in name for words in options.only or [""])]
    places = []
    with ExitStack() as stack:
        for tree in filter(None, (str(ROOT), options.old)):
            folder = Path(stack.enter_context(TemporaryDirectory()))
            path = stack.enter_context(checkout(tree))
            compileall.compile_dir(path / "python", quiet=1)  # as an installation does
            places.append(Place(path, folder, stack, short=options.short))
        figures = [_measured(name, places) for name in chosen]
    header = ["Wait, CPU s", "Asked", "Now", "Old", "Ratio", "Kept"]
    rows = [["—" if cell is None else str(cell) for cell in row.values()] for row in figures]
    print(markdown(header, rows, texts=1))
    print(describe_machine())
    write_json(options.json, figures)
    return int(any(row["kept"] == "no" for row in figures))


def _measured(name: str, places: Sequence[Place]) -> dict[str, object]:
    asked, measure = WAITS[name]
    now, old, ratio = round(measure(places[0]), 2), None, None
    try:
        if places[1:]:
            old = round(measure(places[1]), 2)
            ratio = round(now / old, 2)
    except RuntimeError as error:
        print(f"the old checkout cannot: {error}", file=sys.stderr)
    print(f"{name}: {now}, {old} (load {os.getloadavg()[0]:.1f})", file=sys.stderr, flush=True)
    value, kept = ratio if measure is Place.rerun else now, None
    if value is not None:
        kept = "yes" if (value >= asked if measure is Place.jobs else value <= asked) else "no"
    names = ("wait", "asked", "now", "old", "ratio", "kept")
    return dict(zip(names, (name, asked, now, old, ratio, kept), strict=True))


if __name__ == "__main__":
    sys.exit(main())
