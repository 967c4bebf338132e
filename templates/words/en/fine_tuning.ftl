# /fine-tuning. Fields: app/experiments/fine_tuning.py; facts: tests/app/words/fine_tuning.py.
-answers = A pre-trained encoder that learns another task from few labels, frozen or fine-tuned, beside an encoder that learns from scratch
-tuned = tuned
-frozen = frozen
-scratch = from scratch
-labels = 2,048
-points = 25

-found_by = fine-tuning, finetune, transfer learning, pre-training, pretrained model, downstream task, classification of text, foundation model
claim = A pre-trained encoder learns from labels too few for an untrained one
look_for = On the left, all three lines begin near the dotted line, where a coin would be. With more labels the { -tuned } encoder improves most, the { -frozen } one a little, and the one { -scratch } stays near the coin. On the right is the { -tuned } encoder less the one { -scratch }.
reading = With { $labels } labels the { -tuned } encoder judges { $accuracy_tuned } of the sentences rightly, and the one { -scratch } { $accuracy_scratch }.
asks = An encoder has learned to fill blanks. Its new task has { -labels } labelled sentences: in half of them two neighbouring words have changed places. One copy is frozen below a linear map, one copy is tuned, and one encoder begins from scratch. Which of them is right at least { -points } percentage points more often than a coin? Each is trained with up to { seeds }.
    .all = All three
    .tuned = Only the tuned one
    .scratch = Only the one from scratch
    .none = None
    .once = one training
    .twice = two trainings
accuracy = How often each is right
    .description = Accuracy of a frozen, a tuned and a fresh encoder by the number of labelled sentences.
gain = What pre-training adds
    .description = What pre-training adds to the accuracy, by the number of labelled sentences.
FineTuningAnswer =
    .chance = The accuracy of a coin.
