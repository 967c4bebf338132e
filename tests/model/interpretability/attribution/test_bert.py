"""What fills a blank of a BERT, and the class that it gives a text, are attributed to the tokens as
the gradients of `transformers` say.
"""

from pathlib import Path

import pytest
import torch
import transformers

from model.analyses.attribution import attribution
from model.hub import load
from model.inputs.hub_text import HubTokenizer
from model.inputs.input import Input
from model.interpretability.attribution.methods import METHODS
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.hub_models import EAGER, model_of
from tests.model.support.hub_tokenizers import write_folder
from tests.rounding import APPROXIMATED, SINGLE, near, same

TEXT = "The capital of [MASK] is [MASK]."
HEADS = {
    "masked word": transformers.BertForMaskedLM,
    "classes": transformers.BertForSequenceClassification,
}


def known(theirs, vectors: torch.Tensor, place: int, id: int) -> torch.Tensor:
    """ln p(answer) of `transformers`, given the vectors of the tokens."""
    logits = theirs(inputs_embeds=vectors).logits
    rows = logits if logits.ndim == 2 else logits[:, place]  # a class is one for the whole text
    return rows.double().log_softmax(-1)[:, id]


@pytest.mark.parametrize("head", HEADS)
def test_the_answer_of_a_bert_has_the_gradients_of_transformers(head: str, tmp_path: Path):
    folder = write_folder(tmp_path / "bert", "word-piece")
    tokenizer = HubTokenizer.load(folder)
    theirs = model_of(
        lambda draw: HEADS[head](
            transformers.BertConfig(
                vocab_size=tokenizer.size,
                hidden_size=16,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=24,
                max_position_embeddings=32,
                num_labels=3,
                **EAGER,
            )
        ),
        4,
    )
    theirs.save_pretrained(folder)
    config, transformer = load(folder)
    card = {"limits": {"tokens": 32}, "quality": {}, "classes": ["sad", "glad", "neither"]}
    model = Model("bert", config, transformer, tokenizer, card)
    inputs = Input(text=TEXT)
    run = run_model(model, inputs)
    ids = [token.id for token in run.tokens["text"]]
    at = ids.index(tokenizer.mask) if head == "masked word" else 0

    answer = attribution(run, inputs)
    answered = answer.fields["answered"]
    assert answered["position"] == at
    vectors = theirs.get_input_embeddings()(torch.tensor([ids])).detach().requires_grad_()
    whole = known(theirs, vectors, at, answered["id"])
    same(answered["log_probability"], whole.item(), SINGLE, scale=1)
    (slope,) = torch.autograd.grad(whole.sum(), vectors)
    score = dict(zip(answer.axes["method"].labels, answer.tensors["score"].data, strict=True))
    expected = (vectors * slope).sum(-1)[0].detach()
    same(score["gradient"], expected, scale=1)

    points = ((torch.arange(400) + 0.5) / 400)[:, None, None]
    way = (points * vectors.detach()).requires_grad_()
    (slopes,) = torch.autograd.grad(known(theirs, way, at, answered["id"]).sum(), way)
    expected = (vectors[0].detach() * slopes.mean(0)).sum(-1)
    near(score["integrated"], expected, APPROXIMATED, abs=0.002)
    nothing = known(theirs, torch.zeros_like(vectors), at, answered["id"])
    assert answer.fields["completeness"]["complete"]
    near(score["integrated"].sum(), (whole - nothing).item(), APPROXIMATED, abs=0.001)

    for place in range(len(ids)):
        without = vectors.detach().clone()
        without[0, place] = 0
        lost = (whole - known(theirs, without, at, answered["id"])).item()
        same(score["removal"][place], lost, SINGLE, scale=1)
    assert score.keys() == METHODS.keys() - {"logit"}
    assert answer.fields["direct"] is None
    assert answer.fields["notes"][-1].startswith("The method logit is left out")
    subset = attribution(run, inputs, methods="logit, attention")
    assert subset.axes["method"].labels == ["removal", "attention"]
