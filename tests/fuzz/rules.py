"""Generated rule files: ``python -m tests.fuzz rules-es`` tries them.

Each is a file of a few odd rules over six pairs, which a child
decides together and alone. No pair may cost another its answer, and all that is told is a line.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import signal
import tempfile
import traceback
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from clingo.ast import ASTType, parse_string

from ists_asp import load
from ists_asp.errors import IstsError
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.wa import write_answer
from ists_asp.model import Label, Pair, Sentence, Token, Word
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


MARKED = 1
"""The place of the pair with the marker."""

PROFILES = ("default", "headlines", "es")

SECONDS = 20
"""Seconds of processor time for all pairs: most take a tenth of one."""

OVER = (-signal.SIGXCPU, -signal.SIGKILL)
CRASHES = (-signal.SIGFPE, -signal.SIGSEGV, -signal.SIGABRT)
"""How clingo ends a process; a worker's end costs its pair alone, see tests/faults."""

LONGEST = 2000
"""Characters of a message, the line of the rule that it quotes included."""


def read_pairs(language):
    """The pairs, annotated as Stanza does: two lines each, ``form|lemma|upos|xpos`` a word."""
    lines = Path(__file__).with_name(f"pairs.{language}.txt").read_text("utf-8").splitlines()
    sentences = [Sentence(tuple(_tokens(line))) for line in lines]
    return [Pair(str(n // 2), *sentences[n : n + 2]) for n in range(0, len(sentences), 2)]


def _tokens(line):
    for index, text in enumerate(line.split(" "), 1):
        words = tuple(Word(*word.split("|")) for word in text.split("+"))
        yield Token(index, "".join(word.form for word in words), words)


def in_child(work, memory, seconds=resource.RLIM_INFINITY):
    """What some work yields in a child with limits, and how that ends."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + (seconds > 0) * 2))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            with os.fdopen(writing, "w") as pipe:
                for found in work():
                    print(json.dumps(found), file=pipe, flush=True)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = [json.loads(line) for line in pipe]
    return told, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Laboratory:
    """Tries rule files with a profile, whose shipped rules are worked out once."""

    def __init__(self, profile, folder):
        self.profile, self.folder = profile, Path(folder)
        with self.load() as system:
            self.pairs = read_pairs(system.profile.language)
            list(system.decide(self.pairs))
        # What the collector does not look at is not copied for each child.
        gc.collect()
        gc.freeze()

    def load(self, *rules):
        cache = self.folder / "cache"
        return load(self.profile, rules=rules, cache=cache, incremental=False)

    def findings(self, text):
        """How a rule file went, and each fault with its kind."""
        told, code = in_child(lambda: [self._tried(text)], 8 << 30, SECONDS)
        ends = dict.fromkeys(OVER, "over the limits") | dict.fromkeys(CRASHES, "clingo crashed")
        if not told and code not in ends:
            return "broken", [("died", f"exit code {code}")]
        return told[0] if told else (ends[code], [])

    def _tried(self, text):
        path = self.folder / "mine.lp"
        path.write_text(text, "utf-8", "surrogatepass")
        try:
            with self.load(path) as system:
                together = self._decided(system, self.pairs)
                alone = [self._decided(system, [pair]) for pair in self.pairs]
        except IstsError as error:
            return "rules refused", list(_worded(str(error)))
        except MemoryError:
            return "over the limits", []
        except Exception:
            return "broken", [("traceback", traceback.format_exc())]
        failed = sum(isinstance(answers, str) for answers in alone)
        how = "all answered" if not failed else "some failed"
        return how, list(self._faults(together, alone))

    @staticmethod
    def _decided(system, pairs):
        """The answers of pairs, or why there are none."""
        try:
            return [answers[0] for answers in system.decide(pairs)]
        except IstsError as error:
            return str(error)

    def _faults(self, together, alone):
        fine = [answers[0] for answers in alone if not isinstance(answers, str)]
        for reason in {answers for answers in (together, *alone) if isinstance(answers, str)}:
            yield from _worded(reason)
        if isinstance(together, str):
            if len(fine) == len(alone):
                yield "lost", f"all have answers alone, none in company: {together}"
        else:
            fine += together
            for pair, answers, company in zip(self.pairs, alone, together, strict=True):
                if isinstance(answers, str) or answers[0] != company:
                    yield "differs", f"pair {pair.id}: alone {answers}, in company {company}"
        for answer in fine:
            for fault in answer_faults(answer):
                yield "no answer", f"pair {answer.pair.id}: {fault}"
        path = self.folder / "out.wa"
        path.write_text("".join(map(write_answer, fine[: len(self.pairs)])), "utf-8")
        if fine:
            yield from (("refused by check", str(fault)) for fault in check_file(path).faults)


def _worded(reason):
    if not reason.strip() or "Traceback" in reason or len(reason) > LONGEST:
        yield "wordless", reason


def answer_faults(answer):
    """What no answer has; the rules of a user may leave tokens of punctuation out."""
    for line in answer.alignments:
        if bool(line.tokens1 and line.tokens2) is not line.label.aligned:
            yield f"{line.label} for {line.tokens1} and {line.tokens2}"
        if line.label.aligned and (line.score is None or not 0 <= line.score <= 5):
            yield f"{line.label} with the score {line.score}"
        if line.label is Label.EQUI and line.score != 5:
            yield f"EQUI with the score {line.score}"
    for side in (1, 2):
        used = [token for line in answer.alignments for token in getattr(line, f"tokens{side}")]
        if len(used) != len(set(used)):
            yield f"tokens of sentence {side} on several lines: {sorted(used)}"
    if not answer.chunks1 or not answer.chunks2:
        yield "a sentence without chunks"


def faults_of(numbers, profile):
    """Each number, with what is wrong with how the rule file with it goes, and its text."""
    ways = Counter()
    with tempfile.TemporaryDirectory() as folder:
        laboratory = Laboratory(profile, folder)
        for number in numbers:
            text = "\n".join(generate(profile, number))
            how, found = laboratory.findings(text)
            ways[how] += 1
            faults = "\n".join(f"{kind}: {seen[-400:]}" for kind, seen in found)
            yield number, faults and f"{faults}\n{text}"
    few = len(numbers) >= 8 and 6 * ways["all answered"] <= len(numbers)
    yield "all", f"hardly a file reaches the solver: {dict(ways)}" if few else ""
