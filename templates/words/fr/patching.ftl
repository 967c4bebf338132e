# /patching. Champs et conditions : app/experiments/patching.py ; faits : tests/app/words/patching.py.
-zero = 0
-one = 1
-three = 3
-eight = 8

-found_by = patching d’activations, activation patching, remplacement d’activations, traçage causal, causal tracing, médiation causale, intervention par échange, interchange intervention, patching de chemin, path patching, contrefactuel, exécution corrompue, exécution propre, rééchantillonnage, localisation
grid = Ce que rétablit chaque copie
    .description = { both-read }{ metric-is } Pour chaque cellule, un vecteur est copié de l’exécution propre dans l’exécution corrompue. La couleur montre quelle part de l’écart de m entre les deux exécutions cette copie comble. La cellule encadrée copie le vecteur de { $token } dans la couche { $layer } ({ $stack }, { $site_name }) : cela { restores }. { becomes }
    .more = { scale }{ path }
both-read =
    { $quotable ->
       *[yes] Le modèle s’exécute sur deux entrées : la vôtre, { $corrupted_read } (exécution corrompue), et { $clean_read } (exécution propre).{ " " }
        [no] Le modèle s’exécute sur deux entrées : la vôtre (exécution corrompue) et une autre (exécution propre).{ " " }
    }
restores =
    { $restores ->
       *[yes] comble { $chosen_restored } de l’écart
        [no] déplace la métrique de { $moved } { $unit }
    }
becomes =
    { $stays ->
       *[no] Avec cette copie, le modèle ne { says } pas { $before }, mais { $after }.
        [yes] Avec cette copie, le modèle { says } encore { $before }.
    }
says =
    { $writes ->
       *[yes] produit
        [no] prédit
    }
metric-is = Dans toute exécution, la métrique m est { metric }.
scale =
    { $divided ->
       *[yes] Sur l’échelle, { -zero } correspond à l’exécution corrompue et { -one } à l’exécution propre.{ bypassed }
        [no] Les deux exécutions diffèrent de { $difference } { $unit }, ce qui est trop peu pour diviser : les couleurs montrent donc de combien chaque copie déplace m, en { $unit }.
    }
metric =
    { $metric ->
       *[logit_difference] le logit du token que prédit l’exécution propre, diminué du logit du token que prédit l’exécution corrompue
        [log_probability] la log-probabilité de la prédiction propre
        [kl] la divergence KL par rapport à l’exécution propre
    }
bypassed =
    { $bypassed ->
       *[no] { "" }
        [yes] { " " }Copier toutes les entrées des piles comble { $everything } de l’écart : une partie de l’entrée les contourne.
    }
path =
    { $frozen ->
       *[no] { "" }
        [yes] { " " }Chaque copie agit seulement sur { $receiver }{ receiver-head } ; entre les deux, la sortie de toutes les sous-couches reste figée (path patching).
    }
receiver-head =
    { $one_head ->
       *[no] { "" }
        [yes] , tête { $receiver_head }
    }
heads = Ce que rétablit la copie de chaque tête
    .description = Chaque petite carte est une tête ; chaque cellule copie sa sortie en un token, prise dans l’exécution propre.{ best-head }
    .more = { metric-is } { scale }
best-head =
    { $divided ->
       *[yes] { " " }Le maximum est atteint par la tête { $best_head } de la couche { $best_layer }{ kind-of-head } : { $best_share } de l’écart, en { $best_token }.
        [no] { "" }
    }
kind-of-head =
    { $kinds_of_heads ->
       *[yes] { " " }({ $best_site })
        [no] { "" }
    }
pairs = Ce que rétablissent deux copies
    .description = Chaque cellule copie deux vecteurs à la fois ({ $site_name }, couche { $layer }). La prédiction { $answer_corrupted } change pour { $turned } des { $pairs } paires ; dans ce cas, la cellule montre la nouvelle.{ new-answer }
    .more = { metric-is } { scale } Une cellule de la diagonale copie un vecteur.
new-answer =
    { $newly ->
       *[none] { "" }
        [only] { " " }Seuls { pair } donnent ensemble { $new_answer }.
        [several] { " " }{ pair } forment une des { $new } paires qui donnent { $new_answer }.
    }
pair = { $first_token } (position { $first }) et { $second_token } (position { $second })
answers = Les prédictions avant et après
    .description = À la position { $step }, le modèle prédit surtout { $corrupted_answers_0_text } dans l’exécution corrompue ({ $corrupted_answers_0_probability }), { $patched_answers_0_text } avec la copie ({ $patched_answers_0_probability }), { $clean_answers_0_text } dans l’exécution propre ({ $clean_answers_0_probability }).{ written }
    .more = La copie encadrée dans « sites » { restores }. { metric-is } { scale }
written =
    { $writes ->
       *[yes] { " " }Sorties complètes : { $corrupted_writes } dans l’exécution corrompue, { $patched_writes } avec la copie, { $clean_writes } dans l’exécution propre.
        [no] { "" }
    }
usual =
    .site = par défaut
    .layer = première
    .position = effet maximal
links =
    .patch = Voir la carte d’attention avec cette copie
    .word = Copier un mot : « i » devient « he »
    .verb = Copier seulement le verbe (« am » devient « is ») a peu d’effet
    .pieces = Les deux patchs de l’image qui distinguent un { -three } d’un { -eight }
    .path = Patching de chemins : l’effet de chaque copie par les valeurs de la dernière attention croisée
