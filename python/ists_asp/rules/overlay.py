"""What ``--rules PATH`` does to the rules of a profile.

* A **folder with a folder** ``profiles/`` **in it** is a rule folder, such as
  ``ists-asp rules copy`` makes. It takes the place of the shipped ``lp_rules/``, profiles
  included. One at most.
* A **folder without** ``profiles/``: all ``.lp`` files below it are added to the profile's.
* A **file whose name is that of a file in the profile's rules** takes that file's place
  (``my/tags.lp`` for ``lp_rules/labels/tags.lp``). Where several have this name
  (``labels/tags.lp`` and ``chunking/tags.lp``), it is the one in a folder of the same name:
  give ``my/labels/tags.lp``. The machine in ``asp/`` is never replaced, nor are files that
  are loaded through ``#include`` only.
* A **word table**, ``FILE.tsv``, is added wherever words are compared, see
  :mod:`ists_asp.rules.tables`.
* **Any other file** is added to the profile's.

What is added is loaded after the profile's own files, in the order given. For explanations
(:meth:`Overlay.replace`) files take the place of others but none is added: their rules are of
another program. To add rules for explanations, put a file in ``explanation/`` of a rule folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.find import RuleSource, find_rules, resolved
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.tables import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Overlay:
    """The rule folder to take profiles and rules from, and what the user adds to it."""

    base: Path
    files: tuple[RuleSource, ...]
    added: tuple[RuleSource, ...]
    tables: tuple[RuleSource, ...] = ()

    def over(self, sources: Sequence[RuleSource], purpose: Purpose) -> tuple[RuleSource, ...]:
        """Return a program's files with the user's in the place of those of their name.

        The others that the user gave are added where pairs are decided.

        Raises:
            UsageError: it is not clear which file a user's file replaces.
        """
        result, more = self._replaced(sources)
        found = (*result, *more, *self.added) if purpose is Purpose.ANSWER else tuple(result)
        return (*found, *self.tables)

    def taken(self, sources: Sequence[RuleSource]) -> tuple[tuple[RuleSource, RuleSource], ...]:
        """The user's files that take the place of others, each with the one that it replaces.

        Raises:
            UsageError: it is not clear which file a user's file replaces.
        """
        result, _ = self._replaced(sources)
        return tuple(
            (mine, theirs)
            for mine, theirs in zip(result, sources, strict=True)
            if mine is not theirs
        )

    def _replaced(self, sources: Sequence[RuleSource]) -> tuple[list[RuleSource], list[RuleSource]]:
        """The files with those replaced that a user's file replaces, and the user's others."""
        result = list(sources)
        machine = asp_dir().resolve()
        more: list[RuleSource] = []
        for file in self.files:
            same = [
                index
                for index, source in enumerate(result)
                if source.path.name == file.path.name and not source.path.is_relative_to(machine)
            ]
            if len(same) > 1:
                same = self._nearest(file, result, same)
            if same:
                result[same[0]] = file
            else:
                more.append(file)
        return result, more

    @staticmethod
    def _nearest(file: RuleSource, sources: list[RuleSource], same: list[int]) -> list[int]:
        near = [index for index in same if sources[index].path.parent.name == file.path.parent.name]
        if len(near) == 1:
            return near
        raise UsageError(
            f"several rule files are called {file.path.name}",
            where=file.name,
            expected=" or ".join(sources[index].name for index in same),
            hint="Put yours in a folder of the same name as the one that it replaces",
        )


def read_overlay(given: Sequence[Path]) -> Overlay:
    """Sort out what the user gave with ``--rules``, in order.

    Raises:
        UsageError: there are two rule folders, or a file is no ``.lp`` file.
        RuleError: there is nothing at a path, or a folder without rule files.
        ResourceError: the installation lacks the shipped rules.
    """
    bases = [path for path in given if resolved(path) and (path / "profiles").is_dir()]
    if len(bases) > 1:
        raise UsageError(
            f"two rule folders: {bases[0]} and {bases[1]}",
            where="--rules",
            expected="one folder with profiles/ in it",
            hint="Give single files, or a folder without profiles/, to add rules",
        )
    files: list[RuleSource] = []
    added: list[RuleSource] = []
    tables: list[RuleSource] = []
    for path in given:
        if path in bases:
            continue
        found = find_rules(path)
        if path.is_dir():
            added.extend(found)
        elif path.suffix == ".lp":
            files.extend(found)
        elif path.suffix == SUFFIX:
            tables.extend(found)
        else:
            raise UsageError(
                "this is no rule file",
                where=f"--rules {path}",
                expected="a .lp file, a .tsv file of words, or a folder",
            )
    return Overlay(bases[0] if bases else rules_dir(), tuple(files), tuple(added), tuple(tables))
