"""Rules that are faulty, or meant to do harm."""

from __future__ import annotations

from .faults import Failed, Told, fault
from .place import FEW, Ending, Place, pairs

_BOMB = 'bomb :- word(1,_,"bomb").\n'


def _with_bomb(place: Place, rules: str, *options: str) -> Ending:
    place.write("pairs.tsv", pairs(FEW).replace("a dog sits", "a bomb sits", 1))
    place.write("mine.lp", _BOMB + rules)
    return place.solve("--rules", "mine.lp", *options)


@fault("grounding a pair has no end", Failed(("1",), FEW))
def _(place: Place) -> Ending:
    return _with_bomb(place, "deep(0) :- bomb. deep(N+1) :- deep(N).", "--timeout", "1")


@fault("solving a pair has no end", Failed(("1",), FEW))
def _(place: Place) -> Ending:
    pigeons = "{ in(P,H) : H=1..11 } = 1 :- P=1..12, bomb. :- in(P,H), in(Q,H), P<Q."
    return _with_bomb(place, pigeons, "--timeout", "1")


@fault("a pair takes all memory", Failed(("1",), FEW))
def _(place: Place) -> Ending:
    many = "many(A,B,C,D) :- bomb, A=1..900, B=1..900, C=1..900, D=1..900."
    return _with_bomb(place, many, "--timeout", "50", "--memory", "360")


@fault("a pair has no answer set", Failed(("1",), FEW))
def _(place: Place) -> Ending:
    return _with_bomb(place, ":- bomb.")


@fault("what is shown for a pair is no answer", Failed(("1",), FEW))
def _(place: Place) -> Ending:
    return _with_bomb(place, "label(1,1,evil) :- bomb.")


@fault("what is shown for a pair has tokens that it lacks", Failed(("1",), FEW))
def _(place: Place) -> Ending:
    return _with_bomb(place, "span_token(1,X,999) :- bomb, aligned(X,_).")


@fault("a weight overflows", Failed((), FEW))
def _(place: Place) -> Ending:
    most = "#maximize { 2147483647@9,I : word(1,I,_) }. n(2147483647+1). n(-2147483648*-1)."
    ending = _with_bomb(place, most)
    assert ending.code == 0
    return Ending(3, "", "warning: no answer for 0 of 6 pairs: ", ending.seconds)


@fault("terms are nested so deeply that clingo crashes", Told("the rules cannot be loaded"))
def _(place: Place) -> Ending:
    return _with_bomb(place, f"p({'f(' * 30_000}1{')' * 30_000}).")


@fault("terms are nested deeper than Python goes", Failed((), FEW))
def _(place: Place) -> Ending:
    ending = _with_bomb(place, f":- p({'f(' * 2000}X{')' * 2000}).")
    assert ending.code == 0
    return Ending(3, "", "warning: no answer for 0 of 6 pairs: ", ending.seconds)


@fault("a rule file includes a device", Told('"/dev/zero" lies outside the rule folder'))
def _(place: Place) -> Ending:
    return _with_bomb(place, '#include "/dev/zero".')


@fault("a rule file runs a script", Told("#script is refused"))
def _(place: Place) -> Ending:
    return _with_bomb(place, "#script (python) import os; os.abort() #end.")


@fault("the rules change while a worker is replaced", Told("a rule file has changed"))
def _(place: Place) -> Ending:
    place.write("mine.lp", _BOMB + "deep(0) :- bomb. deep(N+1) :- deep(N).")
    place.write("pairs.tsv", "0\ta bomb\ta bomb\n1\ta cat\ta dog\n")
    process = place.start("--rules", "mine.lp", "--timeout", "3")
    from .place import wait_for

    wait_for(place.journal.exists)
    place.write("mine.lp", _BOMB + "more.")
    errors = process.communicate()[1]
    return Ending(process.returncode, "", errors, 0.0)
