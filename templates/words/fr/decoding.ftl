# /decoding. Champs et conditions : app/experiments/decoding.py ; faits :
# tests/app/words/decoding.py.
-most-probable = le plus probable
-most-probable-one = la plus probable
-most-probable-ones = les plus probables
-tokens = les autres tokens
-others = tous les autres
-half = 0.5
-two = 2
-two-fifths = 0.4

question =
    { $shown ->
       *[search] La recherche gloutonne trouve-t-elle la séquence { -most-probable-one } ?
        [filter] Les tokens qu’un filtre garde se partagent-ils toute la probabilité ?
    }
-found_by = stratégie de décodage, décodage, recherche en faisceau, glouton, recherche gloutonne, température, top-k, top-p, échantillonnage, nucleus sampling, hasard, aléatoire, créativité, pénalité de longueur, répétition, maximum de vraisemblance, beam search, greedy, decoding strategy, The Curious Case of Neural Text Degeneration, Holtzman
claim =
    { $shown ->
       *[search] La recherche gloutonne peut manquer la séquence { -most-probable-one }
        [filter] Un filtre donne toute la probabilité aux tokens gardés
    }
look_for =
    { $shown ->
       *[search] { branches }
        [filter] Les barres sont, après température et filtre, les probabilités des tokens par lesquels la traduction peut commencer ; les repères, leurs probabilités avant. La dernière barre réunit tous les autres tokens.{ moved }
    }
branches = Chaque branche ajoute une lettre. Le nombre d’une branche est la probabilité de la lettre, sachant la précédente s’il y en a une ; dans la dernière colonne, c’est celle de la séquence entière. À chaque étape, la recherche gloutonne suit, parmi les branches qui prolongent sa séquence, { -most-probable-one }. { beams-find }
beams-find =
    { $search ->
       *[greedy] Réglez « faisceaux » sur { -two }. La recherche trouve-t-elle mieux ?
        [found] La recherche en faisceau garde aussi une autre branche, qui mène à la séquence { -most-probable-one }.
        [missed] La recherche en faisceau garde aussi d’autres branches, mais manque encore la séquence { -most-probable-one }.
    }
moved =
    { $moved ->
       *[gain] { " " }Ici, la température et le filtre rendent { -tokens } plus probables : les tirages en contiennent souvent.
        [lose] { " " }Ici, la température et le filtre rendent { -tokens } moins probables.
        [stay] { "" }
    }
reading =
    { $shown ->
       *[search] { texts }
        [filter] { can-be-drawn } Les { $token_length } premiers tokens réunissent { $held_after } de la probabilité, contre { $held_before } avant température et filtre.
    }
can-be-drawn =
    { $kept ->
        [one] { $kept } token peut être tiré.
       *[other] { $kept } tokens peuvent être tirés.
    }
texts = La recherche gloutonne trouve « { $greedy } » ({ $greedy_probability }){ beams-text } ; la séquence { -most-probable-one } est « { $best } » ({ $best_probability }). { chain }
beams-text =
    { $search ->
       *[greedy] { "" }
        [found] , la recherche en faisceau trouve « { $beam } »
        [missed] , la recherche en faisceau trouve « { $beam } »
    }
chain =
    { $first_miss ->
       *[written] Cette chaîne de Markov est un exemple inventé.
        [drawn] Il a fallu tirer { $tried } chaînes de Markov pour que la recherche gloutonne la manque.
        [none] Sur { $tried } chaînes de Markov aléatoires, la recherche gloutonne ne la manque jamais.
    }
asks =
    { $chain ->
       *[stated] La première lettre d’un modèle est a (probabilité { -half }), b ({ -two-fifths }) ou c. Après a, toutes les lettres sont à peu près équiprobables ; après b, c est presque certain. { asks.question }
        [drawn] Un modèle a { $vocabulary } lettres. La probabilité d’une lettre dépend de la précédente et a été tirée au hasard (graine { $seed }). { asks.question }
    }
    .question = À chaque lettre, la recherche en faisceau garde { beginnings }. Trouve-t-elle la séquence { -most-probable-one } de { $length } lettres ?
    .no = Non
    .yes = Oui
    .beams = { beams }
    .drawn = une chaîne aléatoire
    .both = une chaîne aléatoire, { beams }
beginnings =
    { $beams_count ->
        [one] le début { -most-probable }
       *[other] les { $beams_count } débuts { -most-probable-ones }
    }
beams =
    { $beams_count ->
        [one] { $beams_count } faisceau
       *[other] { $beams_count } faisceaux
    }
tree = Toutes les séquences
    .description = Toutes les séquences de { $length } lettres, au nombre de { $text_length } : la recherche gloutonne trouve { $greedy }, la meilleure est { $best }.
filter = Une vraie distribution du token suivant
    .description = Probabilités du token suivant avant et après le filtre : { $tokens }, { -others }.
