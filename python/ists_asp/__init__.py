"""Interpretable semantic textual similarity, decided by answer set programming rules.

::

    import ists_asp

    with ists_asp.load("headlines") as system:
        answer = system.solve("12 killed in bus accident", "10 killed in road accident")
    for alignment in answer.alignments:
        print(alignment.label, alignment.score)
"""

from ists_asp.engine import System, load

__version__ = "0.1.0"
__all__ = ["System", "__version__", "load"]
