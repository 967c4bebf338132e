# /decoding. Fields and conditions: app/experiments/decoding.py; facts:
# tests/app/words/decoding.py.
-answers = Greedy decoding and beam search beside the search of all texts, and what temperature and filters leave of a real distribution
-most-probable = most probable
-tokens = the other tokens together
-others = all others
-half = .5
-two-fifths = .4

-found_by = decoding strategy, beam search, greedy, temperature, top-k, top-p, nucleus sampling, sampling, randomness, creativity, length penalty, repetition, The Curious Case of Neural Text Degeneration, Holtzman, maximum likelihood
claim =
    { $shown ->
       *[search] The best letter each time is not the best text
        [filter] What a filter keeps shares the whole probability
    }
look_for =
    { $shown ->
       *[search] { branches }
        [filter] Each bar is the probability of a token that the translator may write first, after temperature and filter, and each stroke its probability before. The last bar is that of all other tokens together.{ moved }
    }
branches = Every branch is a letter, and a thick branch is probable. Greedy search takes the thickest branch each time. { beams-find }
beams-find =
    { $search ->
       *[greedy] Choose two beams, and see whether the second finds a better text.
        [found] The beams kept another branch as well, and it leads to the { -most-probable } text.
        [missed] The beams keep other branches as well, and still miss the { -most-probable } text.
    }
moved =
    { $moved ->
       *[gain] { " " }Here temperature and filter make { -tokens } more probable, so that a sample is often one of them.
        [lose] { " " }Here temperature and filter make { -tokens } less probable.
        [stay] { "" }
    }
reading =
    { $shown ->
       *[search] { texts }
        [filter] { can-be-drawn } The { $token_length } likeliest hold { $held_after } of the probability; before temperature and filter they hold { $held_before }.
    }
can-be-drawn =
    { $kept ->
        [one] { $kept } token can be drawn.
       *[other] { $kept } tokens can be drawn.
    }
texts = Greedy writes { $greedy } ({ $greedy_probability }){ beams-text }, and the { -most-probable } text is { $best } ({ $best_probability }). { chain }
beams-text =
    { $search ->
       *[greedy] { "" }
        [found] , the beams find { $beam }
        [missed] , the beams find { $beam }
    }
chain =
    { $first_miss ->
       *[written] This chain was written for the purpose.
        [drawn] This is the first of { $tried } random chains on which greedy misses.
        [none] Greedy missed the best text of none of { $tried } random chains.
    }
asks =
    { $chain ->
       *[stated] A model writes a first with probability { -half }, or b with { -two-fifths }. After a, every letter is about equally probable; after b it is almost surely c. { asks.question }
        [drawn] A model has { $vocabulary } letters. How probable each is depends on the letter before, and was drawn at random with seed { $seed }. { asks.question }
    }
    .question = Beam search keeps the { beginnings } at each letter. Does it find the { -most-probable } text of { $length } letters?
    .no = No, it misses it
    .yes = Yes
    .beams = { beams }
    .drawn = a drawn chain
    .both = a drawn chain, { beams }
beginnings =
    { $beams_count ->
        [one] { $beams_count } { -most-probable } beginning
       *[other] { $beams_count } { -most-probable } beginnings
    }
beams =
    { $beams_count ->
        [one] { $beams_count } beam
       *[other] { $beams_count } beams
    }
tree = Every text
    .description = All { $text_length } texts of { $length } letters: greedy writes { $greedy }, the best is { $best }.
filter = A real next token
    .description = The next token before and after the filter: { $tokens }, { -others }.
Decoding =
    .chain = The chain of letters that is searched: `stated` is always the same, and `drawn` is a random one from the seed. Greedy decoding misses the best text of both.
    .vocabulary = How many letters a drawn chain has.
    .length = How many letters each text has.
    .beams = How many texts beam search keeps.
    .temperature = The number that the logits of the real distribution are divided by.
    .top_k = Keeps only this many of the most probable tokens.
    .top_p = Keeps the fewest tokens that together have this probability.
    .min_p = Keeps the tokens whose probability is at least this share of the largest one.
DecodingAnswer =
    .best = The most probable text of all.
    .tried = How many chains were drawn before greedy missed the best text of one; 1 for the stated chain.
    .beam = The texts that beam search keeps, step by step.
