// Scores: six functions over the same queries and keys, and beside them how far each moves, or hard against soft.

import { clinic, measured } from "../clinic.js";
import { SCORE } from "../draw/scores.js";
import { oneOf } from "./beside.js";
import { choices, draws, patterns, reach } from "./scores-figures.js";

const FUNCTIONS = Object.keys(SCORE);

clinic({
  word: "scores",
  parameters: ["d_head", "temperature"],
  figures: {
    patterns,
    beside: oneOf("beside", {
      reach: { title: "How far the weights move with the keys", draw: reach },
      choices: { title: "Hard or soft, local or global", draw: choices },
      draws: { title: "Hard draws tend to soft", draw: draws },
    }),
  },
  reading: (_, finding) => `Gradient to the keys: ${["dot", "scaled_dot", "cosine", "location"].map((name) => `${SCORE[name]} ${Number(measured(finding(`reach.${name}`)).toFixed(2))}`).join(", ")}.`,
  findings: {
    general_is_dot: "General with W = I, less dot", scaled_is_temperature: "Scaled, less dot at T √d", cosine_largest: "Cosine, largest weight", cosine_bound: "The bound, less where it is reached",
    ...Object.fromEntries(FUNCTIONS.map((name) => [`reach.${name}`, `Gradient, ${SCORE[name]}`])),
    hard_reach: "Gradient of hard choices", soft_reach: "Gradient of soft choices", local_outside: "Weight outside the window", cold_is_arg_max: "Cold softmax, less the best value",
    sampling_over_law: "Error of draws over its law", sampling_slope: "Its exponent in the draws",
  },
});
