"""From a pair and what is known about its words to ASP facts.

This is the only module that knows how a Python value becomes an ASP term. The
vocabulary is documented in ``asp/input.lp``, that of answers in ``asp/lines.lp``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clingo import Function, Number, String, Symbol

from ists_asp.errors import DataError, of_pair
from ists_asp.syntax.ground import Atoms, symbols
from ists_asp.vocabulary import (
    ACRONYM,
    CHUNKED,
    CLASS,
    DECIMAL,
    GIVEN_BOUNDARY,
    GLUED,
    INITIALS,
    LANGUAGE,
    LETTERS_SHARED,
    LINE,
    LINE_SURE,
    LINE_TAG,
    LINE_TOKEN,
    MEASURE,
    MULTIWORD,
    NEAR,
    NEARNESS,
    NEARNESS_IN_CONTEXT,
    NORM,
    NUMERAL,
    PART,
    PREFIXED,
    PRODUCT,
    READER_BOUNDARY,
    READER_LABEL,
    READER_LINK,
    READER_RATING,
    READER_SCORE,
    READER_SPAN,
    RELATION,
    SPELLING,
    STEM,
    TOKEN,
    VERB_USAGE,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ists_asp.knowledge.nearness import Nearness, Norm, Product
    from ists_asp.knowledge.pair_knowledge import PairKnowledge
    from ists_asp.knowledge.reader import Opinions, Span
    from ists_asp.model import Answer, Pair, Sentence

_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")
_NOT_CONSTANT = re.compile(r"[^a-z0-9_]+")


def constant(name: str) -> Symbol:
    """A tag or class name as an ASP constant: ``PRP$`` is ``prp_s``, ``,`` is ``punct``."""
    text = _NOT_CONSTANT.sub("_", name.lower().replace("$", "_s")).strip("_")
    if not text:
        return Function("punct")
    return Function(text if text[0].isalpha() else f"x{text}")


def pair_facts(pair: Pair, knowledge: PairKnowledge, language: str) -> Atoms:
    """All facts of an annotated pair, in a fixed order and without repetition.

    Raises:
        DataError: a token has not been annotated, or has a character that clingo cannot take.
    """
    facts = [LANGUAGE(constant(language))]
    for number, sentence in ((1, pair.sent1), (2, pair.sent2)):
        facts.extend(_sentence_facts(pair, number, sentence))
    if pair.sent1.chunks is not None and pair.sent2.chunks is not None:
        facts.append(CHUNKED())
    facts.extend(_knowledge_facts(knowledge))
    runs = _Runs.of(pair)
    nearness = _nearness_facts(knowledge.nearness, runs)
    return Atoms.of(dict.fromkeys(facts)).with_text(",".join(nearness))


def line_facts(answer: Answer) -> Iterator[Symbol]:
    """The facts of an answer, for what is decided about it: its explanation and its rating."""
    for number, line in enumerate(answer.alignments, start=1):
        key = Number(number)
        yield LINE(key, Function(line.label.lower()), Number(round(line.score or 0)))
        for tag in sorted(line.tags):
            yield LINE_TAG(key, Function(tag.lower()))
        if line.confidence is not None:
            for name, share in (
                ("alignment", line.confidence.alignment),
                ("label", line.confidence.label),
            ):
                if share is not None:
                    yield LINE_SURE(key, Function(name), Number(round(100 * share)))
        for side, tokens in ((1, line.tokens1), (2, line.tokens2)):
            for token in tokens:
                yield LINE_TOKEN(key, Number(side), Number(token))


def facts_text(facts: Iterable[Symbol]) -> str:
    """The facts as a program for plain clingo, one on each line."""
    return "".join(f"{fact}.\n" for fact in facts)


def _sentence_facts(pair: Pair, number: int, sentence: Sentence) -> Iterator[Symbol]:
    side = Number(number)
    for token in sentence.tokens:
        index = Number(token.index)
        if _UNSPEAKABLE.search(token.form):
            raise DataError(
                f"token {token.index} ({token.form!r}) of sentence {number} has a character that "
                "no string of clingo can have",
                where=of_pair(pair.id),
                hint="Remove null characters and halves of surrogate pairs",
            )
        yield TOKEN(side, index, String(token.form))
        if not token.words:
            raise DataError(
                f"token {token.index} ({token.form!r}) of sentence {number} has no annotation",
                where=of_pair(pair.id),
                expected="tags and lemmas for every token",
                hint="Annotate the pair before its facts are made",
            )
        for place, word in enumerate(token.words, start=1):
            yield PART(
                side,
                index,
                Number(place),
                String(word.form.lower()),
                String(word.lemma.lower()),
                constant(word.upos),
                constant(word.xpos),
            )
    for chunk in sentence.chunks or ():
        yield GIVEN_BOUNDARY(side, Number(chunk.first))


def _knowledge_facts(knowledge: PairKnowledge) -> Iterator[Symbol]:
    for relation in knowledge.relations:
        lemmas = [String(relation.lemma1), String(relation.lemma2)]
        yield RELATION(constant(relation.kind), *lemmas, Number(relation.distance))
    for entry in knowledge.classes:
        yield CLASS(String(entry.lemma), constant(entry.name))
    for usage in knowledge.verbs:
        yield VERB_USAGE(String(usage.lemma), Number(usage.percent))
    for spelling in knowledge.spellings:
        words = [String(spelling.word1.lower()), String(spelling.word2.lower())]
        yield SPELLING(*words, Number(spelling.similarity))
    for stem in knowledge.stems:
        place = [Number(stem.sentence), Number(stem.token)]
        yield STEM(*place, String(stem.stem))
    if knowledge.shared_letters:
        yield LETTERS_SHARED(Number(knowledge.shared_letters))
    for glued in knowledge.glued:
        numbers = (glued.sentence, glued.token, glued.first)
        yield GLUED(*map(Number, numbers))
    for found in knowledge.prefixed:
        yield PREFIXED(String(found.word), String(found.rest), String(found.prefix))
    for numeral in knowledge.numerals:
        place = [Number(numeral.sentence), Number(numeral.token)]
        yield NUMERAL(*place, String(numeral.value))
    for measure in knowledge.measures:
        place = [Number(measure.sentence), Number(measure.token)]
        yield MEASURE(*place, String(measure.value), String(measure.unit))
    for decimal in knowledge.decimals:
        yield DECIMAL(String(decimal.value), String(decimal.number), Number(decimal.zeros))
    for acronym in knowledge.acronyms:
        place = [Number(acronym.sentence), Number(acronym.token)]
        yield ACRONYM(*place, String(acronym.letters))
    for initials in knowledge.initials:
        numbers = (initials.sentence, initials.first, initials.last)
        place = [Number(number) for number in numbers]
        yield INITIALS(*place, String(initials.letters))
    for multiword in knowledge.multiwords:
        numbers = (multiword.sentence, multiword.first, multiword.last)
        place = [Number(number) for number in numbers]
        yield MULTIWORD(*place, String(multiword.lemma))


@dataclass(frozen=True, slots=True)
class _Runs:
    """Which runs of tokens rules can ask about.

    Where chunks are given, ``first`` has for each sentence and token the first token of its
    chunk, ``last`` the sentences and tokens at which chunks end, and a run is a token or made of
    whole chunks; otherwise any run may become one.
    """

    first: Mapping[tuple[int, int], int] = field(default_factory=dict)
    last: frozenset[tuple[int, int]] = frozenset()

    @classmethod
    def of(cls, pair: Pair) -> _Runs:
        """The runs of a pair."""
        if pair.sent1.chunks is None or pair.sent2.chunks is None:
            return cls()
        chunks = [(1, chunk) for chunk in pair.sent1.chunks]
        chunks += [(2, chunk) for chunk in pair.sent2.chunks]
        return cls(
            {(number, token): chunk.first for number, chunk in chunks for token in chunk.tokens},
            frozenset((number, chunk.last) for number, chunk in chunks),
        )

    def products(self, products: Iterable[Product]) -> Iterator[tuple[int, int, int]]:
        """Tokens of both sentences and their inner products; those of chunks are summed."""
        if not self.first:
            return ((one.token1, one.token2, one.value) for one in products)
        sums: Counter[tuple[int, int]] = Counter()
        for one in products:
            place1 = self.first.get((1, one.token1), one.token1)
            place2 = self.first.get((2, one.token2), one.token2)
            sums[place1, place2] += one.value
        return ((*places, value) for places, value in sums.items() if value)

    def norms(self, norms: Iterable[Norm]) -> Iterator[Norm]:
        """The lengths of the runs that may be asked about."""
        if not self.first:
            return iter(norms)
        return (
            norm
            for norm in norms
            if norm.first == norm.last
            or (
                self.first[norm.sentence, norm.first] == norm.first
                and (norm.sentence, norm.last) in self.last
            )
        )


def opinion_facts(opinions: Opinions) -> list[Symbol]:
    """The facts of what the reader holds about a pair."""
    atoms = [
        f"{READER_BOUNDARY.name}({one.sentence},{one.token},{','.join(map(str, one.begins))})"
        for one in opinions.boundaries
    ]
    atoms += [
        f"{READER_SPAN.name}({sentence},{first},{last})"
        for sentence, (first, last) in opinions.spans
    ]
    for link in opinions.links:
        spans = f"{_tokens(link.span1)},{_tokens(link.span2)}"
        atoms.append(f"{READER_LINK.name}({spans},{','.join(map(str, link.aligned))})")
        atoms += [
            f"{READER_LABEL.name}({spans},{label},{','.join(map(str, opinion))})"
            for label, opinion in link.labels
        ]
        if link.score is not None:
            atoms.append(f"{READER_SCORE.name}({spans},{link.score})")
    if opinions.rating is not None:
        atoms.append(f"{READER_RATING.name}({opinions.rating})")
    if opinions.nearness is not None:
        atoms.append(f"{NEARNESS_IN_CONTEXT.name}({opinions.nearness})")
    return symbols(atoms)


def _tokens(span: Span) -> str:
    return f"tokens({','.join(str(token) for run in span for token in run)})"


def _nearness_facts(nearness: Nearness, runs: _Runs) -> list[str]:
    atoms = [f"{NEAR.name}({near.token1},{near.token2},{near.percent})" for near in nearness.near]
    atoms += [
        f"{PRODUCT.name}({first},{second},{value})"
        for first, second, value in runs.products(nearness.products)
    ]
    atoms += [
        f"{NORM.name}({norm.sentence},{norm.first},{norm.last},{norm.value})"
        for norm in runs.norms(nearness.norms)
    ]
    if nearness.whole is not None:
        atoms.append(f"{NEARNESS.name}({nearness.whole})")
    return atoms
