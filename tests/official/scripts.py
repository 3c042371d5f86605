"""The task's own scripts, which lie beside the checkout, and what they say of a case."""

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import NamedTuple

from click.testing import CliRunner

from ists_asp.cli.app import main
from ists_asp.evaluate.files import evaluate_files
from ists_asp.model import Scheme

from .kinds import KINDS, make

SHARED = Path(__file__).parents[3] / "shared"
TRAIN, FOLDER = SHARED / "data", SHARED / "official"
PERL = shutil.which("perl")
MISSING = (
    "perl is not installed"
    if PERL is None
    else f"the task's scripts are not in {FOLDER}"
    if not (FOLDER / "wellformed.pl").is_file()
    else ""
)
"""Why the scripts cannot be run; empty if they can."""

MESSAGES = (
    *("Can't find id", "wrong alignment", "wrong score", "wrong token", "wrong type"),
    *("wrong number of types", "there needs to be exactly one main type"),
)
_FIGURE = re.compile(r"^ F1 (\S+) +(\S+)$", re.MULTILINE)
_MORE = re.compile(r"error: and \d+ more faulty lines?")


class Verdict(NamedTuple):
    """Whether a file is well formed, and what was found wrong with it."""

    correct: bool
    messages: frozenset[str]


class Figures(NamedTuple):
    """What a scorer printed, by name, and whether it died."""

    printed: dict[str, str]
    died: str


def check(file):
    ended = _run("wellformed.pl", file)
    messages = {
        message
        for line in ended.stderr.splitlines()
        for message in MESSAGES
        if line.startswith(f"{message} (")
    }
    return Verdict(ended.returncode == 0, frozenset(messages))


def measure(scheme, gold, system):
    ended = _run(f"evalF1-{scheme}.pl", gold, system)
    died = (ended.stderr.strip() or "?").splitlines()[-1] if ended.returncode else ""
    return Figures(dict(_FIGURE.findall(ended.stdout)), died)


def _run(script, *files):
    assert PERL is not None
    # The order in which a scorer adds up is random otherwise.
    options = {"env": os.environ | {"PERL_HASH_SEED": "0"}, "encoding": "utf-8"}
    command = [PERL, FOLDER / script, *files]
    return subprocess.run(command, capture_output=True, errors="replace", **options)


class Ended(StrEnum):
    """How a comparison ended: all but the last two are as they should be."""

    SAME = "the same"
    EITHER = "the same, but for the rounding of a half"
    REFUSED = "refused by both"
    ZERO = "0 where the script divides by it"
    STRICTER = "refused by us"
    LENIENT = "refused by the script only"
    DIFFERENT = "different"


class Result(NamedTuple):
    what: str
    ended: Ended
    said: str = ""


def faults_of(numbers):
    """Each number, with what is wrong with how its case is checked and measured."""
    sets = sorted([*TRAIN.glob("ists-2016-train/*/gold.wa"), *TRAIN.glob("ists-2015-train/*.wa")])
    if MISSING:
        yield "all", MISSING
        return
    for number in numbers:
        kind, random = KINDS[number % len(KINDS)], Random(number)
        # Each fourth time a whole train set.
        whole = sets and kind.whole and number // len(KINDS) % 4 == 3
        case = make(kind, random, random.choice(sets) if whole else None)
        with tempfile.TemporaryDirectory() as folder:
            yield number, "\n".join([kind.name] * bool(found := [*faults(case, folder)]) + found)


def faults(case, folder, schemes=("2016", "2015")):
    """What is not as it should be: where we are laxer, or stricter for no reason of our own."""
    for what, ended, said in compare(case, Path(folder), schemes):
        stricter = ended is Ended.STRICTER and what.startswith("figures") and not case.kind.stricter
        if stricter or ended in (Ended.DIFFERENT, Ended.LENIENT):
            yield f"{what}: {ended}: {said}"


def compare(case, folder, schemes):
    """Write the files of a case, and compare the check of each changed one and both scorers."""
    gold, system = folder / "gold.wa", folder / "system.wa"
    gold.write_bytes(case.gold)
    system.write_bytes(case.system)
    changed = [system] if case.gold == case.source else [gold, system]
    results = [_check(file) for file in changed]
    return results + [_measure(scheme, gold, system) for scheme in schemes]


def _check(file):
    verdict = check(file)
    what = f"check of {file.name}"
    ran = _ists_asp("check", file, "--json")
    if ran.exit_code not in (0, 1) or (not ran.stdout and not _errors(ran.stderr)):
        return Result(what, Ended.DIFFERENT, ran.output)
    if not ran.stdout:
        return Result(what, Ended.STRICTER if verdict.correct else Ended.REFUSED, ran.stderr)
    report = json.loads(ran.stdout)
    faults = [one for one in report["faults"] if one["origin"] == "official"]
    kinds = {one["kind"] for one in faults}
    ours = report["official_verdict"] == "correct"
    said = f"ours {ours} {kinds}, the script {verdict}"
    # A line has one fault here, and several messages there.
    if ours != verdict.correct or not kinds <= verdict.messages:
        return Result(what, Ended.DIFFERENT, said)
    accepted = report["verdict"] == "correct"
    if accepted != (ran.exit_code == 0) or accepted != (not report["faults"]):
        return Result(what, Ended.DIFFERENT, f"exit code {ran.exit_code}: {said}")
    if not ours:
        return Result(what, Ended.REFUSED)
    return Result(what, Ended.SAME if accepted else Ended.STRICTER, str(report["faults"][:1]))


def _measure(scheme, gold, system):
    theirs = measure(scheme, gold, system)
    what = f"figures of {scheme}"
    ran = _ists_asp("evaluate", gold, system, "--scheme", scheme, "--json")
    said = f"{ran.stderr.strip()} | the script: {theirs}"
    if ran.exit_code:
        errors = _errors(ran.stderr)
        if ran.exit_code != 1 or ran.stdout or not errors:
            return Result(what, Ended.DIFFERENT, said)
        if theirs.died or not check(gold).correct:
            return Result(what, Ended.REFUSED, said)
        own = all("Our own rule" in line or _MORE.fullmatch(line) for line in errors)
        return Result(what, Ended.STRICTER if own else Ended.DIFFERENT, said)
    ours = {name: one["f1"] for name, one in json.loads(ran.stdout)["overall"].items()}
    said = f"ours {ours}, {said}"
    wrong = [name for name, figure in theirs.printed.items() if ours[name] != float(figure)]
    if wrong:
        exact = dict(evaluate_files(gold, system, Scheme(scheme)).overall.named())
        either = all(_is_halfway(exact[name].f1, float(theirs.printed[name])) for name in wrong)
        return Result(what, Ended.EITHER if either else Ended.DIFFERENT, said)
    if not theirs.died:
        return Result(what, Ended.SAME if theirs.printed else Ended.DIFFERENT, said)
    rest = [figure for name, figure in ours.items() if name not in theirs.printed]
    if "division by zero" in theirs.died and rest[:1] == [0]:
        return Result(what, Ended.ZERO, said)
    return Result(what, Ended.LENIENT, said)


def _is_halfway(exact, printed):
    """Whether a figure lies between two of four decimals: the script prints either of them."""
    return math.isclose(abs(exact - printed), 0.00005, abs_tol=1e-10)


def _errors(stderr):
    """The lines of a refusal: errors, and below them warnings; none if there is anything else."""
    lines = stderr.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    warnings = lines[len(errors) :]
    told = lines[: len(errors)] == errors and all(line.startswith("warning: ") for line in warnings)
    return errors if told else []


def _ists_asp(*words):
    return CliRunner().invoke(main, [str(word) for word in words])
