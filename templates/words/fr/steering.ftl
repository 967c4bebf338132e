# /steering. Champs et conditions : app/experiments/steering.py ; faits :
# tests/app/words/steering.py.
-zero = 0

-found_by = pilotage, vecteur de pilotage, steering vector, ajout d’activations, activation addition, ingénierie des activations, vecteur de contrôle, control vector, ingénierie des représentations, representation engineering, direction d’un concept, intervention, Turner
texts = Sortie à chaque intensité
    .description =
        { $changed ->
           *[yes] À l’intensité { $strength }, le modèle écrit { $now } ; sans la direction, { $plain }.
            [no] À l’intensité { $strength }, la sortie reste la même que sans la direction : { $now }.
        }
    .more = { direction } { repetition }
direction =
    { $direction ->
       *[difference] La direction est la différence entre la moyenne du flux résiduel du décodeur après la couche { $layer } pour l’entrée { $toward } et sa moyenne pour l’entrée { $away }.
        [probe] La direction vient d’une sonde linéaire qui sépare les positions de { $toward } de celles de { $away } après la couche { $layer }. Sur les positions exclues de l’ajustement, la sonde a raison dans { $right } des cas : { better } qu’en pariant à chaque fois sur l’entrée qui a le plus de positions ({ $chance }).
        [token] La direction est le plongement du token { $first }.
    }
better =
    { $better ->
       *[yes] elle fait mieux
        [no] elle ne fait pas mieux
    }
repetition =
    { $breaks ->
       *[yes] À l’intensité { $broken }, le texte se répète : moins de { $repeats } de ses tokens sont distincts.{ unlike-training }
        [no] Avec une intervention trop forte, la sortie peut se répéter sans fin. Ici, cela n’arrive à aucune intensité au-dessus de { -zero }.
    }
unlike-training =
    { $yours ->
       *[no] { " " }Un tel texte est loin des données d’entraînement.
        [yes] { "" }
    }
random = Sortie avec une direction aléatoire
    .description =
        { $random_changed ->
           *[yes] À l’intensité { $strength }, une direction aléatoire de même norme change aussi le texte : { $random_now } au lieu de { $plain }.
            [no] À l’intensité { $strength }, une direction aléatoire de même norme ne change rien : la sortie est { $random_now }.
        }
    .more = Un vecteur de norme assez grande change le texte, quelle que soit sa direction.
effect = Effet de la direction et de directions aléatoires
    .description = { $direction ->
       *[difference] À l’intensité { $strength }, la probabilité totale des tokens qui appartiennent à { $toward } mais pas à { $away } ({ wanted }) est de { $share_at }, en moyenne sur les positions générées.
        [probe] À l’intensité { $strength }, la probabilité totale des tokens qui appartiennent à { $toward } mais pas à { $away } ({ wanted }) est de { $share_at }, en moyenne sur les positions générées.
        [token] À l’intensité { $strength }, la probabilité du token { wanted } est de { $share_at }, en moyenne sur les positions générées.
    } Sans la direction, elle est de { $share_without }, et { random-shares }. Cette direction { compared }.
    .more = Sans la direction, le modèle donne à ce texte une perte de { $surprise_at } nats par token, et à son propre texte une perte de { $surprise_without }. Plus la perte est élevée, moins le texte est probable pour le modèle. Un texte qui répète un token peut avoir une perte faible, car le modèle s’attend à ce que la répétition continue.
wanted =
    { $several ->
       *[no] { $wanted }
        [yes] { $wanted } et { others }
    }
others =
    { $others ->
        [one] { $others } autre
       *[other] { $others } autres
    }
random-shares =
    { $draws_count ->
        [one] avec { $draws_count } direction aléatoire de même norme, de { $lowest }
       *[other] { several-shares }
    }
several-shares =
    { $alike ->
       *[no] avec { $draws_count } directions aléatoires de même norme, de { $lowest } à { $highest }
        [yes] avec chacune des { $draws_count } directions aléatoires de même norme, de { $lowest }
    }
compared =
    { $compared ->
       *[more] donne donc une probabilité plus grande que les directions aléatoires
        [less] donne donc une probabilité moins grande que les directions aléatoires
        [between] ne donne donc pas une probabilité plus grande que les directions aléatoires
    }
usual =
    .layer = milieu
links =
    .generate = Comment chaque token est choisi sans direction
    .residual = Le flux résiduel auquel s’ajoute la direction
    .probes = Ce que retrouvent les sondes linéaires
