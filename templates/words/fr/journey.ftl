# /journey. Champs et conditions : app/experiments/journey.py ; faits : tests/app/words/journey.py.
-zero = 0
-one = 1
-end = </s>

-found_by = comment fonctionne un Transformer, comment fonctionne un modèle de langue, modèle de langage, grand modèle de langue, LLM, pas à pas, étape par étape, visite guidée, introduction, débutant, tutoriel, explication, visualisation, animation, passe avant, forward pass, tokeniseur, tokenizer, tokenisation, découpage en tokens, plongement de mots, vecteur de mot, embedding, table de plongement
text = Le texte devient des tokens
    .description =
        Un réseau calcule avec des nombres, non avec des lettres. Le texte est donc découpé en tokens (ici { $text_tokens }, en comptant les marques éventuelles comme { -end }), et chacun est remplacé par son identifiant dans un vocabulaire de { $text_vocabulary } tokens.
    .more = Suivez { $text_token }, dont l’identifiant est { $text_id }.
patches = Une image devient des patchs
    .description = Un Transformer lit une séquence : l’image est donc découpée en { $patch_count } patchs. Un token supplémentaire, [CLS], va recueillir ce qui sert à la prédiction.
    .more = Suivez le patch encadré { $patches_token } (ligne, colonne).
embedding = Un { unit } devient un vecteur
    .description =
        { $patches ->
           *[no] L’identifiant du token désigne un vecteur appris de { $embedding_d_model } nombres
            [yes] Une matrice apprise transforme les pixels du patch en un vecteur de { $embedding_d_model } nombres
        }{ $blank ->
           *[no] { "" }
            [yes] , le même pour tous les blancs
        }. { $placed ->
           *[yes] Un second vecteur, celui de sa position, s’y ajoute.
            [no] Aucun vecteur de position ne s’y ajoute ; la position intervient seulement dans l’attention{ $relative ->
                [no] { "" }
               *[yes] { " " }({ $embedding_relative })
            }.
        }
    .more =
        { $placed ->
           *[yes] Normes : { $embedding_token } pour le vecteur du { unit }, { $embedding_position } pour celui de la position, { $embedding_sum } pour leur somme.
            [no] La norme de ce vecteur est { $embedding_sum }.
        }
scores = Quels autres { units } comptent ici ?
    .description =
        L’attention permet au { unit } de puiser de l’information dans les autres. { $scores_keys ->
            [one] Le produit scalaire de sa requête avec l’unique clé non masquée donne un score.
           *[other] Les produits scalaires de sa requête avec toutes les clés non masquées ({ $scores_keys }) sont ses scores.
        }
    .more = Couche { $scores_layer }, tête { $scores_head } : le score maximal est { $scores_top_score }, pour { $scores_top } ; le score minimal est { $scores_least_score }, pour { $scores_least }.
weights = Les scores deviennent des poids
    .description = Le softmax transforme les scores en poids entre { -zero } et { -one }. Leur somme vaut { $weights_sum } : plus un { unit } en reçoit, moins il en laisse aux autres.
    .more =
        { $itself ->
            [yes] Le { unit } prête surtout attention à sa propre position ({ $weights_own_weight }).
           *[no] Le poids maximal, { $weights_top_weight }, va à { $weights_top } ; le { unit } en garde { $weights_own_weight } pour lui.
        }
values = Les poids combinent les valeurs
    .description = Le vecteur valeur de chaque { unit } ({ $values_d_head } nombres) est multiplié par son poids. La somme de ces vecteurs est la sortie de la tête.
    .more =
        La contribution principale (norme { $values_top_length }) vient de { $values_top }{ $although ->
           *[no] { "" }
            [yes] , bien que { $values_heaviest } ait le poids maximal
        }. La somme a pour norme { $values_length }.
add = Le résultat s’ajoute ; rien n’est écrasé
    .description =
        { $add_heads ->
            [one] Une matrice apprise transforme la sortie de la tête
           *[other] Une matrice apprise combine les sorties des { $add_heads } têtes
        }, et le résultat s’ajoute au vecteur du { unit }. { $added ->
            [normed] La somme a pour norme { $add_sum } ; après normalisation, { $add_normed }.
            [edited] La somme a pour norme { $add_sum } ; après l’intervention, { $add_edited }.
           *[plain] La norme du vecteur passe de { $add_before } à { $add_sum }.
        }
    .more = La similarité cosinus entre les vecteurs d’avant et d’après est de { $add_cosine } ({ -one } : la même direction).
feed_forward = Le réseau feed-forward traite chaque { unit } séparément
    .description = Le réseau a { $feed_forward_neurons } neurones. Pour ce { unit }, { $feed_forward_firing } d’entre eux s’activent : leur activation dépasse { -zero }.
    .more = L’activation maximale est celle du neurone { $feed_forward_neuron } : { $feed_forward_strongest }. Ensemble, les neurones ajoutent un vecteur de norme { $feed_forward_wrote }.
