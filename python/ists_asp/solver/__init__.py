"""Facts of pairs in, their best answers out, within a time limit."""

from ists_asp.solver.search import Solution, SolverOptions
from ists_asp.solver.single import Best
from ists_asp.solver.solver import Solver

__all__ = ["Best", "Solution", "Solver", "SolverOptions"]
