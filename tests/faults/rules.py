"""Rules that are faulty, or meant to do harm."""

from .faults import Failed, Same, Told, fault
from .place import FEW, pairs, wait_for

_BOMB = 'bomb :- word(1,_,"bomb").\n'
_DEEP = "deep(0) :- bomb. deep(N+1) :- deep(N)."
_PIGEONS = "{ in(P,H) : H=1..11 } = 1 :- P=1..12, bomb. :- in(P,H), in(Q,H), P<Q."
_MANY = "many(A,B,C,D) :- bomb, A=1..900, B=1..900, C=1..900, D=1..900."
_MOST = "#maximize { 2147483647@9,I : word(1,I,_) }. n(2147483647+1). n(-2147483648*-1)."


def _with(place, rules):
    """Solve undisturbed pairs with rules that make no difference to them."""
    return place.pairs().holding(rules, "mine.lp").solve("-q", "--rules", "mine.lp")


def _with_bomb(place, rules, *options):
    place.holding(pairs(FEW).replace("a dog sits", "a bomb sits", 1))
    return place.holding(_BOMB + rules, "mine.lp").solve("--rules", "mine.lp", *options)


for _name, _rules, *_options in (
    ("grounding a pair has no end", _DEEP, "--timeout", "1"),
    ("solving a pair has no end", _PIGEONS, "--timeout", "1"),
    ("a pair takes all memory", _MANY, "--timeout", "50", "--memory", "360"),
    ("a pair has no answer set", ":- bomb."),
    ("what is shown for a pair is no answer", "label(1,1,evil) :- bomb.", "--lax"),
    (
        "what is shown for a pair has tokens that it lacks",
        "span_token(1,X,999) :- bomb, aligned(X,_).",
    ),
    (
        "a pair has two labels for an alignment",
        "label(X,Y,noali) :- bomb, aligned(X,Y).",
        "--lax",
    ),
    ("a pair has scores that are out of range", "score(X,Y,99) :- bomb, aligned(X,Y).", "--lax"),
    (
        "the weights of a pair overflow",
        "#maximize { 2147483647@9,I : bomb, aligned(_,_), I = 1..2 }.",
    ),
    ("a pair divides what overflows", "x(-2147483648/I) :- bomb, I = -1..-1."),
):
    fault(_name, Failed(("1",), FEW))(
        lambda place, rules=_rules, options=_options: _with_bomb(place, rules, *options)
    )

for _name, _words, _rules in (
    ("all pairs divide what overflows", "arithmetic overflow", "x(-2147483648/-1)."),
    (
        "terms are nested so deeply that clingo crashes",
        "the rules cannot be loaded",
        f"p({'f(' * 30_000}1{')' * 30_000}).",
    ),
    (
        "a rule file includes a device",
        '"/dev/zero" lies outside the rule folder',
        '#include "/dev/zero".',
    ),
    (
        "a rule file runs a script",
        "#script is refused",
        "#script (python) import os; os.abort() #end.",
    ),
):
    fault(_name, Told(_words))(lambda place, rules=_rules: _with_bomb(place, rules))

for _name, _rules in (
    ("weights add up to more than 32 bits, and numbers wrap", _MOST),
    ("terms are nested deeper than Python goes", f":- p({'f(' * 2000}X{')' * 2000})."),
):
    fault(_name, Same(FEW))(lambda place, rules=_rules: _with(place, rules))


@fault("the rules change while a worker is replaced", Told("a rule file has changed"))
def _(place):
    place.holding(_BOMB + _DEEP, "mine.lp").holding("0\ta bomb\ta bomb\n1\ta cat\ta dog\n")
    process = place.start("--rules", "mine.lp", "--timeout", "3")
    wait_for(lambda: place.drafts)
    place.holding(_BOMB + "more.", "mine.lp")
    return place.ended(process)
