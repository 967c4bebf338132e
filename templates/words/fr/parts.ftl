# Les termes, unités et choix que plusieurs pages disent. Les formules et les noms sont des termes :
# aucun autre message ne contient de chiffre.
-root = √dₖ
-post-ln = Post-LN
-pre-ln = Pre-LN
-b2t = B2T
components =
    { $d_head_count ->
        [one] { $d_head_count } composante
       *[other] { $d_head_count } composantes
    }
seeds =
    { $seeds_count ->
        [one] { $seeds_count } graine
       *[other] { $seeds_count } graines
    }
stack =
    { $stack ->
       *[encoder] encodeur
        [decoder] décodeur
    }
stack_of_width =
    { $stack ->
       *[encoder] un encodeur de largeur { $d_model }
        [decoder] un décodeur de largeur { $d_model }
    }
norms =
    { $normed ->
       *[yes] avec { $placement_name }
        [no] sans norme
    }
