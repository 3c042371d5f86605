"""Stanza: models on disk alone, loaded at their first use, and the only calls into it."""

from __future__ import annotations

import errno
import gc
import hashlib
import json
import os
import re
import sqlite3
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple, TypeAlias

from msgspec import Meta

from ists_asp import processes
from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.lang import Language
from ists_asp.limits import LONGEST_WORD
from ists_asp.resources import data_dir, gc_paused, version_of

_FORMAT = 2  # changes when what was kept of Stanza's answers is no longer to be read
PROCESSORS = ("tokenize", "pos", "lemma")

SHIPPED_PACKAGE = "ists"


@dataclass(frozen=True, slots=True)
class Models:
    """A set of models that ``stanza.Pipeline(lang, dir=…, package=…)`` can load."""

    lang: str
    directory: Path
    package: str
    files: tuple[Path, ...] = ()  # of PROCESSORS, in their order
    others: tuple[str, ...] = ()  # further packages in the directory that could be loaded

    @property
    def key(self) -> str:
        """The models' identity; it begins with language, package and version of Stanza."""
        digest = hashlib.sha256(f"{_FORMAT}".encode())
        for path in self.files:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return f"{self.lang} {self.package} stanza-{version_of('stanza')} {digest.hexdigest()[:16]}"

    @property
    def choice(self) -> str | None:
        """Which of several packages was taken; None where there is one only."""
        if not self.others:
            return None
        return f"the package '{self.package}' is taken, not {', '.join(self.others)}"


def find(lang: str, stanza_dir: Path | None = None) -> Models:
    """Find the models of a language in the package ``ists``, or ``default``, or the first one."""
    directory = stanza_dir or data_dir() / "stanza"
    packages = _packages(directory, lang)
    order = dict.fromkeys((SHIPPED_PACKAGE, "default", *sorted(packages)))
    ranked = [name for name in order if name in packages]
    if not ranked:
        found = f"no Stanza package for language '{lang}'"
        raise _missing(found, directory, "a package such as default", lang)
    complete = [name for name in ranked if all(map(Path.is_file, packages[name]))]
    if not complete:
        lacking = next(path for path in packages[ranked[0]] if not path.is_file())
        found = f"package '{ranked[0]}' lacks the model file {lacking.relative_to(directory)}"
        raise _missing(found, directory, "a package with all of its files", lang)
    name, *others = complete
    return Models(lang, directory, name, packages[name], tuple(sorted(others)))


def _packages(directory: Path, lang: str) -> dict[str, tuple[Path, ...]]:
    """The files of each package, from ``resources.json``, whether they are there or not."""
    index = directory / "resources.json"
    try:
        resources = json.loads(index.read_text(encoding="utf-8"))
    except OSError as error:
        no_fault_of_files(error)
        found = "no resources.json in it" if directory.is_dir() else "no such directory"
        if index.exists():
            found = f"cannot be read ({error.strerror})"
        expected = "a directory of Stanza models with a resources.json"
        raise _missing(found, directory, expected, lang) from error
    except ValueError as error:
        expected = "the index of a directory of Stanza models"
        raise _missing(f"not readable as JSON ({error})", index, expected, lang) from error
    languages = resources if isinstance(resources, dict) else {}
    entry = languages.get(lang)
    if not isinstance(entry, dict) or not isinstance(entry.get("packages"), dict):
        codes = [code for code, item in languages.items() if (directory / code).is_dir() and item]
        names = ", ".join(sorted(codes)) or "there, but there is none"
        found = f"no Stanza models for language '{lang}'"
        raise _missing(found, index, f"one of the languages {names}", lang)
    return {
        name: tuple(
            directory / lang / processor / f"{models.get(processor) or 'none'}.pt"
            for processor in PROCESSORS
        )
        for name, models in entry["packages"].items()
        if isinstance(models, dict)
    }


def _missing(found: str, where: Path, expected: str, lang: str) -> ResourceError:
    hint = (
        "Choose other models with --stanza-dir DIR, or, where there is a network, download Stanza's"
        f" own: python -c \"import stanza; stanza.download('{lang}', model_dir='DIR')\""
    )
    return ResourceError(found, where=str(where), expected=expected, hint=hint)


Text: TypeAlias = Annotated[str, Meta(min_length=1)]


