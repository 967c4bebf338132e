# /attribution.
-found_by = feature attribution, explainability, XAI, interpretability of the input, saliency map, explanation, Attention is not Explanation, Attention is not not Explanation, Jain and Wallace, Wiegreffe, importance of tokens, attention rollout, attention flow, integrated gradients, SHAP, relevance, faithfulness
