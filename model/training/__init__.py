"""Training of the shipped models, from data over checkpoints to weights and a card. Read loop.py
first: it holds `Recipe`, `Task` and the one training loop. registry.py lists the recipes.
"""
