"""The reader: what it holds, how rules weigh it, and what is left without it."""

import importlib.util
import re
import subprocess
import sys

import clingo
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import ists_asp
from ists_asp.errors import ResourceError, UsageError
from ists_asp.io.store import READINGS, Store
from ists_asp.knowledge.reader import (
    BOUND,
    FILES,
    STEP,
    PairReader,
    Reader,
    shipped,
    shipped_reader,
)
from ists_asp.knowledge.reader_model import Model
from ists_asp.model import Chunk, Pair, Sentence, Token
from ists_asp.resources import rules_dir
from ists_asp.rules import list_profiles, load_profile
from ists_asp.syntax.ground import split
from tests.sharing import cases, load_shared, refused, shared_system

PAIRS = [
    ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"),
    ("A dog runs on the grass", "A brown dog is running through the green grass"),
    ("Bulb A is in a closed path", "because bulb A is still contained in a path with the battery"),
]
READS = ("reader_link", "reader_label", "reader_score")
RATES = ("reader_rating", "nearness_in_context")
# A chunk on each side, of one token, which the reader takes for no counterparts.
UNLIKELY = """
first(1..2,1,1). last(1..2,1,1). span(1..2,run(1,1)). single(1..2,run(1,1)).
span_chunk(1..2,run(1,1),1). span_token(1..2,run(1,1),1). of(1..2,run(1,1),run(1,1),1).
content(1..2,1). reader_span(1..2,1,1). proposed(run(1,1),run(1,1)).
"""
LIKELY = f"""{UNLIKELY}
viable(run(1,1),run(1,1)). reader_link(tokens(1,1),tokens(1,1),95,300).
reader_label(tokens(1,1),tokens(1,1),simi,78,-25). reader_score(tokens(1,1),tokens(1,1),200).
"""
SAME = "overlap(run(1,1),run(1,1),100)."
HEADS = "span_head(1..2,run(1,1),run(1,1),1). alike(1,1,antonym,100)."
WORDS = "licensed(run(1,1),run(1,1),equi,word_by_word)."
SYNONYMS = f"{WORDS} alike(1,1,synonym,100)."
# Of two words a table knows one to mean the same as a word of the other side.
LISTED = f"""{WORDS} alike(1,1,same_meaning,100).
span_token(1,run(1,1),2). of(1,run(1,1),run(1,1),2). content(1,2)."""
GENERAL = "head_link(run(1,1),run(1,1),hypernym). one_word_each(run(1,1),run(1,1))."
DOUBTED = UNLIKELY + "reader_link(tokens(1,1),tokens(1,1),12,-200)."


def sentence(text, *chunks):
    tokens = tuple(Token(number, form) for number, form in enumerate(text.split(), 1))
    return Sentence(tokens, tuple(Chunk(*chunk) for chunk in chunks) or None)


def pair(*texts):
    return Pair("1", *map(sentence, texts))


def predictions(atoms, name):
    """What the atoms of a name say: all other arguments by percent and hundredths, or a number."""
    numbers = 1 if name in ("reader_score", *RATES) else 2
    told = (split(atom[len(name) + 1 : -1]) for atom in atoms if atom.startswith(f"{name}("))
    return {tuple(terms[:-numbers]): tuple(map(int, terms[-numbers:])) for terms in told}


@pytest.fixture(scope="module")
def reader():
    return Reader(shipped_reader())


@pytest.fixture(scope="module")
def system():
    return shared_system("headlines", reader=True)


def test_it_sees_what_corresponds(reader):
    chunks = ((1, 1), (2, 2), (3, 5))
    sides = (
        sentence(f"{words} accident", *chunks)
        for words in ("12 killed in bus", "10 killed in road")
    )
    atoms = reader.read(Pair("1", *sides))
    links, labels = (predictions(atoms, f"reader_{name}") for name in ("link", "label"))
    assert links["tokens(2,2)", "tokens(2,2)"][0] >= 90
    assert labels["tokens(2,2)", "tokens(2,2)", "equi"][0] >= 90
    assert labels.get(("tokens(1,1)", "tokens(1,1)", "equi"), (0,))[0] <= 10
    assert ("tokens(1,1)", "tokens(3,5)") not in links
    assert not predictions(atoms, "reader_boundary")
    spans = {f"reader_span({side},{first},{last})" for side in (1, 2) for first, last in chunks}
    assert {atom for atom in atoms if atom.startswith("reader_span")} == spans
    # Where nobody gives chunks it sees where they begin.
    atoms = reader.read(pair(*PAIRS[0]))
    begins = predictions(atoms, "reader_boundary")
    assert begins["1", "3"][0] >= 90 > 10 >= begins["1", "4"][0]
    assert "reader_span(1,3,5)" in atoms


