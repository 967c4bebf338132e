// Probes: what can be read after each layer, with the residual at the left and without at the right.

import { clinic, measured } from "../clinic.js";
import { number } from "../draw/text.js";
import { oneOf } from "./beside.js";
import { probes, stream } from "./probes-figures.js";

/** @param {string} id @param {"on" | "off"} residual @param {string} title */
const figureOf = (id, residual, title) => oneOf(id, {
  probes: { title, draw: (answer, space) => probes(answer, residual, space) },
  stream: { title, draw: (answer, space) => stream(answer, residual, space) },
});

const percent = (/** @type {number} */ value) => `${number(100 * value, 0)} %`;

clinic({
  word: "probes",
  parameters: ["weights", "sentences", "ridge"],
  figures: { on: figureOf("on", "on", "With the residual"), off: figureOf("off", "off", "Without, the same weights") },
  reading(_, finding, { show }) {
    const of = (/** @type {string} */ name) => measured(finding(name));
    if (show === "stream") return `Two tokens of a sentence at the end: cosine ${number(of("cosine.on"))} with the residual, ${number(of("cosine.off"))} without.`;
    return `At the end the position is read for ${percent(of("position.last"))} of held-out tokens with the residual, ${percent(of("position.last.off"))} without.`;
  },
  findings: {
    "position.embedding": "Position in the embedding, held out", "position.last": "Position at the end, held out", "position.last.off": "The same without residual", by_word: "Position guessed from the word",
    "token.last": "Token at the end, held out", "token.last.off": "The same without residual", "control.last": "Control at the end, held out", gap: "Position at the end, fitted less held out",
    "cosine.on": "Cosine of two tokens, with residual", "cosine.off": "The same without residual", "direct.on": "Position's direct path at the end", "direct.off": "Direct paths without residual", parts: "Parts of the embedding, less 1",
  },
});
