# /fine-tuning. Champs : app/experiments/fine_tuning.py ; faits : tests/app/words/fine_tuning.py.
-tuned = affiné
-frozen = gelé
-scratch = entraîné de zéro
-labels = 2 048
-points = 25

question = Le pré-entraînement aide-t-il à apprendre une nouvelle tâche ?
-found_by = affinage, fine-tuning, finetuning, apprentissage par transfert, transfert, pré-entraînement, modèle pré-entraîné, tâche en aval, classification de textes, modèle de fondation, transfer learning, pre-training, downstream task, foundation model
claim = Le pré-entraînement aide à apprendre une nouvelle tâche
look_for = Quand les étiquettes sont rares, tous les encodeurs sont près du hasard (ligne pointillée). Avec plus d’étiquettes, c’est surtout l’encodeur { -tuned } qui progresse ; l’encodeur { -frozen } progresse moins, et celui qui est { -scratch } reste près du hasard.
reading = La tâche : deux mots voisins ont-ils été échangés ? Avec { $labels } étiquettes, l’encodeur { -tuned } classe correctement { $accuracy_tuned } des phrases ; celui qui est { -scratch }, { $accuracy_scratch }, soit environ le hasard.
asks = Un encodeur a été pré-entraîné à remplir des blancs. Sa nouvelle tâche est de reconnaître si deux mots voisins sont échangés, d’après { -labels } phrases étiquetées. Une copie reste gelée, et on n’entraîne qu’un classifieur linéaire ajouté ; une autre est affinée ; un troisième encodeur est entraîné de zéro. Lesquels dépassent le hasard d’au moins { -points } points de pourcentage ? Chaque exactitude est une moyenne sur { seeds } au plus.
    .all = Les trois
    .tuned = Seulement celui qui est affiné
    .scratch = Seulement celui qui part de zéro
    .none = Aucun
    .once = une graine
    .twice = deux graines
accuracy = L’exactitude selon le nombre d’étiquettes
    .description = Exactitude de validation de l’encodeur gelé, de l’encodeur affiné et de celui qui est entraîné de zéro.
gain = L’exactitude gagnée grâce au pré-entraînement
    .description = Différence d’exactitude entre l’encodeur affiné et celui qui est entraîné de zéro.
