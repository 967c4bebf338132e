"""Figures of /residual: the norm of every contribution to a token's stream, and how much of the
stream's variance is new with it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, number, weight
from app.captions.writers import WRITERS
from app.figures import stream_traces as stream
from app.figures.axis_scales import linear
from app.figures.meta import NoteLook
from app.figures.plot import Plot, Trace
from app.figures.stream_steps import Place, part_title, places
from app.figures.traces import open_markers
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

NUMBER = 0.08  # height of a number over a bar, as a fraction of the axis


def writes(answer: "Answer", question: Question) -> Plot:
    """The norm of each sub-layer's contribution to a token's stream, and next to it those of its
    parts: the individual heads, and the bias.
    """
    path, position = places(answer.fields["steps"]), stream.chosen(answer, question)
    norms = stream.by_step(answer, path, "update_norm")
    norms[0] = answer.tensors["norm"].data.numpy()[0]
    cosine = stream.by_step(answer, path, "cosine")
    steps = sorted(norms)
    titles = [path[s].title for s in steps]
    lengths = np.array([norms[s][position] for s in steps])
    angles = [
        in_words(f", cosine with the residual stream {number(cosine[s][position])}")
        if s in cosine
        else ""
        for s in steps
    ]
    traces: list[Any] = [
        stream.column(
            path,
            steps,
            lengths,
            "whole sub-layer",
            [path[s].writer.role for s in steps],
            "%{customdata[0]}<br>contribution of norm <b>%{y:.3g}</b>%{customdata[1]}",
            shift=-stream.APART,
            width=0.3,
            customdata=[[title, angle] for title, angle in zip(titles, angles, strict=True)],
        )
    ]
    parts, sizes = answer.fields["parts"], answer.tensors["part_norm"].data.numpy()
    beside: dict[tuple[str, str], list[tuple[int, float, float, int]]] = {}
    for s in steps:
        mine = parts_of(parts, path[s])
        for n, i in enumerate(mine):
            thin = 0.46 / len(mine)
            beside.setdefault(kind_of(parts[i]), []).append(
                (s, -0.04 + thin * (n + 0.5), 0.87 * thin, i)
            )
    for (title, role), bars in sorted(beside.items(), key=lambda item: item[0][1] == "bias"):
        trace = stream.column(
            path,
            [s for s, *_ in bars],
            np.array([sizes[i, position] for *_, i in bars]),
            title,
            [role] * len(bars),
            "%{customdata[0]} alone<br>contribution of norm <b>%{y:.3g}</b>",
            shift=np.array([shift for _, shift, _, _ in bars]),
            width=np.array([width for _, _, width, _ in bars]),
            customdata=[[label(part_title(parts[i]))] for *_, i in bars],
            legend=role.startswith("head:") or role == "bias",
        )
        traces.append(trace)
    traces += others(answer, position, path, norms, "norm of contribution", shift=-0.46)
    token = stream.token_of(answer, position)
    sentences = [
        (
            f"To “{token}”, {place.within_a_sentence} adds a vector of norm"
            f" {number(norms[s][position])}; its cosine with the residual stream is"
            f" {number(cosine[s][position])}."
            if s in cosine
            else f"{stream.after(place, token)} has norm"
            f" {number(answer.tensors['norm'].data[s, position].item())}."
        )
        for s, place in enumerate(path)
    ]
    # The axis is that of the selected token; others may be ten times larger.
    high = 1.16 * max(float(lengths.max()), float(sizes[:, position].max()))
    y = linear("norm of contribution", [], low=0, high=high, wanted=7)
    beyond = {s: [float(v) for v in norms[s] if v > high] for s in steps}
    notes = stream.over(steps, lengths, [f"{value:.1f}" for value in lengths], shift=-stream.APART)
    notes += [
        {
            **stream.note(s, s, high, f"↑ {max(far):.0f}"),
            "yanchor": "top",
            "look": NoteLook(kind="title", role="ink-soft"),
        }
        for s, far in beyond.items()
        if far
    ]
    description = f"Norm of every contribution to the residual stream of {token}, and of its parts."
    return stream.assembled(answer, position, path, y, traces, notes, description, sentences)


def dependency(answer: "Answer", question: Question) -> Plot:
    """The fraction of the stream's variance that a sub-layer has just added, for one token as bars,
    for the others as rings, and averaged.
    """
    path, position = places(answer.fields["steps"]), stream.chosen(answer, question)
    shares = stream.by_step(answer, path, "dependency")
    means = stream.by_step(answer, path, "dependency_mean")
    steps = sorted(shares)
    fractions = np.array([shares[s][position] for s in steps])
    bars = stream.column(
        path,
        steps,
        fractions,
        "this token",
        [path[s].writer.role for s in steps],
        "%{customdata[0]}<br>Var f / Var(x + f) = <b>%{y:.3g}</b>",
        shift=-0.12,
        width=0.48,
        customdata=[[path[s].title] for s in steps],
        legend=True,
    )
    mean = stream.total(
        path, np.array([means[s] for s in steps]), "mean", "mean of all tokens", steps, quiet=False
    )
    traces = [bars, *others(answer, position, path, shares, "Var f / Var(x + f)", 0.26), mean]
    token = stream.token_of(answer, position)
    sentences = [
        (
            f"At “{token}”, the contribution of {place.within_a_sentence} has"
            f" {number(shares[s][position])} times the variance of the sum"
            f" (mean of all tokens: {number(means[s])})."
            if s in shares
            else not_compared(place)
        )
        for s, place in enumerate(path)
    ]
    high = max(1.0, 1.05 * float(np.max(list(shares.values()))))
    y = linear("fraction of variance, Var f / Var(x + f)", [], low=0, high=high)
    # A number is on its bar, and above the mean's stroke if they would overlap.
    tops = [
        max(share, means[s]) if share < means[s] < share + NUMBER * high else share
        for s, share in zip(steps, fractions, strict=True)
    ]
    notes = stream.over(steps, tops, [weight(share) for share in fractions], shift=-0.12)
    description = (
        f"Fraction of variance that each sub-layer adds to the residual stream of {token}."
    )
    return stream.assembled(answer, position, path, y, traces, notes, description, sentences)


def not_compared(place: Place) -> str:
    """Why a step has no fraction of the variance: nothing precedes it, or it adds nothing."""
    if place.wrote is None:
        return "The final norm only rescales the residual stream, so it has no ratio."
    return "The embedding begins the residual stream, so there is nothing to compare it with."


def parts_of(parts: Sequence[dict[str, Any]], place: Place) -> list[int]:
    """The indices of the parts added at a step."""
    scope = (place.wrote or "").rpartition(".")[0]
    return [
        i
        for i, part in enumerate(parts)
        if scope and (part["name"] == scope or part["name"].startswith(f"{scope}."))
    ]


def kind_of(part: dict[str, Any]) -> tuple[str, str]:
    """A part's name in the legend and its color: a head's own, or that of the part's source."""
    if part["head"] is not None:
        return f"head {part['head']}", f"head:{part['head']}"
    writer = WRITERS[part["kind"]]
    return writer.title, writer.role


def others(
    answer: "Answer",
    position: int,
    path: Sequence[Place],
    values: dict[int, np.ndarray],
    what: str,
    shift: float,
) -> list[Trace]:
    """The same number for other tokens, as rings; clicking one selects its token."""
    steps, labels = sorted(values), stream.tokens_of(answer)
    numbers, titles = np.stack([values[s] for s in steps]), [path[s].title for s in steps]
    traces: list[Trace] = []
    legend_name, found = stream.other_tokens(answer, position, numbers)
    for name, tokens in found:
        trace = stream.points(
            np.array(steps) + shift,
            np.take_along_axis(numbers, tokens[:, None], axis=1)[:, 0],
            legend_name,
            ["ink-soft"] * len(steps),
            f"%{{customdata}}<br>{what} = <b>%{{y:.3g}}</b>",
            [f"{label(labels[p])}, {title}" for p, title in zip(tokens, titles, strict=True)],
            6,
        )
        trace["showlegend"] = not traces
        trace = open_markers(trace, [True] * len(steps))
        traces.append(stream.chooses(trace, path, steps, titles, name, tokens.tolist()))
    return traces
