"""The small edits of docs/howto/: each changes an answer, and why and diff name it."""

import re
from contextlib import ExitStack
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from ists_asp.compare import run_both
from ists_asp.engine import load
from tests.sharing import cases, make_pair, shared_system

pytestmark = pytest.mark.slow

PAGES = ("tutorials/rules.md", "howto/small-edits.md")
DOCS = "".join((Path(__file__).parents[2] / "docs" / page).read_text("utf-8") for page in PAGES)
EDITS = {
    **dict(re.findall(r"```prolog\n% (\w+\.lp)\n(.*?)```", DOCS, re.DOTALL)),
    "words.tsv": re.search(r"printf '(.*?)' > words\.tsv", DOCS)[1].replace("\\n", "\n"),
    "finance.tsv": re.search(r"`finance\.tsv`:\n\n```text\n(.*?)```", DOCS, re.DOTALL)[1],
    "two.tsv": "float = initial public offering\nipo = initial public offering\n",
}


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edits")
    with ExitStack() as stack:

        @cache
        def load_edited(name, profile="headlines"):
            (folder / name).write_text(EDITS[name], encoding="utf-8")
            system = stack.enter_context(load(profile, rules=folder / name, cache=None))
            assert not [warning for warning in system.warnings if name in str(warning)]
            return system

        yield load_edited


def aligned(answer):
    words1, words2 = answer.pair.sent1.words, answer.pair.sent2.words
    return {
        f"{words1(line.tokens1)} / {words2(line.tokens2)}": f"{line.label} {line.score:g}"
        for line in answer.alignments
        if line.label.aligned
    }


# Rules, profile and sentences; the phrases, label and score before and after, which may be
# anything where there is a star, and the cause.
@cases(
    """
name | profile | pair | where | before | after | words
words.tsv        | headlines | Regulator recalls Opels / Regulator recalls Vauxhalls
    Opels / Vauxhalls | * * | EQUI 5 | words.tsv:1
words.tsv        | headlines | Fed turns hawkish / Fed turns dovish
    hawkish / dovish | * * | OPPO * | words.tsv:2
words.tsv        | headlines | French head of state dies / French president dies
    French head of state / French president | none | EQUI 5 | words.tsv:3
of_phrases.lp    | headlines | Minister of defence resigns / Minister of health resigns
    Minister of defence / Minister of health | none | * * | of belongs to "minister"
unequal_names.lp | headlines | Burma votes / Myanmar votes
    Burma / Myanmar | EQUI 5 | * * | "burma" and "myanmar" are different names
weekdays.lp      | images | The train leaves on Monday morning / The train leaves on Sunday morning
    on Monday morning / on Sunday morning | * * | * 3
    "monday" and "sunday" are different days or months
finance.tsv      | headlines | Bourse falls / Stock exchange falls
    Bourse / Stock exchange | * * | EQUI 5 | finance.tsv:1
additions.lp     | headlines | Storm kills 12 / Huge storm kills 12
    Storm / Huge storm | SPE2 4 | SPE2 3 | all that side 2 adds is a modifier
distance.lp      | headlines | Storm hits coast / FAR
    hits / hits | EQUI 5 | none | "hits" and "hits" stand five chunks or more apart
""".replace("FAR", "On Monday in the north after a day of rain and wind a storm hits coast")
)
def test_an_edit_has_its_effect_and_is_named(
    edited, name, profile, pair, where, before, after, words
):
    pair, new = pair.split(" / "), edited(name, profile)
    sentences = make_pair(*pair)
    (both,) = run_both(shared_system(profile), new, [sentences])
    was, now = (aligned(answer).get(where, "none") for answer in (both.old, both.new))
    assert was != now
    assert fnmatch(was, before)
    assert fnmatch(now, after)
    causes = [cause for own in both.causes for cause in own]
    assert any(words in f"{cause.file}:{cause.line} {cause.text}" for cause in causes)
    trace = new.trace(*pair)
    first, second = where.split(" / ")
    tokens = next(
        (line.tokens1, line.tokens2)
        for line in trace.answer.alignments
        if sentences.sent1.words(line.tokens1) == first
        and sentences.sent2.words(line.tokens2) in (second, "")
    )
    text = trace.why(" <==> ".join(" ".join(map(str, side or (0,))) for side in tokens)).text()
    assert words in text
    assert name in text


@cases("""
name             | one                      | two
unequal_names.lp | Barclays fined           | Barclays Bank fined
unequal_names.lp | Barclays Bank fined      | Barclays fined
weekdays.lp      | A red car                | A blue car
weekdays.lp      | Storm moves north        | Storm moves south
additions.lp     | Old Syrian rebels killed | Rebels killed
""")
def test_an_edit_does_no_more_than_it_says(edited, name, one, two):
    without = shared_system("headlines").solve(one, two)
    assert aligned(edited(name).solve(one, two)) == aligned(without)


def test_an_entry_is_not_named_for_what_another_did(edited):
    pair = "Facebook IPO slumps", "Facebook initial public offering slumps"
    trace = edited("two.tsv").trace(*pair)
    text = trace.why("1 2 <==> 1 2 3 4 // EQUI").text()
    assert "two.tsv:2" in text
    assert "two.tsv:1" not in text
