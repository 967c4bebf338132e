# /pixels. Champs et conditions : app/experiments/pixels.py ; faits : tests/app/words/pixels.py.
question = Les pixels voisins aident-ils à prédire un pixel ?
-found_by = Image Transformer, génération d’images, générer des images, écrire des images, modèle d’images autorégressif, ordre de balayage, ordre des pixels, bits par pixel, bits par dimension, compléter une image, complétion d’image, inpainting, Parmar
-image = 8 × 8
-thirteen = 13
-window = bloc de 13 pixels
-without = si chaque pixel est prédit sans les autres
-margin = 0.05 bit

claim = Le modèle apprend comment les pixels dépendent les uns des autres
look_for =
    { $sides ->
       *[both] { left } { right }
        [left] { left }
        [right] { right }
    }
left =
    { $left ->
       *[samples] Le réseau génère des chiffres pixel par pixel, d’en haut à gauche jusqu’en bas à droite.
        [completed] La première image fait partie des données de validation. Les autres commencent par les mêmes lignes ; le réseau a généré la suite.
        [image] Le cadre sans couleur marque un pixel. Pour le générer, le réseau pouvait prêter attention au chiffre et aux pixels des cadres colorés. Cliquez sur un autre pixel.
    }
right =
    { $right ->
       *[bits] Les barres montrent le coût moyen −log₂ p d’un pixel de validation, où p est la probabilité prédite pour son vrai niveau de gris. Plus le coût est bas, meilleure est la prédiction.
        [by_pixel] Les cartes montrent quels pixels sont difficiles à prédire : ceux par où un trait peut passer ou ne pas passer.
        [next] Les barres sont les probabilités des niveaux de gris de ce pixel.
        [looks] Les cartes montrent à quels pixels chaque tête prête attention ; les pixels masqués sont des cellules vides.
        [influence] La carte montre à quel point chaque pixel précédent change la probabilité de ce pixel. Deux couches portent au-delà d’une fenêtre, mais jamais au-delà de deux.
    }
reading =
    { $shown ->
        [influence] { depends }
        [looks] { depends }
        [next] { written }
       *[other] En moyenne, un pixel d’une image de validation coûte { $bits_block } bits si chaque couche prête attention à un { -window }, mais { $bits_independent } bits { -without }.
    }
depends = Le pixel { place } peut prêter attention à { seen } ; { moving }.
moving =
    { $moving_count ->
        [one] { $moving_count } l’influence
       *[other] { $moving_count } l’influencent
    }
place = (ligne { $row }, colonne { $column })
seen =
    { $seen_count ->
        [one] { $seen_count } pixel
       *[other] { $seen_count } pixels
    }
written = Le réseau a choisi le niveau de gris { $written } (probabilité : { $chance }).
asks = On prédit un à un les pixels de chiffres de taille { -image } de deux manières : { ways } Laquelle demande le moins de bits par pixel de validation ?
    .first = La première, d’au moins { -margin }
    .neither = Aucune : elles diffèrent de moins de { -margin }
    .second = La seconde, d’au moins { -margin }
    .all = un bloc ou tous les pixels
    .line = une ligne ou des fréquences
ways =
    { $network ->
        [line] d’abord avec un réseau qui voit les { -thirteen } derniers pixels, ensuite avec la fréquence de chaque niveau de gris à cette position.
       *[block] d’abord avec un réseau qui voit les { -thirteen } pixels voisins, au-dessus et à gauche, ensuite avec un réseau qui voit les { -thirteen } derniers pixels.
        [all] d’abord avec un réseau qui voit un { -window }, ensuite avec un réseau qui voit tous les pixels précédents.
    }
samples = Chiffres générés
    .description = { $images } chiffres générés pixel par pixel : { $seed_length } de chaque.
image = Une image, pixel par pixel
    .description = Un { $digit } ; le pixel { place } a été généré à partir de { seen } et du chiffre.
completed = Un chiffre de validation, complété
    .description = Un { $digit } de validation, et { $seed_length } dont il donne le début ({ rows }).
rows =
    { $given_count ->
        [one] { $given_count } ligne
       *[other] { $given_count } lignes
    }
bits = Coût d’un pixel de validation
    .description = Bits par pixel : { $costs }.
by_pixel = Quels pixels sont difficiles à prédire
    .description = Bits d’un pixel de validation à chaque position, selon le modèle.
next = Le pixel suivant
    .description = { written }
looks = À quoi chaque tête prête attention
    .description = Poids de toutes les têtes avant la génération du pixel { place }.
influence = De quoi dépend le pixel
    .description =
    { $moving_count ->
        [one] { $moving_count } pixel influence celui-ci { place }.
       *[other] { $moving_count } pixels influencent celui-ci { place }.
    }
