"""Edits of words, rules and weights that may make a claim about a pair hold.

Whether an edit does what it should is tried, not guessed: see :mod:`ists_asp.fix.trial`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, product

from ists_asp.compare.comparison import Answered, ChangeKind, find_changes
from ists_asp.engine import SolvedAnswer
from ists_asp.errors import RuleError, UsageError
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.patterns import FORM, LEMMA, SCOPES, STEPS, TAG, WORD, Pattern, Words, name_of
from ists_asp.io.wa import given_answer
from ists_asp.model import Answer
from ists_asp.rules.examples import Claim, Example, claimed
from ists_asp.syntax.ground import quoted
from ists_asp.trace.contrast import Contrast
from ists_asp.trace.decisions import DecisionKind

KINDS = ("words", "rule", "exception", "weight")
_LONGEST = 8  # words of a phrase in a table
_TRIED = 8  # pairs of words that are tried for a claim about the text, the rating or the verdict
_ENTRY = re.compile(r"[^\s\"\\=<>#|]+( [^\s\"\\=<>#|]+)*")
_LABEL = DecisionKind.LABEL
_UNSAID = (ChangeKind.BOUNDARY, ChangeKind.UNALIGNED, ChangeKind.TAG)  # of these no claim is made
_STRICT = re.compile(r"must_(?:split|join)\((\w+),(\w+)\) :-")
_MORE = {"spe1": 1, "spe2": 2}  # the side that a label says to be the more specific
_TRAIT = re.compile(r"evidence\(\w+\([A-Z],[A-Z]\),(\w+),")
_SPANS = re.compile(r"\bX\b.*\bY\b", re.DOTALL)
_PULLED = ["evidence(pair(X,Y),{0},100)"]
_SPANNED = "span(1,X), span(2,Y)"
_ONLY = "forbidden_label(X,Y,M) :- licensed(X,Y,L,{0}), label_type(M), M != L."
_PULL = "weight({0},align,400)."  # hundredths of log-odds for an alignment
_MARK = "\0"  # behind the names of rules in a draft, where a number may follow
_MARKED = re.compile(rf"^%@rule (\w+){_MARK}", re.MULTILINE)
_SIGNS = ("=", "<>")
_VARIABLES = {"I": "Token1", "J": "Token2", "K": "Other", "L": "Lemma1", "M": "Lemma2"}
"""Names for variables in an exception, whose rule may call others so."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit: the text of a file, with an example of the claim."""

    kind: str  # one of KINDS
    name: str
    suffix: str
    text: str
    scope: str  # how far it reaches
    step: int  # the same as a number, the narrowest first
    support: int = 0  # gold of so many pairs has to have one that gets better
    chance: bool = False  # the pair of the claim itself is not that one
    claim: str = ""  # the example that it is for

    @property
    def cuts(self) -> bool:
        """Whether it says where chunks begin."""
        return "must_split(" in self.text or "must_join(" in self.text

    def may_touch(self, sentences: Sequence[str]) -> bool:
        """Whether all words of a rule or entry stand in sentences, whatever their ends."""
        words = " ".join(sentences).lower().split()
        lines = (line for line in self.text.splitlines() if not line.startswith("%"))
        named = (words for line in lines for words in _named_words(line.partition("\t")[0]))
        return any(
            all(part in words or any(map(partial(_begins, part), words)) for part in parts)
            for parts in named
            if parts
        )


def proposals(writers: Mapping[Example, Writer]) -> list[Proposal]:
    """Edits for claims about a pair: words first, then rules, weights last."""
    used = set[str]()
    edits = (
        finished(draft, example, used)
        for example, writer in writers.items()
        for draft in writer.drafts()
    )
    return sorted(dict.fromkeys(edits), key=lambda edit: (KINDS.index(edit.kind), edit.step))


def finished(draft: Proposal, example: Example, used: set[str]) -> Proposal:
    """A draft with its example, whose rules get a number if their names are ``used``."""
    names = _MARKED.findall(draft.text)
    ends = (f"_{number}" * (number > 1) for number in count(1))
    end = next(end for end in ends if used.isdisjoint(name + end for name in names))
    used.update(name + end for name in names)
    text = draft.text.replace(_MARK, end)
    if draft.suffix == ".tsv":
        text += f"\t{example.text}\n"
    elif draft.kind != KINDS[-1]:
        text = f"%@example {example.text}\n{text}"
    return replace(draft, name=draft.name + end, text=text, claim=example.text)


