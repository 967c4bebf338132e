# /circuit. Fields and conditions: app/experiments/circuit.py; facts: tests/app/words/circuit.py.
-answers = What the weights of a head look for and write, word by word; which heads read which; and the paths through a model of attention alone, each of which can be taken away
-zero = 0
-one = 1
-expected = 1/√d_model
-enough = 95 %

-found_by = OV circuit, QK circuit, copying head, composition of heads, mechanistic interpretability, reverse engineering, weights of a head, what a head writes
ov = What the head writes
    .description = Each row is a token that { head_of } may look at, with the words whose logits it then raises most. { $ov_token } raises { $ov_word } most, by { $ov_by }. No sentence was read: this follows from the weights alone.
    .more =
        The OV circuit has a row and a column for each of { $vocabulary } tokens, and the { $rows ->
            [one] { $rows } row with the largest numbers is
           *[other] { $rows } rows with the largest numbers are
        } shown. { of_rows }, { $ov_own } raise their own token most, and by chance it would be { $chance }.{ $encoder ->
           *[no] { "" }
            [yes] { " " }No words are read from this encoder; its vectors are compared with those of the words that the decoder predicts.
        }{ left_out }
input = What it writes for your tokens
    .description = Each row is a token of your input, with the words that { head_of } raises when it looks at this token alone. The largest number is that of { $input_word } for { $input_token }.
    .more = In a run, the head reads the stream, to which other layers have written, and not the token’s own vector alone.
qk = What the head looks for
    .description = Each row is a token from which { head_of } makes a query, with the tokens whose keys get the highest scores. { $qk_token } looks for { $qk_word } most, with a score of { $qk_by }.
    .more =
        The { $rows ->
            [one] { $rows } row with the largest scores is
           *[other] { $rows } rows with the largest scores are
        } shown. { of_rows }, { $qk_own } have their own token as the best key, and by chance it would be { $chance }.{ $rotated ->
           *[no] { "" }
            [yes] { " " }In a run the scores also depend on the distance, by which this model turns queries and keys. Here both stand at one place.
        }{ left_out }
head_of =
    head { $layer }.{ $head } of { $attention ->
        [encoder] the encoder
       *[decoder] the decoder
        [cross] the cross-attention
    }
of_rows =
    { $scanned ->
       *[no] Of all rows
        [yes] Of the { $scanned_rows } rows that were looked through, at even distances
    }
left_out =
    { $normed ->
        [no] { "" }
       *[yes] { " " }Norms and biases are left out here, so a run may do something else.
    }
positions = Which positions look at which
    .description =
        Each cell is a score of { head_of }, from the position of its row, which looks, to the position of its column, which is looked at. { $placed ->
           *[vectors] It is computed from the vectors of positions alone.
            [rotated] Every position holds the mean of all tokens, because positions add no vector here and only turn queries and keys.
            [apart] Every position holds the mean of all tokens, because positions do not enter the scores of this attention.
        } In { $favourite_share } of the rows the highest score lies { $favourite ->
            [itself] at the query itself
           *[before] at the position before
            [next] at the next position
            [far_before] { $distance } positions before
            [far_ahead] { $distance } positions ahead
        }.
    .more =
        In a run the tokens change these scores{ $placed ->
           *[vectors] , and so do the norms.
            [rotated] .
            [apart] .
        }
copying = How much each head copies
    .description = The left map is near { -one } for a head that raises the tokens that it looks at, so that it copies them, and near −{ -one } for a head that lowers them. Head { $copying_layer }.{ $copying_head } copies most, with { $copying_most }. The right map is near { -one } where tokens look for tokens like themselves. Click a head to choose it.
    .more = The number is the sum of the eigenvalues of the circuit, divided by the sum of their absolute values. It is { -zero } where positive and negative eigenvalues cancel.
composition = Which heads read which
    .description =
        { $paired ->
            [no] No head of this model can read another, because it has a single layer.
           *[yes] Each cell says how much one head reads, by its { $composition ->
                [q] queries
               *[k] keys
                [v] values
            }, of what an earlier head writes. For comparison, the stream between the two heads is turned at random { $draws } times. Of { $pairs ->
                [one] { $pairs } pair
               *[other] { $pairs } pairs
            }, { $compose } lie above all of their turns (by chance it would be { $by_chance }), and { $avoid } below all of them.
        }
    .more =
        { $paired ->
            [no] Choose a model of two layers or more.
           *[yes] The largest is { $composition_most }: head { $reader } reads head { $writer }. The root mean square of turned pairs is { -expected } = { $expected }. A pair composes if it lies above all of its turns. This says that their weights fit, and not that a run makes use of it.
        }
