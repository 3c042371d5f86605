"""Rules for a pair rewritten to rules for several pairs at a time.

Each predicate that depends on the pair gets the pair's number as its first argument and a new
name, ``__name``. What ``#minimize`` and ``#maximize`` count becomes ``____cost/4``: number of the
pair, priority, weight and the rest of the tuple as one term. Authors of rules see none of this;
names that begin with ``__`` are reserved for it.

An aligned pair has the label that weighs most, and the score nearest to what it is worth with
that label. ``asp/label.lp`` and ``asp/score.lp`` say so by choices and an objective, which is
what a trace explains and what rules of a user may restrain. Where no such rule speaks of labels
or scores, ``asp/settled.lp`` finds the same while grounding, and takes the place of the choices.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial

from clingo.ast import AST, ASTType
from msgspec import convert, to_builtins

from ists_asp import vocabulary as v
from ists_asp.resources import asp_dir
from ists_asp.rules.loader import RuleSet
from ists_asp.solver.grounder import KINDS, NAMING, PreparedRules
from ists_asp.solver.statements import Names, Shape, Shapes, of_core, quick
from ists_asp.syntax import trees
from ists_asp.syntax.ground import split
from ists_asp.syntax.trees import PREFIX, Signature, parse

# ``_objective_priority(N)``: the objective has a value for this priority.
OBJECTIVE_PRIORITY = "_objective_priority"
_FILE = "settled.lp"
_REPLACED = {
    *("one_label", "one_label_unproposed", "closeness", "one_score"),
    *("distance_of_score", "score_weight", "nearest_score"),
}
"""The rules of the core encoding that say the same by choices."""

_RESTRAINED = frozenset(
    name.signature for name in (v.LABEL, v.SCORE, v.CLOSENESS, v.SCORE_WEIGHT, v.FORBIDDEN_SCORE)
)
"""Predicates that no other rule may use."""


def settled_text() -> str:
    """The rules that take the place of the choices."""
    return (asp_dir() / _FILE).read_text("utf-8")


def settle(rules: RuleSet, program: PreparedRules, shapes: Shapes) -> tuple[AST, ...] | None:
    """The statements with settled labels and scores; None if some rule may restrain them."""
    settled = parse(settled_text())
    # Somebody may have given a predicate of their own the name of a private one of this file.
    heads = (trees.derived(node.head) for node in settled if node.ast_type is ASTType.Rule)
    restrained = _RESTRAINED.union(key for keys in heads for key in keys if key.name[0] == "_")
    rules_by_core = zip(rules.statements, rules.rules, of_core(rules), strict=True)
    named = {id(node): (rule.name, ours) for node, rule, ours in rules_by_core}
    remaining: list[AST] = []
    gone: set[str] = set()
    for node in program.statements:
        name, ours = named[id(node)]
        if ours and name in _REPLACED:
            gone.add(name)
        elif ours or not _restrains(shapes.of(node), restrained):
            remaining.append(node)
        else:
            return None
    defined = program.by_predicate.keys()
    if gone != _REPLACED or not defined.isdisjoint({*restrained, v.ALIGNED.signature}):
        return None
    skipped = (ASTType.Comment, ASTType.Program)
    return tuple(node for node in (*remaining, *settled) if node.ast_type not in skipped)


def _restrains(shape: Shape, restrained: Collection[Signature]) -> bool:
    """Whether a statement speaks of labels or scores, or derives alignments."""
    if shape.kind in (ASTType.Defined, ASTType.Definition, ASTType.ShowSignature):
        return False
    return not shape.predicates.isdisjoint(restrained) or v.ALIGNED.signature in shape.derived


# Start of the names that come from no rule: no name of a rule becomes one of them.
OWN = f"{PREFIX}__"
PAIR = f"{OWN}pair"  # ``____pair(P)``: P is the number of a pair
_COST = f"{PREFIX}cost"
# ``____cost(P,Priority,Weight,Tuple)``: an element of the objective of pair P.
COST = f"{PREFIX}{_COST}"
# ``____priority(P,Priority)``: some element of the objective of pair P has this priority.
PRIORITY = f"{OWN}priority"
_OBJECTIVE = f"""
#minimize{{ W@N,P,T : {COST}(P,N,W,T) }}.
{PRIORITY}(P,N) :- {COST}(P,N,_,_).
#show {COST}/4.
"""
_PRIORITIES = f"{PRIORITY}(P,N) :- {PREFIX}{OBJECTIVE_PRIORITY}(P,N)."
_VARIABLE = f"{PREFIX}Pair"
_REFUSED = re.compile(rf"(?<![\w'])(?:{PREFIX}|(?<!\S)&)")


@dataclass(frozen=True)
class Paired:
    """A program for several pairs, and the names of its predicates."""

    text: str
    settled_text: str  # for where only answers are wanted; see settle
    names: frozenset[str]

    @cached_property
    def statements(self) -> list[AST]:
        """Its statements, with choices of labels and scores."""
        return parse(self.text)

    @cached_property
    def settled(self) -> list[AST]:
        """Its statements, without choices where they can do without."""
        return self.statements if self.settled_text == self.text else parse(self.settled_text)


def paired(
    rules: RuleSet, program: PreparedRules, arguments: Sequence[str], shapes: Shapes
) -> Paired | None:
    """Rewrite the rules for a pair to rules for numbered pairs; tables stay as they are.

    None if the rules hold anything that cannot be rewritten with certainty, use a reserved
    name, or show nothing. Where several answer sets are the best, another one might be
    found than for a pair alone: callers must handle that.
    """
    about = [list(arguments), settled_text()]

    def compute() -> object:
        return to_builtins(_paired(rules, program, shapes))

    return convert(rules.memo.recall("pairs", about, compute), Paired | None)


def _paired(rules: RuleSet, program: PreparedRules, shapes: Shapes) -> Paired | None:
    if program.calls or any(name.name.startswith(PREFIX) for name in program.by_predicate):
        return None
    written = ((program.statements[place], text) for place, text in program.written.items())
    slow = {id(node) for node, text in written if quick(node, Names()) == text}  # not recursive
    text = _pair_up(program.statements, program.tables, shapes, slow)
    if text is None:
        return None
    without = settle(rules, program, shapes)
    fewer = without and _pair_up(without, program.tables, shapes, slow)
    shapes.keep()
    all_shapes = [shapes.of(node) for node in program.statements]
    named = {name for shape in all_shapes if shape.kind in NAMING for name in shape.predicates}
    return Paired(
        text,
        f"{fewer}\n{_PRIORITIES}" if fewer else text,
        frozenset(f"{'' if name in program.tables else PREFIX}{name.name}" for name in named),
    )


def _pair_up(
    statements: Sequence[AST], tables: frozenset[Signature], shapes: Shapes, slow: Set[int]
) -> str | None:
    all_shapes = [shapes.of(node) for node in statements]
    kinds = {shape.kind for shape in all_shapes}
    if ASTType.ShowSignature not in kinds or not kinds <= KINDS:
        return None
    texts = []
    for node, shape in zip(statements, all_shapes, strict=True):
        its = shape.predicates & tables
        slowly = id(node) in slow
        options = [slowly, sorted(map(list, its))]
        text = shapes.recall(node, "paired", partial(_text, node, its, slowly), options)
        if not text:
            return None
        texts.append(text)
    return "\n".join([*texts, _OBJECTIVE] if ASTType.Minimize in kinds else texts)


@trees.cached_by_identity
def _text(node: AST, tables: frozenset[Signature], quickly: bool) -> str:
    """A rewritten statement; empty for theory atoms, reserved names, or a different reading."""
    own = str(node)
    if _REFUSED.search(trees.STRING.sub("0", own)) or parse(own) != [node]:
        return ""
    if node.ast_type is ASTType.Rule:
        text = for_pairs(own, tables)
        return quick(parse(text)[0], Names()) if quickly and text else text
    if node.ast_type is ASTType.Minimize:
        terms = ",".join(map(str, node.terms))
        head = f"{_COST}({node.priority},{node.weight},({terms}{',' * (len(node.terms) == 1)}))"
        body = "; ".join(map(str, node.body))
        return for_pairs(f"{head} :- {body}." if body else f"{head}.", tables)
    fixed = node.ast_type is ASTType.Definition or not node.name
    if fixed or Signature(node.name, node.arity) in tables:
        return own
    declared = f"{'' if node.positive else '-'}{PREFIX}{node.name}/{node.arity + 1}."
    if node.ast_type is ASTType.Defined:
        return f"#defined {declared}"
    # Only what is shown makes answer sets different.
    return f"#show {declared}\n#project {declared}"


def for_pairs(rule: str, tables: Set[Signature]) -> str:
    """A rule with the number of the pair in all atoms but those of tables.

    Empty where a pool names a predicate of either kind.
    """
    words = trees.words(rule)
    about = bound = False
    for number, atom, alone in trees.words_of_atoms(words):
        names = trees.signatures(atom)
        if names <= tables:
            continue
        if names & tables:
            return ""
        sign, name, inside, end = atom.groups()
        parts = (",".join(filter(None, (_VARIABLE, part))) for part in split(inside or "", ";"))
        words[number] = f"{sign}{PREFIX}{name}({';'.join(parts) or _VARIABLE}){end}"
        about, bound = True, bound or alone
    if about and not bound:
        # A literal that says which pair it is about.
        words[-1] = words[-1][:-1] + (";" if ":-" in words else " :-")
        words.append(f"{PAIR}({_VARIABLE}).")
    return " ".join(words)
