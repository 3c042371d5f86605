"""Conditions that two spans of a pair meet, from the narrowest to the widest.

They are generalised upwards from the words: their forms, their lemmas, one lemma and how the other
word is like it, only how they are alike and their tags (the least general generalisation of
Plotkin 1970, in four steps).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, product, zip_longest
from operator import attrgetter
from typing import NamedTuple

from ists_asp import vocabulary as v
from ists_asp.engine import SolvedAnswer
from ists_asp.resources import rules_dir

WORD, LEMMA, TAG, FORM = v.WORD.name, v.LEMMA.name, v.UPOS.name, "xpos"
STEPS = {WORD: 0, LEMMA: 1, FORM: 3, TAG: 3}
_NARROW = ("these words", "these lemmas", "{} and words like it")
SCOPES = (*_NARROW, "all such words", "all such chunks")
_BESIDE = ((-1, "after", "M"), (1, "before", "L"))
_NOUN, _REST, _PREPOSITION, _AUXILIARY = "noun", "rest", "adp", "aux"
PLACES = (("1", "X", "I"), ("2", "Y", "J"))
"""Sentence, span and token of both sides in a rule."""


class Phrase(NamedTuple):
    """Words of a side that may stand in a table."""

    tokens: range
    kind: str  # what they are: a tag; empty for what denies and is no noun
    whole: bool  # whether nothing that belongs to them is left out


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
    chance: bool = False  # these words may stand so in this pair by chance

    def bodies(self) -> Iterator[str]:
        """The conditions, and those with the sentences swapped if they are others."""
        ways = zip((self.sides, self.sides[::-1]), self.between, strict=True)
        yield from dict.fromkeys(self._body(sides, between) for sides, between in ways)

    @staticmethod
    def _body(sides: Sequence[Sequence[tuple[str, str]]], between: str) -> str:
        parts, lacks = [], []
        for conditions, other, (side, span, token) in zip(sides, sides[::-1], PLACES, strict=True):
            within = f"span_token({side},{span},{token})"
            parts += [within] * bool(conditions or re.search(rf"\b{token}\b", between))
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
            predicate: {
                (atom.arguments[0].number, atom.arguments[1].number): str(atom.arguments[2])
                for atom in self._trace.atoms(predicate)
            }
            for predicate in STEPS
        }
        self._content, self._heads, self._marks, self._denials = (
            {(of[0].number, of[-1].number) for of in map(attrgetter("arguments"), atoms)}
            for atoms in map(self._trace.atoms, ("content", "head", "punctuation", "says_none"))
        )
        self._spans = defaultdict[tuple[str, ...], set[int]](set)
        for side, span, token in (atom.arguments for atom in self._trace.atoms("span_token")):
            self._spans[str(side), str(span)].add(token.number)
        facts = (map(str, atom.arguments) for atom in self._trace.atoms(v.FOR_EDITS.name))
        self.facts = {(use, name.strip('"')): value.strip('"') for use, name, value in facts}

    def phrases(self, side: int, among: Set[int], *, longer: bool) -> Iterator[Phrase]:
        """Phrases with some words: these, chunks, and verbs with the next chunk, or ``longer``."""
        tags = self.values[TAG]
        end = max((at for of, at in tags.keys() - self._marks if of == side), default=0) + 1
        chunks = self._answer.chunks[side - 1]
        for chunk, after in zip_longest(chunks, chunks[1:]):
            named = [at for at in chunk.tokens if self._named(side, at)]
            own = [at for at in named if at in among]
            if not own:
                continue
            # A phrase within is one by itself: electrical charges, of the difference between them.
            inner = [at for at in chunk.tokens if tags.get((side, at)) == _PREPOSITION]
            begin = min((at for at in named if at > max(inner, default=0)), default=named[0])
            whole = range(begin, named[-1] + 1)
            kind, first = (self.kind(side, at) for at in (named[-1], begin))
            goes_on = ("with_next", first) in self.facts
            kind = first if goes_on else kind
            kind = kind if (side, begin) not in self._denials or kind == _NOUN else ""
            ends = after is None or ("ends", tags.get((side, after.first))) in self.facts
            yield from (Phrase(range(at, at + 1), self.kind(side, at), False) for at in own)
            yield Phrase(whole, kind, ends or not goes_on)
            if goes_on and not ends:
                yield Phrase(range(begin, after.tokens[-1] + 1), kind, True)
            if longer and goes_on and whole.stop < end:
                yield Phrase(range(begin, end), kind, True)
                noun = tags.get((side, whole.stop)) != _PREPOSITION
                yield Phrase(range(whole.stop, end), _REST, noun)

    def kind(self, side: int, at: int) -> str:
        """The tag of a word, or that of words which may mean what it does."""
        tag = self.values[TAG].get((side, at), "")
        return self.facts.get(("tag", tag), tag)

    def relation(self, one: Phrase, two: Phrase, *, same: bool) -> int:
        """How near two phrases are to mean the same or the opposite: 1 to 3, or 0 if they do not.

        Words, and phrases of nouns, are by their last words: beside the same word, or alike. Names
        have no opposites. What means the same has them in pairs: connected to plus, cut from minus.
        """
        kinds, tokens = {one.kind, two.kind}, (one.tokens, two.tokens)
        for side, sentence in enumerate(self._answer.pair.sentences, 1):
            last = tokens[side - 1][-1]
            name = ("unopposed", self.values[TAG].get((side, last))) in self.facts
            if name and not (same or sentence.tokens[last - 1].form.islower()):
                return 0
        single, heads = max(map(len, tokens)) == 1, [tokens[0][-1], tokens[1][-1]]
        if not (single or (one.whole and two.whole)) or not (
            len(kinds) == 1 or kinds == {_NOUN, _REST} or ("" in kinds and _NOUN not in kinds)
        ):
            return 0
        like = [self.likeness([*at]) for at in product(*tokens)]
        if same and sum(any(("opposes", of) in self.facts for of in kinds) for kinds in like) % 2:
            return 0
        places = [place for place, *_ in self._same_beside(heads)]
        if any(self.tells(1, heads[0] + place) for place in places):
            return 1
        denies = any(self._denials & {(side, at[0])} for side, at in enumerate(tokens, 1))
        # Of phrases that are alike, or only stand in both sentences, none tells that they oppose.
        if not (same or single or denies):
            return 0
        near = places or self.likeness(heads)
        return 2 if near else 3 * (not single and kinds != {_NOUN})

    def likeness(self, heads: Sequence[int]) -> list[str]:
        """How two words are alike."""
        alike = (atom.arguments for atom in self._trace.atoms("alike"))
        kinds = (str(kind) for one, two, kind, _ in alike if (one.number, two.number) == (*heads,))
        return [*dict.fromkeys(kinds)]

    def _beside(self, heads: Sequence[int]) -> Iterator[tuple[str, str, str]]:
        """The conditions that two words stand beside the same word, with names and sentences."""
        for place, where, of in self._same_beside(heads):
            near = f"lemma(1,I{place:+},{of}), lemma(2,J{place:+},{of})"
            yield f"{where}_the_same", f"{where} the same word", near

    def _same_beside(self, heads: Sequence[int]) -> Iterator[tuple[int, str, str]]:
        for place, where, of in _BESIDE:
            one, two = (self.said_at(LEMMA, (side, at + place)) for side, at in enumerate(heads, 1))
            if one == two and one[1]:
                yield place, where, of

    def _named(self, side: int, at: int) -> bool:
        """Whether a word may stand in a table: with a meaning of its own, or denying what has."""
        number = ("any", self.values[TAG].get((side, at))) in self.facts
        return ((side, at) in self._content and not number) or (side, at) in self._denials

    def apart(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> tuple[list[int], list[int]]:
        """The words that two sides do not share, by lemmas; all words where they share all."""
        unshared = self.unshared(tokens1, tokens2)
        tells = [
            [at for at in of if (side, at) in self._content] for side, of in enumerate(unshared, 1)
        ]
        # Where they share nothing both sides count, light words as well.
        all_of = not any(tells) or unshared == [[*tokens1], [*tokens2]]
        parts = [
            [*range(of[0], of[-1] + 1)] if of else light * all_of
            for of, light in zip(tells, unshared, strict=True)
        ]
        return (parts[0], parts[1]) if any(parts) else ([*tokens1], [*tokens2])

    def unshared(self, *spans: Sequence[int]) -> list[list[int]]:
        """The words of each side whose forms and lemmas the other has not."""
        said = [
            {
                at: {self.values[of].get((side, at), (side, at)) for of in (WORD, LEMMA)}
                for at in span
            }
            for side, span in enumerate(spans, 1)
        ]
        return [
            [at for at, texts in of.items() if not any(texts & theirs for theirs in other.values())]
            for of, other in (said, said[::-1])
        ]

    def text(self, of: str, side: int, tokens: Sequence[int]) -> str:
        """The forms, lemmas or tags of some tokens, as rules about them say."""
        said = (self.said_at(of, (side, at)) for at in tokens)
        texts = ((in_rule, value.strip('"')) for in_rule, value in said)
        return " ".join(
            value if in_rule == of else self.facts["any", value] for in_rule, value in texts
        )

    def tells(self, side: int, *tokens: int) -> bool:
        """Whether a word among some has a meaning of its own."""
        return any((side, at) in self._content for at in tokens)

    def called(self, value: str) -> str:
        """A word or tag as the sentence of a rule names it."""
        said = f"‘{value.strip(chr(34))}’" if value.startswith('"') else value
        return self.facts.get(("called", value), said)

    def entry(self, of: str, side: int, tokens: Sequence[int]) -> str:
        """The forms or lemmas of some tokens, as tables have them."""
        return " ".join(self.values[of].get((side, at), "").strip('"') for at in tokens)

    def turned(self, name: str) -> str:
        """The name that a label or kind of likeness has if the sentences are swapped."""
        return self.facts.get(("turned", name), name)

    def patterns(
        self,
        *spans: Sequence[int],
        more: int = 0,
        counterparts: bool = False,
        denied: bool = False,
        opposed: bool = False,
    ) -> Iterator[Pattern]:
        """The conditions that two spans meet, from narrow to wide; the side ``more`` says more.

        It turns on words that one side lacks, each of them or their tags: that spans are
        ``counterparts``, or this is ``denied``, on those with a meaning; labels on all but some.
        """
        apart = self.apart(*spans)
        tells = [self.tells(side, *of) for side, of in enumerate(apart, 1)]
        unshared = [*enumerate(self.unshared(*spans), 1)]
        lemmas = [self.values[LEMMA].get((side, at), "") for side, of in unshared for at in of]
        silent = all(("silent", lemma.strip('"')) in self.facts for lemma in lemmas)
        untold = not any(self.tells(side, *of) for side, of in unshared)
        if untold and not opposed:
            yield from self._forms(self.heads(spans), denied=counterparts and denied)
        if silent or (counterparts and untold):
            return
        if more and apart[more - 1] and not tells[2 - more]:
            apart[2 - more].clear()
        lone = [of if side == more or not all(apart) else [] for side, of in enumerate(apart, 1)]
        heads = self.heads(apart if all(apart) else spans)
        (lemma1, lemma2), tags = (
            [self.said_at(of, at) for at in enumerate(heads, 1)] for of in (LEMMA, TAG)
        )
        words = [self.entry(LEMMA, side, [at]) for side, at in enumerate(heads, 1)]
        differ = all(words) and words[0] != words[1]
        kinds = self.likeness(heads)
        if counterparts and denied and any(("means_the_same", of) in self.facts for of in kinds):
            yield from self._forms(heads, denied=True)
            return
        wanted: list[tuple[str, tuple[list[int], list[int]]]] = [(WORD, apart), (LEMMA, apart)]
        wanted += [(LEMMA, ([heads[0]], [heads[1]]))] * differ
        if any(lone):
            # A head in the place of another is no word that one side has more.
            replaced = heads if all(apart) else [0, 0]
            wanted += [(LEMMA, ([at], [])) for at in lone[0] if at != replaced[0]]
            wanted += [(LEMMA, ([], [at])) for at in lone[1] if at != replaced[1]]
            wanted += [(TAG, (lone[0], lone[1]))]
        phrases = {
            tuple(self.text(of, side, at) for side, at in enumerate(tokens, 1)): (of, tokens)
            for of, tokens in wanted
        }
        # Numbers, unlike heads of other kinds, unlike modifiers, one more specific than the other
        # and many words tell nothing of other pairs; unlike words are counterparts by their places.
        tagged = [self.values[TAG].get((side, at), "") for side, at in enumerate(heads, 1)]
        unlike = len({self.kind(side, at) for side, at in enumerate(heads, 1)}) > 1
        bare = not denied if counterparts else heads != self.heads(spans)
        other = not kinds and (unlike or bare)
        numbers = all(("any", tag) in self.facts for tag in tagged)
        chance = other or numbers or (bool(more) and self.kind(1, heads[0]) != _NOUN)
        most = int(self.facts.get(("chance", "words"), "0"))
        for of, tokens in phrases.values():
            # That one side lacks a word makes the other more specific, and else tells little.
            accident = chance or max(map(len, tokens)) > most if all(tokens) else not more
            yield self._phrase(of, tokens, accident)
        if counterparts and denied:
            yield from self._bare(spans)
        if not differ:
            return
        for name, where, near in self._beside(heads) if untold else ():
            named = name_of(*words, name), f"‘{words[0]}’ and ‘{words[1]}’ {where}"
            yield Pattern(*named, ([lemma1], [lemma2]), SCOPES[1], 1, (near, near))
        (_, tag1), (_, tag2) = tags
        both_tags = f"words with the tags {tag1} and {tag2}"
        both, step = ([tags[0]], [tags[1]]), 4 if counterparts and not kinds else 3
        if not (kinds or counterparts):
            yield Pattern(name_of(tag1, tag2), both_tags, both, SCOPES[4], 4)
        # Words that are alike both ways round do not tell which side is more specific.
        for kind in (of for of in kinds if not more or self.turned(of) != of):
            between = f"alike(I,J,{kind},_)", f"alike(I,J,{self.turned(kind)},_)"
            named = name_of(tag1, tag2, kind), f"{both_tags} are alike ({kind})"
            yield Pattern(*named, both, SCOPES[step], step, between)
            # Of no word all words like it are no counterparts.
            for side, conditions in enumerate(
                [[lemma1], [lemma2]] * (not (counterparts and denied)), 1
            ):
                word = self.text(LEMMA, side, [heads[side - 1]])
                named = name_of(word, kind), f"‘{word}’ and a word like it ({kind})"
                sides = (conditions, []) if side == 1 else ([], conditions)
                yield Pattern(*named, sides, SCOPES[2].format(f"‘{word}’"), 2, between)
        for name, where, near in self._beside(heads):
            named = name_of(tag1, tag2, name), f"{both_tags} {where}"
            yield Pattern(*named, both, SCOPES[step], step, (near, near))

    def _bare(self, spans: Sequence[Sequence[int]]) -> Iterator[Pattern]:
        """The condition that one span has only auxiliaries, and the other a verb as well."""
        for side, span in enumerate(spans, 1):
            of, tag = self.said_at(FORM, (3 - side, self.heads(spans)[2 - side]))
            if of != FORM or {self.values[TAG].get((side, at)) for at in span} != {_AUXILIARY}:
                continue
            bare = f"{TAG}(1,K,{_AUXILIARY}) : span_token(1,X,K)"
            ways = f"{FORM}(2,J,{tag}); {bare}", f"{FORM}(1,I,{tag}); {bare}"
            ways = ways[0], ways[1].replace("(1,K", "(2,K").replace("(1,X", "(2,Y")
            says = f"{self.called(_AUXILIARY)} alone on one side, {self.called(tag)} on the other"
            yield Pattern(
                name_of("bare", tag), says, ([], []), SCOPES[4], 4, (ways[side - 1], ways[2 - side])
            )

    def heads(self, spans: Sequence[Sequence[int]]) -> list[int]:
        """The last head in each span, or its last word."""
        return [
            next((at for at in reversed(tokens) if (side, at) in self._heads), tokens[-1])
            for side, tokens in enumerate(spans, 1)
        ]

    def _forms(self, heads: Sequence[int], *, denied: bool) -> Iterator[Pattern]:
        """The conditions that two words have other tags, or are other forms of one word.

        Forms with the same tag are counterparts: that this is ``denied`` makes no rule.
        """
        of = {by: [self.said_at(by, at) for at in enumerate(heads, 1)] for by in STEPS}
        by = next((by for by in (TAG, FORM, WORD) if of[by][0] != of[by][1]), "")
        if not by or (denied and by != TAG):
            return
        (lemma1, lemma2), (one, two) = of[LEMMA], of[by if by != WORD else TAG]
        ways = [f"{a[0]}(1,I,{a[1]}), {b[0]}(2,J,{b[1]})" for a, b in ((one, two), (two, one))]
        kinds = self.called(one[1]), self.called(two[1])
        says = f"{{}} as {kinds[0]} on one side, {{}} as {kinds[1]} on the other"
        same, names = "lemma(1,I,L), lemma(2,J,L)", (one[1], two[1])
        if by == WORD:
            ways, says = ["word(1,I,M), not word(2,J,M)"] * 2, "forms of {}"
            same, names = f"{same}, {ways[0]}", (one[1], "forms")
        words = [self.text(LEMMA, side, [at]) for side, at in enumerate(heads, 1)]
        if not denied and of[WORD][0] != of[WORD][1]:
            yield self._phrase(WORD, [[at] for at in heads], chance=False)
        named = name_of(*dict.fromkeys(words), *names), says.format(*(f"‘{of}’" for of in words))
        yield Pattern(*named, ([lemma1], [lemma2]), SCOPES[1], 1, (ways[0], ways[1]))
        if lemma1 == lemma2:
            named = name_of("one_word", *names), says.format("one word", "the same")
            yield Pattern(*named, ([one], [two]), SCOPES[3], 3, (same, same))

    def are(self, pair: Sequence[object], spans: Sequence[Sequence[int]]) -> bool:
        """Whether two spans of a rule have these tokens."""
        tokens = (self._spans.get((str(side), str(span))) for side, span in enumerate(pair, 1))
        return [*tokens] == [{*span} for span in spans]

    def traits(
        self, *spans: Sequence[int], more: int = 0, aligning: bool = False
    ) -> Iterator[Pattern]:
        """One or two traits of two spans; ``more`` says more; of ``aligning``, of their places."""
        told = defaultdict[tuple[str, str], set[int]](set)
        for of, kind, _ in (atom.arguments for atom in self._trace.atoms(v.EVIDENCE.name)):
            *sides, one, two = (0, 0, *of.arguments)
            if aligning == (of.name == "pair") and self.are((one, two), spans):
                told["one" if sides[2:] else of.name, str(kind)].add(int(str(sides[-1])))
        found: list[tuple[str, str, tuple[str, str]]] = []
        for (whose, name), (side, *others) in told.items():
            trait = self.facts.get((whose, name))
            if trait and whose != "one":
                both = f"evidence({whose}(X,Y),{name},_)"
                found.append((name, f"the sides have {trait}", (both, both)))
            elif trait and not others and side == (more or side):
                this, that = (f"evidence(side({at},X,Y),{name},_)" for at in (side, 3 - side))
                ways = f"{this}, not {that}", f"{that}, not {this}"
                found.append((name, f"only one side has {trait}", ways))
        heads = self.heads(spans)
        sides1, sides2 = ([self.said_at(TAG, at)] * aligning for at in enumerate(heads, 1))
        tags = [tag for _, tag in (*sides1, *sides2)]
        said = [f"words are tagged {' and '.join(tags)}"] * aligning
        near = [(name, f"they stand {says}", (of, of)) for name, says, of in self._beside(heads)]
        pairs = (two for two in combinations(found + near * aligning, 2) if two[0] in found)
        for of_these in chain(combinations(found, 1), pairs):
            names, says, bodies = zip(*of_these, strict=True)
            way1, way2 = map(", ".join, zip(*bodies, strict=True))
            named = name_of(*tags, *names), " and ".join((*said, *says))
            yield Pattern(*named, (sides1, sides2), SCOPES[4], 4, (way1, way2))

    def said_at(self, of: str, at: tuple[int, int]) -> tuple[str, str]:
        """The predicate and value that a condition on a token has; no value where there is none."""
        if of == LEMMA and ("any", self.values[TAG].get(at)) in self.facts:
            of = TAG
        if of == FORM and ("form", self.values[TAG].get(at)) not in self.facts:
            of = TAG
        return of, self.values[of].get(at, "")

    def _phrase(self, of: str, tokens: Sequence[Sequence[int]], chance: bool) -> Pattern:
        """The condition that a side has some words, or each has some, which may be ``chance``."""
        texts = [self.text(of, side, at) for side, at in enumerate(tokens, 1)]
        quote = "words tagged {}" if of == TAG else "‘{}’"
        quotes = [quote.format(text) for text in texts if text]
        says = "{} on one side, {} on the other" if all(texts) else "only one side has {}"
        said = (
            [self.said_at(of, (side, at)) for at in places] for side, places in enumerate(tokens, 1)
        )
        one, two = ([condition for condition in side if condition[1]] for side in said)
        named = name_of(*filter(None, texts)), says.format(*quotes)
        scope = SCOPES[STEPS[of]]
        return Pattern(*named, (one, two), scope, STEPS[of], chance=chance)


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
