"""What /journey has to say of each step, from the numbers of the step."""

from collections.abc import Callable, Iterator
from typing import Any

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, says, seen, shaken

ASKED = (
    {"model": "translator", "source": "i am cold", "target": "j' ai froid"},
    {"model": "shakespeare", "text": "to be", "token": 1},
    {"model": "fill-in", "text": "i ___ cold"},
    {"model": "digits", "image": "three"},
)
VARIED = 4
UNSAID = ()
TITLES = {
    "text": "The text becomes tokens",
    "patches": "The image becomes patches",
    "embedding": "A {unit} becomes a vector",
    "scores": "Which other {units} matter here?",
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
    "logits": "From a vector to a {said}",
    "fed_back": "The token is fed back",
}
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


def with_numbers(answer: Answer, **numbers: dict) -> Answer:
    """The answer with other numbers in some steps, by their names."""
    steps = [
        one | {"numbers": one["numbers"] | numbers.get(one["name"], {})}
        for one in answer.fields["steps"]
    ]
    return changed(answer, steps=steps)


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 17)
    yield "numbers apart", apart
    own = {"top_weight": 0.613, "own_weight": 0.613}
    small = {"top_weight": 0.9997, "own_weight": 0.0003}
    yield "looks at itself", with_numbers(apart, weights=own, looks=own)
    yield "small shares", with_numbers(apart, weights=small, looks=small, cls={"weight": 0.31})
    whole = {"top_weight": 1.0, "own_weight": 0.0}
    yield (
        "the whole share",
        with_numbers(apart, weights=whole, looks=whole, cls={"weight": 1.0, "top_weight": 1.0}),
    )
    for relative in ("none", "rope", "alibi"):
        no_place = {"position": 0.0, "relative": relative}
        yield f"positions {relative}", with_numbers(apart, embedding=no_place)
    yield "positions added", with_numbers(apart, embedding={"position": 2.34})
    places = ({"top_place": 1, "heaviest_place": 2}, {"top_place": 1, "heaviest_place": 1})
    for place in places:
        yield f"rows {place}", with_numbers(apart, values={"heaviest": "heavy", **place})
    add = next(one["numbers"] for one in apart.fields["steps"] if one["name"] == "add")
    bare = {name: value for name, value in add.items() if name not in ("normed", "edited")}
    for kind in ({}, {"normed": 3.21}, {"edited": 4.32}):
        steps = [
            one | ({"numbers": bare | kind | {"heads": 1}} if one["name"] == "add" else {})
            for one in apart.fields["steps"]
        ]
        yield f"added {kind}", changed(apart, steps=steps)
    yield "always the same guess", with_numbers(apart, stream={"leads_from": 0})
    yield "another guess first", with_numbers(apart, stream={"leads_from": 3})
    yield "another word follows", with_numbers(apart, fed_back={"follows": "elsewhere"})
    yield "at a temperature of 1", with_numbers(apart, logits={"temperature": 1.0})
    yield "warmer", with_numbers(apart, logits={"temperature": 1.7})
    yield "no word follows", with_numbers(apart, fed_back={"follows": ""})


def share(part: float) -> Claim:
    return says("{part:%}", part=part)


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    walk = answer.fields["walk"]
    unit = "patch" if walk == "image" else "token"
    return {
        one["name"]: [
            [part] if isinstance(part, Claim) else part
            for part in STEPS[one["name"]](one["numbers"] | {"unit": unit, "walk": walk})
        ]
        for one in answer.fields["steps"]
    }


PROPOSED = {"translation": "3 cold", "blank": "2 <mask>", "image": "6 2,2"}
"""What is followed where no token is chosen, in the questions above."""


def titles(answer: Answer) -> list[str]:
    image = answer.fields["walk"] == "image"
    unit, units, said = ("patch", "patches", "digit") if image else ("token", "tokens", "token")
    return [
        TITLES[one["name"]].format(unit=unit, units=units, said=said)
        for one in answer.fields["steps"]
    ]


Texts = list[Any]


def text(n: dict) -> Texts:
    return [
        says(
            "A network computes with numbers, so the text is cut into {tokens} tokens, and each"
            " token has a number in a vocabulary of {vocabulary}.",
            **n,
        ),
        says("Follow {token:token}, which has the number {id}.", **n),
    ]


def patches(n: dict) -> Texts:
    return [
        says(
            "A Transformer reads a sequence, so the image is cut into {n} patches, and the token"
            " [CLS] is put before them to gather the answer.",
            n=n["tokens"] - 1,
        ),
        says("Follow the patch {token} (its row and column), which is framed.", **n),
    ]


def embedding(n: dict) -> Texts:
    if n["walk"] == "image":
        begin = "A learned matrix turns the patch’s pixels into {d_model} numbers"
    else:
        begin = "The token’s number picks a learned vector of {d_model} numbers"
    if n["walk"] == "blank":
        begin += ", which is the same for every blank"
    if n["position"] == 0:
        why = "" if n["relative"] == "none" else " (positions: {relative})"
        return [
            says(
                f"{begin}, and nothing is added for its position: only attention knows of order"
                f"{why}.",
                **n,
            ),
            says("The vector has length {sum:number}.", **n),
        ]
    return [
        says(f"{begin}, and a second vector for its position is added.", **n),
        says(
            "The first has length {token:number}, the second {position:number} and their sum"
            " {sum:number}.",
            **n,
        ),
    ]


