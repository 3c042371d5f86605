"""Programs that facts writes, and atoms: clingo alone finds the same optimum."""

import json
import re
import shlex
from dataclasses import replace

import pytest
from clingo import parse_term

from ists_asp import load
from ists_asp.answers import read_answer
from ists_asp.explain.explanation import explained, read_shown
from ists_asp.explain.templates import load_templates
from ists_asp.io.formats import answer_record
from ists_asp.rules import Purpose
from ists_asp.syntax.ground import texts
from tests.sharing import cases, python, read_table

ENGLISH = ("12 killed in bus accident", "10 killed in road accident")
SPANISH = ("Mueren 12 personas en Cuba", "Fallecen 11 personas en la isla de Cuba")
LONGER = ("A man in a red shirt plays the guitar", "A woman plays the piano on a street")
FORMS = pytest.mark.parametrize("form", [("--bundle",), ()], ids=["sent", "beside the rules"])
MINE = """
#const most_here = 9. % of all alignments
%@rule few_alignments: "no more than most_here"
:- #count{X,Y : aligned(X,Y)} > most_here.
%@rule long_word: "a word of mine"
_mine(S,I) :- word(S,I,"killed").
:~ aligned(run(C,C),run(D,D)), aligned(run(C+1,C+1),run(D+1,D+1)). [-40@4,C,D]
correction(any_pair,align,-40).
#show _mine/2.
"""


def clingo(arguments, program=None, place=None):
    """Run clingo alone; the atoms that the best answer shows, and its cost."""
    done = python("-m", "clingo", "--outf=2", *arguments, cwd=place, input=program)
    assert place is None or done.stderr == ""
    result = json.loads(done.stdout)
    # Lower bounds are listed among the answer sets.
    best = [found for found in result["Call"][-1]["Witnesses"] if "Value" in found][-1]
    # Without any candidate there is nothing to optimise.
    expected = "OPTIMUM FOUND" if "Costs" in best else "SATISFIABLE"
    assert result["Result"] == expected, done.stderr
    return sorted(map(parse_term, best["Value"])), tuple(best.get("Costs", ()))


def command(program):
    """The arguments of the command that the program's comment gives."""
    (line,) = (line for line in program.splitlines() if line.startswith("% clingo "))
    return shlex.split(line)[2:]


def only_clingo(program, place, *options):
    """Run a program that was sent to a machine which has nothing else."""
    place.mkdir()
    (place / "sent.lp").write_text(program, encoding="utf-8")
    return clingo(["sent.lp", *options], place=place)


def assert_same(program, jsonl, tmp_path, stdin=None):
    """Plain clingo's optimum is the answer, atom by atom."""
    symbols, cost = clingo(command(program), stdin)
    (tmp_path / "pair.jsonl").write_text(jsonl)
    (pair,) = read_table(tmp_path / "pair.jsonl")
    sent1, sent2 = (replace(side, chunks=None) for side in (pair.sent1, pair.sent2))
    record = json.loads(jsonl)
    # The rating is decided about the answer, by another program; how sure it is, is looked up.
    for name in ("rating", "boundaries1", "boundaries2"):
        record.pop(name, None)
    for line in record["alignments"]:
        line.pop("confidence", None)
    knowledge, system = record["knowledge"], record["system"]
    assert f"% words are compared by: {', '.join(knowledge)}\n" in program
    answer = read_answer(replace(pair, sent1=sent1, sent2=sent2), texts(symbols), cost, True)
    found = answer_record(answer, knowledge=knowledge, system=system)
    assert json.loads(json.dumps(found)) == record


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["default", "answers-students"])
def test_plain_clingo_finds_the_same_optimum(good, sides, pairs, tmp_path, profile):
    options = (*sides(pairs), "--profile", profile)
    good("facts", *options, "-o", "out")
    lines = good("solve", *options, "--format", "jsonl").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        assert_same((tmp_path / f"out/{number}.lp").read_text(), line, tmp_path)


@pytest.mark.slow
def test_plain_clingo_finds_the_same_optimum_with_rules_of_a_user(
    good, pairs, chunked, tmp_path, written
):
    """Corrections are added to weights, or to nothing."""
    corrections = written(
        "correction(any_pair,align,-40).\ncorrection(any_link,(equi;rel),90).\n"
        "correction(both_add,simi,70).\ncorrection(label(spe),score,-70).\n"
    )
    most = written("#const links = 9.\n:- #count{X,Y : aligned(X,Y)} > links.\n", "my rules.lp")
    good("rules", "copy", "my")
    for rules, name, more in (
        *((corrections, "mine.lp", pair) for pair in pairs),
        (most, "'my rules.lp'", ("--chunked", "-c", "links=1", *chunked[0])),
        ("my", "my/english/", ("--profile", "baseline", *pairs[0])),
    ):
        program = good("facts", "--rules", rules, *more)
        assert f" {name}" in program
        jsonl = good("solve", "--format", "jsonl", "--rules", rules, *more)
        assert_same(program, jsonl, tmp_path, stdin=program)


