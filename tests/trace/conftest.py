"""Traces of the samples, and of rule texts."""

from functools import cache
from itertools import count

import pytest

from benchmarks.sets import SAMPLES, SETS, read_set
from ists_asp.io.store import Store
from ists_asp.rules import find_rules, load_rules
from ists_asp.solver import Solver, SolverOptions
from ists_asp.trace import Tracer
from tests.sharing import make_pair, shared_system

PAIR = make_pair("a", "b")
# What an answer needs, as all atoms are shown.
CHUNKS = "first(1,1,1). first(2,1,1). noali(1,1). noali(2,1).\n#defined in/1.\n"
SCENARIOS = [(name, chunked) for name in SETS for chunked in (False, True)]

system = shared_system


@cache
def sample_traces(name, chunked, most=None):
    """The traces of a sample set, with gold chunks or without; of its first pairs at most."""
    found = read_set(SAMPLES / name)
    return list(system(name).trace_many((found.chunked if chunked else found.plain)[:most]))


@pytest.fixture(
    params=SCENARIOS, ids=lambda value: f"{value[0]}-{'given' if value[1] else 'found'}"
)
def scenario(request):
    """A sample set, and whether its chunks are given."""
    return request.param


@pytest.fixture
def traces(scenario):
    return sample_traces(*scenario)


@pytest.fixture(params=["fresh", "kept"])
def trace(request, tmp_path):
    """Trace a rule text with facts, at once or by what an earlier tracer has kept."""
    numbers, kept = count(), request.param == "kept"
    store = Store(tmp_path) if kept else None

    def trace(text, facts=(), constants=None):
        path = tmp_path / f"{next(numbers)}.lp"
        path.write_text(CHUNKS + text, encoding="utf-8")

        def tracer():
            rules = load_rules(find_rules(path, "x.lp"), store=store)
            return Tracer(rules, Solver(rules, SolverOptions(constants=constants or {})))

        if kept:
            # What a variable stands for is worked out when somebody asks.
            assert tracer().reified.places
        return tracer().trace(PAIR, list(facts))

    return trace
