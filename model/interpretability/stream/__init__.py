"""The residual stream: what is added to it, and what reads it. Read residual.py first."""
