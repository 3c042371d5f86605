"""Wear a workbench out: ``python -m tests.soak --minutes 15``.

A real server on a folder of its own; clients that solve, ask why, edit words and rules, correct
and undo, all at random by a seed that is printed; and now and then three faults at a time: workers
are killed and halted, files edited, cut off and removed behind its back, the cache is spoilt. Each
request has its answer, memory stays what it was after a while, and in the end no process is left.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median_high
from urllib.parse import quote

import psutil

from tests.serving import serving

CLIENTS = 3
FAULTS = 3  # that come together
# What all processes together may take at the end, as a multiple of what they took after a third:
# workers are renewed now and then, and the corpora are decided in one of them meanwhile.
GROWTH = 1.25

_SUBJECTS = ("a dog", "the old man", "two children", "a red car", "the team", "12 people")
_VERBS = ("sleeps", "is eating", "runs fast", "was sold", "won the match", "killed", "wears a hat")
_RULES = (
    "%@rule soak_one: Words that are long are alike.\nalike(soak,N) :- N = 1..0.\n",
    "p(X) :- q(X.\n",
    "never(N+1) :- never(N). never(0).\n",
    ":- aligned(_,_).\n",
    "%* a comment without an end\n",
)


def size(process):
    """Its resident megabytes."""
    with suppress(psutil.Error):
        return process.memory_info().rss / 1e6
    return 0


class Soak:
    def __init__(self, server, cache, seed):
        self.server, self.cache, self.seed = server, cache, seed
        self.process, self.project = psutil.Process(server.process.pid), server.folder
        self.count, self.lost, self.sizes = Counter(), [], []
        self.ends = threading.Event()

    def ask(self, method, path, body=None):
        """What comes of a request; one without an answer is lost. Bytes are sent as they are."""
        try:
            status, _, told = self.server.send(path, body, method)
            self.count[f"{path.partition('?')[0]} {status}"] += 1
            if status >= 500:
                self.lost.append(f"{path}: {status} {told[:300]!r}")
            is_json = told.startswith((b"{", b"[")) and not isinstance(body, bytes)
            return json.loads(told) if is_json else told
        except Exception as error:
            self.lost.append(f"{path} {body!r:.200}: {error!r}")
            return {}

    def client(self, number):
        random = Random(f"{self.seed} {number}")
        actions = (self.solve, self.solve, self.solve, self.why, self.words, self.rule)
        actions += (self.correct, self.look, self.batch)
        while not self.ends.is_set():
            random.choice(actions)(random, f"tab-{number}")

    def pair(self, random, tab):
        sent1, sent2 = (f"{random.choice(_SUBJECTS)} {random.choice(_VERBS)}" for _ in "12")
        return {"sent1": sent1, "sent2": sent2, "tab": tab}

    def solve(self, random, tab):
        pair = self.pair(random, tab)
        for kind in random.sample(("solve", "explain", "rate", "picture"), 2):
            self.ask("POST", f"/api/{kind}", pair)

    def why(self, random, tab):
        decision = random.choice(("1 2 <==> 1 2", "1: 1 2", "2 <==> 2", "rating", "nonsense"))
        kind = random.choice(("why", "why-not"))
        self.ask("POST", f"/api/{kind}", {**self.pair(random, tab), "decision": [decision]})

    def batch(self, random, tab):
        lines = b"\n".join(json.dumps(self.pair(random, tab)).encode() for _ in range(5))
        told = self.ask("POST", "/api/batch", lines)
        if told and len(told.splitlines()) != 5:
            self.lost.append(f"/api/batch: {told!r:.300}")

    def words(self, random, _tab):
        found = self.ask("GET", "/project/words").get("tables", [])
        table = next((one for one in found if one["name"] == "words.tsv"), None)
        edit = {"name": "words.tsv"} | ({"before": table["digest"]} if table else {})
        if table and table["rows"] and random.random() < 0.5:
            edit["line"] = random.choice(table["rows"])["line"]
        new = {"left": random.choice(_VERBS), "right": random.choice(_VERBS)}
        if random.random() < 0.7 or "line" not in edit:
            edit |= {**new, "sign": random.choice(("=", "<>"))}
        self.ask("POST", "/project/words", edit)

    def rule(self, random, _tab):
        name = f"soak-{random.randrange(2)}.lp"
        there = self.ask("GET", f"/project/rules/file?name={name}")
        known = {"name": name, "before": there.get("digest")}
        if there.get("digest") and random.random() < 0.7:
            # Not for long: most of these keep everybody else from having answers.
            self.ask("DELETE", "/project/rules/file", known)
        else:
            self.ask("PUT", "/project/rules/file", {**known, "text": random.choice(_RULES)})
            self.ask("POST", "/project/rules/check", {**known, "text": random.choice(_RULES)})

    def correct(self, random, _tab):
        corpus = random.choice(("headlines", "images"))
        found = self.ask("GET", f"/project/corrections/{corpus}")
        if random.random() < 0.2:
            self.ask("POST", f"/project/corrections/{corpus}/undo")
        elif ids := found.get("ids"):
            one = random.choice(ids)
            self.ask("GET", f"/project/corrections/{corpus}/pair?id={quote(one)}")
            self.ask("POST", f"/project/corrections/{corpus}", {"id": one, "do": "accept"})

    def look(self, random, _tab):
        view = random.choice(("try", "words", "rules", "effects", "correct", "learn", "report"))
        self.ask("GET", f"/{view}")
        self.ask("GET", "/project/effects")
        if random.random() < 0.1:
            latest = self.ask("GET", "/project/effects/progress").get("latest", 1)
            self.ask("POST", f"/project/effects/go-to?number={random.randint(1, latest)}")

    def faults(self):
        random = Random(f"{self.seed} faults")
        every = (self.kill, self.halt, self.edit, self.cut, self.spoil, self.touch)
        while not self.ends.wait(random.uniform(10, 25)):
            for fault in random.sample(every, FAULTS):
                with suppress(OSError, IndexError, psutil.Error):
                    fault(random)
                self.count[f"fault {fault.__name__}"] += 1

    def kill(self, random, sign=signal.SIGKILL):
        found = self.process.children(recursive=True)
        # Not what starts workers for the server: that has children.
        worker = random.choice([one for one in found if size(one) > 60 and not one.children()])
        worker.send_signal(sign)
        return worker

    def halt(self, random):
        worker = self.kill(random, signal.SIGSTOP)
        time.sleep(4)
        worker.send_signal(signal.SIGCONT)

    def edit(self, random):
        text = f"{random.choice(_VERBS)} = {random.choice(_VERBS)}\n"
        (self.project / "rules" / "outside.tsv").write_text(text)

    def cut(self, _random):
        path = self.project / "rules" / "words.tsv"
        os.truncate(path, path.stat().st_size // 2)
        (self.project / "rules" / "outside.tsv").unlink(missing_ok=True)

    def spoil(self, random):
        every = [path for path in self.cache.rglob("*") if path.is_file()]
        for path in random.sample(every, min(3, len(every))):
            if path.suffix != ".sqlite":
                path.write_bytes(os.urandom(100))

    def touch(self, _random):
        (self.project / "corpora" / "headlines" / "sent1.txt").touch()

    def run(self, seconds):
        threads = [threading.Thread(target=self.client, args=(one,)) for one in range(CLIENTS)]
        threads.append(threading.Thread(target=self.faults))
        for thread in threads:
            thread.start()
        began = time.monotonic()
        while time.monotonic() - began < seconds and self.process.is_running():
            time.sleep(2)
            family = [self.process, *self.process.children(recursive=True)]
            self.sizes.append(sum(map(size, family)))
        self.ends.set()
        for thread in threads:
            thread.join(1200)
        return self.end()

    def end(self):
        wrong = list(self.lost)
        time.sleep(5)
        family = [self.process, *self.process.children(recursive=True)]
        zombies = [one for one in family if one.status() == psutil.STATUS_ZOMBIE]
        self.process.terminate()
        code = self.server.process.wait(30)
        wrong += [f"it ended with {code}"] * (code not in (0, 143, -signal.SIGTERM))
        _, left = psutil.wait_procs(family, 20)
        wrong += [f"left: {process}" for process in (*zombies, *left)]
        third = len(self.sizes) // 3
        before, after = map(median_high, (self.sizes[third : 2 * third], self.sizes[2 * third :]))
        print(f"memory: {before:.0f} MB in the second third, {after:.0f} MB in the last")
        if after > GROWTH * before:
            wrong.append(f"memory grew from {before:.0f} to {after:.0f} MB")
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=Random().randrange(10**6))
    given = parser.parse_args()
    print(f"--seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        project, cache = Path(folder, "project"), Path(folder, "cache")
        with serving(project, "--profile", "baseline", ISTS_ASP_CACHE=str(cache)) as server:
            soak = Soak(server, cache, given.seed)
            wrong = soak.run(given.minutes * 60)
    print(*(f"{count:6} {name}" for name, count in sorted(soak.count.items())), sep="\n")
    print(*wrong, sep="\n")
    print(f"{sum(soak.count.values())} requests and faults, {len(wrong)} things wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
