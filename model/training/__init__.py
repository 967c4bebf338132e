"""Training of the included models, from data through checkpoints to weights and a card. Read
loop.py first: it has `Recipe`, `Task`, and the only training loop. registry.py lists the recipes.
"""
