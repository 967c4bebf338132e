# /circuit. Champs et conditions : app/experiments/circuit.py ; faits : tests/app/words/circuit.py.
-zero = 0
-one = 1
-expected = 1/√d_model
-enough = 95 %

-found_by = circuit, circuit OV, circuit QK, tête qui copie, composition de têtes, interprétabilité mécaniste, rétro-ingénierie, poids d’une tête, ce qu’écrit une tête, sortie d’une tête, OV circuit, QK circuit, copying head, mechanistic interpretability, reverse engineering
ov = Circuit OV : ce que la tête produit
    .description = Supposons que { head_of } prête attention à un seul token et n’en reçoive que le plongement. Chaque ligne montre un tel token, suivi des tokens dont la tête élève surtout le logit. L’effet maximal : prêter attention à { $ov_token } ajoute { $ov_by } au logit de { $ov_word }. Ces nombres découlent des poids seuls, sans aucune phrase.
    .more =
        Le circuit OV a une ligne et une colonne pour chacun des { $vocabulary } tokens ; la figure montre { $rows ->
            [one] la ligne de valeur maximale
           *[other] les { $rows } premières lignes, classées par valeur maximale
        }. Pour { $ov_own } { of_rows }, la tête élève surtout leur propre logit ({ $chance } attendus par hasard).{ $encoder ->
           *[no] { "" }
            [yes] { " " }L’encodeur ne prédit aucun mot : ses vecteurs sont comparés aux mots que prédit le décodeur.
        }{ left_out }
input = Ce qu’elle produit pour vos tokens
    .description = Une ligne est un token de votre entrée, suivi des tokens dont { head_of } élève le logit si elle prête attention à ce seul token. La valeur maximale est celle de { $input_word } pour { $input_token }.
    .more = Dans un calcul réel, la tête ne lit pas le seul plongement du token, mais le flux résiduel, avec les sorties des couches précédentes.
qk = Circuit QK : à quoi la tête prête attention
    .description = Une ligne est un token requête de { head_of }, suivi des tokens clés qui obtiennent les meilleurs scores. L’accord atteint son maximum entre { $qk_token } et { $qk_word }, avec un score de { $qk_by }.
    .more =
        La figure montre { $rows ->
            [one] la ligne au meilleur score
           *[other] les { $rows } lignes aux meilleurs scores
        }. Pour { $qk_own } { of_rows }, la clé préférée est leur propre token ({ $chance } attendus par hasard).{ $rotated ->
           *[no] { "" }
            [yes] { " " }Dans un calcul réel, les scores dépendent aussi de la distance entre requête et clé, que ce modèle code par une rotation. Ici, la distance est { -zero }.
        }{ left_out }
head_of =
    la tête { $head } de la couche { $layer } ({ $attention ->
        [encoder] encodeur
       *[decoder] décodeur
        [cross] attention croisée
    })
of_rows =
    { $scanned ->
       *[no] de tous les tokens
        [yes] de { $scanned_rows } tokens régulièrement espacés
    }
left_out =
    { $normed ->
        [no] { "" }
       *[yes] { " " }Les normes, les biais et les autres couches sont laissés de côté : les nombres d’un calcul réel diffèrent donc.
    }
positions = Quelles positions prêtent attention à quelles autres
    .description =
        Une cellule est un score de { head_of } : les lignes sont les positions des requêtes, les colonnes celles des clés. { $placed ->
           *[vectors] Seuls les vecteurs de position interviennent.
            [rotated] Tous les tokens sont remplacés par leur moyenne, car ici les positions n’ajoutent aucun vecteur et font seulement tourner les requêtes et les clés.
            [apart] Tous les tokens sont remplacés par leur moyenne, car les positions n’interviennent pas dans ces scores.
        } Dans { $favourite_share } des lignes, le meilleur score se trouve { $favourite ->
            [itself] à la position de la requête
           *[before] à la position précédente
            [next] à la position suivante
            [far_before] { $distance } positions avant
            [far_ahead] { $distance } positions après
        }.
    .more =
        { $placed ->
           *[vectors] Dans un calcul réel, les tokens et les normes changent ces scores.
            [rotated] Dans un calcul réel, les tokens changent ces scores.
            [apart] Dans un calcul réel, les tokens changent ces scores.
        }
copying = À quel point les têtes copient
    .description = Dans la carte de gauche, une tête de valeur proche de { -one } copie : elle élève les logits des tokens auxquels elle prête attention. Une tête de valeur proche de −{ -one } les abaisse. Le maximum, { $copying_most }, est atteint par la tête L{ $copying_layer }H{ $copying_head }. Dans la carte de droite, les tokens prêtent attention à des tokens semblables là où la valeur est proche de { -one }. Cliquez sur une tête pour la choisir.
    .more = La valeur est la somme des valeurs propres du circuit, divisée par la somme de leurs valeurs absolues. Elle vaut { -zero } quand les valeurs propres positives et négatives se compensent.
