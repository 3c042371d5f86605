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
from itertools import chain, combinations, pairwise
from operator import attrgetter

from ists_asp import vocabulary as v
from ists_asp.engine import SolvedAnswer
from ists_asp.resources import rules_dir

WORD, LEMMA, TAG, FORM = v.WORD.name, v.LEMMA.name, v.UPOS.name, "xpos"
STEPS = {WORD: 0, LEMMA: 1, FORM: 3, TAG: 3}
SCOPES = (
    "these words",
    "these lemmas",
    "{} and words like it",
    "all such words",
    "all such chunks",
)
_BESIDE = ((-1, "after"), (1, "before"))
_BETWEEN = (  # words that both sentences have, before both and behind both
    "lemma(1,K,A), content(1,K), K < I, lemma(2,L,A), L < J, "
    "lemma(1,M,B), content(1,M), M > I, lemma(2,N,B), N > J"
)
PLACES = (("1", "X", "I"), ("2", "Y", "J"))
"""Sentence, span and token of both sides in a rule."""


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

    def phrases(self, side: int, among: Set[int], *, longer: bool) -> Iterator[tuple[range, str]]:
        """Phrases of some words, with their kinds: parts of chunks, and verbs with the next part.

        What is ``longer`` is all from a verb to the end of the sentence, and all that follows it.
        """
        tags = self.values[TAG]
        chunks = (
            [at for at in chunk.tokens if at in among and self._named(side, at)]
            for chunk in self._answer.chunks[side - 1]
        )
        parts = [*filter(None, chunks), []]
        said = (at for of, at in tags.keys() - self._marks if of == side)
        end = max(said, default=0) + 1
        for part, after in pairwise(parts):
            kinds = [self.facts.get(("tag", tags[side, at]), tags[side, at]) for at in part]
            kind = kinds[0] if ("with_next", kinds[0]) in self.facts else kinds[-1]
            kind *= (side, part[0]) not in self._denials
            yield range(part[0], part[-1] + 1), kind
            goes_on = ("with_next", kind) in self.facts
            if goes_on and after:
                yield range(part[0], after[-1] + 1), kind
            if longer and goes_on and part[-1] + 1 < end:
                yield range(part[0], end), kind
                yield range(part[-1] + 1, end), ""

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
        texts = [
            {
                at: {self.values[of].get((side, at), (side, at)) for of in (WORD, LEMMA)}
                for at in tokens
            }
            for side, tokens in enumerate(spans, 1)
        ]
        others = [{text for texts in of.values() for text in texts} for of in reversed(texts)]
        return [
            [at for at, said in of.items() if not said & other]
            for of, other in zip(texts, others, strict=True)
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
        self, *spans: Sequence[int], more: int = 0, counterparts: bool = False, denied: bool = False
    ) -> Iterator[Pattern]:
        """The conditions that two spans meet, from narrow to wide; the side ``more`` says more.

        Where one side has what the other lacks each of its words may be what tells, or its tags.
        It turns on words that the other side lacks: that spans are ``counterparts``, or that this
        is ``denied``, on those with a meaning of their own; labels and scores on all but some.
        """
        apart = self.apart(*spans)
        tells = [self.tells(side, *of) for side, of in enumerate(apart, 1)]
        unshared = [*enumerate(self.unshared(*spans), 1)]
        lemmas = [self.values[LEMMA].get((side, at), "") for side, of in unshared for at in of]
        silent = all(("silent", lemma.strip('"')) in self.facts for lemma in lemmas)
        if silent or (counterparts and not any(self.tells(side, *of) for side, of in unshared)):
            return
        if more and apart[more - 1] and not tells[2 - more]:
            apart[2 - more].clear()
        lone = [of if side == more or not all(apart) else [] for side, of in enumerate(apart, 1)]
        heads = [
            next((at for at in reversed(tokens) if (side, at) in self._heads), tokens[-1])
            for side, tokens in enumerate(apart if all(apart) else spans, 1)
        ]
        (lemma1, lemma2), tags = (
            [self.said_at(of, at) for at in enumerate(heads, 1)] for of in (LEMMA, TAG)
        )
        words = [self.entry(LEMMA, side, [at]) for side, at in enumerate(heads, 1)]
        differ = all(words) and words[0] != words[1]
        alike = (atom.arguments for atom in self._trace.atoms("alike"))
        kinds = dict.fromkeys(
            str(kind) for one, two, kind, _ in alike if [one.number, two.number] == heads
        )
        if counterparts and denied and any(("means_the_same", of) in self.facts for of in kinds):
            return
        wanted: list[tuple[str, tuple[list[int], list[int]]]]
        wanted = [(of, apart) for of in (WORD, LEMMA)]
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
        # Heads that are numbers, not alike and of other kinds, or one more specific than the other,
        # tell nothing of other pairs, nor do many words.
        tagged = [self.values[TAG].get((side, at), "") for side, at in enumerate(heads, 1)]
        other = (
            not (kinds or counterparts)
            and len({self.facts.get(("tag", tag), tag) for tag in tagged}) > 1
        )
        chance = bool(more) or other or all(("any", tag) in self.facts for tag in tagged)
        most = int(self.facts.get(("chance", "words"), "0"))
        for of, tokens in phrases.values():
            yield self._phrase(of, tokens, chance or max(map(len, tokens)) > most)
        yield from self._added(lone, spans)
        if not differ:
            return
        (_, tag1), (_, tag2) = tags
        both_tags = f"words with the tags {tag1} and {tag2}"
        if not (kinds or counterparts):
            named = name_of(tag1, tag2)
            yield Pattern(named, both_tags, ([tags[0]], [tags[1]]), SCOPES[4], 4)
        wide: list[tuple[tuple[str, ...], str, tuple[str, str]]] = []
        if counterparts and not (kinds or denied):
            says = f"{both_tags} stand between the same words"
            wide.append(((tag1, tag2, "between_the_same"), says, (_BETWEEN, _BETWEEN)))
        for kind in kinds:
            between = f"alike(I,J,{kind},_)", f"alike(I,J,{self.turned(kind)},_)"
            for side, sides in (1, ([lemma1], [])), (2, ([], [lemma2])):
                word = self.text(LEMMA, side, [heads[side - 1]])
                says = f"‘{word}’ and a word like it ({kind})"
                scope = SCOPES[2].format(f"‘{word}’")
                yield Pattern(name_of(word, kind), says, sides, scope, 2, between)
            wide.append(((tag1, tag2, kind), f"{both_tags} are alike ({kind})", between))
        for place, where in _BESIDE:
            beside = [self.said_at(LEMMA, (side, at + place)) for side, at in enumerate(heads, 1)]
            if beside[0] == beside[1] and beside[0][1]:
                near = f"lemma(1,I{place:+},L), lemma(2,J{place:+},L)"
                name = tag1, tag2, where, "the_same"
                wide.append((name, f"{both_tags} {where} the same word", (near, near)))
        for names, says, between in wide:
            step = 4 if counterparts and not kinds else 3
            both = [tags[0]], [tags[1]]
            yield Pattern(name_of(*names), says, both, SCOPES[step], step, between)

    def _added(
        self, apart: Sequence[Sequence[int]], spans: Sequence[Sequence[int]]
    ) -> Iterator[Pattern]:
        """The condition that one side has a word of a tag beside what both have."""
        if sum(map(len, apart)) != 1:
            return
        side = 1 if apart[0] else 2
        ((at,),) = filter(None, apart)
        tag, lemmas = self.said_at(TAG, (side, at)), self.values[LEMMA]
        others = {lemmas.get((3 - side, other)) for other in spans[2 - side]}
        for place, where in _BESIDE:
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

    def are(self, pair: Sequence[object], spans: Sequence[Sequence[int]]) -> bool:
        """Whether two spans of a rule have these tokens."""
        tokens = (self._spans.get((str(side), str(span))) for side, span in enumerate(pair, 1))
        return [*tokens] == [{*span} for span in spans]

    def traits(self, *spans: Sequence[int], more: int = 0) -> Iterator[Pattern]:
        """One or two of the traits of two spans by evidence; the side ``more`` says more."""
        told = defaultdict[tuple[str, str], set[int]](set)
        for of, kind, _ in (atom.arguments for atom in self._trace.atoms(v.EVIDENCE.name)):
            *sides, one, two = (0, 0, *of.arguments)
            if self.are((one, two), spans):
                told["one" if sides[2:] else "both", str(kind)].add(int(str(sides[-1])))
        found: list[tuple[str, str, tuple[str, str]]] = []
        for (whose, name), (side, *others) in told.items():
            trait = self.facts.get((whose, name))
            if trait and whose == "both":
                both = f"evidence(link(X,Y),{name},_)"
                found.append((name, f"the sides have {trait}", (both, both)))
            elif trait and not others and side == (more or side):
                this, that = (f"evidence(side({at},X,Y),{name},_)" for at in (side, 3 - side))
                ways = f"{this}, not {that}", f"{that}, not {this}"
                found.append((name, f"only one side has {trait}", ways))
        for traits in chain(combinations(found, 1), combinations(found, 2)):
            names, says, bodies = zip(*traits, strict=True)
            way1, way2 = map(", ".join, zip(*bodies, strict=True))
            said = name_of(*names), " and ".join(says)
            yield Pattern(*said, ((), ()), SCOPES[4], 4, (way1, way2))

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
        return Pattern(*named, (one, two), scope, STEPS[of], chance=chance and all(texts))


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
