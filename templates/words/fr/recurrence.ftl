# /recurrence. Champs et conditions : app/experiments/recurrence.py ; faits : tests/app/words/recurrence.py.
question =
    { $shown ->
        [gradient_initial] À quelle vitesse les gradients s’effacent-ils avant l’entraînement ?
        [gradient_trained] À quelle vitesse les gradients s’effacent-ils après l’entraînement ?
        [truncated] Que perd-on à tronquer la rétropropagation ?
        [writings] { question.opening }
        [words] { question.opening }
       *[other] { question.opening }
    }
    .opening = L’attention fait-elle mieux qu’un vecteur d’état unique ?
-found_by = RNN, réseau de neurones récurrent, réseau récurrent, LSTM, GRU, longue mémoire à court terme, Elman, calcul séquentiel, Hochreiter, BPTT, rétropropagation à travers le temps, gradient évanescent, pourquoi les Transformers sont meilleurs, seq2seq, The Unreasonable Effectiveness of Recurrent Neural Networks, Understanding LSTM Networks
-rnn = RNN
-lstm = LSTM
-rnn-attention = RNN avec attention
-trained = 1 à 10 lettres
-longest = 10 lettres
-short-cut = 2 pas
-long-cut = 8 pas
-near = 1 %

claim =
    { $shown ->
        [gradient_initial] Avant l’entraînement, la récurrence affaiblit les gradients, l’attention non
        [gradient_trained] Après l’entraînement, les réseaux récurrents conservent les gradients
        [truncated] Avec des gradients tronqués, le réseau apprend moins sur les premières lettres
        [writings] { claim.opening }
        [words] { claim.opening }
       *[other] { claim.opening }
    }
    .opening = Aux longueurs vues à l’entraînement, l’attention bat un vecteur d’état unique
look_for =
    { $sides ->
       *[both] { left } { right }
        [left] { left }
        [right] { right }
    }
left =
    { $left ->
       *[letters] { left.lengths }
        [words] { left.lengths }
        [writings] À gauche, chaque ligne est la sortie d’un réseau pour votre mot. La couleur d’une lettre donne sa probabilité ; un cadre signale une erreur.
        [truncated] À gauche, chaque courbe est un LSTM dont on a coupé le gradient, pendant l’entraînement, après le nombre de pas inscrit au bout de la courbe. Plus une lettre est à droite, plus elle a été lue tôt.
    }
    .lengths = Cinq réseaux de taille semblable ont appris à écrire à l’envers des mots de { -trained } (zone ombrée à gauche).
right =
    { $right ->
       *[alignment] Dans chaque carte de droite, une ligne montre sur quelles lettres le réseau porte son attention à une étape de sortie.
        [gradient_trained] { right.curves } La ligne pointillée sépare les lettres du mot des entrées du décodeur.
        [gradient_initial] { right.curves } Sur une droite descendante, le gradient perd toujours la même fraction à chaque pas.
    }
    .curves = À droite, les courbes montrent à quel point chaque token d’entrée influe sur la dernière lettre écrite.
reading =
    { $shown ->
        [gradient_initial] Avant l’entraînement, à chaque pas en arrière, le { -rnn } garde { $factor_rnn } de son gradient et le { -lstm } { $factor_lstm } du sien.
        [gradient_trained] Après l’entraînement, à chaque pas en arrière, le { -rnn } garde { $factor_rnn_trained } de son gradient et le { -lstm } { $factor_lstm_trained } du sien.
        [truncated] Parmi les lettres lues avant la coupure, { $behind_cut_2 } sont justes avec une coupure après { -short-cut } et { $behind_cut_8 } avec une coupure après { -long-cut }.
        [writings] Réseaux qui écrivent « { $word } » à l’envers sans erreur : { $right_writings } sur { $network_length }.
        [words] À la longueur maximale de l’entraînement ({ -longest }), le { -rnn } a { $words_rnn } de mots justes ; le { -rnn-attention }, { $words_rnn_attention }.
       *[other] À la longueur maximale de l’entraînement ({ -longest }), le { -rnn } a { $letters_rnn } de lettres justes ; le { -rnn-attention }, { $letters_rnn_attention }.
    }
asks = Un réseau lit un mot lettre par lettre dans un vecteur unique, puis l’écrit à l’envers. Un deuxième peut porter son attention sur toutes les lettres avant chaque sortie ; un troisième est un Transformer. Tous ont été entraînés sur des mots de { -trained }. Sur des mots de { $length } lettres, lequel a le plus de lettres justes dans chacun des trois entraînements ?
    .vector = Un réseau à vecteur d’état unique
    .attention = Un réseau avec l’attention de Bahdanau
    .transformer = Le Transformer
    .several = Plusieurs d’entre eux, à { -near } près
    .length = { $length } lettres
    .reason = Part de lettres justes, en moyenne sur { $training_length } entraînements : { $shares }.
writings = Sortie de chaque réseau
    .description = RNN : { $text_rnn } ; LSTM : { $text_lstm } ; RNN + attention : { $text_rnn_attention } ; LSTM + attention : { $text_lstm_attention } ; Transformer : { $text_transformer }.
letters = Lettres justes selon la longueur
    .description = Part des lettres justes de chaque réseau, selon la longueur du mot.
words = Mots justes selon la longueur
    .description = Part des mots entièrement justes de chaque réseau, selon la longueur du mot.
truncated = Un LSTM aux gradients tronqués
    .description = Part des lettres justes selon le nombre de pas depuis leur lecture, pour chaque troncature.
alignment = Où les réseaux portent leur attention
    .description = Poids sur les lettres de « { $word } » à chaque étape de sortie.
gradient-trained = Gradient selon la distance, après l’entraînement
    .description = Norme du gradient selon la distance, réseaux entraînés.
gradient-initial = Gradient selon la distance, avant l’entraînement
    .description = Norme du gradient selon la distance, réseaux non entraînés.
