"""The predicates that Python shares with the rules of ``asp/``, and the facts of a pair in them.

Only a comment ``%*! name(Arguments) … *%`` declares a predicate. Its argument names are types: S is
a sentence, I and J are tokens, C is a chunk, X and Y are spans; :data:`KINDS` has all that are more
than a number or a text. Comments are read on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal, NoReturn, TypeAlias, get_args

from clingo import Function, Symbol

from ists_asp.errors import DataError, of_pair
from ists_asp.model import Answer, Pair, Sentence, Token, straight
from ists_asp.resources import asp_dir
from ists_asp.syntax.ground import Atoms, quoted
from ists_asp.syntax.trees import Signature

_SIGNATURE = re.compile(r"^%\*! (\S+)$", re.MULTILINE)
_DOC = re.compile(r"^%\*! (\S.*?)\n(.*?)^\*%$", re.MULTILINE | re.DOTALL)
_ARGUMENT = re.compile(r"^ {4}(\S.*?): (.*(?:\n {5,}.*)*)", re.MULTILINE)
_LISTED = re.compile(r"([a-z]\w*)(?: \([^)]*\))?(?:,? or |, |$)")  # a constant, maybe explained
_TARGET = re.compile(r"\b\w+\([A-Z](?:,[A-Z])*\)")
_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")
_NOT_CONSTANT = re.compile(r"[^a-z0-9_]+")

KINDS = {
    name: kind
    for kind, names in {
        "sentence": "S R",
        "token": "I J Last Neighbour",
        "chunk": "C",
        "span": "X Y",
        "word": "Word Word1 Word2 Lemma Lemma1 Lemma2 Rest Words OtherWords",
        "label": "L",
        "tag": "Upos",
        "relation": "Relation",
        "class": "Class",
        "language": "Code",
        "difference": "Aspect",
        "score": "Score LowerScore",
        "sense": "Sense",
    }.items()
    for name in names.split()
}
"""Names of arguments, and what they stand for.

Tokens, chunks and spans are of the sentence S, and Neighbour of the other one; without S, and where
there are X and Y, the first is of sentence 1 and the second of sentence 2.
"""

Meaning: TypeAlias = tuple[str, int | tuple[str, int]]
"""The kind of an argument, and the sentence that it is of.

That is a number, 0 for none, or ``("is", K)`` or ``("other", K)`` where argument K has it.
"""


def meanings(arguments: Sequence[str]) -> list[Meaning | None]:
    """The meaning of each of the arguments of a predicate by their names."""

    def meaning(argument: str) -> Meaning | None:
        kind = KINDS.get(argument)
        if kind not in ("token", "chunk", "span"):
            return None if kind is None else (kind, 0)
        if "S" not in arguments or {"X", "Y"} <= {*arguments}:
            return kind, 2 if argument in ("J", "Y") else 1
        return kind, ("other" if argument == "Neighbour" else "is", arguments.index("S"))

    return [*map(meaning, arguments)]


@dataclass(frozen=True)
class Predicate:
    """A predicate of a name: called with symbols, it gives an atom."""

    name: str

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The names of its arguments, as its comment has them."""
        names = _arguments().get(self.name)
        return _targets()[self.name] if names is None else names

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.arguments)

    @cached_property
    def signature(self) -> Signature:
        """Name and arity."""
        return Signature(self.name, len(self.arguments))

    @property
    def meanings(self) -> list[Meaning | None]:
        """The meaning of each argument, None for a number or a text."""
        return meanings(self.arguments)

    def __call__(self, *arguments: Symbol) -> Symbol:
        """An atom."""
        return Function(self.name, arguments)

    def text(self, *terms: str | int) -> str:
        """An atom as clingo writes it, of terms that are written so."""
        return f"{self.name}({','.join(map(str, terms))})"

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


@dataclass(frozen=True, slots=True)
class Doc:
    """The documentation of a predicate: ``signature`` as written, ``name`` as ``token/3``."""

    signature: str
    name: str
    text: str
    arguments: tuple[tuple[str, str], ...]


def documented(text: str) -> Iterator[Doc]:
    """The documentation of predicates in the text of a rule file."""
    for signature, body in _DOC.findall(text):
        name, arguments = signature_parts(signature)
        about, _, listed = body.partition("Args:\n")
        described = ((key, " ".join(sense.split())) for key, sense in _ARGUMENT.findall(listed))
        yield Doc(signature, f"{name}/{len(arguments)}", " ".join(about.split()), tuple(described))


def signature_parts(signature: str) -> tuple[str, tuple[str, ...]]:
    """Name and arguments of a predicate as its comment has them."""
    name, _, arguments = signature.removesuffix(")").partition("(")
    return name, tuple(arguments.split(",")) if arguments else ()


@cache
def _arguments() -> Mapping[str, tuple[str, ...]]:
    texts = (file.read_bytes().decode() for file in sorted(asp_dir().glob("*.lp")))
    signatures = (signature for text in texts for signature in _SIGNATURE.findall(text))
    return dict(map(signature_parts, signatures))


