"""Weights learned from gold; features are read from the ground program, so every rule counts.

``learn`` grounds the feature rules on gold pairs (:mod:`~ists_asp.learn.examples`), fits linear
models of the four decisions (:mod:`~ists_asp.learn.fit`), and cross-validates them
(:mod:`~ists_asp.learn.cross`).
"""
