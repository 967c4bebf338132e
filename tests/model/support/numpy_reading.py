"""A second reading of the translator's weights, in NumPy and float64: what every number of a run
should be.

Imports nothing from model/: it shares with the code it checks only the files it reads. Written for
the shipped encoder-decoder, cell by cell where that is not too slow, by slices and sums where the
model reshapes.
"""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

START, END = 1, 2


def softmax(rows: np.ndarray) -> np.ndarray:
    """A row of nothing but -inf, a query that may look nowhere, is a row of zeros."""
    largest = rows.max(axis=-1, keepdims=True)
    exponentials = np.exp(rows - np.where(np.isneginf(largest), 0, largest))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def sinusoids(length: int, d_model: int) -> np.ndarray:
    table = np.zeros((length, d_model))
    for channel in range(d_model):
        angle = np.arange(length) / 10000 ** (2 * (channel // 2) / d_model)
        table[:, channel] = np.cos(angle) if channel % 2 else np.sin(angle)
    return table


class Reading:
    """One folder of weights, read once; `translate` gives every activation by its name."""

    def __init__(self, folder: Path):
        self.card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        self.config = self.card["config"]
        self.weights = {
            name: value.astype(np.float64)
            for name, value in load_file(folder / "model.safetensors").items()
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        assert (
            self.config["family"],
            self.config["activation"],
            self.config["tied_unembedding"],
        ) == ("encoder-decoder", "relu", True)
        assert (self.config["positions"], self.config["score"]) == ("sinusoidal", "scaled_dot")

    def source_ids(self, text: str) -> list[int]:
        return [START, *self.tokenizer.encode(text).ids, END]

    def target_ids(self, text: str) -> list[int]:
        return [START, *self.tokenizer.encode(text).ids]

    def translate(
        self, source: list[int], target: list[int], allowed: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """`allowed` puts another mask in the place of a stack's own in its self-attention."""
        values: dict[str, np.ndarray] = {}
        n, m = len(source), len(target)
        allowed = {
            "encoder": np.ones((n, n), dtype=bool),
            "decoder": np.tril(np.ones((m, m), dtype=bool)),
        } | (allowed or {})
        memory = self.stack("encoder", source, allowed["encoder"], None, values)
        x = self.stack("decoder", target, allowed["decoder"], memory, values)
        values["logits"] = x @ self.weights["embedding.token"].T
        values["probabilities"] = softmax(values["logits"])
        return values

    def greedy(self, source: list[int], limit: int) -> list[int]:
        """<s> y_1 … y_m, reading everything again for every token."""
        target = [START]
        while len(target) <= limit:
            best = int(self.translate(source, target)["logits"][-1].argmax())
            if best == END:
                break
            target.append(best)
        return target

    def stack(
        self,
        stack: str,
        ids: list[int],
        allowed: np.ndarray,
        memory: np.ndarray | None,
        values: dict,
    ) -> np.ndarray:
        width = self.config["d_model"]
        values[f"{stack}.embedding.token"] = self.weights["embedding.token"][ids] * np.sqrt(width)
        values[f"{stack}.embedding.position"] = sinusoids(len(ids), width)
        x = values[f"{stack}.embedding.sum"] = (
            values[f"{stack}.embedding.token"] + values[f"{stack}.embedding.position"]
        )
        for layer in range(self.config[f"n_{stack}_layers"]):
            x = self.block(f"{stack}.{layer}", x, allowed, memory, values)
        if self.config["placement"] == "pre":
            x = self.norm(f"{stack}.norm", x, values)
        return x

    def block(
        self,
        scope: str,
        x: np.ndarray,
        allowed: np.ndarray,
        memory: np.ndarray | None,
        values: dict,
    ) -> np.ndarray:
        values[f"{scope}.residual.in"] = x
        sublayers = [
            (
                "after_attention",
                lambda x: self.attention(f"{scope}.attention", x, x, allowed, values),
            )
        ]
        if memory is not None:
            everything = np.ones((len(x), len(memory)), dtype=bool)
            cross = f"{scope}.cross_attention"
            sublayers.append(
                (
                    "after_cross_attention",
                    lambda x: self.attention(cross, x, memory, everything, values),
                )
            )
        sublayers.append(("out", lambda x: self.feed_forward(f"{scope}.feed_forward", x, values)))
        for number, (after, write) in enumerate(sublayers, start=1):
            norm = f"{scope}.norm{number}"
            x = (
                self.norm(norm, x + write(x), values)
                if self.config["placement"] == "post"
                else x + write(self.norm(norm, x, values))
            )
            values[f"{scope}.residual.{after}"] = x
        return x

    def norm(self, scope: str, x: np.ndarray, values: dict) -> np.ndarray:
        mean = values[f"{scope}.mean"] = x.sum(axis=-1) / x.shape[-1]
        centred = x - mean[:, None]
        scale = values[f"{scope}.scale"] = np.sqrt(
            (centred**2).sum(axis=-1) / x.shape[-1] + self.config["norm_epsilon"]
        )
        out = values[f"{scope}.out"] = (
            centred / scale[:, None] * self.weights[f"{scope}.gain"] + self.weights[f"{scope}.bias"]
        )
        return out

    def linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(
        self, scope: str, x: np.ndarray, memory: np.ndarray, allowed: np.ndarray, values: dict
    ) -> np.ndarray:
        n_heads, d_head = self.config["n_heads"], self.config["d_model"] // self.config["n_heads"]
        q, k, v = (
            self.linear(f"{scope}.query", x),
            self.linear(f"{scope}.key", memory),
            self.linear(f"{scope}.value", memory),
        )
        heads: dict[str, list] = {
            name: []
            for name in ("q", "k", "v", "scores", "masked_scores", "pattern", "z", "head_out")
        }
        for part in (slice(head * d_head, (head + 1) * d_head) for head in range(n_heads)):
            scores = q[:, part] @ k[:, part].T / np.sqrt(d_head)
            masked = np.where(allowed, scores, -np.inf)
            pattern = softmax(masked)
            z = pattern @ v[:, part]
            head_out = z @ self.weights[f"{scope}.output.weight"][part]
            row = (q[:, part], k[:, part], v[:, part], scores, masked, pattern, z, head_out)
            for name, value in zip(heads, row, strict=True):
                heads[name].append(value)
        values.update({f"{scope}.{name}": np.stack(value) for name, value in heads.items()})
        out = values[f"{scope}.out"] = sum(heads["head_out"]) + self.weights[f"{scope}.output.bias"]
        return out

    def feed_forward(self, scope: str, x: np.ndarray, values: dict) -> np.ndarray:
        pre = values[f"{scope}.pre"] = self.linear(f"{scope}.hidden", x)
        post = values[f"{scope}.post"] = np.maximum(pre, 0)
        out = values[f"{scope}.out"] = self.linear(f"{scope}.output", post)
        return out


def error(recorded: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, as a share of the tensor's largest magnitude where that is above 1;
    infinite where the masks differ.
    """
    recorded, expected = (
        np.asarray(recorded, dtype=np.float64),
        np.asarray(expected, dtype=np.float64),
    )
    hidden = np.isneginf(expected)
    if (
        recorded.shape != expected.shape
        or (np.isneginf(recorded) != hidden).any()
        or np.isnan(recorded).any()
    ):
        return np.inf
    visible, wanted = recorded[~hidden], expected[~hidden]
    return float(np.abs(visible - wanted).max() / max(1.0, np.abs(wanted).max()))
