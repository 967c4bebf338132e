// Warm-up: four networks learn the same task at the same rate, and one is led up to it.

import { clinic, measured } from "../clinic.js";
import { loss, rate } from "./warmup-figures.js";

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;

clinic({
  word: "warmup",
  parameters: ["warmup_steps", "peak", "layers"],
  figures: { loss, rate },
  reading: (answer, finding) =>
    `After ${answer.axes.step.size} steps, of the cost of guessing: ${percent(measured(finding("left.post")))} left in Post-LN, ${percent(measured(finding("left.post_warmup")))} with warm-up, ${percent(measured(finding("left.pre")))} in Pre-LN.`,
  findings: {
    "left.post": "Left of guessing, Post-LN", "left.post_warmup": "Left, Post-LN with warm-up", "left.pre": "Left, Pre-LN", "left.admin": "Left, Admin", gain: "What warm-up alone gains",
  },
});
