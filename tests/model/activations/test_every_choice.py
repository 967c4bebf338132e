"""Every kind of input has its axis, what the logits say of it, and a family that reads it."""

from model.activations import activation, catalogue
from model.config import STACKS
from model.inputs.sizes import INPUTS
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.embedding import VECTORS
from model.layers.residual import PLACEMENTS
from model.runs.run_model import READINGS


def test_every_placement_has_its_equation_and_its_activations():
    assert [*PLACEMENT_NAMES, "parallel"] == list(PLACEMENTS)
    spelled = {name for name, placement in PLACEMENTS.items() if placement.equation is None}
    assert spelled == {"post", "pre", "admin"}


def test_every_kind_of_tokens_has_its_axis_and_what_the_logits_say():
    kinds = set(VECTORS)
    assert kinds == set(activation.AXES) == set(catalogue.SUGGESTED)
    assert kinds - {"queries"} == set(INPUTS), "object queries are no input"


def test_every_kind_of_input_is_read_by_families_that_there_are():
    assert {kind for kind, _ in READINGS} == set(INPUTS)
    assert {family for _, family in READINGS} == {*STACKS, "segments"}
