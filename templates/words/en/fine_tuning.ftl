# /fine-tuning. Fields: app/experiments/fine_tuning.py; facts: tests/app/words/fine_tuning.py.
-answers = A pre-trained encoder that learns a new task from few labels, frozen or fine-tuned, compared with training from scratch
-tuned = fine-tuned
-frozen = frozen
-scratch = trained from scratch
-labels = 2,048
-points = 25

question = Does pre-training help a model learn a new task?
-found_by = fine-tuning, finetune, transfer learning, pre-training, pretrained model, downstream task, classification of text, foundation model
claim = Pre-training helps a model learn a new task
look_for = With few labels, all three encoders are near chance (dotted line). With more labels, the { -tuned } encoder improves most, the { -frozen } one improves less, and the one { -scratch } stays near chance.
reading = The task: have two neighboring words been swapped? With { $labels } labels, the { -tuned } encoder is right on { $accuracy_tuned } of the sentences; the one { -scratch } is right on { $accuracy_scratch }, about chance.
asks = An encoder was pre-trained to fill in blanks. Its new task is to tell whether two neighboring words are swapped, given { -labels } labeled sentences. One copy stays frozen and only a linear classifier on it is trained; a second copy is fine-tuned; a third encoder is trained from scratch. Which of them beats chance by at least { -points } percentage points? Each accuracy is a mean over up to { seeds }.
    .all = All three
    .tuned = Only the fine-tuned one
    .scratch = Only the one from scratch
    .none = None
    .once = one seed
    .twice = two seeds
accuracy = Accuracy by number of labels
    .description = Held-out accuracy of the frozen encoder, the fine-tuned one and the one trained from scratch.
gain = Accuracy gained by pre-training
    .description = Difference in accuracy between the fine-tuned encoder and the one trained from scratch.
FineTuningAnswer =
    .chance = The accuracy of guessing.
