"""Sets, weights and labels: statements that reach further, or less far, than they seem to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from clingo.ast import AST, AggregateFunction, ASTType, Sign

from ists_asp.rules.check.model import Checked, Finding
from ists_asp.syntax.trees import is_atom, variable_names, walk

_LONG = re.compile(r"(?<![\w'])[A-Z][\w']+")  # variables of more than a letter
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)


def check_scope(checked: Checked) -> Iterator[Finding]:
    """Look for weights that count once, sets that run over everything."""
    for statement in checked.statements:
        rule = statement.rule
        if statement.node.ast_type not in (ASTType.Rule, ASTType.Minimize):
            continue
        for found, hint in (*_once(statement.node), *_loose(statement.node)):
            code = "counted-once" if found.startswith("all") else "loose-set"
            yield checked.finding(code, statement, found, hint, rule.name)
        written = Counter(_LONG.findall(_STRING.sub('""', rule.text)))
        for name in (name for name, times in written.items() if times == 1):
            if f"{{{name}}}" not in (rule.sentence or ""):
                told = f"{name} stands only once in this rule, as a variable that matches anything"
                hint = f'Correct its spelling, or write "{name.lower()}" for a word, or _'
                yield checked.finding("variable", statement, told, hint, rule.name)


def unsafe_inside(node: AST, name: str) -> str:
    """Where a variable has a value only inside a condition or set of a body, if it has one."""
    for part in chain.from_iterable(map(walk, getattr(node, "body", ()))):
        inside = part.ast_type in (ASTType.ConditionalLiteral, ASTType.BodyAggregateElement)
        for one in part.condition if inside else ():
            if is_atom(one, Sign.NoSign) and name in variable_names(one):
                before = getattr(part, "literal", None)
                limit = f"only {before} belongs to it" if before else "it is not known outside"
                return f"{name} has a value only in the condition of {part}, and {limit}"
    return ""


def _once(node: AST) -> Iterator[tuple[str, str]]:
    """Weights that all cases of a condition share: what was found, and what to do."""
    if node.ast_type is ASTType.Minimize:
        told = set[str]().union(*map(variable_names, (node.weight, *node.terms)))
        found = sorted(set[str]().union(*map(variable_names, node.body)))
        if found and not told:
            weight = f"{node.weight}@{node.priority}"
            hint = f"Tell the cases apart: {','.join([weight, *found])}"
            yield f"all cases together count once: {weight} has none of the variables", hint
        return
    for part in chain.from_iterable(map(walk, node.body)):
        adds = part.ast_type is ASTType.BodyAggregate and part.function in _SUMS
        for element in part.elements if adds else ():
            first, *others = element.terms
            more = set[str]().union(*map(variable_names, element.condition))
            loose = sorted(more - variable_names(first) - _outside(node, part))
            if loose and not others:
                hint = f"Tell the cases apart: {','.join([str(first), *loose])} : …"
                yield f"all cases of the same {first} count once in this sum", hint


def _outside(node: AST, part: AST) -> set[str]:
    """The variables of a rule that have a value outside one of its sets."""
    literals = [one for one in node.body if part not in (one, getattr(one, "atom", None))]
    return set[str]().union(*map(variable_names, (node.head, *literals)))


def _loose(node: AST) -> Iterator[tuple[str, str]]:
    """Sets whose members seem to be about one thing, and are about any."""
    for part in (getattr(one, "atom", one) for one in getattr(node, "body", ())):
        if part.ast_type is ASTType.Aggregate:
            elements = [variable_names(one, local=True) for one in part.elements]
            names = set[str]().union(*elements) - _outside(node, part)
            if common := sorted(one for one in names if sum(one in each for each in elements) > 1):
                told = " and ".join(common)
                yield (
                    f"this set runs over all {told} together: nothing outside it has {told}",
                    f"Add an atom with {told} to the body, such as aligned({','.join(common)})",
                )
