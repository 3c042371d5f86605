"""After an edit of the rules of a profile only pairs that it can touch are decided again."""

import random
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from ists_asp.engine import load
from ists_asp.io.pairs import read_pairs
from ists_asp.model import Chunk, Pair, Sentence, Token, Word
from tests.sharing import damage

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ists-2016-train"

TAGS = {
    "12": "num cd",
    "10": "num cd",
    "in": "adp in",
    "on": "adp in",
    "a": "det dt",
    "kill": "verb vbn",
    "cut": "verb vbz",
    "deny": "verb vbz",
    "stop": "verb vbz",
    "start": "verb vbz",
    "fall": "verb vbp",
    "rise": "verb vbp",
    "red": "adj jj",
    "green": "adj jj",
    "scarcely": "adv rb",
    "price": "noun nns",
    "monday": "propn nnp",
    "friday": "propn nnp",
}
FORMS = {"kill": "killed", "cut": "cuts", "deny": "denies", "stop": "stops", "price": "prices"}
PAIRS = (
    ("12 kill / in bus accident", "10 kill / in road accident"),
    ("storm / cut / power", "storm / cut / electricity"),
    ("minister / deny / plan", "minister / scarcely deny / plan"),
    ("a red car / stop", "a green truck / start"),
    ("oil price / fall / on monday", "oil price / rise / on friday"),
)


def sentence(text):
    """A sentence of lemmas; a slash stands between chunks."""
    tokens, chunks = [], []
    for part in text.split(" / "):
        first = len(tokens) + 1
        for lemma in part.split():
            form, tags = FORMS.get(lemma, lemma), TAGS.get(lemma, "noun nn").upper().split()
            tokens.append(Token(len(tokens) + 1, form, (Word(form, lemma, *tags),)))
        chunks.append(Chunk(first, len(tokens)))
    return Sentence(tuple(tokens), tuple(chunks))


def annotated():
    return [Pair(str(number), *map(sentence, sides)) for number, sides in enumerate(PAIRS, start=1)]


