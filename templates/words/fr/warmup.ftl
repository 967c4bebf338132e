# /warmup. Champs et conditions : app/experiments/warmup.py ; faits : tests/app/words/warmup.py.
question = L’échauffement (warm-up) aide-t-il avec ces réglages ?
-found_by = échauffement, warm-up, warmup, programme du taux d’apprentissage, learning rate schedule, taux d’apprentissage, learning rate, Noam, optimiseur, Adam, taille du pas, scheduler, Adafactor, entraînement stable, diverge, divergence, pics de perte
-post = Post-LN
-pre = Pre-LN
-dashed = en tirets
-rate = taux
-warm-up = échauffement
-usual-steps = 20 étapes
-layers = 6 + 6 couches
-root = 1/√t
-equation = équation 3

claim =
    { $warmed ->
       *[yes] L’échauffement permet à { -post } d’apprendre
        [no] Un réseau { $placement_name } avec et sans échauffement
    }
look_for =
    { $warming ->
       *[usual] Le trait plein et le trait { -dashed } d’une même couleur montrent un réseau sans et avec échauffement. Les deux entraînements partent des mêmes poids et utilisent les mêmes données ; seul le { -rate } d’apprentissage des premières étapes les distingue.
        [none] L’{ -warm-up } n’a aucune étape, donc le trait en tirets recouvre le trait plein : les deux réseaux s’entraînent de la même façon. Choisissez un échauffement de { -usual-steps } pour comparer.
        [stopped] L’échauffement du trait en tirets est coupé après l’étape { $stop }, et son taux d’apprentissage saute au taux complet. Comparez sa perte à celle d’un échauffement complet.
        [constant] Le { -rate } d’apprentissage reste à son pic après l’échauffement. Suivez le trait en tirets jusqu’à la dernière étape : ce réseau peut échouer à son tour, après celui sans échauffement, ou bien apprendre.
    }
trained =
    { $normed ->
       *[yes] un réseau { $placement_name }
        [no] le réseau sans normes
    }
reading = Sans échauffement, { trained } { learned } : sa perte finale vaut { $left } de celle du hasard. Avec échauffement, elle vaut { $left_warmup }.
learned =
    { $learning ->
        [whole] apprend
        [part] apprend en partie
       *[hardly] apprend très peu
    }
asks = Deux { networks } partent des mêmes poids et s’entraînent sur les mêmes données. Le taux d’apprentissage de l’un croît pendant { warmup-steps } jusqu’à son pic de { $peak }, { afterwards }{ broken } L’autre a le taux complet dès la première étape. Après { $steps } étapes, lequel garde au moins un cinquième de la perte du hasard ?
    .without = Celui sans échauffement
    .with = Celui avec échauffement
    .both = Les deux
    .none = Aucun
    .peak = pic { $peak }
    .decoder = décodeur de { layers }
    .stop = échauffement coupé à l’étape { $stop }
networks =
    { $stack ->
       *[encoder] encodeurs de { layers } { norms }
        [decoder] décodeurs de { layers } { norms }
    }
layers =
    { $layers_count ->
        [one] { $layers_count } couche
       *[other] { $layers_count } couches
    }
warmup-steps =
    { $warmup_steps_count ->
        [one] { $warmup_steps_count } étape
       *[other] { $warmup_steps_count } étapes
    }
afterwards =
    { $schedule ->
       *[inverse_root] puis décroît en proportion de { -root }
        [constant] puis y reste
        [vaswani] selon Vaswani et al., { -equation }
    }
broken =
    { $broken_off ->
       *[no] .
        [yes] , mais son échauffement est coupé à l’étape { $stop }.
    }
loss = Perte de chaque réseau
    .description = Perte selon l’étape : { $networks }.
rate = Taux d’apprentissage
    .description = Taux d’apprentissage selon l’étape, avec et sans échauffement.
translators = Traducteurs de { -layers }
    .description = Perte de validation de traducteurs avec { -post } et { -pre }, avec et sans échauffement. { ends } en moyenne ; { $so } des { $training_length } entraînements vont dans ce sens.
ends =
    { $side ->
       *[higher] Avec { -layers }, { -post } finit { $apart } nats plus haut que { -pre }
        [lower] Avec { -layers }, { -post } finit { $apart } nats au-dessous de { -pre }
    }
