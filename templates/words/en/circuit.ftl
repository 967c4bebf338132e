# /circuit. Fields and conditions: app/experiments/circuit.py; facts: tests/app/words/circuit.py.
-answers = What each head’s weights attend to and output, word by word; which heads use which; and the paths through an attention-only model, each of which can be removed
-zero = 0
-one = 1
-expected = 1/√d_model
-enough = 95%

-found_by = OV circuit, QK circuit, copying head, composition of heads, mechanistic interpretability, reverse engineering, weights of a head, what a head writes, what a head outputs
ov = OV circuit: what the head outputs
    .description = Suppose that { head_of } attends to a single token and receives just its embedding. Each row shows such a token and the tokens whose logits the head raises most. The largest effect: attending to { $ov_token } adds { $ov_by } to the logit of { $ov_word }. This follows from the weights alone; no sentence is needed.
    .more =
        The OV circuit has a row and a column for each of the { $vocabulary } tokens; the figure shows the { $rows ->
            [one] row with the largest number
           *[other] { $rows } rows with the largest numbers
        }. For { $ov_own } of { of_rows }, the head raises the token’s own logit most ({ $chance } would be expected by chance).{ $encoder ->
           *[no] { "" }
            [yes] { " " }The encoder itself predicts no words, so its vectors are compared with the words that the decoder predicts.
        }{ left_out }
input = What it outputs for your tokens
    .description = Each row is a token of your input, with the tokens whose logits { head_of } raises if it attends only to this token. The largest value is for { $input_word }, in the row of { $input_token }.
    .more = In an actual forward pass, the head’s input is the residual stream, with the output of earlier layers, not the token’s embedding alone.
qk = QK circuit: what the head attends to
    .description = Each row is a query token of { head_of }, with the key tokens that get the highest scores. { $qk_token } matches { $qk_word } most, with a score of { $qk_by }.
    .more =
        The { $rows ->
            [one] row with the largest scores is
           *[other] { $rows } rows with the largest scores are
        } shown. For { $qk_own } of { of_rows }, the best match is the token itself ({ $chance } would be expected by chance).{ $rotated ->
           *[no] { "" }
            [yes] { " " }In an actual forward pass, the scores also depend on the distance between query and key, which this model encodes by rotation. Here the distance is { -zero }.
        }{ left_out }
head_of =
    head { $head } of layer { $layer } ({ $attention ->
        [encoder] encoder
       *[decoder] decoder
        [cross] cross-attention
    })
of_rows =
    { $scanned ->
       *[no] all tokens
        [yes] { $scanned_rows } evenly spaced tokens
    }
left_out =
    { $normed ->
        [no] { "" }
       *[yes] { " " }Norms, biases and the other layers are left out, so the numbers in an actual forward pass differ.
    }
positions = Which positions attend to which
    .description =
        Each cell is a score of { head_of }: rows are query positions, columns are key positions. { $placed ->
           *[vectors] Only the position vectors are used.
            [rotated] Every token is replaced by the mean of all tokens, because positions add no vector here and only rotate queries and keys.
            [apart] Every token is replaced by the mean of all tokens, because positions do not enter these scores.
        } In { $favourite_share } of the rows, the highest score is { $favourite ->
            [itself] at the query itself
           *[before] at the previous position
            [next] at the next position
            [far_before] { $distance } positions before
            [far_ahead] { $distance } positions ahead
        }.
    .more =
        { $placed ->
           *[vectors] In an actual forward pass, tokens and norms change these scores.
            [rotated] In an actual forward pass, the tokens change these scores.
            [apart] In an actual forward pass, the tokens change these scores.
        }
copying = How much each head copies
    .description = In the left map, a head whose value is near { -one } is a copying head: it raises the logits of the tokens it attends to. A head with a value near −{ -one } lowers them. Head L{ $copying_layer }H{ $copying_head } copies most ({ $copying_most }). In the right map, tokens attend to similar tokens where the value is near { -one }. Click a head to choose it.
    .more = The value is the sum of the circuit’s eigenvalues, divided by the sum of their absolute values. It is { -zero } when positive and negative eigenvalues cancel.
composition = Which heads use the output of which
    .description =
        { $paired ->
            [no] This model has a single layer, so no head can use the output of another.
           *[yes] Each cell shows how much of an earlier head’s output enters another head’s { $composition ->
                [q] queries
               *[k] keys
                [v] values
            }. For comparison, the residual stream between them is rotated at random { $draws } times. Of { $pairs ->
                [one] { $pairs } pair
               *[other] { $pairs } pairs
            }, { $compose ->
                [one] { $compose } has
               *[other] { $compose } have
            } a larger value than every random rotation ({ $by_chance } expected by chance), and { $avoid ->
                [one] { $avoid } has
               *[other] { $avoid } have
            } a smaller value than all of them.
        }
    .more =
        { $paired ->
            [no] Choose a model with two or more layers.
           *[yes] The largest value, { $composition_most }, is for head { $reader } using the output of head { $writer }. The root mean square of random rotations is { -expected } = { $expected }. Two heads compose if their value is larger than with every rotation: their weights match, but this does not show that the model uses the match on actual inputs.
        }
