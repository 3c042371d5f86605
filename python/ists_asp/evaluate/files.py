"""Evaluating one ``.wa`` file against another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, shortened
from ists_asp.evaluate.faults import Origin
from ists_asp.evaluate.scorer import Reference, ScoredLine, ScoredPair, evaluate_pairs
from ists_asp.evaluate.script_view import ScriptView
from ists_asp.evaluate.wellformed import NO_ARROW, NO_ID, ODD_SCORE, check_line, check_sentence
from ists_asp.io.faults import Faults
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import Warn, ignore
from ists_asp.io.wa_reader import read_wa
from ists_asp.limits import MAX_TOKENS
from ists_asp.model import Pair, Scheme, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.evaluate.faults import Fault
    from ists_asp.evaluate.measures import Evaluation
    from ists_asp.evaluate.script_view import ScriptLine
    from ists_asp.io.wa import WaSentence, WaToken
    from ists_asp.model import Alignment

_MISPLACED = "no sentence, but the official scorer looks for the words of the pair in this line"
_JOINED = "Our own rule: the official scorer puts the lines to those of another pair, or gives up"


def evaluate_files(
    gold: Path, system: Path, scheme: Scheme = Scheme.Y2016, *, warn: Warn = ignore
) -> Evaluation:
    """Measure the answers of ``system`` against ``gold``, both ``.wa`` files.

    Files are read as the official scorer reads them, and the figures are the same. What it
    refuses, or would measure with doubtful sense, is an error.

    Raises:
        DataError: a file cannot be read, has no sentence, lacks or repeats an id, or has a
            malformed line; both files have no id, or no link at all, in common.
    """
    right, answers = _read(gold, True, warn), _read(system, False, warn)
    if not right.keys() & answers.keys():
        raise DataError(
            f"no sentence id in common with {gold}",
            where=str(system),
            expected=f"ids such as '{shortened(next(iter(right)))}'",
            hint="Our own rule: the official scorer of 2016 prints 0",
        )
    evaluation = evaluate_pairs(right, answers, scheme)
    measure = evaluation.overall.alignment
    if not measure.total_gold and not measure.total_system:
        raise DataError(
            f"nothing to measure: no words are aligned here, nor in {gold}",
            where=str(system),
            hint="Our own rule: the official scorer of 2016 prints 0",
        )
    return evaluation


def read_references(path: Path, *, warn: Warn = ignore) -> dict[str, Reference]:
    """The pairs of a ``.wa`` file and their alignments, by id, in the order of the file.

    Raises:
        DataError: the file cannot be read, lacks or repeats an id, or has a malformed line.
    """
    found: dict[str, Reference] = {}
    faults, seen = Faults(), set[str]()
    for sentence in read_wa(path, warn=warn):
        with faults:
            identifier = _identifier(sentence, seen, "Give each pair an id of its own")
            # The scorer only looks words up, so odd token sections are no reason to give up.
            pair = Pair(identifier, _by_number(sentence.tokens1), _by_number(sentence.tokens2))
            alignments = sentence.to_alignments()
            _check_links(sentence.where, alignments)
            found[identifier] = Reference(pair, alignments)
    faults.check()
    return found


def _identifier(sentence: WaSentence, seen: set[str], hint: str) -> str:
    """The id of a sentence, which is added to those seen before."""
    if sentence.id is not None and sentence.id not in seen:
        seen.add(sentence.id)
        return sentence.id
    raise DataError(
        "a sentence without an id"
        if sentence.id is None
        else f"the sentence id '{shortened(sentence.id)}' again",
        where=sentence.where,
        expected='<sentence id="1" status="">, each id once',
        hint=hint,
    )


def _read(path: Path, gold: bool, warn: Warn) -> dict[str, ScoredPair]:
    """The pairs of a file as the official scorer sees them.

    Its view decides what is measured; ours, sentence by sentence, what makes no sense.
    """
    view = ScriptView(gold)
    found: dict[str, ScoredPair] = {}
    odd: list[str] = []
    faults, seen = Faults(), set[str]()
    for sentence in read_wa(path, warn=warn, watch=view.take):
        lines = list(_gold_lines(sentence, view.lines)) if gold else view.lines
        view.lines = []
        with faults:
            identifier = _identifier(sentence, seen, _JOINED)
            odd += _check(sentence, lines, gold)
            words1, words2 = (*view.words.pop(identifier, ()), (), ())[:2]
            scored = [ScoredLine.of(one.alignment.to_alignment(), one.alignment) for one in lines]
            _check_links(sentence.where, scored)
            found[identifier] = ScoredPair(words1, words2, tuple(scored))
    faults.check()
    if not any(gold or pair.lines for pair in found.values()):
        raise DataError(
            f"no {'alignment' if found else 'sentence'}",
            where=str(path),
            expected="sentences and their alignments, such as 1 <==> 1 // EQUI // 5",
            hint="The official scorer of 2016 gives up, too",
        )
    misplaced = [f"{where}: {_MISPLACED}" for where in view.misplaced]
    for messages in (odd, misplaced):
        if messages:
            warn(messages[0] + (f"; {len(messages) - 1} more" if messages[1:] else ""))
    return found


def _check(sentence: WaSentence, lines: Sequence[ScriptLine], gold: bool) -> list[str]:
    """What is odd about the lines of a sentence.

    Raises:
        DataError: something is worse than odd; the first fault of each such line is told.
    """
    odd: list[str] = []
    worse: dict[str, Fault] = {}
    for fault in check_sentence(sentence, lines):
        if fault.kind in (ODD_SCORE, NO_ARROW):
            odd.append(str(fault))
        else:
            worse.setdefault(fault.where, fault)
    faults = Faults()
    for fault in worse.values():
        faults.add(_error(fault, gold))
    faults.check()
    return odd


def _gold_lines(sentence: WaSentence, lines: Iterable[ScriptLine]) -> Iterator[ScriptLine]:
    """The lines of a gold file that are measured, with types in upper case.

    Words with an arrow in them are left out: the scorer finds no number on one side, and goes on.
    """
    numbers = {line.line for line in sentence.alignments}
    for line in lines:
        alignment = line.alignment
        if alignment.label.isascii():
            alignment = replace(alignment, label=alignment.label.upper())
        if alignment.line in numbers or not check_line(alignment):
            yield replace(line, alignment=alignment)


def _check_links(where: str, lines: Iterable[ScoredLine | Alignment]) -> None:
    """Refuse a pair with more links than two sentences can have, which would fill the memory."""
    links = sum(len(line.tokens1) * len(line.tokens2) for line in lines)
    if links > MAX_TOKENS**2:
        raise DataError(
            f"lines with {links} links between tokens",
            where=where,
            expected=f"at most {MAX_TOKENS**2}, those of two sentences of {MAX_TOKENS} tokens",
            hint="Our own rule: the official scorer goes on",
        )


def _error(fault: Fault, gold: bool) -> DataError:
    hint = "The official scorer refuses the file, too; ists-asp check lists all its faults"
    if fault.origin is Origin.OURS:
        hint = "Our own rule: the official scorer goes on"
    elif gold and fault.kind != NO_ID:
        hint = "Our own rule: the official scorer does not check the gold file"
    return DataError(
        f"{fault.kind}: found {fault.found}", where=fault.where, expected=fault.expected, hint=hint
    )


def _by_number(tokens: tuple[WaToken, ...]) -> Sentence:
    forms = {token.number: token.form for token in tokens}
    size = min(max(forms, default=0), len(tokens))
    return make_sentence([forms.get(number, "") for number in range(1, size + 1)])
