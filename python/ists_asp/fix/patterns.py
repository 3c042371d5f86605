"""Conditions that two spans of a pair meet, from the narrowest to the widest.

They are generalised upwards from the words: their forms, their lemmas, only how they are alike and
their tags (the least general generalisation of Plotkin 1970), and what evidence tells of both.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product, zip_longest
from operator import attrgetter
from typing import NamedTuple

from ists_asp import vocabulary as v
from ists_asp.engine import SolvedAnswer
from ists_asp.resources import rules_dir

WORD, LEMMA, TAG, FORM = v.WORD.name, v.LEMMA.name, v.UPOS.name, "xpos"
STEPS = {WORD: 0, LEMMA: 1, FORM: 3, TAG: 3}
SCOPES = ("these words", "these lemmas", "one of these lemmas", "all such words", "all such chunks")
_BESIDE = ((-1, "after", "M"), (1, "before", "L"))
PLACES = (("1", "X", "I"), ("2", "Y", "J"))  # sentence, span and token of both sides in a rule


class Phrase(NamedTuple):
    """Words of a side that may stand in a table."""

    tokens: range
    kind: str  # a tag; as rules call it where it denies; rest of what follows a verb
    whole: bool  # whether nothing that belongs to them is left out


@dataclass(frozen=True, slots=True)
class Pattern:
    """The conditions on two spans."""

    name: str
    says: str  # a sentence that is true where they are met
    # On the words of each span, by predicate and argument, next to one another.
    sides: tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]
    step: int  # in SCOPES
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
            named = re.search(rf"\b{token}\b", between)
            parts += [within] * bool(conditions or named)
            for place, (predicate, value) in enumerate(conditions):
                at = f"{token}+{place}" if place else token
                parts.append(f"{predicate}({side},{at},{value})")
            # What only the other side has is nowhere on this one; tags both may have.
            shared = other and (other[0] in conditions or (conditions and other[0][0] == TAG))
            if other and not named and not shared:
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
        self._alike = defaultdict[tuple[int, int], dict[str, None]](dict)
        for one, two, kind, _ in (atom.arguments for atom in self._trace.atoms("alike")):
            self._alike[one.number, two.number][str(kind)] = None
        known = self._trace.atoms(v.FOR_EDITS.name)
        self.known = dict.fromkeys(tuple(str(of).strip('"') for of in at.arguments) for at in known)
        self.facts = {(use, name): value for use, name, value in self.known}

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
            inner = [at for at in chunk.tokens if ("opens", tags.get((side, at))) in self.facts]
            begin = min((at for at in named if at > max(inner, default=0)), default=named[0])
            whole = range(begin, named[-1] + 1)
            kind, first = (self.kind(side, at) for at in (named[-1], begin))
            goes_on = ("with_next", first) in self.facts
            kind = first if goes_on else kind
            if (side, begin) in self._denials:
                kind = self.facts.get(("denied", kind), "denied")
            ends = after is None or ("ends", tags.get((side, after.first))) in self.facts
            yield from (Phrase(range(at, at + 1), self.kind(side, at), False) for at in own)
            yield Phrase(whole, kind, ends or not goes_on)
            if goes_on and not ends:
                yield Phrase(range(begin, after.tokens[-1] + 1), kind, True)
            if longer and goes_on and whole.stop < end:
                yield Phrase(range(begin, end), kind, True)
                noun = ("opens", tags.get((side, whole.stop))) not in self.facts
                yield Phrase(range(whole.stop, end), "rest", noun)

    def kind(self, side: int, at: int) -> str:
        """The tag of a word, or that of words which may mean what it does."""
        tag = self.values[TAG].get((side, at), "")
        return self.facts.get(("tag", tag), tag)

    def relation(self, one: Phrase, two: Phrase, *, same: bool, guess: bool) -> int:
        """How near two phrases are to mean the same or the opposite: 1 to 3, or 0 if they do not.

        Words, and phrases of nouns, are by their last words: beside the same word, or alike, in a
        ``guess`` closely; phrases also if they are aligned. Names have no opposites. What means the
        same has two or none of them.
        """
        kinds, tokens = {one.kind, two.kind}, (one.tokens, two.tokens)
        for side, sentence in enumerate(self._answer.pair.sentences, 1):
            last = tokens[side - 1][-1]
            name = ("unopposed", self.values[TAG].get((side, last))) in self.facts
            if name and not (same or sentence.tokens[last - 1].form.islower()):
                return 0
        single, heads = max(map(len, tokens)) == 1, [tokens[0][-1], tokens[1][-1]]
        by_head = all(("by_head", of) in self.facts for of in kinds)
        if not (single or (one.whole and two.whole)) or not (
            len(kinds) == 1 or any(("faces", *of) in self.known for of in permutations(kinds))
        ):
            return 0
        if (single or by_head) and self.refuses("=" if same else "<>", heads):
            return 0
        like = [self.likeness([*at]) for at in product(*tokens)]
        if same and sum(any(("<>", of) in self.facts for of in kinds) for kinds in like) % 2:
            return 0
        lines = {(line.tokens1, line.tokens2) for line in self._answer.alignments}
        if self._told_beside(heads) or (tuple(tokens[0]), tuple(tokens[1])) in lines:
            return 1
        if guess and all(("weak", of) in self.facts for of in self.likeness(heads)):
            return 0
        # Of phrases that are alike, or only stand in both sentences, none tells that they oppose.
        if not (same or single or any(("<>", of) in self.facts for of in kinds)):
            return 0
        return 2 if self.likeness(heads) else 3 * (not single and not by_head)

    def refuses(self, sign: str, heads: Sequence[int]) -> bool:
        """Whether two words are alike in a way for which an entry with this sign is not true."""
        kinds = self.likeness(heads)
        sure = any((sign, of) in self.facts for of in kinds)
        return not sure and any(("untrue", of, sign) in self.known for of in kinds)

    def likeness(self, heads: Sequence[int]) -> list[str]:
        """How two words are alike."""
        return [*self._alike.get((heads[0], heads[1]), ())]

    def _beside(self, heads: Sequence[int]) -> Iterator[tuple[str, str, str]]:
        """The conditions that two words stand beside the same word, with names and sentences."""
        for place, where, of in _BESIDE:
            one, two = (self.said_at(LEMMA, (side, at + place)) for side, at in enumerate(heads, 1))
            if one == two and one[1]:
                near = f"lemma(1,I{place:+},{of}), lemma(2,J{place:+},{of})"
                yield f"{where}_the_same", f"{where} the same word", near

    def _beside_head(
        self, heads: Sequence[int], lone: Sequence[Sequence[int]], chance: bool
    ) -> Iterator[Pattern]:
        """The condition that of two that have one head one side has a word beside it: look up."""
        of = [self.said_at(LEMMA, at) for at in enumerate(heads, 1)]
        for side, at in ((side, at) for side, own in enumerate(lone, 1) for at in own):
            (by, lemma), place = of[0], heads[side - 1] - at
            if abs(place) == 1 and of[0] == of[1]:
                word, where = self.said_at(LEMMA, (side, at)), "before" if place > 0 else "after"
                near = [f"{by}({n},{token}{place:+},{lemma})" for n, _, token in PLACES]
                says = f"only one side has {self.called(word[1])} {where} {self.called(lemma)}"
                sides = ([word], []) if side == 1 else ([], [word])
                between = near[side - 1], near[2 - side]
                name = name_of(where, lemma, word[1])
                yield Pattern(name, says, sides, 1, between, chance=chance)

    def _told_beside(self, heads: Sequence[int]) -> bool:
        """Whether they stand beside the same telling word, or only the same light ones between."""
        for step in (-1, 1):
            one, two = heads[0] + step, heads[1] + step
            while (of := self.said_at(LEMMA, (1, one)))[1] and of == self.said_at(LEMMA, (2, two)):
                if self.tells(1, one):
                    return True
                one, two = one + step, two + step
        return False

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
        self, *spans: Sequence[int], label: str, more: int, counterparts: bool, denied: bool
    ) -> Iterator[Pattern]:
        """The conditions that two spans meet, from narrow to wide; the side ``more`` says more.

        Counterparts, and what is denied, turn on words with a meaning that one side lacks; labels
        on all but some, and one on what is alike in a way that bears it, if rules name such ways.
        """
        apart = self.apart(*spans)
        unshared = [*enumerate(self.unshared(*spans), 1)]
        lemmas = [self.values[LEMMA].get((side, at), "") for side, of in unshared for at in of]
        silent = all(("silent", lemma.strip('"')) in self.facts for lemma in lemmas)
        untold = not any(self.tells(side, *of) for side, of in unshared)
        if untold and ("no_forms", label) not in self.facts:
            yield from self._forms(self.heads(spans), denied=counterparts and denied)
        if silent or (counterparts and untold):
            return
        if more and apart[more - 1] and not self.tells(3 - more, *apart[2 - more]):
            apart[2 - more].clear()
        # What only the other side says tells nothing of how this one says more.
        lone = [
            [at for at in of if ("silent", self.text(LEMMA, side, [at])) not in self.facts]
            if side == more or not (more or all(apart))
            else []
            for side, of in enumerate(apart, 1)
        ]
        heads = self.heads(apart if all(apart) else spans)
        words = [self.entry(LEMMA, side, [at]) for side, at in enumerate(heads, 1)]
        differ = all(words) and words[0] != words[1]
        kinds = self.likeness(heads)
        if counterparts and denied and any(("=", of) in self.facts for of in kinds):
            yield from self._forms(heads, denied=True)
            return
        wanted: list[tuple[str, tuple[list[int], list[int]]]]
        wanted = [(LEMMA, ([heads[0]], [heads[1]]))] * differ
        if counterparts and not denied:
            # What both sides have makes them counterparts, and not what one side has.
            wanted += [
                (LEMMA, ([one], [two]))
                for one, two in product(*spans)
                if self.tells(1, one) or self.tells(2, two)
                if self.said_at(LEMMA, (1, one)) == self.said_at(LEMMA, (2, two))
            ]
            lone = [[], []]
        # A head in the place of another is no word that one side has more.
        replaced = heads if all(apart) else [0, 0]
        wanted += [(LEMMA, ([at], [])) for at in lone[0] if at != replaced[0]]
        wanted += [(LEMMA, ([], [at])) for at in lone[1] if at != replaced[1]]
        if all(apart) or (apart[more - 1] if more else not counterparts or denied):
            alike = self.entry(LEMMA, 1, apart[0]) == self.entry(LEMMA, 2, apart[1])
            wanted += [(WORD if alike else LEMMA, apart)]
        phrases = {
            tuple(self.text(of, side, at) for side, at in enumerate(tokens, 1)): (of, tokens)
            for of, tokens in wanted
        }
        # Names but for what they mean, numbers, unlike heads of other kinds, unlike modifiers and
        # many words tell nothing of other pairs; unlike words are counterparts by their places.
        tagged = [self.values[TAG].get((side, at), "") for side, at in enumerate(heads, 1)]
        unlike = len({self.kind(side, at) for side, at in enumerate(heads, 1)}) > 1
        bare = not denied if counterparts else heads != self.heads(spans)
        other = not kinds and (unlike or bare)
        empty = all(self.facts.get(("chance", tag), label) != label for tag in tagged)
        most = int(self.facts.get(("chance", "words"), "0"))
        for of, tokens in phrases.values():
            # A word that one side lacks makes the other more specific, and aligns nothing.
            texts = [self.text(LEMMA, side, at) for side, at in enumerate(tokens, 1)]
            tells_much = (more and not counterparts) or any(
                ("alone", text) in self.facts for text in texts
            )
            long = max(map(len, tokens)) > most
            accident = other or empty or long if all(tokens) else not tells_much
            accident &= len({*texts}) > 1
            yield self._phrase(of, tokens, accident)
        if not counterparts:
            yield from self._beside_head(self.heads(spans), lone, not more)
        bearing = {of for use, of in self.facts if use == self.facts.get(("entry", label))}
        if not (kinds or counterparts or more):
            # If not by their heads they may be alike by others: Afghanistan, Afghan attack.
            heads = next(([*two] for two in product(*apart) if self.likeness(two)), heads)
            differ, kinds = differ or heads != self.heads(spans), self.likeness(heads)
        if not differ or (bearing and not (kinds := [of for of in kinds if of in bearing])):
            return
        tags = [self.said_at(TAG, at) for at in enumerate(heads, 1)]
        (_, tag1), (_, tag2) = tags
        both_tags = f"{self.called(tag1)} and {self.called(tag2)}"
        both, step = ([tags[0]], [tags[1]]), 4 if counterparts and not kinds else 3
        # Words that are alike both ways round do not tell which side is more specific.
        for kind in (of for of in kinds if not more or self.turned(of) != of):
            between = f"alike(I,J,{kind},_)", f"alike(I,J,{self.turned(kind)},_)"
            named = name_of(tag1, tag2, kind), f"{both_tags} are alike ({kind})"
            yield Pattern(*named, both, step, between)
        for name, where, near in self._beside(heads) if not bearing else ():
            named = name_of(tag1, tag2, name), f"{both_tags} {where}"
            yield Pattern(*named, both, step, (near, near), chance=unlike)

    def heads(self, spans: Sequence[Sequence[int]]) -> list[int]:
        """The last head in each span, or its last word."""
        return [
            next((at for at in reversed(tokens) if (side, at) in self._heads), tokens[-1])
            for side, tokens in enumerate(spans, 1)
        ]

    def _forms(self, heads: Sequence[int], *, denied: bool) -> Iterator[Pattern]:
        """The conditions that two words have other tags, or are forms of one, if not ``denied``."""
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
        yield Pattern(*named, ([lemma1], [lemma2]), 1, (ways[0], ways[1]))
        if lemma1 == lemma2:
            named = name_of("one_word", *names), says.format("one word", "the same")
            yield Pattern(*named, ([one], [two]), 3, (same, same))

    def are(self, pair: Sequence[object], spans: Sequence[Sequence[int]]) -> bool:
        """Whether two spans of a rule have these tokens."""
        tokens = (self._spans.get((str(side), str(span))) for side, span in enumerate(pair, 1))
        return [*tokens] == [{*span} for span in spans]

    def traits(
        self, *spans: Sequence[int], more: int, counterparts: bool, denied: bool
    ) -> Iterator[Pattern]:
        """One or two traits of two spans; of counterparts those of their places."""
        told = defaultdict[tuple[str, str], set[int]](set)
        for of, kind, _ in (atom.arguments for atom in self._trace.atoms(v.EVIDENCE.name)):
            *which, one, two = of.arguments
            if counterparts == (of.name == "pair") and self.are((one, two), spans):
                told["one" if which else of.name, str(kind)].update(at.number for at in which)
        found: list[tuple[str, str, tuple[str, str]]] = []
        for (whose, name), numbers in told.items():
            trait = self.facts.get(("against" if denied and whose == "pair" else whose, name))
            if trait and whose != "one":
                both = f"evidence({whose}(X,Y),{name},_)"
                found.append((name, f"the sides have {trait}", (both, both)))
            elif trait and len(numbers) == 1 and (not more or more in numbers):
                (side,) = numbers
                this, that = (f"evidence(side({at},X,Y),{name},_)" for at in (side, 3 - side))
                ways = f"{this}, not {that}", f"{that}, not {this}"
                found.append((name, f"only one side has {trait}", ways))
        heads = self.heads(spans)
        tags, lemmas = ([self.said_at(of, at) for at in enumerate(heads, 1)] for of in (TAG, LEMMA))
        near = [(name, f"they stand {says}", (of, of)) for name, says, of in self._beside(heads)]
        pairs = (two for two in combinations(found + near * counterparts, 2) if two[0] in found)
        # Whether words are counterparts turns on the words too: on one and any, or all such.
        kinds = [(*tags,), (lemmas[0], tags[1]), (tags[0], lemmas[1])]
        kinds = kinds if counterparts else [()]
        alone = [(said, (one,)) for said in kinds for one in found]
        for said, of_these in (*alone, *((kinds[0], two) for two in pairs)):
            names, says, bodies = zip(*of_these, strict=True)
            way1, way2 = map(", ".join, zip(*bodies, strict=True))
            texts = [value.strip('"') for _, value in said]
            words = [f"words are {' and '.join(self.called(value) for _, value in said)}"]
            # The name of a rule is no other's.
            texts += [*["sides"] * (len(texts) + len(names) == 1), *names]
            named = name_of(*texts), " and ".join((*words * counterparts, *says))
            sides, step = (said[:1], said[1:]), 4 if said == kinds[0] else 2
            yield Pattern(*named, sides, step, (way1, way2), chance=step == 2)

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
        anything = {value for (use, _), value in self.facts.items() if use == "any"}
        quotes = [text if text in anything else f"‘{text}’" for text in texts if text]
        says = "{} on one side, {} on the other" if all(texts) else "only one side has {}"
        says = says if len({*texts}) > 1 else "both sides have {}"
        if of == LEMMA and max(map(len, tokens)) == 1 and all(tokens):
            kinds = self.likeness([at for (at,) in tokens])
            says = next(
                (self.facts["says", of] for of in kinds if ("says", of) in self.facts), says
            )
        said = (
            [self.said_at(of, (side, at)) for at in places] for side, places in enumerate(tokens, 1)
        )
        one, two = ([condition for condition in side if condition[1]] for side in said)
        named = name_of(*dict.fromkeys(filter(None, texts))), says.format(*quotes)
        return Pattern(*named, (one, two), STEPS[of], chance=chance)


def name_of(*parts: str) -> str:
    """A name for rules and a file, of the letters of some texts."""
    plain = unicodedata.normalize("NFKD", "_".join(parts)).encode("ascii", "ignore").decode()
    name = re.sub(r"[\W_]+", "_", plain.lower()).strip("_")[:60].rstrip("_")
    name = name if name[:1].isalpha() else f"n{name}"
    # A file of a shipped one's name would take its place.
    return f"{name}_words" if name in _shipped_names() else name


@cache
def _shipped_names() -> frozenset[str]:
    return frozenset(path.stem for path in rules_dir().rglob("*.lp"))
