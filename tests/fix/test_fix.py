"""Edits that are proposed make claims hold, are measured, and are written and taken back."""

import json
from dataclasses import replace

import pytest

from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.proposals import Writer, proposals, wrong_decisions
from ists_asp.fix.trial import fix, fix_many
from ists_asp.model import Alignment, Label
from ists_asp.resources import data_dir
from ists_asp.rules.examples import read_example
from ists_asp.run.claims import judged
from ists_asp.run.worker import with_rules
from ists_asp.vocabulary import POINT_STATES
from tests.sharing import cases, shared_system

pytestmark = pytest.mark.slow

MILK = ("Dairy recalls 500 pints of milk", "Dairy recalls 500 quarts of milk")


def _fixed(profile, one, two, claim, gold=None):
    example = read_example(f'{profile} "{one}" | "{two}": {claim}')
    pairs = [one.pair for one in (gold or {}).values()]
    return example, fix(shared_system(profile), [example], pairs, gold)


@cases("""
profile | one | two | claim | expected
headlines | Dairy recalls 500 pints of milk | Dairy recalls 500 quarts of milk
    "500 pints" ~ "500 quarts" not EQUI | pint <> quart
headlines | Dairy recalls 500 pints of milk | Dairy recalls 500 quarts of milk
    "500 pints" ~ "500 quarts" SIMI 3 | licensed(X,Y,simi,pint_quart)
headlines | Dairy recalls 500 pints of milk | Dairy recalls 500 quarts of milk
    "500 pints" not aligned | forbidden_pair(X,Y) :- proposed(X,Y)
headlines | Opel sells cars | Vauxhall sells cars | "Opel" ~ "Vauxhall" EQUI | opel = vauxhall
headlines | Opel sells cars | Vauxhall sells cars | rating > 4.5 | opel = vauxhall
headlines | Police arrest two men | Police arrest two women | "two men" ~ "two women" 2
    forbidden_score(X,Y,(1;3;4))
headlines | Officer dropped from case | Officer on attempted murder charges
    "from case" ~ "on attempted murder charges" aligned
    lemma(1,I,"case"), span_token(2,Y,J), lemma(2,J,"charge");
headlines | Officer dropped from case | Officer on attempted murder charges
    "from case" ~ "on attempted murder charges" SIMI | licensed(X,Y,simi,case_charge_label
images | A dog sits near the tree . | A dog sits near a tree . | chunk "sits near"
    must_split(S,I) :- lemma(S,I-2,"sit"), lemma(S,I-1,"near").
headlines | Anti-government protesters storm Kyiv | Ukraine protesters topple statue
    "Anti-government protesters" ~ "Ukraine protesters" 4 | lemma(1,I+1,L), lemma(2,J+1,L).
images | A woman cuts into food . | A woman cuts a cake . | "into food" ~ "a cake" 3
    alike(I,J,hyponym,_)
answers-students | bulb a creates a gap | neither B nor C is in a closed path
    1: "creates a gap" | %@except determiner_after_noun
images | Living room or den with large screen television .
    Living room with tan furniture and flat screen television .
    "with large screen television" ~ "with tan furniture and flat screen television" SPE1
    %@except each_adds
images | A dog looking out . | A dog is looking . | "looking out" ~ "is looking" SPE1
    lemma(1,I,"out"); not lemma(2,J,"out") : span_token(2,Y,J).
headlines | Police arrest 3 men | Police arrest suspects | "3 men" ~ "suspects" not aligned
    upos(1,I,num), lemma(1,I+1,"man"), span_token(2,Y,J), lemma(2,J,"suspect");
headlines | Swimmers Ann Holt and Eve Powell test positive for drugs
    Swimmer Ann Holt tests positive for drugs | 1: "test"
    must_split(S,I..I+1) :- lemma(S,I,"test"), lemma(S,I+1,"positive").
es | El comercio entre la UE y Suiza crece mucho | El comercio crece | 1: "entre la UE y Suiza"
    must_join(S,I..I+1) :- upos(S,I-1,propn), lemma(S,I,"y"), upos(S,I+1,propn).
headlines | Mali due to vote for president | Mali Counts Votes After Presidential Runoff
    "to vote" ~ "Votes" SIMI | lemma(2,J,"vote"), upos(1,I,verb), upos(2,J,noun).
headlines | Palestinians ` hit ' by Israeli fire in Gaza
    Two Palestinians Killed in an Israeli Air Strike on Gaza
    "hit" ~ "in an Israeli Air Strike" not aligned | upos(1,I,verb), upos(2,J,noun).
es | Guerrero es uno de los 31 estados | Guerrero es una de las 32 entidades | "uno" ~ "una" EQUI
    word(1,I,"uno"), span_token(2,Y,J), word(2,J,"una");
sts-es | Bebe una birra | Bebe una cerveza | says "lo mismo" | birra = cerveza
""")
def test_every_edit_makes_its_claim_hold(tmp_path, profile, one, two, claim, expected):
    example, found = _fixed(profile, one, two, claim)
    assert not found.held
    assert found.tried >= len(found.proposals) > 0
    assert any(expected in measured.proposal.text for measured in found.proposals)
    for measured in found.proposals:
        proposal = measured.proposal
        file = tmp_path / f"{proposal.name}{proposal.suffix}"
        file.write_text(proposal.text)
        (record,) = judged(with_rules(shared_system(profile), (file,)), [example])
        assert [one["swapped"] for one in record["failures"]] == [True] * measured.one_way


