# /attribution. Fields and conditions: app/experiments/attribution.py; facts: tests/app/words/attribution.py.
-answers = Which input tokens mattered for an answer: removal, gradients, direct logits and attention side by side, and how well each agrees with removal
-one = 1
-tolerance = 0.005
-middle = 95 %

-found_by = feature attribution, explainability, XAI, interpretability of the input, saliency map, explanation, Attention is not Explanation, Attention is not not Explanation, Jain and Wallace, Wiegreffe, importance of tokens, attention rollout, attention flow, integrated gradients, SHAP, relevance, faithfulness
scores = Which tokens mattered, by method
    .description =
        The model answers { $answered_text } with a probability of { $answered_probability }. By removal { $removal_token } matters most: without its vector, the answer’s log-probability { $falls ->
           *[yes] falls
            [no] rises
        } by { $removal_by } nats. { $found ->
            [none] No other method puts it first.
           *[one] { $found_methods } puts it first, too.
            [several] { $found_methods } put it first, too.
        }{ $elsewhere }
    .more =
        The colours of each row are divided by its largest size, so compare them within a row. Orange is for the answer, and blue is against it.{ $complete ->
            [unknown] { "" }
           *[yes] { " " }{ completeness } at most { -tolerance }.
            [no] { " " }{ completeness } more than { -tolerance }. Choose more points to make it smaller.
        }
elsewhere =
    { $others ->
        [none] { "" }
       *[one] { " " }{ $other_methods } puts { $other_token } first.
        [several] { " " }{ $other_methods } put { $other_token } first.
    }
completeness = Integrated gradients must sum to the change of the log-probability from an empty input, { $completeness_difference } nats. With { $completeness_steps } points they sum to { $completeness_sum }, and the error is { $completeness_error } nats,
agreement = Which methods agree with removal
    .description =
        { $chance ->
            [no] Removal gives these tokens no order, so no method can agree with it.
           *[yes] Each bar is the rank correlation of a method with removal, which is { -one } if both order the tokens alike.{ by_verdict } The grey band, { $chance_low } to { $chance_high }, holds { -middle } of random orders of the { $token_length } { $patches ->
               *[no] tokens
                [yes] patches
            }.
        }
    .more =
        { $held_out ->
            [no] The agreement over held-out inputs was not measured for this model.
           *[yes] Over { $held_out_inputs } held-out inputs, the mean is highest for { $best_name }, { $best_mean } (interval { $best_low } to { $best_high }), and lowest for { $worst_name }, { $worst_mean } (interval { $worst_low } to { $worst_high }).{ on_average } For the rollout of uniform attention, which knows only the mask, the mean is { $uniform_mean } (interval { $uniform_low } to { $uniform_high }).
        }
by_verdict =
        { $better ->
           *[none] { "" }
            [one] { " " }{ $better_methods } agrees with removal better than chance here.
            [several] { " " }{ $better_methods } agree with removal better than chance here.
        }{ $no_better ->
           *[none] { "" }
            [one] { " " }{ $no_better_methods } agrees with removal no better than chance here.
            [several] { " " }{ $no_better_methods } agree with removal no better than chance here.
        }{ $worse ->
           *[none] { "" }
            [one] { " " }{ $worse_methods } agrees with removal worse than chance here.
            [several] { " " }{ $worse_methods } agree with removal worse than chance here.
        }{ $undefined ->
           *[none] { "" }
            [one] { " " }{ $undefined_methods } gives no order.
            [several] { " " }{ $undefined_methods } give no order.
        }
on_average =
        { $mean_no_better ->
           *[none] { "" }
            [one] { " " }On average { $mean_no_better_methods } agrees no better than chance.
            [several] { " " }On average { $mean_no_better_methods } agree no better than chance.
        }{ $mean_worse ->
           *[none] { "" }
            [one] { " " }On average { $mean_worse_methods } agrees worse than chance.
            [several] { " " }On average { $mean_worse_methods } agree worse than chance.
        }{ $all_better ->
           *[no] { "" }
            [yes] { " " }On average every method agrees better than chance.
        }
rollout = Rollout beside uniform attention
    .description =
        Rollout says that { $rollout_share } of the answer’s stream came from { $rollout_token }. If every query looked evenly at all that it may see, it would be { $uniform_share }.{ $rollout_ordered ->
            [no] { "" }
           *[yes] { " " }The rank correlation of these two orders of the tokens is { $uniform_agreement_rollout }.
        }
    .more =
        Rollout multiplies the attention patterns of all layers, each averaged with the residual connection. The strokes come from the mask alone and know nothing of the input.{ $removal_ordered ->
            [no] { "" }
           *[yes] { " " }The rank correlation of uniform rollout with removal is { $uniform_agreement_removal }.
        }
logit = What each token brings into the logit
    .description = The logit of { $answered_text } is { $direct_logit }. The largest part of it, { $logit_part }, comes from the position of { $logit_token }. All tokens together bring { $direct_tokens }, and the rest is { $direct_rest }. They sum to the logit up to { $direct_error }.
    .more = The rest is what belongs to no other token: the position, the biases, and the feed-forward networks at the answer’s own position. After the first layer a position holds what came from other tokens too, and this is not followed back.
usual =
    .answer = the usual one
links =
    .attention = Attention, head by head
    .stream = What every part writes to the stream of this answer
Attribution =
    .answer = The prediction that is attributed, counted from 0: of a target the token that follows so many others, of a text the prediction at this position, and 0 for an image or a row. If it is left out, it is the last word of a target, the last prediction of a language model, and what stands at the first blank.
    .methods = The methods, with commas between their names: removal, hiding, integrated, gradient, logit, attention, rollout, flow. If it is left out, all of them. Removal, with which the others are compared, is always there.
    .steps = At how many points between the empty input and the input the gradient is computed at most, for integrated gradients. It takes fewer where their sum is exact with fewer. If it is left out, it is 1,024, and less where there are more than 8 tokens.
AttributedAnswer =
    .position = Its position in the stack that predicts.
    .log_probability = In nats.
MethodAgreement =
    .rank_correlation = Spearman's rank correlation of the sizes of the scores; null where a method gives all tokens the same score, or where there are fewer than three tokens.
    .chance_of_as_much = The share of random orders of the tokens that agree at least as well.
    .verdict = better than chance, no better than chance, worse than chance, or not defined.
Completeness =
    .difference = The log-probability of the answer less that without any token's vector.
    .steps = At how many points the gradient was computed.
    .complete = Whether the error is at most 0.005 nats.
MeanAgreement =
    .method = A method, or `uniform`: the rollout of uniform attention.
AttributionAnswer =
    .answers = What the model says at each position that can be asked.
    .tokens = The input tokens that the answer can depend on.
    .chance = What random orders agree; null where removal orders nothing.
    .completeness = Null where integrated gradients were not asked for.
    .direct = Null where `logit` was not asked for, or where the head is more than a matrix.
    .held_out = Measured once for each model with `make train ID=attribution`; null if not.