@pytest.mark.slow
def test_pairs_go_to_a_file_or_a_folder(good, sides, pairs, tmp_path):
    pairs = pairs[:3]
    options = sides(pairs)
    assert good("facts", *options, "--id", "2", "-o", "two.lp") == ""
    program = (tmp_path / "two.lp").read_text()
    assert program.startswith(f"% pair 2\n% 1: {pairs[1][0]}\n% 2: {pairs[1][1]}\n% ists-asp ")
    assert re.search(r"^% clingo .* two\.lp$", program, re.MULTILINE)
    jsonl = good("solve", *options, "--format", "jsonl").splitlines(keepends=True)[1]
    assert_same(program, jsonl, tmp_path)
    good("facts", *options, "-o", "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"{number}.lp" for number in range(1, len(pairs) + 1)]
    assert (tmp_path / "out/2.lp").read_text() == program.replace(" two.lp\n", " out/2.lp\n")
    good("facts", *options, "-o", "all", "--bundle")
    assert only_clingo((tmp_path / "all/2.lp").read_text(), tmp_path / "sent")


def test_odd_and_long_ids_have_safe_file_names_of_their_own(good, tmp_path):
    ids = ["../x", "a b", "i" * 300, "i" * 301, "é" * 90]
    lines = "".join(f"{one}\ta\tb\n" for one in ids)
    good("facts", "--profile", "baseline", "--tsv", "-", "-o", "out", stdin=lines)
    files = list((tmp_path / "out").iterdir())
    assert {"..%2Fx.lp", "a b.lp"} < {path.name for path in files}
    programs = [path.read_text() for path in files]
    assert {program.partition("\n")[0] for program in programs} == {f"% pair {one}" for one in ids}


def read_atoms(text):
    """The atoms and the cost of an answer in the format atoms."""
    atoms = sorted(parse_term(line[:-1]) for line in text.splitlines() if line[:1] not in "%")
    costs = re.search(r"^% answer 1, cost (.*)$", text, re.M)[1]
    return atoms, tuple(map(int, costs.split()))


@pytest.fixture
def own(tmp_path):
    """Rules and words of one's own."""
    (tmp_path / "rules of mine.lp").write_text(MINE)
    (tmp_path / "words.tsv").write_text("bus = road\nhorse <> field\n")
    rules = ("--rules", tmp_path / "rules of mine.lp", "--words", "words.tsv")
    return (*rules, "-c", "most_here=2", "-c", "eagerness=20")


@pytest.mark.slow
@cases(
    "options | pair",
    pytest.param((), ENGLISH, id="plain"),
    pytest.param(("--chunked", "--profile", "images"), "chunked", id="chunks"),
    pytest.param(("--raw",), ('He said: "no".', "She didn't say %* it..."), id="raw"),
    pytest.param(("--profile", "es"), SPANISH, id="Spanish"),
    pytest.param("own", ENGLISH, id="own"),
)
def test_a_program_that_is_sent_gives_the_answer(good, chunked, own, tmp_path, options, pair):
    options = own if options == "own" else options
    call = (*options, *(chunked[1] if pair == "chunked" else pair))
    program = good("facts", "--bundle", *call)
    expected = read_atoms(good("solve", "--format", "atoms", *call))
    assert only_clingo(program, tmp_path / "sent") == expected
    assert only_clingo(program, tmp_path / "fast", "--opt-strategy=usc") == expected
    assert not re.search(rf"{tmp_path}|{tmp_path.name}|/home/|#include *[\"<]", program)
    assert "% ======== asp/align.lp\n" in program
    assert "\n%@rule may_align: " in program
    assert "lp_rules/sts/" not in program
    assert "lp_rules/explanation/" not in program


@pytest.mark.slow
def test_the_head_of_a_program_that_is_sent(good, own, tmp_path):
    assert good("facts", "--bundle", *own, *SPANISH, "-o", "x.lp") == ""
    program = (tmp_path / "x.lp").read_text()
    head = program.partition("\n% ======== the facts\n")[0]
    assert all(line.startswith("% ") for line in head.splitlines())
    assert f"% pair 1\n% 1: {SPANISH[0]}\n% 2: {SPANISH[1]}\n% ists-asp " in head
    assert "\n% clingo --opt-strategy=usc x.lp\n% or python -m clingo" in head
    four = (
        "@4 maximize: aligning {X} with {Y} is worth {W} a token, tokens: {M} (best_alignment, "
        "asp/align.lp)"
    )
    mine = "@4 maximize: :~ aligned(run(C,C),run(D,D)), aligned(run(C+1,C+1),run(D+1,D+1)). "
    assert head.index(four) < head.index("@3 maximize: ") < head.index("@-C minimize: ")
    assert f"{mine}[-40@4,C,D] (rules of mine.lp)" in head
    assert "Constants (-c NAME=VALUE): most_here = 2, eagerness = 20, margin = 0, " in head
    assert re.search(r"Shown: .*aligned/2.*, _mine/2$", head, re.M)
    assert "\n#const most_here = 2.\n#const eagerness = 20.\n" in program
    assert '\n% ======== words.tsv\n\nsame_meaning("bus","road").\n' in program


@pytest.mark.slow
def test_constants_and_rules_of_a_program_that_is_sent_can_be_changed(good, own, pairs, tmp_path):
    program = good("facts", "--bundle", *own, *pairs[0])
    atoms = good("solve", "--format", "atoms", *own, "-c", "most_here=0", *pairs[0])
    found = only_clingo(program, tmp_path / "sent", "-c", "most_here=0")
    assert found == read_atoms(atoms)
    rule = "{ aligned(X,Y) } :- viable(X,Y)."
    program = program.replace(rule, rule.replace(".", ", token(3,_,_)."))
    edited, _ = only_clingo(program, tmp_path / "edited")
    assert "aligned" not in {atom.name for atom in (*found[0], *edited)}


@pytest.mark.slow
@FORMS
def test_two_weights_for_one_name_are_no_program(good, pairs, tmp_path, form):
    program = good("facts", *form, *pairs[3])
    told = re.search(r"^% UNSATISFIABLE\? .*add --text, and look for two_weights\.$", program, re.M)
    assert told
    call = ("-m", "clingo", *command(program))
    twice = program + "weight(any_pair,align,7).\n"
    assert "UNSATISFIABLE" in python(*call, input=twice).stdout
    text = python(*call, "--text", input=twice).stdout
    assert "\ntwo_weights(any_pair,align).\n" in text
    # The same weight again is one.
    again = re.search(r"^weight\(any_pair,align,(?!7\)).*$", text, re.M)[0]
    assert "OPTIMUM FOUND" in python(*call, input=program + again).stdout


def alone(program, form, tmp_path):
    """The atoms that clingo alone shows for a program in one of its forms."""
    if form:
        return only_clingo(program, tmp_path / "sent")[0]
    return clingo(command(program), program)[0]


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "pair"), [("sts-en", ENGLISH), ("sts-es", SPANISH)])
@FORMS
def test_plain_clingo_rates_alike(good, tmp_path, form, profile, pair):
    call = ("--profile", profile, *pair)
    atoms = alone(good("facts", "--program", "rating", *form, *call), form, tmp_path)
    record = json.loads(good("sts", "--format", "jsonl", *call))["rating"]
    ratings = [atom.arguments[0].number for atom in atoms if atom.name == "rating"]
    assert ratings == [round(1000 * record["value"])]
    contributions = [atom.arguments for atom in atoms if atom.name == "contribution"]
    assert {str(name): value.number for name, value in contributions} == {
        part["name"]: round(1000 * part["value"]) for part in record["contributions"]
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "pair"), [("default", ENGLISH), ("default", LONGER), ("es", SPANISH)]
)
@FORMS
def test_plain_clingo_explains_alike(good, tmp_path, form, profile, pair):
    call = ("--profile", profile, *pair)
    atoms = alone(good("facts", "--program", "explanation", *form, *call), form, tmp_path)
    with load(profile) as system:
        answer = system.solve(*pair)
        shown = read_shown(answer.pair.sizes, len(answer.alignments), texts(atoms))
        program = system.program(Purpose.EXPLANATION)
        wording = load_templates(system.profile.language)
        said = explained(answer, shown, wording, program.named).text
        ((_, facts),) = system.program_facts([answer.pair], Purpose.EXPLANATION)
        assert sorted(texts(atoms)) == sorted(program.solver.best(answer, facts).found.shown)
    assert f"{said}\n" == good("explain", *call)


