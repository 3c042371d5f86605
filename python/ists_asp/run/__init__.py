"""Processes that can be killed, for work that may never end.

Such work is a question. :mod:`~ists_asp.run.pool` asks and watches; :mod:`~ists_asp.run.worker`
answers and has the questions about single pairs. :mod:`ists_asp.limits` has the limits.
"""
