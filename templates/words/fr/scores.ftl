# /scores. Champs et conditions : app/experiments/scores.py ; faits : tests/app/words/scores.py.
-zero = 0
-dot = scalaire
-scaled_dot = mise à l’échelle
-soft = douce
-hard = dure
-location = la fonction de position
-Location = La fonction de position
-bars = { $functions } barres
-functions = { $functions } fonctions
-weight = poids
-weights = poids
-key = clé
-value = valeur
-error = erreur
-law = 1/√N
-spaced-law = 1 / √N
-n = N

question = Quelles fonctions de score dépendent des clés ?
-found_by = fonction de score, fonction d’alignement, attention additive, attention multiplicative, Bahdanau, Luong, score général, score par concaténation, similarité cosinus, attention dure, hard attention, attention douce, soft attention, similarité entre requête et clé, ressemblance, adressage par le contenu
claim =
    { $sharpness ->
       *[none] { $Content } fonctions de score sur { $functions } dépendent des clés
        [one] À la température { $temperature }, un score perd parfois son gradient : { $sharp }
        [many] À la température { $temperature }, des scores perdent parfois leur gradient : { $sharp }
        [frozen] À la température { -zero }, aucun poids n’a de gradient
    }
look_for =
    { $shown ->
        [choices] { look_for.choices }
        [looked_up] À droite figurent les poids, les valeurs et leur produit : chaque ligne du produit est une somme pondérée des valeurs. À la température { -zero }, c’est la copie d’une valeur.
        [draws] Chaque tirage choisit une clé au hasard, avec les poids doux pour probabilités. La moyenne de { -n } tirages approche les poids doux le long de la ligne pointillée { -law } : multiplier les tirages par cent divise l’erreur par dix.
       *[other] { look_for.bars }
    }
    .choices =
        { $heat ->
           *[warm] L’attention peut être douce ou dure et, indépendamment, globale ou locale. Une fenêtre locale cache des clés, mais des { -weights } doux y restent doux. Le nombre au-dessus de chaque carte est la norme du gradient de ses poids par rapport aux clés.
            [cold] À la température { -zero }, l’attention douce est dure : chaque ligne donne tout son { -weight } à une clé, et aucun { -weight } ne bouge quand une clé change un peu. Augmentez T pour comparer l’attention douce à l’attention dure.
        }
    .bars =
        { $heat ->
           *[warm] À droite, les barres montrent de combien les poids bougent quand une clé change. { look_for.seen } car son score dépend de l’emplacement, et non de la clé.
            [cold] À droite, les { -bars } manquent toutes : chaque requête donne tout son { -weight } à sa meilleure clé, et modifier légèrement une { -key } ne change rien à ce choix.
        }
    .seen =
        { $bars ->
           *[all] { $Content } fonctions ont une barre, mais { -location } n’en a aucune,
            [fewer] Quand une barre est trop courte pour se voir, lisez le nombre au-dessus. { -Location } n’a aucune barre,
        }
reading =
    { $shown ->
        [choices] Le gradient des poids par rapport aux clés a pour norme, avec l’attention { -soft }, { $largest_soft } ; avec l’attention { -hard }, { $largest_hard }.
        [looked_up] La requête { -zero } donne { $share } de son poids à la clé { $best }, dont la { -value } entre pour la même part dans le résultat.
        [draws] La moyenne de { $draws_last } tirages durs s’écarte des poids doux de { $sampling_error_last } ; l’{ -error } décroît comme le nombre de tirages à la puissance { $sampling_slope }.
       *[other] { reading.moving }
    }
    .moving =
        { $moving ->
           *[some] Le gradient des poids par rapport aux clés a pour norme { $largest_dot } pour le produit { -dot } ; pour sa version { -scaled_dot }, { $largest_scaled_dot }.
            [none] Le gradient des poids par rapport aux clés vaut { -zero } pour toutes les { -functions }.
        }
asks = { $Functions } fonctions donnent un score à { keys } de { components } : { $names }. La température est de { $temperature } ; à la température { -zero }, la meilleure clé prend tout le poids. Vous modifiez légèrement une clé. Pour combien de ces { $functions } fonctions les poids changent-ils ?
    .zero = Aucune
    .content = { $Content }
    .every = Les { $functions }
    .cold = T = { $temperature }
    .sharp = T = { $temperature }, { components }
keys =
    { $keys_count ->
        [one] { $keys_count } clé
       *[other] { $keys_count } clés
    }
patterns = Fonctions de score : mêmes requêtes, mêmes clés
    .description = Poids de chaque fonction ({ $every }) : les lignes sont les requêtes.
reach = De combien les poids bougent quand une clé change
choices = Dure ou douce, locale ou globale
looked_up = Les poids fois les valeurs donnent la sortie
    .description = Les poids du produit scalaire mis à l’échelle, les valeurs des clés et les sommes pondérées des valeurs.
draws = La moyenne de tirages durs approche les poids doux
    .description = Erreur de la moyenne de tirages durs selon leur nombre, avec la théorie { -spaced-law }.
