"""What every shipped rule file keeps to, so that people and other programs can rely on it."""

import pytest
from clingo.ast import ASTType

from ists_asp.resources import rules_dir
from ists_asp.rules.check import check_rules
from ists_asp.rules.directives import variables
from ists_asp.syntax.trees import predicates


@pytest.fixture(scope="module")
def checked():
    return check_rules([rules_dir()], machine=True)


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
