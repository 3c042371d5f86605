"""Every predicate of ``asp/`` and ``lp_rules/``, with what its arguments are called there."""

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

from clingo.ast import ASTType, parse_string

from ists_asp.resources import asp_dir, rules_dir
from ists_asp.syntax.trees import functions, walk

_INCLUDE = re.compile(r'#include "[^"]*"\.')
_TABLES = "weights"
"""The folder of files that hold facts of one predicate and nothing else."""


class Predicate(NamedTuple):
    """A predicate with the usual names of its arguments, ``_`` for those that have none."""

    name: str
    arguments: tuple[str, ...]
    core: bool
    """Whether ``asp/`` mentions it."""


@cache
def vocabulary():
    """All predicates, sorted by name and arity."""
    names = {}
    core = set()
    for root in (asp_dir(), rules_dir()):
        for path in sorted(root.rglob("*.lp")):
            if path.parent.name == _TABLES:
                continue
            for name, arguments in _atoms(path.read_text("utf-8")):
                key = name, len(arguments)
                counts = names.setdefault(key, [Counter() for _ in arguments])
                for count, argument in zip(counts, arguments, strict=True):
                    count[argument] += bool(argument)
                if root == asp_dir():
                    core.add(key)
    return tuple(
        Predicate(name, tuple(_usual(count) for count in counts), (name, arity) in core)
        for (name, arity), counts in sorted(names.items())
    )


def _atoms(text):
    """The name of each atom, and its arguments as far as they are variables."""
    nodes = []
    parse_string(_INCLUDE.sub("", text), nodes.append)
    for node in nodes:
        if node.ast_type in (ASTType.Defined, ASTType.ShowSignature):
            yield node.name, [""] * node.arity
        elif node.ast_type is not ASTType.Comment:
            for part in walk(node):
                if part.ast_type is ASTType.SymbolicAtom:
                    for atom in functions(part.symbol):
                        yield atom.name, [_variable(term) for term in atom.arguments]


def _variable(term):
    return term.name.strip("_") if term.ast_type is ASTType.Variable else ""


def _usual(count):
    names = +count
    return min(names, key=lambda name: (-names[name], name)) if names else "_"
