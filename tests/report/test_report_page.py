"""The page is whole, well formed and harmless whatever the sentences are."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from ists_asp.engine import SolvedAnswer
from ists_asp.explain.explainer import Explanation
from ists_asp.report import Entry, Verdict, compare, evidence, page, picture
from ists_asp.terminal import visible
from ists_asp.trace.contrast import Contrast, Reason
from ists_asp.trace.evidence import Because, RulePlace

EVIL = [
    *("<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"),
    *("\"'><svg/onload=alert(1)>", "<!--<script>", "$title ${style} $$", "&lt;b&gt; &amp;"),
    *("\u2028]]>", "\u202eback"),
]
VOID = {"meta", "input", "img", "br", "link"}
SVG = "{http://www.w3.org/2000/svg}"


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

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, text):
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(text)

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]

    @property
    def data(self):
        return json.loads(next(text for text in self.texts["script"] if text.startswith("{")))


@pytest.fixture
def simple(answer):
    return answer(
        "a b c d",
        "x y",
        ([1], [1], "EQUI", 5.0),
        ([2, 4], [2], "SPE1", 3.5),
        ([3], [], "NOALI", None),
    )


def test_a_page_has_each_pair_and_its_data(simple):
    place = RulePlace("my_rule", "lp_rules/x.lp", 7)
    cons = tuple(Reason("n", "words agree", 50, -24, -12, place) for _ in range(15))
    told = Contrast("label", "label:1:1", "because", "EQUI, not SIMI", "SIMI", -180, (), cons)
    found = {((1,), (1,)): (told,)}
    html = Page(page([Entry(simple, "Both are.", found)], "Title"))
    assert len(html.all("article")) == 1
    assert "Both are." in html.texts["p"]
    first, second, third = html.data["pairs"][0]["lines"]
    assert first["rules"] == [
        {"text": "because", "sentence": 0, "reasons": [[-12, 0, 1]] * 12, "more": 3, "rest": -36}
    ]
    assert html.data["texts"] == ["EQUI, not SIMI", "words agree"]
    assert html.data["rules"] == [["my_rule", "lp_rules/x.lp:7"]]
    assert (second["text"], third["text"]) == ('"b d" SPE1 3.5 "y"', '"c" of sentence 1: NOALI')
    boxes = [attributes["value"] for attributes in html.all("input") if "value" in attributes]
    assert boxes[:3] == ["EQUI", "SPE1", "NOALI"]


def test_the_page_loads_nothing_and_allows_its_own_script_only(simple):
    text = page([Entry(simple, "", {})], "Title")
    # Without gold there is nothing to filter by it.
    assert not [name for name in ("gold", "confusion") if f'id="{name}"' in text]
    html = Page(text)
    for _, attributes in html.tags:
        assert not {"src", "href", "style", "onclick"} & attributes.keys()
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    policy = next(one["content"] for one in html.all("meta") if "content" in one)
    assert policy.startswith("default-src 'none'")
    for name in ("script", "style"):
        source = html.texts[name][-1]
        digest = b64encode(sha256(source.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("evil", EVIL)
def test_text_is_harmless_wherever_it_stands(answer, evil):
    token = "_".join(evil.split())
    found = answer(f"{token} b", f"x {token}", ([1], [2], "EQUI", 5.0), identifier=evil)
    fired = Because(evil, RulePlace(evil, evil, 1))
    told = Contrast(evil, evil, evil, evil, because=(fired,))
    compared = compare(found, answer(f"{token} b", f"x {token}").alignments)
    entry = Entry(found, evil, {((1,), (2,)): (told,)}, compared)
    plain = Entry(answer("a b", "x a", ([1], [2], "EQUI", 5.0)), "", {}, compared)
    html, calm = Page(page([entry], evil)), Page(page([plain], "calm"))
    assert [tag for tag, _ in html.tags] == [tag for tag, _ in calm.tags]
    shown = visible(evil)
    assert html.data["texts"] == [shown]
    assert html.texts["h1"] == [shown]
    assert shown in html.texts["p"]


def test_a_picture_has_a_path_for_each_chunk_of_a_link(simple):
    root = ElementTree.fromstring(picture(simple, active=True))
    links = [group for group in root if group.get("class").startswith("link")]
    assert [len(group.findall(f"{SVG}path")) for group in links] == [2, 3, 0, 0]
    assert [group.get("data-line") for group in links] == ["0", "1", "0", "1"]
    assert [group.get("tabindex") for group in links] == [None, None, "0", "0"]
    (alone,) = [group for group in root if "alone" in group.get("class")]
    assert alone.get("aria-label") == '"c" of sentence 1: NOALI'


def test_a_picture_that_is_not_active_cannot_be_chosen(simple):
    text = picture(simple)
    assert 'role="img"' in text
    assert '"b d" SPE1 3.5 "y"' in ElementTree.fromstring(text).get("aria-label")
    assert not [word for word in ("tabindex", "data-line") if word in text]


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


def test_marks_do_not_overlap(answer):
    lines = [([n], [5 - n], "SIMI", 1.0) for n in range(1, 5)]
    root = ElementTree.fromstring(picture(answer("a b c d", "w x y z", *lines)))
    rects = [
        [float(rect.get(name)) for name in ("x", "y", "width", "height")]
        for group in root
        if group.get("class").startswith("link")
        for rect in group.findall(f"{SVG}rect")
    ]
    assert len(rects) == 4
    for number, (x, y, width, height) in enumerate(rects):
        for other in rects[:number]:
            apart = x >= other[0] + other[2] or other[0] >= x + width
            assert apart or y >= other[1] + other[3] or other[1] >= y + height


def test_each_line_is_compared_with_gold(answer, gold):
    ours = answer(
        "a b c d e",
        "v w x y z",
        ([1], [1], "EQUI", 5.0),
        ([2], [2], "SIMI", 3.0),
        ([3], [3], "SIMI", 3.0),
        ([4], [4], "REL", 1.0),
        ([5], [], "NOALI", None),
        ([], [5], "NOALI", None),
    )
    compared = compare(
        ours,
        gold(
            ([1], [1], "EQUI", 5.0),
            ([2], [2], "SPE1", 3.0),
            ([3], [3], "SIMI", 2.0),
            ([4], [5], "REL", 1.0),
            ([5], [], "NOALI", 0.0),
        ),
    )
    assert [verdict for _, verdict in compared.lines] == [
        Verdict.SAME,
        Verdict.LABEL,
        Verdict.SCORE,
        Verdict.ALIGNMENT,
        Verdict.SAME,
        Verdict.ALIGNMENT,
    ]
    assert [line.tokens2 for line in compared.missed] == [(5,)]
    html = Page(page([Entry(ours, "", {}, compared)], "Title"))
    cells = [(one["data-gold"], one["data-ours"]) for one in html.all("button") if len(one) > 3]
    assert ("SPE1", "SIMI") in cells
    assert ("REL", "none") in cells
    assert any('"b" SIMI 3 "w": other label in gold' in text for text in html.texts["li"])
    assert html.data["pairs"][0]["lines"][1]["gold"] == "label"


def test_a_notebook_shows_the_picture(simple):
    html = Page(SolvedAnswer.of(simple)._repr_html_())
    assert len(html.all("svg")) == 1
    assert html.all("script") == []
    said = Page(Explanation(simple, "a < b", ())._repr_html_())
    assert (len(said.all("svg")), said.texts["p"]) == (1, ["a < b"])
