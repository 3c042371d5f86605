"""Many pairs, unattended, and whatever may not end: in processes that can be killed.

A command about few pairs goes on in a copy of itself, which is watched
(:mod:`~ists_asp.run.watch`). A run has workers (:mod:`~ists_asp.run.pool`); what happens in one is
:mod:`~ists_asp.run.worker`. All take their limits from :mod:`ists_asp.limits` and
:mod:`ists_asp.processes`: time is that of the processor, and who neither computes nor answers is
given up after so many looks, not seconds of a clock, which goes on while a machine sleeps.
"""