@cases("""
profile | one | two | claim
headlines | Storm hits the coast of Oman | Storm hits a coast of Oman
    "the coast" ~ "a coast" not aligned
images | The cat is sitting on a bag . | Two eagles sitting on a long branch .
    "is sitting" ~ "sitting" SIMI
es | Avisaron a la policía | Avisaron agentes de policía | "a la policía" ~ "de policía" not aligned
answers-students | bulbs B and C are in a path | Bulbs B and C were in a path
    "are" ~ "were" not aligned
""")
def test_little_words_and_forms_of_one_word_make_no_rule(profile, one, two, claim):
    _, found = _fixed(profile, one, two, claim)
    assert (found.held, found.tried, found.proposals) == (False, 0, ())
    assert found.lacking


def _many():
    """The samples of headlines ten times, which is enough gold to bear something out."""
    gold = read_references(data_dir() / "samples" / "headlines" / "gold.wa").values()
    return {
        f"{one.pair.id} {n}": replace(one, pair=replace(one.pair, id=f"{one.pair.id} {n}"))
        for one in gold
        for n in range(10)
    }


def test_words_of_one_kind_are_told_apart_and_what_is_wider_has_gold_that_bears_it_out():
    _, found = _fixed("headlines", *MILK, '"500 pints" ~ "500 quarts" not aligned', _many())
    assert {edit.proposal.name for edit in found.proposals} == {"pint_quart"}


def test_unlike_words_are_counterparts_by_what_stands_around_them():
    economy = "Obama pledges to reignite economy", "Obama to press Congress to act on economy"
    example = read_example(
        f'headlines "{economy[0]}" | "{economy[1]}": "to reignite" ~ "to act" aligned'
    )
    answer = shared_system("headlines").solve(*economy, tokens=True)
    edits = {edit.name: edit for edit in proposals({example: Writer(answer, example.claim)})}
    assert (edits["reignite_act"].chance, edits["reignite_act"].support) == (True, 100)
    rule = edits["verb_verb_chunks_behind_after_the_same"].text
    assert "counterparts behind them and they stand after the same word" in rule
    _, found = _fixed("headlines", *economy, '"to reignite" ~ "to act" aligned', _many())
    told = {edit.alone for edit in found.proposals if "reignite" in edit.proposal.name}
    assert told == {True}


def test_words_that_both_sides_have_align_them_and_those_of_one_side_do_not():
    path = "there is a path from bulb to battery", "Bulb A is in a closed path with the battery ."
    _, found = _fixed("answers-students", *path, '"from bulb" ~ "Bulb A" aligned')
    assert [edit.proposal.name for edit in found.proposals] == ["bulb"]
    assert '"both sides have ‘bulb’"' in found.proposals[0].proposal.text


