"""The fields of a question, as the signature of its analysis says them."""

from inspect import signature

from model.analyses import INPUT, function_of, parameters_by_type
from model.inputs.given import Input
from model.runs.run import Run
from model.zoo.models import Model


def asked_fields(word: str) -> set[str]:
    analyse = function_of(word)
    supplied = parameters_by_type(analyse)
    own = {
        name
        for name, parameter in signature(analyse).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in supplied.values()
    }
    return own | ({"model", *INPUT} if supplied.keys() & {Run, Model, Input} else set())
