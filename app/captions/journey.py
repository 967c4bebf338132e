"""What the page of /journey says of each step: a title, two sentences, and a link to another page.

A sentence is a function of the numbers of its step, which the analysis took from the run.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from app.captions import Question
from app.captions.page import anchor, given
from app.captions.terms import explained_texts
from app.captions.text import number, percent, visible

if TYPE_CHECKING:
    from model.answers.answer import Answer

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Spoken:
    """What is said of one step: `more` is the name of the page that shows it whole, and `link` the
    address of that page in the state of this step.
    """

    name: str
    title: str
    sentences: list[str]
    link: str
    more: str


@dataclass(frozen=True)
class Captions:
    """What the page says about an answer: every step, with its sentences as HTML in which terms are
    explained, and its link, too, and by the name of a control its choices.
    """

    steps: list[dict[str, Any]]
    choices: dict[str, list[dict[str, str]]]


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    steps = [spoken(i, answer, question) for i in range(len(answer.fields["steps"]))]
    tokens = [
        {"value": str(one["position"]), "label": f"{one['position']} {visible(one['text'])}"}
        for one in answer.fields["candidates"]
    ]
    proposed = next(
        token["label"] for token in tokens if token["value"] == str(answer.fields["followed"])
    )
    first = proposed if question.get("token") is None else "proposed"
    choices = {
        "token": [{"value": "", "label": first}, *tokens],
        "step": [
            {"value": str(i), "label": f"{i} {step.title}"} for i, step in enumerate(steps, start=1)
        ],
    }
    html = explained_texts(*(" ".join(step.sentences) for step in steps))
    told = [
        {**asdict(step), "explained": each, "whole": anchor("whole", step.link, step.more)}
        for step, each in zip(steps, html, strict=True)
    ]
    return asdict(Captions(told, choices))


def spoken(step: int, answer: "Answer", question: Question) -> Spoken:
    """What is said of the step with this index."""
    taken = answer.fields["steps"][step]
    name = taken["name"]
    walk = answer.fields["walk"]
    numbers = {**taken["numbers"], "unit": "patch" if walk == "image" else "token"}
    page, state = entry_of(LINKS, name, walk)(answer, numbers)
    path, _, part = page.partition("#")
    return Spoken(
        name,
        entry_of(TITLES, name, walk),
        list(entry_of(SENTENCES, name, walk)(numbers)),
        f"{path}?{urlencode(given(question) | state)}{part and f'#{part}'}",
        MORE[page],
    )


def entry_of(table: dict[str, Any], name: str, walk: str) -> Any:
    """The entry of a step in one walk, as "logits.image", or that of the step in every walk."""
    return table.get(f"{name}.{walk}") or table[name]


MORE = {
    "/": "Overview: the whole model",
    "/attention": "Attention: every head",
    "/attention#values": "Attention: what the weights are used for",
    "/residual": "Residual stream: every step",
    "/feed-forward": "Feed-forward: what every neuron writes",
    "/masks": "Masks: what may be read",
    "/generate": "Generate text: every token",
    "/images": "Images: every head",
}

TITLES = {
    "text": "The text becomes tokens",
    "patches": "The image becomes patches",
    "embedding": "A token becomes a vector",
    "embedding.image": "A patch becomes a vector",
    "scores": "Which other tokens matter here?",
    "scores.image": "Which other patches matter here?",
    "weights": "Scores become shares",
    "looks": "Scores become shares",
    "values": "What the shares are for",
    "add": "Nothing is overwritten",
    "feed_forward": "Then each token works alone",
    "output": "What the decoder will see",
    "decoder_input": "The second text begins",
    "masked": "Looking back, never ahead",
    "cross": "Where the two texts meet",
    "cls": "[CLS] gathers the answer",
    "stream": "The answer takes shape",
    "logits": "From a vector to a token",
    "logits.image": "From a vector to a digit",
    "fed_back": "The token is fed back",
}


PLURAL = {"token": "tokens", "patch": "patches"}


def quoted(token: str) -> str:
    return f"“{visible(token)}”"


def text(n: Numbers) -> tuple[str, str]:
    return (
        f"A network computes with numbers, so the text is cut into {n['tokens']} tokens, and each"
        f" token has a number in a vocabulary of {n['vocabulary']}.",
        f"Follow {quoted(n['token'])}, which has the number {n['id']}.",
    )


def patches(n: Numbers) -> tuple[str, str]:
    return (
        f"A Transformer reads a sequence, so the image is cut into {n['tokens'] - 1} patches, and"
        " the token [CLS] is put before them to gather the answer.",
        f"Follow the patch {n['token']} (its row and column), which is framed.",
    )


def embedding(n: Numbers) -> tuple[str, str]:
    picked = f"The token’s number picks a learned vector of {n['d_model']} numbers"
    return summed(n, picked)


def blank_embedding(n: Numbers) -> tuple[str, str]:
    return summed(
        n,
        f"The token’s number picks a learned vector of {n['d_model']} numbers, which is the same"
        " for every blank",
    )


def image_embedding(n: Numbers) -> tuple[str, str]:
    return summed(n, f"A learned matrix turns the patch’s pixels into {n['d_model']} numbers")


def summed(n: Numbers, picked: str) -> tuple[str, str]:
    """A token's vector and that of its position; a model may have none for the position."""
    if not n["position"]:
        why = f" (positions: {n['relative']})" if n["relative"] != "none" else ""
        return (
            f"{picked}, and nothing is added for its position: only attention knows of order{why}.",
            f"The vector has length {number(n['sum'])}.",
        )
    return (
        f"{picked}, and a second vector for its position is added.",
        f"The first has length {number(n['token'])}, the second {number(n['position'])} and their"
        f" sum {number(n['sum'])}.",
    )


