# /tables.
-found_by = tabular data, table, TabTransformer, FT-Transformer, SAINT, spreadsheet, CSV, columns, categorical features, decision tree, penguins, Revisiting Deep Learning Models for Tabular Data, Gorishniy
