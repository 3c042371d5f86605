"""Processes that can be killed, for many pairs unattended and for whatever may not end.

What may take for ever is a question. Who asks, and watches, is :mod:`~ists_asp.run.pool`; who
answers is :mod:`~ists_asp.run.worker`, which has the questions about single pairs as well. Limits
are :mod:`ists_asp.limits` and :mod:`ists_asp.processes`.
"""
