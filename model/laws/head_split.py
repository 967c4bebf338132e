"""What /head-split expects of each number that it measures."""

from model.laws import Law, by_name

LAWS = by_name(
    Law(
        "model",
        "Right split and the model's own attention, difference",
        "the right split gives the attention of the model",
        (0, 1e-5),
    ),
    Law(
        "same_numbers",
        "Numbers that `view` changes",
        "`view` loses no number and changes none",
        (0, 0),
    ),
    Law(
        "one_head",
        "Both splits with one head, difference",
        "with one head both splits are the same",
        (0, 0),
    ),
    Law(
        "foreign",
        "Rows that hold another token",
        "above 0: rows of a head that belong to another token",
        (0.01, None),
        "of the rows",
    ),
    Law(
        "moved",
        "Attention weight that goes to other tokens",
        "above 0: attention that goes to other tokens",
        (0.01, None),
        "of the weight",
    ),
)
