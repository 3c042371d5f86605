"""A trace as JSON: a graph of atoms and firings in which nothing leads in a circle.

The shape is described by ``data/schema/trace.schema.json``; :data:`VERSION` changes when
something is renamed or removed, not when something is added. Numbers refer to places in the
lists ``rules``, ``atoms`` and ``firings``, from 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import clingo
from msgspec import json, to_builtins

from ists_asp.resources import gc_paused
from ists_asp.rules import NamedRule
from ists_asp.syntax.ground import Ground, plain
from ists_asp.trace.contrast import runner_up
from ists_asp.trace.decisions import Decision, decisions, in_words
from ists_asp.trace.effects import restraints
from ists_asp.trace.grounding import RuleInstance
from ists_asp.trace.probes import Kind, Probe
from ists_asp.trace.trace import Trace

VERSION = 1
Json = dict[str, Any]


def trace_line(trace: Trace) -> str:
    """A trace as one line of JSON, with its end; decisions are not compared with others."""
    with gc_paused():
        record = document(trace, compare=False)
        return f"{json.encode(record, enc_hook=str.__str__).decode()}\n"


def document(
    trace: Trace,
    chosen: Iterable[Decision] | None = None,
    *,
    everything: bool = False,
    compare: bool = True,
) -> Json:
    """A trace as JSON, of all decisions or of those that are ``chosen``.

    With ``everything`` it follows all firings that derive an atom, not the first only. To
    ``compare`` is to look for what came second to each decision, which takes a search each.
    """
    found = decisions(trace) if chosen is None else tuple(chosen)
    return _Document(trace, everything, compare).write(found, whole=chosen is None)


class _Document:
    """Numbers what the decisions rest on."""

    def __init__(self, trace: Trace, everything: bool, compare: bool) -> None:
        self._trace = trace
        self._compare = compare
        self._everything = everything
        self._rules: dict[tuple[NamedRule, Kind], int] = {}
        self._atoms: dict[Ground, int] = {}
        self._numbers: dict[int, int] = {}
        self._firings: list[Json] = []
        self._open: list[Ground] = []

    def write(self, found: Iterable[Decision], *, whole: bool) -> Json:
        trace = self._trace
        records = [self._decision(decision) for decision in found]
        every = trace.objective if whole else [term for one in found for term in one.terms]
        terms = {id(term): term for term in every}
        numbers = {key: number for number, key in enumerate(terms)}
        for decision, record in zip(found, records, strict=True):
            record["objective"] = [numbers[id(term)] for term in decision.terms]
        objective = [
            {
                "rule": self._rule(term.firings[0].probe),
                "priority": term.priority,
                "weight": term.weight,
                "tuple": list(term.terms),
                "atoms": list(map(self._atom, term.firings[0].positive)),
                "text": trace.says(term.firings[0]),
            }
            for term in terms.values()
        ]
        # Rules and firings are numbered while atoms are followed.
        atoms = self._follow()
        pair, files = trace.answer.pair, trace.reified.rules.files
        record = {
            "version": VERSION,
            "program": [{"path": file.name, "sha256": file.sha256} for file in files],
            "solver": {
                "clingo": clingo.__version__,
                "arguments": list(trace.reified.solver.arguments),
                "exhausted": trace.best.found.optimal,
            },
            "pair": {
                "id": pair.id,
                "tokens1": [token.form for token in pair.sent1.tokens],
                "tokens2": [token.form for token in pair.sent2.tokens],
            },
            "cost": [{"priority": level, "value": cost} for level, cost in trace.cost.items()],
            "knowledge": list(trace.reified.knowledge),
            "decisions": records,
            "rules": [
                {key: getattr(rule, key) for key in ("name", "file", "line", "column")}
                | {"kind": str(kind), "text": rule.text, "template": rule.sentence}
                for rule, kind in self._rules
            ],
            "atoms": atoms,
            "firings": self._firings,
            "objective": objective,
        }
        if whole:
            record["restraints"] = to_builtins(list(restraints(trace)))
        if trace.rating is not None and whole:
            own = _Document(trace.rating, self._everything, self._compare)
            record["rating"] = own.write(decisions(trace.rating), whole=True)
        return record

    def _decision(self, decision: Decision) -> Json:
        second = runner_up(self._trace, decision) if self._compare else None
        return {
            "kind": str(decision.kind),
            "selector": decision.selector,
            "text": decision.text,
            "atom": self._atom(decision.atom),
            "tokens1": list(decision.tokens1),
            "tokens2": list(decision.tokens2),
            "runner_up": second
            and {
                "by": [{"priority": priority, "gain": gain} for priority, gain in second.by],
                "gone": list(in_words(self._trace, second.gone)),
                "come": list(in_words(self._trace, second.come)),
            },
        }

    def _follow(self) -> list[Json]:
        """The records of all atoms, after following what they rest on."""
        records: dict[Ground, Json] = {}
        while self._open:
            atom = self._open.pop()
            reasons = self._trace.reasons(atom)
            followed = reasons if self._everything else reasons[:1]
            numbers = [self._firing(firing) for firing in followed]
            stratum, level = self._trace.rank(atom)
            records[atom] = {
                "text": atom,
                "source": "derived" if reasons else "input",
                "rank": [stratum, level],
                "primary": numbers[0] if numbers else None,
                "others": numbers[1:],
                "reasons": len(reasons),
            }
        return [records[atom] for atom in self._atoms]

    def _atom(self, atom: Ground) -> int:
        if atom not in self._atoms:
            self._atoms[atom] = len(self._atoms)
            self._open.append(atom)
        return self._atoms[atom]

    def _rule(self, probe: Probe) -> int:
        return self._rules.setdefault((probe.rule, probe.kind), len(self._rules))

    def _firing(self, firing: RuleInstance) -> int:
        # The trace has one object for a firing, and holds it.
        if id(firing) in self._numbers:
            return self._numbers[id(firing)]
        number = self._numbers[id(firing)] = len(self._numbers)
        probe = firing.probe
        # Most rules have nothing of the last kinds.
        self._firings.append(
            {
                "rule": self._rule(probe),
                "text": self._trace.says(firing),
                "bindings": firing.values,
                "head": self._atom(firing.head),
                "positive": list(map(self._atom, firing.positive)),
                "negative": list(map(plain, firing.negative)) if probe.atoms.negative else [],
                "double_negative": list(map(plain, firing.double)) if probe.atoms.double else [],
                "comparisons": list(firing.comparisons) if probe.comparisons else [],
                "groups": self._groups(firing) if probe.companions else [],
            }
        )
        return number

    def _groups(self, firing: RuleInstance) -> list[Json]:
        return [
            {
                "function": group.companion.function or None,
                "text": group.text,
                "elements": [
                    {
                        "terms": list(element.terms),
                        "positive": list(map(self._atom, element.positive)),
                        "negative": list(map(plain, element.negative)),
                    }
                    for element in group.elements
                ],
            }
            for group in self._trace.groups(firing)
        ]
