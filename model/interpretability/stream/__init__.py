"""The residual stream: what is written to it, and what reads it. Read residual.py first."""
