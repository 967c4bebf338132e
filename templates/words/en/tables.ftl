# /tables.
-found_by = tabular data, table, TabTransformer, FT-Transformer, SAINT, spreadsheet, CSV, columns, categorical features, decision tree, penguins, Revisiting Deep Learning Models for Tabular Data, Gorishniy
-answers = A row of a table: what its columns attend to, in the row and in other rows, and the prediction without each of its values
TablesFigures =
    .layer = The layer that is shown, counted from 0. Default: the last.
    .head = The head that is shown, counted from 0. Default: the first.
    .query = The token whose weights are shown, counted from 0. Default: the first.
    .column = The column of categories whose vectors are shown. Default: the first with at least four.
Embedded =
    .shares = The fractions of the squared distances along the two directions.
    .nearest = For each option, the one with the nearest vector.
TablesAnswer =
    .embedded = The columns with at least four categories, in the order of the tensor `places`.
    .held_out = The model card's measurements on held-out rows: how often each class was right at each probability, and what each column is worth.
