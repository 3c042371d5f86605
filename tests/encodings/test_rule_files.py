"""What every shipped rule file keeps to, so that people and other programs can rely on it."""

import pytest
from clingo.ast import ASTType

from ists_asp.resources import data_dir, rules_dir
from ists_asp.rules.check import check_rules
from ists_asp.rules.check.domains import CLASSES
from ists_asp.rules.directives import variables
from ists_asp.syntax.trees import predicates


@pytest.fixture(scope="module")
def checked():
    return check_rules([rules_dir()], machine=True)


@pytest.mark.always
@pytest.mark.slow
def test_the_shipped_rules_have_nothing_that_rules_check_finds(checked):
    """Names, private predicates, pooled negation and the rest; for users, too."""
    assert [str(one) for one in checked[1] if one.kind != "unweighed"] == []


def test_all_files_of_the_machine_and_of_the_rules_were_looked_at(checked):
    looked_at = {checked[0].name(path) for path in checked[0].own}
    assert {"asp/align.lp", "lp_rules/labels/words.lp", "lp_rules/weights/english.lp"} <= looked_at
    # All but asp/settled.lp, which takes the place of rules of other files.
    assert len(looked_at) + 1 == sum(
        len(list(folder.rglob("*.lp"))) for folder in (rules_dir(), rules_dir().parent / "asp")
    )


def test_all_evidence_is_weighed(checked):
    """By a profile, or what a rule derives from it is: often(maybe_verb)."""
    names = [one.subject for one in checked[1] if one.kind == "unweighed"]
    assert names == ["maybe_verb_here"]


def test_rule_files_are_readable(checked):
    """Short lines but for tables and weights; a private name has one arity and one file."""
    private = {}
    for file in checked[0].own:
        nodes = [statement.node for statement in checked[0].by_file[file]]
        plain = [n for n in nodes if n.ast_type is ASTType.Rule and not variables(n)]
        table = {
            line
            for at in (node.location for node in plain)
            for line in range(at.begin.line, at.end.line + 1)
        }
        if file.parent.name not in ("weights", "confidence"):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                assert len(line) <= 120 or number in table, f"{file}:{number}"
        for name, arity in set().union(*(predicates(node) for node in nodes)):
            if name.startswith("_"):
                assert private.setdefault(name, arity) == arity, (file, name)
    assert len(private) > 500


def _constants(checked, of, arity, at):
    """The constants that shipped rules derive as an argument of a predicate, and its tables."""
    return {
        str(atom.arguments[at])
        for found in checked[0].atoms.values()
        for _, read in found
        for atom in read.derived
        if atom.key == (of, arity) and str(atom.arguments[at]).isidentifier()
        if str(atom.arguments[at])[0].islower()
    }


def test_what_is_shipped_is_not_taken_for_ones_own(checked):
    """Kinds of likeness and reasons for EQUI that are not listed mean the same in explanations."""
    kinds = _constants(checked, "alike", 4, 2)
    assert len(kinds) > 20
    assert kinds <= _constants(checked, "kind_of_likeness", 1, 0)
    reasons = {
        str(atom.arguments[3])
        for found in checked[0].atoms.values()
        for _, read in found
        for atom in read.derived
        if atom.key == ("licensed", 4) and str(atom.arguments[2]) == "equi"
    }
    assert reasons
    assert reasons <= _constants(checked, "_presumed", 1, 0)


def test_classes_are_those_of_the_lexicon():
    lines = (data_dir() / "lexicon" / "classes.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    assert {row[0] for row in rows} == set(CLASSES)
