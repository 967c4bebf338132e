# /kv-cache. Champs et conditions : app/experiments/kv_cache.py ; faits : tests/app/words/kv_cache.py.
-cached = avec le cache
-anew = sans le cache

question = Le cache KV change-t-il la sortie ?
-found_by = cache KV, KV cache, cache des clés et valeurs, mise en cache, past_key_values, inférence rapide, vitesse d’inférence, accélérer la génération, prefill, décodage incrémental, mémoire à l’inférence
claim = Le cache KV épargne des calculs sans changer la sortie
look_for =
    { $shown ->
        [multiplications] À droite, chaque point est une étape. Sans le cache, chaque étape calcule les clés et valeurs de tous les tokens déjà lus ; avec le cache, seulement celles du nouveau. Plus il y a de tokens, plus l’écart se creuse.
        [bytes] À droite, chaque étape ajoute toujours le même nombre d’octets : la clé et la valeur du nouveau token, dans chaque couche. Le cache épargne des calculs, mais occupe de la mémoire.
       *[other] Chaque ligne est une étape, chaque colonne un token. Avec le cache (à gauche), chaque étape calcule les clés et les valeurs du nouveau token ; sans lui (à droite), chaque étape recalcule aussi celles de tous les tokens précédents.
    }
reading = Sans le cache, générer ce texte demande { $saved } fois autant de multiplications qu’avec lui. Les logits diffèrent de { $logits } au maximum : c’est l’erreur d’arrondi.
-few = 4
-many = 10
asks = Un décodeur génère { $tokens } tokens, l’un après l’autre. Sans cache pour les clés et les valeurs, combien de multiplications lui faut-il, par rapport à un décodeur qui en a un ?
    .few = Au plus { -few } fois autant
    .some = De { -few } à { -many } fois autant
    .many = Plus de { -many } fois autant
    .tokens = { $tokens } tokens
with = Clés et valeurs, { -cached }
    .description = { computed }, { -cached } : les clés et valeurs de { $computed_with } tokens.
without = Clés et valeurs, { -anew }
    .description = { computed }, { -anew } : les clés et valeurs de { $computed_without } tokens, un token étant compté de nouveau chaque fois qu’il est recalculé.
computed = Calculées en { $step_length } étapes
multiplications = Calcul par étape
    .description = À la dernière étape, en millions de multiplications : { $multiplications_with } { -cached }, { $multiplications_without } { -anew }.
bytes = Mémoire du cache
    .description = Le cache occupe { $bytes_first } Kio après un token et { $bytes_last } Kio après { $step_length }.
