"""A name is taken apart once and put together again as it was."""

import pytest

from model.activations.catalogue import activations
from model.activations.site import Site
from tests.model.support.small import small

NAMES = {
    "decoder.2.cross_attention.scores": Site("scores", "cross_attention", 2, "decoder"),
    "encoder.embedding.norm.mean": Site("mean", "embedding.norm", None, "encoder"),
    "encoder.norm.out": Site("out", "norm", None, "encoder"),
    "decoder.11.memory": Site("memory", "", 11, "decoder"),
    "decoder.attention": Site("attention", "", None, "decoder"),
    "encoder.0.attention.output.weight": Site("weight", "attention.output", 0, "encoder"),
    "embedding.norm.bias": Site("bias", "embedding.norm"),
    "bypass.norm.mean": Site("mean", "bypass.norm"),
    "box.raw": Site("raw", "box"),
    "logits": Site("logits"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_has_a_stack_a_layer_a_part_and_a_value(name):
    assert Site.parse(name) == NAMES[name]


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_every_activation_and_every_parameter_is_printed_as_it_was_read(placement):
    model = small(placement=placement, normed_embedding=True)
    names = [*activations(model.config), *(name for name, _ in model.named_parameters()), *NAMES]
    assert [str(Site.parse(name)) for name in names] == names


def test_all_layers_of_a_stack_share_a_mask():
    sites = [Site.parse(f"decoder.{layer}.cross_attention.mask") for layer in (0, 1)]
    assert {str(site.of_stack) for site in sites} == {"decoder.cross_attention.mask"}
    assert [site.scope for site in sites] == [
        "decoder.0.cross_attention",
        "decoder.1.cross_attention",
    ]


def test_the_scope_of_a_value_that_belongs_to_the_whole_model_is_empty():
    assert Site.parse("logits").scope == ""
