"""An answer as SVG: two rows of chunks, or columns if rows were too wide, and labelled links.

A link is a mark between them with a line to each chunk that it covers, so that several chunks a
side, and sides with gaps, need nothing special. ``data/report/picture.svg`` draws it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from html import escape
from operator import itemgetter
from typing import TypeAlias
from unicodedata import combining, east_asian_width

from ists_asp.io.formats import caption
from ists_asp.io.wa import format_label
from ists_asp.model import Alignment, Answer, Confidence, Label, Pair, Token
from ists_asp.resources import data_dir, template

_SIZE = 15
_WIDTHS = dict.fromkeys("fijlrtI.,:;'|!()[]{}`\"-/\\ ", 0.3) | dict.fromkeys("mwMW@%—…", 0.86)
_MARGIN = 4
_PADDING = 9
_GAP = 14
_HEIGHT = 32  # of a box
_MARK = 24  # the height of a mark
_LANE = 34  # from a mark to the one below it
_CLEAR = 46  # from a box to the middle of a mark
_LANES = 6  # of marks at most
_WIDEST = 1000  # rows that are wider become columns


@dataclass(frozen=True, slots=True)
class _Box:
    """A text in a box: a chunk of a ``side``, or the mark of a link."""

    text: str
    left: float
    number: int | None  # of the line that it stands for
    top: float = _MARGIN
    side: int = 0
    tokens: tuple[int, ...] = ()
    joined: tuple[_Box, ...] = ()  # the boxes of a link

    @property
    def height(self) -> float:
        return _HEIGHT if self.side else _MARK

    @property
    def across(self) -> float:
        """The middle between top and bottom."""
        return self.top + self.height / 2

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


_Boxes: TypeAlias = Sequence[_Box]


def picture(answer: Answer, *, active: bool = False, folded: Collection[int] = ()) -> str:
    """An answer as an ``<svg>`` element.

    Where it is ``active``, links and unaligned chunks can be chosen, by mouse and keyboard; each
    has its number in ``answer.alignments`` as ``data-line``. The lines with the numbers ``folded``
    are left out, and the chunks that are on no other; see :func:`punctuation`.
    """
    hidden = folded_tokens(answer, folded)
    first, second = (_row(answer, side, tokens) for side, tokens in enumerate(hidden, 1))
    columns = max((box.right for box in (*first, *second)), default=0) > _WIDEST
    links = _links(answer, first, second, folded)
    boxes, marks = (_columns if columns else _rows)(first, second, links)
    drawn = template("report", "picture.svg").render(
        answer=answer,
        active=active,
        words=[described(answer, line) for line in answer.alignments],
        marks=marks,
        boxes=boxes,
        paths={mark.number: [_path(box, mark, columns) for box in mark.joined] for mark in marks},
        width=max((box.right for box in (*boxes, *marks)), default=0) + _MARGIN,
        height=max((box.top + box.height for box in (*boxes, *marks)), default=0) + _MARGIN,
        size=_SIZE,
    )
    # Viewers that show control characters would show line ends.
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
    visible_: tuple[set[int], set[int]] = (set(), set())
    for number, line in enumerate(answer.alignments):
        for tokens, side in zip(line.sides, (0, 1), strict=True):
            (hidden if number in folded else visible_)[side].update(tokens)
    return hidden[0] - visible_[0], hidden[1] - visible_[1]


@cache
def paper_style() -> str:
    """The style of a picture by itself: light colours, without variables, which few know."""
    lines = (data_dir() / "report" / "picture.css").read_text("utf-8").splitlines()
    colours = dict(re.findall(r"--(\w+):(#\w+)", lines[0]))
    rules = "".join(line for line in lines if line.startswith(".ists-asp ."))
    rules = rules.replace("var(--tone)", "currentColor").replace("--tone:", "color:")
    rules = rules.replace(".ists-asp ", "")
    return re.sub(r"var\(--(\w+)\)", lambda match: colours[match[1]], rules)


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
    sides = zip(answer.pair.sentences, line.sides, strict=True)
    one, other = (f'"{sentence.words(tokens)}"' if tokens else "–" for sentence, tokens in sides)
    return f"{one} {caption(line) if all(line.sides) else format_label(line)} {other}"


def sure(confidence: Confidence) -> str:
    """How probable it is that each part of a line is right: ``alignment 98%, label 43%``."""
    shares = asdict(confidence).items()
    return ", ".join(f"{name} {share:.0%}" for name, share in shares if share is not None)


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
        boxes.append(_Box(text, left, number, side=side, tokens=chunk.tokens))
    return boxes


def _links(answer: Answer, first: _Boxes, second: _Boxes, folded: Collection[int]) -> list[_Box]:
    """A mark for each link, not placed yet."""
    marks = []
    for number, line in enumerate(answer.alignments):
        joined = *_covered(first, line.tokens1), *_covered(second, line.tokens2)
        if len({box.side for box in joined}) == 2 and number not in folded:
            marks.append(_Box(caption(line), _MARGIN, number, joined=joined))
    return marks


def _rows(above: _Boxes, below: _Boxes, links: _Boxes) -> tuple[list[_Box], list[_Box]]:
    """The boxes of both sides, and marks between them where they hide the fewest other links."""
    _, lanes, marks = min(
        (_laned(links, lanes) for lanes in range(1, _LANES + 1)), key=itemgetter(0, 1)
    )
    lowest = _MARGIN + _HEIGHT + 2 * _CLEAR + (lanes - 1) * _LANE
    lowered = [replace(box, top=lowest) for box in below]
    return [*above, *lowered], [_moved(mark, lowered) for mark in marks]


def _laned(links: _Boxes, lanes: int) -> tuple[int, int, list[_Box]]:
    """Marks on the lines that they stand for, in so many lanes; first, how much they hide."""
    height, lines = 2 * _CLEAR + (lanes - 1) * _LANE, []
    for link in links:
        ends = ([box for box in link.joined if box.side == side] for side in (1, 2))
        lines.append([(boxes[0].left + boxes[-1].right) / 2 for boxes in ends])
    hidden, marks = 0, list[_Box]()
    for link, (start, end) in zip(links, lines, strict=True):
        ways = list[tuple[int, int, _Box]]()
        for lane in range(lanes):
            down = (_CLEAR + lane * _LANE) / height
            left = max(start + (end - start) * down - link.width / 2, _MARGIN)
            mark = replace(link, left=left, top=_MARGIN + _HEIGHT + height * down - _MARK / 2)
            there = [(x + (to - x) * down, abs(to - x) * _MARK / height) for x, to in lines]
            beside = [(its.middle, its.width + 2 * _MARGIN) for its in marks if its.top == mark.top]
            covered = (abs(x - mark.middle) * 2 < width + mark.width for x, width in there)
            clash = any(abs(x - mark.middle) * 2 < width + mark.width for x, width in beside)
            ways.append((sum(covered) + len(links) * clash, abs(2 * lane + 1 - lanes), mark))
        cost, _, mark = min(ways, key=itemgetter(0, 1))
        hidden += cost
        marks.append(mark)
    return hidden, lanes, marks


def _columns(first: _Boxes, second: _Boxes, links: _Boxes) -> tuple[list[_Box], list[_Box]]:
    """The boxes of both sides, and each mark beside the first box that it joins."""
    pitch = _HEIGHT + _GAP / 2
    left = _MARGIN + max((box.width for box in first), default=0)
    ones = [
        replace(box, left=left - box.width, top=_MARGIN + pitch * place)
        for place, box in enumerate(first)
    ]
    marked = left + 2 * _GAP
    right = marked + max((mark.width for mark in links), default=0) + 4 * _CLEAR
    others = [replace(box, left=right, top=_MARGIN + pitch * at) for at, box in enumerate(second)]
    marks = []
    ends = dict[float, float]()  # of the marks by their tops, should a box have two
    for link in links:
        mark = _moved(link, [*ones, *others])
        top = mark.joined[0].across - _MARK / 2
        marks.append(replace(mark, top=top, left=ends.get(top, marked)))
        ends[top] = marks[-1].right + _MARGIN
    return [*ones, *others], marks


def _moved(mark: _Box, boxes: _Boxes) -> _Box:
    """A mark that joins its boxes where they stand now."""
    places = {(box.side, box.tokens): box for box in boxes}
    joined = (places.get((box.side, box.tokens), box) for box in mark.joined)
    return replace(mark, joined=tuple(joined))


def _path(box: _Box, mark: _Box, columns: bool) -> str:
    """The line from a box to a mark, as SVG has it."""
    if columns:
        start, end = (box.right, mark.left) if box.side == 1 else (box.left, mark.right)
        half, out, back = (start + end) / 2, box.across, mark.across
        points = [(start, out), (half, out), (half, back), (end, back)]
    else:
        edge = box.top + (box.height if box.side == 1 else 0)
        return f"M{box.middle:.1f} {edge:.1f}L{mark.middle:.1f} {mark.across:.1f}"
    first, *others = (f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{first}C{' '.join(others)}"


def _covered(boxes: _Boxes, tokens: Sequence[int]) -> list[_Box]:
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
