"""What /feed-forward has to say, from the neurons of its answer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from model.answers.answer import Answer, Labelled
from tests.app.said.claims import Claim, changed, of, says, seen, shaken

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
ASKED = (
    TRANSLATOR | {"layer": 1, "position": 1},
    {"model": "shakespeare", "text": "to be to be"},
    TRANSLATOR | {"stack": "encoder", "layer": 2},
    TRANSLATOR | {"stack": "encoder", "layer": 0},
    {"model": "digits", "image": "three"},
    {"model": "shakespeare", "text": "to"},
)
VARIED = 3
READERS = {
    "self": "self-attention",
    "cross": "cross-attention",
    "ffn": "feed-forward",
    "rows": "attention between rows",
}
ACTIVATIONS = {
    "relu": "ReLU, max(0, x)",
    "gelu": "GELU, x Φ(x)",
    "gelu_tanh": "GELU with a hyperbolic tangent",
    "silu": "SiLU, x / (1 + e⁻ˣ)",
}
UNSAID = ()


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 5)
    yield "numbers apart", apart
    for name in ACTIVATIONS:
        yield name, changed(apart, activation=name)
    yield "gated", changed(answer, gated=not answer.fields["gated"])
    for reads in ("decoder.0.norm3.out", "decoder.0.residual.after_attention"):
        yield reads, changed(answer, reads=reads)
    yield "no neuron fires", changed(answer, firing=0)
    yield "one neuron fires", changed(answer, firing=1)
    yield "all alike", changed(answer, {"also_fires": lambda data: 0 * data + data.max()})
    yield "no bias", changed(answer, {"bias": lambda data: 0 * data})
    yield "all neurons told", changed(answer, neurons=len(answer.fields["top_neurons"]))
    yield "all but one told", changed(answer, neurons=1 + len(answer.fields["top_neurons"]))
    one = answer.fields["top_neurons"][:1]
    yield "one neuron told", changed(answer, top_neurons=one)
    for step in (
        "decoder.1.residual.after_attention",
        "decoder.2.residual.after_cross_attention",
        "encoder.1.residual.after_row_attention",
        "decoder.norm.out",
        None,
    ):
        yield f"next {step}", changed(answer, next_step=step)
    size = answer.axes["channel"].size
    rows = ["before", "output", "added", "sum", "normed"]
    for name, terms in (("output and norm", rows), ("edit", [*rows[:1], *rows[2:4], "edited"])):
        data = answer.tensors["x"].data.new_tensor(
            np.random.default_rng(1).normal(size=(len(terms), size))
        )
        other = changed(answer, terms=terms)
        tensors = other.tensors | {"stream": Labelled(("term", "channel"), data, "")}
        if name == "edit":
            tensors["edit"] = Labelled(("channel",), data[0], "")
        axes = other.axes | {"term": replace(other.axes["term"], size=len(terms), labels=terms)}
        yield name, replace(other, tensors=tensors, axes=axes, inputs=axes)


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    return {
        "fires": fires(answer),
        "writes": writes(answer),
        "words": words(answer),
        "stream": stream(answer),
        "tokens": tokens(answer),
    }


def here(answer: Answer) -> str:
    return answer.fields["tokens"][answer.fields["position"]]


def counted(n: int) -> str:
    return "1 neuron" if n == 1 else f"{n} neurons"


def fires(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    best = fields["top_neurons"][0]
    second = "Each value is multiplied by a second number of the neuron."
    return [
        [
            says(
                "Each dot is one of the {n} neurons{gate}: {firing} of them ({share:%}) fire for"
                " {token:token}, which means that their argument is above 0.",
                n=fields["neurons"],
                gate=" of its gate" if fields["gated"] else "",
                firing=fields["firing"],
                share=fields["firing"] / fields["neurons"],
                token=here(answer),
            ),
            says(
                "Neuron {neuron} writes most, a vector of length {length:number}.",
                neuron=best["neuron"],
                length=best["length"],
            ),
        ],
        [
            says(
                "The first matrix turns the {d_model} numbers of the {stream} into {n} arguments.",
                d_model=answer.axes["channel"].size,
                stream="normed stream" if ".norm" in fields["reads"] else "stream",
                n=fields["neurons"],
            ),
            says("activation function is {name}.", name=ACTIVATIONS[fields["activation"]]),
            *([says(second)] if fields["gated"] else []),
        ],
    ]


def writes(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    top = len(fields["top_neurons"])
    rest = fields["neurons"] - top
    summands = [f"the {counted(top)}"]
    if rest:
        summands.append(f"what the other {counted(rest)} write")
    if np.abs(of(answer, "bias")).max() > 0:
        summands.append("the bias")
    if "edit" in answer.tensors:
        summands.append("what the edits added")
    return [
        [
            says(
                "Each row is a vector of {d_model} numbers: a neuron’s activation times its row of"
                " the second matrix. The sum of {summands:listed} is the last row, the output, up"
                " to a rounding error of {error:number}.",
                d_model=answer.axes["channel"].size,
                summands=summands,
                error=fields["largest_difference"]["value"],
            )
        ],
        [
            says("The output has length {length:number}.", length=norm(of(answer, "out"))),
            says(
                "Along the direction of all that the neurons write, the {top} shown give"
                " {share:%} of it.",
                top=counted(top),
                share=fields["share_of_top"],
            ),
        ],
    ]


def norm(vector: np.ndarray) -> float:
    return float(np.sqrt((vector**2).sum()))


def words(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    if fields["raised_words"] is None:
        why = (
            "No words are read from an encoder whose output only the decoder reads: choose the"
            " decoder to see them."
            if "target" in answer.axes
            else "This model predicts no words."
        )
        return [[says(f"{why} The vectors are shown instead.")], []]
    raised = of(answer, "raised")
    return [
        [
            says(
                "Each row has the {ranks} words whose logits a neuron raises most for"
                " {token:token}. Neuron {neuron} raises {word:token} most, by {by:number}.",
                ranks=answer.axes["rank"].size,
                token=here(answer),
                neuron=fields["top_neurons"][0]["neuron"],
                word=fields["raised_words"][0][0],
                by=float(raised[0, 0]),
            )
        ],
        [
            says(
                "The vector is multiplied by the unembedding. This is a hint and not what the"
                " model says, because norms and other layers may follow."
            )
        ],
    ]


def stream(answer: Answer) -> list[list[Claim]]:
    rows = {name: norm(of(answer, "stream", term=name)) for name in answer.axes["term"].labels}
    begin = says(
        "The stream of {token:token} has length {before:number},",
        token=here(answer),
        before=rows["before"],
    )
    added = (
        says(
            "a norm brings the output from length {output:number} to {added:number}, this is added",
            output=rows["output"],
            added=rows["added"],
        )
        if "output" in rows
        else says("the feed-forward adds a vector of length {added:number}", added=rows["added"])
    )
    told = [begin, added, says("and the sum has length {sum:number}.", sum=rows["sum"])]
    if "normed" in rows:
        after = "The norm after it makes it a vector of length {normed:number}."
        told.append(says(after, normed=rows["normed"]))
    elif "edited" in rows:
        after = "An edit makes it a vector of length {edited:number}."
        told.append(says(after, edited=rows["edited"]))
    return [told, [says("Nothing is overwritten."), follows(answer)]]


def follows(answer: Answer) -> Claim:
    step = answer.fields["next_step"]
    if step is None:
        return says(
            "This is the output of the encoder, which every cross-attention reads."
            if "target" in answer.axes and answer.fields["stack"] == "encoder"
            else "This is the last vector of the token, from which the answer is read."
        )
    _, layer, *_ = step.split(".")
    if not layer.isdigit():
        return says("The final norm of the stack comes next.")
    kind = {
        "after_attention": "self-attention",
        "after_cross_attention": "cross-attention",
        "after_row_attention": "attention between rows",
    }[step.split(".")[-1]]
    return says(
        "The next to read the stream is the {kind} of layer {layer}.", kind=kind, layer=layer
    )


def tokens(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    at, labels = fields["position"], fields["tokens"]
    first = [
        says(
            "Each row is a neuron and each column a token. The same weights are applied to every"
            " token, and no token sees another."
        )
    ]
    shared = of(answer, "also_fires")
    others = [i for i in range(len(labels)) if i != at]
    if not others or not fields["firing"]:
        return [first, []]
    far, near = (
        next(i for i in others if shared[i] == pick(shared[others])) for pick in (min, max)
    )
    told = [
        says(
            "Of the {firing} that fire for {token:token},",
            firing=counted(fields["firing"]),
            token=labels[at],
        ),
        says(
            "{share:%} fire for {token:token} (position {place}) too",
            share=float(shared[near]),
            token=labels[near],
            place=near,
        ),
    ]
    if shared[near] > shared[far]:
        told.append(
            says(
                ", which is the largest share. The smallest share is {share:%}, for {token:token}"
                " (position {place}).",
                share=float(shared[far]),
                token=labels[far],
                place=far,
            )
        )
    return [first, told]


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    fields = answer.fields
    tokens = [(str(i), f"{i} {seen(token)}") for i, token in enumerate(fields["tokens"])]
    layers = [(str(i), str(i)) for i in range(fields["layers"])]
    return {"layer": [("", "last"), *layers], "position": [("", "first"), *tokens]}


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {name: str(question.get(name, "")) for name in ("layer", "position")}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    fields = answer.fields
    inputs = ("model", "source", "target", "text", "image", "row")
    given = {name: question[name] for name in inputs if name in question}
    stack, layer, neuron = fields["stack"], fields["layer"], fields["top_neurons"][0]["neuron"]
    at = given | {"kind": "self", "stack": stack}
    number = f"{stack}.{layer}.feed_forward.post-{fields['position']}-{neuron}"
    told = [
        (
            "/residual",
            given | {"view": "writes", "stack": stack, "position": fields["position"]},
            "What every part writes to the stream",
        ),
        (
            "/attention",
            at | {"layer": layer, "head": 0, "explain": number},
            f"How neuron {neuron} was computed",
        ),
    ]
    step = fields["next_step"] or ""
    if step.endswith(".after_attention"):
        reader = step.split(".")[1]
        told.append(
            (
                "/attention",
                at | {"layer": reader},
                f"The attention of layer {reader}, which reads it",
            )
        )
    of_layer = {"stack": stack, "layer": layer} if question["model"] == "translator" else {}
    return [*told, ("/memory", of_layer, "Clinic: the feed-forward as memory")]
