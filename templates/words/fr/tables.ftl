# /tables.
-found_by = données tabulaires, tableau, table, TabTransformer, FT-Transformer, SAINT, tableur, CSV, colonnes, variables catégorielles, variables qualitatives, arbre de décision, manchots, pingouins, Revisiting Deep Learning Models for Tabular Data, Gorishniy
