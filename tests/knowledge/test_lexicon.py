"""The lexicon and the thesaurus, and how they are built."""

import importlib.util
import re
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import ResourceError
from ists_asp.knowledge.lexicon import Lexicon, Thesaurus, _relate
from tests.sharing import refused, rows

_PAIRS = (("hypernym", "hyponym"), ("part", "whole"), ("cause", "effect"))
INVERSE = {one: two for pair in _PAIRS for one, two in (pair, pair[::-1])}

WORDS = """
dog/n animal/n cat/n man/n woman/n boy/n iraq/n baghdad/n iraqi/a killer/n attack/n kill/v die/v
rise/v fall/n attack/v run/v big/a small/a huge/a open/a close/v quickly/r
"""
SOME = [tuple(word.split("/")) for word in WORDS.split()]
_RELATION = re.compile(r'relation\((\w+),"(.*)","(.*)",(\d+)\)')
CLASSES = """
man/n person, dog/n animal, bus/n vehicle, bicycle/n vehicle, jacket/n clothing, shoe/n clothing,
red/a colour, black/a colour, apple/n food, beer/n drink, house/n building, london/n city,
iraq/n country, hand/n body, guitar/n instrument, football/n sport, monday/n weekday, june/n month,
five/n number, run/v motion, sit/v posture, huge/a size
"""
WORDNET = Path("/usr/share/wordnet")
TABLES = """
lemma FROM word ORDER BY id                   | animal, animate being, dog, entity, huge, large
pos, rank, synset FROM sense WHERE word = 3   | n 0 3, n 1 4, v 0 5
* FROM hypernym                               | 2 1, 3 2, 4 1
* FROM similar                                | 7 6
synset, word, target, target_word FROM link   | 3 3 5 3, 5 3 3 3
* FROM NAMED WHERE name = 'animal' | animal n animal, animate being n animal, dog n animal
* FROM NAMED WHERE name != 'animal'           | huge a size, large a size
"""
NAMED = """
(SELECT lemma, pos, name FROM class JOIN word ON word.id = class.word
JOIN class_name ON class_name.id = class.class ORDER BY lemma, pos, name)
"""
RELATED = """
synonym 0    | big/a large/a, united_states/- us/n
hyponym 1    | murder/v kill/v, mumbai/n city/n
hyponym 2    | dog/n animal/n
hypernym 2   | animal/n dog/n
cohyponym 4  | dog/n cat/n
cohyponym 2  | guitar/n piano/n, iran/n iraq/n
antonym 0    | man/n woman/n, sit/v stand/v
antonym 1    | rise/v fall/v
derivation 0 | kill/v killer/n, quickly/r quick/a
derivation 0 | australia/n australian/a, australia/n australian/n
similar 1    | huge/a large/a
similar 2    | red/a blue/a
part 0       | baghdad/n iraq/n
whole 0      | syria/n damascus/n
cause 0      | kill/v die/v
effect 0     | die/v kill/v
"""


def words(text):
    """Read ``us/n united_states/-``: lemma and part of speech, ``-`` for any."""
    return {(word[:-2].replace("_", " "), word[-1].strip("-")) for word in text.split()}


def relations(lexicon, first, second):
    found = map(_RELATION.fullmatch, lexicon.facts(set(first), set(second)))
    return [(one[1], one[2], one[3], int(one[4])) for one in found if one]


def related(lexicon, first, second):
    return {kind: n for kind, _, _, n in relations(lexicon, words(first), words(second))}


def classes(lexicon, lemma, pos):
    atoms = set(lexicon.facts({(lemma, pos)}, set()))
    return {atom.split(",")[1][:-1] for atom in atoms if atom.startswith("class(")}


@pytest.mark.parametrize(
    ("kind", "pair"), [(kind, pair) for kind, row in rows(RELATED) for pair in row.split(", ")]
)
def test_known_relation(lexicon, kind, pair):
    name, distance = kind.split()
    assert related(lexicon, *pair.split())[name] == int(distance)


def test_all_relations_of_two_words(lexicon):
    for first, second, found in (
        ("car/n", "idea/n", {}),
        # Words that cover each other are not cohyponyms.
        ("boy/n", "man/n", {"hyponym": 1}),
        # Two derivations from one base.
        ("killer/n", "killing/n", {"derivation": 1}),
        # A verb tagged as a noun keeps its antonym.
        ("rise/v", "fall/n", {"antonym": 1}),
        # Equal lemmas are left to the caller.
        *(("attack/n", "attack/v", {}), ("qwertz/n", "dog/n", {}), ("/n", "dog/n", {})),
    ):
        assert related(lexicon, first, second) == found


