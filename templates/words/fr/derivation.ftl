# Un nombre et d’où il vient. Voir app/site/derivation.py, app/site/trail.py et
# app/captions/plain_names.py.
layer =
    couche { $layer } { $stack ->
       *[encoder] de l’encodeur
        [decoder] du décodeur
    }
of-token = de « { $token } »
number-of = { $name } de « { $token } »
cell = { $name }, { $query } → { $key }
after = { $name } de « { $word } » après « { $token } »
marked =
    Le repère est sur { $member ->
       *[token] « { $token } »
        [channel] le canal { $at }
    }, { $own ->
       *[yes] l’élément propre à ce nombre
        [no] le plus grand élément de « { $name } »
    }.
box = Le chemin s’arrête ici : ce nombre est un côté de la boîte prédite.
unread = Aucun nombre calculé ensuite ne dépend de celui-ci.
guess =
    Le chemin s’arrête ici, à une probabilité. « { $word } » est au rang { $rank } sur { $count }{ $placed ->
       *[yes] { " " }à la position de « { $token } »
        [no] { "" }
    } : { $first ->
       *[yes] c’est
        [no] ce n’est pas
    } la meilleure prédiction du modèle.
row-of = , dans la ligne de « { $token } »
