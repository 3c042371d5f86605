"""Pairs annotated in batches, lazily and in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ists_asp.limits import check_pair, check_text
from ists_asp.model import Pair, Sentence
from ists_asp.rules import RuleWarning
from ists_asp.solver.batching import in_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.annotate import Annotator
    from ists_asp.annotate.stanza import Models
    from ists_asp.engine.timings import Timings

BATCH = 200
"""Pairs annotated at a time: many are faster, few keep memory small and progress steady."""


class PairAnnotator:
    """An annotator for pairs, with a clock.

    Args:
        annotator: annotates sentences; closed by :meth:`close`.
        stages: gets the time that annotation takes.
    """

    def __init__(self, annotator: Annotator, stages: Timings) -> None:
        self._annotator = annotator
        self._stages = stages

    @property
    def models(self) -> Models:
        """The models that annotate."""
        return self._annotator.models

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """Which of several packages of models is used."""
        models = self._annotator.models
        choice = models.choice
        return () if choice is None else (RuleWarning(str(models.directory), choice),)

    def close(self) -> None:
        """Close the annotator."""
        self._annotator.close()

    def annotate(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tag and lemmatise pairs, lazily and in their order; those that are, stay as they are.

        Raises:
            DataError: a sentence is too long, see :mod:`ists_asp.limits`; the pairs before it
                come first.
        """
        return in_batches(map(_checked, pairs), self._annotate, BATCH)

    def tokenize(self, texts: Sequence[str]) -> list[Sentence]:
        """Cut raw texts into tokens with Stanza's tokeniser, each text one sentence.

        Raises:
            DataError: a text is too long, see :mod:`ists_asp.limits`.
        """
        for number, text in enumerate(texts, start=1):
            check_text(text, f"text {number}")
        with self._stages.measure("annotation"):
            return [Sentence(tokens) for tokens in self._annotator.tokenize(texts)]

    def _annotate(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        with self._stages.measure("annotation"):
            done = self._annotated([side for pair in pairs for side in (pair.sent1, pair.sent2)])
        for number, pair in enumerate(pairs):
            yield Pair(pair.id, done[2 * number], done[2 * number + 1])

    def _annotated(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        bare = [
            number
            for number, sentence in enumerate(sentences)
            if not all(token.words for token in sentence.tokens)
        ]
        done = list(sentences)
        if bare:
            tagged = self._annotator.annotate([sentences[number].tokens for number in bare])
            for number, tokens in zip(bare, tagged, strict=True):
                done[number] = replace(sentences[number], tokens=tokens)
        return done


def _checked(pair: Pair) -> Pair:
    check_pair(pair)
    return pair