def decide(pairs, cache, rules=(), *, rated=False, **options):
    """The answers of annotated pairs, and what the summary says of them."""
    with load("headlines", rules=rules, cache=cache, **options) as system:
        answers = [found[0] for found in system.decide(pairs, rated=rated)]
        return answers, system.stages


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A cache that knows the answers of pairs by the shipped rules, and the answers."""
    cache = tmp_path_factory.mktemp("cache")
    answers, stages = decide(annotated(), cache)
    assert stages.kept == 0
    return cache, answers


@pytest.fixture
def cache(decided, tmp_path):
    """A copy of that cache."""
    return copytree(decided[0], tmp_path / "cache")


@pytest.fixture
def answers(decided):
    """The answers by the shipped rules."""
    return decided[1]


EDITS = {
    "a rule": ('alike(I,J,mine,95) :- word(1,I,"power"), word(2,J,"electricity").', {"2"}),
    "a rule for no pair": ('alike(I,J,mine,95) :- word(1,I,"cat"), word(2,J,"dog").', set()),
    "a word of a table": ('negation("scarcely").', {"3"}),
    "a word of no pair": ('negation("hardly_ever").', set()),
    "a list": (
        'mine("car";"truck";"tram"). '
        "alike(I,J,mine,80) :- lemma(1,I,L), mine(L), lemma(2,J,M), mine(M), L != M.",
        {"4"},
    ),
    "a constraint that answers satisfy": (":- label(X,Y,oppo), score(X,Y,5).", set()),
    "a constraint that one may not satisfy": (
        ':- score(X,Y,3), _number(X,Y). _number(X,Y) :- aligned(X,Y), numeral(1,_,"12").',
        {"1"},
    ),
    "a constraint about a place": (":- aligned(run(2,2),run(9,9)).", set()),
    "a constraint about places that one has": (":- aligned(run(3,3),run(3,3)).", {"2", "3", "5"}),
    "a weak constraint": (':~ aligned(X,Y), lemma(1,I,"oil"). [-5@4,X,Y,I]', {"5"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_touches_pairs_where_it_may_have_an_instance(cache, tmp_path, name):
    text, wanted = EDITS[name]
    (tmp_path / "mine.lp").write_text(text)
    pairs = annotated()
    answers, stages = decide(pairs, cache, tmp_path / "mine.lp")
    assert (stages.kept, stages.edits.total()) == (len(pairs) - len(wanted), len(wanted))
    assert all("mine.lp:1" in place for place in stages.edits)
    if name == "a rule":
        again, stages = decide(pairs, cache, tmp_path / "mine.lp")
        assert (again, stages.kept) == (answers, len(pairs))


@pytest.mark.slow
def test_an_edit_is_of_the_nearest_version(cache, tmp_path):
    """What was tried in between and taken back costs nothing."""
    mine = tmp_path / "mine.lp"
    mine.write_text(":- aligned(X,Y), label(X,Y,simi).")
    _, stages = decide(annotated(), cache, mine)
    assert stages.edits
    mine.write_text('negation("scarcely").')
    _, stages = decide(annotated(), cache, mine)
    assert stages.edits.total() == 1
    for text in ('negation("barely").', ""):
        mine.write_text(text)
        _, stages = decide(annotated(), cache, mine)
        assert not stages.edits


def test_without_an_edit_nothing_is_decided(cache, answers):
    again, stages = decide(annotated(), cache)
    assert again == answers
    assert (stages.kept, stages.grounding, stages.edits.total()) == (len(answers), 0.0, 0)


def test_a_run_that_is_not_incremental_decides_everything(cache, answers):
    again, stages = decide(annotated(), cache, incremental=False)
    assert (again, stages.kept) == (answers, 0)


@pytest.mark.slow
def test_a_constant_touches_what_its_statements_touch(cache):
    _, stages = decide(annotated(), cache, constants={"eagerness": 40})
    assert set(stages.edits) == {"-c eagerness"}


@pytest.mark.slow
def test_ratings_are_kept_as_well(cache):
    pairs = annotated()
    fresh, _ = decide(pairs, cache, rated=True, incremental=False)
    for _ in range(2):
        answers, _ = decide(pairs, cache, rated=True)
        assert answers == fresh
        assert all(answer.rating for answer in answers)


@pytest.mark.slow
def test_faults_of_rules_are_told_even_if_no_pair_is_touched(cache, tmp_path):
    """Also by a run that finds all answers in the cache."""
    (tmp_path / "mine.lp").write_text('alike(I,J,mine,95) :- wrod(1,I,"cat"), word(2,J,"dog").')
    for kept in (0, len(PAIRS)):
        with load("headlines", rules=tmp_path / "mine.lp", cache=cache, lax=True) as system:
            list(system.decide(annotated()))
            assert [one.where for one in system.warnings if "wrod" in one.text]
            assert system.stages.kept == kept


def test_a_damaged_store_is_renewed(cache, answers):
    damage(cache)
    again, stages = decide(annotated(), cache)
    assert (again, stages.kept) == (answers, 0)
    assert decide(annotated(), cache)[1].kept == len(answers)


@pytest.mark.slow
def test_the_command_says_what_it_kept_and_writes_the_same_bytes(tmp_path):
    sample = ROOT / "data" / "samples" / "headlines"
    (tmp_path / "mine.lp").write_text('negation("denies").')

    def solve(name, *options):
        sides = ("--sent1", sample / "sent1.chunk.txt", "--sent2", sample / "sent2.chunk.txt")
        command = ("solve", "--profile", "headlines", "--chunked", *sides, "-o", name, *options)
        done = subprocess.run(
            [sys.executable, "-m", "ists_asp", *command, "--cache", tmp_path / "cache"],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        return done.stderr, (tmp_path / name).read_bytes()

    assert "found in the cache" not in solve("a.wa")[0]
    assert "10 of 10 pairs found in the cache\n" in solve("b.wa")[0]
    told, kept = solve("c.wa", "--rules", "mine.lp")
    assert "9 of 10 pairs found in the cache; 1 decided again because of mine.lp:1 (1)\n" in told
    told, fresh = solve("d.wa", "--rules", "mine.lp", "--no-incremental")
    assert "found in the cache" not in told
    assert kept == fresh


class Chance(random.Random):
    """Makes edits of the rules of a profile."""

    def __init__(self, seed, pairs):
        super().__init__(seed)
        self.words = sorted(
            {
                word.lemma
                for pair in pairs
                for side in (pair.sent1, pair.sent2)
                for token in side.tokens
                for word in token.words
                if '"' not in word.lemma and "\\" not in word.lemma
            }
        )

    def word(self):
        return f'"{self.choice(self.words)}"'

    def body(self):
        return self.choice(
            [
                f"word(1,I,{self.word()}), word(2,J,{self.word()})",
                f"lemma(1,I,{self.word()}), lemma(2,J,_)",
                "lemma(1,I,L), lemma(2,J,M), L != M, mine(L), mine(M)",
                f"upos(1,I,{self.choice(['propn', 'num', 'adv'])}), contains(2,J,{self.word()})",
                f"alike(I,J,{self.choice(['synonym', 'antonym', 'hypernym'])},_), not negates(1,I)",
                f"class(L,{self.choice(['person', 'vehicle'])}), lemma(1,I,L), upos(2,J,noun)",
                f"token(1,I,_), token(2,J,_), I = J, #count{{ K : word(1,K,{self.word()}) }} > 0",
                f"lemma(1,I,{self.word()}), upos(2,J,verb) : negates(2,J); xpos(2,J,nns)",
                f"word(1,I,({self.word()};{self.word()})), punctuation(2,J)",
            ]
        )

    def statement(self):
        place = "in_chunk(1,C,I), in_chunk(2,D,J)"
        sides = "of(1,X,Y,I), of(2,X,Y,J)"
        return self.choice(
            [
                f"alike(I,J,mine,{self.randint(40, 100)}) :- {self.body()}.",
                f"evidence(link(X,Y),mine,100) :- viable(X,Y), {sides}, {self.body()}.",
                f"evidence(pair(run(C,C),run(D,D)),mine,{self.randint(20, 100)}) :- "
                f"proposed(run(C,C),run(D,D)), {place}, {self.body()}.",
                f"forbidden_label(X,Y,{self.label()}) :- proposed(X,Y), {sides}, {self.body()}.",
                f"forbidden_pair(run(C,C),run(D,D)) :- {place}, {self.body()}.",
                f"proposed(run(C,C),run(D,D)) :- {place}, {self.body()}.",
                f":- label(X,Y,{self.label()}), {sides}, {self.body()}.",
                f":- label(X,Y,{self.label()}), score(X,Y,{self.randint(1, 5)}).",
                f":~ aligned(X,Y), {sides}, {self.body()}. [{self.randint(-60, 60)}@4,X,Y]",
                f"mine({self.word()}). mine({self.word()}).",
                f"negation({self.word()}). refusing({self.word()}).",
                f"same_meaning({self.word()},{self.word()}).",
                f"weight(mine,{self.label()},{self.randint(-200, 200)}).",
                f"weight(mine,align,{self.randint(-200, 200)}).",
                f"weight({self.choice(['same_head', 'adds_number', 'name'])},{self.label()},7).",
                f"must_join(2,I) :- word(2,I,{self.word()}), I > 1.",
                f"{{ mine_chosen(I) }} :- lemma(1,I,{self.word()}). :~ mine_chosen(I). [1@-90,I]",
                f"differs(X,Y,pol) :- aligned(X,Y), {sides}, {self.body()}.",
                f"#const mine_bar = {self.randint(1, 3)}. alike(I,J,mine,90) :- word(1,I,V), "
                f"word(2,J,V), I > mine_bar, {self.body()}.",
            ]
        )

    def label(self):
        return self.choice(["equi", "simi", "rel", "spe1", "spe2", "oppo"])

    def table(self):
        return f"{self.choice(self.words)} {self.choice(['=', '<>'])} {self.choice(self.words)} x"

    def edited(self, files):
        """The texts of rule files, one or two of them changed."""
        found = {name: list(lines) for name, lines in files.items()}
        for _ in range(self.randint(1, 2)):
            name = self.choice(["mine.lp", "mine.lp", "words.tsv"])
            lines = found[name]
            kind = self.randrange(3)
            if kind == 0 and lines:
                del lines[self.randrange(len(lines))]
            elif kind == 1 and lines:
                lines[self.randrange(len(lines))] = self.line(name)
            else:
                lines.insert(self.randint(0, len(lines)), self.line(name))
        return found

    def line(self, name):
        return self.statement() if name == "mine.lp" else self.table()


HEAD = ("#defined mine/1. #defined mine_chosen/1.",)


def try_edits(pairs, folder, seed, count):
    """Edit rules again and again; the answers that are kept are those of a run from scratch."""
    chance = Chance(seed, pairs)
    files = {"mine.lp": [chance.statement() for _ in range(3)], "words.tsv": [chance.table()]}
    paths = [folder / name for name in files]
    kept = 0
    for _ in range(count):
        for path in paths:
            lines = (*HEAD, *files[path.name]) if path.suffix == ".lp" else files[path.name]
            path.write_text("\n".join(lines) + "\n")
        constants = {"eagerness": chance.choice([0, 0, 0, 30])}
        outcome = []
        for incremental in (True, False):
            try:
                answers, stages = decide(
                    pairs, folder / "cache", paths, constants=constants, incremental=incremental
                )
            except Exception as error:
                answers = [str(error)]
            else:
                kept += stages.kept
            outcome.append(answers)
        assert outcome[0] == outcome[1], files
        files = chance.edited(files)
    return kept


@pytest.mark.slow
def test_some_random_edits(cache, tmp_path):
    assert cache == tmp_path / "cache"
    try_edits(annotated(), tmp_path, 1, 2)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the train data is not in {DATA}")
@pytest.mark.parametrize("seed", range(10))
def test_many_random_edits_of_many_pairs(tmp_path, seed):
    folder = DATA / "headlines"
    pairs = list(read_pairs(folder / "sent1.txt", folder / "sent2.txt"))[40 * seed : 40 * seed + 40]
    with load("headlines", cache=None) as system:
        pairs = list(system.annotate(pairs))
    assert try_edits(pairs, tmp_path, seed, 30) > 100