class Reading(NamedTuple):
    """Lemma and tags of a word."""

    lemma: Annotated[Text, Meta(max_length=2 * LONGEST_WORD)]
    upos: Annotated[str, Meta(pattern=r"\A[A-Z]{1,9}\Z")]
    xpos: Annotated[str, Meta(pattern=r"\A[!-~]{1,99}\Z")]


class Lemmas:
    """Filters lemmas: Stanza's sequence model makes up words for unknown forms.

    It writes *schoolteacherr* for *schoolteacher* and *palabrar* for *palabras*. A lemma counts if
    Stanza's ``dictionaries`` or the lexicon have it, or if the form is a regular one of it,
    and no name of the lexicon: *Descartes*.
    """

    def __init__(self, dictionaries: Mapping[str, Mapping[str, str]], language: Language) -> None:
        self._dictionaries = list(dictionaries.values())
        self._lemmas = {lemma.lower() for table in self._dictionaries for lemma in table.values()}
        self._regular = re.compile(language.words.lemmas, re.VERBOSE)
        self._corrected = language.words.corrected
        lexicon = (data_dir() / "lexicon" / language.lexicon).as_uri()
        self._lexicon = f"{lexicon}?mode=ro&immutable=1"

    def of(self, form: str, lemma: str, upos: str) -> str:
        """The lemma that Stanza gave a word; if it is none, another tag's, or the word itself."""
        name, form, small = form[:1].isupper(), form.lower(), lemma.lower()
        if form in self._corrected and upos != "VERB":
            return self._corrected[form]
        if small == form:
            return lemma
        if self._regular.fullmatch(f"{upos} {form} {small}"):
            odd = name and not self._in_lexicon(small) and self._in_lexicon(form)
            return form if odd else lemma
        if any(map(str.isdigit, form)):
            return form
        if small in self._lemmas or self._in_lexicon(small):
            return lemma
        if form in self._lemmas:
            return form
        return next((table[form] for table in self._dictionaries if form in table), form)

    def _in_lexicon(self, lemma: str) -> bool:
        # Comparing words by a damaged lexicon gives the error.
        with suppress(sqlite3.Error), closing(sqlite3.connect(self._lexicon, uri=True)) as database:
            rows = database.execute("SELECT 1 FROM word WHERE lemma = ?", (lemma,))
            return rows.fetchone() is not None
        return False


class StanzaAdapter:
    """Stanza pipelines over one set of models, behind a lock: Stanza keeps state while it works."""

    def __init__(self, models: Models, language: Language) -> None:
        self._models = models
        self._language = language
        self._pipelines: dict[str, Any] = {}
        self._lemmas: Lemmas | None = None
        self._lock = threading.Lock()

    def tag(self, sentences: list[list[str]]) -> list[list[Reading]]:
        """Tag and lemmatise sentences of words: none empty, no word empty or with a blank in it."""
        failure, processors = "cannot tag words", "tokenize,pos,lemma"
        document = self._run(failure, sentences, processors, tokenize_pretokenized=True)
        if self._lemmas is None:
            trainer = self._pipelines[processors].processors["lemma"].trainer
            self._lemmas = Lemmas(getattr(trainer, "pos_dict", {}), self._language)
        lemma_of = self._lemmas.of
        return [
            [
                Reading(lemma_of(word.text, word.lemma or "_", upos), upos, word.xpos or "_")
                for word in sentence.words
                for upos in [word.upos or "X"]
            ]
            for sentence in document.sentences
        ]

    def tokenize(self, text: str) -> list[list[str]]:
        """Cut paragraphs, which blank lines separate, into tokens."""
        document = self._run("cannot cut sentences", text, "tokenize", tokenize_no_ssplit=True)
        return [
            [text[token.start_char : token.end_char] for token in sentence.tokens]
            for sentence in document.sentences
        ]

    def _run(
        self, failure: str, source: str | list[list[str]], processors: str, **options: bool
    ) -> Any:  # noqa: ANN401 (Stanza has no types)
        with self._lock:
            if processors not in self._pipelines:
                # Models that build on a transformer would ask its hub for it otherwise.
                os.environ.setdefault("HF_HUB_OFFLINE", "1")
                with self._own_errors("cannot be loaded"), _quiet(), gc_paused():
                    # Without a working folder importing torch ends the process; this is an error.
                    Path.cwd()
                    with _without_training(), _no_compiler():
                        import stanza

                        self._pipelines[processors] = stanza.Pipeline(
                            self._models.lang,
                            dir=str(self._models.directory),
                            package=self._models.package,
                            processors=processors,
                            download_method=None,
                            use_gpu=False,
                            verbose=False,
                            **options,
                        )
                    if processes.is_command:
                        # Most of it stays: to look through it once for garbage takes long.
                        gc.freeze()
            with self._own_errors(failure), _quiet(), _one_thread():
                return self._pipelines[processors](source)

    @contextmanager
    def _own_errors(self, failure: str) -> Iterator[None]:
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
            reason = brief(error)
            if not refused and (damaged := _unreadable(models.files)):
                reason = f"{damaged.relative_to(models.directory)} is damaged, or not a model"
            found = f"package '{models.package}' for '{models.lang}' {failure}: {reason}"
            where = str(models.directory)
            expected = f"models that Stanza {version_of('stanza')} reads"
            hint = "Install the files again, or choose others with --stanza-dir DIR"
            raise ResourceError(found, where=where, expected=expected, hint=hint) from error


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
    import logging

    logger = logging.getLogger("stanza")
    disabled, logger.disabled = logger.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.disabled = disabled


