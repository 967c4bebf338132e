# /performer. Champs et conditions : app/experiments/performer.py ; faits :
# tests/app/words/performer.py.
question = Combien de caractéristiques aléatoires faut-il à l’attention ?
-found_by = attention linéaire, linear attention, Transformer efficace, Performers, Rethinking Attention with Performers, FAVOR, noyau, méthode à noyau, caractéristiques aléatoires, random features, Choromanski, longues séquences, softmax approché, approximation du softmax, Efficient Transformers: A Survey
-error = erreur
-vectors = vecteurs
-multiplications = multiplications
-norm-one = norme 1
-norm-two = norme 2

claim = Plus les vecteurs sont longs, plus il faut de caractéristiques aléatoires
look_for =
    { $shown ->
       *[error] { left } { errors } La ligne en tirets est l’erreur, à la norme choisie, d’une carte aux poids égaux.
        [operations] { left } À droite, les { -multiplications } de l’attention croissent comme le carré de la longueur de la séquence ; celles du Performer sont proportionnelles à cette longueur.
        [time] { left } À droite figure le temps, en secondes, qu’une tête vient de prendre sur cette machine.
        [other] { left }
    }
left =
    { $scale ->
       *[within] { left.maps }
        [beyond] { left.maps } Parmi les poids estimés, { $share_beyond } sortent de cette échelle (jusqu’à { $farthest }) ; ils prennent la couleur de l’extrémité voisine.
    }
    .maps = Le Performer approche l’attention avec des caractéristiques aléatoires ; sa méthode s’appelle FAVOR+. À gauche, la carte d’attention exacte et son estimation par des caractéristiques aléatoires sont dessinées sur l’échelle de couleurs de la carte exacte.
errors =
    { $ordered ->
       *[yes] À droite, l’{ -error } diminue quand on ajoute des caractéristiques ; elle augmente avec la longueur des { -vectors }.
        [no] À droite, comparez l’erreur des vecteurs courts à celle des vecteurs longs quand vous ajoutez des caractéristiques.
    }
reading = Avec des requêtes et des clés de norme { $norm }, la carte d’attention estimée avec { map } a une erreur relative de { $wrong }. Pour estimer aussi bien une exponentielle e^(q · k) isolée, il faut { $more } fois autant de { independent } indépendantes à la { -norm-two } qu’à la { -norm-one }.
independent =
    { $in_waves ->
       *[no] caractéristiques
        [yes] projections
    }
map =
    { $in_waves ->
       *[no] { features }
        [yes] { $waves } caractéristiques aléatoires (un sinus et un cosinus par projection)
    }
features =
    { $features_count ->
        [one] { $features_count } caractéristique aléatoire
       *[other] { $features_count } caractéristiques aléatoires
    }
asks = On estime la carte d’attention de { $length } requêtes et clés de norme { $norm_asked } avec { random-features }{ apart } Que vaut son erreur, par rapport à celle d’une carte dont tous les poids sont égaux ?
    .half = Moins de la moitié
    .equal = Entre la moitié et autant
    .larger = Davantage
    .features = { features }
    .norm = norme { $norm_asked }
    .both = norme { $norm_asked }, { features }
random-features =
    { $features_count ->
        [one] { $features_count } caractéristique aléatoire (parmi les { $kernel })
       *[other] { $features_count } caractéristiques aléatoires { $kernel }
    }
apart =
    { $at_right_angles ->
       *[no] .
        [yes] , orthogonales entre elles.
    }
maps = Cartes d’attention exacte et estimée
    .description = Attention de { $query_length } requêtes sur { $key_length } clés : exacte, puis estimée par des caractéristiques aléatoires.
error = Erreur selon le nombre de caractéristiques
    .description = Erreur de la carte estimée selon le nombre de caractéristiques, pour chaque norme.
operations = Multiplications selon la longueur
    .description = Nombre de multiplications selon la longueur de la séquence.
time = Temps selon la longueur
    .description = Temps en secondes, mesuré sur cette machine, selon la longueur de la séquence.
