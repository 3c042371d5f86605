"""Resources of the package: data files, open handles, memory.

A wheel has encodings, rules and data in ``ists_asp/share/``, a checkout at its top level.
"""

from __future__ import annotations

import gc
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from platformdirs import user_cache_dir

from ists_asp.errors import ResourceError

if TYPE_CHECKING:
    from jinja2 import Template

_PACKAGE = Path(__file__).resolve().parent


def _find(name: str) -> Path:
    return _found(_PACKAGE, name)


@cache
def _found(package: Path, name: str) -> Path:
    candidates = (package / "share" / name, package.parents[1] / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    found = f"the folder {name}/ of ists-asp is missing"
    expected = " or ".join(map(str, candidates))
    hint = "Reinstall ists-asp from a wheel, or from a complete checkout"
    raise ResourceError(found, where=str(package), expected=expected, hint=hint)


# Absolute folders: of the machine; of the shipped rules; of samples, models, lexicon and vectors;
# of the documentation.
asp_dir, rules_dir, data_dir, docs_dir = (
    partial(_find, name) for name in ("asp", "lp_rules", "data", "docs")
)


@cache
def version_of(package: str) -> str:
    """The version of an installed package, by the name that its folder of metadata has."""
    # To import ``importlib.metadata`` takes as long as clingo does.
    for folder in sys.path:
        for metadata in Path(folder).glob(f"{package}-*.dist-info"):
            return metadata.stem.removeprefix(f"{package}-")
    from importlib.metadata import version

    return version(package)


def cache_dir(location: bool | str | os.PathLike[str] | None) -> Path | None:
    """The directory of the cache: True stands for the user's, False, None and ``none`` for none."""
    if location is not True:
        return Path(location) if location and location != "none" else None
    folder = Path(user_cache_dir("ists-asp", appauthor=False))
    try:
        # The sentences that people compare are private.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@cache
def template(folder: str, name: str) -> Template:
    """A template among the data; a misspelt name in it is an error, all is escaped by default."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(data_dir() / folder),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    ).get_template(name)


class Closing(ABC):
    """A context manager that closes itself, after an error as well."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open; the object cannot be used afterwards."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """Collect nothing while tens of thousands of objects are made that all are needed."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
