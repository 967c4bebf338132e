# /attribution.
-found_by = feature attribution, explainability, XAI, interpretability of the input, saliency map, explanation, Attention is not Explanation, Attention is not not Explanation, Jain and Wallace, Wiegreffe, importance of tokens, attention rollout, attention flow, integrated gradients, SHAP, relevance, faithfulness
-answers = Which input tokens mattered for an answer: removal, gradients, direct logits and attention side by side, and how well each agrees with removal
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