_FOR_TRAINING = {
    module: names.split(",")
    for module, _, names in (
        entry.partition(":")
        for entry in (  # noqa: SIM905 (a list of them would be a line each)
            "torch._meta_registrations torch._native torch.distributed._meta_registrations"
            " torch.distributions torch.export torch.masked torch.nested torchgen.model"
            " torch._higher_order_ops:cond,while_loop torch._subclasses.fake_tensor:FakeTensorMode"
            " torch._higher_order_ops.invoke_subgraph:NestedCompileRegionOptions torch.func:vmap"
            " torch.hub:tqdm torch.quantization unittest.mock udtools.validator:Validator"
            " stanza.server stanza.server.parser_eval:ParseResult,ScoredTree"
            " stanza.server.dependency_converter:DependencyConverter"
            " networkx emoji requests"
        ).split()
    )
}
"""What torch 2.13 and Stanza import though cutting, tagging and lemmatising never use it; with the
functions and classes that they import from it by name."""


class _Postponed(ModuleType):
    """A module that is executed when one of its names is used."""

    def __getattr__(self, name: str) -> object:
        # Walks through all modules ask for __file__, __path__ and the like.
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        if name not in _FOR_TRAINING[self.__name__]:
            return getattr(_executed(self), name)

        def made(_: type, *given: object, **named: object) -> object:
            return getattr(_executed(self), name)(*given, **named)

        return type(name, (), {"__new__": made})


def _executed(module: ModuleType) -> ModuleType:
    if type(module) is _Postponed:
        module.__class__ = ModuleType  # type: ignore[assignment]
        module.__spec__.loader.later.exec_module(module)  # type: ignore[union-attr]
    return module


class _Postponing(Loader):
    def __init__(self, later: Loader | None) -> None:
        self.later = later

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Postponed(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Wait until the module is used."""


class _Postponer(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in _FOR_TRAINING else None
        if spec:
            spec.loader = _Postponing(spec.loader)
        return spec


@contextmanager
def _without_training() -> Iterator[None]:
    """Import torch without what only training needs, in a quarter of the time; commands only.

    Only in the main thread: no other thread may see a module that is executed late half done.
    """
    postponer = _Postponer()
    alone = threading.current_thread() is threading.main_thread()
    if processes.is_command and alone and version_of("torch").startswith("2.13."):
        sys.meta_path.insert(0, postponer)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.meta_path.remove(postponer)


@contextmanager
def _no_compiler() -> Iterator[None]:
    """Let optimizers be made without torch's compiler, which takes more than a second to import."""
    # Torch would import it at the first, which Stanza makes with each model, though it trains none.
    from torch.optim import Optimizer

    method = Optimizer.add_param_group
    Optimizer.add_param_group = getattr(method, "__wrapped__", method)  # type: ignore[method-assign]
    try:
        yield
    finally:
        Optimizer.add_param_group = method  # type: ignore[method-assign]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute in one thread, which these models fill, unless the user said how many."""
    # More gain nothing, and take ten times as long where others compute: they wait for each other.
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(threads if "OMP_NUM_THREADS" in os.environ else 1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
