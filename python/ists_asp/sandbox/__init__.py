"""Whatever may not end runs in a process that can be killed.

Three ways, for three needs. A command about few pairs goes on in a copy of itself, and the parent
watches (:mod:`~ists_asp.sandbox.guard`). A run by rules that somebody wrote has one worker, a copy
that is quick to begin (:mod:`~ists_asp.sandbox.forked`). Long pairs, many pairs and several jobs
have workers that begin from nothing (:mod:`~ists_asp.sandbox.pool`). All three take their limits
from :mod:`ists_asp.limits` and :mod:`ists_asp.processes`, and decide pairs by
:mod:`~ists_asp.sandbox.worker`'s ``Decider`` or inside :func:`ists_asp.edge.inside`.
"""
