# /probes. Champs et conditions : app/experiments/probes.py ; faits : tests/app/words/probes.py.
question = Que préservent les connexions résiduelles ?
-found_by = sonde linéaire, linear probe, probing, classifieur diagnostique, ce que sait une couche, ce que codent les représentations, BERT Rediscovers the Classical NLP Pipeline, Tenney, effondrement du rang, rank collapse, lissage excessif, oversmoothing, tokens qui se ressemblent, sélectivité, tâche de contrôle, Attention is not all you need, Dong
-position = position
-word = mot
-control = témoin
-tokens = tokens
-vector = vecteur
-residual = résiduelles
-zero = 0
-with = Avec les connexions résiduelles
-without = Sans les connexions résiduelles, mêmes poids

claim = Les connexions résiduelles préservent les positions et gardent les tokens distincts
look_for =
    { $look ->
       *[read] À gauche, une sonde linéaire retrouve souvent la { -position } d’un token, y compris après la dernière couche. À droite, sans connexions résiduelles, la sonde fait moins bien, à toutes les couches, que si on devinait d’après le { -word } seul.
        [selective] Les courbes montrent de combien une sonde fait mieux que son { -control }. Au-dessus de la ligne pointillée à { -zero }, l’information est bien dans les vecteurs. La courbe du token est à { -zero } là où la sonde apprend aussi bien des étiquettes tirées au hasard.
        [alike] À gauche, les { -tokens } d’une phrase restent distincts. À droite, sans connexions résiduelles, ils deviennent presque le même { -vector }.
        [collapsed] Avec douze couches Post-LN non entraînées, les { -tokens } d’une phrase se ressemblent de plus en plus. Les connexions { -residual } retardent seulement ce rapprochement.
    }
reading =
    { $shown ->
        [stream_on] Après la dernière couche, le cosinus moyen entre les vecteurs de deux tokens d’une phrase est de { $cosine_on } avec les connexions résiduelles, mais de { $cosine_off } sans elles.
        [selectivity_on] Après la dernière couche, la sélectivité de la sonde, son exactitude diminuée de celle de son { -control }, est de { $position_over_word } points de pourcentage pour la position et de { $selectivity_token } pour le token.
       *[other] Après la dernière couche, une sonde linéaire retrouve la position de { $position_last } des tokens des phrases de validation avec les connexions résiduelles, mais de seulement { $position_last_off } sans elles.
    }
asks =
    { $weights ->
       *[trained] Un encodeur entraîné { asks.question }
        [fresh] Un encodeur de douze couches non entraînées { asks.question }
    }
    .question = ajoute les positions une seule fois, avant sa première couche. On ajuste une sonde linéaire sur { $sentences } phrases (ρ = { $ridge }). Après la dernière couche, retrouve-t-elle la position d’au moins la moitié des tokens ? Et dans le même encodeur sans connexions résiduelles ?
    .both = Oui, dans les deux cas
    .on = Seulement avec les connexions résiduelles
    .off = Seulement sans elles
    .neither = Dans aucun des deux cas
    .fresh = couches non entraînées
    .sentences = { $sentences } phrases
probes-on = { -with }
    .description = Part des tokens pour lesquels les sondes ont raison après chaque couche, avec les connexions résiduelles.
probes-off = { -without }
    .description = Part des tokens pour lesquels les sondes ont raison après chaque couche, sans les connexions résiduelles.
selectivity-on = { -with }
    .description = Écart d’exactitude entre les sondes et leurs témoins après chaque couche, avec les connexions résiduelles.
selectivity-off = { -without }
    .description = Écart d’exactitude entre les sondes et leurs témoins après chaque couche, sans les connexions résiduelles.
stream-on = { -with }
    .description = Cosinus des tokens et chemins directs après chaque couche, avec les connexions résiduelles.
stream-off = { -without }
    .description = Cosinus des tokens et chemins directs après chaque couche, sans les connexions résiduelles.
