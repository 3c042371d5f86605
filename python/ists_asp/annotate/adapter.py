"""The only module that talks to Stanza.

It loads pipelines on first use, from disk alone, keeps Stanza's log off the
user's screen, and returns plain strings.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
import warnings
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ists_asp.errors import ResourceError, brief, no_fault_of_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.annotate.models import Models


class Reading(NamedTuple):
    """What Stanza says about one word."""

    lemma: str
    upos: str
    xpos: str


class _Word(Protocol):
    lemma: str | None
    upos: str | None
    xpos: str | None


class _Token(Protocol):
    start_char: int
    end_char: int


class _Sentence(Protocol):
    words: Sequence[_Word]
    tokens: Sequence[_Token]


class _Document(Protocol):
    sentences: Sequence[_Sentence]


class _Pipeline(Protocol):
    def __call__(self, text: str | list[list[str]]) -> _Document: ...


class StanzaAdapter:
    """Stanza pipelines over one set of models; not more than one call at a time runs.

    Stanza keeps state while it works, hence the lock.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._tagger: _Pipeline | None = None
        self._tokenizer: _Pipeline | None = None
        self._lock = threading.Lock()

    def tag(self, sentences: list[list[str]]) -> list[list[Reading]]:
        """Tag and lemmatise sentences of words.

        Args:
            sentences: none of them empty; no word empty or with a blank in it.

        Raises:
            ResourceError: the models cannot be loaded, or fail.
        """
        with self._lock:
            if self._tagger is None:
                self._tagger = self._load("tokenize,pos,lemma", tokenize_pretokenized=True)
            with self._telling("cannot tag words"), _quiet(), _one_thread():
                document = self._tagger(sentences)
        return [
            [
                Reading(word.lemma or "_", word.upos or "X", word.xpos or "_")
                for word in sentence.words
            ]
            for sentence in document.sentences
        ]

    def tokenize(self, text: str) -> list[list[str]]:
        """Cut paragraphs, which blank lines separate, into tokens.

        Raises:
            ResourceError: the models cannot be loaded, or fail.
        """
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = self._load("tokenize", tokenize_no_ssplit=True)
            with self._telling("cannot cut sentences"), _quiet(), _one_thread():
                document = self._tokenizer(text)
        return [
            [text[token.start_char : token.end_char] for token in sentence.tokens]
            for sentence in document.sentences
        ]

    def _load(self, processors: str, **options: bool) -> _Pipeline:
        # Models that build on a transformer would ask its hub for it otherwise.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        models = self._models
        with self._telling("cannot be loaded"), _quiet():
            import stanza

            pipeline: _Pipeline = stanza.Pipeline(
                models.lang,
                dir=str(models.directory),
                package=models.package,
                processors=processors,
                download_method=None,
                use_gpu=False,
                verbose=False,
                **options,
            )
        return pipeline

    @contextmanager
    def _telling(self, failure: str) -> Iterator[None]:
        """Put what Stanza and torch raise in one line of ours."""
        models = self._models
        try:
            yield
        # A damaged file fails in as many ways as there are bytes to damage.
        except Exception as error:
            no_fault_of_files(error)
            # The system's refusals say nothing about the files, but for a place beyond their end.
            refused = isinstance(error, OSError | ImportError | MemoryError) and (
                getattr(error, "errno", None) != errno.EINVAL
            )
            culprit = None if refused else _unreadable(models.files)
            reason = (
                f"{culprit.relative_to(models.directory)} is damaged, or not a model"
                if culprit
                else brief(error)
            )
            raise ResourceError(
                f"package '{models.package}' for '{models.lang}' {failure}: {reason}",
                where=str(models.directory),
                expected=f"models that Stanza {version('stanza')} reads",
                hint="Install the files anew, or choose others with --stanza-dir DIR",
            ) from error


def _unreadable(files: Iterable[Path]) -> Path | None:
    """The first file that torch cannot read, or that is more than numbers and texts."""
    import torch

    for path in files:
        try:
            with _quiet():
                torch.load(path, map_location="cpu", weights_only=True)
        except Exception:
            return path
    return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Stanza's log and torch's warnings: what matters of them is in our own errors."""
    logger = logging.getLogger("stanza")
    disabled, logger.disabled = logger.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.disabled = disabled


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute in one thread, which these small models fill.

    More gain nothing on an idle machine, and take ten times as long where others compute
    too, as the threads wait for one another.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
