"""The kinds of perturbed files: each changes a gold file, an answer to it, or both.

A kind is ``stricter`` if we may refuse to measure what the official scorer measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .draft import ARROW, Draft, Row

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["KINDS", "Case", "Kind", "make"]

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
LABELS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL")
UNALIGNED = ("NOALI", "ALIC")
TAGS = ("", "", "_FACT", "_POL", "_FACT_POL", "_POL_FACT")
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

    def __str__(self) -> str:
        return f"{self.kind.name} {self.number}"


KINDS: list[Kind] = []


def kind(name: str, *, stricter: bool = False, whole: bool = False):
    def add(change):
        KINDS.append(Kind(name, change, stricter, whole))
        return change

    return add


def make(kind: Kind, number: int, random: Random, base: Path | None = None) -> Case:
    """A case, whose answer is a little wrong everywhere, as answers are."""
    bases = sorted(SAMPLES.glob("*/gold.wa"))
    source = (base or random.choice(bases)).read_bytes()
    gold = Draft.read(source)
    system = gold.copy()
    system.rows(lambda row: _mistaken(random, row))
    kind.change(random, gold, system)
    return Case(kind, number, source, gold.content, system.content)


def _mistaken(random: Random, row: Row) -> Row | list[Row]:
    if not row.aligned or random.random() < 0.6:
        return row
    if random.random() < 0.2:
        return []
    return row.but(types=random.choice(LABELS), score=str(random.randint(1, 5)))


def _some(random: Random, draft: Draft, share: float, change: Callable[[Row], object]) -> None:
    """Change some of the aligned lines, one at least."""
    rows = [Row.read(line) for line in draft.lines if ARROW in line]
    aligned = [number for number, row in enumerate(rows) if row.aligned]
    chosen = {number for number in aligned if random.random() < share} | {random.choice(aligned)}
    counter = iter(range(len(rows)))
    draft.rows(lambda row: change(row) if next(counter) in chosen else row)


def _fields(name, values, field, *, share=0.3, target="system", **options):
    """A kind that puts odd values into a field of the answer's lines, or of the gold file's."""

    @kind(name, **options)
    def change(random, gold, system):
        draft = gold if target == "gold" else system
        _some(random, draft, share, lambda row: row.but(**{field: random.choice(values)}))


def _score(random: Random) -> str:
    return random.choice([str(random.randint(0, 10) / 2), f"{random.uniform(0, 5):.4f}", "5", "4"])


# Labels, tags, scores.


@kind("labels", whole=True)
def _(random, gold, system):
    system.rows(lambda row: row.but(types=random.choice(LABELS)) if row.aligned else row)


@kind("labels and tags", whole=True)
def _(random, gold, system):
    for draft in (gold, system):
        _some(
            random,
            draft,
            0.7,
            lambda row: row.but(types=random.choice(LABELS) + random.choice(TAGS)),
        )


@kind("labels, tags and scores", whole=True)
def _(random, gold, system):
    for draft in (gold, system):
        _some(
            random,
            draft,
            0.9,
            lambda row: row.but(
                types=random.choice(LABELS) + random.choice(TAGS), score=_score(random)
            ),
        )


@kind("low scores and labels that hardly differ", whole=True)
def _(random, gold, system):
    for draft in (gold, system):
        _some(
            random,
            draft,
            1,
            lambda row: row.but(
                types=random.choice(("EQUI", "SPE1", "SPE2", "SIMI", "REL")) + random.choice(TAGS),
                score=random.choice(("0", "1", "2", "2.5", "2.9999", "3", "3.9999", "4", "5")),
            ),
        )


@kind("scores", whole=True)
def _(random, gold, system):
    _some(random, system, 0.8, lambda row: row.but(score=_score(random)))


@kind("order of tags", whole=True)
def _(random, gold, system):
    for draft in (gold, system):
        _some(
            random,
            draft,
            0.7,
            lambda row: row.but(
                types=random.choice(
                    ("FACT_{}", "POL_{}", "POL_{}_FACT", "{}_FACT_FACT", "{}_")
                ).format(random.choice(LABELS))
            ),
        )


_fields("scores written oddly", ("5.", ".5", "0004", "4.50", "0.0", "0", "1.000000"), "score")
_fields("scores with a sign or an exponent", ("+3", "3e0", "-0", "30E-1", "+.5e1"), "score")
_fields("scores that are no number", ("nan", "-NaN", "0 but true"), "score", stricter=True)
_fields("scores out of range", ("6", "-1", "1e9", "5.0001", "inf", "-Infinity", "1e999"), "score")
_fields(
    "scores that are words",
    ("four", "", "٣", "５", "3,5", "0x3", "1_0", "3 4", ".", "e", "3e", "--3", "NIL", "nil", "½"),
    "score",
)
_fields("NOALI and ALIC with two sides", UNALIGNED, "types", whole=True)
_fields("NOALI with two sides in gold", UNALIGNED, "types", target="gold", whole=True)
_fields("NIL where it may be", ("NOALI // NIL // x", "ALIC_FACT // NIL //"), "types")
_fields("case of labels", ("equi", "Simi", "SPE1_fact", "sPE2", "noali"), "types")
_fields(
    "case of labels in gold", ("equi", "Simi", "SPE1_fact", "sPE2", "rel"), "types", target="gold"
)
_fields(
    "types that are none",
    (
        "SAME",
        "",
        "EQUI FACT",
        "EQUI-FACT",
        "_EQUI",
        "EQUI__FACT",
        "SPE",
        "ſPE1",
        "EQUI.",
        "_",
        "__",
    ),
    "types",
)
_fields(
    "numbers of types",
    ("EQUI_REL", "FACT", "POL_FACT", "EQUI_FACT_POL_POL", "SIMI_SIMI", "A_B_C_D_E", "NOALI_EQUI"),
    "types",
)
_fields("gold with faults", ("SAME", "EQUI_REL", "", "FACT"), "types", target="gold", stricter=True)
_fields(
    "gold with odd scores", ("6", "-1", "four", "NIL", "", "1e9", "٣", "nan"), "score",
    target="gold", stricter=True,
)  # fmt: skip


# Links.


@kind("links on two lines", whole=True)
def _(random, gold, system):
    for draft in (gold, system):
        _some(
            random,
            draft,
            0.4,
            lambda row: [row, row.but(types=random.choice(LABELS), score=_score(random))],
        )


@kind("each label for each link", whole=True)
def _(random, gold, system):
    order = list(LABELS)
    random.shuffle(order)
    system.rows(lambda row: [row.but(types=label) for label in order] if row.aligned else row)


@kind("links on two lines, one of them of more tokens", whole=True)
def _(random, gold, system):
    def change(row):
        more = row.but(
            one=f"{row.one} {random.randint(1, 9)}",
            two=f"{row.two} {random.randint(1, 9)}",
            types=random.choice(LABELS),
            score=_score(random),
        )
        return random.sample([row, more], 2)

    for draft in (gold, system):
        _some(random, draft, 0.4, change)


def _token(random: Random) -> str:
    return " ".join(str(random.randint(1, 9)) for _ in range(random.randint(1, 4)))


@kind("any tokens", whole=True)
def _(random, gold, system):
    _some(random, system, 0.5, lambda row: row.but(one=_token(random), two=_token(random)))


@kind("all tokens on both sides")
def _(random, gold, system):
    many = " ".join(map(str, range(1, 12)))
    _some(random, system, 0.2, lambda row: row.but(one=many, two=many))


@kind("tokens in another order, twice", whole=True)
def _(random, gold, system):
    def change(row):
        words = [*row.one.split(), random.choice(row.one.split())]
        return row.but(one="  ".join(random.sample(words, len(words))))

    _some(random, system, 0.7, change)


@kind("sides changed")
def _(random, gold, system):
    _some(random, system, 0.5, lambda row: row.but(one=row.two, two=row.one))


_fields("a side that is 0", ("0", "00", "0 3", "0 1 2 3", "00 2"), "one", whole=True)
_fields("a side that is 0 in gold", ("0", "0 3"), "two", target="gold", whole=True)
_fields("0 behind other tokens", ("3 0", "1 2 0", "2 0 3 00"), "two", whole=True)
_fields("0 behind other tokens in gold", ("3 0", "1 2 0"), "one", target="gold")
_fields("numbers with zeros in front", ("01", "1 02", "0003"), "one", whole=True)
_fields(
    "tokens that there are not",
    (
        "99",
        "1 77",
        "99999999999999999999",
        "9" * 5000,
        "2147483648",
        "1" + "0" * 400,
        "9223372036854775808",
        "18446744073709551616",
    ),
    "two",
)
_fields(
    "tokens that are no numbers",
    ("x", "+2", "1,2", "٣", "2.0", "-1", "1e0", "1 x", "³", "1\u00a02", "1;2", "<", "0x1"),
    "one",
)
_fields("empty sides", ("", "  "), "one")
_fields("empty sides at the right", ("", "\t"), "two")


@kind("lines left out", whole=True)
def _(random, gold, system):
    _some(random, system, 0.5, lambda row: [])


@kind("nothing is aligned", stricter=True)
def _(random, gold, system):
    for draft in random.choice(((system,), (gold,), (gold, system))):
        draft.rows(lambda row: row.but(two="0", types="NOALI", score="NIL"))


@kind("no line at all", stricter=True)
def _(random, gold, system):
    for draft in random.choice(((system,), (gold,), (gold, system))):
        draft.rows(lambda row: [])


@kind("order of lines", whole=True)
def _(random, gold, system):
    def mixed(blocks):
        for block in blocks:
            lines = [place for place, line in enumerate(block) if ARROW in line]
            for place, line in zip(
                lines, random.sample([block[n] for n in lines], len(lines)), strict=True
            ):
                block[place] = line
        return blocks

    system.rows(lambda row: [row, row.but(types=random.choice(LABELS))] if row.aligned else row)
    system.blocks(mixed)


# Pairs and their ids.


@kind("missing pairs", whole=True)
def _(random, gold, system):
    system.blocks(lambda blocks: random.sample(blocks, max(1, len(blocks) // 2)))


@kind("pairs that gold lacks", whole=True)
def _(random, gold, system):
    gold.blocks(lambda blocks: random.sample(blocks, max(1, len(blocks) // 2)))


@kind("order of pairs", whole=True)
def _(random, gold, system):
    system.blocks(lambda blocks: random.sample(blocks, len(blocks)))


@kind("pairs twice", stricter=True)
def _(random, gold, system):
    random.choice((gold, system)).blocks(lambda blocks: [*blocks, random.choice(blocks)])


@kind("other ids", stricter=True)
def _(random, gold, system):
    system.each(lambda line: line.replace('sentence id="', 'sentence id="x'))


def _opening(random: Random, draft: Draft, forms: tuple[str, ...]) -> None:
    """Write some of the lines that open a sentence in other forms, one at least."""
    starts = [line for line in draft.lines if line.startswith("<sentence")]
    chosen = {line for line in starts if random.random() < 0.3} | {random.choice(starts)}

    def change(line):
        if line not in chosen:
            return line
        return random.choice(forms).format(line.split('"')[1])

    draft.each(change)


@kind("ids in a form that no script sees", stricter=True)
def _(random, gold, system):
    forms = (
        '<sentence id="{}">',
        "<sentence id='{}' status=''>",
        '<sentence id = "{}" status="">',
        '<sentence status="" id="{}">',
        '<sentence  id="{}" status="">',
        '<SENTENCE ID="{}" STATUS="">',
        '<sentence id={} status="">',
        '<sentence id="{}"\tstatus="">',
    )
    _opening(random, random.choice((gold, system)), forms)


@kind("ids in other forms")
def _(random, gold, system):
    forms = ('<sentence id="{}" >', ' <sentence id="{}" status="x" more="1">  ')
    _opening(random, random.choice((gold, system)), forms)


@kind("missing and empty ids", stricter=True)
def _(random, gold, system):
    forms = ('<sentence status="">', "<sentence>", '<sentence id="" status="">', "")
    _opening(random, random.choice((gold, system)), forms)


@kind("no id at all", stricter=True)
def _(random, gold, system):
    random.choice((gold, system)).each(
        lambda line: "<sentence>" if line.startswith("<sentence") else line
    )


@kind("ids that are words")
def _(random, gold, system):
    for draft in (gold, system):
        draft.each(lambda line: line.replace('id="', 'id="pair é  -1.5e').replace("-1.5e1", "<b>"))


# Words.


@kind("signs instead of words", whole=True)
def _(random, gold, system):
    signs = {}

    def change(word):
        if word not in signs:
            signs[word] = random.choice(SIGNS) if random.random() < 0.5 else word
        return signs[word]

    gold.words(change)
    system.words(change)


@kind("the answer has other words than gold", whole=True)
def _(random, gold, system):
    system.words(lambda word: random.choice(SIGNS))


@kind("the texts of gold are not its tokens", whole=True)
def _(random, gold, system):
    def change(line):
        if not line.startswith("// "):
            return line
        words = line[3:].split(" ")
        words.insert(random.randrange(len(words) + 1), random.choice((".", "-", "!", "")))
        return random.choice(("// ", "//  ", "//", "// // ")) + " ".join(words)

    gold.each(change)


@kind("blanks and signs at the ends of gold's texts")
def _(random, gold, system):
    ends = (" .", " . ", " .  ", " .\t", "\t.", " .\u00a0", " , ,", " -", " -\r")
    gold.each(lambda line: line + random.choice(ends) if line.startswith("// ") else line)
    _some(random, gold, 0.5, lambda row: row.but(one=row.one + " 0"))


@kind("gold's texts are missing or elsewhere")
def _(random, gold, system):
    def change(line):
        if not line.startswith("// ") or random.random() < 0.6:
            return line
        return random.choice(([], [line, line], ["", line], [line, ""], ["// . . . . ."]))

    gold.each(change)


@kind("an arrow among the words of the answer")
def _(random, gold, system):
    word = random.choice(("<==>", "x<==>y", "<==>//EQUI//5", "1<==>1//EQUI//5//", "<<==>>"))
    system.words(lambda one: word if random.random() < 0.05 or one == "the" else one)


@kind("an arrow among the words of gold")
def _(random, gold, system):
    word = random.choice(("<==>", "x<==>y", "<==>//EQUI//5", "<==>1//EQUI//5//"))
    gold.words(lambda one: word if random.random() < 0.05 or one == "the" else one)


@kind("an id among the words of the answer", stricter=True)
def _(random, gold, system):
    found = random.choice([line for line in system.lines if line.startswith("// ")])
    system.each(lambda line: line + ' sentence id="1" .' if line is found else line)


@kind("what looks like brackets among the words")
def _(random, gold, system):
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
    for draft in (gold, system):
        draft.words(lambda one: random.choice(odd) if random.random() < 0.1 else one)


# Lines, brackets and bytes.


@kind("carriage returns", whole=True)
def _(random, gold, system):
    for draft in random.choice(((gold,), (system,), (gold, system))):
        draft.each(lambda line: line + "\r")


@kind("only carriage returns", stricter=True)
def _(random, gold, system):
    draft = random.choice((gold, system))
    draft.lines = ["\r".join(draft.lines)]


@kind("byte order marks and no last line end")
def _(random, gold, system):
    for draft in random.choice(((gold,), (system,), (gold, system))):
        draft.lines[0] = "\ufeff" + draft.lines[0]
        while not draft.lines[-1]:
            draft.lines.pop()


@kind("blank lines in the answer", whole=True)
def _(random, gold, system):
    blank = ("", "  ", "\t", "\f")
    system.each(lambda line: [line, random.choice(blank)] if random.random() < 0.3 else line)


@kind("blank lines in gold", whole=True)
def _(random, gold, system):
    gold.each(lambda line: [line, ""] if random.random() < 0.3 else line)


@kind("blanks round fields", whole=True)
def _(random, gold, system):
    blanks = ("", " ", "  ", "\t", " \t ", "\v", "\f ")

    def change(row):
        gap = [random.choice(blanks) for _ in range(8)]
        return (
            f"{gap[0]}{row.one}{gap[1]}<==>{gap[2]}{row.two}{gap[3]}//{gap[4]}{row.types}{gap[5]}"
            f"//{gap[6]}{row.score}{gap[7]}"
        )

    for draft in (gold, system):
        draft.rows(change)


@kind("other blanks and controls round fields")
def _(random, gold, system):
    odd = ("\u00a0", "\x01", "\0", "\x85", "\u2028", "\x1c", "\x1f", "\udc85", "\udca0", "\ufeff")
    fields = ("one", "two", "types", "score")

    def change(row):
        name = random.choice(fields)
        value, sign = getattr(row, name), random.choice(odd)
        return row.but(**{name: random.choice((value + sign, sign + value))})

    _some(random, system, 0.2, change)


@kind("comments", whole=True)
def _(random, gold, system):
    ends = (
        "",
        "x",
        "a // b // c",
        "1 <==> 2",
        "a <==> b // EQUI // 5",
        "<==>",
        "é",
        "\udcff",
        "\0",
    )
    for draft in (gold, system):
        draft.rows(lambda row: row.but(rest=random.choice(ends)))


@kind("fields too few or too many")
def _(random, gold, system):
    forms = (
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
        "<==>",
        "// <==>",
    )
    _some(random, system, 0.2, lambda row: random.choice(forms).format(row))


@kind("two sides and more")
def _(random, gold, system):
    def change(row):
        return f"{row.one} <==> {row.two} <==> x 3 <==> // {row.types} // {row.score}"

    _some(random, system, 0.3, change)


@kind("other arrows")
def _(random, gold, system):
    arrows = ("<=>", "==>", "< ==>", "=", "", "&lt;==>", "⇔", "<==")
    _some(random, system, 0.2, lambda row: str(row).replace("<==>", random.choice(arrows)))


BRACKETS = ("sentence", "source", "translation", "alignment")


@kind("brackets left out", stricter=True)
def _(random, gold, system):
    lost = {f"<{slash}{name}>" for name in BRACKETS for slash in ("", "/") if random.random() < 0.4}
    for draft in (gold, system):
        draft.each(lambda line: [] if line in lost and random.random() < 0.7 else line)


@kind("brackets twice, in other letters, with blanks", stricter=True)
def _(random, gold, system):
    tags = {f"<{slash}{name}>" for name in BRACKETS for slash in ("", "/")}

    def change(line):
        if line not in tags or random.random() < 0.7:
            return line
        return random.choice(([line, line], line.upper(), f"  {line} ", line.replace("<", "< ")))

    for draft in (gold, system):
        draft.each(change)


@kind("lines elsewhere", stricter=True)
def _(random, gold, system):
    for _ in range(3):
        moved = system.lines.pop(random.randrange(len(system.lines)))
        system.lines.insert(random.randrange(len(system.lines)), moved)


@kind("stray lines", stricter=True)
def _(random, gold, system):
    odd = (
        "stray",
        "1 <==> 1 // EQUI // 5 // x",
        "# 1",
        "<x>",
        "// . .",
        "3 x :",
        '<sentence id="1" ',
    )
    for _ in range(2):
        system.lines.insert(random.randrange(len(system.lines)), random.choice(odd))


@kind("empty files", stricter=True)
def _(random, gold, system):
    empty = random.choice(([""], ["", "", ""], [" "], ["\ufeff"], ["x"]))
    for draft in random.choice(((system,), (gold,), (gold, system))):
        draft.lines = list(empty)


@kind("cut off", stricter=True)
def _(random, gold, system):
    draft = random.choice((gold, system))
    content = draft.content
    draft.lines = Draft.read(content[: random.randrange(len(content))]).lines


@kind("any bytes", stricter=True)
def _(random, gold, system):
    draft = random.choice((gold, system))
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
