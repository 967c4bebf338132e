"""What /generate should answer, from the NumPy reading: every step is read again from the start,
without a cache.

Which token was chosen is taken from the answer and judged; every number about it is then
recomputed.
"""

import numpy as np

from tests.app.expected_run import confidence
from tests.model.support.numpy_reading import END, START, Reading, softmax

MAX_LISTED, TEACHER_SHOWN = 10, 5
NEAR = 1e-5


def filtered(
    logits: np.ndarray,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 0.0,
    min_p: float = 0.0,
) -> np.ndarray:
    """Temperature, then each filter of what the one before left, renormalised."""
    p = softmax(logits / temperature)
    order = np.argsort(-p, kind="stable")
    is_allowed = np.ones(len(p), dtype=bool)
    if top_k:
        is_allowed[order[top_k:]] = False
        p = p * is_allowed / (p * is_allowed).sum()
    if top_p:
        before = np.cumsum(p[order]) - p[order]
        is_allowed[order[before >= top_p]] = False
        p = p * is_allowed / (p * is_allowed).sum()
    if min_p:
        is_allowed[p < min_p * p.max()] = False
        p = p * is_allowed / (p * is_allowed).sum()
    return p


def greedily(logits: np.ndarray, chosen: int) -> np.ndarray:
    assert logits.max() - logits[chosen] < NEAR
    return np.eye(len(logits))[chosen]


