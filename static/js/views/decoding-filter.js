// The likeliest next tokens of a real model: how probable they are, and what temperature and filter leave of them.

import { bars } from "../draw/chart.js";
import { number, visible } from "../draw/text.js";

/** @param {any} answer @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn & {kind: string}} */
export function filter({ axes, tensors, findings }, { width, height, colours }) {
  const tokens = /** @type {string[]} */ (axes.token.labels);
  const [before, after] = [tensors.before.data, tensors.after.data];
  const kept = findings.find((/** @type {import("../clinic.js").Finding} */ { name }) => name === "kept").value;
  const picture = bars({
    series: [{ name: "after", colour: colours.stream, values: after }], names: tokens, totals: before, x: `the ${tokens.length} likeliest; ${kept} ${kept === 1 ? "token" : "tokens"} can be drawn`, y: { title: "probability" },
    label: `The next token before and after the filter: ${tokens.join(", ")}`, width, height, colours,
  });
  return {
    ...picture, tensor: "after", kind: "trained", rows: 1, columns: tokens.length,
    say: ({ column }) => `${visible(tokens[column])}: ${number(before[column], 4)} before, ${number(after[column], 4)} after`,
    table: { caption: "Next tokens", head: ["token", "before", "after"], rows: tokens.map((token, i) => [visible(token), before[i], after[i]]) },
  };
}
