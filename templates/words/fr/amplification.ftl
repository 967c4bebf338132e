# /amplification. Champs et conditions : app/experiments/amplification.py ; faits :
# tests/app/words/amplification.py.
-post = Post-LN
-pre = Pre-LN
-admin = Admin
-the-same = une même petite variation
-two = 2
-twice-c = 2 C

question = De combien une petite variation des poids déplace-t-elle la sortie ?
-found_by = amplification, instabilité de l’entraînement, entraînement instable, sensibilité, perturbation, divergence, Transformers profonds, Understanding the Difficulty of Training Transformers, Liu
claim = De grandes contributions des sous-couches amplifient les petites variations des poids
look_for = { moved } { stripe }
moved =
    { $moved ->
       *[farther] À gauche, { -the-same } des poids déplace davantage la sortie de { -post } que celles de { -pre } et d’{ -admin }.
        [nearer] À gauche, { -the-same } des poids ne déplace pas davantage la sortie de { -post } que celles de { -pre } et d’{ -admin } à la fois.
    }
stripe =
    { $stripe ->
       *[inside] À droite, les valeurs moyennes de C pour { -post }, { -pre } et { -admin } concordent à un facteur deux près.
        [outside] À droite, les valeurs moyennes de C pour { -post }, { -pre } et { -admin } ne concordent pas à un facteur deux près à ce réglage.
    }
reading =
    { $compared ->
        [alone] { supplied }
       *[with_pre] Après { $deepest } sous-couches, la variation quadratique moyenne de la sortie vaut, avec { $placement_name }, { $over_pre } fois celle de { -pre }.
    }
supplied = Avec { $placement_name }, la dernière sous-couche ajoutée apporte { $share } de la variance du flux résiduel, en moyenne sur la profondeur.
asks = On fait varier au hasard tous les poids de deux modèles ({ $stack }), l’un { -post }, l’autre { -pre }, de { $noise_percent } % de leur écart type. Les deux ont { $depth_asked } sous-couches de largeur { $d_model }. Lequel voit sa sortie se déplacer le plus ?
    .pre = { -pre }, au moins deux fois plus
    .neither = Ni l’un ni l’autre, à un facteur { -two } près
    .post = { -post }, au moins deux fois plus
    .stack = un décodeur
    .noise = une variation de { $noise_percent } %
change = De combien la sortie se déplace
    .description = Variation quadratique moyenne de la sortie selon la profondeur : { $placements }.
constant = La variation divisée par la somme des contributions
    .description = Rapport C de la variation à la somme des contributions, selon la profondeur, avec la bande de C à { -twice-c } : { $placements }.
