# /add-or-concatenate. Fields: app/experiments/add_or_concatenate.py.
claim = Adding is the same as concatenating with shared weights
look_for = On the left, the solid line is a query computed from the sum of token and position. The points are the query of a concatenation whose halves share one matrix, and they lie on that line. On the right, a linear map reads the token and the position: follow the lines to see how noise hides them.
reading = A linear map reads the { -token } from the sum in { $token } of the examples { -held-out }, and the { -position } in { $position }.
-token = token
-position = position
-held-out = that it was not fitted to
-share = 95 of 100
asks = { $tokens } tokens of the model { $vectors } stand at many positions. The vector of a token and the vector of its position are added, number by number. Can a linear map still tell at least { -share } tokens, and at least { -share } positions?
    .neither = Neither
    .one = Only one of the two
    .both = Both
    .learned = learned positions
    .tokens = { $tokens } tokens
read = What can be read afterwards
    .description = Share of token and position that a linear map reads right, by noise, from the sum and from concatenations.
query = One query, computed in both ways
    .description = One query from the sum of token and position, and from both side by side: the same numbers.
