"""Facts of pairs in, their best answers out, within a time limit."""

from ists_asp.solver.search import Solution, SolverOptions
from ists_asp.solver.solver import Best, Solver

__all__ = ["Best", "Solution", "Solver", "SolverOptions"]
