"""Finding Stanza models on disk, and saying clearly what is missing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import ResourceError, no_fault_of_files
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROCESSORS = ("tokenize", "pos", "lemma")

SHIPPED_PACKAGE = "ists"
"""The package of the shipped models; elsewhere Stanza's own ``default`` is the default."""

_STANZA_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Models:
    """A set of models that ``stanza.Pipeline(lang, dir=…, package=…)`` can load.

    ``files`` are those of :data:`PROCESSORS`, in their order.
    """

    lang: str
    directory: Path
    package: str
    files: tuple[Path, ...] = ()


def find(lang: str, stanza_dir: Path | None = None, package: str | None = None) -> Models:
    """Find the tokeniser, tagger and lemmatiser of a language.

    Args:
        lang: language code, as Stanza writes it.
        stanza_dir: a directory with Stanza's ``resources.json``; None for the shipped models.
        package: a package of that language; None for ``ists`` if there is one, and
            ``default`` if not.

    Raises:
        ResourceError: the directory, the language, the package or a model file is missing.
    """
    directory = data_dir() / "stanza" if stanza_dir is None else stanza_dir
    packages = _packages(directory, lang)
    chosen = package or (SHIPPED_PACKAGE if SHIPPED_PACKAGE in packages else _STANZA_DEFAULT)
    if chosen not in packages:
        raise ResourceError(
            f"no Stanza package '{chosen}' for language '{lang}'",
            where=str(directory),
            expected=_listed("one of the packages", packages),
            hint=_hint(lang, "--stanza-package NAME"),
        )
    files = _files(directory, lang, packages[chosen])
    for path in files:
        if not path.is_file():
            complete = [
                name
                for name, models in packages.items()
                if all(file.is_file() for file in _files(directory, lang, models))
            ]
            raise ResourceError(
                f"package '{chosen}' lacks the model file {path.relative_to(directory)}",
                where=str(directory),
                expected=_listed("one of the complete packages", complete),
                hint=_hint(lang, "--stanza-package NAME"),
            )
    return Models(lang, directory, chosen, files)


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


def _hint(lang: str, option: str | None = None) -> str:
    options = "--stanza-dir DIR" if option is None else f"--stanza-dir DIR or {option}"
    return (
        f"Choose other models with {options}, or, where there is a network, download Stanza's"
        f" own: python -c \"import stanza; stanza.download('{lang}', model_dir='DIR')\""
    )