def scores(n: dict) -> Texts:
    units = {"patch": "patches", "token": "tokens"}[n["unit"]]
    return [
        says(
            "A vector alone knows nothing of the {units} around it, so the query of the {unit} is"
            " multiplied with the keys of all {keys} positions that it may look at.",
            units=units,
            **n,
        ),
        says(
            "In head {head} of layer {layer} the largest score is {top_score:number}, with"
            " {top:token}, and the smallest {least_score:number}, with {least:token}.",
            **n,
        ),
    ]


def weights(n: dict) -> Texts:
    first = says(
        "The softmax turns the scores into weights between 0 and 1, whose sum is {whole:number}: a"
        " larger weight for one {unit} leaves less for the others.",
        whole=round(n["sum"], 5),
        **n,
    )
    if n["top_weight"] == n["own_weight"]:
        return [first, [says("The {unit} looks most at itself, with", **n), share(n["own_weight"])]]
    return [
        first,
        [
            says("The largest weight,"),
            share(n["top_weight"]),
            says("goes to {top:token}, and the {unit} itself gets", **n),
            share(n["own_weight"]),
        ],
    ]


def values(n: dict) -> Texts:
    other = n["top_place"] != n["heaviest_place"]
    although = ", although {heaviest:token} has the largest weight" if other else ""
    return [
        says(
            "The value of each {unit}, a vector of {d_head} numbers, is multiplied by its weight,"
            " and the sum of these rows is what the head has found.",
            **n,
        ),
        says(
            "The longest row, {top_length:number}, comes from {top:token}" + although + "; the sum"
            " has length {length:number}.",
            **n,
        ),
    ]


def add(n: dict) -> Texts:
    heads = "the head has" if n["heads"] == 1 else f"the {n['heads']} heads have"
    told = [
        says(
            "What {who} found passes through a learned matrix and is added to the vector that the"
            " {unit} had",
            who=heads,
            **n,
        )
    ]
    if "normed" in n:
        after = ", and a norm changes the length of the sum from {sum:number} to {normed:number}."
    elif "edited" in n:
        after = (
            ". The sum has length {sum:number}, and an edit makes it a vector of length"
            " {edited:number}."
        )
    else:
        after = ", whose length goes from {before:number} to {sum:number}."
    return [
        [*told, says(after, **n)],
        says(
            "The cosine between the vector before and after is {cosine:number}; 1 would be the same"
            " direction.",
            **n,
        ),
    ]


def feed_forward(n: dict) -> Texts:
    return [
        says(
            "The feed-forward looks at one {unit} at a time, without the others: of its {neurons}"
            " neurons, {firing} are above 0 here, which is called firing.",
            **n,
        ),
        says(
            "The strongest is neuron {neuron} with {strongest:number}, and what all of them add to"
            " the vector has length {wrote:number}.",
            **n,
        ),
    ]


def output(n: dict) -> Texts:
    return [
        says(
            "After {layers} layers each of the {tokens} tokens has a vector that was made from the"
            " whole text, and these rows are all that the decoder sees of it.",
            **n,
        ),
        says(
            "The cosine between the vector of the followed token here and its embedding is"
            " {cosine:number}.",
            **n,
        ),
    ]


def decoder_input(n: dict) -> Texts:
    return [
        says(
            "The decoder writes one token at a time and reads what it has written so far: here the"
            " first {read} of {tokens} tokens, up to {last:token}.",
            **n,
        ),
        says(
            "The tokens after it are hidden, because in training the decoder could otherwise copy"
            " the answer."
        ),
    ]


def masked(n: dict) -> Texts:
    return [
        says(
            "A mask hides {hidden} of the {cells} cells before the softmax, so that no token reads"
            " what it has to predict.",
            **n,
        ),
        [
            says(
                "In head {head} of layer {layer} the token {query:token} looks most at {top:token},"
                " with",
                **n,
            ),
            share(n["top_weight"]),
            says("of its weight."),
        ],
    ]


def cross(n: dict) -> Texts:
    return [
        says(
            "The query comes from {query:token}, and the keys and values come from the encoder’s"
            " output: so the decoder reads the source when it predicts the next token.",
            **n,
        ),
        [
            says("Head {head} of layer {layer} gives {token:token}", **n),
            share(n["weight"]),
            says("of its weight; averaged over the heads it gets"),
            share(n["mean_weight"]),
        ],
    ]


def cls(n: dict) -> Texts:
    told = [
        says("Head {head} of layer {layer} gives", **n),
        share(n["weight"]),
        says("of its weight to the followed patch,"),
    ]
    if n["weight"] == n["top_weight"]:
        told.append(says("more than to any other."))
    else:
        told += [says("and most,"), share(n["top_weight"]), says("to {top}.", **n)]
    first = "In the last layer [CLS] takes from the patches what the model uses to name the digit."
    return [says(first), told]


