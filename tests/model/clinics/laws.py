"""The table of laws of each clinic: in its own file, or in one of those that it is made of."""

from functools import cache
from importlib import import_module

from model.answers.laws import Law
from model.clinics import CLINICS

ELSEWHERE = {
    "circuits_theory": "circuit_findings",
    "probes": "probe_findings",
    "recurrence": "recurrence_laws",
}
TABLES = sorted(set(CLINICS) - {"claims"})
"""The clinics that have one: /claims has a law for each claim."""


@cache
def laws_of(clinic: str) -> dict[str, Law]:
    place = f"measure.{ELSEWHERE[clinic]}" if clinic in ELSEWHERE else f"clinics.{clinic}"
    return import_module(f"model.{place}").LAWS
