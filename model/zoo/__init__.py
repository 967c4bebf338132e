"""The included models, loaded and verified, with their training checkpoints. Read models.py
first.
"""
