"""Analytic results: masks and position encodings by formula, without a run and without weights."""
