# /journey.
-found_by = how a Transformer works, how does a language model work, large language model, LLM, step by step, walkthrough, tour, introduction, beginner, tutorial, explained, visualisation, animation, forward pass, tokenizer, tokenisation, word embedding, word vector, embedding table, lookup
