# /tables.
-found_by = tabular data, table, TabTransformer, FT-Transformer, SAINT, spreadsheet, CSV, columns, categorical features, decision tree, penguins, Revisiting Deep Learning Models for Tabular Data, Gorishniy
-answers = A row of a table: what its columns read from each other and from other rows, and what the model says without each of its values
TablesFigures =
    .layer = The layer that is shown, counted from 0. If it is left out, it is the last.
    .head = The head that is shown, counted from 0. If it is left out, it is the first.
    .query = The token whose weights are shown, counted from 0. If it is left out, it is the first.
    .column = The column of categories whose vectors are shown. If it is left out, it is the first that has at least four.
Embedded =
    .shares = The shares of the squared distances along the two directions.
    .nearest = For each option the one with the nearest vector.
TablesAnswer =
    .embedded = The columns with at least four categories, in the order of the tensor `places`.
    .held_out = What the card of the model says of its held-out rows: how often each class was right at which probability, and what each column is worth.
