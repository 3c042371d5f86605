import json
import re
import shlex
import subprocess
import sys
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
from tests.tables import read_table


def plain_clingo(program, stdin=None):
    """Run the command that the program's comment gives; return shown atoms and cost."""
    (line,) = (line for line in program.splitlines() if line.startswith("% clingo "))
    arguments = shlex.split(line)[2:]
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "--outf=2", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
    )
    result = json.loads(done.stdout)
    # Lower bounds are listed among the answer sets.
    best = [found for found in result["Call"][-1]["Witnesses"] if "Value" in found][-1]
    # Without any candidate there is nothing to optimise.
    expected = "OPTIMUM FOUND" if "Costs" in best else "SATISFIABLE"
    assert result["Result"] == expected, done.stderr
    return [parse_term(atom) for atom in best["Value"]], tuple(best.get("Costs", ()))


def assert_same(program, jsonl, tmp_path, stdin=None):
    """Plain clingo's optimum is the answer, atom by atom."""
    symbols, cost = plain_clingo(program, stdin)
    (tmp_path / "pair.jsonl").write_text(jsonl)
    (pair,) = read_table(tmp_path / "pair.jsonl")
    bare = replace(
        pair, sent1=replace(pair.sent1, chunks=None), sent2=replace(pair.sent2, chunks=None)
    )
    record = json.loads(jsonl)
    # The rating is decided about the answer, by another program; how sure it is, is looked up.
    for name in ("rating", "boundaries1", "boundaries2"):
        record.pop(name, None)
    for line in record["alignments"]:
        line.pop("confidence", None)
    knowledge, system = record["knowledge"], record["system"]
    assert f"% words are compared by: {', '.join(knowledge)}\n" in program
    answer = read_answer(bare, texts(symbols), cost, True)
    found = answer_record(answer, knowledge=knowledge, system=system)
    assert json.loads(json.dumps(found)) == record


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["default", "answers-students"])
def test_plain_clingo_finds_the_same_optimum(good, files, pairs, tmp_path, profile):
    first, second = files(pairs)
    options = ("--sent1", first, "--sent2", second, "--profile", profile)
    good("facts", *options, "-o", "out")
    lines = good("solve", *options, "--format", "jsonl").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        assert_same((tmp_path / f"out/{number}.lp").read_text(), line, tmp_path)


@pytest.mark.slow
def test_plain_clingo_sees_given_chunks_constants_and_rules(good, chunked, tmp_path):
    (tmp_path / "my rules.lp").write_text(
        "#const most = 9.\n:- #count{X,Y : aligned(X,Y)} > most.\n"
    )
    options = ("--chunked", "--rules", "my rules.lp", "-c", "most=1", *chunked[0])
    program = good("facts", *options)
    assert "'my rules.lp'" in program
    assert_same(program, good("solve", "--format", "jsonl", *options), tmp_path, stdin=program)


@pytest.mark.slow
def test_plain_clingo_finds_the_same_optimum_with_corrections(good, pairs, tmp_path):
    """They are added to weights, or to nothing."""
    (tmp_path / "mine.lp").write_text(
        "correction(any_pair,align,-40).\ncorrection(any_link,(equi;rel),90).\n"
        "correction(both_add,simi,70).\ncorrection(label(spe),score,-70).\n"
    )
    for pair in pairs:
        options = ("--rules", "mine.lp", *pair)
        program = good("facts", *options)
        assert_same(program, good("solve", "--format", "jsonl", *options), tmp_path, stdin=program)


@pytest.mark.slow
def test_plain_clingo_runs_copied_rules(good, pairs, tmp_path):
    good("rules", "copy", "my")
    options = ("--rules", "my", "--profile", "baseline", *pairs[0])
    program = good("facts", *options)
    assert " my/english/" in program
    assert_same(program, good("solve", "--format", "jsonl", *options), tmp_path, stdin=program)


