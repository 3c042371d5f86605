"""The page is whole, well formed and harmless whatever the sentences are; the command's, too."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ists_asp.engine import SolvedAnswer
from ists_asp.explain.explanation import Explanation
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import given_answer
from ists_asp.model import Alignment, Confidence, Label, Pair, Rating, Word
from ists_asp.report import Entry, Report, compare, evidence, page, picture
from ists_asp.report.picture import folded_tokens, punctuation, svg_file
from ists_asp.terminal import visible
from ists_asp.trace.contrast import Contrast, Reason
from ists_asp.trace.decisions import Because, RulePlace
from tests.sharing import alignments

EVIL = [
    *("<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"),
    *("\"'><svg/onload=alert(1)>", "<!--<script>", "$title ${style} $$", "&lt;b&gt; &amp;"),
    *("\u2028]]>", "\u202eback"),
]
VOID = {"meta", "input", "img", "br", "link"}
SVG = "{http://www.w3.org/2000/svg}"
SAMPLES = Path(__file__).parents[2] / "data" / "samples" / "images"
PAIR = ("12 killed in bus accident", "10 killed in road accident")


class Page(HTMLParser):
    """The tags of a page with their attributes; refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.tags, self._open, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, text):
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(text)

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]

    @property
    def data(self):
        return json.loads(next(text for text in self.texts["script"] if text.startswith("{")))

    @property
    def details(self):
        (packed,) = (text for text in self.texts["script"] if text.startswith("eJ"))
        return [json.loads(zlib.decompress(b64decode(one))) for one in packed.splitlines()]


def shown(*entries, title="Title", **options):
    return Page(page(Report(entries, title, **options)))


def texts(root, tag="text"):
    return [node.text for node in root.iter(f"{SVG}{tag}")]


@pytest.fixture
def simple(answer):
    return answer("a b c d", "x y", "1~1 EQUI 5; 2,4~2 SPE1 3.5; 3~ NOALI")


def test_a_page_has_each_pair_and_its_data(simple):
    place = RulePlace("my_rule", "lp_rules/x.lp", 7)
    cons = tuple(Reason("n", "words agree", 50, -24, -12, place) for _ in range(15))
    told = Contrast("label", "label:1:1", "because", "EQUI, not SIMI", "SIMI", -180, (), cons)
    html = shown(Entry(simple, "Both are.", {((1,), (1,)): (told,)}))
    (pair,), (detail,) = html.data["pairs"], html.details
    assert (pair["one"], pair["two"], pair["words"]) == ("a b c d", "x y", "Both are.")
    assert [line[:2] for line in pair["lines"]] == [["EQUI", 5.0], ["SPE1", 3.5], ["NOALI", None]]
    assert pair["rating"] is None
    first, second, third = (line["decisions"] for line in detail["why"])
    assert (second, third) == ([], [])
    (first,) = first
    assert (first["text"], first["sentence"], first["by"]) == ("because", "EQUI, not SIMI", -180)
    assert [one["points"] for one in first["pros"]] == [-12] * 12
    assert (first["more"], first["rest"]) == (3, -36)
    assert first["pros"][0]["rule"] == {"name": "my_rule", "file": "lp_rules/x.lp", "line": 7}
    # Of answers that were given nobody knows why they are so.
    assert "why" not in shown(Entry(simple)).details[0]


def test_a_page_has_ratings_and_the_official_measures(answer):
    ours = answer("a b", "x y", "1~1 EQUI 5; 2~2 SIMI 3")
    right = alignments("1~1 EQUI 5; 2~2 REL 3")
    theirs = alignments("1~1 EQUI 5; 2~ NOALI")
    beside = {"gold": compare(ours, right), "b.wa": compare(ours, theirs)}
    rated = Entry(replace(ours, rating=Rating(3250, (), 700)), beside=beside)
    missing = Entry(ours, beside={"gold": compare(ours, ours.alignments)})
    data = shown(rated, missing, name="a.wa").data
    assert data["against"] == ["gold", "b.wa"]
    first, second = data["pairs"]
    assert first["rating"] == [3.25, 0.7]
    assert first["f1"][0] == [1.0, 0.5, 1.0, 0.5]
    assert first["f1"][1] == [0.6667] * 4
    # A system that has no answer for a pair has nothing right.
    assert second["f1"] == [[1.0] * 4, [0.0] * 4]
    assert [(name, values[1]) for name, values in data["f1"]] == [("a.wa", 0.75), ("b.wa", 0.4)]
    assert first["against"][1] == [
        ["EQUI", "EQUI", "same", False],
        ["none", "SIMI", "alignment", False],
        ["NOALI", "none", "alignment", False],
    ]
    assert second["against"][1] is None


