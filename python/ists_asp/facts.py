"""From a pair and what is known about its words to ASP facts (``asp/input.lp``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from clingo import Symbol

from ists_asp import vocabulary as v
from ists_asp.errors import DataError, of_pair
from ists_asp.syntax.ground import Atoms, quoted

if TYPE_CHECKING:
    from ists_asp.model import Answer, Pair, Sentence, Token

_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")
_NOT_CONSTANT = re.compile(r"[^a-z0-9_]+")


@lru_cache(1 << 10)
def constant(name: str) -> str:
    """A tag or class name as an ASP constant: ``PRP$`` is ``prp_s``, ``,`` is ``punct``."""
    text = _NOT_CONSTANT.sub("_", name.lower().replace("$", "_s")).strip("_")
    if not text:
        return "punct"
    return text if text[0].isalpha() else f"x{text}"


def pair_facts(pair: Pair, knowledge: Iterable[str], language: str) -> Atoms:
    """All facts of an annotated pair, in a fixed order."""
    facts = [v.fact("language", constant(language))]
    for number, sentence in ((1, pair.sent1), (2, pair.sent2)):
        facts.extend(_sentence_facts(pair, number, sentence))
    if pair.sent1.chunks is not None and pair.sent2.chunks is not None:
        facts.append(v.CHUNKED.name)
    facts.extend(knowledge)
    return Atoms(f"({','.join(facts)},)")


def line_facts(answer: Answer) -> Iterator[str]:
    """The facts of an answer, for what is decided about it: its explanation and its rating."""
    for number, line in enumerate(answer.alignments, start=1):
        yield v.fact("line", number, line.label.lower(), round(line.score or 0))
        for tag in sorted(line.tags):
            yield v.fact("line_tag", number, tag.lower())
        if line.granted:
            yield v.fact("line_granted", number)
        for name in ("alignment", "label"):
            share = getattr(line.confidence, name, None)
            if share is not None:
                yield v.fact("line_confidence", number, name, round(100 * share))
        for side, tokens in ((1, line.tokens1), (2, line.tokens2)):
            for token in tokens:
                yield v.fact("line_token", number, side, token)


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
        yield v.fact("token", number, token.index, quoted(token.form))
        if not token.words:
            hint = "Annotate the pair before its facts are made"
            refuse(token, "no annotation", hint, "tags and lemmas for every token")
        for place, word in enumerate(token.words, start=1):
            texts = quoted(word.form.lower()), quoted(word.lemma.lower())
            tags = constant(word.upos), constant(word.xpos)
            yield v.fact("part", number, token.index, place, *texts, *tags)
    for chunk in sentence.chunks or ():
        yield v.fact("given_boundary", number, chunk.first)