def test_one_pair_of_several_goes_to_a_file(good, files, pairs, tmp_path):
    first, second = files(pairs)
    options = ("--sent1", first, "--sent2", second)
    assert good("facts", *options, "--id", "2", "-o", "two.lp") == ""
    program = (tmp_path / "two.lp").read_text()
    assert program.startswith(f"% pair 2\n% 1: {pairs[1][0]}\n% 2: {pairs[1][1]}\n% ists-asp ")
    assert re.search(r"^% clingo .* two\.lp$", program, re.MULTILINE)
    jsonl = good("solve", *options, "--format", "jsonl").splitlines(keepends=True)[1]
    assert_same(program, jsonl, tmp_path)


def test_several_pairs_go_to_a_folder(good, files, pairs, tmp_path):
    first, second = files(pairs)
    options = ("facts", "--sent1", first, "--sent2", second)
    good(*options, "-o", "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"{number}.lp" for number in range(1, len(pairs) + 1)]
    program = (tmp_path / "out/2.lp").read_text()
    alone = good(*options, "--id", "2")
    assert program == alone.replace(".lp -\n", ".lp out/2.lp\n")


def test_odd_and_long_ids_have_safe_file_names_of_their_own(good, tmp_path):
    ids = ["../x", "a b", "i" * 300, "i" * 301, "é" * 90]
    good("facts", "--tsv", "-", "-o", "out", stdin="".join(f"{one}\ta\tb\n" for one in ids))
    files = list((tmp_path / "out").iterdir())
    assert {"..%2Fx.lp", "a b.lp"} < {path.name for path in files}
    programs = [path.read_text() for path in files]
    assert {program.partition("\n")[0] for program in programs} == {f"% pair {one}" for one in ids}


def test_several_pairs_need_a_choice(bad, files, pairs):
    first, second = files(pairs)
    options = ("facts", "--sent1", first, "--sent2", second)
    assert bad(2, *options).startswith(f"{len(pairs)} pairs. Choose one with --id ID")
    message = bad(1, *options, "--id", "99")
    assert message == "there is no pair with the id '99'; expected 1, 2, 3, 4, 5, 6"
    assert bad(2, *options, "-o", "no/such").startswith("-o no/such: there is no folder 'no'")


def only_clingo(program, place, *options):
    """Run a program that was sent to a machine which has nothing else."""
    place.mkdir()
    (place / "sent.lp").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "--outf=2", "sent.lp", *options],
        cwd=place,
        capture_output=True,
        text=True,
    )
    result = json.loads(done.stdout)
    assert done.stderr == ""
    if result["Result"] == "UNSATISFIABLE":
        return None
    best = result["Call"][-1]["Witnesses"][-1]
    return sorted(map(parse_term, best["Value"])), tuple(best.get("Costs", ()))


def given_atoms(text):
    """The atoms and the cost of an answer in the format atoms."""
    atoms = [parse_term(line[:-1]) for line in text.splitlines() if line[:1] not in "%"]
    return sorted(atoms), tuple(
        map(int, re.search(r"^% answer 1, cost (.*)$", text, re.M)[1].split())
    )


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
ENGLISH = ("12 killed in bus accident", "10 killed in road accident")
SPANISH = ("Mueren 12 personas en Cuba", "Fallecen 11 personas en la isla de Cuba")


