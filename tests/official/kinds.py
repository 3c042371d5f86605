"""A ``.wa`` file that is to be perturbed, line by line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

ARROW = "<==>"


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of an alignment line; ``rest`` is the comment."""

    one: str
    two: str
    types: str
    score: str
    rest: str

    @classmethod
    def read(cls, line):
        sides, types, score, rest = line.split("//", 3)
        one, two = sides.split(ARROW)
        return cls(one.strip(), two.strip(), types.strip(), score.strip(), rest.strip())

    def __str__(self):
        return f"{self.one} {ARROW} {self.two} // {self.types} // {self.score} // {self.rest} "

    @property
    def aligned(self):
        return "0" not in (self.one, self.two)

    def but(self, **fields):
        return replace(self, **fields)


@dataclass(slots=True)
class Draft:
    """The lines of a file; bytes that are not UTF-8 are lone surrogates."""

    lines: list[str]

    @classmethod
    def read(cls, content):
        return cls(content.decode("utf-8", "surrogateescape").split("\n"))

    def copy(self):
        return Draft(list(self.lines))

    @property
    def content(self):
        return "\n".join(self.lines).encode("utf-8", "surrogateescape")

    def rows(self, change):
        """Replace each alignment line by what becomes of it: a row, a text, several, nothing."""
        lines = []
        for line in self.lines:
            found = change(Row.read(line)) if ARROW in line else line
            lines += map(str, found) if isinstance(found, list) else [str(found)]
        self.lines = lines

    def each(self, change):
        """Replace each line by what becomes of it: a line, or several, or none."""
        lines = []
        for line in self.lines:
            found = change(line)
            lines += found if isinstance(found, list) else [found]
        self.lines = lines

    def blocks(self, change):
        """Replace the sentences, each a list of lines."""
        blocks = []
        for line in self.lines:
            if line.startswith("<sentence"):
                blocks.append([])
            blocks[-1].append(line)
        self.lines = [line for block in change(blocks) for line in block]

    def words(self, change):
        """Change words in texts and token lines; they are the same for the same word."""
        self.each(
            lambda line: (
                "// " + " ".join(map(change, line[3:].split(" ")))
                if line.startswith("// ")
                else f"{line.split(' ')[0]} {change(line.split(' ')[1])} : "
                if line.endswith(" : ") and ARROW not in line
                else line
            )
        )


if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


