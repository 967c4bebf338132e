# /models.
-found_by = catalogue de modèles, poids pré-entraînés, checkpoints, fiche de modèle, carte de modèle, model card, paramètres, jeu de données, corpus, qualité, exactitude, précision, BLEU, chrF, phrases inédites, données de validation, référence, évaluation
