# /decoding. Fields and conditions: app/experiments/decoding.py; facts:
# tests/app/words/decoding.py.
-answers = Greedy decoding and beam search compared with exhaustive search, and what temperature and filters do to a real distribution
-most-probable = most probable
-tokens = the other tokens together
-others = all others
-half = 0.5
-two = 2
-two-fifths = 0.4

question =
    { $shown ->
       *[search] Does greedy search find the { -most-probable } sequence?
        [filter] Do the tokens that a filter keeps share all the probability?
    }
-found_by = decoding strategy, beam search, greedy, temperature, top-k, top-p, nucleus sampling, sampling, randomness, creativity, length penalty, repetition, The Curious Case of Neural Text Degeneration, Holtzman, maximum likelihood
claim =
    { $shown ->
       *[search] Greedy search can miss the { -most-probable } sequence
        [filter] Filtering gives all probability to the remaining tokens
    }
look_for =
    { $shown ->
       *[search] { branches }
        [filter] Each bar is the probability of one first token of the translation, after temperature and filter; each mark is its probability before. The last bar is all other tokens together.{ moved }
    }
branches = Each branch adds a letter. The number at a branch is the letter’s probability, given the previous letter if there is one; in the last column, it is the probability of the whole sequence. At each step, greedy search takes the thickest branch that continues its sequence. { beams-find }
beams-find =
    { $search ->
       *[greedy] Set “beams” to { -two }. Does beam search find a more probable sequence?
        [found] Beam search also keeps another branch, which leads to the { -most-probable } sequence.
        [missed] Beam search also keeps other branches, but still misses the { -most-probable } sequence.
    }
moved =
    { $moved ->
       *[gain] { " " }Here, temperature and filter make { -tokens } more probable, so samples often contain them.
        [lose] { " " }Here, temperature and filter make { -tokens } less probable.
        [stay] { "" }
    }
reading =
    { $shown ->
       *[search] { texts }
        [filter] { can-be-drawn } The top { $token_length } tokens have { $held_after } of the probability; before temperature and filter, they had { $held_before }.
    }
can-be-drawn =
    { $kept ->
        [one] { $kept } token can be drawn.
       *[other] { $kept } tokens can be drawn.
    }
texts = Greedy search finds “{ $greedy }” ({ $greedy_probability }){ beams-text }; the { -most-probable } sequence is “{ $best }” ({ $best_probability }). { chain }
beams-text =
    { $search ->
       *[greedy] { "" }
        [found] , beam search finds “{ $beam }”
        [missed] , beam search finds “{ $beam }”
    }
chain =
    { $first_miss ->
       *[written] This Markov chain is a made-up example.
        [drawn] Of { $tried } random Markov chains, this is the first on which greedy search misses it.
        [none] Greedy search misses it on none of { $tried } random Markov chains.
    }
asks =
    { $chain ->
       *[stated] A model’s first letter is a (probability { -half }), b ({ -two-fifths }) or c. After a, all letters are about equally probable; after b, c is almost certain. { asks.question }
        [drawn] A model has { $vocabulary } letters. Each letter’s probability depends on the previous letter and is random (seed { $seed }). { asks.question }
    }
    .question = Beam search keeps the { beginnings } at each letter. Does it find the { -most-probable } sequence of { $length } letters?
    .no = No
    .yes = Yes
    .beams = { beams }
    .drawn = a random chain
    .both = a random chain, { beams }
beginnings =
    { $beams_count ->
        [one] { -most-probable } beginning
       *[other] { $beams_count } { -most-probable } beginnings
    }
beams =
    { $beams_count ->
        [one] { $beams_count } beam
       *[other] { $beams_count } beams
    }
tree = Every sequence
    .description = All { $text_length } sequences of { $length } letters: greedy search finds { $greedy }, the best is { $best }.
filter = A real next-token distribution
    .description = Next-token probabilities before and after the filter: { $tokens }, { -others }.
Decoding =
    .chain = The chain of letters to search: `stated` is a fixed example, `drawn` a random one from the seed. Greedy decoding misses the best text of both.
    .vocabulary = The number of letters of a random chain.
    .length = The number of letters per text.
    .beams = How many texts beam search keeps.
    .temperature = Divides the logits of the real distribution.
    .top_k = Keep only this many of the most probable tokens.
    .top_p = Keep the fewest tokens that together have at least this probability.
    .min_p = Keep tokens with at least this fraction of the largest probability.
DecodingAnswer =
    .best = The most probable text.
    .tried = How many chains were drawn until greedy search missed a best text; 1 for the stated chain.
    .beam = The texts that beam search keeps, step by step.