def where(n: Numbers) -> str:
    return f"head {n['head']} of layer {n['layer']}"


def scores(n: Numbers) -> tuple[str, str]:
    return (
        f"A vector alone knows nothing of the {PLURAL[n['unit']]} around it, so the query of the"
        f" {n['unit']} is multiplied with the keys of all {n['keys']} positions that it may look"
        " at.",
        f"In {where(n)} the largest score is {number(n['top_score'])}, with {quoted(n['top'])}, and"
        f" the smallest {number(n['least_score'])}, with {quoted(n['least'])}.",
    )


def weights(n: Numbers) -> tuple[str, str]:
    first = (
        "The softmax turns the scores into weights between 0 and 1, whose sum is"
        f" {number(round(n['sum'], 5))}: a larger weight for one"
        f" {n['unit']} leaves less for the others."
    )
    if n["top_weight"] == n["own_weight"]:
        return first, f"The {n['unit']} looks most at itself, with {percent(n['own_weight'])}."
    return (
        first,
        f"The largest weight, {percent(n['top_weight'])}, goes to {quoted(n['top'])}, and the"
        f" {n['unit']} itself gets {percent(n['own_weight'])}.",
    )


def values(n: Numbers) -> tuple[str, str]:
    first = (
        f"The value of each {n['unit']}, a vector of {n['d_head']} numbers, is multiplied by its"
        " weight, and the sum of these rows is what the head has found."
    )
    longest = f"The longest row, {number(n['top_length'])}, comes from {quoted(n['top'])}"
    if n["top_place"] != n["heaviest_place"]:
        longest += f", although {quoted(n['heaviest'])} has the largest weight"
    return first, f"{longest}; the sum has length {number(n['length'])}."


def add(n: Numbers) -> tuple[str, str]:
    found = "the head has" if n["heads"] == 1 else f"the {n['heads']} heads have"
    added = (
        f"What {found} found passes through a learned matrix and is added to the vector that the"
        f" {n['unit']} had"
    )
    turned = (
        f"The cosine between the vector before and after is {number(n['cosine'])}; 1 would be the"
        " same direction."
    )
    if "normed" in n:
        return (
            f"{added}, and a norm changes the length of the sum from {number(n['sum'])} to"
            f" {number(n['normed'])}.",
            turned,
        )
    if "edited" in n:
        return (
            f"{added}. The sum has length {number(n['sum'])}, and an edit makes it a vector of"
            f" length {number(n['edited'])}.",
            turned,
        )
    return (
        f"{added}, whose length goes from {number(n['before'])} to {number(n['sum'])}.",
        turned,
    )