paths = How much each path matters
    .description =
        Each cell is a path. Its color shows how much the loss on repeated letters rises when the path is removed, over { $texts } held-out texts ({ $letters } repeated letters). { $removed ->
            [no] With all paths, the model predicts { $whole_accuracy } of these letters correctly, at a loss of { $whole_loss } nats.
           *[yes] Without { $removed_count ->
                [one] { $removed_count } path
               *[other] { $removed_count } paths
            }, the model predicts { $remaining_accuracy } of these letters correctly, at a loss of { $remaining_loss } nats; with all paths, { $whole_accuracy } and { $whole_loss }.
        } Click a cell to remove its path, and again to restore it.
    .more =
        { $two ->
            [no] One layer has no paths between heads, so it cannot find repetitions.
           *[yes] Head { $previous } attends to the previous letter. If layer { -one } gets nothing from layer { -zero } but the output of this head, and only through its keys, { $path_alone_share } of the accuracy remains. Without this path, { $without_path_share } remains. { $textbook ->
                [yes] So this path alone explains how the model repeats letters, as textbooks describe it.
               *[no] So the single path that textbooks describe is not the whole mechanism in this model.
            } Without the output of head { $previous }, { $without_head_share } remains.{ $several ->
                [no] { "" }
               *[yes] { " " }These paths from layer { -zero } together reach { -enough } of the accuracy, best first: { $given_back }.
            }
        } With fixed attention maps, the contributions of the paths add up to the logits of your text (within { $largest_difference_value }).
given_back =
    from head { $from_head } to the { $into ->
       *[k] keys
        [q] queries
    }{ $to_all ->
       *[yes] { "" }
        [no] { " " }of head { $to_head }
    }
training = Paths during training
    .description =
        { $two ->
            [no] Each bar shows how much the paths add to the correct letter’s logit, relative to the mean of all letters, at a saved training step. At the end, it is { $sum }.
           *[yes] Each bar shows how much each kind of path adds to the correct letter’s logit, relative to the mean of all letters, at a saved training step. At the end, layer { -one } alone adds { $alone } of { $sum }.
        }
    .more =
        { $two ->
            [no] The line below is the accuracy on repetitions, which one layer cannot find.
           *[yes] At step { $peak }, { $peak_share } of it goes through the values of two heads in a row (a virtual head); at the end, { $end_share }. The lines below show the accuracy with some paths alone; “the path” goes from head { $previous } to the keys of layer { -one }. Click a step to choose it.
        }
usual =
    .head = the one that copies most
    .step = end of training
links =
    .path_alone = Only the path { $previous } → keys of layer { -one }
    .without_path = All paths but this one
    .without_head = All but head { $previous }
    .scores_alone = Layer { -zero } only through keys and queries
    .whole = All paths
    .training = How an induction head forms
    .clinic = Attention-only circuits
    .attention = What this head attends to in your input
Circuit =
    .part = `weights`: the circuits of one head. `composition`: how much each head uses the output of each other head. `paths`: the paths through an attention-only model. By default, all parts that the model has.
    .attention = The attention whose head is shown: encoder, decoder or cross. By default, the last of these that the model has.
    .layer = The layer, counted from 0. By default, that of the head whose OV circuit copies most.
    .head = The head, counted from 0. By default, the one whose OV circuit copies most.
    .step = A saved training step of induction-2 or induction-1. By default, the shipped model.
    .top = How many rows of each circuit to list, largest first.
    .without = The paths to remove, separated by commas: direct, 0.3, 1.2, 0.3-1.2 (through the values of head 1.2), 0.3-1.2.k and 0.3-1.2.q (through its keys or queries). * stands for any characters, ? for one.
    .factors = Whether to include the thin matrices whose products are the circuits, with a row or column for each token of the vocabulary.
    .seed = Seed of the random rotations that pairs are compared with.
CircuitFigures =
    .composition = For the map of pairs: whether the other head’s output enters queries, keys or values.
Rows =
    .own = The fraction of rows whose largest value is that of the row’s own token.
    .scanned = How many evenly spaced rows were searched, if not the whole vocabulary; `rows` and `own` refer to these.
Circuits =
    .ov_of_input = The OV rows of the input’s tokens.
Pairs =
    .compose = The pairs above all random rotations.
    .avoid = The pairs below all random rotations.
    .by_chance = How many pairs would be above all rotations by chance.
Predicted =
    .loss = In nats per letter.
Case =
    .without = The paths removed in this case.
Given =
    .paths = The restored paths, as a pattern of their names.
CircuitAnswer =
    .expandable = Whether the model’s logits are a sum of paths, so that it has `paths`.
    .steps = The saved training steps, if any.
    .attention = With `weights`: the attention that is shown.
    .attentions = The attentions that the model has.
    .layer = The layer of the head that is shown.
    .head = The head that is shown.
    .layers = The number of layers of the stack.
    .heads = The number of heads per layer.
    .vocabulary = The size of the vocabulary.
    .circuits = With `weights`: rows of the circuits.
    .of_positions = Whether position vectors are added to the tokens.
    .rotated = Whether positions rotate queries and keys.
    .normed = Whether the model has norms; the circuits leave them out.
    .pairs = With `composition`: how many pairs compose.
    .expected = Root mean square of random pairs, 1/√d_model.
    .draws = How many random rotations each pair is compared with.
    .paths = With `paths`: the names of all paths.
    .groups = Paths that are removed together.
    .removed = The paths removed by `without`.
    .previous = The head of layer 0 that attends most to the previous letter.
    .cases = What remains in selected cases.
    .whole = With all paths.
    .remaining = Without the removed paths.
    .greedy = Which paths into queries and keys suffice; each is the best addition to those before it.
    .chance = The accuracy of guessing.
    .texts = The number of held-out texts.
    .letters = How many of their letters repeat earlier ones.
    .largest_difference = The largest difference between the sum of all paths and the logits.
