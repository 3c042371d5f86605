"""Edits of words, rules and weights that may make a claim about a pair hold.

Whether an edit does what it should is tried, not guessed: see :mod:`ists_asp.fix.trial`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, product

from ists_asp.compare.comparison import Answered, ChangeKind, find_changes
from ists_asp.engine import SolvedAnswer
from ists_asp.errors import RuleError, UsageError
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.patterns import LEMMA, SCOPES, TAG, WORD, Pattern, Words, name_of
from ists_asp.io.wa import given_answer
from ists_asp.model import Answer
from ists_asp.rules.examples import Claim, Example, claimed
from ists_asp.syntax.ground import quoted
from ists_asp.trace.contrast import Contrast
from ists_asp.trace.decisions import Because, DecisionKind

KINDS = ("words", "rule", "exception", "weight")
# What is said of the words around a boundary, by their places, of which 0 is behind it; nothing
# stands for the lemmas of the chunk's own.
_CUTS: Sequence[Mapping[int, str]] = (
    {-1: WORD, 0: WORD},
    {-1: LEMMA, 0: LEMMA},
    {},
    {-1: TAG, 0: WORD},
    {-1: TAG, 0: LEMMA},
    {-1: LEMMA, 0: TAG},
    {-1: TAG, 0: TAG, 1: TAG},
    {-2: TAG, -1: TAG, 0: TAG},
    {-1: TAG, 0: TAG},
)
_LONGEST = 8  # words of a phrase in a table
_TRIED = 8  # pairs of words that are tried for a claim about the text, the rating or the verdict
_ENTRY = re.compile(r"[^\s\"\\=<>#|]+( [^\s\"\\=<>#|]+)*")
_LABEL = DecisionKind.LABEL
_UNSAID = (ChangeKind.BOUNDARY, ChangeKind.UNALIGNED, ChangeKind.TAG)  # of these no claim is made
_SPLITS = re.compile(r"must_split\((\w+),(\w+)\) :-")
_SPANS = re.compile(r"\bX\b.*\bY\b", re.DOTALL)
_PULLS = (200, 600)  # hundredths of log-odds that are tried for an alignment
_MARK = "\0"  # behind the names of rules in a draft, where a number may follow
_MARKED = re.compile(rf"^%@rule (\w+){_MARK}", re.MULTILINE)
_SIGNS = {"EQUI": "=", "OPPO": "<>"}
_VERDICTS = {"correct": ("=",), "contradictory": ("<>",)}
_MIRRORED = {"spe1": "spe2", "spe2": "spe1"}
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

    @property
    def wide(self) -> bool:
        """Whether it may be about any words."""
        return self.scope == SCOPES[-1]

    def may_touch(self, sentences: Sequence[str]) -> bool:
        """Whether all words of a rule or entry stand in sentences, whatever their ends."""
        words = " ".join(sentences).lower().split()
        lines = (line for line in self.text.splitlines() if not line.startswith("%"))
        named = (_named_words(line.partition("\t")[0]) for line in lines)
        return any(
            all(any(word.startswith(part[:4]) for word in words) for part in parts)
            for parts in named
            if parts
        )


def proposals(answer: SolvedAnswer, examples: Sequence[Example]) -> list[Proposal]:
    """Edits for claims about the pair of an answer: words first, then rules, weights last."""
    used = set[str]()
    edits = (
        finished(draft, example, used) for example in examples for draft in drafts(answer, example)
    )
    return sorted(dict.fromkeys(edits), key=lambda edit: (KINDS.index(edit.kind), edit.step))


def drafts(answer: SolvedAnswer, example: Example) -> Iterator[Proposal]:
    """Edits for a claim without its example; behind each name of a rule is a :data:`_MARK`."""
    return _Writer(answer, example.claim).drafts()


def finished(draft: Proposal, example: Example, used: set[str]) -> Proposal:
    """A draft with its example, whose rules get a number if their names are ``taken``."""
    names = _MARKED.findall(draft.text)
    ends = (f"_{number}" * (number > 1) for number in count(1))
    end = next(end for end in ends if used.isdisjoint(name + end for name in names))
    used.update(name + end for name in names)
    text = draft.text.replace(_MARK, end)
    if draft.suffix == ".tsv":
        text += f"\t{example.text}\n"
    elif draft.kind != KINDS[-1]:
        text = f"%@example {example.text}\n{text}"
    return replace(draft, name=draft.name + end, text=text)


class _Writer:
    """Writes edits for a claim about the pair of an answer."""

    def __init__(self, answer: SolvedAnswer, claim: Claim) -> None:
        self._answer, self._claim = answer, claim
        self._trace = answer.trace()
        self._words = Words(answer)
        self._rules = {rule.name: rule.text for rule in self._trace.reified.rules.rules}

    def drafts(self) -> Iterator[Proposal]:
        """The edits for the claim."""
        claim, answer = self._claim, self._answer
        if claim.kind == "chunk":
            yield from self._cut(claim.places(answer.pair))
        elif claim.kind == "link" and not claim.denied:
            yield from self._linked(*claim.places(answer.pair))
        elif claim.kind in ("link", "free"):
            for tokens1, tokens2 in claim.sides(answer):
                yield from self._denied(tokens1, tokens2)
        else:
            yield from self._said()

    def _linked(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> Iterator[Proposal]:
        label, score = self._claim.label.partition("_")[0], self._claim.score
        apart, contrasts = self._words.apart(tokens1, tokens2), self._contrasts(tokens1, tokens2)
        if sign := _SIGNS.get(label or ("EQUI" if score == "5" else "")):
            yield from self._entries(sign, *apart)
        for pattern in self._words.patterns(tokens1, tokens2):
            # What is true both ways round does not tell which side is more specific.
            if label.lower() in _MIRRORED and len([*pattern.bodies()]) == 1:
                continue
            pulled = [
                self._rule(pattern, ["evidence(pair(X,Y),{0},100)"], "proposed", f"{weight}.")
                for weight in (f"weight({{0}},align,{pull})" for pull in _PULLS)
            ]
            if label:
                wanted = label.lower()
                forbids = "forbidden_label(X,Y,M) :- licensed(X,Y,L,{0}), label_type(M), M != L."
                both = wanted, _MIRRORED.get(wanted, wanted)
                heads = [f"licensed(X,Y,{of},{{0}})" for of in both]
                named = replace(pattern, name=pattern.name + "_label" * (not contrasts))
                labelled = self._rule(named, heads, "viable", forbids)
                forbidding = [reason for contrast in contrasts for reason in contrast.forbidding]
                yield from self._excepted(pattern, forbidding)
            elif score:
                others = ";".join(digit for digit in "1234" if digit != score)
                named = replace(pattern, name=pattern.name + "_score" * (not contrasts))
                labelled = self._rule(named, [f"forbidden_score(X,Y,({others}))"], "viable")
            else:
                yield from pulled
                continue
            # What is not aligned has to be before it is labelled.
            if contrasts:
                yield labelled
            else:
                yield from (replace(pull, text=pull.text + labelled.text) for pull in pulled)
        yield from self._weights(contrasts, label)

    def _denied(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> Iterator[Proposal]:
        label, score = self._claim.label.partition("_")[0].lower(), self._claim.score
        contrasts = self._contrasts(tokens1, tokens2)
        labels = [contrast for contrast in contrasts if contrast.kind == _LABEL]
        licences = [reason for contrast in labels for reason in contrast.because]
        if label == "equi":
            yield from self._entries("<>", *self._words.apart(tokens1, tokens2))
        for pattern in self._words.patterns(tokens1, tokens2):
            if label:
                both = label, _MIRRORED.get(label, label)
                heads = [f"forbidden_label(X,Y,{of})" for of in both]
                yield self._rule(pattern, heads, "viable")
                yield from self._excepted(pattern, licences)
            elif score:
                yield self._rule(pattern, [f"forbidden_score(X,Y,{score})"], "viable")
            else:
                yield self._rule(pattern, ["forbidden_pair(X,Y)"], "proposed")
        yield from self._weights(contrasts, "")

    def _said(self) -> Iterator[Proposal]:
        """Entries for claims about the whole pair: of phrases that only one side has each."""
        unshared = self._words.unshared(*(range(1, size + 1) for size in self._answer.pair.sizes))
        verdict = self._claim.value if self._claim.kind == "verdict" else ""
        for sign in _VERDICTS.get(verdict, _SIGNS.values()):
            # Opposite are words; what means the same may be all that follows a verb.
            longer = sign == _SIGNS["EQUI"]
            phrases = [
                self._words.phrases(side, {*of}, longer=longer)
                for side, of in enumerate(unshared, 1)
            ]
            both = [*product(*phrases)]
            alike = [two for two in both if two[0][1] == two[1][1] or not (two[0][1] and two[1][1])]
            for (one, _), (two, _) in (alike or both)[:_TRIED]:
                yield from self._entry(sign, self._told(1, one), self._told(2, two), 1)

    def _told(self, side: int, tokens: Sequence[int]) -> str:
        """A word by its lemma, several by their forms."""
        return self._words.text(LEMMA if len(tokens) == 1 else WORD, side, tokens)

    def _entries(self, sign: str, *tokens: Sequence[int]) -> Iterator[Proposal]:
        """Entries of a table of words: of forms, and of lemmas where these are others."""
        texts = {
            tuple(self._words.text(of, side, at) for side, at in enumerate(tokens, 1)): step
            for step, of in ((1, LEMMA), (0, WORD))
        }
        for (one, two), step in sorted(texts.items(), key=lambda both: both[1]):
            yield from self._entry(sign, one, two, step)

    def _entry(self, sign: str, one: str, two: str, step: int) -> Iterator[Proposal]:
        fit = all(_ENTRY.fullmatch(side) and side.count(" ") < _LONGEST for side in (one, two))
        if fit and one != two:
            text = f"{one} {sign} {two}"
            yield Proposal("words", name_of(one, two), ".tsv", text, SCOPES[step], step)

    def _rule(
        self, pattern: Pattern, heads: Sequence[str], guard: str, extra: str = ""
    ) -> Proposal:
        """A file with a rule for each way round; ``{0}`` in heads and ``more`` is its name."""
        name, says = pattern.name + _MARK, pattern.says
        ways = [*zip(pattern.bodies(), (*heads, *heads), strict=False)]
        rules = []
        for place, (body, head) in enumerate(ways):
            rule = f"{head.format(name)} :- {guard}(X,Y), {body}."
            rules.append(_named(name + "_reversed" * place, says, rule))
        if extra:
            last = extra.format(name)
            rules.append(_named(f"{name}_only", says, last) if ":-" in last else f"{last}\n")
        return Proposal("rule", pattern.name, ".lp", "".join(rules), pattern.scope, pattern.step)

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
        listed = set[str]()
        for step, around in enumerate(_CUTS if wrong else ()):
            rules = []
            for side, at, cut in wrong:
                own = [place for place in (-1, 0, -2, 1) if at + place in spans[side - 1]][:2]
                places = around or dict.fromkeys(sorted(own), LEMMA)
                rules.append(self._boundary(places, side, at, cut))
            used = {*(around.values() or [LEMMA])}
            text = "".join(dict.fromkeys(text for _, text in rules))
            plain = text.replace(f"{LEMMA}(", f"{WORD}(")
            if all(text for _, text in rules) and plain not in listed:
                listed.add(plain)
                scope = SCOPES[3 if TAG in used else used == {LEMMA}]
                yield Proposal("rule", rules[0][0], ".lp", text, scope, step)

    def _boundary(
        self, around: Mapping[int, str], side: int, at: int, cut: bool
    ) -> tuple[str, str]:
        """The name and text of a rule about the words around a boundary; no text without these."""
        said = {
            place: self._words.values[of].get((side, at + place), "")
            for place, of in around.items()
        }
        does, head = ("begins", "split") if cut else ("does not begin", "join")
        where = (
            (word, " ".join(said[place] for place in places if place in said))
            for word, places in (("after", (-2, -1)), ("at", (0,)), ("before", (1,)))
        )
        says = " ".join(f"{word} {words}" for word, words in where if words).replace('"', "’")
        body = ", ".join(
            f"{of}(S,I{f'{place:+}' * bool(place)},{said[place]})" for place, of in around.items()
        )
        name = name_of(head, *(value.strip('"') for value in said.values()))
        rule = _named(name + _MARK, f"a chunk {does} {says}", f"must_{head}(S,I) :- {body}.")
        wrongly = (
            firing.probe.rule
            for atom in self._trace.atoms("must_split")
            if not cut and [part.number for part in atom.arguments] == [side, at]
            for firing in self._trace.reasons(atom)
        )
        for splitting in wrongly:
            if (variables := _SPLITS.match(splitting.text)) is None:
                return name, ""
            condition = re.sub(r"\bS\b", variables[1], re.sub(r"\bI\b", variables[2], body))
            rule += f'%@except {splitting.name} "{_sayable(says)}"\n:- {condition}.\n'
        return name, rule * all(said.values())

    def _excepted(self, pattern: Pattern, because: Sequence[Because]) -> Iterator[Proposal]:
        """Exceptions to all of some rules about two spans, where the words are these."""
        names = dict.fromkeys(reason.rule.name for reason in because)
        if not names or any(_SPANS.search(self._rules.get(name, "")) is None for name in names):
            return
        says, text = _sayable(pattern.says), ""
        for body in pattern.bodies():
            condition = re.sub(r"\b[I-M]\b", lambda match: _VARIABLES[match[0]], body)
            text += "".join(f'%@except {name} "{says}"\n:- {condition}.\n' for name in names)
        filename = name_of("except", *names, pattern.name)
        yield Proposal("exception", filename, ".lp", text, pattern.scope, pattern.step)

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
            turns = contrast.kind == kind and label.lower() not in _MIRRORED
            turns = turns and contrast.by is not None and label in ("", contrast.runner_up)
            reasons = [reason for reason in contrast.pros if reason.value and reason.rule]
            for reason in sorted(reasons, key=lambda reason: -reason.points)[:turns]:
                about = f"correction({reason.name},{label.lower() or 'align'},"
                change = -((-(contrast.by or 0) - 1) * 100 // (reason.value or 100))
                # It takes the place of the profile's own.
                own = sum(int(atom.arguments[2]) for atom in corrections if atom.startswith(about))
                text = f"{about}{own + change * (1 if label else -1)}).\n"
                scope = f"all decisions that {reason.name} bears on"
                yield Proposal("weight", name_of(reason.name), ".lp", text, scope, 4)


def _named(name: str, says: str, rule: str) -> str:
    return f'%@rule {name}: "{_sayable(says)}"\n{rule}\n'


def _named_words(line: str) -> list[str]:
    """The words that a rule or an entry of a table names."""
    sides = re.split(r" (?:=|<>) ", line)[: 2 * ("(" not in line)]
    return " ".join(re.findall(r'"([^"]*)"', line) or sides).split()


def _sayable(text: str) -> str:
    """A text as the sentence of a directive."""
    return re.sub(r'["\\]', "", text).replace("{", "{{").replace("}", "}}")


def wrong_decisions(answer: Answer, gold: Reference, profile: str) -> Iterator[Example]:
    """The claims of gold that an answer breaks, of those whose words say which tokens they mean."""
    right, pair = given_answer(gold.pair, gold.alignments), answer.pair
    texts = [side.spaced for side in pair.sentences]
    chunks = list(zip(answer.chunks, right.chunks, strict=True))
    wanted: list[tuple[tuple[tuple[int, ...], tuple[int, ...]], str]] = [
        ((chunk.tokens, ()) if side == 1 else ((), chunk.tokens), f"{side}: {{{side - 1}}}")
        for side, (ours, theirs) in enumerate(chunks, 1)
        for chunk in theirs
        if chunk not in ours
    ]
    labelled = set[object]()
    for change in find_changes(Answered.of(answer), Answered.of(right)):
        sides = change.tokens1, change.tokens2
        if change.kind is ChangeKind.LABEL:
            labelled.add(sides)
        # What has other chunks cannot be aligned before these are right.
        whole = all(
            {*chunk.tokens} <= {*tokens} or not {*chunk.tokens} & {*tokens}
            for tokens, (ours, _) in zip(sides, chunks, strict=True)
            for chunk in ours
        )
        # The score of another label is another one.
        scored = change.kind is ChangeKind.SCORE and sides in labelled
        if whole and not scored and change.kind not in _UNSAID:
            claim = "aligned" if change.new else "not aligned"
            wanted.append((sides, f"{{}} ~ {{}} {claim if change.kind == 'align' else change.new}"))
    for sides, text in wanted:
        words = (quoted(side.words(at)) for side, at in zip(pair.sentences, sides, strict=True))
        with suppress(RuleError):
            example = claimed(texts, text.format(*words), profile)
            if example.claim.places(pair) == sides:
                yield example
