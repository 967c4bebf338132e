# /attribution. Champs et conditions : app/experiments/attribution.py ; faits : tests/app/words/attribution.py.
-one = 1
-tolerance = 0.005
-middle = 95 %

-found_by = attribution, explicabilité, interprétabilité de l’entrée, carte de saillance, explication, importance des tokens, mots importants, fidélité, pertinence, gradients intégrés, rollout de l’attention, flot de l’attention, XAI, feature attribution, saliency map, attention rollout, attention flow, integrated gradients, SHAP, Attention is not Explanation, Attention is not not Explanation, Jain et Wallace, Wiegreffe
scores = Quels tokens ont compté, par méthode
    .description =
        Le modèle prédit { $answered_text } avec une probabilité de { $answered_probability }. D’après la suppression, c’est surtout { $removal_token } qui compte : sans son vecteur, la log-probabilité { $falls ->
           *[yes] baisse
            [no] monte
        } de { $removal_by } nats. { $found ->
            [none] Aucune autre méthode ne le place en tête.
            *[one] { $found_methods } : ce token vient aussi en tête.
             [several] { $found_methods } : ce token vient aussi en tête.
        }{ $elsewhere }
    .more =
        Chaque ligne a sa propre échelle de couleurs : évitez de comparer les couleurs d’une ligne à l’autre. Une cellule orange signifie que le token soutient la prédiction, une bleue qu’il s’y oppose. L’attention moyenne, le rollout et le flot n’ont pas de signe : ils montrent seulement combien un token compte.{ $complete ->
            [unknown] { "" }
           *[yes] { " " }{ completeness }
            [no] { " " }{ completeness } Choisissez un nombre de points supérieur pour qu’elle diminue.
        }
elsewhere =
    { $others ->
        [none] { "" }
       *[one] { " " }{ $other_methods } : { $other_token } vient en tête.
         [several] { " " }{ $other_methods } : { $other_token } vient en tête.
    }
completeness = La somme des gradients intégrés devrait être de { $completeness_difference } nats : c’est l’écart de log-probabilité entre cette entrée et des vecteurs nuls. L’erreur est de { $completeness_error } nats (tolérance : { -tolerance }).
agreement = Quelles méthodes s’accordent avec la suppression
    .description =
        { $chance ->
            [no] La suppression ne donne aucun ordre à ces tokens : la comparaison est donc impossible.
           *[yes] La longueur d’une barre est la corrélation de rang d’une méthode avec la suppression sur cette entrée ({ -one } : accord parfait).{ by_verdict } { -middle } des ordres aléatoires des { $token_length } { $patches ->
               *[no] tokens
                [yes] patchs
            } tombent dans la bande grise, de { $chance_low } à { $chance_high }.
        }
    .more =
        { $held_out ->
            [no] L’accord sur des entrées de validation n’a pas été mesuré pour ce modèle.
           *[yes] Sur { $held_out_inputs } entrées de validation, les corrélations moyennes vont de { $worst_mean } pour « { $worst_name } » (intervalle de { $worst_low } à { $worst_high }) à { $best_mean } pour « { $best_name } » (intervalle de { $best_low } à { $best_high }).{ on_average }
        }
by_verdict =
    { $better ->
       *[none] { "" }
        [one] { " " }{ $better_methods } : l’accord est nettement supérieur à celui du hasard.
        [several] { " " }{ $better_methods } : l’accord est nettement supérieur à celui du hasard.
    }{ $no_better ->
       *[none] { "" }
        [one] { " " }{ $no_better_methods } : l’accord n’est pas nettement supérieur à celui du hasard.
        [several] { " " }{ $no_better_methods } : l’accord n’est pas nettement supérieur à celui du hasard.
    }{ $worse ->
       *[none] { "" }
        [one] { " " }{ $worse_methods } : l’accord est nettement inférieur à celui du hasard.
        [several] { " " }{ $worse_methods } : l’accord est nettement inférieur à celui du hasard.
    }{ $undefined ->
       *[none] { "" }
        [one] { " " }{ $undefined_methods } : les tokens n’ont pas d’ordre.
        [several] { " " }{ $undefined_methods } : les tokens n’ont pas d’ordre.
    }
on_average =
    { $mean_no_better ->
       *[none] { "" }
        [one] { " " }En moyenne, l’accord n’est pas nettement supérieur à celui du hasard ({ $mean_no_better_methods }).
        [several] { " " }En moyenne, l’accord n’est pas nettement supérieur à celui du hasard ({ $mean_no_better_methods }).
    }{ $mean_worse ->
       *[none] { "" }
        [one] { " " }En moyenne, l’accord est nettement inférieur à celui du hasard ({ $mean_worse_methods }).
        [several] { " " }En moyenne, l’accord est nettement inférieur à celui du hasard ({ $mean_worse_methods }).
    }{ $all_better ->
       *[no] { "" }
        [yes] { " " }En moyenne, toutes les méthodes s’accordent nettement mieux que le hasard.
    }
rollout = Le rollout face à l’attention uniforme
    .description =
        Le rollout attribue { $rollout_share } du flux résiduel de la prédiction à { $rollout_token }. Si toutes les requêtes partageaient leur attention à parts égales entre les tokens visibles, ce serait { $uniform_share }.{ $rollout_ordered ->
            [no] { "" }
           *[yes] { " " }La corrélation de rang entre ces deux ordres des tokens est de { $uniform_agreement_rollout }.
        }
    .more =
        Les repères sont le rollout d’une attention uniforme : ils dépendent du masque seul, jamais de l’entrée.{ $removal_ordered ->
            [no] { "" }
           *[yes] { " " }La corrélation de rang entre le rollout uniforme et la suppression est de { $uniform_agreement_removal }.
        }
logit = Ce que les tokens apportent au logit
    .description = Le logit de { $answered_text } vaut { $direct_logit }. La contribution principale, { $logit_part }, vient de la position de { $logit_token }. Tous les tokens ensemble apportent { $direct_tokens } ; les autres termes, { $direct_rest }.
    .more = Les autres termes n’appartiennent à aucun token : position, biais et réseaux feed-forward à la position qui prédit. Après la première couche, une position contient aussi de l’information venue d’autres tokens ; l’attribution ne remonte pas jusqu’à eux.
usual =
    .answer = par défaut
links =
    .attention = L’attention, tête par tête
    .stream = Ce que chaque partie ajoute ici au flux résiduel
