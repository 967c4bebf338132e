# /positions.
-found_by = codage de position, encodage positionnel, plongement de position, positional encoding, sinusoïdal, sinusoïde, sinus, sin, cosinus, cos, onde, fréquence, RoPE, RoFormer, rotation, rotary, ALiBi, position relative, ordre des mots, ordre des tokens, équivariance par permutation, sac de mots, distance, extrapolation à des séquences longues, Shaw