def stream(n: dict) -> Texts:
    guesses = (
        "{word:token} at all {points} steps."
        if n["leads_from"] == 0
        else "{first_guess:token} at first, and {word:token} from step {leads} of {points} onwards."
    )
    return [
        says(
            "Every sub-layer adds to the vector, and after each of them a first guess can be read"
            " from it: it is " + guesses,
            leads=n["leads_from"] + 1,
            **n,
        ),
        [
            says("The probability of {word:token} goes from", **n),
            share(n["first"]),
            says("to"),
            share(n["last"]),
        ],
    ]


def logits(n: dict) -> Texts:
    of = " of [CLS]" if n["walk"] == "image" else ""
    each = "{vocabulary} digits" if n["walk"] == "image" else "the {vocabulary} tokens"
    cooled = f", each divided by the temperature {n['temperature']:g}," * (n["temperature"] != 1)
    return [
        says(
            f"The last vector{of} gives a logit for each of {each}, and the softmax turns all of"
            f" them{cooled} into probabilities.",
            **n,
        ),
        [
            says("{word:token} has the largest logit, {logit:number}, and the probability", **n),
            share(n["probability"]),
            says("{second:token} is second with", **n),
            share(n["second_probability"]),
        ],
    ]


def fed_back(n: dict) -> Texts:
    given = n["follows"] not in ("", n["word"])
    begin = (
        "The text that was given goes on with {follows:token}, which is read next. Without it the"
        " model would read {word:token}, and everything is computed again"
        if given
        else "{word:token} is put after the tokens that were read, and everything is computed again"
    )
    if n["walk"] == "continuation":
        return [
            says(begin + " for the token after it.", **n),
            says(
                "The right bars say how probable each known token was when it had to be predicted:"
                " at {first_guesses} of {known} places it had the largest probability.",
                **n,
            ),
        ]
    return [
        says(begin + " for the next token, until </s> ends the text.", **n),
        says(
            "On the right are the probabilities of the {known} tokens of this text; their product"
            " is {product:number}.",
            **n,
        ),
    ]


STEPS: dict[str, Callable[[dict], Texts]] = {
    "text": text,
    "patches": patches,
    "embedding": embedding,
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
    "fed_back": fed_back,
}


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    fields = answer.fields
    tokens = [(one["position"], seen(one["text"])) for one in fields["candidates"]]
    steps = enumerate(titles(answer), start=1)
    return {
        "token": [
            ("", PROPOSED.get(fields["walk"], "proposed")),
            *((str(at), f"{at} {token}") for at, token in tokens),
        ],
        "step": [(str(i), f"{i} {title}") for i, title in steps],
    }


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    told = []
    for one in answer.fields["steps"]:
        path, state = leads_to(answer, one["name"], one["numbers"])
        given = {name: question[name] for name in question if name != "token"}
        told.append((path, given | state, MORE[path]))
    return told


def leads_to(answer: Answer, name: str, n: dict) -> tuple[str, dict]:
    """The page that shows a step whole, and its state."""
    fields, walk = answer.fields, answer.fields["walk"]
    two = walk == "translation"
    stacks = [{"stack": stack} if two else {} for stack in ("encoder", "decoder")]
    place = {"layer": n.get("layer"), "head": n.get("head")}
    at, read = fields["followed"], fields["read_at"]
    own = {"kind": "self", **stacks[0], **place, "query": at}
    stream_of = {**stacks[0], "position": at}
    lens = ("/residual", {"view": "lens", **stacks[1], "position": read})
    greedy = {"strategy": "greedy", "show": "step"}
    words = {
        "translation": ("/generate", greedy | {"step": read + 1}),
        "continuation": ("/generate", greedy | {"step": 1}),
    }
    pages = {
        "text": ("/", {}),
        "patches": ("/images", {"query": at}),
        "embedding": ("/residual", {"view": "contributions", **stream_of, "step": 0}),
        "scores": ("/attention", own | {"stage": "masked_scores"}),
        "weights": ("/attention", own | {"stage": "pattern"}),
        "looks": ("/images", place | {"query": at}),
        "values": ("/attention#values", own | {"stage": "pattern"}),
        "add": ("/residual", {"view": "norm", **stream_of}),
        "feed_forward": ("/feed-forward", stream_of | {"layer": fields["layer"]}),
        "output": ("/residual", {"view": "contributions", **stream_of}),
        "decoder_input": ("/masks", {}),
        "masked": ("/attention", {"kind": "self", **stacks[1], **place, "query": read}),
        "cross": ("/attention", {"kind": "cross", **stacks[1], **place, "query": read, "key": at}),
        "cls": ("/images", place | {"query": 0}),
        "stream": lens,
        "logits": words.get(walk, lens),
        "fed_back": ("/generate", {"strategy": "greedy", "show": "text"}),
    }
    return pages[name]
