"""Every error that ists-asp raises on purpose, in one tree.

::

    IstsError
    ├── UsageError          wrong options or arguments            exit code 2
    ├── DataError           an input file or sentence is faulty   exit code 1
    │   ├── FormatError          the input is of another kind
    │   └── FaultyLinesError     several lines are faulty
    ├── RuleError           a rule file is faulty                 exit code 1
    │   └── UnknownNameError     a name in it exists nowhere      exit code 2
    ├── ResourceError       a model or data file is missing       exit code 1
    ├── TraceError          a trace contradicts its answer        exit code 1
    └── SolveError          a pair got no answer                  exit code 1
        ├── UnsatisfiableError   the rules admit no answer set
        ├── TimeLimitError       no answer within the time limit
        └── MemoryLimitError     no memory is left

A message is one line that says *where*, *what was found*, *what was expected*
and *what to do*; only :class:`RuleError` adds an excerpt of the rule file below
that line, and :class:`FaultyLinesError` has a line for each fault. What other libraries raise
about a pair is told as one of these (:func:`inside`).
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from ists_asp.terminal import one_line

if TYPE_CHECKING:
    from ists_asp.model import Subject
    from ists_asp.syntax.ground import Ground

LONGEST_NAME = 200  # characters of a name that others are compared with
_PLACE = 300
_ROOM = 1900  # characters of the messages about several faults of rules
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)


def shortened(text: str, most: int = 80) -> str:
    """A text as messages quote it: at most 80 characters of it, or ``most``."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def alike(name: str, names: Iterable[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known names that are most like one; the time grows with the square of their lengths."""
    from difflib import get_close_matches

    first, *others = (text[:LONGEST_NAME] for text in (name, *names))
    return get_close_matches(first, others, most, cutoff)


def suggest(name: str, names: Iterable[str], otherwise: str = "", quote: str = "") -> str:
    """A hint at the known name that is most like one, if any is; or another hint."""
    close = alike(name, names)
    return f"Did you mean {quote}{close[0]}{quote}?" if close else otherwise


def of_pair(identifier: object) -> str:
    """Where an error is that is about a pair."""
    return f"pair {shortened(str(identifier))}"


def no_fault_of_files(error: Exception) -> None:
    """Raise an error once more that says nothing about the files that were being read."""
    if isinstance(error, OSError) and (error.errno in _TOO_MANY_FILES or _homeless(error)):
        raise error


def _homeless(fault: OSError) -> bool:
    # The working folder is gone: nothing else is asked for without a name.
    return fault.errno == errno.ENOENT and fault.filename is None


def os_message(fault: OSError) -> str:
    """Return what the system refused, as one line."""
    if fault.errno in _TOO_MANY_FILES:
        return "too many files are open. Allow more with ulimit -n"
    if _homeless(fault):
        return "the working folder has been removed. Change to one that is there"
    where = _place(fault.filename) if isinstance(fault.filename, str) else "standard output"
    return one_line(f"{where}: {fault.strerror or fault}")


def _place(where: str) -> str:
    """A place as messages name it: no more of it than a path can be long that people type."""
    return where if len(where) <= _PLACE else f"{where[: _PLACE // 2]}…{where[-_PLACE // 2 :]}"


