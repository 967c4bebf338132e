"""The web around the mathematics. Only app/worker.py and the training command reach torch."""
