"""An answer as SVG: two rows of chunks, and a labelled link for each alignment.

A link is a mark between the rows with a line to each chunk that it covers, so that several
chunks a side, and sides with gaps, need nothing special. ``data/report/picture.svg`` draws it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from html import escape
from unicodedata import combining, east_asian_width

from ists_asp.io.formats import caption
from ists_asp.io.wa import format_label, format_score
from ists_asp.model import Alignment, Answer, Confidence, Label, Pair, Token
from ists_asp.resources import data_dir, template

_SIZE = 15
_WIDTHS = dict.fromkeys("fijlrtI.,:;'|!()[]{}`\"-/\\ ", 0.3) | dict.fromkeys("mwMW@%—…", 0.86)
_MARGIN = 4
_PADDING = 9
_GAP = 14


@dataclass(frozen=True, slots=True)
class _Box:
    """A text in a box that begins at ``left``: a chunk of a ``side``, or the mark of a link."""

    text: str
    left: float
    number: int | None  # of the line that it stands for
    side: int = 0
    tokens: tuple[int, ...] = ()
    joined: tuple[_Box, ...] = ()  # the boxes of a link
    lane: int = 0

    @property
    def length(self) -> float:
        return _width(self.text)

    @property
    def width(self) -> float:
        return self.length + 2 * _PADDING

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def picture(answer: Answer, *, active: bool = False, folded: Collection[int] = ()) -> str:
    """An answer as an ``<svg>`` element.

    Where it is ``active``, links and unaligned chunks can be chosen, by mouse and keyboard; each
    has its number in ``answer.alignments`` as ``data-line``. The lines with the numbers ``folded``
    are left out, and the chunks that are on no other; see :func:`punctuation`.
    """
    hidden = folded_tokens(answer, folded)
    above, below = (_row(answer, side, tokens) for side, tokens in enumerate(hidden, 1))
    marks = _marks(answer, above, below, folded)
    words = [described(answer, line) for line in answer.alignments]
    drawn = template("report", "picture.svg").render(
        answer=answer,
        active=active,
        words=words,
        titles=list(map(_with_doubts, answer.alignments, words)),
        marks=marks,
        boxes=[*above, *below],
        width=max((box.right for box in (*above, *below, *marks)), default=0) + _MARGIN,
        lanes=1 + max((mark.lane for mark in marks), default=0),
        size=_SIZE,
    )
    # Whoever shows control characters would show the ends of lines.
    return drawn.replace("\n", "")


def punctuation(answer: Answer) -> frozenset[int]:
    """The numbers of the lines that are about nothing but punctuation."""
    lines = enumerate(answer.alignments)
    return frozenset(number for number, line in lines if about_marks(answer.pair, line))


def about_marks(pair: Pair, line: Alignment) -> bool:
    """Whether a line is about nothing but punctuation, by tags or, without these, by letters."""

    def is_mark(token: Token) -> bool:
        if token.words:
            return all(word.upos == "PUNCT" for word in token.words)
        return not any(map(str.isalnum, token.form))

    sides = (pair.sent1, line.tokens1), (pair.sent2, line.tokens2)
    return all(is_mark(side.tokens[token - 1]) for side, tokens in sides for token in tokens)


def folded_tokens(answer: Answer, folded: Collection[int]) -> tuple[set[int], set[int]]:
    """The tokens of both sentences that are on lines with these numbers, and on no others."""
    hidden: tuple[set[int], set[int]] = (set(), set())
    shown: tuple[set[int], set[int]] = (set(), set())
    for number, line in enumerate(answer.alignments):
        for tokens, side in zip(line.sides, (0, 1), strict=True):
            (hidden if number in folded else shown)[side].update(tokens)
    return hidden[0] - shown[0], hidden[1] - shown[1]


@cache
def paper_style() -> str:
    """The style of a picture by itself: light colours, without variables, which few know."""
    lines = (data_dir() / "report" / "picture.css").read_text("utf-8").splitlines()
    colours = dict(re.findall(r"--(\w+):(#\w+)", lines[0]))
    rules = "".join(line for line in lines if line.startswith(".ists-asp ."))
    rules = rules.replace("var(--tone)", "currentColor").replace("--tone:", "color:")
    rules = rules.replace(".ists-asp ", "")
    return re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], rules)


def svg_file(answer: Answer) -> str:
    """An answer as an SVG file that needs nothing else, as one would put it into a paper."""
    opening, _, rest = picture(answer).partition(">")
    title = escape(f"{answer.pair.sent1.text} / {answer.pair.sent2.text}")
    opening += f' font-family="Helvetica, Arial, sans-serif"><title>{title}</title>'
    return f"{opening}<style>{paper_style()}</style>{rest}\n"


def static_picture(answer: Answer, words: str = "") -> str:
    """An answer as HTML for notebooks: the picture with its style, which no page provides."""
    style = (data_dir() / "report" / "picture.css").read_text("utf-8")
    below = f"<p>{escape(words)}</p>" if words else ""
    return f'<div class="ists-asp"><style>{style}</style>{picture(answer)}{below}</div>'


def described(answer: Answer, line: Alignment) -> str:
    """A line in words: ``"12" SIMI 2 "10"``."""
    pair, label = answer.pair, format_label(line)
    words1, words2 = pair.sent1.words(line.tokens1), pair.sent2.words(line.tokens2)
    if not (line.tokens1 and line.tokens2):
        side = 1 if line.tokens1 else 2
        return f'"{words1 or words2}" of sentence {side}: {label}'
    return f'"{words1}" {label} {format_score(line.score)} "{words2}"'


def sure(confidence: Confidence) -> str:
    """How probable it is that each part of a line is right: ``alignment 98%, label 43%``."""
    shares = asdict(confidence).items()
    return ", ".join(f"{name} {share:.0%}" for name, share in shares if share is not None)


def _with_doubts(line: Alignment, words: str) -> str:
    doubts = f"; unsure: {sure(line.confidence)}" if line.confidence and any(line.doubts) else ""
    return f"{words}{doubts}"


def _row(answer: Answer, side: int, hidden: set[int]) -> list[_Box]:
    sentence = answer.pair.sentences[side - 1]
    alone = {
        token: number
        for number, line in enumerate(answer.alignments)
        if not (line.tokens1 and line.tokens2)
        for token in line.sides[side - 1]
    }
    boxes: list[_Box] = []
    for chunk in answer.chunks[side - 1]:
        if hidden.issuperset(chunk.tokens):
            continue
        text, number = sentence.words(chunk.tokens), alone.get(chunk.first)
        if number is not None:
            line = answer.alignments[number]
            named = f" ({format_label(line)})" if line.label is not Label.NOALI or line.tags else ""
            text = f"{'? ' * any(line.doubts)}{text}{named}"
        left = boxes[-1].right + _GAP if boxes else _MARGIN
        boxes.append(_Box(text, left, number, side, chunk.tokens))
    return boxes


def _marks(
    answer: Answer, above: Sequence[_Box], below: Sequence[_Box], folded: Collection[int]
) -> list[_Box]:
    """The marks of links, each in the first lane that has room for it."""
    wanted, ends = [], list[float]()
    for number, line in enumerate(answer.alignments):
        upper, lower = _covered(above, line.tokens1), _covered(below, line.tokens2)
        if upper and lower and number not in folded:
            ideal = sum(side[0].left + side[-1].right for side in (upper, lower)) / 4
            mark = _Box(caption(line), 0, number, joined=(*upper, *lower))
            wanted.append(replace(mark, left=max(ideal - mark.middle, _MARGIN)))
    marks = []
    for mark in sorted(wanted, key=lambda mark: mark.middle):
        free = (lane for lane, end in enumerate(ends) if end + _MARGIN <= mark.left)
        lane = next(free, len(ends))
        ends[lane : lane + 1] = [mark.right]
        marks.append(replace(mark, lane=lane))
    return sorted(marks, key=lambda mark: mark.number or 0)


def _covered(boxes: Sequence[_Box], tokens: Sequence[int]) -> list[_Box]:
    # They stand in the order of their tokens, of which each has one.
    places = {bisect_right(boxes, token, key=lambda box: box.tokens[0]) - 1 for token in tokens}
    return [boxes[place] for place in sorted(places) if place >= 0]


@lru_cache(1000)
def _width(text: str) -> float:
    """About how wide a text is in a common sans serif font."""
    return _SIZE * max(0.5, sum(map(_share, text)))


def _share(sign: str) -> float:
    if combining(sign) or east_asian_width(sign) in "WF":
        return 0.0 if combining(sign) else 1.0
    return _WIDTHS.get(sign, 0.68 if sign.isupper() else 0.54)
