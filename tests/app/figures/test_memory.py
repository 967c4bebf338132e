"""The sentences of /memory: every token of the answer is there, and none covers another."""

import itertools

import torch

from app.experiments.memory import LINE, fires
from model.answers.answer import Answer, Axis, Labelled

SENTENCES = [["<s>", *["word"] * 12, "."], ["<s>", "short", "."]]
LONGEST = max(map(len, SENTENCES))


def answer() -> Answer:
    values = torch.full((len(SENTENCES), LONGEST), -torch.inf)
    for row, sentence in enumerate(SENTENCES):
        values[row, : len(sentence)] = 0
        values[row, len(sentence) - 1] = row + 1.5
    axes = {"sentence": Axis("step", len(SENTENCES)), "position": Axis("position", LONGEST)}
    tensors = {"fires": Labelled(("sentence", "position"), values, "m", masked=True)}
    chosen = {"neuron": 3, "rank": 1, "firing": 2.5}
    return Answer("trained", axes, tensors, {"chosen": chosen, "sentences": SENTENCES})


def test_each_token_says_how_strongly_the_key_fires_at_it():
    silent, firing = fires(answer(), {})["data"]
    assert sum(map(len, (silent["x"], firing["x"]))) == sum(map(len, SENTENCES))
    assert [m for *_, m in silent["customdata"]] == [0] * len(silent["x"])
    assert list(firing["marker"]["color"]) == [m for *_, m in firing["customdata"]] == [1.5, 2.5]


def test_no_token_covers_another_or_reaches_beyond_its_line():
    lines: dict[float, list[tuple[float, float]]] = {}
    for trace in fires(answer(), {})["data"]:
        for start, width, level in zip(trace["base"], trace["x"], trace["y"], strict=True):
            lines.setdefault(level, []).append((start, start + width))
    assert len(lines) == 3, "the first sentence takes two lines"
    for spans in lines.values():
        spans.sort()
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        assert spans[-1][1] <= LINE