@pytest.mark.slow
def test_facts_are_the_same_in_a_batch_and_alone(system):
    many = [facts for _, facts in system.facts([pair(*texts) for texts in PAIRS])]
    alone = [facts for texts in PAIRS for _, facts in system.facts([pair(*texts)])]
    assert many == alone
    assert any(fact.name == "reader_link" for fact in many[0])


@pytest.mark.parametrize("name", RATES)
def test_it_rates_sentences_as_wholes(reader, name):
    same, near, other = (
        predictions(reader.rate(pair("A dog runs on the grass", text)), name)[()][0]
        for text in ("A dog runs on the grass", "A cat runs on the grass", "Stocks fall in Asia")
    )
    assert 1000 >= same > near > other >= 0
    assert {same % 10, near % 10, other % 10} == {0}


@pytest.mark.parametrize("texts", PAIRS)
def test_predictions_are_coarse_bounded_and_mirrored_with_the_pair(reader, texts):
    one, two = (reader.read(pair(*some)) for some in (texts, texts[::-1]))
    names = ("reader_boundary", "reader_link", "reader_label")
    values = [numbers for name in names for numbers in predictions(one, name).values()]
    assert values
    assert all(0 <= percent <= 100 for percent, _ in values)
    assert all(abs(hundredths) <= BOUND and hundredths % STEP == 0 for _, hundredths in values)
    labels = predictions(one, "reader_label")
    links = predictions(one, "reader_link")
    assert {sum(labels[key][0] for key in labels if key[:2] == link) for link in links} == {100}
    swapped = {"spe1": "spe2", "spe2": "spe1"}
    for name in READS:
        mirrored = {
            (second, first, *(swapped.get(label, label) for label in rest)): numbers
            for (first, second, *rest), numbers in predictions(two, name).items()
        }
        assert predictions(one, name) == mirrored
    rated, turned = (reader.rate(pair(*some)) for some in (texts, texts[::-1]))
    assert (rated[0], rated[-1], len(rated)) == (turned[0], turned[-1], 7)
    shares = [int(atom[:-1].rpartition(",")[2]) for atom in rated[1:-1]]
    assert 90 <= sum(shares) <= 110
    assert not any(share % 5 for share in shares)


def test_sentences_are_read_alone_where_both_are_too_long_together(reader):
    long = pair("a dog " * 150, "a cat " * 150)
    assert reader.read(long) == []
    assert [atom.partition("(")[0] for atom in reader.rate(long)] == ["nearness_in_context"]
    assert reader.rate(pair("a dog " * 300, "a cat")) == []


@pytest.mark.slow
def test_ratings_weigh_what_the_reader_holds():
    sides = ("A dog runs on the grass", "A dog is running through the meadow")
    ratings = []
    for reader, name in ((False, "sts-en"), (True, "reader-sts-en")):
        system = shared_system("sts-en", reader=reader)
        answer = system.solve(*sides)
        weights = {file.path.stem for file in system.files.rating} & {"sts-en", "reader-sts-en"}
        assert weights == {name}
        (told,) = answer.why("rating").contrasts
        names = {reason.name for reason in (*told.pros, *told.cons)}
        assert {"words_covered", "base"} <= names
        assert ({"reader_rates", "sentences_near_in_context"} <= names) == reader
        others = (system.solve(*pair) for pair in (sides[::-1], sides[:1] * 2))
        ratings.append([system.rate(each).value for each in (answer, *others)])
        assert told.by == round(ratings[-1][0] * 100)
    (without, *_), (rating, mirrored, same) = ratings
    assert without != rating == mirrored < same == 5


@pytest.mark.slow
def test_an_answer_tells_which_reader_was_used_and_what_it_holds(system, reader):
    answer = system.solve("12 killed in bus accident", "10 killed in road accident")
    assert re.search("the reader (holds|gives) simi ", answer.why("1 <==> 1 // SIMI").text(), re.I)
    assert f"reader {reader.digest}" in str(system.provenance)
    without = shared_system("headlines", reader=False)
    assert "reader none" in str(without.provenance)
    ((_, facts),) = without.facts([pair(*PAIRS[0])])
    assert not any(fact.name.startswith("reader_") for fact in facts)


