"""Questions of ``why`` and ``why-not``: a decision as in a ``.wa`` file, or an atom.

``3 4 5 <==> 3 4``, with a label ``3 4 5 <==> 3 4 // EQUI``, with a score ``… // EQUI // 5``;
``6 <==> 0``, ``6 <==> 0 // NOALI`` or ``6 <==> 0 // ALIC`` for a chunk without a counterpart;
``1: 3 4 5`` for a chunk of sentence 1. The rating of a pair, ``rating``, has a trace of its own.
An atom is ``alike(5,5,_,_)``: ``_`` stands for whatever there is. Words stand for their chunks:
``power``, ``the bulb`` and ``EQUI`` are words of sentence 1, words of sentence 2 and a label, as is
the claim of an example, ``"power" ~ "the bulb" EQUI``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from clingo import SymbolType, parse_term

from ists_asp.errors import UsageError, shortened
from ists_asp.model import Answer, Label, Pair, Tag
from ists_asp.rules.check.names import suggestion
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.trees import ANY
from ists_asp.trace.decisions import DecisionKind, numbers, tokens_text
from ists_asp.trace.instances import agrees
from ists_asp.trace.trace import Trace
from ists_asp.vocabulary import ALIGNED, BOUNDARY, LABEL, SCORE, SPAN, TAG

_FORM = (
    '"3 4 5 <==> 3 4", with "// LABEL" and "// SCORE" if you like, a chunk "1: 3 4 5", or "rating"'
)


@dataclass(frozen=True, slots=True)
class Question:
    """A decision to explain."""

    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]  # empty for what is left over
    side: int = 0  # the sentence of a chunk, of which tokens1 are tokens
    label: Label | None = None
    tags: frozenset[Tag] = frozenset()
    score: int | None = None


def is_rating(text: str) -> bool:
    """Whether a question is about the rating of the pair."""
    if not isinstance(text, str):
        raise UsageError(f"{text!r} is not a decision", expected=_FORM)
    return text.strip() == DecisionKind.RATING


_NUMBERED = re.compile(r".*<==>.*|\s*\w+\s*:[\s\d,-]*|\s*-?[a-z_][\w']*\(.*\)\s*", re.DOTALL)
"""Questions by numbers, or about an atom, and not by words."""
_CLAIM = re.compile(
    r'\s*(?:"?([^"~]+?)"?\s*~\s*"?([^"~]+?)"?|(?:chunk\s*|([12])\s*:\s*)?"([^"]+)")'
    r"(?:\s+(not\s+)?(?:aligned|([A-Z]+[12]?\w*)))?(?:\s+(\d))?\s*"
)
"""The claim of an example: two sides, or the sentence and words of one; not; label and score."""


def by_numbers(phrases: Sequence[str], answer: Answer) -> str:
    """A question by token numbers, whether it was asked by these or by words."""
    phrases = phrases or [""]
    text = phrases[0]
    if len(phrases) == 1 and (is_rating(text) or _NUMBERED.fullmatch(text)):
        return text
    where = f"decision '{shortened(' '.join(phrases))}'"
    of: tuple[int, ...] = (1, 2)
    if len(phrases) == 1 and (claim := _CLAIM.fullmatch(text)):
        *sides, side, lone, denied, label, score = claim.groups()
        if denied and not lone:
            hint = 'Leave out "not", and ask ists-asp why-not, or why if the answer has it'
            raise UsageError("it denies an alignment or label", where=where, hint=hint)
        of = (int(side),) if side else of
        phrases = [*filter(None, (*sides, lone, label or (denied and Label.NOALI), score))]
    named = (n for n, word in enumerate(phrases) if n and word.partition("_")[0] in tuple(Label))
    end = next(named, len(phrases))
    words, label_score = phrases[:end], phrases[end:]
    if len(words) > 2 or len(label_score) > 2:
        hint = "Put each phrase in quotes, and a label in capitals"
        raise UsageError(f"{len(words)} phrases", where=where, expected="one or two", hint=hint)
    if len(words) == 1 and not (label_score and Label(label_score[0].partition("_")[0]).aligned):
        side, tokens = _only(words[0], of, answer, where)
        listed = " ".join(map(str, tokens))
        if not label_score:
            return f"{side}: {listed}"
        sides = [listed, "0"] if side == 1 else ["0", listed]
    else:
        _, tokens1 = _only(words[0], (1,), answer, where)
        _, tokens2 = _only(words[-1], (2,), answer, where)
        for line in answer.alignments:
            if {*tokens1} <= {*line.tokens1} and {*tokens2} <= {*line.tokens2}:
                tokens1, tokens2 = line.sides
        sides = [" ".join(map(str, tokens)) for tokens in (tokens1, tokens2)]
    return " // ".join((" <==> ".join(sides), *label_score))


def _only(
    phrase: str, sides: Sequence[int], answer: Answer, where: str
) -> tuple[int, tuple[int, ...]]:
    """The only chunk, or run of chunks, in which words stand, with its sentence."""
    matches: dict[tuple[int, tuple[int, ...]], str] = {}
    wanted = "".join(phrase.lower().split())
    for side in sides:
        sentence = answer.pair.sentences[side - 1]
        # Blanks do not count: "Anna's dog" has three tokens.
        forms = [token.form.lower() for token in sentence.tokens]
        text, ends = "".join(forms), list(accumulate(map(len, forms), initial=0))
        for n in range(len(forms)) if wanted else ():
            end = ends[n] + len(wanted)
            if text.startswith(wanted, ends[n]) and end in ends:
                parts = _chunks_of(answer, side, range(n + 1, ends.index(end) + 1))
                tokens = tuple(token for _, part in parts for token in part)
                matches[side, tokens] = f"{side}: {tokens_text(tokens)} ({sentence.words(tokens)})"
    place = f"sentence {sides[0]}" if len(sides) == 1 else "either sentence"
    if not matches:
        fault = f"there is no '{shortened(phrase)}' in {place}"
        raise UsageError(fault, where=where, expected=f"words of it, or {_FORM}")
    if len(matches) > 1:
        fault = f"'{phrase}' stands in {len(matches)} chunks, {', '.join(matches.values())}"
        hint = 'Ask by token numbers, as in "3 4 <==> 3" or "1: 3 4", or with more words'
        raise UsageError(fault, where=where, hint=hint)
    return next(iter(matches))


def read_question(text: str, answer: Answer) -> Question:
    """Read a decision; a chunk without counterpart or label has the answer's, NOALI or ALIC."""
    where = f"decision '{shortened(text)}'"
    if "<==>" in text:
        return _alignment(text, answer, where)
    side, colon, tokens = text.partition(":")
    if not colon:
        raise UsageError("it is neither an alignment nor a chunk", where=where, expected=_FORM)
    if side.strip() not in ("1", "2"):
        raise UsageError(f"there is no sentence {side.strip()}", where=where, expected="1 or 2")
    number = int(side)
    tokens_ = _tokens(tokens, answer.pair, number, where)
    if not tokens_ or tokens_ != tuple(range(tokens_[0], tokens_[-1] + 1)):
        raise UsageError("a chunk is a run of neighbouring tokens", where=where, expected=_FORM)
    return Question(tokens_, (), number)


