# /gradients. Champs et conditions : app/experiments/gradients.py ; faits :
# tests/app/words/gradients.py.
-one = 1
-ten = 10
-depth = 18
-of-last = |∂ℒ/∂W₂| de la dernière couche
-of-each = |∂ℒ/∂W₂| de chaque couche
-of-stream = |∂ℒ/∂x| après chaque couche

question = Le gradient atteint-il la première couche ?
-found_by = gradient, disparition du gradient, gradient évanescent, explosion du gradient, vanishing gradient, exploding gradient, propagation du gradient, rétropropagation, backpropagation, backprop, règle de la chaîne, dérivée, norme du gradient, écrêtage du gradient, gradient clipping, réseaux profonds, Learning Deep Transformer Models
claim =
    { $stack ->
       *[decoder] Dans un décodeur { -post-ln } profond, le gradient s’évanouit
        [encoder] Dans un encodeur { -post-ln } profond, le gradient ne s’évanouit pas
    }
look_for =
    { $shown ->
       *[other] { follow }
        [residual] { follow }
        [cosine] À droite, le cosinus moyen vaut { -one } là où tous les tokens ont la même direction. { alike }
    }
follow = À droite, suivez chaque courbe de la dernière couche à la première. { fall }
fall =
    { $falling ->
       *[decoder_as_known] Dans ce décodeur, la courbe de { -post-ln } tombe à moins d’un centième de sa valeur de départ ; celles de { -b2t } et de { -pre-ln } finissent au-dessus d’un dixième de la leur.
        [encoder_as_known] Dans cet encodeur, toutes les courbes finissent au-dessus d’un dixième de leur valeur de départ. Choisissez le décodeur et comparez.
        [decoder] Comparez de combien les courbes de { -post-ln }, de { -pre-ln } et de { -b2t } baissent.
        [encoder] Comparez de combien les courbes baissent, puis choisissez le décodeur.
    }
alike =
    { $alike ->
       *[yes] Avec { -post-ln }, c’est presque le cas à la profondeur maximale, car l’attention de chaque couche ajoute une moyenne des tokens à tous les tokens.
        [no] Avec { -post-ln }, les tokens n’en approchent pas, y compris à la profondeur maximale.
    }
reading =
    { $shown ->
       *[other] Dans un { stack } à { $layer_length } couches, le gradient des poids de la première couche vaut { post } celui de la dernière avec { -post-ln } ; avec { -pre-ln }, il vaut { pre } celui de la dernière.
        [residual] Dans un { stack } à { $layer_length } couches, le gradient du flux résiduel à la première couche vaut { post } celui de la dernière avec { -post-ln } ; avec { -pre-ln }, il vaut { pre } celui de la dernière.
        [cosine] Après { $depth_last } couches d’un { stack }, le cosinus moyen entre deux tokens vaut { $token_cosine_post } avec { -post-ln } et { $token_cosine_pre } avec { -pre-ln }.
    }
post =
    { $post_beside ->
        [above] { $post_left } fois
       *[below] { $post_left } de
    }
pre =
    { $pre_beside ->
        [above] { $pre_left } fois
       *[below] { $pre_left } de
    }
asks = Les { -depth } couches d’{ stack_of_width } { norms } viennent d’être initialisées. Que vaut le gradient des poids de la première couche, comparé à celui de la dernière ?
    .vanishes = Moins d’un dixième : il s’évanouit
    .keeps = La même chose, à un facteur { -ten } près
    .explodes = Plus de dix fois autant : il explose
    .encoder = un encodeur
    .b2t = { -b2t } dans un décodeur
    .none = aucune norme dans un décodeur
last = Gradient de la dernière couche selon la profondeur
    .description = { -of-last } d’un { stack } selon la profondeur : { $placements }.
parameter = Gradient des poids, couche par couche
    .description = { -of-each } d’un { stack } : { $placements }.
residual = Gradient du flux résiduel, couche par couche
    .description = { -of-stream } d’un { stack } : { $placements }.
cosine = Ressemblance des tokens selon la profondeur
    .description = Cosinus moyen entre deux tokens d’un { stack } selon la profondeur : { $placements }.
