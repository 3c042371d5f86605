"""A model that reads pairs: what it holds about them."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.knowledge.reader.model import FILES, Model
from ists_asp.knowledge.reader.opinions import (
    BOUND,
    LABELS,
    BoundaryOpinion,
    LinkOpinion,
    Opinion,
    Opinions,
    log_odds,
    log_probability,
)
from ists_asp.knowledge.reader.spans import is_wordy, merged_spans, possible
from ists_asp.knowledge.reader.universal import USE, UniversalReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.knowledge.reader.model import Reading
    from ists_asp.knowledge.reader.opinions import Span
    from ists_asp.model import Pair

SHIPPED = "shipped"
"""What the reader that comes along is asked for by."""

_SCORE_STEP = 10
_RATING_STEP = 20

_LABELLED = -300
"""Labels are told of spans that are counterparts with such log-odds in hundredths."""

_INSTALL = "Install the packages onnxruntime and tokenizers, or leave the reader out: --reader none"


def shipped_reader() -> Path:
    """The folder of the reader that comes along.

    Raises:
        ResourceError: the installation has no data folder.
    """
    from ists_asp.resources import data_dir

    return data_dir() / "reader"


def find_reader(reader: str | Path) -> Reader | UniversalReader:
    """Return the reader that a user asks for.

    Args:
        reader: :data:`~ists_asp.knowledge.reader.universal.USE` for the Spanish encoder,
            ``shipped`` for the one that comes along, or the folder of another.

    Raises:
        ResourceError: a package or a file is missing.
    """
    if reader == USE:
        return UniversalReader()
    return Reader(shipped_reader() if reader == SHIPPED else Path(reader))


def reader_digest(folder: Path) -> str:
    """The first digits of the SHA-256 of a reader's files together."""
    whole = hashlib.sha256()
    for name in FILES:
        whole.update((folder / name).read_bytes())
    return whole.hexdigest()[:12]


class Reader:
    """A model that reads pairs.

    Args:
        folder: where its files lie.

    Raises:
        ResourceError: a package or a file is missing; or, when the first pair is read, a file
            is damaged.
    """

    def __init__(self, folder: Path) -> None:
        for package in ("onnxruntime", "tokenizers"):
            if find_spec(package) is None:
                raise ResourceError(f"the package {package} is missing", hint=_INSTALL)
        for name in FILES:
            if not (folder / name).is_file():
                raise ResourceError(
                    f"there is no {name}",
                    where=str(folder),
                    expected=f"a reader: a folder with {', '.join(FILES)}",
                    hint="Name such a folder with --reader, or none",
                )
        self._folder = folder

    @cached_property
    def digest(self) -> str:
        """Its hash; see :func:`reader_digest`."""
        return reader_digest(self._folder)

    def read(self, pair: Pair) -> Opinions:
        """Return what the reader holds about a pair; nothing where it is too long for it.

        Raises:
            ResourceError: a file of the reader is damaged.
        """
        model = self._model
        reading = model.read(pair)
        if reading is None:
            return Opinions()
        sentences = (pair.sent1, pair.sent2)
        given = all(sentence.chunks is not None for sentence in sentences)
        boundaries: list[BoundaryOpinion] = []
        spans: list[list[tuple[int, int]]] = []
        for number, sentence in enumerate(sentences, 1):
            if given:
                spans.append([(chunk.first, chunk.last) for chunk in sentence.chunks or ()])
                continue
            begins = model.boundaries(reading, number - 1)
            boundaries += [
                BoundaryOpinion(number, token, log_odds(value)) for token, value in begins.items()
            ]
            spans.append(possible(sentence, begins))
        spans = [
            [span for span in found if is_wordy(sentence, span)]
            for found, sentence in zip(spans, sentences, strict=True)
        ]
        rating = model.rating(reading)
        return Opinions(
            tuple(boundaries),
            tuple((number, span) for number, found in enumerate(spans, 1) for span in found),
            tuple(self._links(reading, spans)),
            None if rating is None else _RATING_STEP * round(1000 * rating / _RATING_STEP),
        )

    def _links(
        self, reading: Reading, spans: Sequence[Sequence[tuple[int, int]]]
    ) -> Iterator[LinkOpinion]:
        """The opinions about spans that may be counterparts, in the order of their tokens."""
        singles: list[tuple[Span, Span]] = [((a,), (b,)) for a in spans[0] for b in spans[1]]
        if not singles:
            return
        model = self._model
        judged = dict(zip(singles, model.links(reading, singles), strict=True))
        merged = list(dict.fromkeys(merged_spans(spans, judged)))
        if merged:
            judged.update(zip(merged, model.links(reading, merged), strict=True))
        for (span1, span2), found in sorted(judged.items()):
            aligned = log_odds(found.aligned)
            if aligned.hundredths > -BOUND:
                labels: tuple[tuple[str, Opinion], ...] = ()
                score = None
                if aligned.hundredths >= _LABELLED:
                    values = map(log_probability, found.labels)
                    labels = tuple(zip(LABELS, values, strict=True))
                    score = _SCORE_STEP * round(100 * found.score / _SCORE_STEP)
                yield LinkOpinion(span1, span2, aligned, labels, score)

    @cached_property
    def _model(self) -> Model:
        try:
            return Model(self._folder)
        # A damaged file fails in as many ways as there are bytes to damage.
        except Exception as error:
            no_fault_of_files(error)
            raise ResourceError(
                f"the reader cannot be loaded: {brief(error)}",
                where=str(self._folder),
                hint="Reinstall ists-asp, or leave the reader out: --reader none",
            ) from None
