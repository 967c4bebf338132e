// Decoding: the tree of all texts of a small chain, and the translator's next token before and after a filter.

import { clinic, measured } from "../clinic.js";
import { number, share } from "../draw/text.js";
import { filter } from "./decoding-filter.js";
import { tree } from "./decoding-tree.js";

clinic({
  word: "decoding",
  parameters: ["beams", "chain", "temperature", "top_k", "top_p", "min_p"],
  question(state) {
    const [name, value] = state.filter.split("=");
    return name ? { ...state, [name]: value } : state;
  },
  figures: { tree, filter },
  reading({ greedy, best, beam, axes, tensors }, finding, { beams }) {
    const said = (/** @type {string} */ text) => `${text}, ${share(tensors.probability.data[axes.text.labels.indexOf(text)])}`;
    const found = beams === "1" ? "" : `; ${beams} beams find ${said(beam[beam.length - 1][0])}`;
    return `Greedy writes ${said(greedy)}${found}; the best text is ${said(best)}. Of drawn chains greedy misses ${number(100 * measured(finding("greedy_misses")), 0)} %.`;
  },
  findings: {
    greedy_over_best: "Probability of the greedy text over the best", beam_over_best: "Probability of the beam's text over the best", beam_1_is_greedy: "One beam differs from greedy",
    all_beams_are_exhaustive: "All beams differ from the exhaustive search", greedy_misses: "Greedy misses the best text", beam_misses: "These beams miss the best text",
    sampling: "Sampled texts: distance from p over chance", renormalised: "Sum after the filter", kept: "Tokens kept",
  },
});
