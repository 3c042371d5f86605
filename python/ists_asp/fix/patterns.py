"""Conditions that two spans of a pair meet, from the narrowest to the widest.

They are generalised upwards from the words: their forms, their lemmas, one lemma and how the other
word is like it, only how they are alike and their tags (the least general generalisation of
Plotkin 1970, in four steps).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from ists_asp import vocabulary as v
from ists_asp.engine import SolvedAnswer
from ists_asp.resources import rules_dir

WORD, LEMMA, TAG = v.WORD.name, v.LEMMA.name, v.UPOS.name
SCOPES = ("these words", "these lemmas", "{} and words like it", "all such words")
PLACES = (("1", "X", "I"), ("2", "Y", "J"))
"""Sentence, span and token of both sides in a rule."""
_LIKE = {"propn": "noun", "aux": "verb"}  # tags whose words may mean what those of others mean
_TURNED = {"hypernym": "hyponym", "place_in": "place_of"}  # how the sentences swapped are alike
_TURNED |= {there: here for here, there in _TURNED.items()}


@dataclass(frozen=True, slots=True)
class Pattern:
    """The conditions on two spans."""

    name: str
    says: str  # a sentence that is true where they are met
    # On the words of each span, by predicate and argument, next to one another.
    sides: tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]
    scope: str
    step: int
    between: tuple[str, str] = ("", "")  # a condition on the last words of both, and if swapped

    def bodies(self) -> Iterator[str]:
        """The conditions, and those with the sentences swapped if they are others."""
        ways = zip((self.sides, self.sides[::-1]), self.between, strict=True)
        yield from dict.fromkeys(self._body(sides, between) for sides, between in ways)

    @staticmethod
    def _body(sides: Sequence[Sequence[tuple[str, str]]], between: str) -> str:
        parts, lacks = [], []
        for conditions, other, (side, span, token) in zip(sides, sides[::-1], PLACES, strict=True):
            within = f"span_token({side},{span},{token})"
            parts += [within] * bool(conditions or between)
            for place, (predicate, value) in enumerate(conditions):
                at = f"{token}+{place}" if place else token
                parts.append(f"{predicate}({side},{at},{value})")
            # What only the other side has is nowhere on this one; tags both may have.
            shared = other and (other[0] in conditions or (conditions and other[0][0] == TAG))
            if other and not between and not shared:
                at = "K" if conditions else token
                lack = f"not {other[0][0]}({side},{at},{other[0][1]})"
                lacks.append(f"{lack} : span_token({side},{span},{at})")
        return "; ".join((", ".join((*parts, *filter(None, [between]))), *lacks))


class Words:
    """The words of a pair, as a trace has them, and what they have in common."""

    def __init__(self, answer: SolvedAnswer) -> None:
        self._answer, self._trace = answer, answer.trace()
        self.values = {
            predicate.name: {
                (atom.arguments[0].number, atom.arguments[1].number): str(atom.arguments[2])
                for atom in self._trace.atoms(predicate.name)
            }
            for predicate in (v.WORD, v.LEMMA, v.UPOS)
        }
        content = (atom.arguments for atom in self._trace.atoms("content"))
        self._content = {(side.number, token.number) for side, token in content}
        heads = (atom.arguments for atom in self._trace.atoms("head"))
        self._heads = {(side.number, token.number) for side, _, token in heads}

    def phrases(self, side: int, among: Set[int], *, longer: bool) -> Iterator[tuple[range, str]]:
        """Phrases of some words, with their kinds: parts of chunks, and verbs with the next part.

        What is ``longer`` is all from a verb to the end of the sentence, and all that follows it.
        """
        tags = self.values[TAG]
        chunks = (
            [at for at in chunk.tokens if at in among and (side, at) in self._content]
            for chunk in self._answer.chunks[side - 1]
        )
        parts = [*filter(None, chunks), []]
        said = (at for (of, at), tag in tags.items() if of == side and tag != "punct")
        end = max(said, default=0) + 1
        for part, after in pairwise(parts):
            kind = _LIKE.get(tags[side, part[0]], tags[side, part[0]])
            yield range(part[0], part[-1] + 1), kind
            if kind == "verb" and after:
                yield range(part[0], after[-1] + 1), kind
            if longer and kind == "verb" and part[-1] + 1 < end:
                yield range(part[0], end), kind
                yield range(part[-1] + 1, end), ""

    def apart(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> tuple[list[int], list[int]]:
        """The words that two sides do not share, by lemmas; all words where they share all."""
        unshared = self.unshared(tokens1, tokens2)
        tells = [
            [at for at in of if (side, at) in self._content] for side, of in enumerate(unshared, 1)
        ]
        spans = ([*range(of[0], of[-1] + 1)] if of else [] for of in tells)
        parts = [*spans] if any(tells) else unshared
        return (parts[0], parts[1]) if any(parts) else ([*tokens1], [*tokens2])

    def unshared(self, *spans: Sequence[int]) -> list[list[int]]:
        """The words of each side whose lemmas the other has not."""
        lemmas = [
            {at: self.values[LEMMA].get((side, at)) for at in of}
            for side, of in enumerate(spans, 1)
        ]
        others = [{*of.values()} for of in reversed(lemmas)]
        return [
            [at for at, lemma in of.items() if lemma not in other]
            for of, other in zip(lemmas, others, strict=True)
        ]

    def text(self, of: str, side: int, tokens: Sequence[int]) -> str:
        """The forms, lemmas or tags of some tokens."""
        return " ".join(self.values[of].get((side, at), "").strip('"') for at in tokens)

    def patterns(self, *spans: Sequence[int]) -> Iterator[Pattern]:
        """The conditions that two spans meet, from narrow to wide."""
        apart = self.apart(*spans)
        phrases = {
            tuple(self.text(of, side, at) for side, at in enumerate(apart, 1)): (step, of)
            for step, of in enumerate((WORD, LEMMA))
        }
        for step, of in phrases.values():
            yield self._phrase(of, apart, step)
        heads = [
            next((at for at in reversed(tokens) if (side, at) in self._heads), tokens[-1])
            for side, tokens in enumerate(apart if all(apart) else spans, 1)
        ]
        if not all(apart):
            # Where one side has what the other lacks each of its words may be what tells, or tags.
            for at in {*apart[0], *apart[1]} if len(apart[0]) + len(apart[1]) > 1 else ():
                yield self._phrase(LEMMA, [[at] if at in side else [] for side in apart], 1)
            yield self._phrase(TAG, apart, 3)
            yield from self._added(apart, spans)
        lemmas, tags = (
            [self._said_at(of, at) for at in enumerate(heads, 1)] for of in (LEMMA, TAG)
        )
        words = [lemma.strip('"') for _, lemma in lemmas]
        if not all(words) or words[0] == words[1]:
            return
        if [[at] for at in heads] != [*apart]:
            yield self._phrase(LEMMA, [[at] for at in heads], 1)
        alike = (atom.arguments for atom in self._trace.atoms("alike"))
        kinds = [str(kind) for one, two, kind, _ in alike if [one.number, two.number] == heads]
        both, (tag1, tag2) = ([tags[0]], [tags[1]]), (tag for _, tag in tags)
        for kind in dict.fromkeys(kinds):
            between = f"alike(I,J,{kind},_)", f"alike(I,J,{_TURNED.get(kind, kind)},_)"
            for word, sides in zip(words, (([lemmas[0]], []), ([], [lemmas[1]])), strict=True):
                says = f"‘{word}’ and a word like it ({kind})"
                scope = SCOPES[2].format(f"‘{word}’")
                yield Pattern(name_of(word, kind), says, sides, scope, 2, between)
            says = f"words with the tags {tag1} and {tag2} are alike ({kind})"
            yield Pattern(name_of(tag1, tag2, kind), says, both, SCOPES[3], 3, between)
        for place, where in ((-1, "after"), (1, "before")):
            beside = [self._said_at(LEMMA, (side, at + place)) for side, at in enumerate(heads, 1)]
            if beside[0] == beside[1] and beside[0][1]:
                says = f"words with the tags {tag1} and {tag2} {where} the same word"
                near = f"lemma(1,I{place:+},L), lemma(2,J{place:+},L)"
                name = name_of(tag1, tag2, where, "the_same")
                yield Pattern(name, says, both, SCOPES[3], 3, (near, near))
        if not kinds:
            says = f"words with the tags {tag1} and {tag2}"
            yield Pattern(name_of(tag1, tag2), says, both, SCOPES[3], 3)

    def _added(
        self, apart: Sequence[Sequence[int]], spans: Sequence[Sequence[int]]
    ) -> Iterator[Pattern]:
        """The condition that one side has a word of a tag beside what both have."""
        if sum(map(len, apart)) != 1:
            return
        side = 1 if apart[0] else 2
        ((at,),) = filter(None, apart)
        tag, lemmas = self._said_at(TAG, (side, at)), self.values[LEMMA]
        others = {lemmas.get((3 - side, other)) for other in spans[2 - side]}
        for place, where in ((-1, "after"), (1, "before")):
            if at + place in spans[side - 1] and lemmas.get((side, at + place)) in others:
                ways = [
                    f"lemma({one},{i}{place:+},L), lemma({two},{j},L), lemma({one},{i},M), "
                    f"not lemma({two},{j}{-place:+},M), not upos({two},{j}{-place:+},{tag[1]})"
                    for (one, _, i), (two, _, j) in (PLACES, PLACES[::-1])[:: 3 - 2 * side]
                ]
                says = f"only one side has a word tagged {tag[1]} {where} one that both have"
                name = name_of(tag[1], where, "a_shared_word")
                sides = ([tag], []) if side == 1 else ([], [tag])
                yield Pattern(name, says, sides, SCOPES[3], 3, (ways[0], ways[1]))

    def _said_at(self, of: str, at: tuple[int, int]) -> tuple[str, str]:
        return of, self.values[of].get(at, "")

    def _phrase(self, of: str, tokens: Sequence[Sequence[int]], step: int) -> Pattern:
        """The condition that a side, or each, has some words."""
        texts = [self.text(of, side, at) for side, at in enumerate(tokens, 1)]
        quote = "words tagged {}" if of == TAG else "‘{}’"
        quotes = [quote.format(text) for text in texts if text]
        says = "{} on one side, {} on the other" if all(texts) else "only one side has {}"
        listed = [
            [(of, value) for at in places if (value := self.values[of].get((side, at)))]
            for side, places in enumerate(tokens, 1)
        ]
        named = name_of(*filter(None, texts)), says.format(*quotes)
        return Pattern(*named, (listed[0], listed[1]), SCOPES[step], step)


def name_of(*parts: str) -> str:
    """A name for rules and a file, of the letters of some texts."""
    plain = unicodedata.normalize("NFKD", "_".join(parts)).encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "_", plain.lower()).strip("_")[:60].rstrip("_")
    name = name if name[:1].isalpha() else f"n{name}"
    # A file of a shipped one's name would take its place.
    return f"{name}_words" if name in _shipped_names() else name


@cache
def _shipped_names() -> frozenset[str]:
    return frozenset(path.stem for path in rules_dir().rglob("*.lp"))
