"""After an edit of the rules of a profile only pairs that it can touch are decided again."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from ists_asp.engine import load
from ists_asp.errors import IstsError
from ists_asp.io.pairs import read_pairs
from ists_asp.model import Chunk, Pair, Sentence, Token, Word
from tests.sharing import Grammar, cases, damage, rows

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ists-2016-train"

TAGS = """
num cd    | 12 10
adp in    | in on
det dt    | a
verb vbn  | kill
verb vbz  | cut deny stop start
verb vbp  | fall rise
adj jj    | red green
adv rb    | scarcely
noun nns  | price
propn nnp | monday friday
"""
TAGS = {lemma: tags.upper() for tags, lemmas in rows(TAGS) for lemma in lemmas.split()}
FORMS = {"kill": "killed", "cut": "cuts", "deny": "denies", "stop": "stops", "price": "prices"}
PAIRS = """
12 kill / in bus accident | 10 kill / in road accident
storm / cut / power | storm / cut / electricity
minister / deny / plan | minister / scarcely deny / plan
a red car / stop | a green truck / start
oil price / fall / on monday | oil price / rise / on friday
"""


def sentence(text):
    """A sentence of lemmas; a slash stands between chunks."""
    tokens, chunks = [], []
    for part in text.split(" / "):
        first = len(tokens) + 1
        for lemma in part.split():
            form, tags = FORMS.get(lemma, lemma), TAGS.get(lemma, "NOUN NN").split()
            tokens.append(Token(len(tokens) + 1, form, (Word(form, lemma, *tags),)))
        chunks.append(Chunk(first, len(tokens)))
    return Sentence(tuple(tokens), tuple(chunks))


PAIRS = [Pair(str(number), *map(sentence, sides)) for number, sides in enumerate(rows(PAIRS), 1)]


def decide(cache, rules=(), *, pairs=PAIRS, rated=False, **options):
    """The answers of annotated pairs, and what the summary says of them."""
    with load("headlines", rules=rules, cache=cache, **options) as system:
        answers = [best for best, *_ in system.decide(pairs, rated=rated)]
        return answers, system.stages


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A cache that knows the answers of pairs by the shipped rules, and the answers."""
    cache = tmp_path_factory.mktemp("cache")
    answers, stages = decide(cache)
    assert stages.cached == 0
    return cache, answers


@pytest.fixture
def cache(decided, tmp_path):
    """A copy of that cache."""
    return copytree(decided[0], tmp_path / "cache")


@pytest.mark.slow
@cases("""
name | text | touched
a rule | alike(I,J,mine,95) :- word(1,I,"power"), word(2,J,"electricity"). | 1
a rule for no pair | alike(I,J,mine,95) :- word(1,I,"cat"), word(2,J,"dog"). | 0
a word of a table | negation("scarcely"). | 1
a word of no pair | negation("hardly_ever"). | 0
a list | mine("car";"truck"). alike(I,J,mine,80) :- lemma(1,I,L), mine(L), lemma(2,J,M), mine(M).
    1
a constraint that answers satisfy | :- label(X,Y,oppo), score(X,Y,5). | 0
a constraint that one may not satisfy
    :- score(X,Y,3), _n(X,Y). _n(X,Y) :- aligned(X,Y), numeral(1,_,"12"). | 1
a constraint about a place | :- aligned(run(2,2),run(9,9)). | 0
a constraint about places that three have | :- aligned(run(3,3),run(3,3)). | 3
a weak constraint | :~ aligned(X,Y), lemma(1,I,"oil"). [-5@4,X,Y,I] | 1
""")
def test_an_edit_touches_pairs_where_it_may_have_an_instance(cache, tmp_path, name, text, touched):
    (tmp_path / "mine.lp").write_text(text)
    answers, stages = decide(cache, tmp_path / "mine.lp")
    assert (stages.cached, stages.edits.total()) == (len(PAIRS) - int(touched), int(touched))
    assert all("mine.lp:1" in place for place in stages.edits)
    if name == "a rule":
        again, stages = decide(cache, tmp_path / "mine.lp")
        assert (again, stages.cached) == (answers, len(PAIRS))


