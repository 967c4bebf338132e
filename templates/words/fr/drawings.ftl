# Ce que les dessins disent des tokens, et la ligne sous un dessin ou une figure. Voir app/drawings
# et app/figures/provenance.py.
guess =
    { $about ->
       *[only] Le modèle prédit
        [least] Le modèle était le moins sûr de
        [given] Le modèle s’attendait le moins à
    } « { $token } » ({ $percent } %) ; { $about ->
       *[only] son deuxième choix était
        [least] son deuxième choix à cette place était
        [given] l’autre token le plus probable à cette place était
    } « { $other } » ({ $other_percent } %).
chances = { $token } : { $chance }. Autre token le plus probable, { $other } : { $other_chance }.
sum = { $count } paramètres = { $terms }
part = { $part } : { $name }, { $shape }
parts = de { $first } à { $last } : { $name }, { $shape } chacune
keys-of = { $part } : les clés
weights-of = { $part }, tête { $head }, requête { $query }
hypothesis =
    { $words } : { $score }, { $fate ->
       *[kept] gardée, rang { $rank }
        [dropped] abandonnée
    }{ $ends ->
       *[no] { "" }
        [before] , déjà terminée
        [here] , se termine ici
    } ; ln p de ce token : { $log_probability }
beams = Recherche en faisceau de largeur { $beams } : { $found }
weights = { $model } (poids sha256 { $digest })
input = { $name } « { $value } »
edited = modifié : { $edits }
seed = graine { $seed }
