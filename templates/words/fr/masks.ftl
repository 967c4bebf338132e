# /masks.
-found_by = masque d’attention, masque causal, masque triangulaire, tril, attention masquée, moins l’infini, -inf, masked_fill, avant le softmax, masque de remplissage, fuite d’information, voir le futur, attention creuse, attention parcimonieuse, fenêtre glissante, attention locale, bidirectionnel, combiner des masques, deux masques
