"""Weights learned from gold: features are read out of the ground program, so every rule counts.

``learn`` grounds the feature rules on gold pairs (:mod:`~ists_asp.learn.examples`), fits
regularised linear models to the four decisions and writes their weights as facts
(:mod:`~ists_asp.learn.fit`), and chooses how readily to align (:mod:`~ists_asp.learn.cross`).
"""
