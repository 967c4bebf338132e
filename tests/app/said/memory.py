"""What /memory says of keys, of slots, and of longer memory."""

import numpy as np

from tests.app.said.answered import both, cut, found, hides, number, shows, with_finding
from tests.app.said.sayings import Field, Fields, Pages, Says, When, always, only, results


def bits(tensor: str, at: int) -> Field:
    return lambda a, _: cut(a, tensor)[at].item()


def best(answer, _) -> int:
    """The length of memory at which held-out text costs least."""
    return answer.axes["memory"].values[int(np.argmin(cut(answer, "held_out")))]


def slot_loss(member: str) -> Field:
    return lambda a, _: cut(a, "slot_loss", member=member, trained=-1).mean().item()


def word(place: int) -> Field:
    return lambda a, _: a.axes["word"].labels[place]


def replaced(verdict: str) -> When:
    return lambda a, q: (
        "slots" in q["figures"] and (found(a, "slots.less_feed_forward").verdict == verdict)
    )


def keys_of(stack: str) -> When:
    return lambda _, q: q["stack"] == stack and not {"slots", "recurrence"} & set(q["figures"])


def falls_then_rises(answer) -> bool:
    """Whether held-out text costs least at a length between none and the longest."""
    costs = cut(answer, "held_out")
    return bool(costs.min() < costs[0] and costs.min() < costs[-1])


FIELDS: Fields = {
    "held_out.none": bits("held_out", 0),
    "held_out.least": lambda a, _: cut(a, "held_out").min().item(),
    "held_out.most": bits("held_out", -1),
    "best": best,
    "longest": lambda a, _: a.axes["memory"].values[-1],
    "bits.none": bits("bits", 0),
    "bits.least": lambda a, _: cut(a, "bits").min().item(),
    "loss.feed-forward": slot_loss("feed-forward"),
    "loss.slots": slot_loss("slots"),
    "loss.attention": slot_loss("attention"),
    "named": number("agreement"),
    "chance": number("agreement_shuffled"),
    "neuron": lambda a, _: a.fields["chosen"]["neuron"],
    "firing": lambda a, _: a.fields["chosen"]["firing"],
    "word.1": word(0),
    "word.2": word(1),
    "word.3": word(2),
}
SAYS: list[Says] = [
    *always("The feed-forward is a memory, and some of its values name words"),
    *only(
        keys_of("decoder"),
        "Each row is one key",
        "the token at which the key fires most strongly, after the tokens before it, and the words"
        " that its value makes likelier",
        "values name the word that the model writes next",
    ),
    *only(
        keys_of("encoder"),
        "Each row is one key of the encoder",
        "the token at which the key fires most strongly, and the words that its value makes"
        " likelier",
        "The encoder predicts no words, so its values are read with the decoder’s unembedding,"
        " which is also the embedding of the encoder",
        "values name the token at which its key fires",
    ),
    *only(
        hides("slots", "recurrence"),
        "{named:%} of the values name",
        "by chance {chance:%} would",
        "Key {neuron} fires with at most {firing:0.00}, and its value writes « {word.1} »,"
        " « {word.2} », « {word.3} »",
    ),
    *only(
        shows("slots"),
        "On the right, three small decoders learn from the same sentences: with feed-forward"
        " networks, with persistent slots in their place, and with attention alone",
        "A lower loss is better",
        "{loss.feed-forward:0.00} nats a token with feed-forward networks, {loss.slots:0.00} with"
        " slots in their place, {loss.attention:0.00} with neither",
        "Held-out loss",
    ),
    *only(replaced("holds"), "Here slots do as well as feed-forward networks"),
    *only(
        replaced("fails"),
        "found slots as good as feed-forward networks after a long training",
        "After this short training they are not",
    ),
    *only(
        replaced("undecided"),
        "The seeds do not decide whether slots do as well as feed-forward networks",
    ),
    *only(
        both(shows("recurrence"), hides("slots")),
        "Held-out text costs {held_out.none:0.00} bits a character without memory,"
        " {held_out.least:0.00} with {best} inputs, and {held_out.most:0.00} with {longest}",
        "This text costs {bits.none:0.00}, at best {bits.least:0.00}",
    ),
]
SAYS += results(
    lambda a, q: shows("recurrence")(a, q) and falls_then_rises(a),
    "On the right, text becomes cheaper to predict while each layer remembers more inputs, up to"
    " the {best} of the training",
    "Beyond them the lines rise, because the model never learned to use what is farther away",
)
NAMES = ("encoder", "decoder")
CLAIMS = {"The feed-forward is a memory": ("sum_of_values", "agreement.above_chance")}
QUESTIONS = ({"stack": "decoder"},)


def forced(pages: Pages) -> Pages:
    """Each verdict on slots in the place of feed-forward networks."""
    for question, answer in pages:
        if "slots" in question["figures"]:
            for verdict in ("holds", "fails", "undecided"):
                yield question, with_finding(answer, "slots.less_feed_forward", verdict=verdict)