def feed_forward(n: Numbers) -> tuple[str, str]:
    return (
        f"The feed-forward looks at one {n['unit']} at a time, without the others: of its"
        f" {n['neurons']} neurons, {n['firing']} are above 0 here, which is called firing.",
        f"The strongest is neuron {n['neuron']} with {number(n['strongest'])}, and what all of them"
        f" add to the vector has length {number(n['wrote'])}.",
    )


def output(n: Numbers) -> tuple[str, str]:
    return (
        f"After {n['layers']} layers each of the {n['tokens']} tokens has a vector that was made"
        " from the whole text, and these rows are all that the decoder sees of it.",
        "The cosine between the vector of the followed token here and its embedding is"
        f" {number(n['cosine'])}.",
    )


def decoder_input(n: Numbers) -> tuple[str, str]:
    return (
        "The decoder writes one token at a time and reads what it has written so far: here the"
        f" first {n['read']} of {n['tokens']} tokens, up to {quoted(n['last'])}.",
        "The tokens after it are hidden, because in training the decoder could otherwise copy the"
        " answer.",
    )


def masked(n: Numbers) -> tuple[str, str]:
    return (
        f"A mask hides {n['hidden']} of the {n['cells']} cells before the softmax, so that no token"
        " reads what it has to predict.",
        f"In {where(n)} the token {quoted(n['query'])} looks most at {quoted(n['top'])}, with"
        f" {percent(n['top_weight'])} of its weight.",
    )


def cross(n: Numbers) -> tuple[str, str]:
    return (
        f"The query comes from {quoted(n['query'])}, and the keys and values come from the"
        " encoder’s output: so the decoder reads the source when it predicts the next token.",
        f"{where(n).capitalize()} gives {quoted(n['token'])} {percent(n['weight'])} of its"
        f" weight; averaged over the heads it gets {percent(n['mean_weight'])}.",
    )


def cls(n: Numbers) -> tuple[str, str]:
    most = (
        "more than to any other"
        if n["top_weight"] == n["weight"]
        else f"and most, {percent(n['top_weight'])}, to {n['top']}"
    )
    return (
        "In the last layer [CLS] takes from the patches what the model uses to name the digit.",
        f"{where(n).capitalize()} gives {percent(n['weight'])} of its weight to the followed"
        f" patch, {most}.",
    )


def stream(n: Numbers) -> tuple[str, str]:
    guesses = (
        f"{quoted(n['first_guess'])} at first, and {quoted(n['word'])} from step"
        f" {n['leads_from'] + 1} of {n['points']} onwards"
        if n["leads_from"]
        else f"{quoted(n['word'])} at all {n['points']} steps"
    )
    return (
        "Every sub-layer adds to the vector, and after each of them a first guess can be read from"
        f" it: it is {guesses}.",
        f"The probability of {quoted(n['word'])} goes from {percent(n['first'])} to"
        f" {percent(n['last'])}.",
    )


def logits(n: Numbers) -> tuple[str, str]:
    return of_largest(n, f"The last vector gives a logit for each of the {n['vocabulary']} tokens")


def image_logits(n: Numbers) -> tuple[str, str]:
    return of_largest(
        n, f"The last vector of [CLS] gives a logit for each of {n['vocabulary']} digits"
    )


def of_largest(n: Numbers, gives: str) -> tuple[str, str]:
    heat = n["temperature"]
    divided = "" if heat == 1 else f", each divided by the temperature {heat:g},"
    return (
        f"{gives}, and the softmax turns all of them{divided} into probabilities.",
        f"{quoted(n['word'])} has the largest logit, {number(n['logit'])}, and the probability"
        f" {percent(n['probability'])}; {quoted(n['second'])} is second with"
        f" {percent(n['second_probability'])}.",
    )


def put_behind(n: Numbers) -> str:
    if n["follows"] not in ("", n["word"]):
        return (
            f"The text that was given goes on with {quoted(n['follows'])}, which is read next."
            f" Without it the model would read {quoted(n['word'])}"
        )
    return f"{quoted(n['word'])} is put after the tokens that were read"


def fed_back(n: Numbers) -> tuple[str, str]:
    return (
        f"{put_behind(n)}, and everything is computed again for the next token, until </s> ends the"
        " text.",
        f"On the right are the probabilities of the {n['known']} tokens of this text; their product"
        f" is {number(n['product'])}.",
    )


