"""Where questions are answered: engine, turns, caches, and the processes that hold torch."""

ANALYSES = "model.analyses"
"""The module that answers, unless a test names another."""