@pytest.mark.slow
def test_atoms_of_many_pairs_are_the_same_from_the_cache_and_from_workers(
    run, good, sides, pairs, own, tmp_path
):
    call = (*sides([*pairs, ("a " * 501, "b")]), *own, "-q")
    assert run("solve", *call, "-o", "all.lp").exit_code == 3
    text = (tmp_path / "all.lp").read_text()
    sections = text.split("\n\n")
    assert [one.partition("\n")[0] for one in sections] == [f"% pair {n}" for n in range(1, 8)]
    assert re.search(r"^% .*501 tokens", sections[-1], re.M)
    assert not re.search(r"^[^%]", sections[-1], re.M)
    for number, section in enumerate(sections[:-1], 1):
        alone = good("solve", "--tokens", "--format", "atoms", *own, *pairs[number - 1])
        assert section.partition("\n")[2].rstrip() == alone.partition("\n")[2].rstrip()
    assert "\n_mine(1,2).\n" in sections[0]
    for more in (("--cache", "kept"), ("--cache", "kept"), ("--jobs", "2")):
        assert run("solve", *call, *more, "--format", "atoms").stdout == text


def test_atoms_can_be_given_back_to_clingo(good, pairs, tmp_path):
    program = good("facts", "--bundle", *pairs[0])
    text = good("solve", "--format", "atoms", *pairs[0])
    assert only_clingo(program + text, tmp_path / "again") == read_atoms(text)
    other = text.replace("label(run(1,1),run(1,1),simi).", "label(run(1,1),run(1,1),rel).")
    assert other != text
    assert only_clingo(program + other, tmp_path / "other")[1] > read_atoms(text)[1]
