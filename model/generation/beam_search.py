"""Beam search: the most probable texts so far are extended in parallel, and the best of them is the
result.

The score of a hypothesis is the sum of the log-probabilities of its tokens, including its end,
without length normalization. A finished hypothesis keeps its place as long as its score is among
the best. Extending a text cannot increase its score, so the search stops when the best hypothesis
is finished, or at the limit. With one beam, the search is greedy decoding; V^T beams find the best
of all texts with T tokens.
"""

from dataclasses import dataclass

import torch

from model.generation.decoding import Decoder, permitted, read
from model.generation.ties import first, width
from model.inputs.text import Frame


@dataclass(frozen=True)
class Node:
    """One hypothesis: its last token and the index `parent` of the hypothesis that it extends. Node
    0 is the prompt and has no parent. A node that is `finished` ends its text.
    """

    number: int
    parent: int | None
    token: int
    log_probability: float
    score: float
    step: int
    finished: bool = False


@dataclass(frozen=True)
class Tree:
    """All hypotheses of a search. An extended hypothesis has as many children as there are beams:
    its most probable continuations.

    `beams[t]` are the indices of the hypotheses kept after step t, best first.
    """

    nodes: list[Node]
    beams: list[list[int]]

    @property
    def best(self) -> Node:
        return self.nodes[self.beams[-1][0]]

    def text(self, node: Node) -> list[int]:
        """The tokens from the prompt to `node`."""
        ids = []
        while node.parent is not None:
            ids.append(node.token)
            node = self.nodes[node.parent]
        return ids[::-1]


def beam_search(
    decoder: Decoder, prompt: list[int], beams: int, max_new_tokens: int, frame: Frame
) -> Tree:
    """Beam search with `beams` hypotheses after `prompt`, for at most `max_new_tokens` tokens. A
    hypothesis ends with one of the end tokens of `frame`. A forced first id counts with the
    probability that the model gives it.

    `decoder` has one row, and has read nothing or the beginning of the prompt. Ties between tokens
    (ties.py) go to the lowest id, and between hypotheses to the one found first.
    """
    nodes = [Node(0, None, prompt[-1], 0.0, 0.0, -1)]
    tree = Tree(nodes, [])
    beam, new = nodes[:1], [prompt[decoder.n_read :]]
    for step in range(max_new_tokens):
        growing = [node for node in beam if not node.finished]
        logits = read(decoder, torch.tensor(new))
        tied, log_probabilities = width(logits).double(), logits.double().log_softmax(-1)
        texts = [[*prompt, *tree.text(node)] for node in growing]
        able = permitted(log_probabilities, frame, step, texts)
        ranked = first(able, tied, beams)
        candidates = [node for node in beam if node.finished]
        for row, parent in enumerate(growing):
            for token in ranked[row].tolist():
                if not frame.permits(token, step, texts[row]):
                    continue  # there may be fewer candidates than beams
                log_probability = float(log_probabilities[row, token])
                candidates.append(
                    Node(
                        len(nodes),
                        parent.number,
                        token,
                        log_probability,
                        parent.score + log_probability,
                        step,
                        finished=token in frame.ends,
                    )
                )
                nodes.append(candidates[-1])
        scores = torch.tensor([node.score for node in candidates], dtype=torch.float64)
        beam = [candidates[i] for i in first(scores, tied.amax(0), beams).tolist()]
        tree.beams.append([node.number for node in beam])
        if beam[0].finished:
            break
        row_of = {node.number: row for row, node in enumerate(growing)}
        going = [node for node in beam if not node.finished]
        decoder.select(torch.tensor([row_of[node.parent] for node in going]))
        new = [[node.token] for node in going]
    return tree
