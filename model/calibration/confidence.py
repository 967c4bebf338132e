"""The similarity of an input to the training data, and the confidence of a model's prediction. Both
are measured, and compared with texts held out of the training.

The record of a model is in model/calibration/record.py.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from model.calibration.record import SHARE, Calibration
from model.inputs.input import Input
from model.inputs.text import Token
from model.runs.run import Confidence, Run

CERTAINTIES = {
    "sure": "Confident",
    "unsure": "Not confident",
    "expect mistakes": "Expect mistakes",
}


def unigram_nll(counts: Sequence[int], ids: Sequence[int]) -> float:
    """The mean of -ln p over `ids`, in nats, where p = (count + 1) / (sum of counts + vocabulary):
    the unigram model of the training text with add-one smoothing (Laplace).
    """
    total = math.log(sum(counts) + len(counts))
    return sum(total - math.log(counts[id] + 1) for id in ids) / len(ids)


def predictions(run: Run) -> tuple[list[int], Tensor]:
    """The model's predictions in this run, as ids, and ln p of each: its own output with </s>; the
    word for each blank; or the next token.
    """
    log_p = run.logits.log_softmax(-1)
    if run.fills_blanks:
        best = log_p[run.blanks].max(-1)
        return best.indices.tolist(), best.values
    if "source" in run.input:
        ids = [token.id for token in run.next_tokens]
        return ids, log_p[run.predicted][torch.arange(len(ids)), ids]
    best = log_p[-1:].max(-1)
    return best.indices.tolist(), best.values


def confidence(run: Run, known: Calibration) -> Confidence | None:
    """The confidence of the model's prediction; None if there is none, for lack of a blank."""
    ids, log_p = predictions(run)
    if not ids:
        return None
    value = float(log_p.double().mean().exp())
    group = bisect_right(known.edges, value)
    ends = [0.0, *known.edges, 1.0]
    return Confidence(
        value, ends[group], ends[group + 1], known.right[group], known.texts // len(known.right)
    )


def read_tokens(run: Run) -> list[Token]:
    """The tokens of the typed text, without <s>, </s>, and blanks."""
    typed = run.input.get("source") or run.input.get("text") or ""
    return [token for token in run.model.text_tokenizer.encode(typed) if not token.special]


def unlike(run: Run, known: Calibration) -> list[str]:
    """A sentence for each measure by which the input differs from the training data."""
    name = "source" if "source" in run.input else "text"
    words, tokens, found = len(run.input[name].split()), read_tokens(run), []
    most = run.model.card["limits"].get("trained_words")
    if most and words > most:
        found.append(f"The {name} has {words} words, and the model was trained on at most {most}.")
    if not tokens:
        return found
    if len(tokens) < known.shortest:
        found.append(
            f"The {name} has {counted(len(tokens))}, and {percent(SHARE)} of the"
            f" {known.texts:,} {known.of} have at least {known.shortest}."
        )
    new = dict.fromkeys(token.text for token in tokens if not known.counts[token.id])
    if new:
        found.append(f"Not in the training text: {listed(list(new))}.")
    rare = unigram_nll(known.counts, [token.id for token in tokens])
    if rare > known.surprise:
        found.append(
            f"Its tokens are rarer in the training text than those of {percent(SHARE)} of"
            f" the {known.texts:,} {known.of}: {rare:.1f} nats on average (limit:"
            f" {known.surprise:.1f})."
        )
    return found


def how_sure(sure: Confidence, known: Calibration) -> str:
    """The confidence as a sentence: the accuracy on held-out texts with similar confidence."""
    right = round(sure.right * sure.texts)
    return (
        f"{CERTAINTIES[sure.certainty]}. At this confidence, {right} of {sure.texts} {known.of}"
        f" were {known.done}."
    )


def with_confidence(run: Run, input: Input) -> Run:
    """The run with the measures by which its input differs from the training data, the confidence
    of the prediction, and both as sentences. A target given by the user has no confidence, because
    the model did not predict it; neither does an edited run, because the held-out texts were run
    without edits.
    """
    known = run.model.calibration
    if known is None:
        return run
    strange = unlike(run, known)
    sure = None if input.target is not None or run.edits else confidence(run, known)
    head = ["This input is unlike the training text."] if strange else []
    sentences = [*head, *strange, *([how_sure(sure, known)] if sure else [])]
    return replace(run, unlike=strange, confidence=sure, calibration_notes=sentences)


def counted(n: int) -> str:
    return f"{n} token{'' if n == 1 else 's'}"


def listed(names: list[str]) -> str:
    more = f" and {len(names) - 3} more tokens" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"
