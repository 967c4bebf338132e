# Les modifications, et comment une exécution lit son entrée : pastilles et menu. Voir
# app/captions/edited.py, app/captions/arrangement.py et app/site/arranging_menu.py.
chip = { $place } : { $what }
part = { $layer }, { $part }
every-layer =
    toutes les couches { $stack ->
       *[encoder] de l’encodeur
        [decoder] du décodeur
    }
in-stack =
    { $name } ({ $stack ->
       *[encoder] encodeur
        [decoder] décodeur
    })
heads = { $part }, { $heads }
index = { $name } { $index }
indices = { $names } { BOTH($indices) }
count = { $n } { $names }
off = désactivation
zero = mise à 0
mean-of-inputs = moyenne sur d’autres entrées
mean-of-positions = moyenne sur les positions
scale = × { $number }
set = remplacement par { $number }
add = + { $number }
list = une liste de nombres
copied = copie depuis « { $input } »
frozen = valeur d’origine gelée
hidden = masquage
exchanged = échange
tokens-of =
    { $read ->
        [source] tokens source
       *[text] tokens
        [image] patchs
        [row] colonnes
    }
order = { tokens-of } dans l’ordre { $order }
shuffled = { tokens-of } dans un ordre aléatoire
reorder = lire les { tokens-of } dans un autre ordre
positions = positions { $positions }
positions-are =
    { $told ->
       *[on] positions activées
        [off] positions désactivées
    }
positions-from = positions à partir de { $first }
pads =
    { $count } { $several ->
       *[yes] tokens de remplissage
        [no] token de remplissage
    } { $side ->
       *[left] à gauche
        [right] à droite
        [other] ({ $given })
    }{ $masked ->
       *[yes] { "" }
        [no] , sans masque
    }