@pytest.mark.slow
def test_an_edit_is_of_the_nearest_version(cache, tmp_path):
    """What was tried in between and taken back costs nothing."""
    for text, least, most in (
        (":- aligned(X,Y), label(X,Y,simi).", 1, len(PAIRS)),
        ('negation("scarcely").', 1, 1),
        ('negation("barely").', 0, 0),
        ("", 0, 0),
    ):
        (tmp_path / "mine.lp").write_text(text)
        _, stages = decide(cache, tmp_path / "mine.lp")
        assert least <= stages.edits.total() <= most


def test_without_an_edit_nothing_is_decided(cache, decided):
    again, stages = decide(cache)
    assert again == decided[1]
    assert (stages.cached, stages.grounding, stages.edits.total()) == (len(again), 0.0, 0)


@pytest.mark.slow
def test_a_run_that_is_not_incremental_or_has_a_damaged_store_decides_everything(cache, decided):
    assert decide(cache, incremental=False)[1].cached == 0
    damage(cache)
    again, stages = decide(cache)
    assert (again, stages.cached) == (decided[1], 0)
    assert decide(cache)[1].cached == len(again)


@pytest.mark.slow
def test_a_constant_touches_what_its_statements_touch_and_ratings_are_kept(cache):
    _, stages = decide(cache, constants={"eagerness": 40})
    assert set(stages.edits) == {"-c eagerness"}
    fresh, _ = decide(cache, rated=True, incremental=False)
    for _ in range(2):
        answers, _ = decide(cache, rated=True)
        assert answers == fresh
        assert all(answer.rating for answer in answers)


@pytest.mark.slow
def test_faults_of_rules_are_told_even_if_no_pair_is_touched(cache, tmp_path):
    """Also by a run that finds all answers in the cache."""
    (tmp_path / "mine.lp").write_text('alike(I,J,mine,95) :- wrod(1,I,"cat"), word(2,J,"dog").')
    for kept in (0, len(PAIRS)):
        with load("headlines", rules=tmp_path / "mine.lp", cache=cache, lax=True) as system:
            list(system.decide(PAIRS))
            assert [warning.where for warning in system.warnings if "wrod" in warning.text]
            assert system.stages.cached == kept


@pytest.mark.slow
def test_a_fault_that_only_a_touched_pair_shows_makes_all_be_decided_again(cache, tmp_path):
    (tmp_path / "mine.lp").write_text(
        'alike(I,J,mine,90/(I-J)) :- word(1,I,"power"), word(2,J,"electricity").'
    )
    told = []
    for incremental in (True, False):
        with load(
            "headlines", rules=tmp_path / "mine.lp", cache=cache, incremental=incremental
        ) as system:
            answers = list(system.decide(PAIRS))
            told.append((answers, [warning.text for warning in system.warnings]))
            assert system.stages.cached == 0
    assert told[0] == told[1]
    assert "operation undefined" in str(told)


