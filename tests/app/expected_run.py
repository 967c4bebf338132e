"""What the words about a run should answer, from the NumPy reading: attention, activations,
residual, logits.
"""

import json
from pathlib import Path

import numpy as np

from tests.model.support.numpy_reading import END, Reading, softmax

SUBLAYERS = {
    "encoder": ("attention", "feed_forward"),
    "decoder": ("attention", "cross_attention", "feed_forward"),
}
ANY_ORDER = 1e-5  # two numbers nearer than this may change places
LONGEST = 63  # tokens that the translator writes


def confidence(reading: Reading, source: list[int]) -> dict:
    """How sure the translator is of its own translation, the geometric mean of its probabilities,
    and what was counted of the held-out sentences of which it is about as sure.
    """
    output = reading.greedy(source, LONGEST)
    labels = [*output[1:], END]
    p = softmax(reading.translate(source, output)["logits"])[range(len(labels)), labels]
    value = np.exp(np.log(p).mean())
    record = Path(__file__).parents[2] / "model/weights/translator/familiarity.json"
    known = json.loads(record.read_text(encoding="utf-8"))
    ends = [0, *known["edges"], 1]
    group = sum(value >= edge for edge in known["edges"])
    return {
        "value": value,
        "low": ends[group],
        "high": ends[group + 1],
        "right": known["right"][group],
        "texts": known["texts"] / len(known["right"]),
    }


