"""What the page of /memory says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import finding, measured
from app.figures.text import decimals, percent, visible
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The feed-forward is a memory, and some of its values name words"
LOOK_FOR = (
    "Each row is one key. It shows the token at which the key fires most strongly, after the tokens"
    " before it, and the words that its value makes likelier. Some of these words continue the"
    " text."
)
ENCODER = (
    "Each row is one key of the encoder. It shows the token at which the key fires most strongly,"
    " and the words that its value makes likelier. The encoder predicts no words, so its values are"
    " read with the decoder’s unembedding, which is also the embedding of the encoder."
)
SLOTS = (
    "On the right, three small decoders learn from the same sentences: with feed-forward networks,"
    " with persistent slots in their place, and with attention alone. A lower loss is better."
)
REPLACED = {
    "holds": " Here slots do as well as feed-forward networks.",
    "fails": (
        " Sukhbaatar et al. found slots as good as feed-forward networks after a long training."
        " After this short training they are not."
    ),
    "undecided": " The seeds do not decide whether slots do as well as feed-forward networks.",
}
RECURRENCE = (
    "On the right, text becomes cheaper to predict while each layer remembers more inputs, up to"
    " the {} of the training. Beyond them the lines rise, because the model never learned to use"
    " what is farther away."
)
FITTING = {
    "encoder": "the token at which its key fires",
    "decoder": "the word that the model writes next",
}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("sum_of_values", "agreement.above_chance"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    if "recurrence" in question["figures"]:
        return RECURRENCE.format(best_length(answer))
    if "slots" in question["figures"]:
        replaced = finding(answer, "slots.less_feed_forward").verdict
        return SLOTS + REPLACED[replaced]
    return ENCODER if question["stack"] == "encoder" else LOOK_FOR


def best_length(answer: "Answer") -> int:
    """The length of memory at which held-out text costs least."""
    lengths, held_out = axes.values(answer, "memory"), answer.tensors["held_out"].data
    return int(lengths[int(held_out.argmin())])


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: how many values name the fitting word, or what is shown beside the
    keys.
    """
    if "recurrence" in question["figures"]:
        held_out, bits = (answer.tensors[name].data.tolist() for name in ("held_out", "bits"))
        lengths = axes.values(answer, "memory")
        none, best, longest = (decimals(x) for x in (held_out[0], min(held_out), held_out[-1]))
        return (
            f"Held-out text costs {none} bits a character without memory, {best} with"
            f" {best_length(answer)} inputs, and {longest} with {lengths[-1]:g}. This text costs"
            f" {decimals(bits[0])}, at best {decimals(min(bits))}."
        )
    if "slots" in question["figures"]:
        loss = answer.tensors["slot_loss"].data[:, :, -1].mean(1)
        told = dict(zip(axes.labels(answer, "member"), map(decimals, loss.tolist()), strict=True))
        return (
            f"Held-out loss: {told['feed-forward']} nats a token with feed-forward networks,"
            f" {told['slots']} with slots in their place, {told['attention']} with neither."
        )
    chosen = answer.fields["chosen"]
    words = ", ".join(f"« {visible(word)} »" for word in axes.labels(answer, "word")[:3])
    named, chance = (
        percent(measured(answer, name)) for name in ("agreement", "agreement_shuffled")
    )
    return (
        f"{named} of the values name {FITTING[question['stack']]}; by chance {chance} would. Key"
        f" {chosen['neuron']} fires with at most {decimals(chosen['firing'])}, and its value writes"
        f" {words}."
    )


TITLES = {
    "sum_of_values": "Difference between the output and the sum of values",
    "other_tokens": "Change of the feed-forward when all other tokens change",
    "other_tokens_in_attention": "Change of attention when all other tokens change",
    "fires": "Share of keys that fire at a token",
    "fires_fresh": "Share of keys that fire in an untrained network",
    "agreement.above_chance": "Values that name the fitting word, beyond chance",
    "agreement": "Values that name the fitting word",
    "agreement_shuffled": "Shuffled values that name the fitting word",
    "saved": "Bits that memory saves on held-out text",
    "beyond": "Bits lost with a longer memory than in training",
    "cached": "Difference between full memory and the whole text at once",
    "reach": "How far back a segment reaches",
    "slots_sum": "Sum of a row over tokens and slots, less 1",
    "no_slots": "Difference between no slots and plain attention",
    "slots.over_attention": "Loss that trained slots save beside attention alone",
    "slots.less_feed_forward": "Loss with slots, less that with feed-forward networks",
}
