"""Examples of the translators: sentences, and what to look for in them."""

NOT = {
    "id": "not",
    "input": {"source": "I don't speak French."},
    "look_for": (
        "The one piece n't becomes two words in French, ne and pas, one before the verb and one"
        " after it."
    ),
}
EXAMPLES = [
    {
        "id": "cold",
        "input": {"source": "i am cold"},
        "look_for": (
            "English says “I am cold”, French says “I have cold”. When the model writes ai"
            " (have), its last layer looks at am; when it writes froid, at cold."
        ),
    },
    {
        "id": "cat",
        "input": {"source": "I have a black cat."},
        "look_for": (
            "“Black cat” becomes “chat noir”: the adjective follows the noun in French, so"
            " the lines of the cross-attention cross."
        ),
    },
    NOT,
    {
        "id": "hungry",
        "input": {"source": "I'm not hungry."},
        "look_for": (
            "English says “I am hungry”, French says “I have hunger”. When the model writes"
            " ai (have), its last layer looks at 'm; when it writes faim, at hungry."
        ),
    },
    {
        "id": "miss",
        "input": {"source": "I miss you."},
        "look_for": (
            "French turns the sentence round and says “you are missing to me”. When the"
            " model writes tu (you), its last layer looks at you; when it writes me, at I."
        ),
    },
    {
        "id": "coffee",
        "input": {"source": "Tom doesn't like black coffee."},
        "look_for": (
            "Two things change their order at once: the negation is put around the verb,"
            " and the adjective black moves behind coffee."
        ),
    },
    {
        "id": "beam",
        "input": {"source": "Start the car.", "target": "Démarrez la voiture !"},
        "look_for": (
            "Greedy search begins with commence, which is said of a lesson. A search with"
            " four beams finds démarrez, which is said of a car."
        ),
    },
    {
        "id": "white",
        "input": {"source": "The white house is very big."},
        "look_for": (
            "The translation leaves out white, although the model looks at white when it"
            " writes est. A large weight does not mean that a word is used."
        ),
    },
]

# Where Pre-LN looks elsewhere for the same sentence, what to look for there.
PRE_LN = {
    "cold": (
        "English says “I am cold”, French says “I have cold”. In layers 1 and 2 the"
        " model looks at cold both when it writes ai (have) and when it writes froid."
    ),
    "hungry": (
        "English says “I am hungry”, French says “I have hunger”. In the last layer the"
        " model looks at hungry both when it writes ai (have) and when it writes faim."
    ),
    "miss": (
        "French turns the sentence round and says “you are missing to me”. In layers 0"
        " and 1 the model looks at you when it writes tu (you), and at I when it writes"
        " me."
    ),
}
PRE_EXAMPLES = [
    example | {"look_for": PRE_LN.get(example["id"], example["look_for"])} for example in EXAMPLES
]

AS_ONE = [
    {
        "id": "cold",
        "input": {"source": "i am cold"},
        "look_for": (
            "Source and target are one text here. A token of the source sees the whole"
            " source; a token of the target sees the source and the target up to itself."
        ),
    },
    {
        "id": "cat",
        "input": {"source": "I have a black cat."},
        "look_for": (
            "“Black cat” becomes “chat noir”. In the last layer the row of un looks at cat"
            " and the row of chat looks at black: each row looks at the word that it has to"
            " predict next."
        ),
    },
    NOT,
    {
        "id": "hungry",
        "input": {"source": "I'm not hungry."},
        "look_for": (
            "The target begins with the second <s>. Its row is the first that has to"
            " predict a French word."
        ),
    },
]
