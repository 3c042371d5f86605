"""The predicates that Python and the rules of ``asp/`` have in common, each with its arguments.

Facts are made and atoms are read by these names and no others. What a predicate means stands
beside it in ``asp/``, in a comment ``%*! name(Arguments)``, from which the site's page
is made; a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from clingo import Function, Symbol

from ists_asp.syntax.trees import Signature


class Argument(Enum):
    """What an argument stands for; a sentence is the one that the first argument says."""

    SENTENCE = auto()
    TOKEN = auto()
    """A token of the sentence."""
    OTHER_TOKEN = auto()
    """A token of the other sentence."""
    TOKEN1 = auto()
    """A token of sentence 1."""
    TOKEN2 = auto()
    CHUNK = auto()
    """A chunk of the sentence."""
    SPAN = auto()
    """A span of the sentence."""
    SPAN1 = auto()
    """A span of sentence 1."""
    SPAN2 = auto()
    VALUE = auto()
    """Anything else: a number, a tag, a string."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: called with symbols, it gives an atom."""

    name: str
    arguments: tuple[Argument, ...] = ()

    @property
    def arity(self) -> int:
        """How many arguments it has."""
        return len(self.arguments)

    @property
    def signature(self) -> Signature:
        """Its name and how many arguments it has."""
        return Signature(self.name, len(self.arguments))

    def __call__(self, *arguments: Symbol) -> Symbol:
        """An atom."""
        return Function(self.name, arguments)

    def text(self, *terms: str | int) -> str:
        """An atom as clingo writes it, of terms that are written so."""
        return f"{self.name}({','.join(map(str, terms))})"

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


_S, _I, _J, _C, _P, _V = (
    Argument.SENTENCE,
    Argument.TOKEN,
    Argument.OTHER_TOKEN,
    Argument.CHUNK,
    Argument.SPAN,
    Argument.VALUE,
)
_I1, _I2, _X, _Y = Argument.TOKEN1, Argument.TOKEN2, Argument.SPAN1, Argument.SPAN2


def _one(name: str, *arguments: Argument) -> Predicate:
    return Predicate(name, arguments)


# What facts say of a pair: asp/input.lp.
LANGUAGE = _one("language", _V)
CHUNKED = _one("chunked")
LEARNING = _one("learning")
TOKEN = _one("token", _S, _I, _V)
PART = _one("part", _S, _I, _V, _V, _V, _V, _V)
GIVEN_BOUNDARY = _one("given_boundary", _S, _I)
RELATION = _one("relation", _V, _V, _V, _V)
CLASS = _one("class", _V, _V)
VERB_USAGE = _one("verb_usage", _V, _V)
SPELLING = _one("spelling", _V, _V, _V)
STEM = _one("stem", _S, _I, _V)
ENDING = _one("ending", _V, _V, _V)
LETTERS_SHARED = _one("letters_shared", _V)
GLUED = _one("glued", _S, _I, _J)
PREFIXED = _one("prefixed", _V, _V, _V)
NUMERAL = _one("numeral", _S, _I, _V)
MEASURE = _one("measure", _S, _I, _V, _V)
DECIMAL = _one("decimal", _V, _V, _V)
ACRONYM = _one("acronym", _S, _I, _V)
INITIALS = _one("initials", _S, _I, _I, _V)
MULTIWORD = _one("multiword", _S, _I, _I, _V)
SAME_MEANING = _one("same_meaning", _V, _V)
OPPOSITE = _one("opposite", _V, _V)


# What word vectors say, and of whole Spanish sentences an encoder: asp/input.lp.
NEAR = _one("near", _I1, _I2, _V)
PRODUCT = _one("product", _I1, _I2, _V)
NORM = _one("norm", _S, _I, _I, _V)
NEARNESS = _one("nearness", _V)
NEARNESS_IN_CONTEXT = _one("nearness_in_context", _V)

# What the reader holds: asp/input.lp.
READER_BOUNDARY = _one("reader_boundary", _S, _I, _V, _V)
READER_SPAN = _one("reader_span", _S, _I, _I)
READER_LINK = _one("reader_link", _V, _V, _V, _V)
READER_LABEL = _one("reader_label", _V, _V, _V, _V, _V)
READER_SCORE = _one("reader_score", _V, _V, _V)
READER_RATING = _one("reader_rating", _V)

# What facts say of an answer: asp/lines.lp.
LINE = _one("line", _V, _V, _V)
LINE_CONFIDENCE = _one("line_confidence", _V, _V, _V)
LINE_GRANTED = _one("line_granted", _V)
LINE_TAG = _one("line_tag", _V, _V)
LINE_TOKEN = _one("line_token", _V, _S, _V)

# Tokens as rules see them: asp/tokens.lp.
WORD = _one("word", _S, _I, _V)
LEMMA = _one("lemma", _S, _I, _V)
UPOS = _one("upos", _S, _I, _V)
XPOS = _one("xpos", _S, _I, _V)
CONTAINS = _one("contains", _S, _I, _V)
TAGGED = _one("tagged", _S, _I, _V, _V)
RETAG = _one("retag", _S, _I, _V, _V)
PUNCTUATION = _one("punctuation", _S, _I)
OTHER = _one("other", _S, _V)