composition = Quelles têtes lisent la sortie de quelles autres
    .description =
        { $paired ->
            [no] Ce modèle a une couche unique : aucune tête ne peut lire la sortie d’une autre.
           *[yes] Une cellule montre à quel point la sortie d’une tête entre dans les { $composition ->
                [q] requêtes
               *[k] clés
                [v] valeurs
            } d’une tête suivante. À titre de comparaison, le flux résiduel qui les relie subit { $draws } rotations aléatoires. Sur { $pairs ->
                [one] { $pairs } paire
               *[other] { $pairs } paires
            }, { $compose ->
                [one] { $compose } a
               *[other] { $compose } ont
            } une valeur supérieure à celles de toutes les rotations aléatoires (le hasard en donnerait { $by_chance }), et { $avoid ->
                [one] { $avoid } a
               *[other] { $avoid } ont
            } une valeur inférieure à toutes.
        }
    .more =
        { $paired ->
            [no] Choisissez un modèle de deux couches ou plus.
           *[yes] La valeur maximale, { $composition_most }, est celle de la tête { $reader } qui utilise la sortie de la tête { $writer }. La moyenne quadratique des rotations aléatoires est { -expected } = { $expected }. Deux têtes se composent si leur valeur est supérieure à celles de toutes les rotations : leurs poids s’accordent, mais cela ne montre pas que le modèle s’en sert sur de vraies entrées.
        }
paths = L’importance d’un chemin
    .description =
        Une cellule est un chemin ; sa couleur montre de combien la perte augmente quand on retire ce chemin, sur les lettres répétées de { $texts } textes de validation ({ $letters } lettres répétées). { $removed ->
            [no] Avec tous les chemins, le modèle prédit correctement { $whole_accuracy } de ces lettres, avec une perte de { $whole_loss } nats.
           *[yes] Sans { $removed_count ->
                [one] { $removed_count } chemin
               *[other] { $removed_count } chemins
            }, le modèle prédit correctement { $remaining_accuracy } de ces lettres, avec une perte de { $remaining_loss } nats ; avec tous les chemins, { $whole_accuracy } et { $whole_loss }.
        } Cliquez sur une cellule pour retirer son chemin, et de nouveau pour le rétablir.
    .more =
        { $two ->
            [no] Avec une couche unique, aucun chemin ne va d’une tête à une autre : le modèle ne peut pas trouver les répétitions.
           *[yes] La tête { $previous } prête attention à la lettre précédente. Si la couche { -one } reçoit seulement la sortie de cette tête, par les clés, et rien d’autre de la couche { -zero }, on conserve { $path_alone_share } de l’exactitude. Sans ce chemin, on en conserve { $without_path_share }. { $textbook ->
                [yes] Ce chemin explique donc à lui seul comment le modèle répète les lettres, comme dans les manuels.
               *[no] Le chemin unique que décrivent les manuels n’est donc pas le mécanisme complet de ce modèle.
            } Sans la sortie de la tête { $previous }, on en conserve { $without_head_share }.{ $several ->
                [no] { "" }
               *[yes] { " " }Ensemble, ces chemins issus de la couche { -zero } atteignent { -enough } de l’exactitude, les meilleurs d’abord : { $given_back }.
            }
        } À poids d’attention fixés, la somme des chemins donne les logits de votre texte (à { $largest_difference_value } près).
given_back =
    de la tête { $from_head } vers les { $into ->
       *[k] clés
        [q] requêtes
    }{ $to_all ->
       *[yes] { "" }
        [no] { " " }de la tête { $to_head }
    }
training = Les chemins pendant l’entraînement
    .description =
        { $two ->
            [no] Une barre montre combien les chemins ajoutent au logit de la lettre correcte, par rapport à la moyenne de toutes les lettres, à une étape enregistrée de l’entraînement. À la fin, c’est { $sum }.
           *[yes] Une barre montre combien un type de chemin ajoute au logit de la lettre correcte, par rapport à la moyenne de toutes les lettres, à une étape enregistrée de l’entraînement. À la fin, la couche { -one } ajoute à elle seule { $alone } sur { $sum }.
        }
    .more =
        { $two ->
            [no] La courbe du bas est l’exactitude sur les répétitions, qu’une couche unique ne peut pas trouver.
           *[yes] À l’étape { $peak }, { $peak_share } de cet apport passe par les valeurs de deux têtes à la suite (une tête virtuelle) ; à la fin, { $end_share }. Les courbes du bas montrent l’exactitude avec certains chemins seuls ; « le chemin » va de la tête { $previous } aux clés de la couche { -one }. Cliquez sur une étape pour la choisir.
        }
usual =
    .head = celle qui copie au maximum
    .step = fin de l’entraînement
links =
    .path_alone = Seulement le chemin { $previous } → clés de la couche { -one }
    .without_path = Tous les chemins sauf celui-ci
    .without_head = Tout sauf la tête { $previous }
    .scores_alone = La couche { -zero } par les clés et les requêtes seulement
    .whole = Tous les chemins
    .training = Comment se forme une tête d’induction
    .clinic = Les circuits faits d’attention seule
    .attention = À quoi cette tête prête attention dans votre entrée
