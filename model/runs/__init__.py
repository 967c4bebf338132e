"""Runs: an input and a model become a `Run`, which holds every number computed on the way. Read
run.py first, then text.py; other files do the same for other kinds of input. strategies.py has the
ways in which a model can continue its input.
"""