class Writer:
    """Writes edits for a claim about the pair of an answer; ``right`` is the answer of gold."""

    def __init__(self, answer: SolvedAnswer, claim: Claim, right: Answer | None = None) -> None:
        self._answer, self._claim, self._right = answer, claim, right
        self._trace = answer.trace()
        self._words, self._label = Words(answer), claim.label.partition("_")[0].lower()
        self._rules = {rule.name: rule.text for rule in self._trace.reified.rules.rules}

    def drafts(self) -> Iterator[Proposal]:
        """Edits without their example; behind each name of a rule is a :data:`_MARK`."""
        claim, answer = self._claim, self._answer
        if claim.kind == "chunk":
            yield from self._cut(claim.places(answer.pair))
        elif claim.kind in ("link", "free"):
            placed = [*self._misplaced()]
            either = ([(), *(of for at, of in placed if at == side)] for side in (1, 2))
            for spans in filter(any, product(*either)):
                yield from self._cut(spans)
            for sides in self._sides():
                yield from self._linked(*sides)
        else:
            yield from self._said()

    def chunks(self) -> Iterator[str]:
        """The claims about chunks that a claim about alignments takes, as gold or it has them."""
        for side, tokens in self._misplaced() if self._claim.kind in ("link", "free") else ():
            yield f"{side}: {quoted(self._answer.pair.sentences[side - 1].words(tokens))}"

    def _sides(self) -> Sequence[tuple[tuple[int, ...], tuple[int, ...]]]:
        claim, answer = self._claim, self._answer
        return claim.sides(answer) if claim.denied else [claim.places(answer.pair)]

    def _misplaced(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The chunks that the words of a claim are in by gold or the claim, where ours differ."""
        spans = [(side, of) for sides in self._sides() for side, of in enumerate(sides, 1) if of]
        for side, of in dict.fromkeys(spans):
            ours = [chunk.tokens for chunk in self._answer.chunks[side - 1]]
            if self._right is not None:
                chunks = (chunk.tokens for chunk in self._right.chunks[side - 1])
                yield from ((side, at) for at in chunks if at not in ours and {*at} & {*of})
            elif not self._claim.denied and of not in ours:
                yield side, of

    def _linked(self, *sides: Sequence[int]) -> Iterator[Proposal]:
        """Edits for a claim about two spans, or against what it denies of them."""
        label, score, denied = self._label, self._claim.score, self._claim.denied
        words = self._words
        contrasts, turned = self._contrasts(*sides), words.turned(label)
        meant = "oppo" * (label == "equi") if denied else label or "equi" * (score == "5")
        unshared = words.unshared(*sides)
        sign = words.facts.get(("entry", meant))
        single = [*map(len, sides)] == [1, 1] and not any(unshared)
        apart, telling = words.apart(*sides), enumerate(unshared, 1)
        untrue = [*map(len, apart)] == [1, 1] and words.refuses(sign or "", [at for (at,) in apart])
        if sign and not untrue and (single or any(words.tells(side, *of) for side, of in telling)):
            one, two = (self._told(side, at) for side, at in enumerate(apart, 1))
            if one == two:
                one, two = (words.entry(WORD, side, at) for side, at in enumerate(apart, 1))
            yield from self._entry(sign, one, two, 1)
            # A lemma that begins otherwise may be of another word.
            form1, form2 = (words.entry(WORD, side, at) for side, at in enumerate(apart, 1))
            if (form1[:2], form2[:2]) != (one[:2], two[:2]):
                yield from self._entry(sign, form1, form2, 0)
        ruled = [
            firing.probe.rule.name
            for atom in self._trace.atoms("forbidden_label" if label and not denied else "")
            if words.are(atom.arguments[:2], sides) and str(atom.arguments[2]) == label
            for firing in self._trace.reasons(atom)
        ]
        said = (at.rule.name for of in contrasts if of.kind == _LABEL for at in of.because)
        names = dict.fromkeys(said if denied else ruled)
        heads, guard, extra = ["forbidden_pair(X,Y)"] * denied, "proposed(X,Y)", ""
        if label:
            head = "forbidden_label(X,Y,{})" if denied else "licensed(X,Y,{},{{0}})"
            heads, guard = [head.format(of) for of in (label, turned)], "viable(X,Y)"
            extra = "" if denied else _ONLY
        elif score:
            others = ";".join(digit for digit in "1234" if digit != score)
            heads, guard = [f"forbidden_score(X,Y,({score if denied else others}))"], "viable(X,Y)"
        # What is not aligned has to be before it is labelled, and looked at before it is aligned.
        aligning = not denied and not (heads and contrasts)
        proposed = (atom.arguments for atom in self._trace.atoms("proposed"))
        unlooked = aligning and not any(words.are(pair, sides) for pair in proposed)
        # Whether words are counterparts does not turn on little words, nor on forms of one word.
        counterparts = aligning or (denied and not (label or score))
        more = 0 if denied else _MORE.get(label, 0)
        traits = partial(words.traits, more=more, counterparts=counterparts, denied=denied)
        patterns = partial(words.patterns, label="" if denied else label, **traits.keywords)
        for pattern in chain(patterns(*sides), traits(*sides)):
            # What is true both ways round does not tell which side is more specific.
            if not denied and turned != label and len([*pattern.bodies()]) == 1:
                continue
            excepted = [*self._excepted(pattern, names)] if label else []
            yield from excepted
            name = pattern.name + ("_label" if label else "_score") * aligning
            rule = self._rule(replace(pattern, name=name), heads, guard, extra)
            proposing = replace(pattern, name=f"{pattern.name}_seen")
            seen = self._rule(proposing, ["proposed(X,Y)"] * unlooked, _SPANNED)
            if aligning:
                pull = self._rule(pattern, _PULLED, "proposed(X,Y)", _PULL)
                yield replace(pull, text=seen.text + pull.text + rule.text)
            else:
                yield rule
            # What is forbidden no more may lack a licence as well.
            also = excepted[: 0 if denied else None]
            yield from (replace(exception, text=exception.text + rule.text) for exception in also)
        yield from self._weights(contrasts, "" if denied else label)

    def _said(self) -> Iterator[Proposal]:
        """Entries for claims about the whole pair: of phrases that only one side has each."""
        spans = (range(1, size + 1) for size in self._answer.pair.sizes)
        named = self._claim.places(self._answer.pair)
        unshared = self._words.unshared(
            *(at or all_of for at, all_of in zip(named, spans, strict=True))
        )
        value = self._claim.value * (self._claim.kind in ("verdict", "point"))
        told = self._words.facts.get(("entry", value), "")
        for sign in [told] if told else _SIGNS:
            # What means the same may be all that follows a verb.
            same, words = sign != _SIGNS[1], self._words
            sides = enumerate(unshared, 1)
            phrases = [[*words.phrases(side, {*of}, longer=same)] for side, of in sides]
            entries = {
                (near, sum(map(len, tokens)), self._told(1, tokens[0]), self._told(2, tokens[1]))
                for one, two in product(*phrases)
                for tokens in [(one.tokens, two.tokens)]
                if (near := words.relation(one, two, same=same, guess=not told))
            }
            # What stands beside the same word is told apart from that, and not from others.
            beside = any(entry[0] == 1 for entry in entries)
            wanted = [entry for entry in entries if not (beside and entry[0] == 2)]
            for _, _, said1, said2 in sorted(wanted)[:_TRIED]:
                edits = self._entry if sign in _SIGNS else self._unsaid
                yield from edits(sign, said1, said2, 1)

    def _unsaid(self, use: str, one: str, two: str, step: int) -> Iterator[Proposal]:
        """An exception to the rules of a ``use`` that find a word of the model answer."""
        why, condition = f"‘{one}’ does not say ‘{two}’", f"lemma(1,_,{quoted(one)})"
        exception = f'"{_sayable(why)}"\n:- {condition}, lemma(2,I,{quoted(two)}).\n'
        text = "".join(
            f"%@except {name} {exception}" for of, name in self._words.facts if of == use
        )
        if " " not in one + two:
            name = name_of("except", one, two)
            yield Proposal("exception", name, ".lp", text, SCOPES[step], step)

    def _told(self, side: int, tokens: Sequence[int]) -> str:
        """A word by its lemma, several by their forms."""
        return self._words.entry(LEMMA if len(tokens) == 1 else WORD, side, tokens)

    def _entry(self, sign: str, one: str, two: str, step: int) -> Iterator[Proposal]:
        fit = all(_ENTRY.fullmatch(side) and side.count(" ") < _LONGEST for side in (one, two))
        if fit and one != two:
            text = f"{one} {sign} {two}"
            yield Proposal("words", name_of(one, two), ".tsv", text, SCOPES[step], step)

    def _rule(
        self, pattern: Pattern, heads: Sequence[str], guard: str, extra: str = ""
    ) -> Proposal:
        """A file with a rule for each way round; ``{0}`` in heads and ``more`` is its name."""
        name, says, step = pattern.name + _MARK, pattern.says, pattern.step
        ways = [*zip(pattern.bodies(), (*heads, *heads), strict=False)]
        rules = []
        for place, (body, head) in enumerate(ways):
            rule = f"{head.format(name)} :- {guard}, {body}."
            rules.append(_named(name + "_reversed" * place, says, rule))
        if extra:
            last = extra.format(name)
            rules.append(_named(f"{name}_only", says, last) if ":-" in last else f"{last}\n")
        borne = self._borne(pattern, "".join(heads[:1]).partition("(")[0])
        text = "".join(rules)
        return Proposal("rule", pattern.name, ".lp", text, SCOPES[step], step, *borne)

    def _borne(self, pattern: Pattern, head: str) -> tuple[int, bool]:
        """How many pairs of gold have to have one that bears a pattern out, and if another one."""
        chance = pattern.chance or pattern.step > 2
        use = "chance" if chance else head * (pattern.step > 1)
        return int(self._words.facts.get(("pairs", use), "0")), chance

    def _cut(self, spans: Sequence[Sequence[int]]) -> Iterator[Proposal]:
        """Rules that cut at both ends of a chunk, and not within it, where that is not so."""
        wrong: list[tuple[int, int, bool]] = []
        for side, (tokens, size) in enumerate(zip(spans, self._answer.pair.sizes, strict=True), 1):
            starts = {chunk.first for chunk in self._answer.chunks[side - 1]}
            ends = (tokens[0], tokens[-1] + 1) if tokens else ()
            wanted = {**dict.fromkeys(tokens, False), **dict.fromkeys(ends, True)}
            wrong += [
                (side, at, cut)
                for at, cut in wanted.items()
                if 1 < at <= size and (at in starts) != cut
            ]
        # Boundaries next to one another are one rule's: each by itself would cut elsewhere as well.
        (side, first, cut), run = wrong[0] if wrong else (0, 0, False), len(wrong)
        if run > 1 and wrong == [(side, first + place, cut) for place in range(run)]:
            wrong = wrong[:1]
        else:
            run = 1
        listed = set[str]()
        ways = (self._around(place, {*spans[place[0] - 1]}, run=run) for place in wrong)
        for around in zip(*ways, strict=True):
            kinds = {of for places in around for of in places.values()}
            if kinds == {TAG} and not all(map(self._by_tags, wrong)):
                continue
            scope = len(SCOPES) - 1 if kinds == {TAG} else max(map(STEPS.__getitem__, kinds))
            rules = [*map(partial(self._boundary, run=run), around, wrong)]
            texts = {"exception": [of[2] for of in rules], "rule": [of[1] for of in rules]}
            for kind, parts in texts.items():
                text = "".join(dict.fromkeys(parts))
                if all(parts) and text not in listed:
                    listed.add(text)
                    yield Proposal(kind, rules[0][0], ".lp", text, SCOPES[scope], scope)

    def _by_tags(self, boundary: tuple[int, int, bool]) -> bool:
        """Whether the tags around a boundary may tell that there is one, or none."""
        side, at, cut = boundary
        before, behind = (self._words.values[TAG].get((side, of), "") for of in (at - 1, at))
        known = ("within", before, behind) if cut else ("begins", behind, "chunk")
        return known not in self._words.known

    def _around(
        self, boundary: tuple[int, int, bool], own: Set[int], *, run: int
    ) -> Sequence[Mapping[int, str]]:
        """Say things of the words around a boundary, by place: narrow to wide; 0 is behind it.

        That there is none the words on both sides tell; that there is one the word behind it, if
        such words begin chunks or it is the claim's own, or the one before, with what is beside it.
        """
        side, at, cut = boundary
        facts, tags = self._words.facts, self._words.values[TAG]
        places = range(0 if cut else -1, run if cut or run > 1 else 1)
        little = {of for of in places if ("which", tags.get((side, at + of))) in facts}
        said = {place: LEMMA if place in little else TAG for place in places}
        if run > 1:
            return [dict.fromkeys(places, LEMMA), said]
        wide = [dict.fromkeys(places, TAG) for places in ((-1, 0, 1), (-2, -1, 0))]
        if not cut:
            return [{-1: LEMMA, 0: LEMMA}, said, {-1: FORM, 0: FORM}, *wide]
        lemma = self._words.said_at(LEMMA, (side, at))[1]
        begins = any(("begins", of) in facts for of in (tags.get((side, at)), lemma.strip('"')))
        cue = 0 if at in own or begins else -1
        beside = 1 if cue == 0 else -2 if at - 2 in own else 0
        alone = {cue: LEMMA} if self._words.tells(side, at + cue) else {cue: LEMMA, beside: LEMMA}
        return [alone, {cue: LEMMA, beside: TAG}, {cue: FORM, beside: TAG}, *wide]

    def _boundary(
        self, around: Mapping[int, str], place: tuple[int, int, bool], *, run: int
    ) -> tuple[str, str, str]:
        """The name and text of a rule about the words around a boundary, and of exceptions.

        There is no text without such words, nor if a rule is as strict and takes no exception.
        """
        side, at, cut = place
        conditions = [
            (place, *self._words.said_at(of, (side, at + place)))
            for place, of in sorted(around.items())
        ]
        said = {place: value for place, _, value in conditions}
        does, head = ("begins", "split") if cut else ("does not begin", "join")
        called = {place: self._words.called(value) for place, value in said.items()}
        where = (
            (word, " and ".join(called[place] for place in places if place in said))
            for word, places in (("after", (-2, -1)), ("at", (0,)), ("before", (1,)))
        )
        says = " ".join(f"{word} {words.replace('’ and ‘', ' ')}" for word, words in where if words)
        body = ", ".join(
            f"{of}(S,I{f'{place:+}' * bool(place)},{value})" for place, of, value in conditions
        )
        behind = ["after"] * (max(said) < 0)
        name = name_of(head, *behind, *(value.strip('"') for value in said.values()))
        token = f"I..I+{run - 1}" if run > 1 else "I"
        if run > 1:
            says = f"{'at each word of' if cut else 'within'} {' '.join(called.values())}"
        rule = _named(name + _MARK, f"a chunk {does} {says}", f"must_{head}(S,{token}) :- {body}.")
        wrongly = {
            firing.probe.rule.name: _STRICT.match(firing.probe.rule.text)
            for atom in self._trace.atoms("must_join" if cut else "must_split")
            if [part.number for part in atom.arguments] == [side, at]
            for firing in self._trace.reasons(atom)
        }
        exceptions = ""
        for strict, variables in wrongly.items():
            if variables is not None:
                condition = re.sub(r"\bS\b", variables[1], re.sub(r"\bI\b", variables[2], body))
                exceptions += f'%@except {strict} "{_sayable(says)}"\n:- {condition}.\n'
        fit = all(said.values()) and (cut or None not in wrongly.values())
        return name, (rule + exceptions * (not cut)) * fit, exceptions * fit

    def _excepted(self, pattern: Pattern, names: Collection[str]) -> Iterator[Proposal]:
        """Exceptions to all of some rules about two spans, where the words are these."""
        if not names or any(_SPANS.search(self._rules.get(name, "")) is None for name in names):
            return
        # What a rule asks for anyway would switch it off: a head in common.
        traits = _TRAIT.findall(pattern.between[0])
        if any(f" {trait}(" in self._rules[name] for trait in traits for name in names):
            return
        says, text = _sayable(pattern.says), ""
        for body in pattern.bodies():
            condition = re.sub(r"\b[I-M]\b", lambda match: _VARIABLES[match[0]], body)
            text += "".join(f'%@except {name} "{says}"\n:- {condition}.\n' for name in names)
        filename = name_of("except", *names, pattern.name)
        borne = self._borne(pattern, "")
        yield Proposal(
            "exception", filename, ".lp", text, SCOPES[pattern.step], pattern.step, *borne
        )

    def _contrasts(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> Sequence[Contrast]:
        """The decisions about two spans; none where they are not aligned."""
        question = " <==> ".join(" ".join(map(str, side)) for side in (tokens1, tokens2))
        try:
            return self._answer.why(question).contrasts
        except UsageError:
            return ()

    def _weights(self, contrasts: Sequence[Contrast], label: str) -> Iterator[Proposal]:
        """The smallest change of one weight that turns a label or an alignment, by its lead."""
        kind, corrections = _LABEL if label else DecisionKind.ALIGN, self._trace.atoms("correction")
        for contrast in contrasts:
            # SPE1 and SPE2 share their weights, so that one would not tell them apart.
            turns = contrast.kind == kind and label == self._words.turned(label)
            turns &= contrast.by is not None and label in ("", (contrast.runner_up or "").lower())
            reasons = [reason for reason in contrast.pros if reason.value and reason.rule]
            for reason in sorted(reasons, key=lambda reason: -reason.points)[:turns]:
                about = f"correction({reason.name},{label or 'align'},"
                change = -((-(contrast.by or 0) - 1) * 100 // (reason.value or 100))
                # It takes the place of the profile's own.
                own = sum(int(atom.arguments[2]) for atom in corrections if atom.startswith(about))
                text = f"{about}{own + change * (1 if label else -1)}).\n"
                scope = f"all decisions that {reason.name} bears on"
                yield Proposal("weight", name_of(reason.name), ".lp", text, scope, len(SCOPES))


def _named(name: str, says: str, rule: str) -> str:
    return f'%@rule {name}: "{_sayable(says)}"\n{rule}\n'


def _named_words(line: str) -> Iterator[list[str]]:
    """The words that a rule or an entry of a table names; each phrase by itself as well."""
    sides = re.split(r" (?:=|<>) ", line)[: 2 * ("(" not in line)]
    yield " ".join(re.findall(r'"([^"]*)"', line) or sides).split()
    yield from (side.split() for side in sides if " " in side)


def _begins(part: str, word: str) -> bool:
    """Whether a word may be a form of another; short ones say too little."""
    return len(part) > 2 and word.startswith(part[:4])


def _sayable(text: str) -> str:
    """A text as the sentence of a directive."""
    return re.sub(r'["\\]', "", text).replace("{", "{{").replace("}", "}}")


def wrong_decisions(answer: Answer, gold: Reference, profile: str) -> Iterator[Example]:
    """The claims of gold that an answer breaks, of those whose words say which tokens they mean."""
    right, pair = given_answer(gold.pair, gold.alignments), answer.pair
    texts = [side.spaced for side in pair.sentences]
    chunks = list(zip(answer.chunks, right.chunks, strict=True))
    # Gold does not tell several chunks that are aligned as one from one chunk.
    whole = [{line.sides[side] for line in answer.alignments} for side in (0, 1)]
    wanted: list[tuple[tuple[tuple[int, ...], tuple[int, ...]], str]] = [
        ((chunk.tokens, ()) if side == 1 else ((), chunk.tokens), f"{side}: {{{side - 1}}}")
        for side, (ours, theirs) in enumerate(chunks, 1)
        for chunk in theirs
        if chunk not in ours and chunk.tokens not in whole[side - 1]
    ]
    labelled = set[object]()
    for change in find_changes(Answered.of(answer), Answered.of(right)):
        sides = change.tokens1, change.tokens2
        if change.kind is ChangeKind.LABEL:
            labelled.add(sides)
        # What has other chunks cannot be aligned before these are right.
        unbroken = all(
            {*chunk.tokens} <= {*tokens} or not {*chunk.tokens} & {*tokens}
            for tokens, (ours, theirs) in zip(sides, chunks, strict=True)
            for chunk in (*ours, *theirs)
        )
        # The score of another label is another one.
        scored = change.kind is ChangeKind.SCORE and sides in labelled
        if unbroken and not scored and change.kind not in _UNSAID:
            claim = "aligned" if change.new else "not aligned"
            wanted.append((sides, f"{{}} ~ {{}} {claim if change.kind == 'align' else change.new}"))
    for sides, text in wanted:
        words = (quoted(side.words(at)) for side, at in zip(pair.sentences, sides, strict=True))
        with suppress(RuleError):
            example = claimed(texts, text.format(*words), profile)
            # What is aligned as a part of more is not unaligned.
            if example.claim.places(pair) == sides and not example.claim.doubts(right):
                yield example
