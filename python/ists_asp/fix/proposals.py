"""Edits of words, rules and weights that may make a claim about a pair hold.

A pattern is generalised upwards from the words of the pair: their forms, their lemmas, one lemma
and how the other word is like it, only how they are alike and their tags (the least general
generalisation of Plotkin 1970, in four steps). Whether an edit does what it should is tried, not
guessed: see :mod:`ists_asp.fix.trial`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, islice, product

from ists_asp import vocabulary as v
from ists_asp.compare.comparison import Answered, ChangeKind, find_changes
from ists_asp.engine import SolvedAnswer
from ists_asp.errors import RuleError, UsageError
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.wa import given_answer
from ists_asp.model import Answer
from ists_asp.resources import rules_dir
from ists_asp.rules.examples import Claim, Example, claimed
from ists_asp.syntax.ground import quoted
from ists_asp.trace.contrast import Contrast
from ists_asp.trace.decisions import Because, DecisionKind

KINDS = ("words", "rule", "exception", "weight")
# What is said of the word at a boundary, and of the one before it.
_CUTS = [(v.WORD.name,) * 2, (v.LEMMA.name,) * 2, (v.WORD.name, v.UPOS.name)]
_CUTS += [(v.LEMMA.name, v.UPOS.name), (v.UPOS.name, v.LEMMA.name), (v.UPOS.name,) * 2]
_SCOPES = ("these words", "these lemmas", "{} and words like it", "all such words")
_LONGEST = 4  # words of a phrase in a table
_TRIED = 8  # pairs of words that are tried for a claim about the text, the rating or the verdict
_ENTRY = re.compile(r"[^\s\"\\=<>#|]+( [^\s\"\\=<>#|]+)*")
_LABEL = DecisionKind.LABEL
_UNSAID = (ChangeKind.BOUNDARY, ChangeKind.UNALIGNED, ChangeKind.TAG)  # of these no claim is made
_SPANS = re.compile(r"\bX\b.*\bY\b", re.DOTALL)
_PULLS = (200, 600)  # hundredths of log-odds that are tried for an alignment
_MARK = "\0"  # behind the names of rules in a draft, where a number may follow
_MARKED = re.compile(rf"^%@rule (\w+){_MARK}", re.MULTILINE)
_SIGNS = {"EQUI": "=", "OPPO": "<>"}
_VERDICTS = {"correct": ("=",), "contradictory": ("<>",)}
_LIKE = {"propn": "noun", "aux": "verb"}  # tags whose words may mean what those of others mean
_MIRRORED = {"spe1": "spe2", "spe2": "spe1"}
_PLACES = (("1", "X", "I"), ("2", "Y", "J"))
"""Sentence, span and token of both sides in a rule."""
_TOKENS = {"I": "Token1", "J": "Token2"}
"""Names for tokens in an exception, whose rule may call others I and J."""


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
        return self.scope == _SCOPES[-1]

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


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The conditions on two spans."""

    name: str
    says: str  # a sentence that is true where they are met
    # On the words of each span, by predicate and argument, next to one another.
    sides: tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]
    scope: str
    step: int
    between: str = ""  # a condition on the last words of both

    def bodies(self) -> Iterator[str]:
        """The conditions, and those with the sentences swapped if they are others."""
        yield from dict.fromkeys((self._body(self.sides), self._body(self.sides[::-1])))

    def _body(self, sides: Sequence[Sequence[tuple[str, str]]]) -> str:
        parts, lacks = [], []
        for conditions, other, (side, span, token) in zip(sides, sides[::-1], _PLACES, strict=True):
            within = f"span_token({side},{span},{token})"
            parts += [within] * bool(conditions or self.between)
            for place, (predicate, value) in enumerate(conditions):
                at = f"{token}+{place}" if place else token
                parts.append(f"{predicate}({side},{at},{value})")
            # What only the other side has is nowhere on this one.
            if not (conditions or self.between):
                lacks.append(f"not {other[0][0]}({side},{token},{other[0][1]}) : {within}")
        return "; ".join((", ".join((*parts, *filter(None, [self.between]))), *lacks))


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
        self._values = {
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
        apart, contrasts = self._apart(tokens1, tokens2), self._contrasts(tokens1, tokens2)
        if sign := _SIGNS.get(label or ("EQUI" if score == "5" else "")):
            yield from self._entries(sign, *apart)
        for pattern in self._patterns(*apart):
            if label:
                wanted = label.lower()
                forbids = "forbidden_label(X,Y,M) :- licensed(X,Y,L,{0}), label_type(M), M != L."
                both = wanted, _MIRRORED.get(wanted, wanted)
                heads = [f"licensed(X,Y,{of},{{0}})" for of in both]
                yield self._rule(pattern, heads, "viable", forbids)
                forbidding = [reason for contrast in contrasts for reason in contrast.forbidding]
                yield from self._excepted(pattern, forbidding)
            elif score:
                others = ";".join(digit for digit in "1234" if digit != score)
                yield self._rule(pattern, [f"forbidden_score(X,Y,({others}))"], "viable")
            else:
                for pull in _PULLS:
                    weight = f"weight({{0}},align,{pull})."
                    yield self._rule(pattern, ["evidence(pair(X,Y),{0},100)"], "proposed", weight)
        yield from self._weights(contrasts, label)

    def _denied(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> Iterator[Proposal]:
        label, score = self._claim.label.partition("_")[0].lower(), self._claim.score
        apart, contrasts = self._apart(tokens1, tokens2), self._contrasts(tokens1, tokens2)
        labels = [contrast for contrast in contrasts if contrast.kind == _LABEL]
        licences = [reason for contrast in labels for reason in contrast.because]
        if label == "equi":
            yield from self._entries("<>", *apart)
        for pattern in self._patterns(*apart):
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
        """Entries for what is about the pair as a whole: of like words that only one side has."""
        apart = self._apart(*(range(1, size + 1) for size in self._answer.pair.sizes))
        says = [
            [at for at in of if (side, at) in self._content] for side, of in enumerate(apart, 1)
        ]
        tags = self._values[v.UPOS.name]
        kinds = [
            {at: _LIKE.get(tags[side, at], tags[side, at]) for at in of}
            for side, of in enumerate(says, 1)
        ]
        verdict = self._claim.value if self._claim.kind == "verdict" else ""
        alike = (both for both in product(*says) if kinds[0][both[0]] == kinds[1][both[1]])
        for first, second in islice(alike, _TRIED):
            for sign in _VERDICTS.get(verdict, _SIGNS.values()):
                yield from self._entries(sign, [first], [second])

    def _apart(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> tuple[list[int], list[int]]:
        """The words that two sides do not share, by lemmas; all words where they share all."""
        lemmas = self._values[v.LEMMA.name]
        sides = (1, tokens1), (2, tokens2)
        lemmas_of = [{lemmas.get((side, at)) for at in of} for side, of in sides]
        parts = []
        for side, of in sides:
            unshared = [at for at in of if lemmas.get((side, at)) not in lemmas_of[2 - side]]
            tells = [at for at in unshared if (side, at) in self._content]
            parts.append([*range(tells[0], tells[-1] + 1)] if tells else unshared)
        return (parts[0], parts[1]) if any(parts) else ([*tokens1], [*tokens2])

    def _text(self, of: str, side: int, tokens: Sequence[int]) -> str:
        return " ".join(self._values[of].get((side, at), "").strip('"') for at in tokens)

    def _entries(self, sign: str, *tokens: Sequence[int]) -> Iterator[Proposal]:
        """Entries of a table of words: of forms, and of lemmas where these are others."""
        listed: set[tuple[str, str]] = set()
        for step, of in enumerate((v.WORD.name, v.LEMMA.name)):
            sides = self._text(of, 1, tokens[0]), self._text(of, 2, tokens[1])
            fit = all(_ENTRY.fullmatch(side) and side.count(" ") < _LONGEST for side in sides)
            if fit and sides not in listed and sides[0] != sides[1]:
                listed.add(sides)
                text = f"{sides[0]} {sign} {sides[1]}"
                yield Proposal("words", _name(*sides), ".tsv", text, _SCOPES[step], step)

    def _patterns(self, tokens1: Sequence[int], tokens2: Sequence[int]) -> Iterator[_Pattern]:
        """The conditions that both sides meet, from narrow to wide."""
        sides = (1, tokens1), (2, tokens2)
        # Tags alone say enough where one side has what the other lacks.
        names = [(0, v.WORD.name), (1, v.LEMMA.name), (3, v.UPOS.name)]
        for step, of in names[:2] if tokens1 and tokens2 else names:
            texts = [self._text(of, *side) for side in sides]
            quotes = [f"‘{text}’" for text in texts if text]
            says = "{} on one side, {} on the other" if all(texts) else "only one side has {}"
            listed = [
                [(of, value) for at in tokens if (value := self._values[of].get((side, at)))]
                for side, tokens in sides
            ]
            named = _name(*filter(None, texts)), says.format(*quotes)
            yield _Pattern(*named, (listed[0], listed[1]), _SCOPES[step], step)
        if not (tokens1 and tokens2):
            return
        heads = tuple(
            next((at for at in reversed(tokens) if (side, at) in self._heads), tokens[-1])
            for side, tokens in sides
        )
        lemmas, tags = (
            [(name, self._values[name].get((side, at), "")) for side, at in enumerate(heads, 1)]
            for name in (v.LEMMA.name, v.UPOS.name)
        )
        words = [lemma.strip('"') for _, lemma in lemmas]
        if len(tokens1) + len(tokens2) > 2 and all(words) and words[0] != words[1]:
            says = "‘{}’ on one side, ‘{}’ on the other".format(*words)
            yield _Pattern(_name(*words), says, ([lemmas[0]], [lemmas[1]]), _SCOPES[1], 1)
        kinds = (
            str(atom.arguments[2])
            for atom in self._trace.atoms("alike")
            if tuple(part.number for part in atom.arguments[:2]) == heads
        )
        for kind in dict.fromkeys(kinds):
            alike = f"alike(I,J,{kind},_)"
            for side, lemma in enumerate(lemmas):
                word = lemma[1].strip('"')
                says = f"‘{word}’ and a word like it ({kind})"
                scope = _SCOPES[2].format(f"‘{word}’")
                at = ([lemma], []) if side == 0 else ([], [lemma])
                yield _Pattern(_name(word, kind), says, at, scope, 2, alike)
            both, (tag1, tag2) = ([tags[0]], [tags[1]]), (tag for _, tag in tags)
            says = f"words with the tags {tag1} and {tag2} are alike ({kind})"
            yield _Pattern(_name(tag1, tag2, kind), says, both, _SCOPES[3], 3, alike)

    def _rule(
        self, pattern: _Pattern, heads: Sequence[str], guard: str, extra: str = ""
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

    def _cut(self, places: Sequence[Sequence[int]]) -> Iterator[Proposal]:
        """Rules that cut at both ends of a chunk, and not within it, where that is not so."""
        wrong: list[tuple[int, int, bool]] = []
        for side, (tokens, size) in enumerate(zip(places, self._answer.pair.sizes, strict=True), 1):
            starts = {chunk.first for chunk in self._answer.chunks[side - 1]}
            ends = (tokens[0], tokens[-1] + 1) if tokens else ()
            wanted = {**dict.fromkeys(tokens, False), **dict.fromkeys(ends, True)}
            wrong += [
                (side, at, cut)
                for at, cut in wanted.items()
                if 1 < at <= size and (at in starts) != cut
            ]
        for step, (of, before) in enumerate(_CUTS if wrong else ()):
            rules: dict[str, str] = {}
            for side, at, cut in wrong:
                value, behind = self._values[of][side, at], self._values[before][side, at - 1]
                does, head = ("begins", "split") if cut else ("does not begin", "join")
                sentence = f"a chunk {does} at {value} behind {behind}".replace('"', "’")
                name = _name(value, head, behind)
                name += f"_at_{at}" * (name in rules)
                body = f"{of}(S,I,{value}), {before}(S,I-1,{behind})"
                rules[name] = _named(name + _MARK, sentence, f"must_{head}(S,I) :- {body}.")
            scope = _SCOPES[3 if v.UPOS.name in (of, before) else of == before == v.LEMMA.name]
            yield Proposal("rule", next(iter(rules)), ".lp", "".join(rules.values()), scope, step)

    def _excepted(self, pattern: _Pattern, because: Sequence[Because]) -> Iterator[Proposal]:
        """Exceptions to all of some rules about two spans, where the words are these."""
        names = dict.fromkeys(reason.rule.name for reason in because)
        if not names or any(_SPANS.search(self._rules.get(name, "")) is None for name in names):
            return
        says, text = _sayable(pattern.says), ""
        for body in pattern.bodies():
            condition = re.sub(r"\b[IJ]\b", lambda match: _TOKENS[match[0]], body)
            text += "".join(f'%@except {name} "{says}"\n:- {condition}.\n' for name in names)
        filename = _name("except", *names, pattern.name)
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
                yield Proposal("weight", _name(reason.name), ".lp", text, scope, 4)


def _named(name: str, says: str, rule: str) -> str:
    return f'%@rule {name}: "{_sayable(says)}"\n{rule}\n'


def _named_words(line: str) -> list[str]:
    """The words that a rule or an entry of a table names."""
    sides = re.split(r" (?:=|<>) ", line)[: 2 * ("(" not in line)]
    return " ".join(re.findall(r'"([^"]*)"', line) or sides).split()


def _sayable(text: str) -> str:
    """A text as the sentence of a directive."""
    return re.sub(r'["\\]', "", text).replace("{", "{{").replace("}", "}}")


def _name(*parts: str) -> str:
    """A name for rules and a file, of the letters of some texts."""
    plain = unicodedata.normalize("NFKD", "_".join(parts)).encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "_", plain.lower()).strip("_")[:60].rstrip("_")
    name = name if name[:1].isalpha() else f"n{name}"
    # A file of a shipped one's name would take its place.
    return f"{name}_words" if name in _shipped_names() else name


@cache
def _shipped_names() -> frozenset[str]:
    return frozenset(path.stem for path in rules_dir().rglob("*.lp"))


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
