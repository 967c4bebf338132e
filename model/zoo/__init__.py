"""The shipped models, loaded and checked, with their training checkpoints. Read models.py first."""
