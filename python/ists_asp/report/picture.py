"""An answer as SVG: two rows of chunks, and a labelled link for each alignment.

A link is a mark between the rows with a line to each chunk that it covers, so that several
chunks a side, and sides with gaps, need nothing special.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import asdict, dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from ists_asp.io.formats import caption, doubtful
from ists_asp.io.wa import format_label, format_score
from ists_asp.model import Label
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ists_asp.model import Alignment, Answer, Chunk, Confidence, Token

_SIZE = 15
_NARROW = frozenset("fijlrtI.,:;'|!()[]{}`\"-/\\ ")
_BROAD = frozenset("mwMW@%—…")
_MARGIN = 4
_PADDING = 9
_GAP = 14
_BOX = 32
_TOP = 4
_LANE = 34
_CLEAR = 46
_MARK = 24


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    width: float
    chunk: Chunk
    text: str

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


@dataclass(frozen=True, slots=True)
class _Mark:
    """The mark of an aligned line: its number, the boxes it joins, where it stands."""

    number: int
    line: Alignment
    above: tuple[_Box, ...]
    below: tuple[_Box, ...]
    middle: float
    width: float
    lane: int


def picture(answer: Answer, *, active: bool = False, folded: Collection[int] = ()) -> str:
    """An answer as an ``<svg>`` element.

    Where it is ``active``, links and unaligned chunks can be chosen, by mouse and keyboard; each
    has its number in ``answer.alignments`` as ``data-line``. The lines with the numbers ``folded``
    are left out, and the chunks that are on no other; see :func:`punctuation`.
    """
    alone = _alone(answer)
    hidden = folded_tokens(answer, folded)
    above = _boxes(answer, 0, hidden[0], alone)
    below = _boxes(answer, 1, hidden[1], alone)
    marks = _marks(answer, above, below, folded)
    lanes = 1 + max((mark.lane for mark in marks), default=0)
    second = _TOP + _BOX + 2 * _CLEAR + (lanes - 1) * _LANE
    height = second + _BOX + _TOP
    right = [box.left + box.width for box in (*above, *below)]
    right += [mark.middle + mark.width / 2 for mark in marks]
    width = max(right, default=0) + _MARGIN
    # What can be chosen says itself what it is; an image has to be told as a whole.
    role = "group" if active else "img"
    words = f"Alignments of pair {answer.pair.id}" if active else _summary(answer)
    parts = [
        f'<svg class="pair" xmlns="http://www.w3.org/2000/svg" role="{role}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'aria-label="{escape(words)}">'
    ]
    # All lines first, so that none crosses out what a mark says.
    for mark in marks:
        parts += _lines(mark, second, active)
    for mark in marks:
        opening = _opening(answer, mark.number, "link", active)
        left, top = mark.middle - mark.width / 2, _height(mark) - _MARK / 2
        parts.append(_boxed(opening, left, top, mark.width, _MARK, 12, caption(mark.line)))
    for side, (boxes, top) in enumerate(((above, _TOP), (below, second))):
        for box in boxes:
            tokens = " ".join(map(str, box.chunk.tokens))
            place = f' data-side="{side + 1}" data-tokens="{tokens}"' if active else ""
            number, opening = alone.get((side, box.chunk.first)), f'<g class="chunk"{place}>'
            if number is not None:
                opening = _opening(answer, number, "chunk alone", active, place)
            parts.append(_boxed(opening, box.left, top, box.width, _BOX, 5, box.text))
    return "".join([*parts, "</svg>"])


def punctuation(answer: Answer) -> frozenset[int]:
    """The numbers of the lines that are about nothing but punctuation.

    Tags say what is; of words that nobody has tagged, that there is no letter or digit in them.
    """
    one, two = answer.pair.sent1.tokens, answer.pair.sent2.tokens

    def is_mark(token: Token) -> bool:
        if token.words:
            return all(word.upos == "PUNCT" for word in token.words)
        return not any(map(str.isalnum, token.form))

    return frozenset(
        number
        for number, line in enumerate(answer.alignments)
        if all(is_mark(one[token - 1]) for token in line.tokens1)
        and all(is_mark(two[token - 1]) for token in line.tokens2)
    )


def folded_tokens(answer: Answer, folded: Collection[int]) -> tuple[set[int], set[int]]:
    """The tokens of both sentences that are on lines with these numbers, and on no others."""
    hidden: tuple[set[int], set[int]] = (set(), set())
    shown: tuple[set[int], set[int]] = (set(), set())
    for number, line in enumerate(answer.alignments):
        for tokens, side in zip((line.tokens1, line.tokens2), (0, 1), strict=True):
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
    words1 = answer.pair.sent1.words(line.tokens1)
    words2 = answer.pair.sent2.words(line.tokens2)
    label = format_label(line)
    if not (line.tokens1 and line.tokens2):
        side = 1 if line.tokens1 else 2
        return f'"{words1 or words2}" of sentence {side}: {label}'
    return f'"{words1}" {label} {format_score(line.score)} "{words2}"'


def sure(found: Confidence) -> str:
    """How probable it is that each part of a line is right: ``alignment 98%, label 43%``."""
    told = (f"{name} {share:.0%}" for name, share in asdict(found).items() if share is not None)
    return ", ".join(told)


def _summary(answer: Answer) -> str:
    lines = "; ".join(described(answer, line) for line in answer.alignments)
    return f"{answer.pair.sent1.text} / {answer.pair.sent2.text}. {lines}"


def _boxes(
    answer: Answer, side: int, hidden: Collection[int], alone: dict[tuple[int, int], int]
) -> tuple[_Box, ...]:
    sentence = (answer.pair.sent1, answer.pair.sent2)[side]
    made = []
    left = float(_MARGIN)
    for chunk in (answer.chunks1, answer.chunks2)[side]:
        if all(token in hidden for token in chunk.tokens):
            continue
        text = sentence.words(chunk.tokens)
        if (number := alone.get((side, chunk.first))) is not None:
            line = answer.alignments[number]
            named = f" ({format_label(line)})" if line.label is not Label.NOALI or line.tags else ""
            text = f"{'? ' * doubtful(line)}{text}{named}"
        width = _width(text) + 2 * _PADDING
        made.append(_Box(left, width, chunk, text))
        left += width + _GAP
    return tuple(made)


def _marks(
    answer: Answer, above: Sequence[_Box], below: Sequence[_Box], folded: Collection[int]
) -> tuple[_Mark, ...]:
    """The marks, each in the first lane that has room for it."""
    wanted = []
    for number, line in enumerate(answer.alignments):
        upper = _covered(above, line.tokens1)
        lower = _covered(below, line.tokens2)
        if upper and lower and number not in folded:
            middle = (_centre(upper) + _centre(lower)) / 2
            width = _width(caption(line)) + 2 * _PADDING
            middle = max(middle, width / 2 + _MARGIN)
            wanted.append((middle, number, line, upper, lower, width))
    ends: list[float] = []
    made = []
    for middle, number, line, upper, lower, width in sorted(wanted, key=lambda one: one[:2]):
        left = middle - width / 2
        lane = next((lane for lane, end in enumerate(ends) if end + _MARGIN <= left), len(ends))
        ends[lane : lane + 1] = [left + width]
        made.append(_Mark(number, line, upper, lower, middle, width, lane))
    return tuple(sorted(made, key=lambda mark: mark.number))


def _covered(boxes: Sequence[_Box], tokens: Sequence[int]) -> tuple[_Box, ...]:
    """The boxes that tokens are in, from left to right."""
    # They stand in the order of their tokens, of which each has one.
    places = {bisect_right(boxes, token, key=lambda box: box.chunk.first) - 1 for token in tokens}
    return tuple(boxes[place] for place in sorted(places) if place >= 0)


def _alone(answer: Answer) -> dict[tuple[int, int], int]:
    """The lines without a counterpart by side (0 or 1) and token."""
    return {
        (side, token): number
        for number, line in enumerate(answer.alignments)
        if not (line.tokens1 and line.tokens2)
        for side, tokens in enumerate((line.tokens1, line.tokens2))
        for token in tokens
    }


def _lines(mark: _Mark, second: float, active: bool) -> Iterator[str]:
    middle = _height(mark)
    number = f' data-line="{mark.number}"' if active else ""
    yield f'<g class="link {mark.line.label}"{number} aria-hidden="true">'
    for box, end in (
        *((box, _TOP + _BOX) for box in mark.above),
        *((box, second) for box in mark.below),
    ):
        bend = (end + middle) / 2
        yield (
            f'<path d="M{box.middle:.1f} {end:.1f}C{box.middle:.1f} {bend:.1f} '
            f'{mark.middle:.1f} {bend:.1f} {mark.middle:.1f} {middle:.1f}"/>'
        )
    yield "</g>"


def _height(mark: _Mark) -> float:
    return _TOP + _BOX + _CLEAR + mark.lane * _LANE


def _opening(answer: Answer, number: int, kind: str, active: bool, place: str = "") -> str:
    line = answer.alignments[number]
    words = described(answer, line)
    if doubtful(line) and line.confidence is not None:
        words += f"; unsure: {sure(line.confidence)}"
    words = escape(words)
    button = (
        f'{place} data-line="{number}" role="button" tabindex="0" aria-expanded="false" '
        f'aria-label="{words}"'
        if active
        else ""
    )
    return f'<g class="{kind} {line.label}"{button}><title>{words}</title>'


def _boxed(
    opening: str, left: float, top: float, width: float, height: int, radius: int, text: str
) -> str:
    """A text in a box, as a group that has been opened."""
    # With its length given, text fits its box whatever font the reader has.
    return (
        f'{opening}<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height}" '
        f'rx="{radius}"/><text x="{left + width / 2:.1f}" '
        f'y="{top + height / 2 + _SIZE * 0.35:.1f}" text-anchor="middle" '
        f'font-size="{_SIZE}" textLength="{_width(text):.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text></g>'
    )


def _centre(boxes: Sequence[_Box]) -> float:
    return (boxes[0].left + boxes[-1].left + boxes[-1].width) / 2


def _width(text: str) -> float:
    """About how wide a text is in a common sans serif font."""
    return _SIZE * max(0.5, sum(map(_share, text)))


def _share(sign: str) -> float:
    if combining(sign):
        return 0.0
    if east_asian_width(sign) in "WF":
        return 1.0
    if sign in _NARROW:
        return 0.3
    if sign in _BROAD:
        return 0.86
    return 0.68 if sign.isupper() else 0.54