@pytest.mark.slow
def test_the_command_says_what_it_kept_and_writes_the_same_bytes(tmp_path):
    sample = ROOT / "data" / "samples" / "headlines"
    (tmp_path / "mine.lp").write_text('negation("denies").')

    def solve(name, *options):
        sides = ("--sent1", sample / "sent1.chunk.txt", "--sent2", sample / "sent2.chunk.txt")
        command = ("solve", "--profile", "headlines", "--chunked", *sides, "-o", name, *options)
        command = [sys.executable, "-m", "ists_asp", *command, "--cache", tmp_path / "cache"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
        return done.stderr, (tmp_path / name).read_bytes()

    assert "found in the cache" not in solve("a.wa")[0]
    assert "10 of 10 pairs found in the cache\n" in solve("b.wa")[0]
    told, kept = solve("c.wa", "--rules", "mine.lp")
    assert "9 of 10 pairs found in the cache; 1 decided again because of mine.lp:1 (1)\n" in told
    told, fresh = solve("d.wa", "--rules", "mine.lp", "--no-incremental")
    assert "found in the cache" not in told
    assert kept == fresh


STATEMENTS = """
body | word(1,I,<word>), word(2,J,<word>)
body | lemma(1,I,<word>), lemma(2,J,_)
body | lemma(1,I,L), lemma(2,J,M), L != M, mine(L), mine(M)
body | upos(1,I,<tag>), contains(2,J,<word>)
body | alike(I,J,<kind>,_), not negates(1,I)
body | class(L,<class>), lemma(1,I,L), upos(2,J,noun)
body | token(1,I,_), token(2,J,_), I = J, #count{ K : word(1,K,<word>) } > 0
body | lemma(1,I,<word>), upos(2,J,verb) : negates(2,J); xpos(2,J,nns)
body | word(1,I,(<word>;<word>)), punctuation(2,J)
placed | in_chunk(1,C,I), in_chunk(2,D,J), <body>
inside | of(1,X,Y,I), of(2,X,Y,J), <body>
statement | alike(I,J,mine,<40..100>) :- <body>.
statement | evidence(link(X,Y),mine,100) :- viable(X,Y), <inside>.
proposed | proposed(run(C,C),run(D,D))
statement | evidence(pair(run(C,C),run(D,D)),mine,<20..100>) :- <proposed>, <placed>.
statement | forbidden_label(X,Y,<label>) :- proposed(X,Y), <inside>.
statement | forbidden_pair(run(C,C),run(D,D)) :- <placed>.
statement | <proposed> :- <placed>.
statement | :- label(X,Y,<label>), <inside>.
statement | :- label(X,Y,<label>), score(X,Y,<1..5>).
statement | :~ aligned(X,Y), <inside>. [<-60..60>@4,X,Y]
statement | mine(<word>). mine(<word>).
statement | negation(<word>). refusing(<word>).
statement | same_meaning(<word>,<word>).
statement | weight(mine,<label>,<-200..200>).
statement | weight(mine,align,<-200..200>).
statement | weight(<evidence>,<label>,7).
statement | must_join(2,I) :- word(2,I,<word>), I > 1.
statement | { mine_chosen(I) } :- lemma(1,I,<word>). :~ mine_chosen(I). [1@-90,I]
statement | differs(X,Y,pol) :- aligned(X,Y), <inside>.
statement | #const bar = <1..3>. alike(I,J,mine,90) :- word(1,I,V), word(2,J,V), I > bar, <body>.
entry | <lemma> <sign> <lemma> x
"""
CHOICES = {
    "label": ["equi", "simi", "rel", "spe1", "spe2", "oppo"],
    "tag": ["propn", "num", "adv"],
    "kind": ["synonym", "antonym", "hypernym"],
    "class": ["person", "vehicle"],
    "evidence": ["same_head", "adds_number", "name"],
    "sign": ["=", "<>"],
}
HEAD = "#defined mine/1. #defined mine_chosen/1."


def try_edits(pairs, folder, seed, count):
    """Edit rules again and again; the answers that are kept are those of a run from scratch."""
    tokens = (token for pair in pairs for side in (pair.sent1, pair.sent2) for token in side.tokens)
    lemmas = sorted({word.lemma for token in tokens for word in token.words})
    lemmas = [lemma for lemma in lemmas if not {'"', "\\"} & set(lemma)]
    words = {"word": [f'"{lemma}"' for lemma in lemmas], "lemma": lemmas}
    grammar = Grammar(seed, STATEMENTS, **CHOICES, **words)
    lines = {"mine.lp": [grammar.make("statement") for _ in range(3)], "words.tsv": []}
    kept = 0
    for _ in range(count):
        name, form = grammar.choice([("mine.lp", "statement")] * 2 + [("words.tsv", "entry")])
        grammar.edit(lines[name], form)
        (folder / "mine.lp").write_text("\n".join([HEAD, *lines["mine.lp"]]) + "\n")
        (folder / "words.tsv").write_text("\n".join([*lines["words.tsv"], "# end"]) + "\n")
        options = {"constants": {"eagerness": grammar.choice([0, 0, 0, 30])}, "pairs": pairs}
        outcomes, paths = [], [folder / "mine.lp", folder / "words.tsv"]
        for incremental in (True, False):
            try:
                answers, stages = decide(
                    folder / "cache", paths, incremental=incremental, **options
                )
                kept += stages.cached
            except IstsError as error:
                answers = [str(error)]
            outcomes.append(answers)
        assert outcomes[0] == outcomes[1], lines
    return kept


@pytest.mark.slow
def test_some_random_edits(cache, tmp_path):
    try_edits(PAIRS, tmp_path, 1, 2)


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the train data is not in {DATA}")
@pytest.mark.parametrize("seed", range(3))
def test_many_random_edits_of_many_pairs(tmp_path, seed):
    files = (DATA / "headlines" / f"sent{side}.txt" for side in (1, 2))
    pairs = list(read_pairs(*files))[40 * seed : 40 * seed + 40]
    with load("headlines", cache=None) as system:
        pairs = list(system.annotate(pairs))
    assert try_edits(pairs, tmp_path, seed, 10) > 30