def _alignment(text: str, answer: Answer, where: str) -> Question:
    sides, *more = (part.strip() for part in text.split("//"))
    first, _, second = sides.partition("<==>")
    if len(more) > 2:
        raise UsageError(f"'{more[2]}' is more than label and score", where=where, expected=_FORM)
    tokens1 = _tokens(first, answer.pair, 1, where)
    tokens2 = _tokens(second, answer.pair, 2, where)
    label, tags = _label(more[0], where) if more and more[0] else (None, frozenset[Tag]())
    score = _score(more[1], where) if len(more) > 1 and more[1] not in ("", "NIL") else None
    if not tokens1 and not tokens2:
        raise UsageError("both sides are empty", where=where, expected=_FORM)
    whole = bool(tokens1 and tokens2)
    if label is not None and label.aligned != whole:
        fault = f"{label} where {'both sides have tokens' if whole else 'one side is empty'}"
        expected = "EQUI, OPPO, SPE1, SPE2, SIMI or REL" if whole else "NOALI, or ALIC"
        raise UsageError(fault, where=where, expected=expected)
    if not whole and score is not None:
        raise UsageError("a score where one side is empty", where=where, expected="NIL, or none")
    if not whole and label is None:
        labels = {line.sides: line.label for line in answer.alignments}
        label = labels.get((tokens1, tokens2), Label.NOALI)
    return Question(tokens1, tokens2, 0, label, tags, score)


