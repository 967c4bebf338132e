"""The recurrent encoder-decoder against torch.nn and NumPy, and how far a gradient passes when
back-propagation is truncated.
"""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from model.recurrent.encoder_decoder import EncoderDecoder, RecurrentConfig
from model.trace import Recorder, Trace
from model.zoo.initialisation import initialise
from tests.rounding import same

VOCABULARY, EMBEDDING, HIDDEN = 7, 3, 4
SOURCE, TARGET = torch.tensor([[3, 4, 5, 6]]), torch.tensor([[1, 6, 5, 4, 3]])
KINDS = list(itertools.product(("rnn", "lstm"), (False, True)))
every_kind = pytest.mark.parametrize(("cell", "attention"), KINDS)


def network(cell: str, attention: bool) -> EncoderDecoder:
    config = RecurrentConfig(
        cell=cell,
        attention=attention,
        vocabulary_size=VOCABULARY,
        d_embedding=EMBEDDING,
        n_hidden=HIDDEN,
    )
    return initialise(EncoderDecoder(config), torch.Generator().manual_seed(0)).double()


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_without_attention_it_is_two_networks_of_torch_one_after_the_other(cell):
    ours = network(cell, attention=False)

    def copied(part) -> nn.RNNBase:
        theirs = {"rnn": nn.RNN, "lstm": nn.LSTM}[cell](EMBEDDING, HIDDEN, batch_first=True)
        theirs.double()
        theirs.weight_ih_l0.data = part.input.weight.mT.clone()
        theirs.weight_hh_l0.data = part.recurrent.weight.mT.clone()
        theirs.bias_ih_l0.data = part.input.bias.clone()
        theirs.bias_hh_l0.data.zero_()
        return theirs

    _, state = copied(ours.encoder)(ours.embedding[SOURCE])
    states, _ = copied(ours.decoder)(ours.embedding[TARGET], state)
    same(ours(SOURCE, TARGET), ours.output(states), scale=1)


def test_with_attention_an_rnn_is_its_equations_written_out_in_numpy():
    ours = network("rnn", attention=True)
    p = {name: value.detach().numpy() for name, value in ours.named_parameters()}
    h, annotations = np.zeros(HIDDEN), []
    for id in SOURCE[0].tolist():
        x = p["embedding"][id]
        h = np.tanh(
            x @ p["encoder.input.weight"]
            + h @ p["encoder.recurrent.weight"]
            + p["encoder.input.bias"]
        )
        annotations.append(h)
    s, logits = h, []
    for id in TARGET[0].tolist():
        e = np.array(
            [
                np.tanh(s @ p["attention.w_q"] + h @ p["attention.w_k"]) @ p["attention.v"]
                for h in annotations
            ]
        )
        alpha = np.exp(e) / np.exp(e).sum()
        c = alpha @ np.array(annotations)
        y = np.concatenate([p["embedding"][id], c])
        s = np.tanh(
            y @ p["decoder.input.weight"]
            + s @ p["decoder.recurrent.weight"]
            + p["decoder.input.bias"]
        )
        logits.append(np.concatenate([s, c]) @ p["output.weight"] + p["output.bias"])
    same(ours(SOURCE, TARGET)[0].detach(), np.array(logits), scale=1)


@every_kind
def test_the_decoder_never_looks_ahead(cell, attention):
    ours = network(cell, attention)
    other = TARGET.clone()
    other[0, -1] = 5
    same(ours(SOURCE, TARGET)[:, :-1], ours(SOURCE, other)[:, :-1])


def gradients_at_embeddings(ours: EncoderDecoder, truncation: int | None) -> list[float]:
    """The size of the gradient of the last step's output at every embedding, in the order in which
    they are read.
    """
    read = {}

    def from_here(name, value):
        if name.endswith("embedding.token"):
            read[name] = value.detach().requires_grad_()
            return read[name]
        return value

    logits = ours(SOURCE, TARGET, Trace(from_here), truncation)
    found = torch.autograd.grad(
        logits[0, -1].square().sum(), list(read.values()), materialize_grads=True
    )
    return torch.cat(found, dim=1)[0].norm(dim=-1).tolist()


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
@pytest.mark.parametrize("truncation", [1, 2, 3, 4, 8])
def test_truncated_a_gradient_ends_at_the_last_cut(cell, truncation):
    ours = network(cell, attention=False)
    whole, cut = (gradients_at_embeddings(ours, steps) for steps in (None, truncation))
    last_cut = (len(whole) - 1) // truncation * truncation
    assert cut[:last_cut] == [0] * last_cut
    same(cut[last_cut:], whole[last_cut:])
    assert all(size > 0 for size in whole)


def test_a_gradient_through_an_rnn_is_the_product_of_its_jacobians():
    """d h_T / d h_t is the product of diag(1 - h^2) U over the steps between."""
    ours = network("rnn", attention=False)
    trace = Recorder()
    x = ours.embedding[SOURCE].detach().requires_grad_()
    state, states = ours.encoder.initial(1), []
    for x_j in x.unbind(1):
        state = ours.encoder(x_j, state)
        states.append(state[0])
    ours.encode(SOURCE, trace)
    same(trace.values["hidden"], torch.stack(states, 1))
    u = ours.encoder.recurrent.weight.detach()
    jacobian = torch.eye(HIDDEN, dtype=torch.float64)
    for h in reversed(states[1:]):
        jacobian = u @ torch.diag(1 - h[0].detach() ** 2) @ jacobian
    w = ours.encoder.input.weight.detach()
    expected = (
        w @ torch.diag(1 - states[0][0].detach() ** 2) @ jacobian @ torch.ones(HIDDEN).double()
    )
    (found,) = torch.autograd.grad(states[-1].sum(), x)
    same(found[0, 0], expected)


@every_kind
def test_truncation_changes_no_number(cell, attention):
    ours = network(cell, attention)
    for truncation in (1, 3, 100):
        assert torch.equal(ours(SOURCE, TARGET), ours(SOURCE, TARGET, truncation=truncation))
