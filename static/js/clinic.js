// A clinic's page: asks its own endpoint, draws its figures, says the number to read off, lists the findings, and holds the curtain.

import { palette } from "./draw/colours.js";
import { walkable } from "./draw/walk.js";
import { figure } from "./figure.js";
import { follow } from "./following.js";
import { start } from "./page.js";
import { cover, list } from "./clinic-words.js";
import { progress } from "./progress.js";

/** @typedef {Record<string, string>} State */
/** @typedef {import("./clinic-words.js").Finding} Finding */
/** @typedef {{width: number, height: number, colours: import("./draw/colours.js").Palette, state: State}} Space */
/**
 * @typedef {object} Drawn what a clinic's figure is: pure, from an answer
 * @property {import("./draw/scene.js").Scene} scene @property {import("./draw/table.js").Table} table
 * @property {string} tensor the tensor drawn, whose shape stands under the figure
 * @property {string} [kind] the kind of this figure's numbers, where it is not the answer's
 * @property {number} [rows] @property {number} [columns] @property {any} [box] @property {any} [at] @property {(cell: {row: number, column: number}) => string} [say]
 * @property {(cell: {row: number, column: number}) => State} [pick]
 */
/**
 * @typedef {object} Clinic
 * @property {string} word @property {string[]} parameters the controls that the endpoint is asked with, besides seed and seeds
 * @property {Record<string, (answer: any, space: Space) => Drawn>} figures by the figure's id
 * @property {(answer: any, finding: (name: string) => Finding, state: State) => string} reading the number to read off, in a sentence
 * @property {Record<string, string>} findings what each finding is called on the page
 * @property {(state: State) => State} [question] where the parameters of the endpoint are not the controls as they stand
 * @property {boolean} [trains] the endpoint's events are a training, which a visit does not follow
 */

/** Asks, and shows how far it is when it takes long. @type {import("./page.js").How} */
const followed = (word, question, { cancel, ...options }) =>
  follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) });

/** The measured number of a finding. @param {Finding} finding */
export const measured = (finding) => /** @type {number} */ (finding.value ?? finding.mean);

/** @param {Clinic} clinic */
export function clinic({
  word, parameters, figures, reading, findings, question = (state) => state, trains = false,
}) {
  const asked = (/** @type {State} */ state) => {
    const values = question(state);
    return Object.fromEntries([...parameters, "seed", "seeds"].filter((name) => values[name] !== undefined && values[name] !== "").map((name) => [name, values[name]]));
  };
  const frames = Object.keys(figures).map((id) => ({ id, frame: figure(id) }));
  const predict = /** @type {HTMLElement} */ (document.getElementById("predict"));
  /** @type {import("./page.js").Page | undefined} */ let page;
  const turn = () => page?.set({ curtain: page.state.curtain ? "" : "1" }, { push: false });
  predict.addEventListener("click", turn);
  start({
    load: (state, ask) => ask(word, asked(state), trains ? undefined : followed),
    draw(answer, state, present) {
      page = present;
      cover(Boolean(state.curtain), predict);
      const colours = palette();
      for (const { id, frame } of frames) {
        const drawn = figures[id](answer, { ...frame.size(), colours, state });
        hang(frame, drawn, [word, asked(state)], answer);
        if (drawn.say) walk(frame, drawn, present);
      }
      say("reading", reading(answer, named(answer.findings), state));
      say("source", [answer.source, answer.init].filter(Boolean).join(". "));
      list(/** @type {HTMLElement} */ (document.getElementById("findings")), answer.findings, findings);
    },
    keys: { predict: turn },
  });
}

/** Shows what was drawn, with its table, its call and the shape of its tensor. @param {ReturnType<typeof figure>} frame @param {Drawn} drawn @param {[string, State]} call @param {any} answer */
export function hang(frame, { scene, table, kind, tensor }, call, answer) {
  const { shape, axes } = answer.tensors[tensor];
  frame.show({ scene, table, kind, call, answer, shape: `[${shape.join(", ")}] ${axes.join(", ")}` });
}

/** @param {ReturnType<typeof figure>} frame @param {Drawn} drawn @param {import("./page.js").Page} page */
function walk(frame, { rows = 1, columns = 1, box, at, say: sentence, pick }, page) {
  walkable(frame.canvas(), {
    rows, columns, box, at, say: /** @type {any} */ (sentence),
    onPeek: (cell) => say("pointed", cell && sentence ? sentence(cell) : ""),
    onPick: pick && ((cell) => page.set(pick(cell))),
  });
}

/** @param {Finding[]} findings */
const named = (findings) => (/** @type {string} */ name) => /** @type {Finding} */ (findings.find((finding) => finding.name === name));

/** @param {string} id @param {string} sentence */
const say = (id, sentence) => Object.assign(/** @type {HTMLElement} */ (document.getElementById(id)), { textContent: sentence });
