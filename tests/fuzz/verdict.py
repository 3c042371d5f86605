"""What is wrong with a run over the pairs: nothing that a rule file holds may cause any of it."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.formats import ANSWERS
from ists_asp.model import Label

__all__ = ["KINDS", "OVER", "findings", "outcome"]

KINDS = {
    "hang": "no end within the limits",
    "traceback": "an exception that is no message",
    "died": "a worker died, and nothing says why",
    "lost": "a pair has an answer alone, and none in company",
    "differs": "a pair has another answer in company than alone",
    "refused by check": "ists-asp check refuses what is written",
    "no answer": "what is written is not a whole answer",
    "wordless": "a failure without a word, or with a page of them",
}

_DIED = re.compile(r"ended unexpectedly|crashed \(signal \d+\)(?!\. Look for terms)")
"""What is no cause."""

_LONGEST = 2000
"""Characters of a message, the line of the rule that it quotes included."""

OVER = re.compile(r"no answer within|MB of memory|more than \d+ s")
"""What depends on the machine, and on what it does besides."""


def outcome(run):
    """How a run went, in a word or two."""
    if run.hung or run.broken or run.ended:
        return "broken"
    if run.refused:
        return "rules refused"
    if any(OVER.search(each.failure.found) for each in run.together if each.failure):
        return "over the limits"
    failed = sum(each.failure is not None for each in run.together)
    return (
        "all answered"
        if not failed
        else "some failed"
        if failed < len(run.together)
        else "all failed"
    )


def findings(run):
    """Each kind of fault once, with what was seen."""
    return list({kind: (kind, seen) for kind, seen in _all(run)}.values())


def _all(run):
    if run.hung:
        yield "hang", "killed"
    for text in run.broken:
        yield "traceback", text
    if run.ended:
        yield "died", f"exit code {run.ended}"
    if run.refused:
        yield from _words(run.refused, excerpt=True)
    for each in (*run.together, *run.alone):
        yield from _one(each)
    together = {each.pair.id: each for each in run.together}
    for one, other in ((each, together.get(each.pair.id)) for each in run.alone):
        if other is None:
            continue
        yield from _compared(one, other)
    if run.together:
        yield from _checked(run)


def _words(reason, *, excerpt=False):
    if _DIED.search(reason):
        yield "died", reason
        return
    page = "\n" in reason and not excerpt
    if page or not reason.strip() or "Traceback" in reason or len(reason) > _LONGEST:
        yield "wordless", reason


def _one(given):
    where = f"pair {given.pair.id}"
    if given.failure is not None:
        for kind, seen in _words(given.failure.found):
            yield kind, f"{where}: {seen}"
        return
    (answer,) = given.answers
    for fault in _faults(answer):
        yield "no answer", f"{where}: {fault}"


def _faults(answer):
    """What no answer has; the rules of a user may leave tokens of punctuation out."""
    for line in answer.alignments:
        both = bool(line.tokens1 and line.tokens2)
        if both is not line.label.aligned:
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


def _compared(one, other):
    where = f"pair {one.pair.id}"
    reasons = [each.failure.found for each in (one, other) if each.failure is not None]
    if any(OVER.search(reason) for reason in reasons):
        return
    if reasons:
        if len(reasons) == 1:
            kind = "lost" if other.failure else "differs"
            yield kind, f"{where}: {'in company' if other.failure else 'alone'}: {reasons[0]}"
        return
    (first,), (second,) = one.answers, other.answers
    if not (first.optimal and second.optimal):
        return
    for part in ("chunks1", "chunks2", "alignments", "cost", "rating"):
        alone, company = getattr(first, part), getattr(second, part)
        if alone != company:
            yield "differs", f"{where}, {part}: alone {alone}, in company {company}"


def _checked(run):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.wa"
        for given in filter(None, (run.together, run.alone)):
            try:
                text = "".join(ANSWERS["wa"].write(each) for each in given)
            except Exception as error:
                yield "traceback", f"rendering: {error!r}"
                continue
            path.write_text(text, "utf-8")
            for fault in check_file(path).faults:
                yield "refused by check", str(fault)
