"""Rules that are faulty, or meant to do harm."""

from .faults import Failed, Same, Told, fault
from .place import FEW, pairs

_BOMB = 'bomb :- word(1,_,"bomb").\n'


def _with(place, rules):
    """Solve undisturbed pairs with rules that make no difference to them."""
    place.pairs().write("mine.lp", rules)
    return place.solve("-q", "--rules", "mine.lp")


def _with_bomb(place, rules, *options):
    place.write("pairs.tsv", pairs(FEW).replace("a dog sits", "a bomb sits", 1))
    place.write("mine.lp", _BOMB + rules)
    return place.solve("--rules", "mine.lp", *options)


@fault("grounding a pair has no end", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "deep(0) :- bomb. deep(N+1) :- deep(N).", "--timeout", "1")


@fault("solving a pair has no end", Failed(("1",), FEW))
def _(place):
    pigeons = "{ in(P,H) : H=1..11 } = 1 :- P=1..12, bomb. :- in(P,H), in(Q,H), P<Q."
    return _with_bomb(place, pigeons, "--timeout", "1")


@fault("a pair takes all memory", Failed(("1",), FEW))
def _(place):
    many = "many(A,B,C,D) :- bomb, A=1..900, B=1..900, C=1..900, D=1..900."
    return _with_bomb(place, many, "--timeout", "50", "--memory", "360")


@fault("a pair has no answer set", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, ":- bomb.")


@fault("what is shown for a pair is no answer", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "label(1,1,evil) :- bomb.")


@fault("what is shown for a pair has tokens that it lacks", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "span_token(1,X,999) :- bomb, aligned(X,_).")


@fault("a pair has two labels for an alignment", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "label(X,Y,noali) :- bomb, aligned(X,Y).")


@fault("a pair has scores that are out of range", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "score(X,Y,99) :- bomb, aligned(X,Y).")


@fault("the weights of a pair overflow", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "#maximize { 2147483647@9,I : bomb, aligned(_,_), I = 1..2 }.")


@fault("a pair divides what overflows", Failed(("1",), FEW))
def _(place):
    return _with_bomb(place, "x(-2147483648/I) :- bomb, I = -1..-1.")


@fault("all pairs divide what overflows", Told("arithmetic overflow"))
def _(place):
    return _with_bomb(place, "x(-2147483648/-1).")


@fault("weights add up to more than 32 bits, and numbers wrap", Same(FEW))
def _(place):
    most = "#maximize { 2147483647@9,I : word(1,I,_) }. n(2147483647+1). n(-2147483648*-1)."
    return _with(place, most)


@fault("terms are nested so deeply that clingo crashes", Told("the rules cannot be loaded"))
def _(place):
    return _with_bomb(place, f"p({'f(' * 30_000}1{')' * 30_000}).")


@fault("terms are nested deeper than Python goes", Same(FEW))
def _(place):
    return _with(place, f":- p({'f(' * 2000}X{')' * 2000}).")


@fault("a rule file includes a device", Told('"/dev/zero" lies outside the rule folder'))
def _(place):
    return _with_bomb(place, '#include "/dev/zero".')


@fault("a rule file runs a script", Told("#script is refused"))
def _(place):
    return _with_bomb(place, "#script (python) import os; os.abort() #end.")


@fault("the rules change while a worker is replaced", Told("a rule file has changed"))
def _(place):
    place.write("mine.lp", _BOMB + "deep(0) :- bomb. deep(N+1) :- deep(N).")
    place.write("pairs.tsv", "0\ta bomb\ta bomb\n1\ta cat\ta dog\n")
    process = place.start("--rules", "mine.lp", "--timeout", "3")
    from .place import wait_for

    wait_for(lambda: place.drafts)
    place.write("mine.lp", _BOMB + "more.")
    return place.ended(process)
