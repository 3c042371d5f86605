"""Pairs made ready for the rules: annotated, looked up, as facts."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from ists_asp.engine.annotation import BATCH, PairAnnotator
from ists_asp.engine.timings import Timings
from ists_asp.errors import UsageError
from ists_asp.facts import pair_facts
from ists_asp.gc_control import freeze_gc
from ists_asp.rules.remembered import Remembered
from ists_asp.solver.batching import in_batches
from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.annotate import Annotator
    from ists_asp.annotate.stanza import Models
    from ists_asp.engine.reading import PairReader
    from ists_asp.io.store import Store
    from ists_asp.knowledge import Knowledge
    from ists_asp.model import Pair, Sentence
    from ists_asp.rules import RuleWarning


class Preparation:
    """Makes facts of pairs, with a clock.

    Args:
        annotator: annotates sentences.
        knowledge: knows how words are related.
        language: of the sentences, ``en`` or ``es``.
        store: keeps the facts of pairs, batch by batch, so that a rerun looks up nothing.
        reader: says what it holds about chunks, alignments and labels; nobody does if None.
    """

    def __init__(
        self,
        annotator: Annotator,
        knowledge: Knowledge,
        language: str,
        store: Store | None = None,
        reader: PairReader | None = None,
    ) -> None:
        self.stages = Timings()
        self._annotator = PairAnnotator(annotator, self.stages)
        self._knowledge = knowledge
        self._language = language
        self._reader = reader
        self._remembered = Remembered(
            store, "" if store is None else f"{language} {knowledge.key} {self.reader}"
        )
        self._settled = False
        self._closed = False

    def close(self) -> None:
        """Close lexicon and cache; nothing can be prepared afterwards."""
        self._closed = True
        self._knowledge.close()
        self._annotator.close()
        if self._reader is not None:
            self._reader.close()

    @property
    def knowledge(self) -> tuple[str, ...]:
        """What words are compared by: ``lexicon``, ``vectors``, ``reader``."""
        return (*self._knowledge.sources, *(() if self._reader is None else ("reader",)))

    @property
    def reader(self) -> str | None:
        """The hash of the reader; None without one."""
        return None if self._reader is None else self._reader.digest

    @property
    def models(self) -> Models:
        """The models that annotate."""
        return self._annotator.models

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What should be known of the models."""
        return self._annotator.warnings

    def annotate(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tag and lemmatise pairs; see :meth:`ists_asp.engine.System.annotate`."""
        self._check_open()
        return self._annotator.annotate(pairs)

    def tokenize(self, texts: Sequence[str]) -> list[Sentence]:
        """Cut raw texts into tokens with Stanza's tokeniser, each text one sentence."""
        self._check_open()
        return self._annotator.tokenize(texts)

    def known(self, annotated: Iterable[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """Yield annotated pairs, lazily and in their order, with the facts that the rules see.

        Raises:
            UsageError: the lexicon is closed.
        """
        self._check_open()
        return in_batches(annotated, self._known, BATCH)

    def _known(self, batch: Sequence[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        texts: list[str] = []
        with self.stages.measure("knowledge"):
            key = self._remembered.key("facts", [[pair.sent1, pair.sent2] for pair in batch])
            kept = self._remembered.get(key)
            opinions = self._opinions(batch) if kept is None else iter(())
        if kept is None and not self._settled:
            # Not earlier: models are read when the first sentence needs them.
            freeze_gc()
            self._settled = True
        for number, pair in enumerate(batch):
            if kept is not None:
                yield pair, Atoms(kept[number])
                continue
            with self.stages.measure("knowledge"):
                known = list(self._knowledge.facts(pair))
                held = next(opinions)
            with self.stages.measure("facts"):
                facts = pair_facts(pair, known, self._language).with_text(held.inside)
                texts.append(facts.text)
            yield pair, facts
        if kept is None:
            self._remembered.put(key, texts)

    def _opinions(self, batch: Sequence[Pair]) -> Iterator[Atoms]:
        """What the reader holds about pairs; nothing without one."""
        return repeat(Atoms("()")) if self._reader is None else self._reader.facts(batch)

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError(
                "the system is closed", hint="Use it inside its with block, or load it anew"
            )
