"""Finding Stanza models on disk, and saying clearly what is missing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.errors import ResourceError, no_fault_of_files
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

PROCESSORS = ("tokenize", "pos", "lemma")

SHIPPED_PACKAGE = "ists"

_FIRST = (SHIPPED_PACKAGE, "default")
"""The package of the shipped models, and Stanza's own."""


@dataclass(frozen=True, slots=True)
class Models:
    """A set of models that ``stanza.Pipeline(lang, dir=…, package=…)`` can load.

    ``files`` are those of :data:`PROCESSORS`, in their order. ``others`` are the further packages
    in the directory that could be loaded.
    """

    lang: str
    directory: Path
    package: str
    files: tuple[Path, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def choice(self) -> str | None:
        """Which of several packages was taken; None where there is one only."""
        if not self.others:
            return None
        return f"the package '{self.package}' is taken, not {', '.join(self.others)}"


def find(lang: str, stanza_dir: Path | None = None) -> Models:
    """Find the tokeniser, tagger and lemmatiser of a language.

    Of several packages ``ists`` is taken, or else ``default``, or else the first.

    Args:
        lang: language code, as Stanza writes it.
        stanza_dir: a directory with Stanza's ``resources.json``; None for the shipped models.

    Raises:
        ResourceError: the directory, the language or a model file is missing.
    """
    directory = data_dir() / "stanza" if stanza_dir is None else stanza_dir
    packages = {
        name: _files(directory, lang, models)
        for name, models in sorted(_packages(directory, lang).items())
    }
    complete = [name for name, files in packages.items() if all(map(Path.is_file, files))]
    for chosen in (*_FIRST, *complete):
        if chosen in complete:
            others = tuple(name for name in complete if name != chosen)
            return Models(lang, directory, chosen, packages[chosen], others)
    for chosen in (*_FIRST, *packages):
        if chosen in packages:
            lacking = next(path for path in packages[chosen] if not path.is_file())
            raise ResourceError(
                f"package '{chosen}' lacks the model file {lacking.relative_to(directory)}",
                where=str(directory),
                expected="a package with all of its files",
                hint=_hint(lang),
            )
    raise ResourceError(
        f"no Stanza package for language '{lang}'",
        where=str(directory),
        expected="a package such as default",
        hint=_hint(lang),
    )


def _packages(directory: Path, lang: str) -> Mapping[str, Mapping[str, str]]:
    """Return package name → processor → model name, from ``resources.json``."""
    index = directory / "resources.json"
    try:
        resources = json.loads(index.read_text(encoding="utf-8"))
    except OSError as error:
        no_fault_of_files(error)
        found = "no resources.json in it" if directory.is_dir() else "no such directory"
        raise ResourceError(
            f"cannot be read ({error.strerror})" if index.exists() else found,
            where=str(directory),
            expected="a directory of Stanza models with a resources.json",
            hint=_hint(lang),
        ) from error
    except ValueError as error:
        raise ResourceError(
            f"not readable as JSON ({error})",
            where=str(index),
            expected="the index of a directory of Stanza models",
            hint=_hint(lang),
        ) from error
    languages = resources if isinstance(resources, dict) else {}
    entry = languages.get(lang)
    if not isinstance(entry, dict) or not isinstance(entry.get("packages"), dict):
        known = [code for code, item in languages.items() if (directory / code).is_dir() and item]
        raise ResourceError(
            f"no Stanza models for language '{lang}'",
            where=str(index),
            expected=_listed("one of the languages", known),
            hint=_hint(lang),
        )
    return {
        name: {key: value for key, value in models.items() if isinstance(value, str)}
        for name, models in entry["packages"].items()
        if isinstance(models, dict)
    }


def _files(directory: Path, lang: str, models: Mapping[str, str]) -> tuple[Path, ...]:
    return tuple(
        directory / lang / processor / f"{models.get(processor, 'none')}.pt"
        for processor in PROCESSORS
    )


def _listed(what: str, names: Mapping[str, object] | list[str]) -> str:
    return f"{what} {', '.join(sorted(names))}" if names else f"{what} there, but there is none"


def _hint(lang: str) -> str:
    return (
        "Choose other models with --stanza-dir DIR, or, where there is a network, download Stanza's"
        f" own: python -c \"import stanza; stanza.download('{lang}', model_dir='DIR')\""
    )
