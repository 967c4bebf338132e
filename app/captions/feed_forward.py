"""What the page of /feed-forward says of each view: what is seen, and what it means."""

import re
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.page import Seen, choices, chosen, given, indices, link, numbered, with_terms
from app.captions.text import counted, number, percent, visible
from app.captions.writers import WRITERS

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]

FUNCTIONS = {
    "relu": "ReLU, max(0, x)",
    "gelu": "GELU, x Φ(x)",
    "gelu_tanh": "GELU with a hyperbolic tangent",
    "silu": "SiLU, x / (1 + e⁻ˣ)",
}
ATTENTION_OF = re.compile(r"\w+\.(\d+)\.residual\.after_(\w+)")


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page says: of every view, in its controls, and where it leads on."""
    fields = answer.fields
    return {
        "views": {
            name: with_terms(view(answer, fields))
            for name, view in (
                ("fires", fires),
                ("writes", writes),
                ("words", raised),
                ("stream", stream),
                ("tokens", tokens),
            )
        },
        "choices": {
            "layer": choices("last", indices(fields["layers"])),
            "position": choices("first", numbered(fields["tokens"])),
        },
        "chosen": chosen(question, "layer", "position"),
        "links": links(fields, question),
    }


def token_of(fields: Fields) -> str:
    return f"“{visible(fields['tokens'][fields['position']])}”"


def length(answer: "Answer", name: str) -> str:
    return number(answer.tensors[name].data.norm().item())


def fires(answer: "Answer", fields: Fields) -> Seen:
    """Which neurons fire, and which write most."""
    best, n = fields["top_neurons"][0], fields["neurons"]
    of_gate = " of its gate" if fields["gated"] else ""
    gated = " Each value is multiplied by a second number of the neuron." if fields["gated"] else ""
    reads = "the normed stream" if ".norm" in fields["reads"] else "the stream"
    return {
        "see": (
            f"Each dot is one of the {n} neurons{of_gate}: {fields['firing']} of them"
            f" ({percent(fields['firing'] / n)}) fire for {token_of(fields)}, which means that"
            f" their argument is above 0. Neuron {best['neuron']} writes most, a vector of length"
            f" {number(best['length'])}."
        ),
        "more": (
            f"The first matrix turns the {answer.axes['channel'].size} numbers of {reads} into {n}"
            f" arguments. The activation function is {FUNCTIONS[fields['activation']]}.{gated}"
        ),
    }


def writes(answer: "Answer", fields: Fields) -> Seen:
    """What the neurons write, and that it sums to the output."""
    top = len(fields["top_neurons"])
    rest = fields["neurons"] - top
    summands = [
        f"the {counted(top, 'neuron')}",
        *([f"what the other {counted(rest, 'neuron')} write"] if rest else []),
        *(["the bias"] if answer.tensors["bias"].data.any() else []),
        *(["what the edits added"] if "edit" in answer.tensors else []),
    ]
    *first, last = summands
    whole = f"{', '.join(first)} and {last}" if first else last
    return {
        "see": (
            f"Each row is a vector of {answer.axes['channel'].size} numbers: a neuron’s activation"
            f" times its row of the second matrix. The sum of {whole} is the last row, the output,"
            f" up to a rounding error of {number(fields['largest_difference']['value'])}."
        ),
        "more": (
            f"The output has length {length(answer, 'out')}. Along the direction of all that the"
            f" neurons write, the {counted(top, 'neuron')} shown give"
            f" {percent(fields['share_of_top'])} of it."
        ),
    }


def raised(answer: "Answer", fields: Fields) -> Seen:
    """Which words the neurons raise, or why none are read."""
    if fields["raised_words"] is None:
        reason = (
            "No words are read from an encoder whose output only the decoder reads: choose the"
            " decoder to see them."
            if "target" in answer.axes and fields["stack"] == "encoder"
            else "This model predicts no words."
        )
        return {"see": f"{reason} The vectors are shown instead.", "more": ""}
    best, most = fields["raised_words"][0], answer.tensors["raised"].data
    return {
        "see": (
            f"Each row has the {most.shape[1]} words whose logits a neuron raises most for"
            f" {token_of(fields)}. Neuron {fields['top_neurons'][0]['neuron']} raises"
            f" “{visible(best[0])}” most, by {number(most[0, 0].item())}."
        ),
        "more": (
            "The vector is multiplied by the unembedding. This is a hint and not what the model"
            " says, because norms and other layers may follow."
        ),
    }


def stream(answer: "Answer", fields: Fields) -> Seen:
    """How the output joins the stream, and what comes next."""
    lengths = answer.tensors["stream"].data.norm(dim=-1).tolist()
    rows = dict(zip(fields["terms"], lengths, strict=True))
    normed = (
        f" The norm after it makes it a vector of length {number(rows['normed'])}."
        if "normed" in rows
        else f" An edit makes it a vector of length {number(rows['edited'])}."
        if "edited" in rows
        else ""
    )
    output = (
        f"a norm brings the output from length {number(rows['output'])} to"
        f" {number(rows['added'])}, this is added"
        if "output" in rows
        else f"the feed-forward adds a vector of length {number(rows['added'])}"
    )
    return {
        "see": (
            f"The stream of {token_of(fields)} has length {number(rows['before'])}, {output}, and"
            f" the sum has length {number(rows['sum'])}.{normed}"
        ),
        "more": f"Nothing is overwritten. {follows(answer, fields)}",
    }


def follows(answer: "Answer", fields: Fields) -> str:
    """What reads the stream next."""
    step = fields["next_step"]
    if step is None and fields["stack"] == "encoder" and "target" in answer.axes:
        return "This is the output of the encoder, which every cross-attention reads."
    if step is None:
        return "This is the last vector of the token, from which the answer is read."
    if match := ATTENTION_OF.fullmatch(step):
        return f"The next to read the stream is the {WRITERS[match[2]].title} of layer {match[1]}."
    return "The final norm of the stack comes next."


def tokens(answer: "Answer", fields: Fields) -> Seen:
    """What the same neurons do at the other tokens."""
    here, labels = fields["position"], fields["tokens"]
    shared = answer.tensors["also_fires"].data.tolist()
    others = [i for i in range(len(labels)) if i != here]
    first = (
        "Each row is a neuron and each column a token. The same weights are applied to every token,"
        " and no token sees another."
    )
    if not others or not fields["firing"]:
        return {"see": first, "more": ""}
    near, far = (pick(others, key=lambda i: shared[i]) for pick in (max, min))
    most, least = (
        f"{percent(shared[i])} fire for “{visible(labels[i])}” (position {i}) too"
        for i in (near, far)
    )
    range_of = (
        f"{most}, which is the largest share. The smallest share is {percent(shared[far])}, for"
        f" “{visible(labels[far])}” (position {far})."
    )
    said = range_of if shared[near] > shared[far] else f"{least}."
    fire = counted(fields["firing"], "neuron")
    return {"see": first, "more": f"Of the {fire} that fire for {token_of(fields)}, {said}"}


def links(fields: Fields, question: Question) -> list[dict[str, str]]:
    """The pages that go on from here, in the same state."""
    run = given(question)
    stack, layer = fields["stack"], fields["layer"]
    neuron = fields["top_neurons"][0]["neuron"]
    number = f"{stack}.{layer}.feed_forward.post-{fields['position']}-{neuron}"
    found = [
        link(
            "/residual",
            {**run, "view": "writes", "stack": stack, "position": fields["position"]},
            "What every part writes to the stream",
        ),
        link(
            "/attention",
            {**run, "kind": "self", "stack": stack, "layer": layer, "head": 0, "explain": number},
            f"How neuron {neuron} was computed",
        ),
    ]
    if (match := ATTENTION_OF.fullmatch(fields["next_step"] or "")) and match[2] == "attention":
        found.append(
            link(
                "/attention",
                {**run, "kind": "self", "stack": stack, "layer": match[1]},
                f"The attention of layer {match[1]}, which reads it",
            )
        )
    of_layer = {"stack": stack, "layer": layer} if question.get("model") == CLINIC else {}
    return [*found, link("/memory", of_layer, "Clinic: the feed-forward as memory")]


CLINIC = "translator"
"""The model that /memory is about."""
