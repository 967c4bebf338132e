# /heads.
-found_by = role of a head, specialised heads, specialise, what each head does, Voita, Specialized Heads Do the Heavy Lifting, previous token head, syntax, coreference, Winograd, interpretable heads, What does BERT look at, Clark