@pytest.fixture
def own(tmp_path):
    """Rules and words of one's own."""
    (tmp_path / "rules of mine.lp").write_text(MINE)
    (tmp_path / "words.tsv").write_text("bus = road\nhorse <> field\n")
    rules = ("--rules", tmp_path / "rules of mine.lp", "--words", "words.tsv")
    return (*rules, "-c", "most_here=2", "-c", "eagerness=20")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "pair"),
    [
        pytest.param((), ENGLISH, id="plain"),
        pytest.param(("--chunked", "--profile", "images"), "chunked", id="chunks"),
        pytest.param(("--raw",), ('He said: "no".', "She didn't say %* it..."), id="raw"),
        pytest.param(("--profile", "es"), SPANISH, id="Spanish"),
        pytest.param("own", ENGLISH, id="own"),
    ],
)
def test_a_program_that_is_sent_gives_the_answer(good, chunked, own, tmp_path, options, pair):
    options = own if options == "own" else options
    call = (*options, *(chunked[1] if pair == "chunked" else pair))
    program = good("facts", "--bundle", *call)
    expected = given_atoms(good("solve", "--format", "atoms", *call))
    assert only_clingo(program, tmp_path / "sent") == expected
    assert only_clingo(program, tmp_path / "fast", "--opt-strategy=usc") == expected
    assert not re.search(rf"{tmp_path}|{tmp_path.name}|/home/|#include *[\"<]", program)
    assert "% ======== asp/align.lp\n" in program
    assert "\n%@rule may_align: " in program
    assert "lp_rules/sts/" not in program
    assert "lp_rules/explanation/" not in program


@pytest.mark.slow
def test_the_head_of_a_program_that_is_sent(good, own, tmp_path):
    program = good("facts", "--bundle", *own, *SPANISH[:1], SPANISH[1], "-o", "x.lp")
    assert program == ""
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
def test_a_constant_of_a_program_that_is_sent_can_be_set(good, own, pairs, tmp_path):
    program = good("facts", "--bundle", *own, *pairs[0])
    none = good("solve", "--format", "atoms", *own, "-c", "most_here=0", *pairs[0])
    found = only_clingo(program, tmp_path / "sent", "-c", "most_here=0")
    assert found == given_atoms(none)
    assert "aligned" not in {atom.name for atom in found[0]}


def test_a_rule_of_a_program_that_is_sent_can_be_changed(good, pairs, tmp_path):
    program = good("facts", "--bundle", *pairs[0])
    rule = "{ aligned(X,Y) } :- viable(X,Y)."
    edited = program.replace(rule, rule.replace(".", ", token(3,_,_)."))
    found, _ = only_clingo(edited, tmp_path / "sent")
    assert "aligned" not in {atom.name for atom in found}


@pytest.mark.slow
@pytest.mark.parametrize("form", [("--bundle",), ()], ids=["sent", "beside the rules"])
def test_two_weights_for_one_name_are_no_program(good, pairs, tmp_path, form):
    program = good("facts", *form, *pairs[3])
    told = re.search(r"^% UNSATISFIABLE\? .*add --text, and look for two_weights\.$", program, re.M)
    assert told
    twice = "weight(any_pair,align,7).\n"
    (line,) = (line for line in program.splitlines() if line.startswith("% clingo "))
    arguments = [sys.executable, "-m", "clingo", *shlex.split(line)[2:]]
    run = {"input": program + twice, "capture_output": True, "text": True}
    assert "UNSATISFIABLE" in subprocess.run(arguments, **run).stdout
    text = subprocess.run([*arguments, "--text"], **run).stdout
    assert "\ntwo_weights(any_pair,align).\n" in text
    # The same weight again is one.
    run["input"] = program + re.search(r"^weight\(any_pair,align,(?!7\)).*$", text, re.M)[0]
    assert "OPTIMUM FOUND" in subprocess.run(arguments, **run).stdout


def test_private_predicates_of_two_files_are_refused(bad, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.lp").write_text("_mine_alone(1).\n")
    call = ("facts", "--bundle", "--rules", "one.lp", "--rules", "two.lp", "a cat", "a dog")
    assert "the private predicate _mine_alone/1 is also defined at one.lp:1" in bad(
        1, *call, "-o", "x.lp"
    )
    assert not (tmp_path / "x.lp").exists()


RATED = [("sts-en", *ENGLISH), ("sts-es", *SPANISH)]


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "one", "two"), RATED, ids=["English", "Spanish"])
@pytest.mark.parametrize("form", ["sent", "beside the rules"])
def test_plain_clingo_rates_alike(good, tmp_path, form, profile, one, two):
    call = ("--profile", profile, one, two)
    more = ("--bundle",) if form == "sent" else ()
    program = good("facts", "--program", "rating", *more, *call)
    record = json.loads(good("sts", "--format", "jsonl", *call))["rating"]
    found = (
        plain_clingo(program, program)[0] if not more else only_clingo(program, tmp_path / "s")[0]
    )
    assert [atom.arguments[0].number for atom in found if atom.name == "rating"] == [
        round(1000 * record["value"])
    ]
    contributed = {
        str(atom.arguments[0]): atom.arguments[1].number
        for atom in found
        if atom.name == "contribution"
    }
    assert contributed == {
        part["name"]: round(1000 * part["value"]) for part in record["contributions"]
    }


