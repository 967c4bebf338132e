"""The circuits of one head in the token and position basis, and how much every head of its
attention layer copies.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.activation import input_axis
from model.answers.answer import Axis, Labelled, Section, numbered
from model.checks import check_head, check_layer
from model.config import Config
from model.errors import InvalidInput
from model.interpretability.circuits.qk_ov import HeadMatrices, matrices
from model.interpretability.circuits.tokens import (
    TokenCircuit,
    copying,
    ov_circuit,
    qk_circuit,
)
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.runs.run import Run
from model.transformer import Transformer
from model.zoo.models import Model

ATTENTIONS = {"self": "attention", "cross": "cross_attention"}
WORDS, POSITIONS = 5, 32
FORMULAS = {"ov": "E W_V W_O W_U", "qk": "E W_Q W_K^T E^T / √d_head"}


def weights_section(
    run: Run,
    model: Model,
    attention: str | None,
    layer: int | None,
    head: int | None,
    top: int,
    factors: bool,
) -> Section:
    """The circuits of one head, and how much every head of its attention layer copies."""
    config, network = model.config, model.transformer
    stack, kind = chosen_attention(model, attention)
    embedding = network.embedding.vectors(torch.arange(config.vocabulary_size))
    heads = [
        matrices(attention_of(network, stack, layer, kind)) for layer in range(config.layers(stack))
    ]
    circuits = circuits_of(network, heads, embedding)
    copying = copying_of(network, heads, embedding)
    layer, head = chosen_head(model, stack, layer, head, copying["ov"])
    circuits_of_head = {name: make(layer, head) for name, make in circuits.items()}
    read = input_axis(config, "encoder" if kind == "cross" else stack)
    ids = torch.tensor(list(dict.fromkeys(token.id for token in run.tokens[read])))
    axes = {
        "rank": Axis("rank", min(WORDS, config.vocabulary_size)),
        "layer": numbered("layer", list(range(config.layers(stack))), "layer"),
    }
    tensors = {
        f"{name}.copying": Labelled(
            ("layer", "head"), each, "sum of eigenvalues / sum of their absolute values"
        )
        for name, each in copying.items()
    }
    section = (
        Section(axes, tensors)
        | largest_section(
            circuits_of_head, min(top, config.vocabulary_size), model.text_tokenizer.label
        )
        | input_section(circuits_of_head["ov"], ids, model.text_tokenizer.label)
        | positions_section(positions(network, stack, kind, layer, head, embedding))
    )
    fields = {
        "attention": "cross" if kind == "cross" else stack,
        "attentions": attentions_of(config),
        "layer": layer,
        "head": head,
        "layers": config.layers(stack),
        "heads": config.n_heads,
        "vocabulary": config.vocabulary_size,
        "circuits": section.fields,
        "of_positions": network.embedding.scheme != "none",
        "rotated": config.positions.relative == "rope" and kind == "self",
        "normed": config.placement != "none",
    }
    if factors:
        section |= Section({}, thin(circuits_of_head))
    return Section(section.axes, section.tensors, fields)


def circuits_of(
    network: Transformer, heads: list[HeadMatrices], embedding: Tensor
) -> dict[str, Callable[[int, int], TokenCircuit]]:
    """The OV and QK circuits of any layer and head. `heads` are the matrices of each layer."""
    return {
        "ov": lambda layer, head: ov_circuit(heads[layer], head, embedding, network.unembedding),
        "qk": lambda layer, head: qk_circuit(heads[layer], head, embedding),
    }


def copying_of(
    network: Transformer, heads: list[HeadMatrices], embedding: Tensor
) -> dict[str, Float[Tensor, "layer head"]]:
    """How much each head copies, by circuit."""
    raised, looked_for = network.unembedding @ embedding, embedding.mT @ embedding
    return {
        "ov": torch.stack([copying(head.value, raised, head.output) for head in heads]),
        "qk": torch.stack([copying(head.query, looked_for, head.key.mT) for head in heads]),
    }


def largest_section(
    circuits: dict[str, TokenCircuit], top: int, label: Callable[[int], str]
) -> Section:
    """The `top` rows of each circuit with the largest entries, and the fraction of all rows whose
    largest entry is on the diagonal; with a large vocabulary, only some rows are examined.
    """
    section = Section({}, {})
    for name, circuit in circuits.items():
        maxima = circuit.scan()
        largest = maxima.ids[maxima.value.topk(top).indices]
        rows, best = best_of(name, name, circuit, largest, label)
        fields: dict = {"rows": rows, "own": maxima.self_share()}
        if len(maxima.ids) < len(circuit.left):
            fields["scanned"] = len(maxima.ids)
        section |= best | Section({}, {}, {name: fields})
    return section


def input_section(ov: TokenCircuit, ids: Tensor, label: Callable[[int], str]) -> Section:
    """The rows of the OV circuit for the tokens `ids` of the input."""
    rows, section = best_of("ov", "ov.input", ov, ids, label)
    return section | Section({}, {}, {"ov_of_input": rows})


def positions_section(scores: Labelled) -> Section:
    """The scores of positions alone, and their axes."""
    places = list(range(scores.data.shape[0]))
    return Section(
        {name: numbered("position", places, name) for name in scores.axes},
        {"qk.positions": scores},
    )


def attentions_of(config: Config) -> list[str]:
    """The kinds of attention in a text model: self-attention in each stack, and cross-attention if
    it has both.
    """
    return [*config.stacks, *(["cross"] if len(config.stacks) == 2 else [])]


def chosen_attention(model: Model, attention: str | None) -> tuple[str, str]:
    """The stack and kind of an attention layer; by default, the model's last kind."""
    known = attentions_of(model.config)
    attention = known[-1] if attention is None else attention
    if attention not in known:
        raise InvalidInput(
            "no-such-attention",
            field="attention",
            given=attention[:80],
            model=model.id,
            known=known,
        )
    return ("decoder", "cross") if attention == "cross" else (attention, "self")


