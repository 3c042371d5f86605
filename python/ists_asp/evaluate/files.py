"""Evaluating one ``.wa`` file against another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from ists_asp._version import __version__
from ists_asp.errors import DataError, shortened
from ists_asp.evaluate import wa_check
from ists_asp.evaluate.scorer import Evaluation, Reference, ScoredLine, ScoredPair, evaluate
from ists_asp.io.text import Faults, Source, Warn, ignore, make_sentence, read_lines, source_name
from ists_asp.io.wa import ODD_SCORE, Origin, WaSentence, WaToken, links_of
from ists_asp.limits import MAX_TOKENS
from ists_asp.model import Alignment, Label, Pair, Scheme, Sentence
from ists_asp.resources import data_dir
from ists_asp.terminal import table

_Texts: TypeAlias = tuple[str, str]
_SHOWN_IDS = 10
_MISPLACED = "no sentence, but the official scorer looks for the words of the pair in this line"
_JOINED = "Our own rule: the official scorer puts the lines to those of another pair, or gives up"
_OURS = "Our own rule: the official scorer goes on"
_ZERO = "Our own rule: the official scorer of 2016 prints 0"
_REFUSED = "The official check refuses the file, too; ists-asp check lists all its faults"


def evaluate_files(
    gold: Path,
    system: Path,
    scheme: Scheme = Scheme.Y2016,
    *,
    warn: Warn = ignore,
    skip_bad: bool = False,
) -> Evaluation:
    """Measure the answers of ``system`` against ``gold``, both ``.wa`` files, or its links ``i-j``.

    The figures equal the official scorer's. Whatever that or the official check refuses, or
    measures with doubtful sense, is an error; with ``skip_bad`` such pairs are left out.
    """
    scored_pairs = partial(_scored_pairs, warn=warn, skip_bad=skip_bad)
    right, hash1, gold_texts = scored_pairs(gold, True)
    linked = _read_links(system, right)
    answers, hash2, system_texts = linked or scored_pairs(system, False)
    if not right.keys() & answers.keys():
        found = f"no sentence id in common with {gold}"
        expected = f"ids such as '{shortened(next(iter(right)))}'"
        raise DataError(found, where=str(system), expected=expected, hint=_ZERO)
    _compare_sentences(gold_texts, system_texts, (gold, system), warn)
    evaluation = evaluate(right, answers, scheme)
    if linked:
        pairs = {key: scores.of_links for key, scores in evaluation.pairs.items()}
        overall = evaluation.overall.of_links
        evaluation = replace(evaluation, overall=overall, pairs=pairs, confusion={})
    measure = evaluation.overall.alignment
    if not measure.total_gold and not measure.total_system:
        found = f"nothing to measure: no words are aligned here, nor in {gold}"
        raise DataError(found, where=str(system), hint=_ZERO)
    pilot = "yes" if scheme is Scheme.Y2015 else "no"
    signature = f"ists|scheme:{scheme}|alic:{pilot}|relief:{pilot}|punct:ignored|pairs:{len(right)}"
    signature += f"|gold:{hash1}|answers:{hash2}|version:{__version__}"
    signature += "|skip-bad:yes" * skip_bad
    return replace(evaluation, signature=signature)


def read_references(
    source: Source, *, warn: Warn = ignore, skip_bad: bool = False
) -> dict[str, Reference]:
    """The pairs of a ``.wa`` file and their alignments, by id, in the order of the file.

    Faulty pairs, repeated ids and no pair at all are DataErrors, or with ``skip_bad`` warnings.
    """
    references: dict[str, Reference] = {}
    faults, sentence = Faults(warn if skip_bad else None), None
    for sentence, _, wrong in wa_check.read_checked(source, warn=warn):
        with faults:
            identifier = _identifier(sentence, references, "Give each pair an id of its own")
            # The scorer only looks words up, so odd token sections are no reason to give up.
            pair = Pair(identifier, *map(_by_number, sentence.tokens))
            alignments = sentence.to_alignments(wrong, warn)
            _check_links(sentence.where, alignments)
            references[identifier] = Reference(pair, alignments)
    if sentence is None:
        where, expected = source_name(source), wa_check.OPENING
        hint = "Give a .wa file: tables of pairs have no alignments"
        faults.add(DataError("no sentence", where=where, expected=expected, hint=hint))
    faults.check()
    return references


def _identifier(sentence: WaSentence, ids: Iterable[str], hint: str) -> str:
    if sentence.id is not None and sentence.id not in ids:
        return sentence.id
    found = "a sentence without an id"
    if sentence.id is not None:
        found = f"the sentence id '{shortened(sentence.id)}' again"
    expected = f"{wa_check.OPENING}, each id once"
    raise DataError(found, where=sentence.where, expected=expected, hint=hint)


def _compare_sentences(
    gold: Mapping[str, _Texts], system: Mapping[str, _Texts], files: Sequence[Path], warn: Warn
) -> None:
    """Warn of sentences that differ, and of pairs that the shipped weights were learned from."""
    others = [key for key, texts in gold.items() if system.get(key, texts) != texts]
    if others:
        both = zip(gold[others[0]], system[others[0]], strict=True)
        right, wrong = next(map(shortened, texts) for texts in both if texts[0] != texts[1])
        difference = f"{len(others)} pair{'s have' if len(others) > 1 else ' has'} other sentences"
        first = f"pair {shortened(others[0])} has '{wrong}' instead of '{right}'"
        warn(f"{files[1]}: {difference} than {files[0]}: {first}")
    learned = frozenset((data_dir() / "learned" / "pairs.txt").read_text("ascii").split())
    count = sum(pair_digest(texts) in learned for texts in gold.values())
    # By chance alone one pair in two million is taken for one of these.
    if count:
        text = f"{count} of {len(gold)} pairs are among those that shipped weights are learned from"
        warn(f"{files[0]}: {text}: answers by their profiles look better than they are")


def pair_digest(texts: _Texts) -> str:
    """Eight hexadecimal digits for a pair, whatever its case, punctuation and blanks."""
    letters = ("".join(filter(str.isalnum, text.lower())) for text in texts)
    return sha256("\n".join(letters).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _scored_pairs(
    path: Path, gold: bool, warn: Warn, skip_bad: bool
) -> tuple[dict[str, ScoredPair], str, dict[str, _Texts]]:
    """The pairs of a file as the official scorer sees them, the hash of its lines, sentences."""
    view = wa_check.ScriptView(gold)
    pairs: dict[str, ScoredPair] = {}
    texts: dict[str, _Texts] = {}
    odd: list[str] = []
    faults = Faults(warn if skip_bad else None)
    for sentence, lines, wrong in wa_check.read_checked(path, warn=warn, view=view):
        with faults:
            identifier = _identifier(sentence, pairs, _JOINED)
            words1, words2 = (*view.words.pop(identifier, ()), (), ())[:2]
            for fault in wrong:
                if fault.kind not in (ODD_SCORE, wa_check.NO_ARROW):
                    raise fault.error(_OURS if fault.origin is Origin.OURS else _REFUSED)
                odd.append(str(fault))
            scored = tuple(ScoredLine.of(line.to_alignment(), line.sides) for _, line in lines)
            _check_links(sentence.where, scored)
            pairs[identifier] = ScoredPair(words1, words2, scored)
            text1, text2 = (" ".join(token.form for token in side) for side in sentence.tokens)
            texts[identifier] = text1, text2
    faults.check()
    if not any(gold or pair.lines for pair in pairs.values()):
        found = f"no {'alignment' if pairs else 'sentence'}"
        expected = "sentences and their alignments, such as 1 <==> 1 // EQUI // 5"
        hint = "The official scorer of 2016 gives up, too"
        raise DataError(found, where=str(path), expected=expected, hint=hint)
    misplaced = [f"{where}: {_MISPLACED}" for where in view.misplaced]
    for first, *rest in filter(None, (odd, misplaced)):
        warn(first + (f"; {len(rest)} more" if rest else ""))
    return pairs, view.digest.hexdigest()[:10], texts


def _read_links(
    path: Path, gold: Mapping[str, ScoredPair]
) -> tuple[dict[str, ScoredPair], str, dict[str, _Texts]] | None:
    """The same of a file of links, a line for each pair of gold; None if it is no such file."""
    texts = (line.text for line in read_lines(path) if line.text.strip())
    if not path.is_file() or not re.match(r"\s*\d+[-?p]\d", next(texts, "")):
        return None
    lines = list(read_lines(path))
    if len(lines) != len(gold):
        found, expected = f"lines of links: {len(lines)}", f"{len(gold)}, one for each pair of gold"
        raise DataError(found, where=str(path), expected=expected)
    pairs = {}
    for line, (key, pair) in zip(lines, gold.items(), strict=True):
        links = (((str(i + 1),), (str(j + 1),)) for i, j in links_of(line))
        scored = (ScoredLine(*link, Label.SIMI, frozenset(), 0.0) for link in links)
        pairs[key] = replace(pair, lines=tuple(scored))
    digest = sha256("".join(f"{line.text}\n" for line in lines).encode()).hexdigest()[:10]
    return pairs, digest, {}


def _check_links(where: str, lines: Iterable[ScoredLine | Alignment]) -> None:
    """Refuse a pair with more links than two sentences can have, which would fill the memory."""
    links = sum(len(line.tokens1) * len(line.tokens2) for line in lines)
    if links > MAX_TOKENS**2:
        found = f"lines with {links} links between tokens"
        expected = f"at most {MAX_TOKENS**2}, those of two sentences of {MAX_TOKENS} tokens"
        raise DataError(found, where=where, expected=expected, hint=_OURS)


def _by_number(tokens: Sequence[WaToken]) -> Sentence:
    forms = {token.number: token.form for token in tokens}
    size = min(max(forms, default=0), len(tokens))
    return make_sentence([forms.get(number, "") for number in range(1, size + 1)])


def render_evaluation(evaluation: Evaluation, by_pair: bool = False) -> str:
    r"""The four measures, the label confusion and, if asked for, a line per pair, as text."""
    rows = [["", "F1", "Precision", "Recall"]]
    rows += [
        [name, f"{measure.f1:.4f}", f"{measure.precision:.4f}", f"{measure.recall:.4f}"]
        for name, measure in evaluation.overall.named()
    ]
    parts = [f"Scheme {evaluation.scheme}, pairs: {len(evaluation.pairs)}", table(rows)]
    for ids, file in (evaluation.missing, "gold"), (evaluation.extra, "system"):
        if ids:
            listed = ", ".join(ids[:_SHOWN_IDS]) + ", …" * (len(ids) > _SHOWN_IDS)
            parts.append(f"Pairs only in the {file} file ({len(ids)}): {listed}")
    if evaluation.confusion:
        parts.append(confusion_table(evaluation))
    if by_pair:
        rows = [["Pair", *(name for name, _ in evaluation.overall.named())]]
        for key, scores in evaluation.pairs.items():
            rows.append([key, *(f"{measure.f1:.4f}" for _, measure in scores.named())])
        parts.append("F1 by pair\n" + table(rows))
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)


def confusion_table(evaluation: Evaluation, gold: str = "gold", system: str = "system") -> str:
    """The link weight of each label of gold and of the system, as text."""
    cells = evaluation.confusion
    labels = [label for label in Label if label in chain.from_iterable(cells)]
    rows = [["", *map(str, labels)]]
    for gold_label in labels:
        weights = (cells.get((gold_label, system_label), 0.0) for system_label in labels)
        rows.append([str(gold_label), *(f"{weight:.1f}" for weight in weights)])
    return f"Labels by link weight (rows {gold}, columns {system})\n{table(rows)}"
