// A basis: the stream's coordinates before and after a rotation, and beside them the logits.

import { clinic, measured } from "../clinic.js";
import { number } from "../draw/text.js";
import { hidden, logits, stream } from "./basis-figures.js";
import { oneOf } from "./beside.js";

clinic({
  word: "basis",
  parameters: ["norm", "folded", "rotation"],
  figures: {
    stream,
    beside: oneOf("beside", {
      logits: { title: "The logits, stream rotated", draw: logits },
      hidden: { title: "The logits, hidden units rotated", draw: hidden },
    }),
  },
  reading(_, finding, { show }) {
    const change = finding(show === "hidden" ? "hidden_rotation" : "logit_change");
    return `Largest change of a logit: ${number(measured(change))}.`;
  },
  findings: {
    logit_change: "Largest change of a logit", stream_change: "Change of the stream, of its length", stream_less_rotated: "The new stream less x R",
    norm_change: "norm(x R) less norm(x) R", hidden_rotation: "Logits, hidden units rotated", hidden_permutation: "Logits, hidden units reordered",
  },
});
