"""Rule files that nobody should write: each line may be a rule that breaks something.

A file is made of a few statements, each an *ingredient*: facts with odd arguments, rules that
derive predicates of ``asp/`` and ``lp_rules/`` for whatever another predicate says, choices,
constraints, objectives, and what else clingo reads. Most of them are legal; some hold for one
pair only, the one with the *marker* word in it.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from .vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["generate"]

_NUMBERS = (
    *("0", "1", "-1", "2", "3", "5", "6", "99", "-7", "1000", "2147483647", "-2147483648"),
    *("2147483646", "2147483648", "99999999999999999999", "1073741824", "0x1f", "007"),
)
_ARITHMETIC = (
    *("2147483647+1", "-2147483648-1", "1/0", "7\\0", "-2147483648/-1", "-2147483648\\-1"),
    *("2**31", "2**-1", "0**0", "|-5|", "~0", "6&3", "6?3", "6^3", "1..3", "3..1", "(1;2;5)"),
    *("-equi", "-(-1)", '1+"a"', "equi+1", "#inf+1", "65536*65536", "-(1..2)", "(1..2)*3"),
)
_STRINGS = (
    *('""', '"s"', '"bomb"', '"<==>"', '"//"', '"a\\nb"', '"\\""', '"\\\\"', '"é"', '"日本"'),
    *('"%s"', '"{X}"', '"\x1b[31m"', '"\u202e"', '"a,b(c"', '")"', '"_"', '"0"', '"\t"'),
    f'"{"x" * 300}"',
)
_CONSTANTS = (
    *("equi", "oppo", "spe1", "simi", "rel", "noali", "alic", "evil", "fact", "pol", "noun"),
    *("x'", "_x", "__x", "____pair", "not_a_label", "base", "rating", "aligned", "x" * 300),
)
_FUNCTIONS = (
    *("f(1)", "f()", "()", "(1,)", "(1,2)", "((),())", "(run(1,1),run(1,1))", "-f(1)", "run(1,1)"),
    *("run(0,0)", "run(9,2)", "run(-1,1)", 'run("a",1)', "run(1)", "run(1,1,1)", "gap(1,3)"),
    *("gap(1,1)", "gap(3,1)", "pair(run(1,1),run(1,1))", "link(run(1,1),run(2,2))", "score(3)"),
    *("boundary(1,2)", "__pair(1)", "f(f(f(f(f(f(f(f(1))))))))", 'f(")",("(",1))', "label(equi)"),
)
_BOUNDS = ("#inf", "#sup")
_OUTSIDE = ("@f(1)", "@f", "@x(#sup)")

_KINDS = {
    "S": ("1", "2"),
    "I": ("1", "2", "3", "4", "7"),
    "C": ("1", "2", "3", "5"),
    "X": ("run(1,1)", "run(1,2)", "run(2,2)", "gap(1,3)", "run(3,5)"),
    "L": ("equi", "oppo", "spe1", "spe2", "simi", "rel", "noali", "alic"),
    "N": ("0", "1", "3", "5", "6", "100", "-3"),
    "W": ('"bomb"', '"a"', "1", "-1", "50", "noun"),
}
"""What usually stands where a variable of ``asp/`` and ``lp_rules/`` stands."""

_LIKE = {
    **dict.fromkeys("JKFG", "I"),
    **dict.fromkeys("DE", "C"),
    **dict.fromkeys("YAB", "X"),
    **dict.fromkeys("TU", "L"),
    **dict.fromkeys("MPQRV", "N"),
}

_DECIDED = frozenset(
    re.findall(
        r"\w+",
        """
        aligned label score tag noali alic free viable proposed token_count first last span_token
        span_chunk span chunk in_chunk boundary evidence weight differs forbidden_label
        forbidden_score licensed closeness
        align_weight label_weight score_weight merge must_split must_join label_type rating
        punctuation_chunk contribution given_boundary chunked learning token part
        """,
    )
)
"""What answers are read from, and what leads there at once."""


def generate(profile, number):
    """The statements of the file with this number, always the same for the same sources."""
    random = Random(f"{profile} {number}")
    known = vocabulary()
    subject = known[number % len(known)]
    writer = _Writer(random, known, "bomba" if profile == "es" else "bomb")
    lines = [writer.derive(subject)]
    for _ in range(random.choice((0, 0, 0, 1, 1, 2, 3, 5))):
        lines.append(writer.anything())
    if random.random() < 0.4:
        # By itself: what the subject's rule breaks is not to hide everything else.
        lines[0] = writer.anything()
    # A thousand files are to be about all predicates, however many there are.
    lines += [writer.derive(known[place]) for place in range(number + 1000, len(known), 1000)]
    random.shuffle(lines)
    return lines


class _Writer:
    """Writes statements over known predicates; ``marker`` is a word of one pair."""

    def __init__(self, random, known, marker):
        self.random = random
        self.known = known
        self.marker = f'token(_,_,"{marker}")'
        self.decided = [each for each in known if each.name in _DECIDED]
        self.core = [each for each in known if each.core]
        self.ingredients: list[tuple[Callable[[], str], int]] = [
            (self.derive, 30),
            (self.fact, 14),
            (self.choice, 8),
            (self.constraint, 8),
            (self.objective, 12),
            (self.show, 7),
            (self.cycle, 6),
            (self.negated, 4),
            (self.aggregate, 6),
            (self.disjunction, 3),
            (self.external, 3),
            (self.constant, 3),
            (self.part, 2),
            (self.oddity, 6),
            (self.heavy, 2),
        ]

    def anything(self):
        makers, weights = zip(*self.ingredients, strict=True)
        return self.random.choices(makers, weights)[0]()

    # The parts of statements.

    def maybe(self, chance):
        return self.random.random() < chance

    def predicate(self):
        among = self.random.choices((self.decided, self.core, self.known), (6, 2, 2))[0]
        return self.random.choice(among)

    def odd(self):
        groups = (_NUMBERS, _ARITHMETIC, _STRINGS, _CONSTANTS, _FUNCTIONS, _BOUNDS, _OUTSIDE)
        group = self.random.choices(groups, (24, 10, 20, 14, 24, 8, 1))[0]
        if self.maybe(0.01):
            depth = self.random.choice((20, 200, 2000))
            return "f(" * depth + "1" + ")" * depth
        return self.random.choice(group)

    def usual(self, name):
        return self.random.choice(_KINDS.get(_LIKE.get(name[:1], name[:1]), _KINDS["W"]))

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
        parts = []
        bound = []
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

    def condition(self):
        """A body where nothing needs to be bound."""
        return self.marker if self.maybe(0.5) else ", ".join(self.body(1)[0])

    # The ingredients.

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

    def choice(self):
        parts, bound = self.body()
        inner = self.body(1)[0][0]
        low = self.random.choice(("", "1", "2", "0", "-1", "99", "#inf", "2147483647", '"a"'))
        high = self.random.choice(("", "1", "3", "= 1", "= 0", "< 2", "#sup", "-1", "x"))
        atom = self.atom(self.predicate(), bound, 0.1)
        return f"{low} {{ {atom} : {inner} }} {high} :- {', '.join(parts)}.".strip()

    def constraint(self):
        return f":- {', '.join(self.body()[0])}."

    def objective(self):
        parts, bound = self.body()
        weight = self.term("N", bound, 0.5)
        level = self.random.choice(("", "@4", "@3", "@2", "@0", "@-1", "@99", "@2147483647"))
        level = f"@{self.odd()}" if self.maybe(0.15) else level
        rest = self.random.choice(
            (*bound, "x", self.odd(), "I,J" if {"I", "J"} <= {*bound} else "1")
        )
        if self.maybe(0.3):
            return f":~ {', '.join(parts)}. [{weight}{level},{rest}]"
        word = self.random.choice(("maximize", "minimize"))
        second = f"; {self.odd()}{level},b : {self.condition()}" if self.maybe(0.3) else ""
        return f"#{word} {{ {weight}{level},{rest} : {', '.join(parts)}{second} }}."

    def show(self):
        of = self.predicate()
        parts, bound = self.body(1)
        return self.random.choice(
            (
                "#show.",
                f"#show {of.name}/{len(of.arguments)}.",
                f"#show -{of.name}/{len(of.arguments)}.",
                f"#show {of.name}/{len(of.arguments) + 1}.",
                f"#show {self.atom(of, bound)} : {', '.join(parts)}.",
                f"#show {self.odd()} : {', '.join(parts)}.",
                f"#show {self.term('X', bound)} : {', '.join(parts)}.",
                "#show foo.",
            )
        )

    def cycle(self):
        parts, bound = self.body(1)
        one, two = self.atom(self.predicate(), bound, 0), self.atom(self.predicate(), bound, 0)
        given = ", ".join(parts)
        return self.random.choice(
            (
                f"{one} :- not {two}, {given}. {two} :- not {one}, {given}.",
                f"{one} :- not {one}, {given}.",
                f"{one} :- {two}, {given}. {two} :- {one}, {given}.",
                f"odd :- not even. even :- not odd. {one} :- odd, {given}.",
                f"{one} :- not not {one}, {given}.",
            )
        )

    def negated(self):
        parts, bound = self.body(1)
        atom = self.atom(self.predicate(), bound, 0.1)
        return f"-{atom} :- {', '.join(parts)}." if self.maybe(0.7) else f"-{atom}."

    def aggregate(self):
        kind = self.random.choice(("sum", "count", "min", "max", "sum+"))
        parts, bound = self.body(1)
        head = self.atom(self.predicate(), ["N"], 0)
        terms = ",".join([self.term("N", bound), *bound[:2]])
        return f"{head} :- N = #{kind}{{ {terms} : {', '.join(parts)} }}."

    def disjunction(self):
        parts, bound = self.body(1)
        heads = [self.atom(self.predicate(), bound) for _ in range(2)]
        if self.maybe(0.3):
            inner = self.body(1)[0][0]
            return f"{heads[0]} : {inner} | {heads[1]} :- {', '.join(parts)}."
        return f"{heads[0]} ; {heads[1]} :- {', '.join(parts)}."

    def external(self):
        parts, bound = self.body(1)
        value = self.random.choice(("", " [true]", " [false]", " [free]", f" [{self.odd()}]"))
        return f"#external {self.atom(self.predicate(), bound)} : {', '.join(parts)}.{value}"

    def constant(self):
        name = self.random.choice(("highest", "bound", "equi", "x", "run", "s", "aligned"))
        return f"#const {name} = {self.odd()}."

    def part(self):
        head = self.random.choice(("base", "step(t)", "other", "base(t)", "aligned"))
        return f"#program {head}.\n{self.derive()}"

    def oddity(self):
        """What is rarely in a rule file."""
        of = self.predicate()
        one, parts = self.atom(of), ", ".join(self.body(1)[0])
        return self.random.choice(
            (
                "",
                "% nothing",
                f"#defined {of.name}/{len(of.arguments)}.",
                *("#defined x/99.", '#include "missing.lp".', '#include "../../../../etc/passwd".'),
                *('#include "mine.lp".', "#include <incmode>."),
                f'#include "{"x" * 5000}.lp".',
                "#script (python) import os #end.",
                f"#heuristic {one} : {parts}. [2147483647@1,true]",
                f"#project {one} : {parts}.",
                "#edge (1,2) : chunk(1,2). #edge (2,1) : chunk(1,2).",
                "#theory t { x { - : 1, unary }; &sum/0 : x, {=}, x, any }.",
                f'%@rule mine: "text {{X}} \x1b[31m"\n{self.derive(of)}',
                f'%@rule mine: "{{{{ }} {{0}} {{X!r:>9}}"\n{self.derive(of)}',
                f"%@rule\n{self.derive(of)}",
                f"{of.name}({'_,' * 30}_).",
                f"{self.atom(of, ['X'])}.",
                f"{one} :- {parts}",
                f"{one} :- #false.",
                f"#true :- {parts}.",
                f"not {one} :- {parts}.",
                f"{one} :- {parts}, X = @f({of.name}).",
                f"{one} :- 1 < 2 < 3, {parts}.",
                "{ a(1..20) }. b(X) :- a(X), not -a(X). :- a(X), a(Y), X+Y=7.",
                "p :- &diff{ a - b } <= 3.",
                "____cost(1,4,-99,x). ____pair(7). __label(1,run(1,1),run(1,1),equi).",
                f"#show {of.name}/{len(of.arguments)}. #show {of.name}/{len(of.arguments)}.",
                f"{one} :- {parts}; {parts}; X = (1;2).",
            )
        )

    def heavy(self):
        """What takes much time or memory; little of it has no end, as each takes all its time."""
        head = self.atom(self.predicate(), ["N"], 0)
        if self.maybe(0.1):
            return self.random.choice(
                (
                    f"deep(0) :- {self.marker}. deep(N+1) :- deep(N).",
                    f"many(A,B,C,D) :- {self.marker}, A=1..900, B=1..900, C=1..900, D=1..900.",
                    f"{{ in(P,H) : H=1..11 }} = 1 :- P=1..12, {self.marker}. "
                    ":- in(P,H), in(Q,H), P<Q.",
                )
            )
        return self.random.choice(
            (
                f"deep(0..3000). {head} :- deep(N).",
                f"deep(0) :- {self.marker}. deep(N+1) :- deep(N), N<9000.",
                f"{{ pick(1..40) }}. {head} :- pick(N).",
                f"{{ {head} : N=1..300 }} :- {self.marker}.",
                f"#minimize {{ N@4,N : token(_,N,_), N=1..900 }}. {head} :- N=1..200, "
                f"{self.condition()}.",
            )
        )