# Chunks and spans: asp/chunks.lp, asp/spans.lp.
BOUNDARY = _one("boundary", _S, _I)
BOUNDARIES_OPEN = _one("boundaries_open")
MUST_SPLIT = _one("must_split", _S, _I)
MUST_JOIN = _one("must_join", _S, _I)
CHUNK = _one("chunk", _S, _C)
CHUNK_COUNT = _one("chunk_count", _S, _V)
FIRST = _one("first", _S, _C, _I)
LAST = _one("last", _S, _C, _I)
IN_CHUNK = _one("in_chunk", _S, _C, _I)
PUNCTUATION_CHUNK = _one("punctuation_chunk", _S, _C)
SPAN = _one("span", _S, _P)
SINGLE = _one("single", _S, _P)
MERGE = _one("merge", _S, _P)
SPAN_CHUNK = _one("span_chunk", _S, _P, _C)
SPAN_TOKEN = _one("span_token", _S, _P, _I)

# Evidence and weights: asp/weights.lp.
EVIDENCE = _one("evidence", _V, _V, _V)
ARGUES = _one("argues", _V, _V, _V)
WEIGHT = _one("weight", _V, _V, _V)
CORRECTION = _one("correction", _V, _V, _V)
WORTH = _one("worth", _V, _V, _V)
TWO_WEIGHTS = _one("two_weights", _V, _V)
WEIGHTS = (WEIGHT, CORRECTION)
"""What rule files say that evidence is worth: the sum of both."""

TARGETS = {
    one.name: one
    for one in (BOUNDARY, _one("pair", _X, _Y), _one("link", _X, _Y), _one("side", _S, _X, _Y))
}
"""What evidence can be about: terms, the first argument of ``evidence/3``."""

BASES = {"boundary": "any_two_tokens", "align": "any_pair", "label": "any_link"}
"""The evidence that there is for every decision of a kind: where its sum begins."""

# Decisions: asp/align.lp, asp/label.lp, asp/score.lp, asp/tags.lp.
PROPOSED = _one("proposed", _X, _Y)
TOKEN_COUNT = _one("token_count", _X, _Y, _V)
ALIGN_WEIGHT = _one("align_weight", _X, _Y, _V)
VIABLE = _one("viable", _X, _Y)
ALIGNED = _one("aligned", _X, _Y)
FORBIDDEN_PAIR = _one("forbidden_pair", _X, _Y)
FREE = _one("free", _S, _C)
NOALI = _one("noali", _S, _C)
ALIC = _one("alic", _S, _C)
LABEL_TYPE = _one("label_type", _V)
BEYOND_LIMITS = _one("beyond_limits", _V)
FORBIDDEN_LABEL = _one("forbidden_label", _X, _Y, _V)
LABEL_WEIGHT = _one("label_weight", _X, _Y, _V, _V)
LABEL = _one("label", _X, _Y, _V)
LICENSED = _one("licensed", _X, _Y, _V, _V)
LICENCES = _one("licences")
CLOSENESS = _one("closeness", _X, _Y, _V, _V)
FORBIDDEN_SCORE = _one("forbidden_score", _X, _Y, _V)
SCORE_WEIGHT = _one("score_weight", _X, _Y, _V, _V, _V)
SCORE = _one("score", _X, _Y, _V)
DIFFERS = _one("differs", _X, _Y, _V)
TAG = _one("tag", _X, _Y, _V)
GRANTED = _one("granted", _X, _Y)

# How confidently: asp/confidence.lp.
CONFIDENCE = _one("confidence", _V, _V, _V, _V)

# Ratings: asp/rate.lp.
SPEAKS_FOR = _one("speaks_for", _V, _V)
SPEAKS_AGAINST = _one("speaks_against", _V, _V)
NOT_ABOVE = _one("not_above", _V, _V)
NOT_BELOW = _one("not_below", _V, _V)
SAME_SENTENCES = _one("same_sentences")
CONTRIBUTION = _one("contribution", _V, _V)
RATING = _one("rating", _V)
RATING_MARGIN = _one("rating_margin", _V, _V)
MARGIN = _one("margin", _V)

# Verdicts on answers of students: asp/judge.lp.
ASKED = _one("asked", _V)
POINT = _one("point", _V, _V, _V)
POINTS_FOUND = _one("points_found", _V)
PLAIN = _one("plain", _V, _V)
RIGHT_IN = _one("right_in", _V, _V)
BARRED = _one("barred", _V)
SUPPORT = _one("support", _V, _V)
VERDICT = _one("verdict", _V)
VERDICTS = ("correct", "incomplete", "contradictory", "irrelevant", "no_answer")


def all_predicates() -> tuple[Predicate, ...]:
    """All of them, as they stand here."""
    return tuple(value for value in globals().values() if isinstance(value, Predicate))