@pytest.mark.slow
def test_a_dictionary_a_table_and_a_rule_overrule_the_reader(system, tmp_path):
    sides = ("Regulator recalls apples", "Regulator recalls cars")
    never, words = tmp_path / "never.lp", tmp_path / "words.tsv"
    never.write_text("forbidden_label(X,Y,equi) :- viable(X,Y).\n")
    words.write_text("apples = cars\n")

    def labels(system, *sides):
        lines = system.solve(*sides).alignments
        return {(line.tokens1, line.tokens2): line.label for line in lines}

    opposed = ("He refused to sign the paper", "He agreed to sign the paper")
    assert labels(system, *opposed)[(2,), (2,)] == "OPPO"
    assert labels(system, *sides).get(((3,), (3,))) != "EQUI"
    with load_shared("headlines", reader=True, rules=words) as known:
        assert labels(known, *sides)[(3,), (3,)] == "EQUI"
    with load_shared("headlines", reader=True, rules=never) as forbidden:
        assert "EQUI" not in labels(forbidden, sides[0], sides[0]).values()


def test_english_profiles_name_the_shipped_reader():
    named = {name: load_profile(name).reader for name in list_profiles()}
    english = ("answers-students", "default", "headlines", "images", "sts-en")
    assert {name: one for name, one in named.items() if one} == dict.fromkeys(english, "shipped")


@pytest.mark.slow
def test_a_system_has_the_reader_of_its_profile(system, reader):
    default, without = shared_system("headlines"), shared_system("headlines", reader=False)
    assert default.reader == system.reader == reader.digest
    assert default.knowledge == ("lexicon", "vectors", "reader")
    assert without.reader is shared_system("pilot-2015-headlines").reader is None
    # Its decisions are sure to a degree of their own: each has a table for it.
    ours, theirs = (
        {file.name for file in one.files.deciding if "/confidence/" not in file.name}
        for one in (default, without)
    )
    assert ours > theirs


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_told_with_a_way_out(package, monkeypatch):
    found = importlib.util.find_spec
    shipped.cache_clear()
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else found(name)
    )
    with pytest.raises(ResourceError, match=f"the package {package} is missing.*--reader none"):
        ists_asp.load("headlines")
    with load_shared("headlines", reader="none") as without:
        assert without.reader is None


def test_no_reader_where_there_are_no_rules_or_no_files(tmp_path):
    refused(UsageError, "no rules for the reader", ists_asp.load, "es", reader=True)
    refused(ResourceError, r"there is no embeddings\.onnx", Reader, tmp_path)


@pytest.mark.parametrize("name", [*FILES, "numbers"])
def test_a_damaged_reader_is_refused(tmp_path, name):
    for file in FILES:
        (tmp_path / file).symlink_to(shipped_reader() / file)
    (spoilt := tmp_path / ("heads.npz" if name == "numbers" else name)).unlink()
    if name == "numbers":
        with np.load(shipped_reader() / "heads.npz") as shipped:
            heads = dict(shipped)
        np.savez(spoilt, **heads | {"align.bias": heads["align.bias"] * np.nan})
    else:
        spoilt.write_bytes((shipped_reader() / name).read_bytes()[:1000])
    message = "not all of align.bias" if name == "numbers" else ""
    refused(ResourceError, f"cannot be loaded.*{message}", Reader(tmp_path).rate, pair(*PAIRS[0]))


def test_it_needs_neither_torch_nor_transformers():
    program = """
import sys
from ists_asp.knowledge.reader import Reader, shipped_reader
from ists_asp.model import Pair, Sentence, Token
assert "onnxruntime" not in sys.modules and "tokenizers" not in sys.modules
side = Sentence((Token(1, "dogs"), Token(2, "run")))
Reader(shipped_reader()).read(Pair("1", side, side))
assert "onnxruntime" in sys.modules
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_it_takes_one_thread(reader, monkeypatch):
    """Where numpy was loaded before anybody said how many threads it may take, too."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    one = Reader(shipped_reader())
    wanted = reader.read(pair(*PAIRS[0]))
    links, threads = Model.links, set()

    def counted(*arguments):
        pools = (info for info in threadpool_info() if info["user_api"] == "blas")
        threads.update(info["num_threads"] for info in pools)
        return links(*arguments)

    monkeypatch.setattr(Model, "links", counted)
    with threadpool_limits(2, user_api="blas"):
        assert one.read(pair(*PAIRS[0])) == wanted
    assert threads == {1}


def test_given_chunks_and_found_ones_are_read_alike(reader):
    chunks = ((1, 1), (2, 2))
    given = Pair("1", sentence("12 killed", *chunks), sentence("10 killed", *chunks))
    for name in READS:
        one, two = (
            predictions(reader.read(read), name) for read in (pair("12 killed", "10 killed"), given)
        )
        assert len(one.items() & two.items()) == len(one.keys() & two.keys()) > 0


