# /memory. Champs et conditions : app/experiments/memory.py ; faits : tests/app/words/memory.py.
-most-strongly = le plus fort
-most = le plus
-feed-forward = feed-forward
-slots = emplacements
-attention = sans les uns ni les autres
-attention-alone = l’attention seule
-the-same-sentences = les mêmes phrases
-low = 5 %
-high = 20 %

question = Le réseau feed-forward est-il une mémoire ?
-found_by = mémoire clé-valeur, mémoire associative, Transformer Feed-Forward Layers Are Key-Value Memories, Geva, où sont stockés les faits, connaissances factuelles, Transformer-XL, récurrence par segments, mémoire persistante, Sukhbaatar, mémoire à long terme
claim = Une couche feed-forward agit comme une mémoire clé-valeur
look_for =
    { $shown ->
        [recurrence] À droite, le texte est de mieux en mieux prédit à mesure que chaque couche retient davantage de tokens, jusqu’aux { $best } de l’entraînement. Au-delà, les courbes remontent, car le modèle n’a jamais appris à utiliser des tokens aussi anciens.
        [slots] À droite, trois petits décodeurs apprennent sur { -the-same-sentences } : l’un avec des réseaux feed-forward, un autre avec des emplacements persistants (slots : des clés et des valeurs apprises) à leur place, le dernier avec { -attention-alone }. Une perte basse vaut mieux. { replaced }
       *[other] { rows }
    }
rows =
    { $stack ->
       *[decoder] Chaque ligne montre une clé : le token où la clé s’active { -most-strongly }, les tokens qui le précèdent et les mots que la valeur de la clé favorise { -most }. « ## » marque un morceau qui prolonge un mot.
        [encoder] Chaque ligne montre une clé de l’encodeur : le token où la clé s’active { -most-strongly } et les mots que la valeur de la clé favorise { -most }. L’encodeur ne prédit aucun mot : ses valeurs sont décodées avec la projection finale (unembedding) du décodeur, qui est aussi le plongement de l’encodeur.
    }
replaced =
    { $replaced ->
       *[holds] Ici, les emplacements valent les réseaux feed-forward.
        [fails] Pour Sukhbaatar et al., après un long entraînement, les emplacements valent les réseaux feed-forward ; après celui-ci, qui est court, ce n’est pas le cas.
        [undecided] Ces graines ne suffisent pas à dire si les emplacements valent les réseaux feed-forward.
    }
reading =
    { $shown ->
        [recurrence] Sur le texte de validation, la perte est de { $held_out_first } bits par caractère sans mémoire. Avec une mémoire de { $best } tokens, elle est de { $held_out_least } ; avec { $memory_last } tokens, de { $held_out_last }. Sur ce texte-ci, elle est de { $bits_first } sans mémoire ; avec la meilleure longueur de mémoire, de { $bits_least }.
        [slots] Perte de validation en nats par token : { $slot_loss_feed_forward } avec des réseaux { -feed-forward } ; { $slot_loss_slots } avec des { -slots } ; { $slot_loss_attention } { -attention }.
       *[other] { named }
    }
named =
    { $stack ->
       *[decoder] La clé d’une unité cachée détermine où elle s’active ; sa valeur favorise des mots. Prenons le token où une clé s’active { -most-strongly }. Pour { $agreement } des clés (hasard : { $agreement_shuffled }), le mot suivant du modèle est l’un des dix que la valeur de la clé favorise { -most }.
        [encoder] La clé d’une unité cachée détermine où elle s’active ; sa valeur favorise des mots. Prenons le token où une clé s’active { -most-strongly }. Pour { $agreement } des clés (hasard : { $agreement_shuffled }), ce token est l’un des dix mots que la valeur de la clé favorise { -most }.
    }
asks =
    { $stack ->
       *[decoder] { asks.values } Prenons le token où une unité s’active { -most-strongly }. Combien de fois le mot que le modèle y prédit est-il l’un des dix que la valeur de l’unité favorise { -most } ?
        [encoder] { asks.values } Prenons le token où une unité s’active { -most-strongly }. Combien de fois ce token est-il l’un des dix mots que la valeur de l’unité favorise { -most } ?
    }
    .values =
        Chaque unité cachée d’un réseau feed-forward s’active sur certains tokens et ajoute alors un vecteur, sa valeur, au flux résiduel. On décode en mots les valeurs de la couche { $layer } { $stack ->
           *[encoder] de l’encodeur
            [decoder] du décodeur
        } du traducteur.
    .few = Moins de { -low }
    .some = De { -low } à { -high }
    .many = Plus de { -high }
    .layer = couche { $layer } du décodeur
    .encoder = l’encodeur
keys = Où les clés s’activent, et quels mots leurs valeurs favorisent
    .description = Les { $keys } clés qui s’activent { -most-strongly }, et les mots de leurs valeurs.
written = Mots que cette valeur favorise
    .description = Mots que favorise la valeur { $chosen_neuron } : { $word_names }.
fires = Où cette clé s’active
    .description = Phrases où la clé { $chosen_neuron } s’active { -most-strongly }.
slots = Des emplacements à la place des réseaux feed-forward
    .description = Perte de validation de trois petits décodeurs, avec { $kept_seed_length } graines chacun.
recurrence = Perte de shakespeare-xl selon la longueur de la mémoire
    .description = Bits par caractère avec des mémoires de { $memory_first } à { $memory_last } entrées.