def test_a_chunk_that_would_begin_behind_the_sentence_is_none(tmp_path):
    lamp = "The desk of hotel room with lamp lighting .", "A desk in a hotel room ."
    _, found = _fixed("images", *lamp, '1: "with lamp"')
    texts = {edit.proposal.name: edit.proposal.text for edit in found.proposals}
    file = tmp_path / "lamp.lp"
    file.write_text(texts["split_after_lamp"], encoding="utf-8")
    answer = with_rules(shared_system("images"), (file,)).solve("A red lamp", "A lamp")
    assert [chunk.tokens for chunk in answer.chunks[0]] == [(1, 2, 3)]


def test_what_evidence_tells_of_both_sides_becomes_a_rule():
    floods = "Floods leave six dead in Philippines", "Rains leave 18 dead in Philippines"
    example = read_example(f'headlines "{floods[0]}" | "{floods[1]}": "six dead" ~ "18 dead" 2')
    answer = shared_system("headlines").solve(*floods, tokens=True)
    edits = {edit.name: edit for edit in proposals({example: Writer(answer, example.claim)})}
    rule = edits["shared_modifier_different_numbers"].text
    assert "the sides have a modifier in common and the sides have different numbers" in rule
    assert rule.endswith(
        "forbidden_score(X,Y,(1;3;4)) :- viable(X,Y), "
        "evidence(link(X,Y),shared_modifier,_), evidence(link(X,Y),different_numbers,_).\n"
    )


def test_numbers_that_no_other_gold_pair_bears_out_are_not_proposed():
    floods = "Floods leave six dead in Philippines", "Rains leave 18 dead in Philippines"
    _, found = _fixed("headlines", *floods, '"six dead" ~ "18 dead" 2')
    assert found.proposals[0].proposal.name == "any_number"
    assert '"both sides have any number"' in found.proposals[0].proposal.text
    _, found = _fixed("headlines", *floods, '"six dead" ~ "18 dead" 2', _many())
    assert found.proposals == ()


def test_what_hangs_on_chunks_that_gold_has_otherwise_begins_with_these():
    system = shared_system("headlines")
    answer = system.solve(*MILK, tokens=True)
    lines = [line for line in answer.alignments if line.tokens1 not in [(3, 4), (5, 6)]]
    whole = Alignment((3, 4, 5, 6), (3, 4, 5, 6), Label.EQUI, 5.0)
    gold = {"milk": Reference(replace(answer.pair, id="milk"), (*lines, whole))}
    # Of what gold aligns as one no part is said to be unaligned.
    claims = [of.text.rpartition('": ')[2] for of in wrong_decisions(answer, gold["milk"], "es")]
    chunks = '"500 pints of milk"', '"500 quarts of milk"'
    assert claims == [f"1: {chunks[0]}", f"2: {chunks[1]}", " ~ ".join(chunks) + " aligned"]
    _, found = _fixed("headlines", *MILK, '"500 pints" ~ "500 quarts" not EQUI', gold)
    assert (found.proposals, found.first) == ((), tuple(claims[:2]))
    _, found = _fixed("headlines", *MILK, claims[2])
    assert found.proposals[0].proposal.cuts


def test_edits_are_measured_as_runs_with_them_are_and_those_without_harm_come_first(tmp_path):
    gold = read_references(data_dir() / "samples" / "headlines" / "gold.wa")
    _, found = _fixed("headlines", *MILK, '"500 pints" ~ "500 quarts" SIMI 3', gold)
    effects = [measured.effect for measured in found.proposals]
    firsts = [*dict.fromkeys(effects)]
    assert [effect[:3] for effect in firsts] == sorted(effect[:3] for effect in firsts)
    # What does the same as an edit before it comes after the others.
    assert effects[: len(firsts)] == firsts != effects
    assert all(len(one.worst) == min(one.worse, 3) for one in found.proposals)
    assert all(one.better + one.worse <= len(one.changed) for one in found.proposals)
    system, pairs = shared_system("headlines"), [one.pair for one in gold.values()]
    before = [solved.alignments for solved in system.solve_many(pairs, rated=False)]
    for number, measured in enumerate(found.proposals):
        file = tmp_path / f"edit{number}{measured.proposal.suffix}"
        file.write_text(measured.proposal.text)
        after = with_rules(system, (file,)).solve_many(pairs, rated=False)
        runs = zip(before, after, strict=True)
        changed = {new.pair.id for old, new in runs if old != new.alignments}
        assert changed == {*measured.changed}