@pytest.mark.slow
def test_a_rerun_does_not_load_the_reader(tmp_path, monkeypatch):
    texts = [*PAIRS, PAIRS[0]]
    with ists_asp.load("headlines", reader=True, cache=tmp_path) as system:
        first = [facts for _, facts in system.facts([pair(*one) for one in texts])]
    assert first[0] == first[-1]
    # Other rules make other facts of words, and other pairs beside one make another batch.
    (words := tmp_path / "words.tsv").write_text("Zorblax = Quindle\n")
    monkeypatch.setattr("ists_asp.knowledge.reader_model.Model", None)
    shipped.cache_clear()
    with ists_asp.load("headlines", reader=True, cache=tmp_path, rules=words) as system:
        alone = [facts for one in texts for _, facts in system.facts([pair(*one)])]
        assert alone == first
        with pytest.raises(ResourceError, match="cannot be loaded"):
            list(system.facts([pair("A new dog", "An old cat")]))


def test_what_a_reader_said_is_kept_by_its_hash_and_by_chunks(tmp_path, reader, monkeypatch):
    sides = ("12 killed", "10 killed")
    given = Pair("1", *(sentence(text, (1, 2)) for text in sides))
    with Store(tmp_path) as store:
        kept = PairReader(reader, store)
        found, chunked = kept.facts([pair(*sides), given])
        assert found != chunked
        assert {one.name for one in chunked} == {"reader_span", *READS}
        assert store.info().keys() == {READINGS}
        monkeypatch.setattr(Reader, "read", None)
        assert [chunked, found] == list(kept.facts([given, pair(*sides)]))
        (whole,) = kept.facts([given], rated=True)
        assert {one.name for one in whole} == {"reader_verdict", *RATES}
        monkeypatch.setattr(Reader, "rate", None)
        assert [whole] == list(kept.facts([given], rated=True))
        other = Reader(shipped_reader())
        other.digest = "of another"
        with pytest.raises(TypeError):
            list(PairReader(other, store).facts([given]))


@pytest.mark.parametrize("text", ["(reader_span(1,2,", 3, None, ["reader_span(1,1,1)"]])
def test_an_entry_that_is_no_term_is_read_anew(tmp_path, reader, text, monkeypatch):
    monkeypatch.setattr(Store, "get_many", lambda _self, keys: [text for _ in keys])
    (facts,) = PairReader(reader, Store(tmp_path)).facts([pair(*PAIRS[0])])
    assert list(map(str, facts)) == reader.read(pair(*PAIRS[0]))


def evidence(facts, without=None):
    """The names of what the reader's rules find, a rule left out or none."""
    control = clingo.Control(["--warn=none"])
    for path in sorted((rules_dir() / "reader").glob("*.lp")):
        text = path.read_text("utf-8")
        if without is not None:
            text = re.sub(rf"%@rule {without}:.*?(?=\n%|\n\n|\Z)", "", text, flags=re.DOTALL)
        control.add("base", [], text)
    control.add("base", [], facts)
    control.ground([("base", [])])
    return {
        str(atom.symbol.arguments[1]) for atom in control.symbolic_atoms.by_signature("evidence", 3)
    }


def test_of_the_same_words_the_reader_may_prefer_others():
    """Of two spans with the same words it speaks against one only for the other."""
    twice = """
        first(2,2,2). last(2,2,2). span(2,run(2,2)). single(2,run(2,2)). span_chunk(2,run(2,2),2).
        reader_span(2,2,2). proposed(run(1,1),run(2,2)). overlap(run(1,1),run(2,2),100)."""
    assert "reader_against" not in evidence(UNLIKELY + SAME + twice)
    likely = "reader_link(tokens(1,1),tokens(2,2),95,300)."
    assert "reader_against" in evidence(UNLIKELY + SAME + twice + likely)


@cases(
    "rule | name | facts | known",
    ("settled_by_same_words", "reader_against", UNLIKELY, SAME),
    ("settled_by_same_words", "reader_against", DOUBTED, SAME),
    ("settled_by_dictionary", "reader_against", UNLIKELY, HEADS),
    ("settled_by_dictionary", "reader_against", DOUBTED, HEADS),
    ("told_of_opposites", "reader(simi)", LIKELY, "opposites(run(1,1),run(1,1))."),
    ("told_of_contradiction", "reader(simi)", LIKELY, "contradicts(run(1,1),run(1,1))."),
    ("told_of_sameness", "reader(simi)", LIKELY, SYNONYMS),
    ("told_by_table", "reader(simi)", LIKELY, LISTED),
    ("told_of_specificity", "reader(simi)", LIKELY, GENERAL),
)
def test_where_a_rule_silences_the_reader_it_speaks_without_the_rule(rule, name, facts, known):
    assert name in evidence(facts)
    assert name not in evidence(facts + known)
    assert name in evidence(facts + known, without=rule)
