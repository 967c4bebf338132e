# /models.
-found_by = model zoo, pretrained weights, checkpoints, model card, parameters, data set, quality, how good, accuracy, BLEU, chrF, unseen sentences, held-out data, baseline, evaluation
-answers = The cards of the models: those that are shipped, and those that were added
