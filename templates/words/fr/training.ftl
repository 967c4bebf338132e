# /training. Champs et conditions : app/experiments/training.py ; faits :
# tests/app/words/training.py.
-found_by = tête d’induction, induction head, In-context Learning and Induction Heads, Olsson, apprentissage en contexte, in-context learning, few-shot, changement de phase, transition de phase, émergence, dynamique de l’entraînement, courbe d’apprentissage, courbe de perte, points de sauvegarde, checkpoints, séquence répétée, compléter un motif
maps = Quelle lettre prête attention à quelle autre
    .description =
        { $one_head ->
           *[no] { $maps } cartes d’attention à l’étape { $step }, une par tête ; plus une cellule est vive, plus le poids est grand.
            [yes] Attention de la tête { $head_name } à l’étape { $step }.
        }
loss = Perte par lettre
    .description = Perte de chaque lettre à l’étape { $step }, avec deux couches et avec une.
time-roles = Au fil de l’entraînement
    .description = Au fil de l’entraînement : poids de chaque tête sur les lettres encadrées de son rôle, dans des textes de validation.
time-loss = Au fil de l’entraînement
    .description = Au fil de l’entraînement : perte des lettres répétées dans des textes de validation, avec deux couches et avec une.
