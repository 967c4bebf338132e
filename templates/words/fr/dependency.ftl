# /dependency. Champs et conditions : app/experiments/dependency.py ; faits :
# tests/app/words/dependency.py.
-low = 15 %
-high = 35 %
question = Combien apporte la dernière sous-couche ajoutée ?
-found_by = dépendance à la branche, Admin, part de la variance, branche résiduelle, connexion résiduelle, contribution d’une sous-couche, Liu, dependency

claim = La dernière sous-couche ajoutée apporte plus avec Post-LN
look_for = À gauche, chaque ligne montre la part de la variance du flux résiduel qu’apporte chaque sous-couche. La dernière cellule est celle de la dernière sous-couche ajoutée. { rows } { lines }
rows =
    { $rows ->
       *[fade] En moyenne sur les sous-couches de chaque couche, cette part diminue de la première couche à la dernière avec Pre-LN ; avec Post-LN, elle ne diminue pas.
        [compare] Comparez l’évolution de cette cellule d’une ligne à l’autre avec Post-LN et avec Pre-LN.
    }
lines =
    { $lines ->
       *[rise] À droite, la courbe de l’attention monte : plus les tokens se ressemblent, moins leurs valeurs se compensent dans la moyenne, et plus l’attention apporte.
        [compare] À droite, chaque courbe pleine est l’apport de la dernière sous-couche ajoutée, pour un type de sous-couche.
    }
reading =
    { $compared ->
       *[post] { supplied } { $dependency_all_post } { averaged } Avec Pre-LN, elle en apporte { $dependency_all_pre }.
        [pre] { supplied } { $dependency_all_pre } { averaged } Avec Post-LN, elle en apporte { $dependency_all_post }.
        [other] { supplied } { $dependency_all__placement_ } { averaged } Avec Post-LN, elle en apporte { $dependency_all_post } ; avec Pre-LN, { $dependency_all_pre }.
    }
supplied = Dans { stack } à { layers } { norms }, avant l’entraînement, la dernière sous-couche ajoutée apporte
averaged = de la variance du flux résiduel, en moyenne sur la profondeur.
stack =
    { $stack ->
       *[encoder] un encodeur
        [decoder] un décodeur
    }
asks = Avant l’entraînement, { stack } { norms } a { layers } de largeur { $d_model }. Quelle part de la variance du flux résiduel la dernière sous-couche ajoutée apporte-t-elle, en moyenne sur la profondeur ?
    .less = Moins de { -low }
    .between = De { -low } à { -high }
    .more = Plus de { -high }
    .pre = Pre-LN
    .decoder = un décodeur
    .none = sans norme
layers =
    { $layers_count ->
        [one] { $layers_count } couche
       *[other] { $layers_count } couches
    }
norms =
    { $norms ->
       *[some] avec { $placement_name }
        [none] sans norme
    }
maps = La variance apportée par chaque sous-couche
    .description = Part de la variance du flux résiduel apportée par chaque sous-couche, après chacune des { $sublayer_length } sous-couches : { $placements }.
newest = L’apport de la dernière sous-couche ajoutée
    .description = Part de la variance du flux résiduel apportée par la dernière sous-couche ajoutée avec { $placement_name }, par type de sous-couche, et ω d’Admin.