def test_what_makes_more_pairs_worse_than_better_is_told_and_not_proposed():
    system = shared_system("headlines")
    answer = system.solve(*MILK, tokens=True)
    gold = Reference(replace(answer.pair, id="milk"), answer.alignments)
    _, found = _fixed("headlines", *MILK, '"500 pints" ~ "500 quarts" SIMI', {"milk": gold})
    assert found.proposals == ()
    assert [text.partition("\n")[0] for text in found.lacking] == [
        "it would make 0 better, 1 worse (milk):"
    ]
    assert (found.refused, found.contradicting) == ("harms", ("milk",))


@cases("""
answer | model | question | verdict | expected
they turn soft | Candles melt when they are heated. | What happens to candles when they are heated?
    correct | turn soft = melt
It shows how hot something is | temperature | What does a thermometer show?
    correct | how hot something is = temperature
it stops current | A conductor lets current flow through it. | What does a conductor do?
    contradictory | stop <> let
the path will have a gap | Bulb C is in a separate path | Explain your reasoning.
    contradictory | no name
""")
def test_words_but_names_are_proposed_for_a_verdict(answer, model, question, verdict, expected):
    claim = f'default "{answer}" | "{model}" | "{question}": verdict {verdict}'
    found = fix(shared_system("default"), [read_example(claim)])
    texts = [edit.proposal.text.partition("\t")[0] for edit in found.proposals]
    if expected == "no name":
        assert not any(text.endswith("c") for text in texts)
    else:
        assert expected in texts


@cases("""
answer | model | verdict | expected
they are all connected to the negative battery terminal
    Terminals 1 and 2 are separated from the positive battery terminal by a gap | correct
    connected to the negative battery terminal = separated from the positive battery terminal
the difference between electrical charges in a battery
    Voltage is the difference in electrical states between two terminals | contradictory
    charge <> state; electrical charges <> electrical states
""")
def test_entries_for_a_verdict_are_whole_phrases_or_words_in_like_places(
    answer, model, verdict, expected
):
    # What is opposed twice means the same; what stands beside the same word is told apart.
    text = f'answers-students "{answer}" | "{model}" | "Why?": verdict {verdict}'
    example = read_example(text)
    solved = shared_system("answers-students").solve(answer, model, tokens=True)
    edits = proposals({example: Writer(solved, example.claim)})
    assert [edit.text.partition("\t")[0] for edit in edits] == expected.split("; ")


@cases("""
answer | model | point | state | expected
it halts the motor | It lets the motor run. | lets the motor run. | contradicted | halt <> let
it is heavy for dogs | It is dense for dogs | is dense | missing
    :- lemma(1,_,"heavy"), lemma(2,I,"dense").
The dog complains | The cow sleeps; the dog barks | the dog barks | found | complain = bark
""")
def test_a_point_of_a_model_answer_is_claimed(answer, model, point, state, expected):
    system = shared_system("default")
    claims = (f'point "{point}" {name}' for name in POINT_STATES)
    examples = [read_example(f'"{answer}" | "{model}" | "What?": {claim}') for claim in claims]
    records = judged(system, examples)
    held = [at.claim.value for at, of in zip(examples, records, strict=True) if not of["failures"]]
    assert (len(held), state in held) == (1, False)
    found = fix(system, [examples[POINT_STATES.index(state)]])
    assert any(expected in edit.proposal.text for edit in found.proposals)


def test_edits_for_feedback_are_measured_by_graded_answers():
    example = read_example(
        '"It is toxic" | "It is poisonous" | "Why?": point "is poisonous" missing'
    )
    found = fix(shared_system("default"), [example])
    assert (found.graded, found.refused, found.proposals) == (True, "harms", ())
    # One of these calls poisonous what its model answer calls toxic.
    assert "it would make 0 better, 1 worse (m658):" in found.lacking[0]