SAMPLES = Path(__file__).parents[2] / "data" / "samples"
LABELS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL")
TAGS = ("", "", "_FACT", "_POL", "_FACT_POL", "_POL_FACT")
HUGE = ["9" * 20, "9" * 5000, "1" + "0" * 400, *map(str, (2**31, 2**63, 2**64))]
TYPES = [label + tag for label in LABELS for tag in TAGS]
NEAR = [one for one in TYPES if "OPPO" not in one]
ODD_TAGS = [
    form.format(label)
    for form in ("FACT_{}", "POL_{}", "POL_{}_FACT", "{}_FACT_FACT", "{}_")
    for label in LABELS
]
LOW = ["0", "1", "2", "2.5", "2.9999", "3", "3.9999", "4", "5"]
SIGNS = [*".,:;?'`\"-!()$%", "--", "...", "''", "``", "-lrb-", "–", "’", ".,", "a.", "0", "÷"]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    change: Callable[[Random, Draft, Draft], object]
    stricter: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A gold file and an answer to compare; ``source`` is what the gold file was made of."""

    kind: Kind
    number: int
    source: bytes
    gold: bytes
    system: bytes

    def __str__(self):
        return f"{self.kind.name} {self.number}"


def _drafts(random, gold, system, on):
    return {
        "gold": (gold,),
        "system": (system,),
        "both": (gold, system),
        "either": (random.choice((gold, system)),),
        "any": random.choice(((gold,), (system,), (gold, system))),
    }[on]


def make(kind, number, random, base=None):
    """A case, whose answer is a little wrong everywhere, as answers are."""
    bases = sorted(SAMPLES.glob("*/gold.wa"))
    source = (base or random.choice(bases)).read_bytes()
    gold = Draft.read(source)
    system = gold.copy()
    system.rows(lambda row: _mistaken(random, row))
    kind.change(random, gold, system)
    return Case(kind, number, source, gold.content, system.content)


def _mistaken(random, row):
    if not row.aligned or random.random() < 0.6:
        return row
    if random.random() < 0.2:
        return []
    return row.but(types=random.choice(LABELS), score=str(random.randint(1, 5)))


def _some(random, draft, share, change):
    """Change some of the aligned lines, one at least."""
    rows = [Row.read(line) for line in draft.lines if ARROW in line]
    aligned = [number for number, row in enumerate(rows) if row.aligned]
    chosen = {number for number in aligned if random.random() < share} | {random.choice(aligned)}
    counter = iter(range(len(rows)))
    draft.rows(lambda row: change(row) if next(counter) in chosen else row)


# What makes kinds: each takes a change of one thing, and says of which drafts.


def _each_draft(change, on="system"):
    def made(random, gold, system):
        for draft in _drafts(random, gold, system, on):
            change(random, draft)

    return made


def _parts(parts, change, on="system"):
    """Changes each of the parts of a draft that the method of this name goes through."""
    return _each_draft(
        lambda random, draft: getattr(draft, parts)(lambda part: change(random, part)), on
    )


def _rows(change, share=None, on="system"):
    """Changes rows: all, or a share of those that are aligned."""
    if share is None:
        return _parts("rows", change, on)
    return _each_draft(
        lambda random, draft: _some(random, draft, share, lambda row: change(random, row)), on
    )


def _but(share, on="system", **values):
    """Puts other values, of which there are some or which are made, into fields of rows."""

    def change(random, row):
        made = ((k, v(random) if callable(v) else random.choice(v)) for k, v in values.items())
        return row.but(**dict(made))

    return _rows(change, share, on)


def _table(text):
    """Kinds of odd values: a line has a name, which drafts, a field, and its values."""
    for line in text.strip().splitlines():
        name, _, rest = line.partition(": ")
        on, field, values = rest.split(" ", 2)
        yield name, _but(0.3, on, **{field: values.split("|")})


def _texts(change):
    """Changes the lines of gold that have the sentences."""
    return _parts(
        "each", lambda random, line: change(random, line) if line[:3] == "// " else line, "gold"
    )


def _openings(forms):
    """Writes some of the lines that open a sentence in other forms, one at least."""

    def made(random, draft):
        starts = [line for line in draft.lines if line.startswith("<sentence")]
        chosen = {line for line in starts if random.random() < 0.3} | {random.choice(starts)}
        draft.each(
            lambda line: random.choice(forms).format(line.split('"')[1]) if line in chosen else line
        )

    return _each_draft(made, "either")


def _arrow_words(*words, on):
    def made(random, draft):
        odd = random.choice(words)
        draft.words(lambda word: odd if random.random() < 0.05 or word == "the" else word)

    return _each_draft(made, on)


def _score(random):
    return random.choice([str(random.randint(0, 10) / 2), f"{random.uniform(0, 5):.4f}", "5", "4"])


def _token(random):
    return " ".join(str(random.randint(1, 9)) for _ in range(random.randint(1, 4)))


def _each_label(random, gold, system):
    order = random.sample(LABELS, len(LABELS))
    system.rows(lambda row: [row.but(types=label) for label in order] if row.aligned else row)


def _one_of_more_tokens(random, row):
    more = row.but(
        one=f"{row.one} {random.randint(1, 9)}",
        two=f"{row.two} {random.randint(1, 9)}",
        types=random.choice(LABELS),
        score=_score(random),
    )
    return random.sample([row, more], 2)


def _other_order_twice(random, row):
    words = [*row.one.split(), random.choice(row.one.split())]
    return row.but(one="  ".join(random.sample(words, len(words))))


def _mixed_lines(random, draft):
    draft.rows(lambda row: [row, row.but(types=random.choice(LABELS))] if row.aligned else row)

    def mixed(blocks):
        for block in blocks:
            places = [place for place, line in enumerate(block) if ARROW in line]
            lines = random.sample([block[place] for place in places], len(places))
            for place, line in zip(places, lines, strict=True):
                block[place] = line
        return blocks

    draft.blocks(mixed)


def _signs(random, gold, system):
    signs = {}

    def change(word):
        if word not in signs:
            signs[word] = random.choice(SIGNS) if random.random() < 0.5 else word
        return signs[word]

    gold.words(change)
    system.words(change)


def _text_of_other_tokens(random, line):
    words = line[3:].split(" ")
    words.insert(random.randrange(len(words) + 1), random.choice((".", "-", "!", "")))
    return random.choice(("// ", "//  ", "//", "// // ")) + " ".join(words)


def _odd_ends(random, gold, system):
    ends = (" .", " . ", " .  ", " .\t", "\t.", " .\u00a0", " , ,", " -", " -\r")
    gold.each(lambda line: line + random.choice(ends) if line.startswith("// ") else line)
    _some(random, gold, 0.5, lambda row: row.but(one=row.one + " 0"))


def _text_elsewhere(random, line):
    if random.random() < 0.6:
        return line
    return random.choice(([], [line, line], ["", line], [line, ""], ["// . . . . ."]))


def _id_among_words(random, gold, system):
    found = random.choice([line for line in system.lines if line.startswith("// ")])
    system.each(lambda line: line + ' sentence id="1" .' if line is found else line)


def _no_last_line_end(random, draft):
    draft.lines[0] = "\ufeff" + draft.lines[0]
    while not draft.lines[-1]:
        draft.lines.pop()


def _blank_line(random, line):
    return [line, random.choice(("", "  ", "\t", "\f"))] if random.random() < 0.3 else line


def _bracket(random, word):
    odd = (
        "</source>",
        "<alignment>",
        "</sentence>",
        "//",
        "<sentence",
        "-not",
        "NIL",
        "==>",
        "<==",
    )
    return random.choice(odd) if random.random() < 0.1 else word


def _blanks_round_fields(random, row):
    gap = [random.choice(("", " ", "  ", "\t", " \t ", "\v", "\f ")) for _ in range(8)]
    return (
        f"{gap[0]}{row.one}{gap[1]}<==>{gap[2]}{row.two}{gap[3]}//{gap[4]}{row.types}{gap[5]}"
        f"//{gap[6]}{row.score}{gap[7]}"
    )


def _odd_blanks(random, row):
    odd = ["\xa0", "\x01", "\x00", "\x85", "\u2028", "\x1c", "\x1f", "�", "�", "\ufeff"]
    name, sign = random.choice(("one", "two", "types", "score")), random.choice(odd)
    value = getattr(row, name)
    return row.but(**{name: random.choice((value + sign, sign + value))})


def _other_arrow(random, row):
    arrows = ("<=>", "==>", "< ==>", "=", "", "&lt;==>", "⇔", "<==")
    return str(row).replace("<==>", random.choice(arrows))


BRACKETS = [
    f"<{slash}{name}>"
    for name in ("sentence", "source", "translation", "alignment")
    for slash in ("", "/")
]


def _brackets_left_out(random, gold, system):
    lost = {bracket for bracket in BRACKETS if random.random() < 0.4}
    for draft in (gold, system):
        draft.each(lambda line: [] if line in lost and random.random() < 0.7 else line)


def _odd_brackets(random, line):
    if line not in BRACKETS or random.random() < 0.7:
        return line
    return random.choice(([line, line], line.upper(), f"  {line} ", line.replace("<", "< ")))


def _lines_elsewhere(random, draft):
    for _ in range(3):
        moved = draft.lines.pop(random.randrange(len(draft.lines)))
        draft.lines.insert(random.randrange(len(draft.lines)), moved)


def _stray_lines(random, draft):
    odd = ("stray", "1 <==> 1 // EQUI // 5 // x", "# 1", "<x>", "// . .", "3 x :")
    for _ in range(2):
        line = random.choice((*odd, '<sentence id="1" '))
        draft.lines.insert(random.randrange(len(draft.lines)), line)


def _cut_off(random, draft):
    content = draft.content
    draft.lines = Draft.read(content[: random.randrange(len(content))]).lines


def _any_bytes(random, draft):
    content = bytearray(draft.content)
    for _ in range(random.choice((1, 3, 30))):
        place = random.randrange(len(content))
        what = random.randrange(3)
        if what == 0:
            content[place] = random.randrange(256)
        elif what == 1:
            del content[place]
        else:
            content.insert(place, random.choice(b"<=>/ 0123456789_\n\r\t\x00\xff\"'."))
    draft.lines = Draft.read(bytes(content)).lines


def _half(random, blocks):
    return random.sample(blocks, max(1, len(blocks) // 2))


def _form(*forms, share=0.2):
    return _rows(lambda random, row: random.choice(forms).format(row), share)


# Of whole train sets as well; we measure what the official scorer measures.
_WHOLE = {
    "labels": _but(1, types=LABELS),
    "labels and tags": _but(0.7, "both", types=TYPES),
    "labels, tags and scores": _but(0.9, "both", types=TYPES, score=_score),
    "low scores and labels that hardly differ": _but(1, "both", types=NEAR, score=LOW),
    "scores": _but(0.8, score=_score),
    "order of tags": _but(0.7, "both", types=ODD_TAGS),
    "links on two lines": _rows(
        lambda random, row: [row, row.but(types=random.choice(LABELS), score=_score(random))],
        0.4,
        "both",
    ),
    "each label for each link": _each_label,
    "links on two lines, one of them of more tokens": _rows(_one_of_more_tokens, 0.4, "both"),
    "any tokens": _but(0.5, one=_token, two=_token),
    "tokens in another order, twice": _rows(_other_order_twice, 0.7),
    "lines left out": _rows(lambda random, row: [], 0.5),
    "order of lines": _each_draft(_mixed_lines),
    "missing pairs": _parts("blocks", _half),
    "pairs that gold lacks": _parts("blocks", _half, "gold"),
    "order of pairs": _parts("blocks", lambda random, all: random.sample(all, len(all))),
    "signs instead of words": _signs,
    "the answer has other words than gold": _parts("words", lambda random, _: random.choice(SIGNS)),
    "the texts of gold are not its tokens": _texts(_text_of_other_tokens),
    "carriage returns": _parts("each", lambda random, line: line + "\r", "any"),
    "blank lines in the answer": _parts("each", _blank_line),
    "blank lines in gold": _parts("each", _blank_line, "gold"),
    "blanks round fields": _rows(_blanks_round_fields, on="both"),
    "comments": _but(
        1,
        "both",
        rest=(
            "",
            "x",
            "a // b // c",
            "1 <==> 2",
            "a <==> b // EQUI // 5",
            "<==>",
            "é",
            "\udcff",
            "\0",
        ),
    ),
}
_WHOLE |= _table("""
NOALI and ALIC with two sides: system types NOALI|ALIC
NOALI with two sides in gold: gold types NOALI|ALIC
a side that is 0: system one 0|00|0 3|0 1 2 3|00 2
a side that is 0 in gold: gold two 0|0 3
0 behind other tokens: system two 3 0|1 2 0|2 0 3 00
numbers with zeros in front: system one 01|1 02|0003
""")

# The same, of the samples only.
_SAMPLED = {
    "all tokens on both sides": _rows(
        lambda random, row: row.but(**dict.fromkeys(("one", "two"), "1 2 3 4 5 6 7 8 9 10 11")), 0.2
    ),
    "sides changed": _rows(lambda random, row: row.but(one=row.two, two=row.one), 0.5),
    "tokens that there are not": _but(0.3, two=["99", "1 77", *HUGE]),
    "a blank that is none between tokens": _but(0.3, one=["1\u00a02"]),
    "empty sides": _but(0.3, one=["", "  "]),
    "empty sides at the right": _but(0.3, two=["", "\t"]),
    "ids in other forms": _openings(
        ['<sentence id="{}" >', ' <sentence id="{}" status="x" more="1">  ']
    ),
    "ids that are words": _parts(
        "each",
        lambda random, line: line.replace('id="', 'id="pair é  -1.5e').replace("-1.5e1", "<b>"),
        "both",
    ),
    "blanks and signs at the ends of gold's texts": _odd_ends,
    "gold's texts are missing or elsewhere": _texts(_text_elsewhere),
    "an arrow among the words of the answer": _arrow_words(
        *("<==>", "x<==>y", "<==>//EQUI//5", "1<==>1//EQUI//5//", "<<==>>"), on="system"
    ),
    "what looks like brackets among the words": _parts("words", _bracket, "both"),
    "byte order marks and no last line end": _each_draft(_no_last_line_end, "any"),
    "other blanks and controls round fields": _rows(_odd_blanks, 0.2),
    "fields too few or too many": _form(
        "{0.one} <==> {0.two}",
        "{0.one} <==> {0.two} // {0.types}",
        "{0.one} <==> {0.two} // {0.types} //",
        "{0.one} <==> {0.two} // {0.types} // {0.score}",
        "{0.one} <==> {0.two} <==> 3 // {0.types} // {0.score} //",
        "{0.one} <==> // {0.types} // {0.score} //",
        "<==> {0.two} // {0.types} // {0.score} //",
        "{0.one} // {0.types} // {0.score} // x <==> y",
        "{0.one} <==> {0.two} // // {0.types} // {0.score}",
        "{0.one} <==> {0.two} / {0.types} / {0.score} /",
        "{0.one} <==> {0.two} /// {0.types} /// {0.score} ///",
        "{0.one} <==><==> {0.two} // {0.types} // {0.score} //",
        *("<==>", "// <==>"),
    ),
    "two sides and more": _form(
        "{0.one} <==> {0.two} <==> x 3 <==> // {0.types} // {0.score}", share=0.3
    ),
    "other arrows": _rows(_other_arrow, 0.2),
}
_SAMPLED |= _table("""
scores written oddly: system score 5.|.5|0004|4.50|0.0|0|1.000000
scores with a sign or an exponent: system score +3|3e0|-0|30E-1|+.5e1
scores out of range: system score 6|-1|1e9|5.0001|inf|-Infinity|1e999
scores that are words: system score |3 4|four|٣|５|3,5|0x3|1_0|.|e|3e|--3|NIL|nil|½
NIL where it may be: system types NOALI // NIL // x|ALIC_FACT // NIL //
case of labels: system types equi|Simi|SPE1_fact|sPE2|noali
types that are none: system types |EQUI FACT|SAME|EQUI-FACT|_EQUI|EQUI__FACT|SPE|ſPE1|EQUI.|_|__
numbers of types: system types EQUI_REL|FACT|POL_FACT|EQUI_FACT_POL_POL|SIMI_SIMI|A_B_C_D_E|REL_REL
0 behind other tokens in gold: gold one 3 0|1 2 0
tokens that are no numbers: system one 1 x|x|+2|1,2|٣|2.0|-1|1e0|³|1;2|<|0x1
""")

# We may refuse what the official scorer measures.
_STRICTER = {
    "nothing is aligned": _rows(
        lambda random, row: row.but(two="0", types="NOALI", score="NIL"), on="any"
    ),
    "no line at all": _rows(lambda random, row: [], on="any"),
    "pairs twice": _parts(
        "blocks", lambda random, blocks: [*blocks, random.choice(blocks)], "either"
    ),
    "other ids": _parts(
        "each", lambda random, line: line.replace('sentence id="', 'sentence id="x')
    ),
    "ids in a form that no script sees": _openings(
        [
            *(
                '<sentence id="{}">',
                "<sentence id='{}' status=''>",
                '<sentence id = "{}" status="">',
            ),
            *('<sentence status="" id="{}">', '<sentence  id="{}" status="">'),
            *('<SENTENCE ID="{}" STATUS="">', '<sentence id={} status="">'),
            '<sentence id="{}"\tstatus="">',
        ]
    ),
    "missing and empty ids": _openings(
        ['<sentence status="">', "<sentence>", '<sentence id="" status="">', ""]
    ),
    "no id at all": _parts(
        "each",
        lambda random, line: "<sentence>" if line.startswith("<sentence") else line,
        "either",
    ),
    "an arrow among the words of gold": _arrow_words(
        *("<==>", "x<==>y", "<==>//EQUI//5", "<==>1//EQUI//5//"), on="gold"
    ),
    "an id among the words of the answer": _id_among_words,
    "only carriage returns": _each_draft(
        lambda random, draft: setattr(draft, "lines", ["\r".join(draft.lines)]), "either"
    ),
    "brackets left out": _brackets_left_out,
    "brackets twice, in other letters, with blanks": _parts("each", _odd_brackets, "both"),
    "lines elsewhere": _each_draft(_lines_elsewhere),
    "stray lines": _each_draft(_stray_lines),
    "empty files": _each_draft(
        lambda random, draft: setattr(
            draft, "lines", [random.choice(("", "\n\n", " ", "\ufeff", "x"))]
        ),
        "any",
    ),
    "cut off": _each_draft(_cut_off, "either"),
    "any bytes": _each_draft(_any_bytes, "either"),
}
_STRICTER |= _table("""
scores that are no number: system score nan|-NaN|0 but true
case of labels in gold: gold types equi|Simi|SPE1_fact|sPE2|rel
gold with faults: gold types SAME|EQUI_REL||FACT
gold with odd scores: gold score |6|-1|four|NIL|1e9|٣|nan
""")

KINDS = [
    Kind(name, change, stricter=table is _STRICTER, whole=table is _WHOLE)
    for table in (_WHOLE, _SAMPLED, _STRICTER)
    for name, change in table.items()
]
