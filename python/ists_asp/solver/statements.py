"""Statements of a rule set and facts of pairs, on their way to a control object.

What the solver asks about each statement is kept between runs: to look into a syntax tree takes
thousands of calls into clingo, to write it as text takes one. After an edit only statements that
say something new are looked into.

To add a fact takes Python longer than clingo takes to ground it. Where a predicate has many, clingo
fetches them itself, all at once: by a rule whose body calls a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from clingo import Control, Symbol
from clingo.ast import AST, ASTType, Sign
from msgspec import convert, to_builtins

from ists_asp.io.store import Memo, key_of, made_by
from ists_asp.resources import asp_dir
from ists_asp.rules.loader import RuleSet
from ists_asp.syntax import trees
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.trees import Signature, parse

# The function that clingo calls: no rule has one of that name, see :mod:`.pairing`.
FETCH = "____fetch"
_MANY = 10  # atoms of a predicate from which fetching them takes less time than adding them


class FactLoader:
    """Facts, some of them ``added``, the others fetched by ``statements``.

    It is the context in which clingo grounds: if it fetches anything, no script has functions.
    """

    def __init__(
        self, facts: Mapping[Signature, Sequence[Symbol]], added: Iterable[Symbol] = ()
    ) -> None:
        self.added: list[Symbol] = [*added]
        self._fetched: list[Sequence[Symbol]] = []
        self._rules: list[str] = []
        # Python would take a name with two underscores in a class for a private one.
        setattr(self, FETCH, lambda number: self._fetched[number.number])
        for name, atoms in facts.items():
            if f"-{name.name}(" in Atoms.of(atoms).text:
                self.add(atoms)
            else:
                self.put(name, atoms)

    def add(self, atoms: Iterable[Symbol]) -> None:
        """Facts of any predicates."""
        self.added += atoms

    def put(self, name: Signature, atoms: Sequence[Symbol]) -> None:
        """The facts of a predicate, none of them negated."""
        if not name.arity or len(atoms) < _MANY:
            self.add(atoms)
            return
        self.fetch(name, atoms)

    def fetch(self, name: Signature, atoms: Sequence[Symbol]) -> None:
        """The facts of a predicate, as they are when clingo fetches them."""
        variables = ",".join(f"A{number}" for number in range(name.arity))
        atom = f"{name.name}({variables})" if name.arity else name.name
        fetched = f"@{FETCH}({len(self._fetched)})"
        self._rules.append(f"{atom} :- {atom if name.arity else '_'} = {fetched}.")
        self._fetched.append(atoms)

    @cached_property
    def statements(self) -> Sequence[AST]:
        """Rules by which clingo fetches what is not added."""
        return parse("\n".join(self._rules))


Names = frozenset[Signature]
MADE = "_made_"  # begins the names of the predicates in quick rules; no file has one of them
_POOL = re.compile(r'(?<=[(,])\(((?:[a-z\d]\w*|"[^"]*")(?:;(?:[a-z\d]\w*|"[^"]*"))+)\)(?=[,)])')
_SEVERAL = re.compile(r";|\.\.")  # a pool or an interval; in a string it does no harm
_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\w#])(?!not\b)(_*[a-z]\w*)(?![\w(])')
_COUNTED = re.compile(r"0 ([<=]) #count \{.*\}$")  # that there is something, or nothing
_MAY_RANGE = re.compile(r"\S: |#count")
_VARIABLE = re.compile(r"(?<![\w'])_*[A-Z][\w']*")
_BINDING = re.compile(r"(?<=[-;] )_*[a-z][\w']*\(([^()]*)\)(?=[;.])")  # an atom of a body
_NEGATED = (Sign.Negation, Sign.NoSign, Sign.Negation)  # by sign


def slow(rule: AST) -> bool:
    """Whether a rule has what :func:`quick` takes out of it."""
    body = trees.text_of(rule).partition(" :- ")[2]
    pool = _POOL.search(body) is not None
    # To look into a tree takes long.
    may = pool or _MAY_RANGE.search(body) is not None
    return may and rule.ast_type is ASTType.Rule and (pool or any(map(_ranges, rule.body)))


def _ranges(part: AST) -> bool:
    return part.ast_type is ASTType.ConditionalLiteral or _COUNTED.match(str(part)) is not None


@trees.cached_by_identity
def quick(rule: AST, looping: Names) -> str:
    """A rule as text, with rules and facts by which it says the same in less time.

    clingo compares all conditional literals and aggregates with one another before it grounds
    anything: 300 take it a tenth of a second. It makes a rule of each member of a pool. So the body
    of this rule says ``not exception`` for ``literal: condition`` and ``case`` for ``0 < #count``,
    unless that would be unsafe, and ``p(X), pool(X)`` for ``p((a;b))``. To deny a pool or an
    interval is to deny one of its members, not all: where the literal has one it stays, as it does
    where it is ``looping``: rests on what the rule derives.
    """
    facts, body, compared, added = list[str](), list[str](), list[str](), list[str]()
    atoms, binding = list[str](), list[str]()

    def name(text: str) -> str:
        return MADE + blake2b(text.encode(), digest_size=8).hexdigest()

    def pool(match: re.Match[str]) -> str:
        facts.append(f"{name(match[1])}({match[1]}).")
        atoms.append(f"{name(match[1])}({trees.PREFIX}P{len(facts)})")
        return f"{trees.PREFIX}P{len(facts)}"

    ranging, others, free = list[AST](), list[AST](), looping.isdisjoint
    for part in rule.body:
        (ranging if _ranges(part) and free(trees.predicates(part)) else others).append(part)
    for part in others:
        text, before = str(part), len(atoms)
        if trees.is_atom(part, Sign.NoSign):
            atoms.append(text if '"' in _POOL.sub("", text) else _POOL.sub(pool, text))
            binding += atoms[before:] if free(trees.predicates(part)) else []
        else:
            compares = part.ast_type is ASTType.Literal and part.atom.ast_type is ASTType.Comparison
            (compared if compares else body).append(text)
    bound = set().union(*map(trees.variable_names, (rule.head, *others))) if ranging else set()
    for part in ranging:
        variables = sorted(bound & trees.variable_names(part, local=True))
        case = f"{name(f'{rule} {part}')}({','.join(variables)})"
        counted = _COUNTED.match(str(part))
        if counted is not None:
            cases = [[*map(str, element.condition)] for element in part.atom.elements]
        else:
            negated = part.literal.update(sign=_NEGATED[part.literal.sign])
            several = _SEVERAL.search(str(part.literal))
            cases = [] if several else [[*map(str, part.condition), str(negated)]]
        tries = (
            "\n".join(f"{case} :- {'; '.join([*atoms_, *conditions])}." for conditions in cases)
            for atoms_ in ([*binding, *compared], binding)
        )
        added += (safe := [*filter(_is_safe, filter(None, tries))][:1])
        sign = "" if counted is not None and counted[1] == "<" else "not "
        body.append(f"{sign}{case}" if safe else str(part))
    return "\n".join([f"{rule.head} :- {'; '.join([*atoms, *compared, *body])}.", *added, *facts])


def _is_safe(rules: str) -> bool:
    lines = trees.STRING.sub("0", rules).split("\n")
    bound = [",".join(_BINDING.findall(line)).split(",") for line in lines]
    if all({*_VARIABLE.findall(line)} <= {*its} for line, its in zip(lines, bound, strict=True)):
        return True
    # Reckoning with a constant that has no value hides what is unsafe: all are numbers here.
    names = sorted({*filter(None, _CONSTANT.findall(rules))})
    options = [option for name in names for option in ("--const", f"{name}=1")]
    control = Control(["--warn=none", *options], logger=lambda _code, _text: None)
    try:
        control.add("base", [], rules)
        control.ground([("base", [])])
    except RuntimeError:
        return False
    return True


_MOST = 4000  # statements of other rule sets that are kept as well


class Version(NamedTuple):
    """A rule set as it was: statements, where each stands, values of constants, tables."""

    statements: list[str]
    places: list[str]
    constants: list[str]
    tables: list[tuple[str, int]]

    @classmethod
    def of(cls, rules: RuleSet, constants: Sequence[str], tables: Iterable[Signature]) -> Version:
        """That of a rule set, of which a solver knows the other two."""
        places = [
            f"{rule.file}:{rule.line}" + (f" ({rule.name})" if rule.sentence else "")
            for rule in rules.rules
        ]
        named = sorted((name.name, name.arity) for name in tables)
        return cls([*map(trees.text_of, rules.statements)], places, list(constants), named)


def of_core(rules: RuleSet) -> list[bool]:
    """Which statements of a rule set are of the core encoding, whatever other files are called."""
    machine = {file.name for file in rules.files if file.path.is_relative_to(asp_dir().resolve())}
    return [rule.file in machine for rule in rules.rules]


class Shape(NamedTuple):
    """The shape of a statement: its kind, and the predicates in its head and its body."""

    kind: ASTType
    fact: bool  # pools and intervals included
    derives: bool  # an atom, rather than a choice or a constraint
    derived: Names  # the predicates that it derives
    head: Names
    body: Names  # what #defined and #show name is in it, too
    calls: bool  # a function of a script

    @property
    def predicates(self) -> Names:
        """All predicates of its atoms."""
        return self.head | self.body

    @classmethod
    @lru_cache(1 << 14)
    def of(cls, node: AST) -> Shape:
        """Look into a statement."""
        kind, parts = node.ast_type, trees.walk(node) if "@" in str(node) else ()
        calls = any(part.ast_type is ASTType.Function and part.external for part in parts)
        if kind is ASTType.Rule:
            words = trees.words(str(node))
            end = words.index(":-") if ":-" in words else len(words)
            above, below = set[Signature](), set[Signature]()
            for number, atom, _ in trees.words_of_atoms(words):
                (above if number < end else below).update(trees.signatures(atom))
            head, body, derives = frozenset(above), frozenset(below), end == 1 and bool(above)
            derived = head if derives else trees.derived(node.head)
            return cls(kind, derives and end == len(words), derives, derived, head, body, calls)
        named = kind in (ASTType.Defined, ASTType.ShowSignature)
        body = frozenset({Signature(node.name, node.arity)}) if named else trees.predicates(node)
        return cls(kind, False, False, frozenset(), frozenset(), body, calls)


class Shapes:
    """The shapes of statements and more, cached between runs for all rule sets of a family."""

    def __init__(self, memo: Memo | None = None) -> None:
        self._memo = memo or Memo()
        self._key = key_of("statements", made_by(), self._memo.family)
        self._used: dict[str, dict[str, Any]] = {}
        self._shapes: dict[int, tuple[AST, Shape]] = {}
        self._new = False

    def of(self, node: AST) -> Shape:
        """The shape of a statement."""
        shaped = self._shapes.get(id(node))
        if shaped is None:
            stored = self.recall(node, "shape", lambda: to_builtins(Shape.of(node)))
            # The tree is kept so that no other one gets its number.
            shaped = self._shapes[id(node)] = node, convert(stored, Shape)
        return shaped[1]

    def recall(self, node: AST, key: str, work: Callable[[], Any], options: object = None) -> Any:  # noqa: ANN401 (JSON)
        """The cached or computed value of ``key`` for a statement and ``options``, as JSON."""
        if self._memo.store is None:
            return work()
        text = trees.text_of(node)
        entries = self._used.get(text)
        if entries is None:
            entries = self._used[text] = self._known.get(text, {})
        entry = entries.get(key)
        if entry is None or entry[0] != options:
            entry = entries[key] = [options, work()]
            self._new = True
        return entry[1]

    @cached_property
    def _known(self) -> dict[str, dict[str, Any]]:
        return self._memo.get(self._key) or {}

    def keep(self) -> None:
        """Keep what is new; of the rest what was asked about last."""
        if self._new:
            others = [entry for entry in self._known.items() if entry[0] not in self._used]
            self._memo.put(self._key, {**dict(others[-_MOST:]), **self._used})
            self._new = False