paths = What is lost without a path
    .description =
        Each cell is a path, and its colour says by how much the loss of repeated letters rises without it, in { $texts } held-out texts ({ $letters } repeated letters). { $removed ->
            [no] With all paths the model predicts { $whole_accuracy } of them, at a loss of { $whole_loss } nats.
           *[yes] Without { $removed_count ->
                [one] { $removed_count } path
               *[other] { $removed_count } paths
            } the model predicts { $remaining_accuracy } of them, at a loss of { $remaining_loss } nats; with all paths { $whole_accuracy } and { $whole_loss }.
        } Click a cell to take its path away, and again to give it back.
    .more =
        { $two ->
            [no] One layer has no paths from head to head, and it cannot find a repetition.
           *[yes] Head { $previous } looks at the letter before. If layer { -one } reads only the path from it to the keys, and nothing else of layer { -zero }, { $path_alone_share } of the accuracy is left. If only this path is missing, { $without_path_share } is left. { $textbook ->
                [yes] So this path alone carries the repetition, as the textbook has it.
               *[no] So the textbook’s single path is not the whole mechanism here.
            } Without anything that head { $previous } writes, { $without_head_share } is left.{ $several ->
                [no] { "" }
               *[yes] { " " }These paths from layer { -zero } together reach { -enough } of the accuracy, the best first: { $given_back }.
            }
        } With the patterns held fixed, the paths to the logits add up to the logits of your text, up to { $largest_difference_value }.
given_back =
    from head { $from_head } to the { $into ->
       *[k] keys
        [q] queries
    }{ $to_all ->
       *[yes] { "" }
        [no] { " " }of head { $to_head }
    }
training = Paths over the training
    .description =
        { $two ->
            [no] Each bar is what the paths add to the logit of the right letter, less the mean of all letters, at a kept step. At the end it is { $sum }.
           *[yes] Each bar shows what the kinds of paths add to the logit of the right letter, less the mean of all letters, at a kept step of the training. At the end layer { -one } alone adds { $alone } of { $sum }.
        }
    .more =
        { $two ->
            [no] The lower line is the accuracy in repetitions, which one layer cannot find.
           *[yes] At step { $peak }, { $peak_share } of it goes through the values of two heads in a row (a virtual head), and at the end { $end_share }. The lines below are the accuracy with some paths alone; “the path” goes from head { $previous } to the keys of layer { -one }. Click a step to choose it.
        }
usual =
    .head = copies most
    .step = shipped
links =
    .path_alone = Only the path { $previous } → keys of layer { -one }
    .without_path = All but this path
    .without_head = All but head { $previous }
    .scores_alone = Layer { -zero } in keys and queries alone
    .whole = All paths
    .training = How an induction head forms
    .clinic = Clinic: attention-only circuits
    .attention = Where this head looks in your input
Circuit =
    .part = `weights` are the circuits of one head, `composition` is how much each head reads of what each other writes, and `paths` are the paths through a model of attention alone. If it is left out, all parts that the model has are sent.
    .attention = The attention whose head is shown: that of a stack, or from the decoder to the encoder. If it is left out, it is the last of these that the model has.
    .layer = The layer, counted from 0. If it is left out, it is that of the head whose OV circuit copies most.
    .head = The head, counted from 0. If it is left out, it is the one whose OV circuit copies most.
    .step = A kept step of the training of induction-2 or induction-1. If it is left out, the model is the one that is shipped.
    .top = How many rows of each circuit are listed, the largest numbers first.
    .without = The paths that are taken away, with commas between them: direct, 0.3, 1.2, 0.3-1.2 (by the values of head 1.2), 0.3-1.2.k and 0.3-1.2.q (by its keys and by its queries). In a name * stands for any characters and ? for one.
    .factors = Whether the answer also has the thin matrices whose products the circuits are. They have a row or a column for each token of the vocabulary.
    .seed = The seed of the random rotations that pairs stand beside.
CircuitFigures =
    .composition = Whether heads read by their queries, keys or values in the map of pairs.
Rows =
    .own = The share of all rows whose largest number is that of the token itself.
    .scanned = How many rows were looked through, at even distances, where not all of the vocabulary were: `rows` and `own` are of them.
Circuits =
    .ov_of_input = The OV rows of the tokens of the input.
Pairs =
    .compose = The pairs above all of them.
    .avoid = The pairs below all of them.
    .by_chance = How many pairs would lie above all by chance.
Predicted =
    .loss = In nats a letter.
Case =
    .without = The paths that are taken away in this case.
Given =
    .paths = The paths that are given back, as a pattern of their names.
CircuitAnswer =
    .expandable = Whether the logits of the model are a sum of paths, so that it has `paths`.
    .steps = The kept steps of the training, if there are any.
    .attention = With `weights`: the attention that is shown.
    .attentions = The attentions that the model has.
    .layer = The layer of the head that is shown.
    .head = The head that is shown.
    .layers = How many layers the stack has.
    .heads = How many heads a layer has.
    .vocabulary = How many tokens the vocabulary has.
    .circuits = With `weights`: rows of the circuits.
    .of_positions = Whether positions add a vector to the tokens.
    .rotated = Whether positions turn queries and keys.
    .normed = Whether the model has norms, which the circuits leave out.
    .pairs = With `composition`: how many pairs compose.
    .expected = The root mean square of random pairs, 1/√d_model.
    .draws = How many random rotations each pair stands beside.
    .paths = With `paths`: the names of all paths.
    .groups = Paths that are taken away together.
    .removed = The paths that `without` takes away.
    .previous = The head of layer 0 that looks most at the letter before.
    .cases = What is left in chosen cases.
    .whole = With all paths.
    .remaining = Without the paths that are taken away.
    .greedy = Which paths into queries and keys are enough, each the best after those before it.
    .chance = The accuracy of a guess.
    .texts = How many held-out texts are read.
    .letters = How many of their letters repeat earlier ones.
    .largest_difference = How far the sum of all paths is from the logits.