def _tokens(text: str, pair: Pair, side: int, where: str) -> tuple[int, ...]:
    tokens = tuple(number for number in numbers(text, where) if number)
    if not text.strip():
        raise UsageError("a side has no tokens", where=where, expected=_FORM, hint="Write 0")
    size = pair.sizes[side - 1]
    if beyond := [number for number in tokens if number > size]:
        fault = f"sentence {side} has no token {beyond[0]}"
        raise UsageError(fault, where=where, expected=f"1 to {size}")
    return tokens


def _label(text: str, where: str) -> tuple[Label, frozenset[Tag]]:
    parts = text.upper().split("_")
    labels = [part for part in parts if part in tuple(Label)]
    tags = [part for part in parts if part in tuple(Tag)]
    if len(labels) != 1 or len(labels) + len(tags) != len(parts):
        raise UsageError(f"'{text}' is not a label", where=where, expected=", ".join(Label))
    return Label(labels[0]), frozenset(Tag(tag) for tag in tags)


def _score(text: str, where: str) -> int:
    value = -1.0
    with suppress(ValueError):
        value = float(text.split()[0])
    if not (0 <= value <= 5 and value == int(value)):
        raise UsageError(f"'{text}' is not a score", where=where, expected="a whole number, 0 to 5")
    return int(value)


_ATOM = re.compile(r"\s*-?[a-z_][A-Za-z0-9_']*\(.*\)\s*", re.DOTALL)
_PART = re.compile(r"""(?P<string>"(?:[^"\\]|\\.)*")|(?P<any>(?<![\w'])_(?![\w']))""")


def is_atom_question(text: str) -> bool:
    """Whether a question is about an atom rather than a decision."""
    return isinstance(text, str) and _ATOM.fullmatch(text) is not None


def read_atom(text: str, trace: Trace) -> Ground:
    """Read an atom, whose predicate some rule or fact must have."""
    where = f"atom '{shortened(text)}'"
    written = _PART.sub(lambda match: match["string"] or ANY, text.strip())
    symbol = None
    with suppress(RuntimeError):
        symbol = parse_term(written, logger=lambda _code, _text: None)
    if symbol is None or symbol.type is not SymbolType.Function or not symbol.name:
        expected = "alike(5,5,_,_), with _ for what may be anything"
        hint = 'Words stand in double quotes: word(1,_,"cat")'
        raise UsageError("it is not an atom", where=where, expected=expected, hint=hint)
    key = symbol.name, len(symbol.arguments)
    signatures = {other for other in trace.reified.deriving if not other[0].startswith("-")}
    facts = (*trace.inputs, *trace.rewritten.known)
    signatures |= {(fact.name, len(fact.arguments)) for fact in facts}
    if key not in signatures:
        fault = f"no rule and no fact has the predicate {key[0]}/{key[1]}"
        hint = suggestion(key, signatures) or "See ists-asp rules vocabulary, or ists-asp facts"
        raise UsageError(fault, where=where, hint=hint)
    return Ground(symbol)


def agreeing(term: Ground, trace: Trace) -> tuple[Ground, ...]:
    """The atoms that agree with a term but for its ``_`` and primes behind its name, sorted."""
    name, _, rest = term.partition("(")
    names = [other for other, _ in trace.reified.deriving if other.rstrip("'") == name]
    terms = {term, *(f"{other}({rest}" for other in names)}
    matching = trace.matching(map(Ground, terms if rest else [term]))
    return tuple(sorted({*matching, *filter(partial(agrees, term), trace.inputs)}))


_LEFT, _BEGINS = (
    "{words} of sentence {side} is {label}",
    "a chunk of sentence {side} begins at {words}",
)


@dataclass(frozen=True, slots=True)
class Goal:
    """An atom that a decision wants true, or false; ``text`` says it in words."""

    atom: Ground
    true: bool
    text: str


