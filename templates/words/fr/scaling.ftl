# /scaling. Champs et conditions : app/experiments/scaling.py ; faits : tests/app/words/scaling.py.
-key = clé 1
-Key = Clé 1
-keys = clés
-upper = du haut
-lower = du bas
-unscaled = sans mise à l’échelle
-scaled = avec mise à l’échelle
-score = score

question = Sans mise à l’échelle, une clé domine-t-elle ?
-found_by = racine carrée, sqrt, racine de d_k, diviser par la racine, facteur d’échelle, mise à l’échelle, produit scalaire normalisé, scaled dot product, attention par produit scalaire, softmax, saturation du softmax, variance du produit scalaire, logits trop grands, exponentielle
claim = Sans mise à l’échelle, une clé prend presque tout le poids
look_for =
    { $weights ->
       *[wide] Les { -keys } sont aléatoires : aucune des { -keys } n’a de raison de dominer.
        [narrow] La requête et les clés ont un petit nombre de composantes (dₖ) : les scores sont petits, et la division par { -root } change peu de chose. Quand vous augmentez dₖ, une barre { -upper } prend presque tout le poids, mais les barres { -lower } restent presque aussi égales qu’avant.
        [correlated] La { -key } est corrélée à la requête. Son { -score } croît comme dₖ, le nombre de composantes ; les autres scores, seulement comme { -root }. Quand dₖ est grand, la { -key } prend presque tout le poids, malgré la mise à l’échelle.
    }
reading = Avec dₖ = { $d_head } et { $keys } clés, la clé dominante prend { $largest_unscaled } du poids de cette requête { -unscaled } et { $largest_scaled } { -scaled }.
asks =
    { $correlated ->
       *[no] On tire au hasard une requête et { keys }, indépendantes, de { components } chacune. { asks.question }
        [yes] On tire au hasard une requête et { keys }, de { components } chacune. La requête et la { -key } ont une corrélation de { $correlation }. { asks.question }
    }
    .question = Les poids softmax(q · k) sont-ils bien répartis (entropie supérieure à la moitié de son maximum) ? Et après division par √{ $d_head } = { $d_head_root } ?
    .both = Oui, les deux fois
    .after = Seulement après la division
    .neither = Aucune des deux fois : quelques clés prennent presque tout le poids
    .width = { components }
    .related = corrélation { $correlation }
keys =
    { $keys_count ->
        [one] { $keys_count } clé
       *[other] { $keys_count } clés
    }
weights = Poids d’attention d’une requête
    .description = Poids d’une requête : la clé dominante prend { $largest_unscaled } { -unscaled }, { $largest_scaled } { -scaled }.
entropy = Comment les poids se répartissent
    .description = Entropie des poids selon dₖ.
variance = Variance des scores
    .description = Variance des scores selon dₖ ; en tirets, la théorie.
gradient = Gradient du softmax
    .description = Gradient du softmax selon dₖ : médianes avec et sans mise à l’échelle, et moyenne sans mise à l’échelle.
products = Distribution des scores
    .description = Scores de { $products_size } paires, sans mise à l’échelle en haut, avec mise à l’échelle en bas, et courbes normales.
