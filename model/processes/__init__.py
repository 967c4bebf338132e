"""Processes that run a clinic at length, each with `python -m`: a training that is followed live,
and the recipes of the included ones.
"""
