# /patching. Fields and conditions: app/experiments/patching.py; facts: tests/app/words/patching.py.
-answers = How much of the gap between two runs one vector closes when it is copied from the clean run into the corrupted one, by site, layer, position and path
-zero = 0
-one = 1
-three = 3
-eight = 8

-found_by = activation patching, causal tracing, causal mediation, interchange intervention, path patching, counterfactual, corrupted run, clean run, resample, localisation
grid = What each patch restores
    .description = { both-read }{ metric-is } For each cell, one vector is copied from the clean run into the corrupted run. The color shows how much of the gap in m between the two runs this copy closes. The framed cell copies the vector at { $token } in { $stack } layer { $layer } ({ $site_name }): this { restores }. { becomes }
    .more = { scale }{ path }
both-read =
    { $quotable ->
       *[yes] The model runs on two inputs: yours, { $corrupted_read } (the corrupted run), and { $clean_read } (the clean run).{ " " }
        [no] The model runs on two inputs: yours (the corrupted run) and another one (the clean run).{ " " }
    }
restores =
    { $restores ->
       *[yes] closes { $chosen_restored } of the gap
        [no] moves the metric by { $moved } { $unit }
    }
becomes =
    { $stays ->
       *[no] The model then { says } { $after }, not { $before }.
        [yes] The model still { says } { $before }.
    }
says =
    { $writes ->
       *[yes] outputs
        [no] predicts
    }
metric-is = In any run, the metric m is the { metric }.
scale =
    { $divided ->
       *[yes] On the scale, { -zero } is the corrupted run and { -one } the clean run.{ bypassed }
        [no] The two runs differ by { $difference } { $unit }, too little to divide by, so the colors show how far each copy moves m, in { $unit }.
    }
metric =
    { $metric ->
       *[logit_difference] logit of the token that the clean run predicts minus the logit of the token that the corrupted run predicts
        [log_probability] log-probability of the clean run’s prediction
        [kl] KL divergence from the clean run
    }
bypassed =
    { $bypassed ->
       *[no] { "" }
        [yes] { " " }Copying all inputs of the stacks closes { $everything } of the gap: the rest of the input bypasses them.
    }
path =
    { $frozen ->
       *[no] { "" }
        [yes] { " " }Each copy acts only on { $receiver }{ receiver-head }; all sub-layers in between stay frozen (path patching).
    }
receiver-head =
    { $one_head ->
       *[no] { "" }
        [yes] , head { $receiver_head }
    }
heads = What each head’s patch restores
    .description = Each small map is one head; each cell copies its output at one token from the clean run.{ best-head }
    .more = { metric-is } { scale }
best-head =
    { $divided ->
       *[yes] { " " }Layer { $best_layer }, head { $best_head }{ kind-of-head } closes most: { $best_share } of the gap, at { $best_token }.
        [no] { "" }
    }
kind-of-head =
    { $kinds_of_heads ->
       *[yes] { " " }({ $best_site })
        [no] { "" }
    }
pairs = What two patches restore
    .description = Each cell copies two vectors at once ({ $site_name }, layer { $layer }). { $turned } of { $pairs } pairs change the prediction { $answer_corrupted }; where it changes, the cell shows the new one.{ new-answer }
    .more = { metric-is } { scale } A cell on the diagonal copies one vector.
new-answer =
    { $newly ->
       *[none] { "" }
        [only] { " " }Only { pair } together give { $new_answer }.
        [several] { " " }{ pair } are one of { $new } pairs that give { $new_answer }.
    }
pair = { $first_token } (position { $first }) and { $second_token } (position { $second })
answers = Predictions before and after
    .description = The most probable predictions at position { $step }: { $corrupted_answers_0_text } in the corrupted run ({ $corrupted_answers_0_probability }), { $patched_answers_0_text } with the copy ({ $patched_answers_0_probability }), { $clean_answers_0_text } in the clean run ({ $clean_answers_0_probability }).{ written }
    .more = The copy framed in “sites” { restores }. { metric-is } { scale }
written =
    { $writes ->
       *[yes] { " " }Full outputs: { $corrupted_writes } in the corrupted run, { $patched_writes } with the copy, { $clean_writes } in the clean run.
        [no] { "" }
    }
usual =
    .site = default
    .layer = first
    .position = strongest
links =
    .patch = See the attention map with this patch
    .word = Copying one word: “i” becomes “he”
    .verb = Copying only the verb (“am” becomes “is”) has little effect
    .pieces = The two image patches that separate a { -three } from an { -eight }
    .path = Path patching: the effect of each copy through the values of the last cross-attention
Patching =
    .clean = The clean input, whose vectors are copied: a text, image or row for the model, or a JSON object with the fields of an input. Default: a prepared one, or the example most like the corrupted input.
    .corrupted = The corrupted input, which receives the copies, in the form of `clean`. Default: the input of the question (`source`, `text`, `image` or `row`).
    .metric = What is measured: the logit of the clean run's prediction minus that of the corrupted run's, the log-probability of the clean run's prediction, or the KL divergence from the clean run. Default: the first, or the second where both runs predict the same.
    .step = The position whose logits are measured. Default: the first where the two runs predict differently.
    .stack = The stack to patch. Default: the first.
    .positions = Pairs of a clean position and the corrupted position that it is copied to. Not needed for inputs of equal length.
    .sites = The sites to patch, with commas between them, for instance residual.in,attention.out. Default: all.
    .site = The site of the patch whose predictions are reported, for instance residual.in or attention.out. Default: the first; residual.in where it is patched.
    .layer = The layer of that patch, counted from 0. Default: the first in which one patch at the site restores at least a tenth of the difference.
    .position = The position of that patch, counted from 0. Default: the one that restores most.
    .receiver = The name of an activation, as `/activations` lists it. A patch then acts on this activation only, through the residual stream, with everything in between frozen (path patching).
    .receiver_head = One head of the receiver. Default: all of it.
    .heads = Whether each head's output is also patched by itself.
    .pairs = Whether every two positions are also patched at once, at `site` in `layer`.
PatchingRun =
    .tokens = The tokens of the patched stack.
    .value = The metric of this run.
    .answers = Its most probable predictions where it is measured.
    .writes = An encoder-decoder's greedy output, given its encoder's output in this run; null for any other model.
PatchingAnswer =
    .step = The position whose logits are measured.
    .reads = The field in which an address gives the input.
    .difference = The metric of the clean run minus the corrupted one.
    .nothing = What is restored where nothing is patched; null where the difference is below 0.001, too small to divide by.
    .everything = What is restored where all inputs of every stack are patched: 1, unless a part of the input bypasses the stacks; null where it cannot be patched.
    .chosen_restored = What the chosen patch restores.
    .pair_answers = The model's prediction where two positions are patched, by their numbers.
