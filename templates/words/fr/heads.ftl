# /heads. Champs et conditions : app/experiments/heads.py ; faits : tests/app/words/heads.py.
-confidence = 95 %
-zero = 0
-one = 1

-found_by = rôle d’une tête, têtes spécialisées, spécialisation, ce que fait une tête, Voita, Specialized Heads Do the Heavy Lifting, tête du token précédent, syntaxe, coréférence, anaphore, Winograd, interprétabilité, têtes interprétables, What does BERT look at, Clark
roles = Le rôle de toutes les têtes
    .description =
        { $of_role ->
           *[no] Chaque cellule est une tête. Son nombre est son meilleur score de rôle : le poids moyen sur les clés d’un rôle. { colour } La tête a ce rôle seulement si son score fait, de façon fiable, plus de { $margin } du chemin qui va du hasard à { -one } ; sinon, la cellule porte un tiret. { $some_have ->
               *[yes] Sur { $heads } têtes, { having } un rôle : { $counted_roles }.
                [no] Aucune des { $heads } têtes n’a de rôle.
            }
            [yes] Chaque cellule donne le score de rôle d’une tête pour « { $role_name } » : son poids moyen sur { $role_keys }. { colour } { $some_have ->
               *[yes] Sur { $heads } têtes, { having } ce rôle : { $having_heads }.
                [no] Aucune des { $heads } têtes n’a ce rôle.
            }
        }
    .more = { head } La désactiver { cost }
colour = La clarté d’une cellule montre de combien le score de rôle dépasse le hasard (lift : { -zero } au niveau du hasard, { -one } au maximum).
having =
    { $having ->
        [one] { $having } a
       *[other] { $having } ont
    }
head =
    { $has_role ->
       *[yes] La tête { $chosen_head } a le rôle « { $chosen_role } » : { score }
        [no] La tête { $chosen_head } n’a pas de rôle. Elle s’approche du rôle « { $chosen_role } » : { score }
    }
score = son poids moyen sur { $chosen_keys } est { $chosen_score }{ interval } ; le hasard donnerait { $chosen_chance }.
interval =
    { $interval ->
       *[yes] { " " }(intervalle à { -confidence } de { $chosen_low } à { $chosen_high })
        [no] { "" }
    }
cost =
    { $cost ->
       *[raises] ajoute { $chosen_cost } nats à la perte { cost-interval } : c’est le coût de sa désactivation.
        [lowers] retire { $chosen_gain } nats à la perte { cost-interval }.
        [unclear] fait varier la perte de { $chosen_cost } nats { cost-interval }, ce qui est compatible avec { -zero }.
        [single] fait varier la perte de { $chosen_cost } nats sur une entrée.
    }
cost-interval = (intervalle à { -confidence } de { $chosen_cost_low } à { $chosen_cost_high })
scores = Les scores comparés au hasard
    .description = Chaque barre donne le score de rôle d’une tête : la part de son attention qui va aux clés de son rôle, en moyenne sur { over }. Le trait horizontal est le niveau du hasard : des poids égaux sur toutes les clés que la tête peut regarder.{ own-input }
    .more = Une tête a un rôle seulement si l’intervalle à { -confidence } de son score de rôle commence à plus de { $margin } du chemin qui va du hasard à { -one }. { head } La désactiver { cost }
over =
    { $inputs } { $inputs_of }{ $few ->
       *[no] { "" }
        [yes] , un petit échantillon
    } { $measured_now ->
       *[no] (mesure faite d’avance)
        [yes] (mesure faite à l’instant)
    }
own-input =
    { $here ->
       *[no] { "" }
        [yes] { " " }Un losange est le score de rôle sur votre entrée seule.
    }
costs = Ce que coûte la désactivation d’une tête
    .description = Chaque barre montre de combien la perte augmente quand une tête est désactivée, sur { over }. Le coût culmine pour la tête { $dearest_head } : { $dearest_cost } nats.
    .more = La perte est la moyenne de −ln p sur { $right }. L’intervalle à { -confidence } du coût est au-dessus de { -zero } pour { $needed } des { $heads } têtes. Aucun rôle de cette page ne convient à { needed-alone } de ces têtes.{ other-cost }
needed-alone = { $needed_alone }
other-cost =
    { $is_dearest ->
       *[yes] { "" }
        [no] { " " }Désactiver la tête { $chosen_head } { cost }
    }
both = Rôle et coût de la désactivation
    .description = Chaque point est une tête. Les têtes dont le rôle est net sont à droite ; celles dont la désactivation coûte cher sont en haut.{ ranked }
    .more = Le lift maximal est celui de la tête { $clearest_head }, dans le rôle « { $clearest_role } ». La désactiver fait varier la perte de { $clearest_cost } nats. Une tête au rôle net est parfois superflue : d’autres peuvent faire le même travail.
ranked =
    { $ranked ->
       *[yes] { " " }Sur les { $heads } têtes, la corrélation de rang entre lift et coût est de { $agreement }.
        [no] { "" }
    }
groups = Toutes les têtes d’un rôle désactivées
    .description =
        { $together ->
            [none] Aucune tête n’a de rôle : il n’y a donc rien à désactiver.
            [alone] Pour chaque rôle, toutes ses têtes sont désactivées ensemble.
           *[more] { both-costs }
            [no_more] { both-costs }
        }
    .more =
        { $together ->
            [none] { "" }
            [alone] Aucun rôle n’a plus d’une tête.
           *[more] Les désactiver ensemble coûte plus que les désactiver une par une : quand l’une est désactivée, d’autres peuvent prendre le relais.
            [no_more] Sur ces entrées, les désactiver ensemble ne coûte pas plus que les désactiver une par une.
        }
both-costs = Pour chaque rôle, toutes ses têtes sont désactivées ensemble. Pour « { $group_role } » ({ $group_heads } têtes), cela coûte { $group_cost } nats. Désactivées une par une, elles coûtent { $group_alone } nats au total.
usual =
    .role = le meilleur pour chaque tête
    .place = celle dont la désactivation a le coût maximum
    .examples = entrées de validation
drawn = { $offered } nouveaux tirages, calculés maintenant
read =
    { $offered ->
        [one] { $offered } exemple, calculé
       *[other] { $offered } exemples, calculés
    } maintenant
links =
    .attention = La tête { $chosen_head } sur son exemple le plus net
    .training = Comment ces rôles se forment pendant l’entraînement