def test_words_that_are_related_may_be(lexicon):
    entries = lexicon._entries({*SOME, *words("person/n act/n actor/n")})
    found = [
        (one.may_relate(two), any(_relate(one, pos1, two, pos2, lexicon._broad)))
        for _, pos1, one in entries
        for _, pos2, two in entries
        if one is not two
    ]
    assert {may for may, is_so in found if is_so} == {True}
    assert [may for may, _ in found].count(False) > len(found) // 2


def test_relations_are_as_near_as_their_senses(lexicon):
    # Two people are not alike for being people.
    assert "cohyponym" not in related(lexicon, "president/n", "goalkeeper/n")
    # Antonyms of synonyms are farther.
    assert related(lexicon, "large/a", "small/a")["antonym"] == 0
    assert related(lexicon, "big/a", "small/a")["antonym"] == 1
    assert "derivation" in related(lexicon, "attack/n", "assault/v")
    # A word without senses as stated is tried as any.
    assert related(lexicon, "dog/a", "animal/n") == related(lexicon, "dog/n", "animal/n")


def test_each_kind_is_given_once_and_in_order_however_often(lexicon, lexicon_folder):
    found = relations(lexicon, SOME, SOME)
    assert found == sorted(found)
    assert len(found) == len({relation[:3] for relation in found})
    # Threads may share one.
    with Lexicon(lexicon_folder / "wordnet.sqlite") as fresh, ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda _: relations(fresh, SOME, SOME), range(8))
        assert all(answer == found for answer in answers)


@given(st.lists(st.sampled_from(SOME), max_size=8), st.lists(st.sampled_from(SOME), max_size=8))
def test_swapping_the_sentences_swaps_the_relations(lexicon, first, second):
    swapped = [
        (INVERSE.get(kind, kind), lemma2, lemma1, distance)
        for kind, lemma1, lemma2, distance in relations(lexicon, first, second)
    ]
    assert sorted(swapped) == relations(lexicon, second, first)


def test_class(lexicon):
    for row in CLASSES.split(","):
        word, name = row.split()
        assert name in classes(lexicon, *word.split("/")), row


def test_what_is_rare_or_unknown_has_no_class_and_no_use(lexicon):
    assert classes(lexicon, "dog", "n") == {"animal"}
    assert classes(lexicon, "qwertz", "n") == set()
    found = set(lexicon.facts(words("dog/n kill/v"), words("idea/n")))
    percents = {atom for atom in found if atom.startswith("verb_usage(")}
    assert 'verb_usage("kill",95)' in percents
    assert not any("idea" in atom for atom in percents)
    assert ("prime minister" in lexicon, "qwertz" in lexicon) == (True, False)


def test_files_that_are_no_lexicon_say_what_to_do(tmp_path, lexicon_folder, monkeypatch):
    path = tmp_path / "other.sqlite"
    refused(ResourceError, rf"^{path}: there is no lexicon here.*build\.py", Lexicon, path)
    for content in (b"not a database, but long enough" * 40, b""):
        path.write_bytes(content)
        refused(ResourceError, r"^.*lexicon .*build\.py.*$", Lexicon, path)
    path.write_bytes((lexicon_folder / "wordnet.sqlite").read_bytes()[:20_000])
    with pytest.raises(ResourceError, match="cannot be read"), Lexicon(path) as cut:
        relations(cut, SOME, SOME)

    def refuse(*_, **__):
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with pytest.raises(ResourceError, match=r"cannot be opened \(unable to open"):
        Lexicon(lexicon_folder / "wordnet.sqlite")


def test_names_with_special_characters(tmp_path, lexicon_folder):
    copy = shutil.copy(lexicon_folder / "wordnet.sqlite", tmp_path / "a ?b#c%20 é.sqlite")
    with Lexicon(copy) as lexicon:
        assert "dog" in lexicon


@pytest.fixture(scope="module")
def thesaurus(lexicon_folder):
    with Thesaurus(lexicon_folder / "spanish.sqlite") as opened:
        yield opened


