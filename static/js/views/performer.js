// The Performer: the exact map beside the estimated one, and what the estimate costs: its error, its operations, or its time on this machine.

import { clinic, measured } from "../clinic.js";
import { number } from "../draw/text.js";
import { maps } from "./performer-maps.js";
import { price } from "./performer-price.js";

const percent = (/** @type {import("../clinic.js").Finding} */ finding) => `${number(100 * measured(finding), 1)} %`;

clinic({
  word: "performer",
  parameters: ["features", "norm", "orthogonal", "kernel", "measure"],
  question: (state) => ({ ...state, measure: state.shown === "time" ? "1" : "" }),
  figures: { maps, price },
  reading: (_, finding, { features, norm }) =>
    `At norm ${norm}, ${features} features are ${percent(finding("relative_error"))} off, a map all alike ${percent(finding("uniform_error"))}; at norm 2, 512 are ${percent(finding("error_at_norm_2"))} off.`,
  findings: {
    relative_error: "Error of the map", uniform_error: "Error of a map that looks everywhere alike", slope: "Slope of the squared error in m", mse_over_law: "MSE over its law",
    error_at_norm_2: "Error at norm 2, m = 512", causal_difference: "Prefix sums against the masked map", cheaper_from: "Fewer multiplications from length",
  },
});
