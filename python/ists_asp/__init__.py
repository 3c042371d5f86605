"""Interpretable semantic textual similarity, decided by answer set programming rules.

::

    import ists_asp

    with ists_asp.load("headlines") as system:
        answer = system.solve("12 killed in bus accident", "10 killed in road accident")
    for alignment in answer.alignments:
        print(alignment.label, alignment.score)
"""

from __future__ import annotations

from ists_asp._version import __version__

# As in typing, which takes too long to import: Ctrl-C could come meanwhile.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from ists_asp.engine import SolvedAnswer, System, load
    from ists_asp.pipeline.frames import solve_frame

__all__ = ["SolvedAnswer", "System", "__version__", "load", "solve_frame"]


def __getattr__(name: str) -> object:
    # Imported when asked for: the engine brings clingo, which `ists-asp --help` can do without.
    if name in ("SolvedAnswer", "System", "load"):
        from ists_asp import engine

        return getattr(engine, name)
    if name == "solve_frame":
        from ists_asp.pipeline import frames

        return frames.solve_frame
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # Completion in a Python shell finds what is imported when asked for, and nothing else.
    return list(__all__)
