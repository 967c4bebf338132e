# /effects. Champs et conditions : app/experiments/effects.py ; faits : tests/app/words/effects.py.
-set-off = 0

-found_by = ablation, désactiver une tête, supprimer une tête, élagage des têtes, retirer une couche, quelles têtes comptent, importance des têtes, lésion, redondance, têtes redondantes, effet d’une partie, head pruning, knock out, leave one out, Are Sixteen Heads Really Better than One, Michel
map = L’importance de chaque partie
    .description =
        { $unit ->
           *[head] Une cellule
            [sublayer] Une barre
            [position] Une barre
            [neurons] Une cellule
        } montre comment { measured } change quand on { $ablation ->
           *[zero] met { a_unit } à { -set-off }
            [mean] remplace { a_unit } par sa moyenne sur toutes les positions des exemples du modèle
            [resample] remplace { a_unit } par sa valeur dans d’autres exemples
        }. { unedited } { $loses ->
           *[yes] Elle baisse surtout sans { $worst_name }, de { $worst_by }.
            [no] Elle ne baisse jamais.
        }
    .more =
        { $compared ->
            [nothing] Aucun autre exemple n’a été tiré pour comparer.
           *[usual] { usual_change } Dans la figure, la variation est supérieure pour { $larger } des { $unit_length } { units }.
            [one_example] { usual_change } Un exemple ne donne aucun écart type.
            [spread] { usual_change } Pour { $clear } des { $unit_length } { units }, la variation moyenne vaut plus du double de son écart type sur les exemples ; ailleurs, elle dépend fortement de l’exemple.
        }{ window }
sorted = Les principaux effets, triés
    .description =
        Chaque barre montre comment { measured } change quand une partie est désactivée. La figure montre jusqu’à { $shown } des principaux effets ; la couleur d’une barre donne le type de partie. { unedited } Désactiver une à une les { $unit_length } { units } l’abaisse dans { $falling } cas et l’élève dans { $rising }.{ $drawn ->
            [no] { "" }
           *[yes] { " " }Chaque point montre la variation quand la partie prend sa valeur dans un autre exemple.
        }
    .more = La somme des { $unit_length } variations, toutes parties confondues, est de { $sum }. Désactiver plusieurs parties à la fois peut donner autre chose que la somme de leurs effets séparés, car elles peuvent se suppléer ou dépendre l’une de l’autre.{ window }
tokens = Token par token, avec et sans la partie
    .description =
        Les barres comparent { measured }, token par token. { unedited } Sans { $chosen_name }, elle { $goes ->
            [stays] ne change pas.
           *[falls] baisse { to }
            [rises] monte { to }
        } { $other ->
            [no] La prédiction reste la même{ first_draw }.
           *[yes] { who } prédit alors { $says }{ first_draw }{ $several ->
                [no] { "" }
               *[yes] { "\u00A0" }: { $differ ->
                    [one] { $differ } token sur { $reply_length } diffère
                   *[other] { $differ } tokens sur { $reply_length } diffèrent
                }
            }.
        }
    .more =
        { $token_loses ->
           *[yes] C’est surtout { $worst_token } qui en souffre : sa log-probabilité baisse de { $worst_token_by }.
            [no] Aucun token ne devient moins probable.
        }{ window }
measured =
    la log-probabilité { $reply_kind ->
       *[target] de la cible
        [next_token] du token suivant prédit
        [blanks] du mot prédit pour chaque blanc
        [class] de la classe prédite
        [shapes] des classes des formes détectées
    } ({ $reply })
unedited = Avec toutes les parties actives, la log-probabilité vaut { $unedited_log_probability }.
a_unit =
    { $unit ->
       *[head] une tête
        [sublayer] la sortie d’une sous-couche
        [position] le plongement d’une position
        [neurons] un groupe de neurones
    }
units =
    { $unit ->
       *[head] têtes
        [sublayer] sous-couches
        [position] positions
        [neurons] groupes de neurones
    }
usual_change =
    À titre de comparaison, remplacer { a_unit } par sa valeur dans { $draws ->
        [one] un autre exemple
       *[other] { $draws } autres exemples
    } change cette log-probabilité de { $usual_change } en moyenne, vers le haut ou vers le bas.
to =
    de { $chosen_by } et atteint { $chosen_left }.{ $loss ->
        [no] { "" }
       *[yes] { " " }La perte passe de { $unedited_loss } à { $chosen_loss } par token.
    }
who =
    { $reply_kind ->
       *[target] Quand il lit les tokens de la cible, le modèle
        [next_token] Le modèle
        [blanks] Le modèle
        [class] Le modèle
        [shapes] Le modèle
    }
first_draw =
    { $ablation ->
       *[zero] { "" }
        [mean] { "" }
        [resample] { " " }(premier tirage)
    }
window =
    { $windowed ->
       *[all] { "" }
        [one] { " " }La figure montre les { units } de la couche { $window_first_layer }, { $unit_length } sur { $window_of_units }. Pour toutes les couches, le calcul prendrait environ { $seconds } s sur un cœur.
        [several] { " " }La figure montre les { units } des couches { $window_first_layer } à { $window_last }, { $unit_length } sur { $window_of_units }. Pour toutes les couches, le calcul prendrait environ { $seconds } s sur un cœur.
    }
usual =
    .chosen = recul maximal
links =
    .attention = L’attention sans { $chosen_name }
    .writes = Le texte généré sans { $chosen_name }
