"""Kinds of perturbed ``.wa`` files: what becomes of their fields, lines, words, bytes.

A change takes random numbers and the text of a file, and returns the changed text; bytes that are
not UTF-8 are lone surrogates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
LABELS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL")
TAGS = ("", "", "_FACT", "_POL", "_FACT_POL", "_POL_FACT")
HUGE = ["9" * 20, "9" * 5000, "1" + "0" * 400, *map(str, (2**31, 2**63, 2**64))]
TYPES = [label + tag for label in LABELS for tag in TAGS]
NEAR = [types for types in TYPES if "OPPO" not in types]
ODD_TAGS = [
    form.format(label)
    for form in ("FACT_{}", "POL_{}", "POL_{}_FACT", "{}_FACT_FACT", "{}_")
    for label in LABELS
]
LOW = ["0", "1", "2", "2.5", "2.9999", "3", "3.9999", "4", "5"]
SIGNS = [*".,:;?'`\"-!()$%", "--", "...", "''", "``", "-lrb-", "–", "’", ".,", "a.", "0", "÷"]
ARROWS = ("<==>", "x<==>y", "<==>//EQUI//5", "1<==>1//EQUI//5//")
ODD = ["\xa0", "\x01", "\x00", "\x85", "\u2028", "\x1c", "\x1f", "�", "\ufeff"]
OPEN = r'^<sentence id="(.*?)".*>$'
BRACKET = r"^<(/?)(sentence|source|translation|alignment)>"


class Row(NamedTuple):
    """The fields of an alignment line; ``rest`` is the comment."""

    one: str
    two: str
    types: str
    score: str
    rest: str

    @classmethod
    def read(cls, line):
        sides, types, score, rest = line.split("//", 3)
        return cls(*(field.strip() for field in (*sides.split("<==>"), types, score, rest)))

    def __str__(self):
        return "{} <==> {} // {} // {} // {} ".format(*self)

    @property
    def aligned(self):
        return "0" not in (self.one, self.two)


class Kind(NamedTuple):
    """A change of gold, the system, ``both``, ``either``, or ``any`` of these."""

    name: str
    on: str
    change: Callable[[Random, str], str]
    stricter: bool
    whole: bool


class Case(NamedTuple):
    """A gold file and an answer to compare; ``source`` is what the gold file was made of."""

    kind: Kind
    source: bytes
    gold: bytes
    system: bytes


def make(kind, random, base=None):
    """A case, whose answer is a little wrong everywhere, as answers are."""
    source = (base or random.choice(sorted(SAMPLES.glob("*/gold.wa")))).read_bytes()
    gold = source.decode("utf-8", "surrogateescape")
    texts = {"gold": gold, "system": rows(_mistaken)(random, gold)}
    on = random.choice(("gold", "system", "both")) if kind.on == "any" else kind.on
    for name in {"both": [*texts], "either": [random.choice([*texts])]}.get(on, [on]):
        texts[name] = kind.change(random, texts[name])
    gold, system = (text.encode("utf-8", "surrogateescape") for text in texts.values())
    return Case(kind, source, gold, system)


def _mistaken(random, row):
    if not row.aligned or random.random() < 0.6:
        return row
    if random.random() < 0.2:
        return []
    return row._replace(types=random.choice(LABELS), score=str(random.randint(1, 5)))


def rows(change, share=None):
    """Turn rows into a row, a text, or a list: all, or of those that are aligned one or more."""

    def changed(random, text):
        lines = text.split("\n")
        found = {place: Row.read(line) for place, line in enumerate(lines) if "<==>" in line}
        if share is not None:
            aligned = [place for place, row in found.items() if row.aligned]
            chosen = {place for place in aligned if random.random() < share}
            found = {place: found[place] for place in chosen | {random.choice(aligned)}}
        made = {place: change(random, found[place]) for place in sorted(found)}
        parts = (made.get(place, [line]) for place, line in enumerate(lines))
        return "\n".join(
            str(line) for part in parts for line in (part if type(part) is list else [part])
        )

    return changed


def but(share, **fields):
    """Put other values, of which there are some or which are made, into fields of rows."""

    def change(random, row):
        made = ((k, v(random) if callable(v) else random.choice(v)) for k, v in fields.items())
        return row._replace(**dict(made))

    return rows(change, share)


def forms(*texts, share=0.2):
    return rows(lambda random, row: random.choice(texts).format(row), share)


def sub(pattern, *texts, share=1.0):
    """Put one of some texts, or what a function makes of it, in place of what matches."""

    def changed(random, text):
        def replaced(match):
            if random.random() >= share:
                return match[0]
            chosen = random.choice(texts)
            return chosen(random, match) if callable(chosen) else match.expand(chosen)

        return re.sub(pattern, replaced, text, flags=re.MULTILINE)

    return changed


def words(change):
    """Change the words of texts and of token lines."""
    return chain(
        sub(r"^// (.*)$", lambda r, m: "// " + " ".join(change(r, w) for w in m[1].split(" "))),
        sub(r"^(\d+) (.*) : $", lambda random, m: f"{m[1]} {change(random, m[2])} : "),
    )


def arrows(*signs):
    return words(lambda random, word: random.choice(signs) if random.random() < 0.05 else word)


def blocks(change):
    """Change the list of sentences."""
    return lambda random, text: "".join(change(random, re.split(r"(?m)^(?=<sentence)", text)[1:]))


def chain(*changes):
    def changed(random, text):
        for change in changes:
            text = change(random, text)
        return text

    return changed


def table(text):
    """Kinds of odd values: a line has which drafts, a name, a field, and its values."""
    for line in text.strip().splitlines():
        on, name, rest = line.split(": ", 2)
        field, values = rest.split(" ", 1)
        yield f"{on}: {name}", but(0.3, **{field: values.split("|")})


def _score(random):
    return random.choice([str(random.randint(0, 10) / 2), f"{random.uniform(0, 5):.4f}", "5", "4"])


def _tokens(random):
    return " ".join(str(random.randint(1, 9)) for _ in range(random.randint(1, 4)))


def _twice(random, row):
    return [row, row._replace(types=random.choice(LABELS), score=_score(random))]


def _one_of_more_tokens(random, row):
    one, two = (f"{side} {random.randint(1, 9)}" for side in row[:2])
    more = row._replace(one=one, two=two, types=random.choice(LABELS), score=_score(random))
    return random.sample([row, more], 2)


def _other_order_twice(random, row):
    numbers = [*row.one.split(), random.choice(row.one.split())]
    return row._replace(one="  ".join(random.sample(numbers, len(numbers))))


def _mixed(random, match):
    lines = match[0].splitlines(keepends=True)
    return "".join(random.sample(lines, len(lines)))


def _blanks_round_fields(random, row):
    gap = [random.choice(("", " ", "  ", "\t", " \t ", "\v", "\f ")) for _ in range(8)]
    return "{}{}{}<==>{}{}{}//{}{}{}//{}{}{}".format(
        *(gap[0], row.one, gap[1], gap[2], row.two, gap[3]),
        *(gap[4], row.types, gap[5], gap[6], row.score, gap[7]),
    )


def _odd_blanks(random, row):
    name, sign = random.choice(row._fields[:4]), random.choice(ODD)
    value = getattr(row, name)
    return row._replace(**{name: random.choice((value + sign, sign + value))})


def _lines_elsewhere(random, text):
    lines = text.split("\n")
    for _ in range(3):
        moved = lines.pop(random.randrange(len(lines)))
        lines.insert(random.randrange(len(lines)), moved)
    return "\n".join(lines)


def _any_bytes(random, text):
    content = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(random.choice((1, 3, 30))):
        place = random.randrange(len(content))
        match random.randrange(3):
            case 0:
                content[place] = random.randrange(256)
            case 1:
                del content[place]
            case _:
                content.insert(place, random.choice(b"<=>/ 0123456789_\n\r\t\x00\xff\"'."))
    return content.decode("utf-8", "surrogateescape")


# Of whole train sets as well; we measure what the official scorer measures.
_WHOLE = {
    "both: labels, tags and scores": but(0.9, types=TYPES, score=_score),
    "both: low scores and labels that hardly differ": but(1, types=NEAR, score=LOW),
    "both: order of tags": but(0.7, types=ODD_TAGS),
    "both: links on two lines": rows(_twice, 0.4),
    "system: each label for each link": rows(
        lambda _, row: [row._replace(types=label) for label in LABELS], 1
    ),
    "both: links on two lines, one of them of more tokens": rows(_one_of_more_tokens, 0.4),
    "system: any tokens": but(0.5, one=_tokens, two=_tokens),
    "system: tokens in another order, twice": rows(_other_order_twice, 0.7),
    "system: lines left out": rows(lambda *_: [], 0.5),
    "system: order of lines": chain(rows(_twice, 1), sub(r"(?:^.* <==> .*\n)+", _mixed)),
    "system: missing pairs": blocks(lambda random, all: random.sample(all, len(all) // 2)),
    "gold: pairs that gold lacks": blocks(lambda random, all: random.sample(all, len(all) - 1)),
    "system: order of pairs": blocks(lambda random, all: random.sample(all, len(all))),
    # The same for the same word.
    "both: signs instead of words": words(
        lambda _, word: Random(word).choice([*SIGNS, *[word] * len(SIGNS)])
    ),
    "system: the answer has other words": words(lambda random, _: random.choice(SIGNS)),
    "gold: the texts of gold are not its tokens": sub(
        r"^// (.*?) (.*)$", r"//  \1 . \2", r"//\1 - \2", r"// // \1 ! \2", r"// \1  \2"
    ),
    "any: carriage returns": sub("$", "\r"),
    "either: blank lines": sub("\n", "\n\n", "\n  \n", "\n\t\n", "\n\f\n", share=0.3),
    "both: blanks round fields": rows(_blanks_round_fields),
    "both: comments": but(
        1, rest=["", "a // b // c", "1 <==> 2", "a <==> b // EQUI // 5", "é", "\udcff", "\0"]
    ),
}
_WHOLE |= table("""
either: NOALI and ALIC with two sides: types NOALI|ALIC
system: a side that is 0: one 0|00|0 3|0 1 2 3|00 2
gold: a side that is 0 in gold: two 0|0 3
system: 0 behind other tokens: two 3 0|1 2 0|2 0 3 00
system: numbers with zeros in front: one 01|1 02|0003
""")

# The same, of the samples only.
_SAMPLED = {
    "system: all tokens": but(0.2, one=["1 2 3 4 5 6 7 8 9 10"], two=["1 2 3 4 5 6 7 8"]),
    "system: sides changed": rows(lambda _, row: row._replace(one=row.two, two=row.one), 0.5),
    "system: tokens that there are not": but(0.3, two=["99", "1 77", *HUGE]),
    "system: a blank that is none between tokens": but(0.3, one=["1\u00a02"]),
    "system: empty sides": but(0.3, one=["", "  "]),
    "system: empty sides at the right": but(0.3, two=["", "\t"]),
    "either: ids in other forms": sub(
        OPEN, r'<sentence id="\1" >', r' <sentence id="\1" status="x" more="1">  ', share=0.5
    ),
    "both: ids that are words": sub('id="', 'id="pair é  -1.5e<b>'),
    "gold: blanks and signs at the ends of gold's texts": chain(
        sub(r"^// .*$", *(rf"\g<0>{end}" for end in (" .", " .  ", "\t.", " .\u00a0", " , ,"))),
        rows(lambda _, row: row._replace(one=f"{row.one} 0"), 0.5),
    ),
    "gold: gold's texts are missing or elsewhere": sub(
        r"^(// .*)\n", "", r"\1\n\1\n", r"\n\1\n", r"\1\n\n", r"// . . . . .\n", share=0.4
    ),
    "system: an arrow among the words of the answer": arrows(*ARROWS, "<<==>>"),
    "both: what looks like brackets among the words": arrows(
        "</source>", "<alignment>", "</sentence>", "//", "<sentence", "-not", "NIL", "==>"
    ),
    "any: byte order marks and no last line end": lambda _, text: "\ufeff" + text.rstrip("\n"),
    "system: other blanks and controls round fields": rows(_odd_blanks, 0.2),
    "system: fields too few or too many": forms(
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
    "system: two sides and more": forms(
        "{0.one} <==> {0.two} <==> x 3 <==> // {0.types} // {0.score}"
    ),
    "system: other arrows": sub(
        " <==> (?!0|.*NOALI)", " <=> ", " ==> ", "< ==>", " = ", " ⇔ ", "<==", share=0.2
    ),
}
_SAMPLED |= table("""
system: scores written oddly: score 5.|.5|0004|4.50|0.0|0|1.000000
system: scores with a sign or an exponent: score +3|3e0|-0|30E-1|+.5e1
system: scores out of range: score 6|-1|1e9|5.0001|inf|-Infinity|1e999
system: scores that are words: score |3 4|four|٣|５|3,5|0x3|1_0|.|e|3e|--3|NIL|nil|½
system: NIL where it may be: types NOALI // NIL // x|ALIC_FACT // NIL //
system: case of labels: types equi|Simi|SPE1_fact|sPE2|noali
system: types that are none: types |EQUI FACT|SAME|EQUI-FACT|_EQUI|EQUI__FACT|SPE|ſPE1|EQUI.|_|__
system: numbers of types: types EQUI_REL|FACT|POL_FACT|EQUI_FACT_POL_POL|SIMI_SIMI|A_B_C_D_E|REL_REL
gold: 0 behind other tokens in gold: one 3 0|1 2 0
system: tokens that are no numbers: one 1 x|x|+2|1,2|٣|2.0|-1|1e0|³|1;2|<|0x1
""")

# We may refuse what the official scorer measures.
_STRICTER = {
    "any: nothing is aligned": rows(
        lambda _, row: row._replace(two="0", types="NOALI", score="NIL")
    ),
    "any: no line at all": rows(lambda *_: []),
    "either: pairs twice": blocks(lambda random, all: [*all, random.choice(all)]),
    "system: other ids": sub('sentence id="', 'sentence id="x'),
    "either: ids in a form that no script sees": sub(
        *(OPEN, r'<sentence id="\1">', r"<sentence id='\1' status=''>"),
        *(r'<sentence id = "\1" status="">', r'<sentence status="" id="\1">'),
        *(r'<sentence  id="\1" status="">', r'<SENTENCE ID="\1" STATUS="">'),
        *(r'<sentence id=\1 status="">', r'<sentence id="\1"\tstatus="">'),
        share=0.5,
    ),
    "either: missing and empty ids": sub(
        OPEN, '<sentence status="">', "<sentence>", '<sentence id="" status="">', share=0.5
    ),
    "either: no id at all": sub("^<sentence.*$", "<sentence>"),
    "gold: an arrow among the words of gold": arrows(*ARROWS),
    "system: an id among the words": sub("^// .*$", r'\g<0> sentence id="1" .', share=0.1),
    "either: only carriage returns": sub("\n", "\r"),
    "both: brackets left out": sub(rf"{BRACKET}\n", "", share=0.3),
    "both: brackets twice, in other letters, with blanks": sub(
        *(f"{BRACKET}$", r"\g<0>\n\g<0>", r"  \g<0> ", r"< \1\2>"),
        lambda _, match: match[0].upper(),
        share=0.3,
    ),
    "system: lines elsewhere": _lines_elsewhere,
    "system: stray lines": sub(
        "\n",
        *(f"\n{line}\n" for line in ("stray", "1 <==> 1 // EQUI // 5 // x", "# 1", "<x>")),
        *("\n// . .\n", "\n3 x :\n", '\n<sentence id="1" \n'),
        share=0.02,
    ),
    "any: empty files": lambda random, _: random.choice(("", "\n\n", " ", "\ufeff", "x")),
    "either: cut off": lambda random, text: text[: random.randrange(len(text))],
    "either: any bytes": _any_bytes,
}
_STRICTER |= table("""
system: scores that are no number: score nan|-NaN|0 but true
gold: case of labels in gold: types equi|Simi|SPE1_fact|sPE2|rel
gold: gold with faults: types SAME|EQUI_REL||FACT
gold: gold with odd scores: score |6|-1|four|NIL|1e9|٣|nan
""")

KINDS = [
    Kind(*reversed(name.split(": ", 1)), change, kinds is _STRICTER, kinds is _WHOLE)
    for kinds in (_WHOLE, _SAMPLED, _STRICTER)
    for name, change in kinds.items()
]
