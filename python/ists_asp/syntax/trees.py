"""Clingo's syntax trees: walking them, what is known of them, and small changes to them."""

from __future__ import annotations

import atexit
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, wraps
from itertools import count
from typing import Concatenate, NamedTuple, ParamSpec, TypeAlias, TypeVar

import clingo
from clingo import Number, Symbol, ast
from clingo.ast import AST, ASTSequence, ASTType, Literal, Sign, SymbolicAtom, parse_string

from ists_asp.syntax.ground import split

_MEMORY = 1 << 14  # trees that are remembered: to look into one takes thousands of calls
_MOST = 1 << 13  # objects that are remembered: some programs have a thousand statements
STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_WORD = re.compile(rf'(?:[^\s"]|{STRING.pattern})++')
_NAME = re.compile(r"_*[a-z][\w']*")
_ATOM = re.compile(rf"(-?)({_NAME.pattern})(?:\((.*)\))?([;:,.]?)", re.DOTALL)
_COMPARISONS = ("=", "!=", "<", ">", "<=", ">=")
_GUARDS = [[sign] for sign in _COMPARISONS]
_NO_ATOM_AFTER = (*_COMPARISONS, "#show", "#program")
_APART = re.compile(r"; |:[-~] |\. (?=\[)")  # where a literal of a statement begins, or its weight
_VARIABLE = re.compile(r"(?<![\w'])_*[A-Z][\w']*")

AtomWord: TypeAlias = "re.Match[str]"  # its sign, name, what its brackets hold, what follows

_Thing = TypeVar("_Thing")
_Result = TypeVar("_Result")
_Options = ParamSpec("_Options")


def cached_by_identity(
    compute: Callable[Concatenate[_Thing, _Options], _Result],
) -> Callable[Concatenate[_Thing, _Options], _Result]:
    """Work something out once about an object and options that can be hashed.

    Objects are told apart by identity: clingo takes statements of different places for equal. Files
    are parsed once in a process, so that rule sets share the statements of the files they share.
    """
    cache: dict[object, tuple[_Thing, _Result]] = {}
    # At the very end of a process clingo is gone before its syntax trees.
    atexit.register(cache.clear)

    @wraps(compute)
    def recall(thing: _Thing, /, *args: _Options.args, **kwargs: _Options.kwargs) -> _Result:
        key = id(thing), args, *kwargs.items()
        entry = cache.get(key)
        if entry is None:
            if len(cache) >= _MOST:
                cache.clear()
            # The object is kept, too, so that no other gets its identity.
            cache[key] = entry = thing, compute(thing, *args, **kwargs)
        return entry[1]

    return recall


text_of = cached_by_identity(str)  # clingo takes long to write a tree


def parse(text: str) -> list[AST]:
    """The statements of a text, without ``#program base.``, which the parser puts before them."""
    nodes: list[AST] = []
    parse_string(text, nodes.append)
    return nodes[1:]


def walk(node: AST) -> Iterator[AST]:
    """A syntax tree and all trees in it, from the outside in, however deep."""
    open_ = [iter((node,))]
    while open_:
        for part in open_[-1]:
            yield part
            open_.append(children(part))
            break
        else:
            open_.pop()


def children(node: AST) -> Iterator[AST]:
    """The trees right below the root of a syntax tree."""
    kind = node.ast_type
    keys = _child_keys.get(kind)
    if keys is None:
        # The same for all trees of a kind, and slow to ask for.
        keys = _child_keys[kind] = tuple(node.child_keys)
    for key in keys:
        child = getattr(node, key)
        if isinstance(child, ASTSequence):
            yield from (part for part in child if isinstance(part, AST))
        elif isinstance(child, AST):
            yield child


_child_keys: dict[ASTType, tuple[str, ...]] = {}


class Signature(NamedTuple):
    """A predicate: its name and how many arguments it has. ``-p`` counts as ``p``."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


def signature(symbol: Symbol) -> Signature:
    """The predicate of an atom."""
    return Signature(symbol.name, len(symbol.arguments))


def functions(symbol: AST) -> Iterator[AST]:
    """The functions ``p(...)`` that a symbolic atom's term stands for: several in a pool."""
    if symbol.ast_type is ASTType.UnaryOperation:
        yield from functions(symbol.argument)
    elif symbol.ast_type is ASTType.Pool:
        for argument in symbol.arguments:
            yield from functions(argument)
    else:
        yield symbol


def atoms(node: AST) -> Iterator[AST]:
    """The terms ``p(...)`` of all atoms in a syntax tree, in their order."""
    open_ = [node]
    while open_:
        part = open_.pop()
        if part.ast_type is ASTType.SymbolicAtom:
            yield from functions(part.symbol)
        else:
            open_ += [*children(part)][::-1]


def words(text: str) -> list[str]:
    """The words of a statement as clingo writes it: blanks stand between literals, not in terms."""
    return _WORD.findall(text)