@cache
def listed_constants() -> Mapping[str, tuple[str, ...]]:
    """The constants that comments list for arguments of :data:`KINDS`, by the arguments' names."""
    docs = (doc for file in asp_dir().glob("*.lp") for doc in documented(file.read_text("utf-8")))
    arguments = ((name, text) for doc in docs for name, text in doc.arguments if name in KINDS)
    lists = ((name, text) for name, text in arguments if " or " in text)
    return {name: tuple(_LISTED.findall(text)) for name, text in lists if not _LISTED.sub("", text)}


@cache
def _targets() -> Mapping[str, tuple[str, ...]]:
    docs = documented((asp_dir() / "weights.lp").read_text("utf-8"))
    (targets,) = (dict(doc.arguments)["Target"] for doc in docs if doc.name == "evidence/3")
    return dict(signature_parts(match[0]) for match in _TARGET.finditer(targets))


@cache
def all_predicates() -> tuple[Predicate, ...]:
    """All predicates that comments of ``asp/`` document."""
    return tuple(map(Predicate, _arguments()))


@cache
def targets() -> Mapping[str, Predicate]:
    """The terms that evidence can be about, the first argument of ``evidence/3``, by name."""
    return {name: Predicate(name) for name in _targets()}


def fact(name: str, *terms: str | int) -> str:
    """A fact as clingo writes it, of terms that are written so."""
    if len(terms) != len(_arguments()[name]):
        raise ValueError(f"{name} has the arguments {_arguments()[name]}, got {terms}")
    return Predicate(name).text(*terms)


@lru_cache(1 << 10)
def constant(name: str) -> str:
    """A tag or class name as an ASP constant: ``PRP$`` is ``prp_s``, ``,`` is ``punct``."""
    text = _NOT_CONSTANT.sub("_", name.lower().replace("$", "_s")).strip("_")
    if not text:
        return "punct"
    return text if text[0].isalpha() else f"x{text}"


def pair_facts(pair: Pair, knowledge: Iterable[str], language: str) -> Atoms:
    """All facts of an annotated pair, in a fixed order."""
    facts = [fact("language", constant(language))]
    for number, sentence in enumerate(pair.sentences, 1):
        facts.extend(_sentence_facts(pair, number, sentence))
    if pair.sent1.chunks is not None and pair.sent2.chunks is not None:
        facts.append("chunked")
        if any(chunk.line is not None for chunk in pair.sent1.chunks + pair.sent2.chunks):
            facts.append("linked")
    facts.extend(knowledge)
    return Atoms(f"({','.join(facts)},)")


def line_facts(answer: Answer) -> Iterator[str]:
    """The facts of an answer, for what is decided about it: its explanation and its rating."""
    for number, line in enumerate(answer.alignments, start=1):
        yield fact("line", number, line.label.lower(), round(line.score or 0))
        for tag in sorted(line.tags):
            yield fact("line_tag", number, tag.lower())
        if line.granted:
            yield fact("line_granted", number)
        for name in ("alignment", "label"):
            share = getattr(line.confidence, name, None)
            if share is not None:
                yield fact("line_confidence", number, name, round(100 * share))
        for side, tokens in enumerate(line.sides, 1):
            for token in tokens:
                yield fact("line_token", number, side, token)


def facts_text(facts: Iterable[Symbol]) -> str:
    """The facts as a program for plain clingo, one on each line."""
    return "".join(f"{fact}.\n" for fact in facts)


def _sentence_facts(pair: Pair, number: int, sentence: Sentence) -> Iterator[str]:
    def refuse(token: Token, found: str, hint: str, expected: str | None = None) -> NoReturn:
        found = f"token {token.index} ({token.form!r}) of sentence {number} has {found}"
        raise DataError(found, where=of_pair(pair.id), expected=expected, hint=hint)

    for token in sentence.tokens:
        if _UNSPEAKABLE.search(token.form):
            hint = "Remove null characters and halves of surrogate pairs"
            refuse(token, "a character that no string of clingo can have", hint)
        yield fact("token", number, token.index, quoted(token.form))
        if not token.words:
            hint = "Annotate the pair before its facts are made"
            refuse(token, "no annotation", hint, "tags and lemmas for every token")
        for place, word in enumerate(token.words, start=1):
            texts = quoted(straight(word.form.lower())), quoted(word.lemma.lower())
            tags = constant(word.upos), constant(word.xpos)
            yield fact("part", number, token.index, place, *texts, *tags)
    for chunk in sentence.chunks or ():
        yield fact("given_boundary", number, chunk.first)
        if chunk.line:
            yield fact("given_link", number, chunk.first, chunk.line)


def __getattr__(name: str) -> Predicate:
    """The predicate of a constant's name: ``TOKEN_COUNT`` is ``token_count``."""
    # That a comment documents it is not looked up here, which would take time at each start.
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    predicate = globals()[name] = Predicate(name.lower())
    return predicate


WEIGHTS = (Predicate("weight"), Predicate("correction"))
"""The predicates of rule files that weigh evidence, by the sum of both."""

BASES = {"boundary": "any_two_tokens", "align": "any_pair", "label": "any_link"}
"""The evidence that there is for every decision of a kind: where its sum begins."""

Verdict: TypeAlias = Literal["correct", "incomplete", "contradictory", "irrelevant", "no_answer"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
POINT_STATES = ("contradicted", "found", "missing")
"""States of a point of a model answer."""
