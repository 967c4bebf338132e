"""Examples of the translators: sentences, and what to notice in them."""

NOT = {
    "id": "not",
    "input": {"source": "I don't speak French."},
    "look_for": (
        "In French, the single token “n't” becomes two words, “ne” and “pas”, one before the verb"
        " and one after it."
    ),
}
EXAMPLES = [
    {
        "id": "cold",
        "input": {"source": "i am cold"},
        "look_for": (
            "English says “I am cold”; French says, literally, “I have cold”. When the model"
            " generates “ai” (have), the cross-attention heads of the last decoder layer attend, on"
            " average, most to “am”; when it generates “froid” (cold), most to “cold”."
        ),
    },
    {
        "id": "cat",
        "input": {"source": "I have a black cat."},
        "look_for": (
            "“Black cat” becomes “chat noir”: this adjective follows the noun in French, so"
            " the cross-attention lines cross."
        ),
    },
    NOT,
    {
        "id": "hungry",
        "input": {"source": "I'm not hungry."},
        "look_for": (
            "English says “I am hungry”; French says, literally, “I have hunger”. When the model"
            " generates “ai” (have), the cross-attention heads of the last decoder layer attend, on"
            " average, most to “'m”; when it generates “faim” (hunger), most to “hungry”."
        ),
    },
    {
        "id": "miss",
        "input": {"source": "I miss you."},
        "look_for": (
            "French turns the sentence around and says, literally, “you are missing to me”. When"
            " the model generates “tu” (you), the cross-attention heads of the last decoder layer"
            " attend, on average, most to “you”; when it generates “me”, most to “I”."
        ),
    },
    {
        "id": "coffee",
        "input": {"source": "Tom doesn't like black coffee."},
        "look_for": (
            "The word order changes twice: the negation surrounds the verb, and the adjective"
            " “black” moves behind “coffee”."
        ),
    },
    {
        "id": "beam",
        "input": {"source": "Start the car.", "target": "Démarrez la voiture !"},
        "look_for": (
            "Greedy decoding begins with “commence”, which is said of a lesson. Beam search with"
            " four beams finds “démarrez”, which is said of a car."
        ),
    },
    {
        "id": "white",
        "input": {"source": "The white house is very big."},
        "look_for": (
            "The translation omits “white”, although the model attends to “white” when it"
            " generates “est”. A large weight does not mean that a word is used."
        ),
    },
]

# Where Pre-LN attends elsewhere in the same sentence, what to notice there.
PRE_LN = {
    "cold": (
        "English says “I am cold”; French says, literally, “I have cold”. In layers 1 and 2, the"
        " model attends to “cold” both when it generates “ai” (have) and when it generates"
        " “froid”."
    ),
    "hungry": (
        "English says “I am hungry”; French says, literally, “I have hunger”. In the last layer,"
        " the model attends to “hungry” both when it generates “ai” (have) and when it generates"
        " “faim”."
    ),
    "miss": (
        "French turns the sentence around and says, literally, “you are missing to me”. In layers"
        " 0 and 1, the model attends to “you” when it generates “tu” (you), and to “I” when it"
        " generates “me”."
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
            "Here, source and target form a single text. Source tokens see the whole source;"
            " target tokens see the source, and the target up to themselves."
        ),
    },
    {
        "id": "cat",
        "input": {"source": "I have a black cat."},
        "look_for": (
            "“Black cat” becomes “chat noir”. In the last layer, the row of “un” attends to “cat”"
            " and the row of “chat” to “black”: each row attends to the word that it must"
            " translate next."
        ),
    },
    NOT,
    {
        "id": "hungry",
        "input": {"source": "I'm not hungry."},
        "look_for": (
            "The target begins at the second <s>, whose row is the first that must predict a"
            " French word."
        ),
    },
]