def test_spanish_synonyms_have_distances_by_their_common_neighbours(thesaurus):
    found = list(thesaurus.facts(words("fallecer/v accidente/n"), words("morir/v")))
    assert found == ['relation(synonym,"fallecer","morir",0)']
    kinds = (related(thesaurus, "accidente/-", other) for other in ("percance/-", "suerte/-"))
    near, loose = (kind["synonym"] for kind in kinds)
    assert near < loose <= 9
    # They hold in both directions.
    there = related(thesaurus, "casa/n", "vivienda/n")
    assert there == related(thesaurus, "vivienda/n", "casa/n") != {}
    assert related(thesaurus, "casa/n", "casa/n volcán/n") == {}
    known = [word in thesaurus for word in ("casa", "antiguo testamento", "xyzzy")]
    assert known == [True, True, False]


def test_faulty_files_of_a_thesaurus(tmp_path):
    text, other = tmp_path / "text.sqlite", tmp_path / "other.sqlite"
    text.write_text("no database, but long enough to be looked at as one\n" * 50)
    sqlite3.connect(other).execute("PRAGMA user_version = 7")
    for path, message in (
        (tmp_path / "none.sqlite", "no thesaurus here"),
        (text, "thesaurus cannot be read"),
        (other, "version"),
    ):
        refused(ResourceError, message, Thesaurus, path)


TINY = Path(__file__).with_name("wordnet")  # synsets that are made up


@pytest.fixture(scope="module")
def build(lexicon_folder):
    spec = importlib.util.spec_from_file_location("build_lexicon", lexicon_folder / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def rows_of(path, query):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


@pytest.mark.slow
def test_tables_are_the_same_each_time(build, tmp_path):
    contents = set()
    for name in ("first.sqlite", "second.sqlite", "first.sqlite"):
        build.build(TINY, tmp_path / name, TINY / "classes.tsv")
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == 1
    for query, expected in rows(TABLES):
        found = rows_of(tmp_path / name, f"SELECT {query.replace('NAMED', NAMED)}")
        assert ", ".join(" ".join(map(str, row)) for row in found) == expected


@pytest.mark.slow
def test_a_faulty_table_of_classes_and_a_missing_wordnet(build, lexicon_folder, tmp_path):
    faulty, output = tmp_path / "classes.tsv", tmp_path / "out.sqlite"
    for line in ("animal\tunicorn\tn\t1", "animal\tdog\tn\t3", "animal dog n 1"):
        faulty.write_text(f"# classes\n{line}\n")
        with pytest.raises(build.BuildError, match=r"classes\.tsv:2: .*does not name a sense"):
            build.build(TINY, output, faulty)
        assert not output.exists()
    command = [sys.executable, lexicon_folder / "build.py", "--wordnet", tmp_path, "-o"]
    done = subprocess.run([*command, output], capture_output=True, text=True, check=False)
    assert (done.returncode, output.exists()) == (1, False)
    assert "install Debian's wordnet-base" in done.stderr


@pytest.mark.long
@pytest.mark.skipif(
    not (WORDNET / "data.noun").is_file(),
    reason="WordNet's files are not here: install Debian's wordnet-base to compare with them",
)
def test_the_shipped_file_is_what_the_script_builds(build, lexicon_folder, tmp_path):
    output = tmp_path / "wordnet.sqlite"
    build.build(WORDNET, output)
    shipped = lexicon_folder / "wordnet.sqlite"
    schema = rows_of(shipped, "SELECT name, sql FROM sqlite_master ORDER BY name")
    assert rows_of(output, "SELECT name, sql FROM sqlite_master ORDER BY name") == schema
    for name, _ in schema:
        query = f"SELECT * FROM {name}"
        assert rows_of(output, query) == rows_of(shipped, query), name


@pytest.mark.slow
def test_the_shipped_file_is_small_and_its_card_counts_the_rows(lexicon_folder):
    card = (lexicon_folder / "README.md").read_text(encoding="utf-8")
    shipped = lexicon_folder / "wordnet.sqlite"
    assert shipped.stat().st_size <= 12 * 1024**2
    names = rows_of(shipped, "SELECT name FROM sqlite_master WHERE type = 'table'")
    assert len(names) > 5
    for (name,) in names:
        [(count,)] = rows_of(shipped, f"SELECT count(*) FROM {name}")
        written = f"{count:,}".replace(",", " ")
        assert f"| `{name}` | {written} |" in card