def test_the_page_loads_nothing_and_allows_its_own_script_only(simple):
    text = page(Report([Entry(simple)], "Title"))
    html = Page(text)
    for _, attributes in html.tags:
        assert not {"src", "href", "style", "onclick"} & attributes.keys()
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    policy = next(one["content"] for one in html.all("meta") if "content" in one)
    assert policy.startswith("default-src 'none'")
    for name in ("script", "style"):
        source = html.texts[name][-1]
        digest = b64encode(sha256(source.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.findall(r"^(import|export) ", html.texts["script"][-1], re.MULTILINE)


@pytest.mark.parametrize("evil", EVIL)
def test_text_is_harmless_wherever_it_stands(answer, evil):
    token = "_".join(evil.split())
    found = answer(f"{token} b", f"x {token}", "1~2 EQUI 5", identifier=evil)
    fired = Because(evil, RulePlace(evil, evil, 1))
    told = Contrast("label", evil, evil, evil, because=(fired,))
    compared = {evil: compare(found, answer(f"{token} b", f"x {token}").alignments)}
    entry = Entry(found, evil, {((1,), (2,)): (told,)}, compared)
    html, calm = shown(entry, title=evil), shown(Entry(answer("a b", "x a")), title="calm")
    assert [tag for tag, _ in html.tags] == [tag for tag, _ in calm.tags]
    seen = visible(evil)
    assert html.texts["h1"] == [seen]
    assert (html.data["pairs"][0]["words"], html.data["pairs"][0]["id"]) == (seen, seen)
    (detail,) = html.details
    assert detail["why"][0]["decisions"][0]["because"][0]["sentence"] == seen
    assert visible(token) in "".join(
        ElementTree.fromstring(detail.get("full", detail["picture"])).itertext()
    )


def test_punctuation_is_folded_and_counted(answer):
    found = answer("a , b .", "x y !", "1~1 EQUI 5; 2~ NOALI; 3~2 SIMI 3; 4~3 EQUI 5")
    marks = punctuation(found)
    assert marks == {1, 3}
    assert folded_tokens(found, marks) == ({2, 4}, {3})
    html = shown(Entry(found))
    (pair,), (detail,) = html.data["pairs"], html.details
    assert [line[3] for line in pair["lines"]] == [False, True, False, True]
    assert pair["marks"] == 3
    folded, full = (texts(ElementTree.fromstring(detail[name])) for name in ("picture", "full"))
    assert folded == ["EQUI 5", "SIMI 3", "a", "b", "x", "y"]
    assert full == ["EQUI 5", "SIMI 3", "EQUI 5", "a", ",", "b", ".", "x", "y", "!"]


def test_punctuation_that_is_aligned_with_a_word_is_shown(answer):
    found = answer("a &", "x and", "1~1 EQUI 5; 2~2 EQUI 5")
    assert punctuation(found) == set()
    # What is tagged is what its tag says.
    sent = make_sentence(["--"])
    tagged = replace(sent, tokens=(replace(sent.tokens[0], words=(Word("--", "--", "X", "X"),)),))
    lines = [Alignment((1,), (1,), Label.EQUI, 5.0)]
    assert punctuation(given_answer(Pair("1", tagged, sent), lines)) == set()
    assert punctuation(given_answer(Pair("1", sent, sent), lines)) == {0}
    assert "full" not in shown(Entry(found)).details[0]


def test_what_is_not_sure_has_a_question_mark_and_says_how_sure(answer):
    found = answer("a b c", "x y", "1~1 SIMI 3; 2~2 EQUI 5")
    lines = (
        replace(found.alignments[0], confidence=Confidence(0.98, 0.43, 0.6)),
        replace(found.alignments[1], confidence=Confidence(0.4, 0.9, 0.8)),
        Alignment((3,), (), Label.NOALI, None, confidence=Confidence(0.3)),
    )
    root = ElementTree.fromstring(picture(replace(found, alignments=lines), active=True))
    assert texts(root) == ["SIMI? 3", "? EQUI 5", "a", "b", "? c", "x", "y"]
    titles = texts(root, "title")
    assert (titles[0], titles[2]) == ('"a" SIMI? 3 "x"', '"c" NOALI –')


def test_a_picture_for_a_paper_needs_nothing_else(simple):
    text = svg_file(simple)
    root = ElementTree.fromstring(text)
    assert root.get("font-family")
    assert (root[0].tag, root[0].text) == (f"{SVG}title", "a b c d / x y")
    assert ".EQUI{color:#176b35}" in root[1].text
    assert texts(root)[:2] == ["EQUI 5", "SPE1 3.5"]
    assert not [word for word in ("var(", "@media", "tabindex") if word in text]


def test_a_picture_has_a_path_for_each_chunk_of_a_link_that_can_be_chosen_if_it_is_active(simple):
    root = ElementTree.fromstring(picture(simple, active=True))
    links = [group for group in root if group.get("class").startswith("link")]
    assert [len(group.findall(f"{SVG}path")) for group in links] == [4, 6, 0, 0]
    assert [group.get("data-line") for group in links] == ["0", "1", "0", "1"]
    assert [group.get("tabindex") for group in links] == [None, None, "0", "0"]
    (alone,) = [group for group in root if "alone" in group.get("class")]
    assert alone.get("aria-label") == '"c" NOALI –'
    text = picture(simple)
    root = ElementTree.fromstring(text)
    assert (root.get("role"), '"b d" SPE1 3.5 "y"' in root.get("aria-label")) == ("img", True)
    assert not [word for word in ("tabindex", "data-line") if word in text]


@pytest.mark.slow
def test_each_line_has_the_contrasts_of_its_decisions(trace):
    found = evidence(trace)
    align, label, *_ = found[(1,), (1,)]
    assert (align.kind, label.kind) == ("align", "label")
    assert label.sentence.startswith("SIMI, not ")
    for part in (align, label):
        assert len(part.pros) + len(part.cons) > 3
    assert found.keys() >= {(line.tokens1, line.tokens2) for line in trace.answer.alignments}
    ((part, *_),) = [parts for (_, second), parts in found.items() if not second]
    assert (part.kind, part.sentence.partition(": ")[0]) == ("noali", "no counterpart")


@pytest.mark.parametrize("length", [1, 40], ids=["rows", "columns"])
def test_marks_and_chunks_do_not_overlap_and_fit_on_a_page(answer, length):
    lines = "; ".join(f"{n}~{5 - n} SIMI 1" for n in range(1, 5))
    texts = (" ".join(letter * length for letter in side) for side in ("abcd", "wxyz"))
    root = ElementTree.fromstring(picture(answer(*texts, lines)))
    rects = [
        [float(rect.get(name)) for name in ("x", "y", "width", "height")]
        for group in root
        for rect in group.findall(f"{SVG}rect")
    ]
    assert (len(rects), float(root.get("width")) < 1280) == (12, True)
    for number, (x, y, width, height) in enumerate(rects):
        for other in rects[:number]:
            apart = x >= other[0] + other[2] or other[0] >= x + width
            assert apart or y >= other[1] + other[3] or other[1] >= y + height


def test_no_mark_lies_on_the_line_of_another_link(answer):
    lines = "; ".join(f"{one}~{two} SIMI 1" for one, two in zip("123456", "614352", strict=True))
    texts = (" ".join(f"{letter * 6}" for letter in side) for side in ("abcdef", "uvwxyz"))
    root = ElementTree.fromstring(picture(answer(*texts, lines), active=True))
    ends, marks = {}, {}
    for link in root.findall(f"{SVG}g[@class='link SIMI']"):
        number, rect = link.get("data-line"), link.find(f"{SVG}rect")
        for path in link.findall(f"{SVG}path"):
            x, y, _, _ = map(float, re.findall(r"[\d.]+", path.get("d")))
            ends.setdefault(number, set()).add((x, y))
        if rect is not None:
            marks[number] = [float(rect.get(at)) for at in ("x", "y", "width", "height")]
    assert len(marks) == len(ends) == 6
    for number, (x, y, width, height) in marks.items():
        for other, ((x1, y1), (x2, y2)) in ends.items():
            at = x1 + (x2 - x1) * (y + height / 2 - y1) / (y2 - y1)
            assert (x < at < x + width) == (number == other)


def test_each_line_is_compared_with_gold(answer):
    lines = "1~1 EQUI 5; 2~2 SIMI 3; 3~3 SIMI 3; 4~4 REL 1; 5~ NOALI; ~5 NOALI"
    ours = answer("a b c d e", "v w x y z", lines)
    theirs = alignments("1~1 EQUI 5; 2~2 SPE1 3; 3~3 SIMI 2; 4~5 REL 1; 5~ NOALI 0")
    compared = compare(ours, theirs)
    verdicts = " ".join(verdict.name for _, verdict in compared.lines)
    assert verdicts == "SAME LABEL SCORE ALIGNMENT SAME ALIGNMENT"
    assert [line.tokens2 for line in compared.missed] == [(5,)]
    html = shown(Entry(ours, beside={"gold": compared}))
    cells = html.data["pairs"][0]["against"][0]
    assert ["SPE1", "SIMI", "label", False] in cells
    assert cells[-1] == ["REL", "none", "alignment", False]
    told = html.details[0]["against"][0]["told"]
    assert told[0] == '"b" SIMI 3 "w": other label in gold, "b" SPE1 3 "w"'
    assert told[-1] == 'only in gold: "d" REL 1 "z"'


def test_a_notebook_shows_the_picture(simple):
    html = Page(SolvedAnswer.of(simple)._repr_html_())
    assert len(html.all("svg")) == 1
    assert html.all("script") == []
    said = Page(Explanation(simple, "a < b", ())._repr_html_())
    assert (len(said.all("svg")), said.texts["p"]) == (1, ["a < b"])


@pytest.mark.slow
def test_the_report_of_a_file_with_gold(run, tmp_path):
    files = (SAMPLES / "sent1.chunk.txt", SAMPLES / "sent2.chunk.txt", SAMPLES / "gold.wa")
    given = ("--chunked", "--sent1", files[0], "--sent2", files[1], "--gold", files[2])
    result = run("report", *given, "--profile", "images", "--id", "1", "-q", "-o", "r.html")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    html = Page((tmp_path / "r.html").read_text("utf-8"))
    ((pair,), (detail,)) = html.data["pairs"], html.details
    assert pair["words"]
    assert 0 < pair["rating"][0] <= 5
    assert len(pair["f1"][0]) == 4
    told = detail["why"][0]["decisions"]
    assert [one["kind"] for one in told[:2]] == ["align", "label"]
    assert told[0]["pros"][0]["rule"]["file"].startswith("lp_rules/")


def test_answers_of_any_system_are_shown_without_reasons_of_ours(run, tmp_path):
    gold = SAMPLES / "gold.wa"
    theirs = gold.read_text("utf-8").replace("// SIMI //", "// REL //")
    (tmp_path / "theirs.wa").write_text(theirs, encoding="utf-8")

    def report(*options):
        result = run("report", "--answers", "theirs.wa", *options, "-o", "r.html")
        assert (result.exit_code, result.stderr) == (0, "")
        return Page((tmp_path / "r.html").read_text("utf-8"))

    html = report("--gold", gold, "--compare", gold)
    assert html.data["against"] == ["gold", "gold.wa"]
    (name, ours), other = html.data["f1"]
    assert (name, ours[1] < 1, other) == ("theirs.wa", True, ["gold.wa", [1.0] * 4])
    assert len(html.data["pairs"]) == 10
    for pair, detail in zip(html.data["pairs"], html.details, strict=True):
        assert (pair["rating"], pair["words"], "why" in detail) == (None, "", False)
    assert [pair["id"] for pair in report("--id", "3").data["pairs"]] == ["3"]


@pytest.mark.slow
def test_solve_draws_one_pair(run, tmp_path):
    result = run("solve", *PAIR, "-o", "pair.svg")
    assert (result.exit_code, result.stderr) == (0, "")
    root = ElementTree.parse(tmp_path / "pair.svg").getroot()
    assert root[0].text == " / ".join(PAIR)
    assert run("solve", *PAIR, "--format", "svg").stdout == (tmp_path / "pair.svg").read_text()
    assert {"killed", "in bus accident", "in road accident"} <= {*texts(root)}