TOLD = [("default", *ENGLISH), ("es", *SPANISH)]


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "one", "two"), TOLD, ids=["English", "Spanish"])
@pytest.mark.parametrize("form", ["sent", "beside the rules"])
def test_plain_clingo_explains_alike(good, tmp_path, form, profile, one, two):
    call = ("--profile", profile, one, two)
    more = ("--bundle",) if form == "sent" else ()
    program = good("facts", "--program", "explanation", *more, *call)
    found = (
        plain_clingo(program, program)[0] if not more else only_clingo(program, tmp_path / "s")[0]
    )
    with load(profile) as system:
        answer = system.solve(one, two)
        shown = read_shown(answer.pair.sizes, len(answer.alignments), texts(found))
        program, wording = (
            system.program(Purpose.EXPLANATION),
            load_templates(system.profile.language),
        )
        said = explained(answer, shown, wording, program.named).text
        ((_, facts),) = system.program_facts([answer.pair], Purpose.EXPLANATION)
        ours = program.solver.best(answer, facts)
        assert sorted(texts(found)) == sorted(ours.found.shown)
    assert f"{said}\n" == good("explain", *call)


def test_several_pairs_are_no_single_file(bad, good, files, pairs, tmp_path):
    first, second = files(pairs)
    options = ("facts", "--sent1", first, "--sent2", second, "-o")
    message = bad(2, *options, "all.lp")
    assert message == (
        f"-o all.lp: {len(pairs)} pairs. Choose one with --id ID, or name a folder with -o DIR"
    )
    assert not (tmp_path / "all.lp").exists()
    (tmp_path / "there").write_text("")
    assert bad(2, *options, "there").startswith(f"-o there: {len(pairs)} pairs. Choose one")
    good(*options, "all", "--bundle")
    assert only_clingo((tmp_path / "all/2.lp").read_text(), tmp_path / "sent")


@pytest.mark.slow
def test_atoms_of_many_pairs_are_the_same_from_the_cache_and_from_workers(
    run, good, files, pairs, own
):
    first, second = files([*pairs, ("a " * 501, "b")])
    call = ("--sent1", first, "--sent2", second, *own, "-q")
    assert run("solve", *call, "-o", "all.lp").exit_code == 3
    text = first.with_name("all.lp").read_text()
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


def test_atoms_of_several_answers_have_their_ranks(good, pairs):
    text = good("solve", "--format", "atoms", "-n", "2", *pairs[0])
    costs = re.findall(r"^% answer (\d), cost (.*)$", text, re.M)
    assert [rank for rank, _ in costs] == ["1", "2"]
    best, next_ = (tuple(map(int, cost.split())) for _, cost in costs)
    assert best < next_


def test_atoms_can_be_given_back_to_clingo(good, pairs, tmp_path):
    program = good("facts", "--bundle", *pairs[0])
    text = good("solve", "--format", "atoms", *pairs[0])
    assert only_clingo(program + text, tmp_path / "again") == given_atoms(text)
    other = text.replace("label(run(1,1),run(1,1),simi).", "label(run(1,1),run(1,1),rel).")
    assert other != text
    assert only_clingo(program + other, tmp_path / "other")[1] > given_atoms(text)[1]
