# /basis. Champs et conditions : app/experiments/basis.py ; faits : tests/app/words/basis.py.
-nothing = 0°
-half-turn = 180°
-quarter-turn = 90°
-ones = (1, 1, …, 1)

question = Y a-t-il un canal privilégié dans le flux résiduel ?
-found_by = base privilégiée, rotation du flux résiduel, tourner, sens d’un canal, signification d’un canal, changement de base, privileged basis, basis-free
claim =
    { $turned ->
       *[moves] L’architecture ne privilégie aucun canal
        [stays] Une rotation de { -nothing } ne change rien
        [opposite] Changer le signe de tous les vecteurs ne change aucun logit
        [seen]
            { $folded ->
                [True] LayerNorm privilégie une direction du flux résiduel
               *[False] Les gains privilégient les canaux du flux résiduel
            }
    }
look_for =
    { $shown ->
        [hidden] À droite, chaque point est un logit, avant et après une rotation aléatoire des unités cachées de la couche feed-forward. Les points quittent la diagonale, car ReLU agit sur une seule unité à la fois.
        [logits] À droite, chaque point est un logit, avant et après la rotation. Sur la diagonale, les deux sont égaux. Changez l’angle et comparez.
       *[other] { turned }
    }
turned =
    { $turned ->
       *[moves] À gauche, chaque ligne est le vecteur d’un token. Quand vous changez l’angle, tous les canaux changent, mais aucune probabilité. { holds }
        [stays] À { -nothing }, rien ne tourne. Changez l’angle et regardez les deux figures.
        [opposite] À { -half-turn }, tous les vecteurs x deviennent −x, et norm(x) devient −norm(x). Les matrices reliées changent aussi de signe : aucun logit ne change. Comparez avec { -quarter-turn }.
        [seen] Quand vous changez l’angle, les canaux changent à gauche, et les probabilités à droite. { remedy }
    }
holds =
    { $norm ->
       *[rms] C’est vrai de RMSNorm une fois ses gains multipliés (« absorbés ») dans la matrice suivante.
        [layer] Avec LayerNorm, c’est vrai parce que les gains sont absorbés et que la rotation préserve la direction { -ones }.
    }
remedy =
    { $folded ->
        [True] Si vous choisissez la rotation qui préserve la direction { -ones }, les probabilités cessent de changer.
       *[False] Si vous choisissez des gains absorbés et RMSNorm, les probabilités cessent de changer.
    }
reading =
    { $shown ->
        [hidden] Une rotation des unités cachées change les logits, avec un écart maximal de { $hidden_rotation } ; une permutation n’en change aucun.
        [logits] { rotated }
       *[other] { rotated }
    }
rotated =
    { $logits ->
        [rounded] { moved }, mais ne change aucun logit de plus d’une erreur d’arrondi.
       *[changed] { moved } et change les logits, avec un écart maximal de { $logit_change }.
    }
moved = Une rotation de { $angle }° déplace le flux résiduel de { $stream_change } fois sa longueur
asks = Un réseau utilise { asks.norm }, avec des gains { asks.folded } dans les matrices suivantes. On fait tourner de { $angle }° tous les vecteurs du flux résiduel{ asks.kept }, et toutes les matrices reliées en conséquence. Les logits du token suivant changent-ils ?
    .norm =
        { $norm ->
            [layer] LayerNorm
           *[rms] RMSNorm
        }
    .kept =
        { $rotation ->
           *[any] { "" }
            [fixing-ones] , en préservant la direction { -ones }
        }
    .folded =
        { $folded ->
           *[True] absorbés
            [False] non absorbés
        }
    .no = Non, aux erreurs d’arrondi près
    .yes = Oui
    .layer = LayerNorm
    .ones = LayerNorm, direction { -ones } préservée
    .gains = gains non absorbés
strip = Le flux résiduel après la rotation
    .description = Le flux résiduel après une rotation de { $angle } degrés, { $position_length } tokens.
probabilities = Probabilités du token suivant, avant et après rotation
    .description = Probabilités avant et après la rotation ; l’écart maximal est de { $farthest_probabilities }.
stream = Le flux résiduel, avant et après la rotation
    .description = Valeur des canaux après la rotation selon leur valeur avant ; l’écart maximal est de { $farthest_stream }.
logits = Les logits quand le flux tourne
    .description = Valeur des logits après la rotation selon leur valeur avant ; l’écart maximal est de { $farthest_logits }.
hidden = Les logits quand les unités cachées tournent
    .description = Valeur des logits après la rotation selon leur valeur avant ; l’écart maximal est de { $farthest_hidden_logits }.
