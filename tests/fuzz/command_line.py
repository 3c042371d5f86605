"""A rule file through the real command, with Stanza, a pool and all."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.wa import write_answer

from .laboratory import HANG, MINE
from .verdict import OVER

__all__ = ["command_findings"]

_SENTENCE = re.compile(r'<sentence id="(\d+)".*?</sentence>', re.DOTALL)
_EXITS = (0, 1, 3)


def command_findings(laboratory, text, run):
    """What is wrong with ``ists-asp solve --rules``, and what differs from a run of the same."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / MINE).write_text(text, "utf-8", "surrogatepass")
        lines = [f"{pair.id}\t{pair.sent1.text}\t{pair.sent2.text}\n" for pair in laboratory.pairs]
        (folder / "pairs.tsv").write_text("".join(lines), "utf-8")
        options = ["--profile", laboratory.profile, "--tsv", "pairs.tsv", "--rules", MINE]
        limits = ["--timeout", str(laboratory.limits.seconds)]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "ists_asp", "solve", *options, *limits, "-o", "out.wa"],
                cwd=folder,
                env={**os.environ},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=2 * HANG,
            )
        except subprocess.TimeoutExpired:
            yield "hang", "the command"
            return
        if "Traceback" in done.stderr or done.returncode not in _EXITS:
            yield "traceback", f"the command: exit code {done.returncode}: {done.stderr[-1500:]}"
        if done.returncode == 1 and done.stderr.count("error: ") != 1:
            yield "wordless", f"the command: {done.stderr}"
        if not run.refused and done.returncode == 1:
            yield "lost", f"the command has no answer at all: {done.stderr}"
        out = folder / "out.wa"
        if not out.exists():
            return
        for fault in check_file(out).faults:
            yield "refused by check", f"the command: {fault}"
        written = {match[1]: match[0] for match in _SENTENCE.finditer(out.read_text("utf-8"))}
        if OVER.search(done.stderr):
            return
        for each in run.together:
            if each.failure is None and each.answers[0].optimal:
                expected = write_answer(each.answers[0]).strip()
                if written.get(each.pair.id) != expected:
                    found = written.get(each.pair.id, "nothing")
                    yield "differs", f"the command: {found[-500:]}, in company {expected[-500:]}"
