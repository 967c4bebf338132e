# /patching. Fields and conditions: app/experiments/patching.py; facts: tests/app/words/patching.py.
-answers = How much of the difference between two inputs one vector restores that is copied from the clean run into the corrupted one, by site, layer and position; and along one path
-zero = 0
-one = 1
-three = 3
-eight = 8

-found_by = activation patching, causal tracing, causal mediation, interchange intervention, path patching, counterfactual, corrupted run, clean run, resample, localisation
grid = What each patch restores
    .description = { both-read }Each cell copies one vector of the clean run into the corrupted run, and its colour says how much that restores. The frame is at { $token } ({ $site_name }, { $stack } layer { $layer }): this copy { restores }. { becomes }
    .more = { scale }{ path }
both-read =
    { $quotable ->
       *[yes] The corrupted run reads { $corrupted_read }, and the clean run { $clean_read }.{ " " }
        [no] { "" }
    }
restores =
    { $restores ->
       *[yes] restores { $chosen_restored } of the difference
        [no] moves the metric by { $moved } { $unit }
    }
becomes =
    { $stays ->
       *[no] The model then { says } { $after } and not { $before }.
        [yes] The model still { says } { $before }.
    }
says =
    { $writes ->
       *[yes] writes
        [no] says
    }
scale =
    { $divided ->
       *[yes] On the scale, { -zero } is the corrupted run, whose { metric } is { $corrupted_value } { $unit }, and { -one } is the clean run, with { $clean_value }. Below { -zero } a copy leads away from the clean run.{ bypassed }
        [no] The { metric } of the two runs differs by { $difference } { $unit }, which is too little to divide by. So the colours show how far each copy moves it, in { $unit }.
    }
metric =
    { $metric ->
       *[logit_difference] logit difference
        [log_probability] log-probability
        [kl] KL divergence
    }
bypassed =
    { $bypassed ->
       *[no] { "" }
        [yes] { " " }A copy of all that the stacks read restores { $everything }: the rest of the input bypasses them.
    }
path =
    { $frozen ->
       *[no] { "" }
        [yes] { " " }Each copy acts on { $receiver }{ receiver-head } alone, and what every sub-layer on the way writes stays as it was (path patching).
    }
receiver-head =
    { $one_head ->
       *[no] { "" }
        [yes] , head { $receiver_head }
    }
heads = What each head’s patch restores
    .description = Each small map is one head, and each cell copies the head’s output at one token from the clean run.{ best-head }
    .more = { scale }
best-head =
    { $divided ->
       *[yes] { " " }Head { $best_head } of layer { $best_layer }{ kind-of-head } restores most, { $best_share } of the difference, at { $best_token }.
        [no] { "" }
    }
kind-of-head =
    { $kinds_of_heads ->
       *[yes] { " " }({ $best_site })
        [no] { "" }
    }
pairs = What two patches restore
    .description = Each cell copies two vectors at once ({ $site_name }, layer { $layer }). { $turned } of { $pairs } pairs change the model’s answer { $answer_corrupted }, and the new answer stands in the cell.{ new-answer }
    .more = { scale } A cell of the diagonal copies one vector.
new-answer =
    { $newly ->
       *[none] { "" }
        [only] { " " }Only { pair } together make it say { $new_answer }.
        [several] { " " }{ pair } together are one of { $new } pairs with { $new_answer }.
    }
pair = { $first_token } (position { $first }) and { $second_token } (position { $second })
answers = The answers before and after
    .description = The most probable answers at position { $step }: { $corrupted_answers_0_text } in the corrupted run ({ $corrupted_answers_0_probability }), { $patched_answers_0_text } in the run with the copy ({ $patched_answers_0_probability }), { $clean_answers_0_text } in the clean run ({ $clean_answers_0_probability }).{ written }
    .more = The copy in the frame of “sites” { restores }. { scale }
written =
    { $writes ->
       *[yes] { " " }Written to the end, the corrupted run says { $corrupted_writes }, the run with the copy { $patched_writes }, and the clean run { $clean_writes }.
        [no] { "" }
    }
usual =
    .site = first
    .layer = first
    .position = strongest
links =
    .patch = The attention with this patch
    .word = One word of a sentence: “i” becomes “he”
    .verb = The verb alone: “am” becomes “is”, and little happens
    .pieces = The two pieces of a { -three } without which it becomes an { -eight }
    .path = One path: what reaches the values of the last cross-attention directly
Patching =
    .clean = The clean input, from whose run vectors are copied: a text, image or row that the model reads, or a JSON object with the fields of an input. If it is left out, it is a prepared one, or the example that is most like the corrupted input.
    .corrupted = The corrupted input, into whose run vectors are copied, in the form of `clean`. If it is left out, it is the input of the question: `source`, `text`, `image` or `row`.
    .metric = What is measured of an answer: the logit of the clean run's answer minus that of the corrupted run's, the log-probability of the clean run's answer, or the divergence from the clean run's probabilities. If it is left out, it is the first, or the second where both runs answer the same.
    .step = The position of the logits that is measured. If it is left out, it is the first at which the two runs answer differently.
    .stack = The stack that is patched. If it is left out, it is the first.
    .positions = Pairs of a position of the clean input and the position of the corrupted input that it is copied to. Inputs of as many tokens do not need it.
    .sites = The sites that are patched, with commas between them, for instance residual.in,attention.out. If it is left out, all are.
    .site = The site of the patch whose answers are told, for instance residual.in or attention.out. If it is left out, it is the first, residual.in where it is patched.
    .layer = The layer of that patch, counted from 0. If it is left out, it is the first in which one patch at the site restores a tenth.
    .position = The position of that patch, counted from 0. If it is left out, it is the one that restores most.
    .receiver = The name of an activation, as `/activations` lists it. If it is given, a patch acts on this activation alone, through the residual stream, and everything else is frozen until then (path patching).
    .receiver_head = One head of the receiver. If it is left out, it is all of it.
    .heads = Whether the output of every head is patched by itself too.
    .pairs = Whether every two positions are patched at once too, at `site` in `layer`.
PatchingRun =
    .tokens = The tokens of the stack that is patched.
    .value = The metric of this run.
    .answers = Its most probable answers where it is measured.
    .writes = What an encoder-decoder writes, greedily, from what its encoder hands it in this run; null for any other model.
PatchingAnswer =
    .step = The position of the logits that is measured.
    .reads = The field in which an address gives the input.
    .difference = The metric of the clean run minus the corrupted one.
    .nothing = What is restored where nothing is patched; null where the difference is below 0.001 and so no share of it is told.
    .everything = What is restored where all that every stack reads is patched: 1, unless a part of the input bypasses the stacks; null where it cannot be patched.
    .chosen_restored = What the chosen patch restores.
    .pair_answers = What the model answers where two positions are patched, by their numbers.
