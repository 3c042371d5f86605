"""Evaluating one ``.wa`` file against another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import Warn, ignore
from ists_asp.io.wa_reader import read_wa
from ists_asp.model import Pair, Scheme, Sentence

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.evaluate.measures import Evaluation
    from ists_asp.io.wa import WaToken

__all__ = ["evaluate_files", "read_references"]


def evaluate_files(
    gold: Path, system: Path, scheme: Scheme = Scheme.Y2016, *, warn: Warn = ignore
) -> Evaluation:
    """Measure the answers of ``system`` against ``gold``, both ``.wa`` files.

    Raises:
        DataError: a file cannot be read, repeats an id or has a malformed line; both files
            have no id in common.
    """
    right, answers = read_references(gold, warn=warn), read_references(system, warn=warn)
    if right and not right.keys() & answers.keys():
        raise DataError(
            f"no sentence id in common with {gold}",
            where=str(system),
            expected=f"ids such as '{next(iter(right))}'",
        )
    return evaluate(right, answers, scheme)


def read_references(path: Path, *, warn: Warn = ignore) -> dict[str, Reference]:
    """The pairs of a ``.wa`` file and their alignments, by id, in the order of the file.

    Raises:
        DataError: the file cannot be read, lacks or repeats an id, or has a malformed line.
    """
    found: dict[str, Reference] = {}
    for sentence in read_wa(path, warn=warn):
        if sentence.id is None:
            raise DataError(
                "a sentence without an id", where=sentence.where, expected='<sentence id="…"'
            )
        if sentence.id in found:
            raise DataError(
                f"the sentence id '{sentence.id}' again",
                where=sentence.where,
                expected="each id once",
            )
        # The scorer only looks words up, so odd token sections are no reason to give up.
        pair = Pair(sentence.id, _by_number(sentence.tokens1), _by_number(sentence.tokens2))
        found[sentence.id] = Reference(pair, sentence.to_alignments())
    return found


def _by_number(tokens: tuple[WaToken, ...]) -> Sentence:
    forms = {token.number: token.form for token in tokens}
    size = min(max(forms, default=0), len(tokens))
    return make_sentence([forms.get(number, "") for number in range(1, size + 1)])
