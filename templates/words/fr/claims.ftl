# /claims.
-found_by = idées reçues, idées fausses, mythes, erreurs dans les manuels, vérification des faits, vrai ou faux, affirmations
