"""Runs: an input and a model become a `Run`, which holds every number computed on the way. Read
run.py first, then text.py; other files do the same for other kinds of input. strategies.py is how a
question chooses the way in which a model goes on with its input.
"""
