# /padding. Champs et conditions : app/experiments/padding.py ; faits : tests/app/words/padding.py.
-little = 1 %
-nearly-all = 99 %
-shortest = la phrase la plus courte

question = Le remplissage (padding) change-t-il la sortie ?
-found_by = remplissage, padding, token de remplissage, pad token, key_padding_mask, attn_mask, masque booléen, True ou False, garder ou cacher, lot de phrases, longueur variable, nn.MultiheadAttention, scaled_dot_product_attention, attention_mask
claim = Avec le bon masque, le remplissage ne change rien
look_for =
    { $padding ->
       *[some] { equal } tout le poids va au remplissage.
        [none] Cette phrase n’a pas de remplissage. { equal } toutes les clés sont cachées et il n’y a aucun poids.
    }
equal = Les quatre premières cartes sont égales, car chaque fonction a reçu le masque qu’elle attend. La cinquième vient d’une fonction qui a reçu le masque inverse :
reading = Sans le masque, le remplissage modifie de { $shortest_by_seed_without_it } (en norme) la sortie de l’encodeur pour { -shortest } (première graine). Avec le masque, la sortie d’aucune phrase ne change, aux arrondis près.
asks = Un lot de { sentences } est complété jusqu’à la longueur de sa plus longue phrase, plus { columns }. Dans une fonction de PyTorch, True garde une clé ; dans une autre, True la cache. Un programme donne à l’une le masque de l’autre. Quelle part du poids d’attention tombe sur le remplissage ?
    .little = Moins de { -little }
    .some = De { -little } à { -nearly-all }
    .most = Plus de { -nearly-all }
    .none = aucune colonne supplémentaire
    .more = { $pads_count } colonnes supplémentaires
sentences =
    { $sentences_count ->
        [one] { $sentences_count } phrase
       *[other] { $sentences_count } phrases
    }
columns =
    { $pads_count ->
        [one] { $pads_count } colonne supplémentaire
       *[other] { $pads_count } colonnes supplémentaires
    }
conventions = Le même masque dans quatre conventions
    .description =
        { $padding ->
           *[some] Poids d’une phrase suivie de remplissage : quatre des cartes montrent les mêmes poids, mais la cinquième met tout son poids sur le remplissage.
            [none] Poids d’une phrase sans remplissage : quatre des cartes montrent les mêmes poids, mais la cinquième n’a aucun poids, car toutes les clés sont cachées.
        }
batch = Un lot avec remplissage, masqué ou non
    .description = Variation due au remplissage. { $changes }.