def words_of_atoms(words: Sequence[str]) -> Iterator[tuple[int, AtomWord, bool]]:
    """The atoms among words: the number of each, its parts, and whether it is a positive literal.

    The parts are a sign, the name, what its brackets hold, and what follows. No theory atoms.
    """
    in_body = braces = in_terms = False
    before = opened_by = ""
    for number, word in enumerate(words):
        if word == "{":
            braces, opened_by = True, before[:1]
            in_terms = opened_by in ("#", "&")
        elif word[0] == "}":
            # Behind the elements of a theory atom are terms.
            braces, in_terms = False, opened_by == "&" and word == "}"
        elif in_terms:
            in_terms = word[-1] != ":" if braces else word[-1] not in ";." and word != ":-"
        else:
            match = None if word == "not" or before in _NO_ATOM_AFTER else _ATOM.fullmatch(word)
            if match and (match[4] or words[number + 1 : number + 2] not in _GUARDS):
                alone = in_body and not braces and before[-1] in "-~;" and match[4] in ";."
                yield number, match, alone
            in_terms = braces and opened_by in ("#", "&") and word[-1] == ";"
        in_body = in_body or word in (":-", ":~")
        before = word


def signatures(atom: AtomWord) -> set[Signature]:
    """The predicates of one of the words of atoms: several in a pool."""
    arities = [len(split(part)) for part in split(atom[3] or "", ";")] or [0]
    return {Signature(atom[2], arity) for arity in arities}


def function(term: str) -> tuple[str, Sequence[str]] | None:
    """Name and arguments of a function, or of a tuple, without a name; None for other terms."""
    name, bracket, inside = term.removesuffix(")").partition("(")
    if not bracket or (name and not _NAME.fullmatch(name)) or len(split(inside, ";")) > 1:
        return None
    arguments = split(inside.removesuffix(","))
    return (name, arguments) if name or len(arguments) != 1 or inside[-1] == "," else None


def written(name: str, arguments: Sequence[str]) -> str:
    """An atom as text."""
    return f"{name}({','.join(arguments)})" if arguments else name


def is_symbol(term: str) -> bool:
    """Whether a term is a number, a string or a name."""
    return term[0] in '"#' or term.isdecimal() or _NAME.fullmatch(term) is not None


def signed_atom(literal: AST) -> tuple[int, str] | None:
    """How often a literal says ``not``, and its atom; None if it is no symbolic atom."""
    *signs, atom = words(str(literal))
    if not _ATOM.fullmatch(atom) or any(word != "not" for word in signs):
        return None
    # A condition that is empty is not written.
    return (len(signs), atom) if literal.ast_type is ASTType.Literal else None


@lru_cache(_MEMORY)
def predicates(node: AST) -> frozenset[Signature]:
    """All predicates of the atoms in a literal, a head or a statement."""
    atoms = words_of_atoms(words(str(node)))
    return frozenset().union(*(signatures(atom) for _, atom, _ in atoms))


def reached(edges: Mapping[_Thing, set[_Thing]], *start: _Thing) -> set[_Thing]:
    """The nodes that edges lead to from some, and these."""
    reached, queue = {*start}, [*start]
    while queue:
        queue += (more := edges.get(queue.pop(), set()) - reached)
        reached |= more
    return reached


def head_elements(head: AST) -> Iterator[tuple[AST, Sequence[AST]]]:
    """The literals that a head derives or chooses from, each with its condition."""
    if head.ast_type is ASTType.Literal:
        yield head, ()
    elif head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        for element in head.elements:
            yield element.literal, element.condition
    elif head.ast_type is ASTType.HeadAggregate:
        for element in head.elements:
            yield element.condition.literal, element.condition.condition


@lru_cache(_MEMORY)
def derived(head: AST) -> frozenset[Signature]:
    """The predicates that a head derives, without those of its conditions."""
    if head.ast_type is ASTType.TheoryAtom:
        return predicates(head)
    literals = (literal for literal, _ in head_elements(head))
    return frozenset(name for literal in literals for name in predicates(literal))


def is_fact(node: AST) -> bool:
    """Whether a statement is a fact, pools and intervals included."""
    return derives_atom(node) and not node.body


@lru_cache(_MEMORY)
def derives_atom(node: AST) -> bool:
    """Whether a statement is a rule for an atom, rather than for a choice or a constraint."""
    if node.ast_type is not ASTType.Rule or node.head.ast_type is not ASTType.Literal:
        return False
    head = node.head
    # The head of `not p :- q.` says no more than `:- q, p.`
    return head.sign == Sign.NoSign and head.atom.ast_type is ASTType.SymbolicAtom


def is_constraint(node: AST) -> bool:
    """Whether a statement is ``:- body.``, without a head."""
    head = node.head if node.ast_type is ASTType.Rule else None
    return (
        head is not None
        and head.ast_type is ASTType.Literal
        and head.atom.ast_type is ASTType.BooleanConstant
        and not head.atom.value
    )


PREFIX = "__"  # the beginning of generated names of predicates and variables; rules may not use it
ANY = f"{PREFIX}any"
"""Stands for ``_`` in a negative literal, where it means that there is nothing at all."""

_OFF = "_rule_is_off"  # the name of switches; as a private name it is in no file of rules
PROBE = Signature("_rule_would_fire", 1)
_NAMES = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|(?<![A-Za-z0-9_'])_*[A-Z][A-Za-z0-9_']*)")

