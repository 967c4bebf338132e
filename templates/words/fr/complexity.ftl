# /complexity. Champs et conditions : app/experiments/complexity.py ; faits :
# tests/app/words/complexity.py.
-one = 1
-share = 1/n
-positions = 65
-n = n
-factor = 1.2
-less = 0.8
-ten = 10
-steps = 64 pas
-vanished = 1 %
-rnn-less = « RNN 0.8 »

question = Les gradients s’éteignent-ils avec la distance ?
-found_by = complexité, quadratique, grand O, O(n^2), coût de l’attention, coût de calcul, FLOPs, temps de calcul, coût en mémoire, vitesse, longueur des chemins, table 1, tableau 1, convolution, parallèle, parallélisme, long contexte, gradient évanescent, disparition du gradient, explosion du gradient, vanishing gradient
claim = Avec l’attention, les gradients ne s’éteignent pas avec la distance
look_for =
    { $shown ->
        [growth] À droite, une cellule est un RNN ; son gain est le facteur par lequel sa matrice étire l’état à chaque pas. Une petite variation s’éteint dans les cellules bleues et grandit dans les cellules orange. De grandes entrées saturent tanh : la frontière se déplace alors vers un gain supérieur.
       *[other] { attention } { recurrent }
    }
attention =
    { $attention ->
       *[level] À droite, la courbe de l’attention est plate, proche de { -share } : les { -n } = { -positions } positions reçoivent des parts égales du gradient.
        [uneven] À droite, la courbe de l’attention n’est pas plate à { -share } : avec des entrées aussi grandes, les poids du softmax sont inégaux.
    }
recurrent =
    { $recurrent ->
       *[steep] { gain } { strong }
        [level] { gain } Avec un gain de { -one }, la courbe est plate elle aussi, car avec des entrées aussi petites, tanh est presque linéaire. { strong }
    }
gain = Le gain d’un RNN est le facteur par lequel sa matrice étire l’état à chaque pas ({ -rnn-less } a un gain de { -less }).
strong =
    { $strong ->
        [climbs] Avec un gain de { -factor }, le gradient croît avec la distance.
        [falls] Avec des entrées aussi grandes, les gradients s’éteignent, y compris avec un gain de { -factor }.
       *[turns] Avec un gain de { -factor }, le gradient croît d’abord, jusqu’à ce que l’état soit si grand que tanh sature.
    }
reading = Dans un LSTM non entraîné, le gradient continue de s’éteindre avec la distance : après { -steps }, il en subsiste { kept }.
kept =
    { $kept ->
        [vanished] moins de { -vanished }
       *[left] { $gradient_by_distance_LSTM }
    }
asks = À chaque pas, un RNN de { $d_model } unités fait tourner son état, le multiplie par { -factor }, ajoute une entrée et applique tanh. Les entrées ont un écart type de { $input_size }. Que vaut le gradient après { -steps }, par rapport au début ?
    .fades = Moins d’un dixième : il s’éteint
    .same = À peu près autant, à un facteur { -ten } près
    .grows = Plus de dix fois autant : il explose
    .tiny = entrées minuscules
    .large = entrées d’écart type { $input_size }
operations = Opérations d’une couche
    .description = Nombre d’opérations selon la longueur, par type de couche.
sequential = Étapes successives d’une couche
    .description = Nombre d’étapes successives selon la longueur, par type de couche.
path_length = Pas entre la première et la dernière position
    .description = Nombre de pas de la première position à la dernière selon la longueur, par type de couche.
time = Temps d’une couche
    .description = Secondes sur cette machine selon la longueur, par type de couche.
growth = Le gain et la taille des entrées
    .description = Croissance d’une petite variation en { -steps } d’un RNN, selon le gain et l’écart type des entrées.
gradient = Le gradient selon la distance
    .description = Norme du gradient selon la distance, pour la récurrence et l’attention.
