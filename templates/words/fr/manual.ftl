# /manual.
-found_by = manuel, mode d’emploi, guide de l’utilisateur, documentation du produit, installer, installation, Windows, réglages, paramètres, variables d’environnement, mon modèle, mes données, déployer, déploiement, serveur, nginx, proxy, conteneur, service, cluster, contribuer, licence