def goals(trace: Trace, question: Question) -> tuple[Goal, ...]:
    """The goals of a decision in their order, chunks first, without which there is no alignment."""
    if question.side:
        return tuple(_chunk(trace, question.side, question.tokens1))
    both = (1, question.tokens1), (2, question.tokens2)
    sides = [(side, tokens) for side, tokens in both if tokens]
    goals_ = [goal for side, tokens in sides for goal in _chunks(trace, side, tokens)]
    if not all(holds(trace, goal) for goal in goals_):
        return tuple(goals_)
    if len(sides) == 1:
        ((side, tokens),) = sides
        for number, chunk in _chunks_of(trace.answer, side, tokens):
            atom = Ground(f"{str(question.label).lower()}({side},{number})")
            words = _words(trace, side, chunk)
            text = trace.tell(_LEFT, words=words, side=side, label=question.label)
            goals_.append(Goal(atom, True, text))
        return tuple(goals_)
    spans = ",".join(_span(trace, side, tokens) for side, tokens in sides)
    words = " ~ ".join(_words(trace, side, tokens) for side, tokens in sides)
    goals_.append(Goal(Ground(f"{ALIGNED.name}({spans})"), True, words))
    tags = ((TAG, tag) for tag in sorted(question.tags))
    for predicate, value in ((LABEL, question.label), (SCORE, question.score), *tags):
        if value is not None:
            words = f"{words} // {str(value).upper()}"
            atom = Ground(f"{predicate.name}({spans},{str(value).lower()})")
            goals_.append(Goal(atom, True, words))
    return tuple(goals_)


def holds(trace: Trace, goal: Goal) -> bool:
    """Whether the answer has what a goal wants."""
    return (goal.atom in trace.true) == goal.true


def _chunk(trace: Trace, side: int, tokens: tuple[int, ...]) -> Iterator[Goal]:
    """The boundaries that make one chunk of neighbouring tokens."""
    for token in (tokens[0], tokens[-1] + 1):
        if token <= trace.answer.pair.sizes[side - 1]:
            yield _boundary(trace, side, token)
    for token in tokens[1:]:
        words = _words(trace, side, (token,))
        text = trace.tell("no chunk of sentence {side} begins at {words}", side=side, words=words)
        yield Goal(Ground(BOUNDARY.text(side, token)), False, text)


def _chunks(trace: Trace, side: int, tokens: tuple[int, ...]) -> Iterator[Goal]:
    """The boundaries around a run of tokens; within it there may be boundaries or not."""
    for token in tokens:
        if token - 1 not in tokens:
            yield _boundary(trace, side, token)
        if token + 1 not in tokens and token < trace.answer.pair.sizes[side - 1]:
            text = "a chunk of sentence {side} ends with {words}"
            yield _boundary(trace, side, token + 1, text, token)


def _boundary(trace: Trace, side: int, token: int, text: str = _BEGINS, named: int = 0) -> Goal:
    text = trace.tell(text, side=side, words=_words(trace, side, (named or token,)))
    return Goal(Ground(BOUNDARY.text(side, token)), True, text)


def _chunks_of(
    answer: Answer, side: int, tokens: Iterable[int]
) -> list[tuple[int, tuple[int, ...]]]:
    chunks = enumerate(answer.chunks[side - 1], start=1)
    wanted = {*tokens}
    return [(number, chunk.tokens) for number, chunk in chunks if wanted & {*chunk.tokens}]


def _span(trace: Trace, side: int, tokens: tuple[int, ...]) -> str:
    """The term of the span that has these tokens, whether the rules propose it or not."""
    terms = (atom.arguments[1] for atom in trace.beginning(SPAN, Ground(side)))
    if spans := [term for term in terms if trace.words.tokens("span", side, term) == tokens]:
        # Several differ in marks, which do not count.
        aligned = {atom.arguments[side - 1] for atom in trace.atoms(ALIGNED.name)}
        return min(spans, key=lambda term: term not in aligned)
    numbers = [number for number, _ in _chunks_of(trace.answer, side, tokens)]
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"run({numbers[0]},{numbers[-1]})"
    # asp/ knows spans of two chunks round a gap; others have a term that no rule derives.
    return f"gap({','.join(map(str, numbers))})"


def _words(trace: Trace, side: int, tokens: tuple[int, ...]) -> str:
    pair = trace.answer.pair
    return f'"{pair.sentences[side - 1].words(tokens)}" ({tokens_text(tokens)})'
