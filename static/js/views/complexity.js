// Complexity: what one layer costs against the length, and what a gradient meets against the distance.

import { clinic, measured } from "../clinic.js";
import { number } from "../draw/text.js";
import { costs, gradient } from "./complexity-curves.js";

clinic({
  word: "complexity",
  parameters: ["d_model", "kernel", "window", "measure"],
  question: (state) => ({ ...state, measure: state.shown === "time" ? "1" : "" }),
  figures: { costs, gradient },
  reading: (_, finding) =>
    `Beyond n = ${measured(finding("crossover_length"))} attention costs more. 64 steps on, a recurrent gradient is ${number(measured(finding("gradient.0.8")))} at gain 0.8, ${number(measured(finding("gradient.1.2")), 1)} at gain 1.2.`,
  findings: {
    crossover_length: "Attention costs as much as recurrence at n", "gradient.0.8": "Recurrent gradient after 64 steps, gain 0.8", "gradient.1.2": "Recurrent gradient after 64 steps, gain 1.2",
    "gradient.attention": "Attention, farther half over nearer half", bound: "Recurrent gradient over its bound, at most",
  },
});