class IstsError(Exception):
    """An error whose text is meant for the user.

    Args:
        found: what is wrong, as a phrase ("3 sentences in b.txt against 4 in a.txt").
        where: file, ``file:line`` or pair that the error is about.
        expected: what would have been right.
        hint: what the user can do about it, as an imperative sentence.
    """

    exit_code = 1

    def __init__(
        self,
        found: str,
        *,
        where: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.found, self.where, self.expected, self.hint = found, where, expected, hint
        super().__init__(found)

    def __str__(self) -> str:
        text = f"{_place(self.where)}: {self.found}" if self.where else self.found
        if self.expected:
            text += f"; expected {self.expected}"
        if self.hint:
            text += f". {self.hint}"
        return one_line(text)

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages, one each."""
        return (str(self),)


def brief(error: Exception) -> str:
    """The kind and first sentence of a library's exception, for one of our messages."""
    # The rest is advice to programmers, or even to switch off a safeguard.
    sentence = shortened(" ".join(str(error).split()).partition(". ")[0].rstrip("."))
    return f"{type(error).__name__}: {sentence}" if sentence else type(error).__name__


class UsageError(IstsError):
    """Options or arguments that do not go together."""

    exit_code = 2


class DataError(IstsError):
    """A faulty input file, line or sentence."""


class FormatError(DataError):
    """An input of another kind than was said: nothing in it can be read."""


class FaultyLinesError(DataError):
    """Several faulty lines of an input; ``faults`` are the first of the ``count`` found."""

    def __init__(self, faults: Sequence[DataError], count: int) -> None:
        super().__init__(f"{count} faulty lines")
        self.faults = tuple(faults)
        self.count = count

    @property
    def messages(self) -> tuple[str, ...]:
        """A message for each of the first faults; how many more there are."""
        rest = self.count - len(self.faults)
        more = [f"and {rest} more faulty line{'' if rest == 1 else 's'}"] if rest else []
        return (*map(str, self.faults), *more)

    def __str__(self) -> str:
        return "\n".join(self.messages)


class RuleError(IstsError):
    """A faulty rule file; ``excerpt`` shows the place, with a caret; it may have other faults."""

    def __init__(self, found: str, *, excerpt: str | None = None, **details: str | None) -> None:
        super().__init__(found, **details)
        self.excerpt = excerpt
        self.others: Sequence[RuleError] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        """A message for each fault, the first ones if there are many; how many more there are."""
        errors = (self, *self.others)
        texts = [f"{IstsError.__str__(e)}\n{e.excerpt or ''}".rstrip("\n") for e in errors]
        count = max(1, sum(size <= _ROOM for size in accumulate(map(len, texts))))
        rest = len(texts) - count
        return (*texts[:count], *[f"and {rest} more error{'s' * (rest > 1)}"] * (rest > 0))

    def __str__(self) -> str:
        return "\n".join(self.messages)


class UnknownNameError(RuleError):
    """Names in a user's rules that exist nowhere: to go on is to decide without these rules."""

    exit_code = 2


class WeightsError(RuleError):
    """Weights that add up to more than clingo can count."""


class AnswerError(RuleError):
    """The atoms that rules show for a pair are no answer; ``atoms`` may be at fault."""

    def __init__(self, found: str, atoms: Iterable[Ground], expected: str) -> None:
        hint = "Correct the rules or the #show statements behind it"
        super().__init__(found, expected=expected, hint=hint)
        self.atoms = tuple(dict.fromkeys(atoms))

    def __reduce__(self) -> tuple[object, ...]:
        """Workers send it unchanged."""
        return type(self), (self.found, self.atoms, self.expected), self.__dict__


class ResourceError(IstsError):
    """A model, lexicon or rule directory that is not where it should be."""


class TraceError(IstsError):
    """A trace that does not account for its answer: nothing in it can be relied on."""


class SolveError(IstsError):
    """A pair for which no answer was found."""


class UnsatisfiableError(SolveError):
    """The rules admit no answer set for a pair."""


class TimeLimitError(SolveError):
    """No answer set was found within the time limit."""


class MemoryLimitError(SolveError):
    """A pair took all memory that there was."""


T = TypeVar("T")

MOST = 2**31 - 1  # the largest integer of clingo: weight, or sum of weights
_QUOTED = 500  # characters of a message of clingo's that are shown
_UNSAFE_RULE = re.compile(r"(?P<where>.+?:\d+:\d+)-[\d:]+: error: unsafe variables")
UNSAFE = re.compile(r":(\d+):(\d+)-[\d:]+: note: '(.+?)' is unsafe")
"""Line, byte and name of an unsafe variable, in a message of clingo."""


@contextmanager
def inside(subject: Subject) -> Iterator[None]:
    """Turn whatever is raised about a pair into an error of ours that names it."""
    # That of a library is a RuleError: it has met something that it cannot take.
    where = of_pair(subject.id)
    try:
        yield
    except IstsError as error:
        if not isinstance(error, UsageError):
            error.where = error.where or where
        raise
    except MemoryError:
        hint = "Simplify the rules, or allow more memory"
        raise MemoryLimitError("no memory is left", where=where, hint=hint) from None
    except RecursionError:
        raise too_deep(where) from None
    except (RuntimeError, OverflowError) as error:
        # Clingo's exceptions.
        rule_error = clingo_error("decide by", str(error) or type(error).__name__)
        rule_error.where = where
        raise rule_error from error
    except OSError:
        # No rule's fault: too many open files, a full disk.
        raise
    except Exception as error:
        fault = f"{type(error).__name__}: {shortened(str(error))}".removesuffix(": ")
        found = f"what the rules derive cannot be read: {fault}"
        hint = "Look for terms of an odd kind; if no rule is yours, please report this"
        raise RuleError(found, where=where, hint=hint) from error


def unless_it_fails(work: Callable[[], T | None]) -> T | None:
    """Do some optional work; return None if clingo or a reader fails."""
    # Where several pairs are worked on, each alone then says what is wrong, and with which of them.
    try:
        return work()
    except Exception:
        return None


def too_deep(where: str | None = None) -> RuleError:
    """The error for what Python cannot walk through."""
    found = "a rule or a term is nested too deeply"
    return RuleError(found, where=where, hint="Break up its terms")


def too_late(seconds: float, noun: str = "answer") -> TimeLimitError:
    """The error for a pair that has met its time limit."""
    hint = "Allow more time, or simplify the rules"
    return TimeLimitError(f"no {noun} within {seconds:g} s", hint=hint)


def unsafe(text: str) -> tuple[str, str]:
    """Clingo's message about unsafe variables in short, and a hint."""
    names = dict.fromkeys("_" if name[0] == "#" else name for *_, name in UNSAFE.findall(text))
    subject, pronoun = ("variables are", "each") if len(names) > 1 else ("variable is", "it")
    return (
        f"the {subject} unsafe: {shortened(', '.join(names))}",
        f"Use {pronoun} in an atom of the body that is neither negated nor in an aggregate"
        + ("" if "_" in names else ", or write _ where only negated atoms have it"),
    )


def clingo_error(doing: str, text: str, names: Mapping[str, str] | None = None) -> RuleError:
    """The error for something that clingo could not do; ``names`` has files' names by path."""
    for path, name in (names or {}).items():
        text = text.replace(f"{path}:", f"{name}:")
    if any(words in text for words in ("too large", "overflow", "out of range")):
        found = f"arithmetic overflow: weights add up to more than clingo can count, {MOST}"
        return WeightsError(found, hint="Take smaller weights in #minimize, #maximize and #sum")
    if (match := _UNSAFE_RULE.search(text)) is not None:
        found, hint = unsafe(text)
        return RuleError(f"{match['where']}: {found}", hint=hint)
    found = f"clingo cannot {doing} the rules: {shortened(' '.join(text.split()), _QUOTED)}"
    return RuleError(found, hint="Correct the rule named in the message")
