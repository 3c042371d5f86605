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

from clingo.ast import AST, ASTType, Function, ProjectSignature, Rule, Sign, Transformer, Variable
from msgspec import convert, to_builtins

from ists_asp import vocabulary as v
from ists_asp.resources import asp_dir
from ists_asp.rules.loader import RuleSet
from ists_asp.solver.grounder import KINDS, NAMING, PreparedRules
from ists_asp.solver.statements import Shape, Shapes, of_core, quick
from ists_asp.syntax import trees
from ists_asp.syntax.trees import PREFIX, Signature, atom, is_atom, parse, predicates

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
COST = f"{OWN}cost"  # ``____cost(P,Priority,Weight,Tuple)``: an element of the objective of pair P
# ``____priority(P,Priority)``: some element of the objective of pair P has this priority.
PRIORITY = f"{OWN}priority"
_OBJECTIVE = f"""
#minimize{{ W@N,P,T : {COST}(P,N,W,T) }}.
{PRIORITY}(P,N) :- {COST}(P,N,_,_).
#show {COST}/4.
"""
_PRIORITIES = f"{PRIORITY}(P,N) :- {PREFIX}{OBJECTIVE_PRIORITY}(P,N)."
_VARIABLE = "__Pair"


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
    slow = {id(node) for node, text in written if quick(node) == text}  # those without recursion
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
    if (
        not quickly
        and PREFIX not in own
        and parse(own) == [node]
        and (plain := _plain(own, tables))
    ):
        return plain
    theory = "&" in own and any(part.ast_type is ASTType.TheoryAtom for part in trees.walk(node))
    if theory or (PREFIX in own and any(name.startswith(PREFIX) for name in trees.names(node))):
        return ""
    rewritten = Pairing(tables).both(node)
    text = "\n".join(map(str, rewritten))
    if parse(text) != rewritten:
        return ""
    return quick(rewritten[0]) if quickly else text


_NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_ATOM = re.compile(rf"((?:not )*-?)(_*[a-z][\w']*)(?:\(((?:[^();]|{_NESTED})+)\))?")
# What rules of atoms and comparisons have not, and what their strings may not have here.
_ODD, _INSIDE = re.compile(r"[#{}:&|@[]"), re.compile(r"[^\w\s-]")


def _plain(rule: str, tables: Set[Signature]) -> str | None:
    """A rule of atoms and comparisons rewritten as text, in a tenth of the time, or None."""
    head, _, body = rule[:-1].partition(" :- ")
    strings = "".join(text[1:-1] for text in trees.STRING.findall(rule))
    if _ODD.search(head.removeprefix("#false") + body) or _INSIDE.search(strings):
        return None
    literals, about, bound = list[str](), False, False
    for literal in filter(None, (head, *body.split("; "))):
        if match := _ATOM.fullmatch(literal):
            sign, name, inside = match.groups()
            arity = 0 if inside is None else re.sub(_NESTED, "", inside).count(",") + 1
            if Signature(name, arity) not in tables:
                about, bound = True, bound or (bool(literals) and not sign.startswith("not"))
                literal = f"{sign}{PREFIX}{name}({','.join(filter(None, (_VARIABLE, inside)))})"
        elif literal != "#false" and not re.search("[=<>]", literal):
            return None
        literals.append(literal)
    literals += [f"{PAIR}({_VARIABLE})"] * (about and not bound)
    return f"{literals[0]} :- {'; '.join(literals[1:])}." if about else rule


class Pairing(Transformer):
    """Adds the number of the pair to all atoms but those of tables, which do not depend on it."""

    def __init__(self, tables: Set[Signature]) -> None:
        self._tables = tables

    def statement(self, node: AST) -> AST:
        """Rewrite a statement of one of the known kinds."""
        if node.ast_type is ASTType.Minimize:
            return self._cost(node)
        if node.ast_type is ASTType.Rule:
            if predicates(node) <= self._tables:
                return node
            return node.update(head=self.visit(node.head), body=self._body(node))
        fixed = node.ast_type is ASTType.Definition or not node.name
        if fixed or Signature(node.name, node.arity) in self._tables:
            return node
        return node.update(name=PREFIX + node.name, arity=node.arity + 1)

    def text(self, rule: str) -> str:
        """The text of a rule rewritten."""
        return _plain(rule, self._tables) or str(self.statement(*parse(rule)))

    def both(self, node: AST) -> list[AST]:
        """A statement rewritten; if it shows a predicate, with one that projects to it."""
        # Only what is shown makes answer sets different.
        rewritten = self.statement(node)
        if rewritten.ast_type is not ASTType.ShowSignature or not rewritten.name:
            return [rewritten]
        named = rewritten.location, rewritten.name, rewritten.arity, rewritten.positive
        return [rewritten, ProjectSignature(*named)]

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802 (the name that clingo calls)
        """Rewrite an atom."""
        return node.update(symbol=self._symbol(node.symbol))

    def _symbol(self, symbol: AST) -> AST:
        if symbol.ast_type is ASTType.UnaryOperation:
            return symbol.update(argument=self._symbol(symbol.argument))
        if symbol.ast_type is ASTType.Pool:
            return symbol.update(arguments=[self._symbol(part) for part in symbol.arguments])
        if Signature(symbol.name, len(symbol.arguments)) in self._tables:
            return symbol
        arguments = [Variable(symbol.location, _VARIABLE), *symbol.arguments]
        return symbol.update(name=PREFIX + symbol.name, arguments=arguments)

    def _body(self, node: AST) -> list[AST]:
        """The body of a statement, with an atom in it that says which pair it is about."""
        body = [self.visit(part) for part in node.body]
        if not any(
            is_atom(part, Sign.NoSign) and self._tables.isdisjoint(predicates(part.atom))
            for part in node.body
        ):
            body.append(atom(node.location, PAIR, [Variable(node.location, _VARIABLE)]))
        return body

    def _cost(self, node: AST) -> AST:
        place = node.location
        rest = Function(place, "", node.terms, 0)
        arguments = [Variable(place, _VARIABLE), node.priority, node.weight, rest]
        return Rule(place, atom(place, COST, arguments), self._body(node))
