# /attribution. Fields and conditions: app/experiments/attribution.py; facts: tests/app/words/attribution.py.
-answers = Which input tokens mattered for a prediction: removal, gradients, direct logit attribution and attention compared, and how well each agrees with removal
-one = 1
-tolerance = 0.005
-middle = 95%

-found_by = feature attribution, explainability, XAI, interpretability of the input, saliency map, explanation, Attention is not Explanation, Attention is not not Explanation, Jain and Wallace, Wiegreffe, importance of tokens, attention rollout, attention flow, integrated gradients, SHAP, relevance, faithfulness
scores = Which tokens mattered, by method
    .description =
        The model predicts { $answered_text } with a probability of { $answered_probability }. Judged by removal, { $removal_token } matters most: without its vector, the log-probability { $falls ->
           *[yes] falls
            [no] rises
        } by { $removal_by } nats. { $found ->
            [none] No other method ranks it first.
           *[one] { $found_methods } also ranks it first.
            [several] { $found_methods } also rank it first.
        }{ $elsewhere }
    .more =
        Colors are scaled within each row, so don’t compare them across rows. An orange cell means that the token supports the prediction, a blue one that it opposes it. Mean attention, rollout and flow have no sign: they show only how much a token matters.{ $complete ->
            [unknown] { "" }
           *[yes] { " " }{ completeness }
            [no] { " " }{ completeness } Choose more points to make it smaller.
        }
elsewhere =
    { $others ->
        [none] { "" }
       *[one] { " " }{ $other_methods } ranks { $other_token } first.
        [several] { " " }{ $other_methods } rank { $other_token } first.
    }
completeness = Integrated gradients should sum to { $completeness_difference } nats, the difference in log-probability between this input and zero vectors. The error is { $completeness_error } nats (tolerance: { -tolerance }).
agreement = Which methods agree with removal
    .description =
        { $chance ->
            [no] Removal does not rank these tokens, so there is no order to compare with.
           *[yes] Each bar is a method’s rank correlation with removal on this input ({ -one } is perfect agreement).{ by_verdict } For { -middle } of random orders of the { $token_length } { $patches ->
               *[no] tokens
                [yes] patches
            }, the correlation is in the gray band ({ $chance_low } to { $chance_high }).
        }
    .more =
        { $held_out ->
            [no] Agreement on held-out inputs was not measured for this model.
           *[yes] Over { $held_out_inputs } held-out inputs, the mean correlation is highest for { $best_name }: { $best_mean } (interval { $best_low } to { $best_high }). It is lowest for { $worst_name }: { $worst_mean } (interval { $worst_low } to { $worst_high }).{ on_average }
        }
by_verdict =
    { $better ->
       *[none] { "" }
        [one] { " " }{ $better_methods } is clearly better than chance.
        [several] { " " }{ $better_methods } are clearly better than chance.
    }{ $no_better ->
       *[none] { "" }
        [one] { " " }{ $no_better_methods } is not clearly better than chance.
        [several] { " " }{ $no_better_methods } are not clearly better than chance.
    }{ $worse ->
       *[none] { "" }
        [one] { " " }{ $worse_methods } is clearly worse than chance.
        [several] { " " }{ $worse_methods } are clearly worse than chance.
    }{ $undefined ->
       *[none] { "" }
        [one] { " " }{ $undefined_methods } does not rank the tokens.
        [several] { " " }{ $undefined_methods } do not rank the tokens.
    }
on_average =
    { $mean_no_better ->
       *[none] { "" }
        [one] { " " }On average, { $mean_no_better_methods } is not clearly better than chance.
        [several] { " " }On average, { $mean_no_better_methods } are not clearly better than chance.
    }{ $mean_worse ->
       *[none] { "" }
        [one] { " " }On average, { $mean_worse_methods } is clearly worse than chance.
        [several] { " " }On average, { $mean_worse_methods } are clearly worse than chance.
    }{ $all_better ->
       *[no] { "" }
        [yes] { " " }On average, every method is clearly better than chance.
    }
rollout = Rollout versus uniform attention
    .description =
        Rollout attributes { $rollout_share } of the prediction’s residual stream to { $rollout_token }. If every query attended equally to all tokens it may attend to, this would be { $uniform_share }.{ $rollout_ordered ->
            [no] { "" }
           *[yes] { " " }The rank correlation between the two orders of the tokens is { $uniform_agreement_rollout }.
        }
    .more =
        The marks show rollout for uniform attention: they depend only on the mask, not on the input.{ $removal_ordered ->
            [no] { "" }
           *[yes] { " " }The rank correlation between uniform rollout and removal is { $uniform_agreement_removal }.
        }
logit = What each token contributes to the logit
    .description = The logit of { $answered_text } is { $direct_logit }. The largest contribution, { $logit_part }, comes from the position of { $logit_token }. All tokens together contribute { $direct_tokens }; the rest is { $direct_rest }.
    .more = The rest belongs to no single token: position, biases, and the feed-forward networks at the predicting position. After the first layer, each position also contains information from other tokens; this is not traced back.
usual =
    .answer = default
links =
    .attention = Attention, head by head
    .stream = What each part adds to the residual stream here
Attribution =
    .answer = The prediction to explain, counted from 0. For a target: the token after this many others; for a text: the prediction at this position; for an image or a row: 0. By default: the last word of a target, the last prediction of a language model, or the first blank.
    .methods = The methods, separated by commas: removal, hiding, integrated, gradient, logit, attention, rollout, flow. By default, all. Removal is always included, for comparison.
    .steps = For integrated gradients: the maximum number of points between the empty input and the input at which to compute the gradient; fewer are used if the sum is already exact. By default 1,024, and less for more than 8 tokens.
AttributedAnswer =
    .position = Its position in the stack that makes the prediction.
    .log_probability = In nats.
MethodAgreement =
    .rank_correlation = Spearman’s rank correlation of the absolute scores; null where a method scores all tokens equally, or for fewer than three tokens.
    .chance_of_as_much = The fraction of random token orders that agree at least as well.
    .verdict = better than chance, no better than chance, worse than chance, or not defined.
Completeness =
    .difference = The log-probability of the prediction minus that without any token vectors.
    .steps = The number of points at which the gradient was computed.
    .complete = Whether the error is at most 0.005 nats.
MeanAgreement =
    .method = A method, or `uniform`: rollout of uniform attention.
AttributionAnswer =
    .answers = The model’s prediction at each position you can ask about.
    .tokens = The input tokens that can affect the prediction.
    .chance = The agreement of random orders; null where removal gives no order.
    .completeness = Null without integrated gradients.
    .direct = Null without `logit`, or if the output layer is more than a matrix.
    .held_out = Measured once per model with `make train ID=attribution`; null if not.
