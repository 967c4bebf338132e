# /norms. Champs et conditions : app/experiments/norms.py ; faits : tests/app/words/norms.py.
question = Que change la place de la norme pour la longueur des vecteurs ?
-found_by = norme de couche, normalisation par couche, layer norm, LayerNorm, LN, normalisation, normalisation par lot, batch normalisation, BatchNorm, RMSNorm, add and norm, Pre-LN, Post-LN, pré-norme, post-norme, norme avant ou après, norme finale, place de la norme, placement de la norme, Xiong, Ba, instance norm, InstanceNorm, On Layer Normalization in the Transformer Architecture
-post = Post-LN
-pre = Pre-LN
-admin = Admin
-b2t = B2T
-branch = x + LN(f)
-layer-norm = LayerNorm
-lemma = lemme 2
-count = n
-one = 1
-zero = 0

claim = { -post } garde la longueur des vecteurs constante, { -pre } la laisse croître
look_for =
    { $shown ->
        [singular] À droite, chaque valeur singulière dit combien la norme étire une petite variation d’un token dans une direction. Multipliée par σ, le diviseur de la norme, elle vaut { -one }, sauf pour { lost }
        [leak] À droite, chaque nombre est la variation maximale d’un token quand on tire de nouvelles valeurs pour d’autres exemples ou d’autres positions. { -layer-norm } utilise le token seul : sa ligne vaut { -zero }. BatchNorm et InstanceNorm font aussi des moyennes sur d’autres exemples ou d’autres positions.
       *[other] { streams }
    }
streams =
    { $growth ->
       *[level] À gauche, les courbes de { -post }, { -admin } et { -b2t } se confondent à √d (avec d canaux), car chacune de leurs sous-couches se termine par une norme. Les courbes de { -pre } et { -branch } croissent environ comme la racine carrée de la profondeur.
        [fades] Chaque connexion résiduelle multiplie le flux résiduel par λ = { $shortcut }. Avec { -pre }, la contribution d’une sous-couche s’efface exponentiellement : après { -count } connexions, elle est multipliée par λⁿ. Avec { -post }, { -admin } et { -b2t }, la longueur reste constante, car une norme termine chaque sous-couche.
        [grows] Chaque connexion résiduelle multiplie le flux résiduel par λ = { $shortcut }. Avec { -pre }, la contribution d’une sous-couche grandit exponentiellement : après { -count } connexions, elle est multipliée par λⁿ. Avec { -post }, { -admin } et { -b2t }, la longueur reste constante, car une norme termine chaque sous-couche.
        [free] À gauche, aucune norme ne fixe la longueur d’un vecteur : le dernier vecteur est { $times } fois aussi long que le premier. Choisissez un autre placement pour comparer.
    }
lost =
    { $centred ->
       *[yes] deux directions, qui sont perdues : celle du vecteur et celle où tous les canaux varient ensemble.
        [no] une direction, qui est perdue : celle du vecteur.
    }
reading =
    { $stack ->
       *[encoder] { $normed ->
           *[yes] Avec { $placement_name },
            [no] Sans norme,
        } le vecteur d’un token { ends }
        [decoder] Dans un décodeur { $normed ->
           *[yes] avec { $placement_name },
            [no] sans norme,
        } le vecteur d’un token { ends }
    }
ends =
    { $ending ->
        [kept] garde sa longueur de { $stream_first } sur { $sublayer_length } sous-couches.
       *[longer] { longer }.
        [root] { longer }. Après { -count } sous-couches, sa longueur est environ proportionnelle à √({ -count } + { -one }).
        [power] { longer }. Après { -count } sous-couches, sa longueur est environ proportionnelle à { -count } + { -one } à la puissance { $stream_exponent }.
    }
longer = a, après { $sublayer_length } sous-couches, { $times } fois la longueur qu’il avait après la première
asks =
    { $normed ->
       *[yes] Dans { stack_of_width } avec { $placement_name }, { $depth } sous-couches s’ajoutent à un flux résiduel, multiplié par λ = { $shortcut } avant chacune. La norme est { $norm_name }. { asks.question }
        [no] Dans { stack_of_width } sans norme, { $depth } sous-couches s’ajoutent à un flux résiduel, multiplié par λ = { $shortcut } avant chacune. { asks.question }
    }
    .question = Quelle est la longueur du vecteur d’un token après la dernière sous-couche, comparée à sa longueur après la première ?
    .half = Au plus la moitié
    .neither = Entre la moitié et le double
    .twice = Au moins le double
    .post = { -post }
    .shortcut = λ = { $shortcut }
    .none = aucune norme
    .reason = Dernière longueur divisée par la première : de { $lowest } à { $highest } ({ seeds }).
stream = Longueur du vecteur d’un token selon la profondeur
    .description =
    { $bounds ->
       *[yes] Longueur du vecteur d’un token selon la profondeur : { $placements }, avec les bornes du { -lemma }.
        [no] Longueur du vecteur d’un token selon la profondeur : { $placements }.
    }
path = Longueur à travers les seules connexions résiduelles
    .description = Longueur après { -count } connexions résiduelles, rapportée à l’entrée : λ = { $scales }.
singular = Jacobienne d’une norme
    .description = Valeurs singulières de la jacobienne de la norme, multipliées par σ : { $near_one } sont proches de { -one }, les autres de { -zero }.
leak = Ce qui fuit vers un token
    .description = De combien un token change quand quelque chose change ailleurs.
