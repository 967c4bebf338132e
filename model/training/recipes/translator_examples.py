"""Examples of the translators: sentences, and what to look for in them."""

EXAMPLES = [
    {
        "id": "cold",
        "input": {"source": "i am cold"},
        "look_for": "English is cold, French has cold: ai looks at am, froid at cold.",
    },
    {
        "id": "cat",
        "input": {"source": "I have a black cat."},
        "look_for": "Black cat becomes chat noir: the lines of the cross-attention cross.",
    },
    {
        "id": "not",
        "input": {"source": "I don't speak French."},
        "look_for": "One n't becomes two words, ne and pas, on either side of the verb.",
    },
    {
        "id": "hungry",
        "input": {"source": "I'm not hungry."},
        "look_for": "French has hunger: ai looks at 'm, faim at hungry.",
    },
    {
        "id": "miss",
        "input": {"source": "I miss you."},
        "look_for": "Who misses whom turns round: tu looks at you, me at I.",
    },
    {
        "id": "coffee",
        "input": {"source": "Tom doesn't like black coffee."},
        "look_for": "A negation and an adjective that change places at once.",
    },
    {
        "id": "beam",
        "input": {"source": "Start the car.", "target": "Démarrez la voiture !"},
        "look_for": (
            "Greedy begins with commence, as one starts a lesson; four beams find démarrez, as one"
            " starts a car."
        ),
    },
    {
        "id": "white",
        "input": {"source": "The white house is very big."},
        "look_for": (
            "The model leaves out white, although est looks at it: where a head looks is not what"
            " is said."
        ),
    },
]

# Where Pre-LN looks elsewhere for the same sentence, what to look for there.
PRE_LN = {
    "cold": "English is cold, French has cold: in layers 1 and 2 ai and froid both look at cold.",
    "hungry": "French has hunger: in the last layer ai and faim both look at hungry.",
    "miss": "Who misses whom turns round: in layers 0 and 1 tu looks at you, me at I.",
}
PRE_EXAMPLES = [
    example | {"look_for": PRE_LN.get(example["id"], example["look_for"])} for example in EXAMPLES
]

AS_ONE = [
    {
        "id": "cold",
        "input": {"source": "i am cold"},
        "look_for": (
            "One text: the source sees all of itself, the target the source and what came before."
        ),
    },
    {
        "id": "cat",
        "input": {"source": "I have a black cat."},
        "look_for": (
            "Black cat becomes chat noir: in the last layer un looks at cat and chat at black, each"
            " at what it is to say next."
        ),
    },
    {
        "id": "not",
        "input": {"source": "I don't speak French."},
        "look_for": "One n't becomes two words, ne and pas, around the verb.",
    },
    {
        "id": "hungry",
        "input": {"source": "I'm not hungry."},
        "look_for": "The first row that is asked for a word is that of the second <s>.",
    },
]
