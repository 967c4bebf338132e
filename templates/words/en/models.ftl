# /models.
-found_by = model zoo, pretrained weights, checkpoints, model card, parameters, data set, quality, how good, accuracy, BLEU, chrF, unseen sentences, held-out data, baseline, evaluation
-answers = The cards of all models, shipped and added
