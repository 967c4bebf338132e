"""Where questions are answered: engine, turns, caches, and the processes that hold torch."""

WORKER, NURSERY = "app.worker.process", "app.worker.nursery"
"""What runs in the process of the worker, and what the process that it is forked from imports."""
ANALYSES = "model.analyses"
"""The module that answers, unless a test names another."""
