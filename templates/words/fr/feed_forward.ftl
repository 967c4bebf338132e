# /feed-forward. Champs et conditions : app/experiments/feed_forward.py ; faits : tests/app/words/feed_forward.py.
-zero = 0
-relu = ReLU, max(0, z)
-gelu = GELU, z Φ(z)
-gelu-tanh = GELU dans son approximation par tanh
-silu = SiLU, z / (1 + e⁻ᶻ)
-linear = x W₁

-found_by = feed-forward, feedforward, réseau feed-forward, propagation avant, FFN, MLP, perceptron multicouche, couche dense, entièrement connecté, position par position, neurones, unités cachées, couche cachée, fonction d’activation, ReLU, GELU, position-wise, fully connected
fires = Quels neurones s’activent
    .description =
        Chaque point est l’un des { $neurons } { $gated ->
           *[no] neurones
            [yes] neurones de porte
        }. Parmi eux, { $firing } ({ $firing_share }) { $firing ->
            [one] s’active
           *[other] s’activent
        } pour { $token } : l’entrée de la fonction d’activation dépasse { -zero }. C’est surtout le neurone { $top_neurons_0_neuron } qui contribue : un vecteur de norme { $top_neurons_0_length }.
    .more =
        La première matrice fait passer des { $channel_length } nombres du token dans le { $of_norm ->
            [no] flux résiduel
           *[yes] flux résiduel normalisé
        } aux { $neurons } neurones. La fonction d’activation f est { $activation ->
           *[relu] { -relu }
            [gelu] { -gelu }
            [gelu_tanh] { -gelu-tanh }
            [silu] { -silu }
        }.{ $gated ->
           *[no] { "" }
            [yes] { " " }Sa sortie est multipliée par l’élément de { -linear } pour ce neurone.
        }
writes = Ce qu’apportent les neurones
    .description =
        Une ligne est un vecteur de { $channel_length } nombres : l’activation d’un neurone, multipliée par la ligne de ce neurone dans la seconde matrice. La dernière ligne, la sortie, additionne { top }{ $others ->
            [nowhere] { "" }
           *[inside] , { others }
            [last] { " " }et { others }
        }{ $bias ->
            [nowhere] { "" }
            [inside] , le biais
           *[last] { " " }et le biais
        }{ $edited ->
           *[no] { "" }
            [yes] { " " }et l’effet de l’intervention
        }, à une erreur d’arrondi de { $largest_difference_value } près.
    .more = La sortie a pour norme { $out_length }. Dans sa projection sur la somme des contributions de tous les neurones, la part de ceux de la figure ({ top }) est de { $share_of_top }.
top =
    { $top ->
        [one] { $top } neurone
       *[other] { $top } neurones
    }
others =
    { $rest ->
        [one] l’autre neurone ({ $rest })
       *[other] les { $rest } autres neurones
    }
words = Les mots que favorisent les neurones
    .description =
        { $words_of ->
           *[some] Une ligne contient les { $rank_length } mots dont un neurone élève surtout le logit pour { $token }. Le neurone { $top_neurons_0_neuron } élève surtout le logit de { $raised_words_0_0 }, de { $raised_by }.
            [encoder] Cet encodeur ne prédit aucun mot : seul le décodeur utilise sa sortie. Choisissez le décodeur pour voir des mots. { vectors }
            [none] Ce modèle ne prédit aucun mot. { vectors }
        }
    .more =
        { $words_of ->
           *[some] Le vecteur de chaque neurone est multiplié par la matrice de la projection finale (unembedding). Ce n’est pas encore la prédiction du modèle : des normes et d’autres couches peuvent suivre.
            [encoder] { "" }
            [none] { "" }
        }
vectors = La figure montre donc les vecteurs.
stream = Ce qui s’ajoute au flux résiduel
    .description =
        Le flux résiduel de { $token } a pour norme { $before_length }. { $output_normed ->
           *[no] La couche feed-forward ajoute un vecteur de norme { $added_length }
            [yes] La sortie de la couche feed-forward, que la normalisation fait passer de la norme { $output_length } à { $added_length }, s’y ajoute
        } ; la somme a pour norme { $sum_length }.{ $after_sum ->
            [nothing] { "" }
           *[normed] { " " }Après normalisation, sa norme est de { $normed_length }.
            [edited] { " " }Après l’intervention, sa norme est de { $edited_length }.
        }
    .more =
        { $reads_next ->
            [encoder] Le résultat est la sortie de l’encodeur, l’entrée de toutes les attentions croisées.
           *[answer] Le résultat est le dernier vecteur du token, à partir duquel la prédiction est calculée.
            [norm] Vient ensuite la norme finale.
            [attention] Vient ensuite l’auto-attention de la couche { $reader_layer }.
            [cross_attention] Vient ensuite l’attention croisée de la couche { $reader_layer }.
            [row_attention] Vient ensuite l’attention entre lignes de la couche { $reader_layer }.
        }
tokens = Les mêmes neurones pour tous les tokens
    .description = Une ligne est un neurone, une colonne un token. Les mêmes poids s’appliquent à tous les tokens, et aucun token n’agit sur un autre.
    .more =
        { $elsewhere ->
            [nowhere] { "" }
            [alike] { also }.
           *[apart] { also } : c’est le recouvrement maximal. Le recouvrement minimal est de { $farthest_share }, avec { $farthest_token } (position { $farthest_position }).
        }
also =
    Sur { $firing ->
        [one] { $firing } neurone actif
       *[other] { $firing } neurones actifs
    } pour { $token }, { $nearest_share } le sont aussi pour { $nearest_token } (position { $nearest_position })
usual =
    .layer = dernière
    .position = première
links =
    .stream = Ce que chaque partie ajoute au flux résiduel
    .neuron = Comment le neurone { $top_neurons_0_neuron } a été calculé
    .reader = La suite : l’attention de la couche { $reader_layer }
    .memory = La couche feed-forward comme mémoire