output = Le décodeur reçoit la sortie de l’encodeur
    .description = Après { $output_layers ->
            [one] { $output_layers } couche
           *[other] { $output_layers } couches
        }, chacun des { $output_tokens } tokens de la source a un vecteur qui dépend de la source entière. Le décodeur connaît la source uniquement par ces vecteurs.
    .more = Pour le token que vous suivez, la similarité cosinus de ce vecteur et de son plongement est { $output_cosine }.
decoder_input = Le décodeur génère un token à la fois
    .description = L’entrée du décodeur est le texte déjà écrit : ici { $decoder_input_read } des { $decoder_input_tokens } tokens, jusqu’à { $decoder_input_last }.
    .more = Les tokens suivants sont cachés. Sinon, à l’entraînement, le décodeur pourrait se contenter de les copier.
masked = Un masque cache les tokens suivants
    .description = Avant le softmax, { $masked_hidden } des { $masked_cells } scores sont masqués : aucun token ne peut prêter attention à ceux qui le suivent.
    .more = Couche { $masked_layer }, tête { $masked_head } : { $masked_query } prête surtout attention à { $masked_top } ({ $masked_top_weight }).
cross = L’attention croisée relie les deux textes
    .description = La requête vient de { $cross_query }, mais les clés et les valeurs viennent de la sortie de l’encodeur. C’est ainsi que le décodeur utilise la source.
    .more = La tête { $cross_head } de la couche { $cross_layer } donne à { $cross_token } un poids de { $cross_weight } ; la moyenne sur les têtes est de { $cross_mean_weight }.
cls = [CLS] recueille l’information des patchs
    .description = Dans la dernière couche, [CLS] prête attention aux patchs. Le chiffre est prédit à partir de son vecteur.
    .more =
        La tête { $cls_head } de la couche { $cls_layer } donne au patch suivi { $cls_weight } de son poids, { $most_read ->
           *[yes] plus qu’aux autres
            [no] mais prête surtout attention au patch { $cls_top } ({ $cls_top_weight })
        }.
stream = La prédiction prend forme
    .description =
        Toutes les sous-couches ajoutent leur part au vecteur. Décodé après chaque étape, il prédit { $leads ->
            [yes] toujours { $stream_word }, aux { $stream_points } étapes
           *[no] d’abord { $stream_first_guess }, puis { $stream_word } à partir de l’étape { $stream_from } sur { $stream_points }
        }.
    .more = De la première étape à la dernière, la probabilité de { $stream_word } passe de { $stream_first } à { $stream_last }.
logits =
    { $patches ->
       *[no] Du vecteur au token
        [yes] Du vecteur au chiffre
    }
    .description =
        Le dernier vecteur { $patches ->
           *[no] donne un logit pour chacun des { $logits_vocabulary } tokens
            [yes] de [CLS] donne un logit pour chacun des { $logits_vocabulary } chiffres
        }. Le softmax transforme tous les logits{ $divided ->
           *[no] { "" }
            [yes] , divisés par la température { $logits_temperature },
        } en probabilités.
    .more = { $logits_word } a le logit maximal, { $logits_logit }, et une probabilité de { $logits_probability }. Vient ensuite { $logits_second }, avec { $logits_second_probability }.
fed_back = Le token choisi rejoint l’entrée
    .description =
        { $follows ->
           *[no] { $fed_back_word } s’ajoute à la fin de l’entrée
            [yes] Le texte donné continue par { $fed_back_follows } (le modèle aurait choisi { $fed_back_word })
        }, et le calcul recommence pour { $continues ->
           *[no] le token suivant, jusqu’à ce que { -end } termine le texte
            [yes] le token d’après
        }.
    .more =
        { $continues ->
           *[no] À droite, les barres montrent les probabilités des { $fed_back_known } tokens de ce texte. Leur produit est { $fed_back_product }.
            [yes] À droite, les barres montrent la probabilité de chaque token connu. Le modèle place le bon token en tête dans { $fed_back_first_guesses } cas sur { $fed_back_known }.
        }
unit =
    { $patches ->
       *[no] token
        [yes] patch
    }
units =
    { $patches ->
       *[no] tokens
        [yes] patchs
    }
usual =
    .token = proposé
links =
    .overview = Vue d’ensemble : le modèle entier
    .attention = Attention : toutes les têtes
    .values = Attention : des poids à la sortie
    .residual = Flux résiduel : toutes les étapes
    .feed_forward = Feed-forward : tous les neurones
    .masks = Masques : quels tokens sont cachés
    .generate = Générer du texte : tous les tokens
    .images = Images : toutes les têtes
