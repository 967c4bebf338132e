"""The fields of a question, as the signature of its analysis says them."""

from inspect import signature

from model.analyses import INPUT, OF_EDITS, function_of, parameters_by_type, takes_edits
from model.inputs.input import Input
from model.runs.run import BaselineRun, Run
from model.zoo.models import Model


def asked_fields(word: str) -> set[str]:
    analyse = function_of(word)
    kinds = parameters_by_type(analyse)
    names = {
        name
        for name, parameter in signature(analyse).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in kinds.values()
    }
    names |= set(OF_EDITS) if takes_edits(word) else set()
    return names | ({"model", *INPUT} if kinds.keys() & {Run, BaselineRun, Model, Input} else set())