class ExpectedWriting:
    """A source, and what a model wrote after it."""

    def __init__(self, reading: Reading, source: list[int]):
        self.reading, self.source = reading, source

    def logits(self, ids: list[int]) -> np.ndarray:
        return self.reading.translate(self.source, [START, *ids])["logits"][-1]

    def steps(self, answer: dict, after) -> list[dict]:
        """`after` makes of logits and the chosen token the distribution it was drawn from, or None
        where there is none.
        """
        ids: list[int] = []
        steps, total = [], 0.0
        for step in answer:
            logits, chosen = self.logits(ids), step["token"]["id"]
            p, left = softmax(logits), after(logits, chosen)
            total += np.log(p[chosen])
            steps.append({"index": len(ids), "sum": total, **self.step(step, p, left, chosen)})
            ids.append(chosen)
        return steps

    def step(self, answered: dict, p: np.ndarray, left: np.ndarray | None, chosen: int) -> dict:
        listed = [candidate["id"] for candidate in answered["candidates"]]
        assert len(set(listed)) == len(listed)
        assert set(listed[MAX_LISTED:]) <= {chosen}
        assert np.abs(p[listed[:MAX_LISTED]] - np.sort(p)[::-1][:MAX_LISTED]).max() < NEAR
        others = np.setdiff1d(np.arange(len(p)), listed)
        step = {
            "token": {"id": chosen},
            "probability": p[chosen],
            "log_probability": np.log(p[chosen]),
            "rank": (
                lambda rank: (p > p[chosen] + NEAR).sum() < rank <= (p >= p[chosen] - NEAR).sum()
            ),
            "candidates": [
                {"id": id, "probability": p[id]} | ({} if left is None else {"after": left[id]})
                for id in listed
            ],
            "rest": (
                {"tokens": len(others), "probability": p[others].sum()}
                | ({} if left is None else {"after": left[others].sum()})
            ),
        }
        if answered["drawn"] is not None:
            step["drawn"] = lambda u: falls_on(left, chosen, float(u))
        return step | ({} if left is None else {"kept": int((left > 0).sum())})

    def tensors(self, ids: list[int]) -> dict[str, np.ndarray]:
        """Where each step looked: the rows of one parallel pass over all that was written."""
        values = self.reading.translate(self.source, [START, *ids[:-1]])
        patterns = {
            name: value
            for name, value in values.items()
            if name.endswith("cross_attention.pattern")
        }
        return patterns | {f"{name}.mean": value.mean(axis=0) for name, value in patterns.items()}

    def answer(self, answer: dict, settings: dict, after=greedily) -> dict:
        ids = [step["token"]["id"] for step in answer["steps"]]
        steps = self.steps(answer["steps"], after)
        return {
            "axes": {"source": {"ids": self.source}, "step": {"ids": ids}},
            "tensors": self.tensors(ids),
            "settings": settings,
            "log_probability": steps[-1]["sum"],
            "steps": steps,
            "confidence": confidence(self.reading, self.source),
        }

    def teacher_forcing(self, answer: dict, output: list[int], target: list[int]) -> dict:
        """`target` is <s> y_1 … y_m."""
        p = softmax(self.reading.translate(self.source, target)["logits"])
        expected, rows = [*target[1:], END], []
        for row, (known, due) in enumerate(zip(answer["rows"], expected, strict=True)):

            def token(id: int, row: int = row) -> dict:
                return {"id": id, "probability": p[row, id]}

            listed = [candidate["id"] for candidate in known["candidates"]]
            assert np.abs(p[row, listed] - np.sort(p[row])[::-1][:TEACHER_SHOWN]).max() < NEAR
            row_fields = {
                "index": row,
                "expected": token(due),
                "predicted": token(int(p[row].argmax())),
                "candidates": [token(id) for id in listed],
            }
            rows.append(row_fields | ({"written": token(output[row])} if row < len(output) else {}))
        common = [a == b for a, b in zip(expected, output, strict=False)]
        shared = min(
            len(expected),
            len(output),
            1 + (common.index(False) if False in common else len(common)),
        )
        agree = [
            row < len(output) and int(p[row].argmax()) == output[row]
            for row in range(len(expected))
        ]
        whole = {
            "rows": rows,
            "shared": shared,
            "log_probability": np.log(p[range(len(expected)), expected]).sum(),
        }
        whole["largest_difference"] = lambda difference: 0 <= difference < NEAR
        return whole | ({} if all(agree) else {"first_difference": agree.index(False)})

    def tree(self, tree: dict, beams: int) -> dict:
        """Every node's numbers from the text that leads to it, and each step's survivors from the
        scores.
        """
        nodes, expected = tree["nodes"], []
        texts: dict[int, list[int]] = {0: []}
        scores = {0: 0.0}
        children: dict[int, list[int]] = {}
        distributions: dict[int, np.ndarray] = {}
        for node in nodes:
            number, parent, id = node["number"], node["parent"], node["token"]["id"]
            node = {
                "number": len(expected),
                "step": len(texts.get(parent, [])) if number else -1,
                "token": {"id": id},
            }
            if parent is None:
                expected.append(
                    node | {"token": {"id": START}, "log_probability": 0.0, "score": 0.0}
                )
                continue
            if parent not in distributions:
                distributions[parent] = np.log(softmax(self.logits(texts[parent])))
            log_p = distributions[parent][id]
            texts[number], scores[number] = [*texts[parent], id], scores[parent] + log_p
            children.setdefault(parent, []).append(number)
            expected.append(
                node | {"parent": parent, "log_probability": log_p, "score": scores[number]}
            )
        for parent, numbers in children.items():
            best = np.sort(distributions[parent])[::-1][:beams]
            assert (
                np.abs(
                    np.array([distributions[parent][texts[n][-1]] for n in numbers]) - best
                ).max()
                < NEAR
            )
        standing = [0]
        for beam in tree["kept"]:
            ended = [n for n in standing if texts[n] and texts[n][-1] == END]
            candidates = ended + [
                child for n in standing if n not in ended for child in children[n]
            ]
            best = sorted((scores[n] for n in candidates), reverse=True)[:beams]
            assert np.abs(np.array([scores[n] for n in beam]) - best).max() < NEAR
            standing = beam
        final = [{"number": n, "tokens": len(texts[n]), "score": scores[n]} for n in standing]
        return {"nodes": expected, "kept": tree["kept"], "hypotheses": final}


def falls_on(p: np.ndarray, chosen: int, u: float) -> bool:
    """Whether `u` falls into the share of `chosen`, the shares lying side by side from 0 to 1, the
    largest first.
    """
    order = np.argsort(-p, kind="stable")
    before = p[order[: list(order).index(chosen)]].sum()
    return before - NEAR <= u < before + p[chosen] + NEAR
