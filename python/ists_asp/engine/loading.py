"""A profile's rules, models and lexicon read from their files."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ists_asp.annotate import Annotator, Cache
from ists_asp.answers import read_answer
from ists_asp.engine.reading import PairReader
from ists_asp.engine.system import System
from ists_asp.errors import UsageError
from ists_asp.io.store import Store
from ists_asp.knowledge import Knowledge, shipped_vectors
from ists_asp.rules import (
    given_warnings,
    load_program,
    phrases,
    read_profile_rules,
    unknown_constants,
)
from ists_asp.solver import Solver, SolverOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ists_asp.engine.rating import Rater
    from ists_asp.explain.explainer import Explainer
    from ists_asp.knowledge.reader import Reader, UniversalReader
    from ists_asp.rules import Profile, RuleSet

GivenPath: TypeAlias = "str | os.PathLike[str]"


def load(
    profile: str = "default",
    *,
    rules: GivenPath | Sequence[GivenPath] = (),
    constants: Mapping[str, str | int] | None = None,
    models: int = 1,
    time_limit: float = 10.0,
    stanza_dir: GivenPath | None = None,
    vectors: GivenPath | None = None,
    reader: bool | GivenPath = False,
    cache: GivenPath | None = None,
    programs: GivenPath | None = None,
    parsed: tuple[Profile, RuleSet] | None = None,
    incremental: bool = True,
) -> System:
    """Load a profile.

    Args:
        profile: its name, such as ``headlines``.
        rules: a rule folder or file, or several, that replace or extend the shipped ones, see
            :mod:`ists_asp.rules.overlay`.
        constants: values of ``#const`` definitions; they win over the profile's. Those that no
            rule has are among the system's warnings.
        models: how many answers to find for a pair, best first.
        time_limit: seconds of processor time for a pair; its search ends then with the best
            answer so far.
        stanza_dir: a directory of Stanza models; the shipped ones by default.
        vectors: a file of word vectors; the shipped ones by default.
        reader: whether what a reader holds counts as well: ``"shipped"`` or True for the shipped
            fine-tuned encoder, the folder of another, see :mod:`ists_asp.knowledge.reader`; in
            Spanish profiles ``"use"`` for the encoder of the extra ``[spanish]``.
        cache: the directory of a file that keeps what Stanza says, see
            :mod:`ists_asp.annotate.cache`; None for none.
        programs: the directory that keeps what was worked out about rules, see
            :mod:`ists_asp.io.store`, and what a reader says; by default that of ``cache``.
        parsed: what :func:`ists_asp.rules.load_program` gave for this profile and these
            rules, where it has been called already.
        incremental: whether answers are kept in that directory as well, so that after an edit of
            rules only those pairs are decided again that it can touch.

    Raises:
        UsageError: there is no such profile, or the options do not go together.
        RuleError: a rule file is faulty.
        ResourceError: models, the lexicon or the vectors are missing, or the extra is; or the
            cache cannot be used.
    """
    own = _paths(rules)
    values = {name: str(value) for name, value in (constants or {}).items()}
    kept = programs or cache
    store = None if kept is None else Store(Path(kept))
    chosen, found = parsed or load_program(
        profile,
        own,
        reader=bool(reader),
        store=store,
    )
    if own:
        odd = given_warnings(found, chosen, own)
        remembered = found.remembered
        found = replace(found, warnings=(*found.warnings, *odd)).remembering(remembered)
    if values:
        warnings = unknown_constants(values, chosen, found, own)
        remembered = found.remembered
        found = replace(found, warnings=(*found.warnings, *warnings)).remembering(remembered)
    reads = load_reader(chosen, reader)
    said = None if kept is None or reads is None else Cache(Path(kept))
    options = SolverOptions(models, time_limit, {**chosen.constants, **values})
    solver = Solver(found, options, partial(read_answer, scheme=chosen.scheme))

    # Few runs need either.
    def explainer() -> Explainer:
        from ists_asp.explain.explainer import load_explainer

        return load_explainer(profile, own, options.constants, store=store)

    def rater() -> Rater:
        from ists_asp.engine.rating import load_rater

        return load_rater(
            profile,
            own,
            options.constants,
            reader=reads is not None,
            store=store,
            incremental=incremental,
        )

    return System(
        chosen,
        found,
        Annotator(
            chosen.language,
            None if stanza_dir is None else Path(stanza_dir),
            None if cache is None else Cache(Path(cache)),
        ),
        Knowledge(
            language=chosen.language,
            vectors_path=shipped_vectors(chosen.language) if vectors is None else Path(vectors),
            phrases=phrases(found),
        ),
        solver,
        explainer,
        rater,
        lambda: (
            read_profile_rules(
                profile,
                own,
                reader=reads is not None,
            ).rating
        ),
        store,
        None if reads is None else PairReader(reads, said),
        incremental=incremental,
    )


def load_reader(profile: Profile, reader: bool | GivenPath) -> Reader | UniversalReader | None:
    """Load the reader that a user asks for; its model is read when the first pair is.

    Args:
        profile: the profile whose rules weigh what it holds.
        reader: as for :func:`load`.

    Raises:
        UsageError: the profile has no rules for the reader.
        ResourceError: a package or a file of the reader is missing.
    """
    if not reader:
        return None
    from ists_asp.knowledge.reader import SHIPPED, USE, find_reader

    name = SHIPPED if reader is True else os.fspath(reader)
    spanish = profile.language == "es" and profile.reader is None
    if not profile.reads or (name == USE) != spanish:
        raise UsageError(
            f"the profile {profile.name} has no rules for the reader {name}",
            expected="a Spanish profile, such as sts-es"
            if name == USE
            else "a profile with the table [reader] or reader_weights, such as default",
            hint=f"Leave the reader out{f', choose the reader {USE},' if spanish else ','} or choose "
            "such a profile",
        )
    return find_reader(name)


def _paths(given: GivenPath | Sequence[GivenPath]) -> tuple[Path, ...]:
    """One path or several."""
    return (Path(given),) if isinstance(given, str | os.PathLike) else tuple(map(Path, given))
