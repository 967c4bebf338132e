"""The outputs of the networks of /recurrence for a word, and the attention of those that have
it.
"""

from itertools import takewhile

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Axis, Labelled
from model.errors import InvalidInput
from model.recurrent.names import ATTENDING
from model.recurrent.reversal import decoder_input, expected, write_words
from model.recurrent.reversers import (
    LONGEST,
    NETWORKS,
    TOKENIZER,
    Reverser,
    TransformerReverser,
    load_reverser,
)
from model.trace import Recorder


def read_word(text: str) -> Tensor:
    """The letters of `text` as a batch of one word. Raises InvalidInput for other characters, for
    no letters, and for more than LONGEST.
    """
    ids = [token.id for token in TOKENIZER.encode(text)]
    if not 1 <= len(ids) <= LONGEST:
        raise InvalidInput(
            "word-of-other-length",
            field="text",
            limit=LONGEST if ids else 1,
            given=len(ids),
            most=LONGEST,
        )
    return torch.tensor([ids])


def written_by_all(
    word: Tensor, training: int
) -> tuple[dict[str, Axis], dict[str, Labelled], list[dict]]:
    """The output of each network for `word`, and the attention weights under teacher forcing: axes,
    tensors, and the letters themselves.
    """
    n = word.shape[1]
    networks = {name: load_reverser(name, training) for name in NETWORKS}
    found = {name: write_words(networks[name], word) for name in progress.steps(list(NETWORKS))}
    maps = {name: alignments(networks[name], word) for name in ATTENDING}
    heads = maps["transformer"]
    sharpest = int((heads * wanted(n)).sum((-1, -2)).argmax())
    maps_by_name = {
        "rnn-attention": maps["rnn-attention"][0],
        "lstm-attention": maps["lstm-attention"][0],
        "transformer": heads.mean(0),
        f"transformer, head {sharpest}": heads[sharpest],
    }
    letters = [TOKENIZER.label(id) for id in word[0].tolist()]
    targets = [TOKENIZER.label(id) for id in expected(word)[0].tolist()]
    axes = {
        "map": Axis("step", len(maps_by_name), list(maps_by_name)),
        "step": Axis("position", n + 1, targets),
        "letter": Axis("position", n, letters),
    }
    probabilities = torch.stack([probability[0] for _, probability in found.values()])
    tensors = {
        "written": Labelled(("network", "step"), probabilities, "max softmax(logits)"),
        "alignment": Labelled(
            ("map", "step", "letter"), torch.stack(list(maps_by_name.values())), "alpha_ij"
        ),
    }
    writings = []
    for name, (tokens, _) in found.items():
        ids = tokens[0].tolist()
        ids = list(takewhile(lambda id: id not in TOKENIZER.frame.ends, ids))
        labels = [TOKENIZER.label(id) for id in tokens[0].tolist()]
        whole = tokens[0].tolist() == expected(word)[0].tolist()
        writings.append(
            {"network": name, "text": TOKENIZER.decode(ids), "tokens": labels, "right": whole}
        )
    return axes, tensors, writings


@torch.no_grad()
def alignments(network: Reverser, word: Tensor) -> Float[Tensor, "head step letter"]:
    """The weights over the letters of `word` before each writing step: those of Bahdanau's
    attention, with one head, or of the last cross-attention layer.
    """
    trace = Recorder()
    network(word, decoder_input(word), trace)
    if isinstance(network, TransformerReverser):
        last = network.transformer.config.n_decoder_layers - 1
        return trace.values[f"decoder.{last}.cross_attention.pattern"][0]
    steps = range(word.shape[1] + 1)
    each = [trace.values[f"decoder.{step}.attention.pattern"] for step in steps]
    return torch.cat(each, dim=1)


def wanted(n: int) -> Float[Tensor, "step letter"]:
    """1 where a step must write that letter; the last step must write </s>, not a letter."""
    return torch.cat([torch.eye(n).flip(1), torch.zeros(1, n)])