class ExpectedRun:
    """One source and target read by NumPy, and the answers about them. Without a target it is the
    translator's own, and its confidence is told.
    """

    def __init__(self, reading: Reading, source: list[int], target: list[int] | None):
        self.confidence_fields = {} if target else {"confidence": confidence(reading, source)}
        target = target or reading.greedy(source, LONGEST)
        assert reading.config["placement"] == "post"
        self.reading, self.config, self.weights = reading, reading.config, reading.weights
        self.source, self.target = source, target
        self.values = reading.translate(source, target)
        self.axes = {"source": {"ids": source}, "target": {"ids": target}}
        self.expected_ids = [*target[1:], END]

    def allowed(self, scope: str) -> np.ndarray:
        n, m = len(self.source), len(self.target)
        shapes = {
            "encoder.attention": (n, n),
            "decoder.attention": (m, m),
            "decoder.cross_attention": (m, n),
        }
        mask = np.ones(shapes[scope], dtype=int)
        return np.tril(mask) if scope == "decoder.attention" else mask

    def attention(self, stage: str) -> dict:
        maps = [name.removesuffix(".pattern") for name in self.values if name.endswith(".pattern")]
        masks = {name: ".".join(name.split(".")[::2]) for name in maps}
        tensors = {f"{name}.{stage}": self.values[f"{name}.{stage}"] for name in maps}
        tensors |= {f"{mask}.mask": self.allowed(mask) for mask in masks.values()}
        entropy, limit, distance = {}, {}, {}
        for name in maps:
            p = self.values[f"{name}.pattern"]
            logs = np.log(np.where(p > 0, p, 1))
            entropy[name] = -(p * logs).sum(axis=-1).mean(axis=-1)
            limit[name] = np.log(self.allowed(masks[name]).sum(axis=-1)).mean()
            if "cross" not in name:
                apart = np.array(
                    [[abs(i - j) for j in range(p.shape[2])] for i in range(p.shape[1])]
                )
                distance[name] = (p * apart).sum(axis=-1).mean(axis=-1)
        measures = {"entropy": entropy, "entropy_limit": limit, "distance": distance}
        return {
            "axes": self.axes,
            "tensors": tensors,
            "expected_from": 0,
            **measures,
            **self.confidence_fields,
        }

    def manifest(self) -> dict:
        rows = [
            {"name": name, "shape": list(value.shape), "bytes": 4 * value.size}
            for name, value in self.values.items()
        ]
        return {"axes": self.axes, "activations": rows, **self.confidence_fields}

    def points(self, stack: str) -> list[tuple[str, str, str]]:
        """The points of the stream after the first, each with what was written and the norm that
        followed.
        """
        return [
            (
                f"{stack}.{layer}.residual.{after}",
                f"{stack}.{layer}.{name}",
                f"{stack}.{layer}.norm{number}",
            )
            for layer in range(self.config[f"n_{stack}_layers"])
            for number, name in enumerate(SUBLAYERS[stack], start=1)
            for after in ["out" if name == "feed_forward" else f"after_{name}"]
        ]

    def parts(self, stack: str) -> tuple[list[dict], list[np.ndarray], dict[str, list[np.ndarray]]]:
        """The parts by name, as they were written, and what is left of them at every point: norms
        are linear at their own scale.
        """
        parts = [{"name": f"{stack}.embedding.token"}, {"name": f"{stack}.embedding.position"}]
        values = [self.values[part["name"]] for part in parts]
        now, like = list(values), values[0]
        left = {f"{stack}.0.residual.in": now}
        for point, scope, norm in self.points(stack):
            layer = int(scope.split(".")[1])
            if scope.endswith("feed_forward"):
                new = [
                    (
                        {"name": scope, "layer": layer},
                        self.values[f"{scope}.post"] @ self.weights[f"{scope}.output.weight"],
                    )
                ]
            else:
                heads = enumerate(self.values[f"{scope}.head_out"])
                new = [
                    ({"name": f"{scope}.head_out[{head}]", "layer": layer, "head": head}, value)
                    for head, value in heads
                ]
            new.append(
                (
                    {"name": f"{scope}.output.bias", "layer": layer},
                    0 * like + self.weights[f"{scope}.output.bias"],
                )
            )
            share = self.weights[f"{norm}.gain"] / self.values[f"{norm}.scale"][:, None]
            now = [
                (part - part.mean(axis=-1, keepdims=True)) * share
                for part in [*now, *(value for _, value in new)]
            ]
            new.append(
                ({"name": f"{norm}.bias", "layer": layer}, 0 * like + self.weights[f"{norm}.bias"])
            )
            now.append(new[-1][1])
            parts += [part for part, _ in new]
            values += [value for _, value in new]
            left[point] = now
        return parts, values, left

    def residual(self, stack: str, at: str) -> dict:
        found_parts, values, left = self.parts(stack)
        names = [f"{stack}.0.residual.in", *(point for point, _, _ in self.points(stack))]
        x = np.stack([self.values[name] for name in names])
        f = np.stack(
            [
                self.values[f"{stack}.embedding.sum"],
                *(self.values[f"{scope}.out"] for _, scope, _ in self.points(stack)),
            ]
        )[1:]
        parts = np.zeros((len(names), len(found_parts), *x.shape[1:]))
        for step, name in enumerate(names):
            parts[step, : len(left[name])] = left[name]
        norm = np.sqrt((x**2).sum(axis=-1))
        dependency = f.var(axis=-1) / (x[:-1] + f).var(axis=-1)
        tensors = {
            "norm": norm,
            "sum_norm": np.sqrt(((x[:-1] + f) ** 2).sum(axis=-1)),
            "update_norm": np.sqrt((f**2).sum(axis=-1)),
            "cosine": (f * x[:-1]).sum(axis=-1) / norm[:-1] / np.sqrt((f**2).sum(axis=-1)),
            "dependency": dependency,
            "dependency_mean": dependency.mean(axis=-1),
            "part_norm": np.sqrt((np.stack(values) ** 2).sum(axis=-1)),
            "projections": (parts * x[:, None]).sum(axis=-1) / norm[:, None],
            "contributions": parts[names.index(at)],
        }
        noise = {"value": lambda value: value < 1e-4}
        return {
            "axes": self.axes,
            "tensors": tensors,
            "parts": found_parts,
            "d_model": self.config["d_model"],
            "largest_difference": noise,
            **self.confidence_fields,
        }

    def distribution(self, scores: np.ndarray, ids: np.ndarray, prefix: str = "") -> dict:
        """`ids` are those that were answered as the top: which of two equals comes first is not
        asked.
        """
        top, p, here = ids.shape[-1], softmax(scores), range(len(self.expected_ids))
        largest = -np.sort(-scores, axis=-1)
        label_scores = scores[..., here, self.expected_ids]

        def names_the_largest(ids: np.ndarray) -> bool:
            unique = all(len(set(row)) == top for row in ids.reshape(-1, top))
            return (
                unique
                and np.abs(
                    np.take_along_axis(scores, ids.astype(int), -1) - largest[..., :top]
                ).max()
                < ANY_ORDER
            )

        def ranks(found: np.ndarray) -> bool:
            least, most = (
                (scores > label_scores[..., None] + side).sum(axis=-1)
                for side in (ANY_ORDER, -ANY_ORDER)
            )
            return bool((1 + least <= found).all() and (found <= most).all())

        logs = np.log(np.where(p > 0, p, 1))
        facts = {
            "top_probability": -np.sort(-p, axis=-1)[..., :top],
            "top_logit": largest[..., :top],
            "top_id": names_the_largest,
            "rest": np.sort(p, axis=-1)[..., :-top].sum(axis=-1),
            "entropy": -(p * logs).sum(axis=-1),
            "expected_probability": p[..., here, self.expected_ids],
            "expected_logit": label_scores,
            "expected_rank": ranks,
            "logits": scores,
            "probabilities": p,
        }
        return {prefix + name: value for name, value in facts.items()}

    def logits(self, answer: dict) -> dict:
        """With the whole vocabulary, the lens and the attribution."""
        unembedding = self.weights["embedding.token"]
        points = ["decoder.0.residual.in", *(point for point, _, _ in self.points("decoder"))]
        lens = np.stack([self.values[point] @ unembedding.T for point in points])
        ids = {
            name: np.array(answer["tensors"][name]["data"]) for name in ("top_id", "lens.top_id")
        }
        tensors = self.distribution(self.values["logits"], ids["top_id"]) | self.distribution(
            lens, ids["lens.top_id"], "lens."
        )
        last = np.stack(self.parts("decoder")[2][points[-1]])
        tensors["attribution"] = (last * unembedding[self.expected_ids]).sum(axis=-1)
        axes = self.axes | {"expected": {"ids": self.expected_ids}}
        facts = {
            "expected_ids": self.expected_ids,
            "expected_from": 0,
            "top": ids["top_id"].shape[-1],
        }
        return {"axes": axes, "tensors": tensors, **facts, **self.confidence_fields}

    def square(self, layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
        """What encoder and decoder may see and do see, as one square over source and target; -inf
        where nothing is.
        """
        n, m = len(self.source), len(self.target)
        mask, pattern = np.zeros((n + m, n + m), dtype=int), np.full((n + m, n + m), -np.inf)
        source, target = slice(0, n), slice(n, None)
        places = {
            "encoder.attention": (source, source),
            "decoder.attention": (target, target),
            "decoder.cross_attention": (target, source),
        }
        for name, place in places.items():
            stack, attention = name.split(".")
            mask[place] = self.allowed(name)
            pattern[place] = np.where(
                mask[place], self.values[f"{stack}.{layer}.{attention}.pattern"][head], -np.inf
            )
        return mask, pattern
