# /residual.
-found_by = connexion résiduelle, raccourci, skip connection, flux résiduel, ResNet, highway, addition, logit lens, projection finale, unembedding, poids partagés, poids liés, weight tying, couche de sortie, tête de modèle de langue, nostalgebraist, dropout, états cachés