def test_an_edit_is_written_beside_others_and_taken_back(good, bad, tmp_path):
    claim = '"pints" ~ "quarts" not aligned'
    asked = ("fix", *MILK, claim, "--profile", "headlines", "--reader", "none", "-q")
    record = json.loads(good(*asked, "--json"))
    assert (record["held"], record["pairs"]) == (False, 10)
    (folder := tmp_path / "fixes").mkdir()
    (folder / "pint_quart_2.lp").symlink_to(tmp_path / "outside")
    for name in ("", "_3", ""):
        file = folder / f"pint_quart{name}.lp"
        file.unlink(missing_ok=True)
        good(*asked, "--apply", "1")
        assert file.read_text().partition("\n")[2] == record["proposals"][0]["proposal"]["text"]
    # What was written last goes first, and nothing went through the link.
    good("fix", "--undo")
    assert sorted(path.name[-6:] for path in folder.iterdir()) == ["t_2.lp", "t_3.lp"]
    assert not (tmp_path / "outside").exists()
    left = next(folder.glob("*_3.lp"))
    written = left.read_text()
    left.write_text(written + "% mine\n")
    assert "_3.lp: somebody has edited this file since" in bad(1, "fix", "--undo")
    left.write_text(written)
    good("fix", "--undo")
    assert bad(1, "fix", "--undo") == "fixes: no file here was written by fix --apply"
    assert "--apply: there is no edit 9; expected 1 to" in bad(2, *asked, "--apply", "9")


def test_what_holds_is_said_and_where_nothing_helps_what_lacks(run, good, bad):
    options = ("--profile", "headlines", "--reader", "none", "-q")
    held = good("fix", *MILK, '"of milk" ~ "of milk" aligned', *options)
    assert held.endswith("The claim holds already.\n")
    # Sentences are tokenised as by other commands, unless a claim has words as they are given.
    for claim in ('"of milk" ~ "of milk" aligned', '"of milk." ~ "of milk." aligned'):
        ends = good("fix", *(f"{sentence}." for sentence in MILK), claim, *options)
        assert ends.endswith("The claim holds already.\n")
    lacking = run("fix", *MILK, 'says "a dog"', *options)
    assert lacking.exit_code == 1
    assert 'None of 1 edits makes says "a dog" hold.' in lacking.stdout
    marks = run("fix", "!!!", "Paris", "verdict correct", "--reader", "none", "-q")
    assert (marks.exit_code, "None of 0 edits makes" in marks.stdout) == (1, True)
    assert "2 arguments; expected two sentences and a claim" in bad(2, "fix", *MILK)


def test_an_edit_that_breaks_a_shipped_example_is_never_first():
    sentences = "A dog sleeps here", "A cat sleeps here"
    _, found = _fixed("default", *sentences, '"A dog" ~ "A cat" EQUI')
    assert found.tried > len(found.proposals) == 0
    assert (found.refused, found.contradicting) == ("breaks", ())
    assert all(text.startswith("it would break ") for text in found.lacking)
    assert any('"A dog" ~ "A cat" SIMI' in text for text in found.lacking)


def test_wrong_decisions_of_gold_pairs_become_claims():
    system = shared_system("headlines")
    answer = system.solve(*MILK, tokens=True)
    lines = {line.tokens1: line for line in answer.alignments}
    lines[3, 4] = replace(lines[3, 4], label=Label.SIMI, score=3.0)
    lines[5, 6] = Alignment((5, 6), (), Label.NOALI, None)
    others = [Alignment((), (5, 6), Label.NOALI, None)]
    gold = Reference(replace(answer.pair, id="milk"), (*lines.values(), *others))
    claims = [example.text.rpartition(": ")[2] for example in wrong_decisions(answer, gold, "es")]
    assert claims == ['"500 pints" ~ "500 quarts" SIMI', '"of milk" ~ "of milk" not aligned']
    found = fix_many(system, {"milk": gold})
    assert (found.wrong, found.held) == (2, False)
    # Words that both sides have make no rule.
    assert [(one.better, one.worse, one.changed) for one in found.proposals] == [(1, 0, ("milk",))]
