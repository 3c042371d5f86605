"""Try generated rule files: ``python -m tests.fuzz.rule_files --profile es --count 1000``.

Each is a file of a few odd rules (:mod:`tests.fuzz.generator`) over six pairs, which a child
decides together and alone. What breaks is told at once, and a table ends it. ``--show NUMBER``
prints a file, ``--only NUMBER`` tries it and tells what becomes of each pair.
"""

import argparse
import gc
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path

from ists_asp import load
from ists_asp.errors import IstsError
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.wa import write_answer
from ists_asp.model import Label, Pair, Sentence, Token, Word

from .generator import generate

MARKED = 1
"""The place of the pair with the marker."""

PROFILES = ("default", "headlines", "es")

SECONDS = 20
"""Seconds of processor time for all pairs: most take a tenth of one."""

OVER = (-signal.SIGXCPU, -signal.SIGKILL)
CRASHES = (-signal.SIGFPE, -signal.SIGSEGV, -signal.SIGABRT)
"""How clingo ends a process; a worker's end costs its pair alone, see tests/faults."""

LONGEST = 2000
"""Characters of a message, the line of the rule that it quotes included."""

KINDS = ("died", "traceback", "lost", "differs", "refused by check", "no answer", "wordless")
"""What nothing that a rule file holds may cause."""


def read_pairs(language):
    """The pairs, annotated as Stanza does: two lines each, ``form|lemma|upos|xpos`` a word."""
    lines = Path(__file__).with_name(f"pairs.{language}.txt").read_text("utf-8").splitlines()
    sentences = [Sentence(tuple(_tokens(line))) for line in lines]
    return [Pair(str(n // 2), *sentences[n : n + 2]) for n in range(0, len(sentences), 2)]


def _tokens(line):
    for index, text in enumerate(line.split(" "), 1):
        words = tuple(Word(*word.split("|")) for word in text.split("+"))
        yield Token(index, "".join(word.form for word in words), words)


def in_child(work, memory, seconds=resource.RLIM_INFINITY):
    """What some work yields in a child with limits, and how that ends."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + (seconds > 0) * 2))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            with os.fdopen(writing, "w") as pipe:
                for found in work():
                    print(json.dumps(found), file=pipe, flush=True)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = [json.loads(line) for line in pipe]
    return told, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Laboratory:
    """Tries rule files with a profile, whose shipped rules are worked out once."""

    def __init__(self, profile, folder, pairs=6):
        self.profile, self.folder = profile, Path(folder)
        with self.load() as system:
            self.pairs = read_pairs(system.profile.language)[:pairs]
            list(system.decide(self.pairs))
        # What the collector does not look at is not copied for each child.
        gc.collect()
        gc.freeze()

    def load(self, *rules):
        cache = self.folder / "cache"
        return load(self.profile, rules=rules, cache=cache, incremental=False)

    def findings(self, text):
        """How a rule file went, and each fault with its kind."""
        told, code = in_child(lambda: [self._tried(text)], 8 << 30, SECONDS)
        if told:
            return told[0]
        if code in OVER or code in CRASHES:
            return "over the limits" if code in OVER else "clingo crashed", []
        return "broken", [("died", f"exit code {code}")]

    def _tried(self, text):
        path = self.folder / "mine.lp"
        path.write_text(text, "utf-8", "surrogatepass")
        try:
            with self.load(path) as system:
                together = self._decided(system, self.pairs)
                alone = [self._decided(system, [pair]) for pair in self.pairs]
        except IstsError as error:
            return "rules refused", list(_worded(str(error)))
        except MemoryError:
            return "over the limits", []
        except Exception:
            return "broken", [("traceback", traceback.format_exc())]
        failed = sum(isinstance(answers, str) for answers in alone)
        how = "all answered" if not failed else "some failed"
        return how, list(self._faults(together, alone))

    @staticmethod
    def _decided(system, pairs):
        """The answers of pairs, or why there are none."""
        try:
            return [answers[0] for answers in system.decide(pairs)]
        except IstsError as error:
            return str(error)

    def _faults(self, together, alone):
        fine = [answers[0] for answers in alone if not isinstance(answers, str)]
        for reason in {answers for answers in (together, *alone) if isinstance(answers, str)}:
            yield from _worded(reason)
        if isinstance(together, str):
            if len(fine) == len(alone):
                yield "lost", f"all have answers alone, none in company: {together}"
        else:
            fine += together
            for pair, answers, company in zip(self.pairs, alone, together, strict=True):
                if isinstance(answers, str) or answers[0] != company:
                    yield "differs", f"pair {pair.id}: alone {answers}, in company {company}"
        for answer in fine:
            for fault in answer_faults(answer):
                yield "no answer", f"pair {answer.pair.id}: {fault}"
        path = self.folder / "out.wa"
        path.write_text("".join(map(write_answer, fine[: len(self.pairs)])), "utf-8")
        if fine:
            yield from (("refused by check", str(fault)) for fault in check_file(path).faults)


def _worded(reason):
    if not reason.strip() or "Traceback" in reason or len(reason) > LONGEST:
        yield "wordless", reason


def answer_faults(answer):
    """What no answer has; the rules of a user may leave tokens of punctuation out."""
    for line in answer.alignments:
        if bool(line.tokens1 and line.tokens2) is not line.label.aligned:
            yield f"{line.label} for {line.tokens1} and {line.tokens2}"
        if line.label.aligned and (line.score is None or not 0 <= line.score <= 5):
            yield f"{line.label} with the score {line.score}"
        if line.label is Label.EQUI and line.score != 5:
            yield f"EQUI with the score {line.score}"
    for side in (1, 2):
        used = [token for line in answer.alignments for token in getattr(line, f"tokens{side}")]
        if len(used) != len(set(used)):
            yield f"tokens of sentence {side} on several lines: {sorted(used)}"
    if not answer.chunks1 or not answer.chunks2:
        yield "a sentence without chunks"


def main():
    """Try files, and say what broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="append", help=f"default: {', '.join(PROFILES)}")
    parser.add_argument("--count", type=int, default=1000, help="files a profile")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first file")
    parser.add_argument("--pairs", type=int, default=6, help="of the six, so many")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print a file")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="try one file")
    given = parser.parse_args()
    profiles = given.profile or PROFILES
    if given.show is not None:
        print(*generate(profiles[0], given.show), sep="\n")
        return 0
    if given.only is not None:
        given.seed, given.count = given.only, 1
    total = Counter()
    for profile in profiles:
        with tempfile.TemporaryDirectory() as folder:
            total += tried(Laboratory(profile, folder, given.pairs), given)
    print(*(f"{count:6} {name}" for name, count in sorted(total.items())), sep="\n")
    return any(total[kind] for kind in KINDS)


def tried(laboratory, given):
    """How often files ended in each way."""
    count, profile, began = Counter(), laboratory.profile, time.monotonic()
    for done, number in enumerate(range(given.seed, given.seed + given.count), 1):
        how, found = laboratory.findings("\n".join(generate(profile, number)))
        count.update([f"{profile}: files", f"{profile}: {how}", *{kind for kind, _ in found}])
        for kind, seen in found:
            print(f"{profile} {number}: {kind}: {seen[-400:]}", flush=True)
        if done % 20 == 0:
            print(f"# {profile}: {done} in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return count


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        sys.exit(main())