def continued(n: Numbers) -> tuple[str, str]:
    return (
        f"{put_behind(n)}, and everything is computed again for the token after it.",
        "The right bars say how probable each known token was when it had to be predicted: at"
        f" {n['first_guesses']} of {n['known']} places it had the largest probability.",
    )


SENTENCES: dict[str, Callable[[Numbers], tuple[str, str]]] = {
    "text": text,
    "patches": patches,
    "embedding": embedding,
    "embedding.blank": blank_embedding,
    "embedding.image": image_embedding,
    "scores": scores,
    "weights": weights,
    "looks": weights,
    "values": values,
    "add": add,
    "feed_forward": feed_forward,
    "output": output,
    "decoder_input": decoder_input,
    "masked": masked,
    "cross": cross,
    "cls": cls,
    "stream": stream,
    "logits": logits,
    "logits.image": image_logits,
    "fed_back": fed_back,
    "fed_back.continuation": continued,
}

Place = tuple[str, dict[str, Any]]


def stack(answer: "Answer", of_a_translation: str = "encoder") -> dict[str, str]:
    """The stack, where a page lets its readers choose among two."""
    return {"stack": of_a_translation} if answer.fields["walk"] == "translation" else {}


def of_head(answer: "Answer", n: Numbers, stage: str) -> Place:
    """The head that is shown, in the row of the token that is followed."""
    return "/attention", {
        "kind": "self",
        **stack(answer),
        "layer": n["layer"],
        "head": n["head"],
        "stage": stage,
        "query": answer.fields["followed"],
    }


def of_stream(answer: "Answer", view: str, **more: int) -> Place:
    """The stream of the stack in which the token is followed."""
    return "/residual", {
        "view": view,
        **stack(answer),
        "position": answer.fields["followed"],
        **more,
    }


LINKS: dict[str, Callable[["Answer", Numbers], Place]] = {
    "text": lambda answer, n: ("/", {}),
    "patches": lambda answer, n: ("/images", {"query": answer.fields["followed"]}),
    "embedding": lambda answer, n: of_stream(answer, "contributions", step=0),
    "scores": lambda answer, n: of_head(answer, n, "masked_scores"),
    "weights": lambda answer, n: of_head(answer, n, "pattern"),
    "looks": lambda answer, n: (
        "/images",
        {"layer": n["layer"], "head": n["head"], "query": answer.fields["followed"]},
    ),
    "values": lambda answer, n: ("/attention#values", of_head(answer, n, "pattern")[1]),
    "add": lambda answer, n: of_stream(answer, "norm"),
    "feed_forward": lambda answer, n: (
        "/feed-forward",
        {
            **stack(answer),
            "layer": answer.fields["layer"],
            "position": answer.fields["followed"],
        },
    ),
    "output": lambda answer, n: of_stream(answer, "contributions"),
    "decoder_input": lambda answer, n: ("/masks", {}),
    "masked": lambda answer, n: (
        "/attention",
        {
            "kind": "self",
            **stack(answer, "decoder"),
            "layer": n["layer"],
            "head": n["head"],
            "query": answer.fields["read_at"],
        },
    ),
    "cross": lambda answer, n: (
        "/attention",
        {
            "kind": "cross",
            **stack(answer, "decoder"),
            "layer": n["layer"],
            "head": n["head"],
            "query": answer.fields["read_at"],
            "key": answer.fields["followed"],
        },
    ),
    "cls": lambda answer, n: ("/images", {"layer": n["layer"], "head": n["head"], "query": 0}),
    "stream": lambda answer, n: (
        "/residual",
        {
            "view": "lens",
            **stack(answer, "decoder"),
            "position": answer.fields["read_at"],
        },
    ),
    "logits": lambda answer, n: (
        "/generate",
        {"strategy": "greedy", "show": "step", "step": answer.fields["read_at"] + 1},
    ),
    "logits.continuation": lambda answer, n: (
        "/generate",
        {"strategy": "greedy", "show": "step", "step": 1},
    ),
    "logits.blank": lambda answer, n: LINKS["stream"](answer, n),
    "logits.image": lambda answer, n: LINKS["stream"](answer, n),
    "fed_back": lambda answer, n: ("/generate", {"strategy": "greedy", "show": "text"}),
}
"""The page that shows a step whole, and the state in which it shows this token."""
