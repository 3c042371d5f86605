"""The small edits of docs/howto/: each changes an answer, and why and diff name it."""

import re
from functools import cache
from pathlib import Path

import pytest

from ists_asp.compare import run_both
from ists_asp.engine import load
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from tests.sharing import load_shared

pytestmark = pytest.mark.slow

PAGES = ("tutorials/rules.md", "howto/small-edits.md")
DOCS = "".join((Path(__file__).parents[2] / "docs" / page).read_text("utf-8") for page in PAGES)
WORDS = re.search(r"printf '(.*?)' > words\.tsv", DOCS)[1].replace("\\n", "\n")
FINANCE = re.search(r"`finance\.tsv`:\n\n```text\n(.*?)```", DOCS, re.DOTALL)[1]
EDITS = {
    **dict(re.findall(r"```prolog\n% (\w+\.lp)\n(.*?)```", DOCS, re.DOTALL)),
    "words.tsv": WORDS,
    "finance.tsv": FINANCE,
}
FAR = "On Monday in the north after a day of rain and wind a storm hits coast"
shipped = cache(load_shared)


def told(answered):
    """The lines of an answer that are aligned, as words, label and score."""
    pair = answered.pair
    return {
        (pair.sent1.words(line.tokens1), pair.sent2.words(line.tokens2)): (
            str(line.label),
            line.score,
        )
        for line in answered.alignments
        if line.label.aligned
    }


EFFECTS = """
words.tsv        | headlines | Regulator recalls Opels / Regulator recalls Vauxhalls
    Opels / Vauxhalls | ? | EQUI 5 | words.tsv:1
words.tsv        | headlines | Fed turns hawkish / Fed turns dovish
    hawkish / dovish | ? | OPPO ? | words.tsv:2
words.tsv        | headlines | French head of state dies / French president dies
    French head of state / French president | none | EQUI 5 | words.tsv:3
of_phrases.lp    | headlines | Minister of defence resigns / Minister of health resigns
    Minister of defence / Minister of health | none | ? | of belongs to minister
unequal_names.lp | headlines | Burma votes / Myanmar votes
    Burma / Myanmar | EQUI 5 | ? | burma and myanmar are different names
weekdays.lp      | images | The train leaves on Monday morning / The train leaves on Sunday morning
    on Monday morning / on Sunday morning | ? | ? 3 | monday and sunday are different days or months
finance.tsv      | headlines | Bourse falls / Stock exchange falls
    Bourse / Stock exchange | ? | EQUI 5 | finance.tsv:1
additions.lp     | headlines | Storm kills 12 / Huge storm kills 12
    Storm / Huge storm | SPE2 4 | SPE2 3 | all that side 2 adds is a modifier
distance.lp      | headlines | Storm hits coast / FAR
    hits / hits | EQUI 5 | none | "hits" and "hits" stand five chunks or more apart
""".replace("FAR", FAR)
"""Rules, profile and sentences; the phrases, label and score before and after, and the cause."""


def agrees(found, expected):
    """Whether a line is as expected, of which ``?`` may be anything."""
    if found is None or expected == "none":
        return (found is None) == (expected == "none")
    label, _, score = expected.partition(" ")
    return label in ("?", found[0]) and score in ("", "?", f"{found[1]:g}")


@pytest.mark.parametrize("row", EFFECTS.strip().replace("\n    ", " | ").split("\n"))
def test_an_edit_has_its_effect_and_is_named(tmp_path, row):
    name, profile, pair, where, before, after, words = map(str.strip, row.split(" | "))
    pair, where = pair.split(" / "), tuple(where.split(" / "))
    rules = tmp_path / name
    rules.write_text(EDITS[name], encoding="utf-8")
    old = shipped(profile)
    sentences = Pair("1", *(make_sentence(text.split()) for text in pair))
    with load(profile, rules=rules, cache=None) as new:
        assert not [one for one in new.warnings if name in str(one)]
        (both,) = run_both(old, new, [sentences])
        was, now = told(both.old).get(where), told(both.new).get(where)
        assert was != now
        assert agrees(was, before)
        assert agrees(now, after)
        causes = [cause for each in both.causes for cause in each]
        assert any(words in f"{cause.file}:{cause.line} {cause.text}" for cause in causes)
        trace = new.trace(*pair)
        line = next(
            line
            for line in trace.answer.alignments
            if (sentences.sent1.words(line.tokens1), sentences.sent2.words(line.tokens2))
            in (where, (where[0], ""))
        )
        question = " <==> ".join(
            " ".join(map(str, tokens or (0,))) for tokens in (line.tokens1, line.tokens2)
        )
        text = trace.why(question).text()
        assert words in text
        assert name in text


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("unequal_names.lp", ("Barclays fined", "Barclays Bank fined")),
        ("unequal_names.lp", ("Barclays Bank fined", "Barclays fined")),
        ("weekdays.lp", ("A red car", "A blue car")),
        ("weekdays.lp", ("Storm moves north", "Storm moves south")),
        ("additions.lp", ("Old Syrian rebels killed", "Rebels killed")),
    ],
    ids=["name and more", "more of a name", "colours", "directions", "two modifiers"],
)
def test_an_edit_does_no_more_than_it_says(tmp_path, name, pair):
    rules = tmp_path / name
    rules.write_text(EDITS[name], encoding="utf-8")
    with load("headlines", rules=rules, cache=None) as new:
        assert told(new.solve(*pair)) == told(shipped("headlines").solve(*pair))


def test_an_entry_is_not_named_for_what_another_did(tmp_path):
    table = tmp_path / "two.tsv"
    table.write_text("float = initial public offering\nipo = initial public offering\n")
    with load("headlines", rules=table, cache=None) as new:
        trace = new.trace("Facebook IPO slumps", "Facebook initial public offering slumps")
        text = trace.why("1 2 <==> 1 2 3 4 // EQUI").text()
    assert "two.tsv:2" in text
    assert "two.tsv:1" not in text
