// Circuits: every path through two layers of attention, and beside them which heads compose.

import { clinic } from "../clinic.js";
import { number } from "../draw/text.js";
import { oneOf } from "./beside.js";
import { chosen, context, logit, pairs, score, total } from "./circuits-theory-figures.js";

const paths = oneOf("paths", {
  logit: { title: "The right next token, by path", draw: logit },
  score: { title: "The score of 2.0, by path", draw: score },
});

clinic({
  word: "circuits-theory",
  parameters: ["weights"],
  figures: {
    paths(answer, space) {
      /** @type {HTMLElement} */ (document.querySelector("#paths .formula")).hidden = space.state.show === "score"; // the law is the logit's
      return paths(answer, space);
    },
    pairs,
  },
  reading(answer, _, state) {
    const { read, next } = context(answer, Number(state.position));
    const { values, mean, by } = chosen(answer, state);
    const ways = answer.tensors[state.show === "score" ? "score_paths" : "logit_paths"].data[Number(state.position)];
    const [one, what] = state.show === "score" ? [ways[0][1], "the key’s path through 1.0"] : [ways[1][0], "path 2.0"];
    return `“…${read}”, then “${next}”: ${what} gives ${number(one, 1)} of ${number(total(ways), 1)}. 2.0 reads 1.0 by ${by}: ${number(values[0][0], 2)}; random pairs ${number(mean, 2)}.`;
  },
  findings: {
    out_error: "25 paths less the forward pass", score_error: "25 terms less the score", baseline: "Composition of random pairs", "composition.k": "2.0 reads 1.0 by keys", "composition.q_and_v": "By queries or values",
    over_baseline: "By keys, over random pairs", "share.logit": "Path 2.0, share of the logit", "share.score": "Key through 1.0, share of the score", "share.frozen": "All paths through 1.0, share of the logit",
    accuracy: "Right in the repetition", "ablated.1.0": "Right without 1.0", "ablated.2.0": "Right without 2.0", "ablated.other": "Right without any one other head",
  },
});
