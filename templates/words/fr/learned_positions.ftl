# /learned-positions. Champs : app/experiments/learned_positions.py ; faits :
# tests/app/words/learned_positions.py.
-learned = apprises
-sinusoidal = sinusoïdales
-lowest = 0.93
-highest = 1.08
-raised = 8 %
-share = 10 %

question = Les positions apprises traduisent-elles aussi bien que les positions sinusoïdales ?
-found_by = plongement de position appris, positions apprises, codage de position appris, position absolue, learned positional embedding, longueur maximale, interpolation de positions, longueur de contexte, fenêtre de contexte
claim = Les positions apprises valent à peu près les positions sinusoïdales
look_for = À gauche, les pertes des deux traducteurs diminuent ensemble. La figure de droite montre la perplexité avec des vecteurs de position appris divisée par la perplexité avec des vecteurs sinusoïdaux. À la fin, on attend un rapport entre { -lowest } et { -highest }. À titre de comparaison : dans l’article d’origine, passer de huit têtes à une élève la perplexité d’environ { -raised }.
reading = Après l’entraînement, la perplexité de validation avec des positions { -learned } est de { $perplexity_learned } ; avec des positions { -sinusoidal }, elle est de { $perplexity_sinusoidal }.
asks = Deux petits traducteurs apprennent sur les mêmes phrases. L’un ajoute à chaque position un vecteur sinusoïdal, l’autre un vecteur appris. Lequel a la perplexité la plus basse à la fin ? Chacun est entraîné avec au plus { seeds }.
    .learned = Celui des positions apprises, d’au moins { -share }
    .neither = Aucun des deux, à { -share } près
    .sinusoidal = Celui des positions sinusoïdales, d’au moins { -share }
    .once = un entraînement
    .twice = deux entraînements
loss = Perte de validation des deux traducteurs
    .description = Perte de validation avec positions sinusoïdales et avec positions apprises.
ratio = Positions apprises ou sinusoïdales
    .description = Perplexité avec positions apprises, divisée par celle avec positions sinusoïdales.
