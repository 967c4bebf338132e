# /circuits-theory. Champs et conditions : app/experiments/circuits_theory.py ; faits :
# tests/app/words/circuits_theory.py.
-layer-0 = couche 0
-layer-1 = couche 1
-Layer-1 = La couche 1
-paths = 25 chemins
-zero = 0
-low = 20 %
-high = 80 %
-name = induction-2
-virtual = poids virtuels
-path = chemin
-centred = moins la moyenne sur toutes les lettres
-centred-seen = moins la moyenne sur les clés visibles

question = Les têtes des deux couches travaillent-elles ensemble ?
-found_by = A Mathematical Framework for Transformer Circuits, Elhage, Anthropic, attention seule, sans feed-forward, poids virtuels, développement en chemins, chemins, Transformer à zéro couche, Transformer à une couche, skip-trigramme, interprétabilité mécaniste, produit tensoriel, attention-only, virtual weights, path expansion, skip-trigram, mechanistic interpretability
claim =
    { $weights ->
       *[constructed] { composes }
        [random] { composes }
        [trained] { -Layer-1 } s’appuie sur la sortie de la tête { $pair_0 }
    }
composes = Une tête trouve la lettre précédente ; une autre s’en sert
look_for =
    { $state ->
       *[constructed] { $pair_1 } est la tête { -zero } de la { -layer-1 }. À gauche, un des { -paths } apporte l’essentiel du logit de la lettre suivante : le { -path } qui passe par la seule tête { $pair_1 }. { reads }
        [guessing] À gauche, aucun { -path } ne prédit la lettre suivante ; le réseau devine. À droite, les { -virtual } de toutes les paires sont environ aussi grands que pour des matrices aléatoires.
        [beginning] Le réseau commence à apprendre : il prédit { $accuracy } des lettres. À gauche, les chemins qui passent par la { -layer-1 } commencent à contribuer. Choisissez une étape ultérieure.
        [learning] Le réseau apprend encore : il prédit { $accuracy } des lettres, mais { $ablated_1_0 } sans la tête { $pair_0 }. { larger } Choisissez une étape ultérieure.
        [learned] À gauche, les quatre chemins qui passent seulement par une tête de la { -layer-1 } prédisent la lettre.{ spared } { larger } Remontez les étapes de l’entraînement.
    }
reads =
    { $composition ->
       *[k] À droite, une paire de têtes ressort : la tête { $pair_1 } utilise la sortie de la tête { $pair_0 }. Choisissez « score » pour voir comment.
        [q] À droite, les requêtes de la tête { $pair_1 } n’utilisent rien de la sortie de la tête { $pair_0 } : leur cellule vaut { -zero }. Choisissez plutôt les clés.
        [v] À droite, les valeurs de la tête { $pair_1 } n’utilisent rien de la sortie de la tête { $pair_0 } : leur cellule vaut { -zero }. Choisissez plutôt les clés.
    }
larger = À droite, les { -virtual } de la tête { $pair_0 } vers les { by } de la tête { $pair_1 } valent { $over } fois ceux de paires aléatoires.
spared =
    { $spared ->
        [yes] { " " }Sans la tête { $pair_1 }, le réseau prédit encore { $ablated_2_0 } des lettres, car les autres têtes de la { -layer-1 } font de même.
       *[no] { "" }
    }
by =
    { $composition ->
        [q] requêtes
       *[k] clés
        [v] valeurs
    }
reading =
    { $shown ->
        [score] Dans la suite « { $sequence } », « { $read } » est suivi de « { $following } ». Le chemin dont la clé passe par la tête { $pair_0 } ajoute { $part } au score de la tête { $pair_1 }, et tous les autres chemins ensemble ajoutent { $rest }.
       *[other] Dans la suite « { $sequence } », « { $read } » est suivi de « { $following } ». Le { -path } qui passe par la seule tête { $pair_1 } ajoute { $part } au logit de « { $following } », et tous les autres chemins ensemble ajoutent { $rest }.
    }
asks = Une suite de lettres commence à se répéter. Un réseau à deux couches de quatre têtes, la { -layer-0 } et la { -layer-1 }, prédit la lettre suivante. { asks.whose } Quelle part du logit de la lettre correcte passe seulement par la tête de la { -layer-1 } qui prête attention à cette lettre, sans aucune tête de la { -layer-0 } ?
    .little = Moins de { -low }
    .part = De { -low } à { -high }
    .most = Plus de { -high }
    .trained = têtes entraînées
    .random = têtes aléatoires
    .whose =
        { $weights ->
           *[constructed] Deux de ses têtes, construites à la main, forment un circuit d’induction ; les autres sont aléatoires.
            [random] Toutes ses têtes sont aléatoires.
            [trained] Ses têtes sont celles du modèle { -name } après { after } de l’entraînement.
        }
after =
    { $ends ->
       *[last] la dernière étape
        [earlier] l’étape { $step }
    }
logit = Le logit de la lettre suivante, par chemin
    .description = Logit de la lettre suivante correcte, { -centred }, par chemin ; total { $logit_total }.
score = Le score de la seconde tête, par chemin
    .description = Score de la clé correcte, { -centred-seen }, par chemin ; total { $score_total }.
pairs = Les poids virtuels de chaque paire
    .description = Composition des têtes par les { by } ; { random }.
random = paires aléatoires : { $baseline_mean } ± { $baseline_standard_deviation }
