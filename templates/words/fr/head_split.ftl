# /head-split. Champs et conditions : app/experiments/head_split.py ; faits :
# tests/app/words/head_split.py.
-left = gauche
-colour = couleur
-right-split = view, puis transpose
-wrong-split = view seul

question = Qu’arrive-t-il aux têtes si l’on oublie la transposition ?
-found_by = découper en têtes, découpage en têtes, view et transpose, reshape, permute, einsum, transposition, dimension d’une tête, d_head, d_model divisé par le nombre de têtes, concaténer les têtes, implémentation en PyTorch, forme d’un tenseur
claim = Sans transposition, les têtes reçoivent les mauvais tokens
look_for =
    { $shown ->
        [pattern_right] Les deux cartes utilisent les mêmes requêtes et les mêmes clés. À droite, le découpage est faux : la plupart des lignes et des colonnes appartiennent à un autre token que celui de leur étiquette.
       *[other] Tous les tokens ont leur propre { -colour }. À { -left }, toutes les colonnes sont unies, car chaque tête reçoit un morceau de chaque token. À droite, les couleurs courent le long des lignes : chaque tête reçoit seulement des morceaux de quelques tokens. Choisissez « attention » pour voir les conséquences.
    }
reading = Sans transposition, { $foreign } des vecteurs des têtes appartiennent au mauvais token, donc { $moved } du poids d’attention va aux mauvais tokens (moyennes sur les graines).
asks = Les requêtes d’une phrase de n tokens forment une matrice q, avec une ligne par token. Dans la couche { $layer } du traducteur, un programme découpe q en h têtes de dₖ canaux avec q.view(h, n, d_k), mais oublie la transposition. Quelle part du poids d’attention va aux mauvais tokens ?
    .third = Moins d’un tiers
    .half = Entre un tiers et deux tiers
    .most = Plus de deux tiers
    .layer = couche { $layer }
origin-right = Les tokens de chaque tête : { -right-split }
    .description = { -right-split } : { $foreign_right } cellules sur { $origin_right_size } contiennent des canaux du mauvais token.
origin-wrong = Les tokens de chaque tête : { -wrong-split }
    .description = { -wrong-split } : { $foreign_wrong } cellules sur { $origin_wrong_size } contiennent des canaux du mauvais token.
pattern-right = Attention d’une tête : { -right-split }
    .description = Attention de la tête { $head_drawn } : { -right-split }.
pattern-wrong = Attention d’une tête : { -wrong-split }
    .description = Attention de la tête { $head_drawn } : { -wrong-split }.
