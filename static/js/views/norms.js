// Norms: how long the stream becomes with depth, and what a norm itself is.

import { clinic, measured } from "../clinic.js";
import { PLACEMENT } from "../draw/placements.js";
import { number } from "../draw/text.js";
import { beside } from "./norms-beside.js";
import { stream } from "./norms-stream.js";

clinic({
  word: "norms",
  parameters: ["placement", "norm", "depth", "d_model", "shortcut"],
  figures: { stream, beside },
  reading: (answer, finding, state) => {
    const lengths = answer.tensors.stream.data;
    const end = `${PLACEMENT[state.placement]}: ${number(lengths[0], 1)} after one sub-layer, ${number(lengths[lengths.length - 1], 1)} after ${lengths.length}`;
    return state.placement === "none" ? `${end}.` : `${end}; the exponent is ${number(measured(finding("stream_exponent")), 2)}.`;
  },
  findings: {
    stream_exponent: "Exponent of the length", lemma_2: "Lemma 2, nearest bound", "lemma_2.post": "Lemma 2, Post-LN before its norm", "stream.post": "Post-LN, farthest from √d",
    "stream.branch": "x + LN(f), farthest from √((n + 1) d)", jacobian_times_sigma: "|J|₂ σ", jacobian_rank: "Rank of the Jacobian", y_dot_ones: "y · 1", y_dot_y: "y · y",
    "path.0.9": "0.9 forty-eight times", "path.1.1": "1.1 forty-eight times", "leak.layer": "Leak, LayerNorm", "leak.batch": "Leak, BatchNorm", "leak.instance": "Leak, InstanceNorm",
  },
});