def attention_of(network: Transformer, stack: str, layer: int, kind: str) -> MultiHeadAttention:
    return getattr(network.stack(stack)[layer], ATTENTIONS[kind])


def chosen_head(
    model: Model, stack: str, layer: int | None, head: int | None, copying: Tensor
) -> tuple[int, int]:
    """The requested head; if layer or head is not given, the one that copies most."""
    if layer is not None:
        check_layer(stack, layer, len(copying))
    if head is not None:
        check_head(model.id, head, copying.shape[1])
    open_to = copying.clone()
    if layer is not None:
        open_to[torch.arange(len(copying)) != layer] = -torch.inf
    if head is not None:
        open_to[:, torch.arange(copying.shape[1]) != head] = -torch.inf
    best = int(open_to.argmax())
    return best // copying.shape[1], best % copying.shape[1]


def best_of(
    formula: str, name: str, circuit: TokenCircuit, ids: Tensor, label: Callable[[int], str]
) -> tuple[list[dict], Section]:
    """The largest entries of each row of a circuit, and the tokens they belong to."""
    best = circuit.rows(ids).topk(min(WORDS, circuit.right.shape[1]))
    texts = [label(id) for id in ids.tolist()]
    rows = [
        {"token": text, "id": id, "words": [label(word) for word in words]}
        for text, id, words in zip(texts, ids.tolist(), best.indices.tolist(), strict=True)
    ]
    axis = f"{name}.row"
    return rows, Section(
        {axis: Axis("vocabulary", len(texts), texts, ids.tolist())},
        {name: Labelled((axis, "rank"), best.values, FORMULAS[formula])},
    )


def thin(circuits: dict[str, TokenCircuit]) -> dict[str, Labelled]:
    """The two factors of each circuit."""
    left = {"ov": "E W_V", "qk": "E W_Q"}
    right = {"ov": "W_O W_U", "qk": "W_K^T E^T / √d_head"}
    return {
        f"{name}.{side}": Labelled(axes, getattr(circuit, side), formula[name])
        for name, circuit in circuits.items()
        for side, axes, formula in (
            ("left", ("vocabulary", "head_channel"), left),
            ("right", ("head_channel", "vocabulary"), right),
        )
    }


def positions(
    network: Transformer, stack: str, kind: str, layer: int, head: int, embedding: Tensor
) -> Labelled:
    """The scores of positions alone, P W_QK P^T. If positions add no vector, the mean token is used
    at every position: with RoPE, its scores still depend on the offset. -inf for masked later keys.
    """
    config, attention = network.config, attention_of(network, stack, layer, kind)
    length = min(POSITIONS, config.max_length)
    positioned = network.embedding.scheme != "none"
    x = (
        network.embedding.position(length).to(embedding.dtype)
        if positioned
        else embedding.mean(0).expand(length, -1)
    )
    sides = matrices(attention)
    part = slice(head, head + 1)
    q, k = (attention.relation.rotate(x @ side[part]) for side in (sides.query, sides.key))
    scores = (q @ k.mT)[0] / attention.d_head**0.5
    if stack == "decoder" and kind == "self" and config.family != "prefix":
        scores = scores.masked_fill(~masks.causal(length), -torch.inf)
    return Labelled(
        ("query_position", "key_position"),
        scores,
        "P W_Q W_K^T P^T / √d_head"
        if positioned
        else "mean token W_Q R W_K^T mean token / √d_head",
        masked=True,
    )
