"""Every predicate of ``asp/`` and ``lp_rules/``, with what its arguments are called there."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from random import Random
from typing import NamedTuple

from clingo.ast import ASTType, parse_string

from ists_asp.resources import asp_dir, rules_dir
from ists_asp.syntax.trees import functions, walk

_INCLUDE = re.compile(r'#include "[^"]*"\.')
_TABLES = "weights"
"""The folder of files that hold facts of one predicate and nothing else."""
_ODD = r"""
24 0 1 -1 2 3 5 6 99 -7 1000 2147483647 -2147483648 2147483646 2147483648 99999999999999999999
    1073741824 0x1f 007
10 2147483647+1 -2147483648-1 1/0 7\0 -2147483648/-1 -2147483648\-1 2**31 2**-1 0**0 |-5| ~0 6&3
    6?3 6^3 1..3 3..1 (1;2;5) -equi -(-1) 1+"a" equi+1 #inf+1 65536*65536 -(1..2) (1..2)*3
16 "" "s" "bomb" "<==>" "//" "a\nb" "\"" "\\" "é" "日本" "%s" "{X}" "a,b(c" ")" "_" "0"
13 equi oppo spe1 simi rel noali alic evil fact pol noun x' _x __x ____pair not_a_label base rating
    aligned
24 f(1) f() () (1,) (1,2) ((),()) (run(1,1),run(1,1)) -f(1) run(1,1) run(0,0) run(9,2) run(-1,1)
    run("a",1) run(1) run(1,1,1) gap(1,3) gap(1,1) gap(3,1) pair(run(1,1),run(1,1))
    link(run(1,1),run(2,2)) score(3) boundary(1,2) __pair(1) f(f(f(f(f(f(f(f(1))))))))
    f(")",("(",1)) label(equi)
