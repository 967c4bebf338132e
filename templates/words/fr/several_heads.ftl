# /several-heads. Champs et conditions : app/experiments/several_heads.py ; faits :
# tests/app/words/several_heads.py.
-b1 = B1
-one = 1
-boxes = A1, C0, B1, A0
-one-head = 1 tête
-four-heads = 4 têtes
-the-same = le même

question = Quatre têtes apprennent-elles plus vite qu’une ?
-found_by = attention multi-têtes, multi-head attention, attention à plusieurs têtes, plusieurs têtes, plus d’une tête, pourquoi plusieurs têtes, nombre de têtes, huit têtes, une seule tête, MHA
claim = Sur cette tâche, quatre têtes apprennent plus vite qu’une
look_for =
    { $shown ->
       *[other] { puts } Après chaque token, un modèle prédit le contenu de toutes les boîtes. Le modèle à une tête et le modèle à quatre têtes ont { -the-same } nombre de paramètres. Chaque trait fin est un entraînement.
        [looks_1] { puts } { find } La tête unique partage une ligne de poids entre toutes les boîtes : observez comment elle la répartit.
        [looks_4] { puts } { find } Chaque carte est l’une des quatre têtes : observez sur quelles boîtes elle porte son attention.
    }
puts = Il y a quatre boîtes et deux valeurs ; chaque token met une valeur dans une boîte : « { -b1 } » met un { -one } dans la boîte B.
find = Un modèle doit retrouver le dernier token de chacune des quatre boîtes.
reading = Après { $steps } étapes d’entraînement, le modèle à une tête prédit toutes les boîtes correctement pour { $right_1 } des positions ; celui à quatre têtes, pour { $right_4 }.
asks = Des tokens comme { -boxes } mettent des valeurs dans quatre boîtes. Après chaque token, un modèle prédit le contenu des quatre. Un modèle a une tête large, l’autre quatre têtes étroites, avec autant de paramètres au total. Lequel a la perte la plus basse après { $steps } étapes d’entraînement ?
    .one = Celui à une tête large, d’au moins un cinquième
    .neither = Aucun : ils diffèrent de moins d’un cinquième
    .four = Celui à quatre têtes étroites, d’au moins un cinquième
    .steps = { $steps } étapes
loss = Perte pendant l’entraînement
    .description = Perte finale en nats : { -one-head } { $loss_1 }, { -four-heads } { $loss_4 }.
right = Part des positions où toutes les boîtes sont justes
    .description = Part des positions où toutes les boîtes sont justes : { -one-head } { $largest_1 }, { -four-heads } { $largest_4 }.
looks-1 = Ce que regarde la tête unique
    .description = Poids d’attention de la tête unique dans la séquence { $tokens }.
looks-4 = Ce que regardent les quatre têtes
    .description = Poids d’attention des quatre têtes dans la séquence { $tokens }.
