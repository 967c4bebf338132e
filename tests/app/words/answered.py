"""What an answer holds, read by the names of axes and findings, and answers with other numbers in
them: what is said follows from the answer alone, so each branch of a sentence can be had.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from model.answers.answer import Answer
from model.answers.laws import Law
from model.answers.measurements import Finding, verdict_fields

Question = dict[str, Any]


def cut(answer: Answer, tensor: str, **places: str | int) -> np.ndarray:
    """The slice of a tensor at the label, or at the number, of some of its axes."""
    labelled = answer.tensors[tensor]
    at: list[Any] = [slice(None)] * len(labelled.axes)
    for axis, place in places.items():
        labels = answer.axes[axis].labels
        found = place if isinstance(place, int) else (labels or []).index(place)
        at[labelled.axes.index(axis)] = found
    return labelled.data.detach().double().numpy()[tuple(at)]


def found(answer: Answer, name: str) -> Finding:
    (finding,) = [each for each in answer.fields["findings"] if each.name == name]
    return finding


def measured(answer: Answer, name: str) -> float:
    """The value of a finding, or the mean of its seeds."""
    finding = found(answer, name)
    number = finding.value if finding.value is not None else finding.mean
    assert number is not None
    return number


def with_finding(answer: Answer, name: str, /, **fields: Any) -> Answer:
    """The answer with other fields in a finding."""
    findings = [
        replace(each, **fields) if each.name == name else each for each in answer.fields["findings"]
    ]
    return replace(answer, fields=answer.fields | {"findings": findings}, inputs=answer.axes)


def with_number(answer: Answer, name: str, number: float) -> Answer:
    """The answer with another number in a finding, judged anew without an interval."""
    finding = found(answer, name)
    place = "value" if finding.value is not None else "mean"
    law = Law(name, text=finding.law, band=finding.band, unit=finding.unit)
    fields = verdict_fields(law, number, None, finding.premise)
    return with_finding(answer, name, **fields, **{place: number})


def with_tensor(answer: Answer, name: str, data: torch.Tensor | np.ndarray) -> Answer:
    """The answer with other numbers in a tensor."""
    tensor = replace(answer.tensors[name], data=torch.as_tensor(data))
    return replace(answer, tensors=answer.tensors | {name: tensor}, inputs=answer.axes)


def number(name: str) -> Callable[[Answer, Question], float]:
    """The field that is the number of a finding."""
    return lambda answer, _: measured(answer, name)


def with_fields(answer: Answer, **fields: Any) -> Answer:
    """The answer with other fields."""
    return replace(answer, fields=answer.fields | fields, inputs=answer.axes)