8 #inf #sup
1 @f(1) @f @x(#sup)
"""
"""How often odd values of a kind are drawn, and the values."""
_GROUPS = [
    (int(group[0]), group[1:]) for group in map(str.split, re.split(r"\n(?! )", _ODD.strip()))
]
_USUAL = (
    ("S", ("1", "2")),
    ("IJKFG", ("1", "2", "3", "4", "7")),
    ("CDE", ("1", "2", "3", "5")),
    ("XYAB", ("run(1,1)", "run(1,2)", "run(2,2)", "gap(1,3)", "run(3,5)")),
    ("LTU", ("equi", "oppo", "spe1", "spe2", "simi", "rel", "noali", "alic")),
    ("NMPQRV", ("0", "1", "3", "5", "6", "100", "-3")),
)
_WORDS = ('"bomb"', '"a"', "1", "-1", "50", "noun")
"""What usually stands where variables of ``asp/`` and ``lp_rules/`` stand, by their letters."""
_DECIDED = """
    aligned label score tag noali alic free viable proposed token_count first last span_token
    span_chunk span chunk in_chunk boundary evidence weight differs forbidden_label
    forbidden_score licensed closeness align_weight label_weight score_weight merge must_split
    must_join label_type rating punctuation_chunk contribution given_boundary chunked learning
    token part
"""
"""What answers are read from, and what leads there at once."""
_CHOICES = {
    "low": ("", "1", "2", "0", "-1", "99", "#inf", "2147483647", '"a"'),
    "high": ("", "1", "3", "= 1", "= 0", "< 2", "#sup", "-1", "x"),
    "way": ("maximize", "minimize"),
    "kind": ("sum", "count", "min", "max", "sum+"),
    "value": ("", " [true]", " [false]", " [free]", " [1/0]"),
    "constant": ("highest", "bound", "equi", "x", "run", "s", "aligned"),
    "part": ("base", "step(t)", "other", "base(t)", "aligned"),
    "level": ("", "@4", "@3", "@2", "@0", "@-1", "@99", "@2147483647", '@"a"', "@1/0"),
    "long": ("x" * 5000,),
}


class Predicate(NamedTuple):
    """A predicate with the usual names of its arguments, ``_`` for those that have none."""

    name: str
    arguments: tuple[str, ...]
    core: bool
    """Whether ``asp/`` mentions it."""


@cache
def vocabulary():
    """All predicates, sorted by name and arity."""
    names, core = {}, set()
    paths = [*sorted(asp_dir().rglob("*.lp")), *sorted(rules_dir().rglob("*.lp"))]
    for path in (path for path in paths if path.parent.name != _TABLES):
        for name, arguments in _atoms(path.read_text("utf-8")):
            counts = names.setdefault((name, len(arguments)), [Counter() for _ in arguments])
            for count, argument in zip(counts, arguments, strict=True):
                count[argument] += bool(argument)
            if path.is_relative_to(asp_dir()):
                core.add((name, len(arguments)))
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
                        terms = ((t, t.ast_type is ASTType.Variable) for t in atom.arguments)
                        yield atom.name, [t.name.strip("_") if free else "" for t, free in terms]


def _usual(count):
    return min(+count, key=lambda name: (-count[name], name), default="_")


_GROUPS.append((5, ['"\x1b[31m"', '"\u202e"', '"\t"', f'"{"x" * 300}"', "x" * 300]))


def generate(profile, number):
    """The statements of the file with this number, always the same for the same sources."""
    random = Random(f"{profile} {number}")
    known = vocabulary()
    subject = known[number % len(known)]
    writer = _Writer(random, known, "bomba" if profile == "es" else "bomb")
    lines = [writer.derive(subject)]
    lines += [writer.anything() for _ in range(random.choice((0, 0, 0, 1, 1, 2, 3, 5)))]
    if random.random() < 0.4:
        # By itself: what the subject's rule breaks is not to hide everything else.
        lines[0] = writer.anything()
    # A thousand files are to be about all predicates, however many there are.
    lines += [writer.derive(known[place]) for place in range(number + 1000, len(known), 1000)]
    random.shuffle(lines)
    return lines


_STATEMENTS = """
30 {derived}
14 {fact}
8 {low} {{ {atom} : {inner} }} {high} :- {body}.
8 :- {body}.
8 #{way} {{ {weight}{level},{rest} : {body}; {odd}{level},b : {free} }}.
6 #{way} {{ {weight}{level},{rest} : {body} }}.
6 :~ {body}. [{weight}{level},{rest}]
1 #show.
1 #show {name}/{arity}. #show -{name}/{arity}. #show {name}/9. #show foo.
4 #show {odd} : {body}.
2 #show {atom} : {body}. #show {term} : {body}.
2 {atom} :- not {other}, {body}. {other} :- not {atom}, {body}.
2 {atom} :- not {atom}, {body}. {other} :- not not {other}, {body}.
1 {atom} :- {other}, {body}. {other} :- {atom}, {body}.
1 odd :- not even. even :- not odd. {atom} :- odd, {body}.
3 -{atom} :- {body}.
1 -{atom}.
6 {counted} :- N = #{kind}{{ {weight},{rest} : {body} }}.
1 {atom} : {inner} | {other} :- {body}.
2 {atom} ; {other} :- {body}.
3 #external {atom} : {body}.{value}
3 #const {constant} = {odd}.
2 #program {part}.\\n{derived}
1 #defined {name}/{arity}. #defined x/99. #include "missing.lp".
1 #include "../../../../etc/passwd".
1 #include "mine.lp". #include <incmode>.
1 #include "{long}.lp".
1 #script (python) import os #end.
1 #heuristic {atom} : {body}. [2147483647@1,true]
1 #project {atom} : {body}. #edge (1,2) : chunk(1,2). #edge (2,1) : chunk(1,2).
1 #theory t {{ x {{ - : 1, unary }}; &sum/0 : x, {{=}}, x, any }}.
1 %@rule mine: "text {{X}} \x1b[31m"\\n{derived}
1 %@rule mine: "{{{{ }} {{0}} {{X!r:>9}}"\\n{derived}
1 %@rule\\n{derived}
1 {name}(_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_).
1 {atom} :- {body}
1 {atom} :- #false. #true :- {body}. not {atom} :- {body}.
1 {atom} :- {body}, X = @f({name}).
1 {atom} :- 1 < 2 < 3, {body}; {body}; X = (1;2).
1 {{ a(1..20) }}. b(X) :- a(X), not -a(X). :- a(X), a(Y), X+Y=7.
1 p :- &diff{{ a - b }} <= 3.
1 ____cost(1,4,-99,x). ____pair(7). __label(1,run(1,1),run(1,1),equi).
1 deep(0) :- {marker}. deep(N+1) :- deep(N).
1 many(A,B,C,D) :- {marker}, A=1..900, B=1..900, C=1..900, D=1..900.
1 {{ in(P,H) : H=1..11 }} = 1 :- P=1..12, {marker}. :- in(P,H), in(Q,H), P<Q.
1 deep(0..3000). {counted} :- deep(N).
1 deep(0) :- {marker}. deep(N+1) :- deep(N), N<9000.
1 {{ pick(1..40) }}. {counted} :- pick(N).
1 {{ {counted} : N=1..300 }} :- {marker}.
1 #minimize {{ N@4,N : token(_,N,_), N=1..900 }}. {counted} :- N=1..200, {free}.
"""
"""How often a statement is written, and its form. A word in brackets is made by the method or
drawn from the list of that name, once a statement; ``\\n`` ends a line."""


class _Statement(dict):
    """What stands in the brackets of a statement, made when it is asked for."""

    def __init__(self, writer):
        super().__init__()
        of, (parts, bound) = writer.predicate(), writer.body()
        self._choice = writer.random.choice
        self._made = {
            "derived": writer.derive,
            "fact": writer.fact,
            "body": lambda: ", ".join(parts),
            "inner": lambda: writer.body(1)[0][0],
            "free": lambda: writer.marker if writer.maybe(0.5) else ", ".join(writer.body(1)[0]),
            "atom": lambda: writer.atom(of, bound, 0.1),
            "other": lambda: writer.atom(writer.predicate(), bound, 0.1),
            "counted": lambda: writer.atom(writer.predicate(), ["N"], 0),
            "name": lambda: of.name,
            "arity": lambda: len(of.arguments),
            "odd": writer.odd,
            "term": lambda: writer.term("X", bound),
            "weight": lambda: writer.term("N", bound, 0.5),
            "rest": lambda: self._choice((*bound, "x", writer.odd())),
            "marker": lambda: writer.marker,
        }

    def __missing__(self, word):
        made = self._choice(_CHOICES[word]) if word in _CHOICES else self._made[word]()
        return self.setdefault(word, made)


class _Writer:
    """Writes statements over known predicates; ``marker`` is a word of one pair."""

    def __init__(self, random, known, marker):
        self.random = random
        self.known = known
        self.marker = f'token(_,_,"{marker}")'
        self.decided = [each for each in known if each.name in _DECIDED.split()]
        self.core = [each for each in known if each.core]

    def anything(self):
        rows = [row.split(" ", 1) for row in _STATEMENTS.strip().splitlines()]
        (form,) = self.random.choices([form for _, form in rows], [int(often) for often, _ in rows])
        return form.format_map(_Statement(self)).replace("\\n", "\n").strip()

    def maybe(self, chance):
        return self.random.random() < chance

    def predicate(self):
        among = self.random.choices((self.decided, self.core, self.known), (6, 2, 2))[0]
        return self.random.choice(among)

    def odd(self):
        ((_, group),) = self.random.choices(_GROUPS, [often for often, _ in _GROUPS])
        if self.maybe(0.01):
            depth = self.random.choice((20, 200, 2000))
            return "f(" * depth + "1" + ")" * depth
        return self.random.choice(group)

    def usual(self, name):
        return self.random.choice(next((v for k, v in _USUAL if name[:1] in k), _WORDS))

    def term(self, name, bound=(), oddness=0.25):
        """A value for an argument: a variable of that name, something usual, something odd."""
        if self.maybe(oddness):
            return self.odd()
        if name in bound and self.maybe(0.9):
            return name
        if bound and self.maybe(0.3):
            return self.random.choice(bound)
        return self.usual(name)

    def atom(self, of, bound=(), oddness=0.25):
        terms = [self.term(name, bound, oddness) for name in of.arguments]
        if self.maybe(0.03):
            terms = terms[:-1] if self.maybe(0.5) else [*terms, self.odd()]
        return f"{of.name}({','.join(terms)})" if terms else of.name

    def body(self, most=2):
        """Conditions, and the variables that they bind."""
        parts, bound = [], []
        for _ in range(self.random.randint(1, most)):
            of = self.predicate()
            if parts and not set(of.arguments) & set(bound):
                continue
            names = [name if self.maybe(0.85) else "_" for name in of.arguments]
            parts.append(f"{of.name}({','.join(names)})" if names else of.name)
            bound += [name for name in names if name != "_" and name not in bound]
        if self.maybe(0.25):
            parts.append(f"not {self.atom(self.predicate(), bound, 0.1)}")
        if bound and self.maybe(0.15):
            sign = self.random.choice(("<", "!=", ">=", "="))
            parts.append(f"{self.random.choice(bound)}{sign}{self.term('N', bound)}")
        if self.maybe(0.35):
            parts.append(self.marker)
        return parts, bound

    def derive(self, of=None):
        of = of or self.predicate()
        parts, bound = self.body()
        head = self.atom(of, bound)
        if of.name.startswith("_") and self.maybe(0.6):
            # A plain rule for a private predicate of another file is refused at once.
            head = f"{{ {head} }}"
        return f"{head} :- {', '.join(parts)}."

    def fact(self):
        atom = self.atom(self.predicate(), oddness=0.5)
        return f"{atom} :- {self.marker}." if self.maybe(0.2) else f"{atom}."