_NAMELESS = re.compile(r"\.\.|\b_\b")  # intervals and anonymous variables in a literal's text


def is_atom(literal: AST, sign: Sign | None = None) -> bool:
    """Whether a body literal is a symbolic atom, with this sign if one is given."""
    return (
        literal.ast_type is ASTType.Literal
        and literal.atom.ast_type is ASTType.SymbolicAtom
        and (sign is None or literal.sign == sign)
    )


def atom(place: ast.Location, name: str, arguments: Sequence[AST]) -> AST:
    """The literal ``name(arguments)``."""
    return Literal(place, Sign.NoSign, SymbolicAtom(ast.Function(place, name, arguments, 0)))


def tuple_of(place: ast.Location, parts: Iterable[AST]) -> AST:
    """The term ``(parts)``."""
    return ast.Function(place, "", list(parts), 0)


def names(node: AST) -> Iterator[str]:
    """All names of predicates, functions and variables in a syntax tree."""
    for part in walk(node):
        if part.ast_type in (ASTType.Function, ASTType.Variable):
            yield part.name


def variable_names(node: AST, *, local: bool = False) -> set[str]:
    """The variables of a tree; those of conditions and aggregate elements only if ``local``."""
    text = STRING.sub("0", str(node))
    if not local:
        parts = _APART.split(re.sub(r"\{.*?\}", "", text))
        text = " ".join(part for part in parts if not re.search(r"\S: ", part))
    return {*_VARIABLE.findall(text)}


def rename(node: AST, new: Mapping[str, str]) -> AST:
    """A syntax tree with other names for its variables and predicates."""
    return _Renamer(new).visit(node)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Text of a rule with values for its variables; strings in it stay as they are."""
    parts = _split(text)
    return "".join(
        values[part] if number % 2 and part in values else part for number, part in enumerate(parts)
    )


_split = lru_cache(1 << 12)(_NAMES.split)
"""Text cut into what stays as it is, and between that variables and strings."""


def off(number: int) -> Symbol:
    """The atom that says that a rule with a switch does not fire."""
    return clingo.Function(_OFF, [Number(number)])


def switched(rule: AST, number: int) -> AST:
    """A rule, constraint or ``#minimize`` with a switch: it fires unless :func:`off` holds."""
    place = rule.location
    atom = ast.Function(place, _OFF, [ast.SymbolicTerm(place, Number(number))], 0)
    return rule.update(body=[*rule.body, Literal(place, Sign.Negation, SymbolicAtom(atom))])


def probe(rule: AST, number: int, switch: int) -> AST:
    """A rule with a switch for an atom of :data:`PROBE` where the body of another one holds."""
    number_ = ast.SymbolicTerm(rule.location, Number(number))
    return switched(rule.update(head=atom(rule.location, PROBE.name, [number_])), switch)


def switches(count: int = 0) -> AST:
    """The declaration of switches: as facts of pairs or, with a count, as externals from 1."""
    return parse(f"#external {_OFF}(1..{count})." if count else f"#defined {_OFF}/1.")[0]


class Lifter(ast.Transformer):
    """Names intervals and anonymous variables in atoms; ``extra`` gets ``Name = 1..3``."""

    def __init__(self) -> None:
        self._number = count(1)
        self._anonymous = True
        self.extra: list[AST] = []

    def positive(self, literal: AST, *, anonymous: bool = True) -> AST:
        """Name intervals and anonymous variables in an atom."""
        self._anonymous = anonymous
        return self.visit(literal) if _NAMELESS.search(str(literal)) else literal

    def literal(self, literal: AST) -> AST:
        """Name what has no name in a literal, if it is one with a symbolic atom."""
        if not _NAMELESS.search(str(literal)) or not is_atom(literal):
            return literal
        # In a negated atom _ means something else.
        return self.positive(literal, anonymous=literal.sign == Sign.NoSign)

    def name(self, place: ast.Location) -> AST:
        """A new variable."""
        return ast.Variable(place, f"{PREFIX}V{next(self._number)}")

    def take(self) -> list[AST]:
        """The comparisons since this was last called."""
        comparisons, self.extra = self.extra, []
        return comparisons

    def visit_Interval(self, node: AST) -> AST:  # noqa: D102, N802 (the name that clingo calls)
        name = self.name(node.location)
        comparison = ast.Comparison(name, [ast.Guard(ast.ComparisonOperator.Equal, node)])
        self.extra.append(Literal(node.location, Sign.NoSign, comparison))
        return name

    def visit_Variable(self, node: AST) -> AST:  # noqa: D102, N802
        return self.name(node.location) if self._anonymous and node.name == "_" else node


class _Renamer(ast.Transformer):
    def __init__(self, new: Mapping[str, str]) -> None:
        self._new = new

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        return node.update(name=self._new.get(node.name, node.name))

    def visit_Function(self, node: AST) -> AST:  # noqa: N802
        return node.update(name=self._new.get(node.name, node.name), **self.visit_children(node))

    visit_Defined = visit_ShowSignature = visit_ProjectSignature = visit_Variable  # noqa: N815
