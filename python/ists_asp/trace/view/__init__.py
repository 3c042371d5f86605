"""Traces as people and programs read them: decisions, trees, JSON."""
