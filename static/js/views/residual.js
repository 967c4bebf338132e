// The residual page: one stream, one token, five views of what happens to it.

import { input } from "../address.js";
import { palette } from "../draw/colours.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { placed } from "./places.js";
import { NEEDS, readLens, readStream, stepTitle } from "./residual-stream.js";
import { say } from "./residual-words.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-frame.js").State} State */

/** Each view's module, and the tensor whose shape it shows. */
const VIEWS = Object.freeze({
  contributions: { module: () => import("./residual-contributions.js"), shown: "projections" },
  norm: { module: () => import("./residual-norm.js"), shown: "norm" },
  writes: { module: () => import("./residual-writes.js"), shown: "part_norm" },
  dependency: { module: () => import("./residual-dependency.js"), shown: "dependency" },
  lens: { module: () => import("./residual-lens.js"), shown: "lens.top_probability" },
});

/** @param {Record<string, string>} state @returns {keyof typeof VIEWS} */
const viewOf = ({ view }) => /** @type {keyof typeof VIEWS} */ (view in VIEWS ? view : "contributions");

const stream = figure("stream");
const readout = /** @type {HTMLElement} */ (document.getElementById("readout"));

/** @type {{stream: Stream, state: State, page: any} | undefined} what is drawn, for the keys */
let drawn;

/** A model of one stack has no choice. */
const hasTwo = card.family === "encoder-decoder";

/** @param {Record<string, string>} state @returns {[string, any]} */
const streamCall = (state) => ["residual", { ...input(state), stack: hasTwo ? state.stack : undefined, names: NEEDS[viewOf(state)] }];

/** Every part at every step, of the chosen token alone: of all of them it is most of what the page would load. @param {Record<string, string>} state @param {any} residual @returns {[string, any]} */
function partsCall(state, { tensors, axes }) {
  const position = placed(state.position, axes[tensors.norm.axes[1]].labels);
  return ["residual", { ...streamCall(state)[1], names: "projections", position }];
}

/** One guess a step to stand under a chart, ten for the view that is about them. @param {Record<string, string>} state @returns {[string, any]} */
const lensCall = (state) => ["logits", { ...input(state), lens: true, top: viewOf(state) === "lens" ? "" : 1, names: "lens.top_probability,lens.expected_rank" }];

/** Nothing is read from an encoder that a decoder attends to. @param {Record<string, string>} state */
const isRead = (state) => !(hasTwo && state.stack === "encoder");

start({
  async load(state, ask) {
    const coming = ask(...streamCall(state));
    const parts = viewOf(state) === "contributions" ? coming.then((residual) => ask(...partsCall(state, residual))) : null;
    const others = [isRead(state) ? ask(...lensCall(state)) : null, VIEWS[viewOf(state)].module()];
    const [residual, ofOne, logits, { picture }] = await Promise.all([coming, parts, ...others]);
    return { residual, ofOne, logits, picture, asked: state };
  },
  draw({ residual, ofOne, logits, picture, asked }, { position, step, explore: exploring }, page) {
    const state = { ...asked, position, step };
    const read = readStream(residual, ofOne ?? residual);
    const lens = logits && readLens(logits, read);
    const chosen = choice(state, read);
    drawn = { stream: read, state: chosen, page };
    const image = picture(read, lens, chosen, stream.size(), palette());
    const [call, answer] = chosen.view === "lens" && lens ? [lensCall(state), logits] : ofOne ? [partsCall(state, residual), ofOne] : [streamCall(state), residual];
    const { axes, shape } = answer.tensors[VIEWS[viewOf(state)].shown] ?? answer.tensors.norm;
    const table = async () => (await import("./residual-tables.js")).tableOf(read, lens, chosen);
    const shown = { scene: image.scene, table, call, answer, shape: `[${shape.join(", ")}] ${axes.join(", ")}` };
    stream.show(shown);
    const sentence = (/** @type {{row: number, column: number} | null} */ cell) => say(read, lens, cell ? { ...chosen, position: cell.row, step: cell.column } : chosen);
    walkable(stream.canvas(), {
      rows: read.tokens.length, columns: read.steps.length, box: image.box, at: image.at,
      say: sentence,
      onPeek: (cell) => (readout.textContent = sentence(cell)),
      onPick: ({ row, column }) => select({ position: row, step: column }),
    });
    readout.textContent = sentence(null);
    if (exploring) explore(read, lens, chosen, shown);
    else stream.stage.querySelector(":scope > .plot")?.remove();
    words(chosen, read.placement, lens !== null);
    page.options("position", read.tokens.map((token, i) => ({ value: i, label: `${i}  ${token}` })), String(chosen.position));
    page.options("step", read.steps.map((step, i) => ({ value: stepValue(read, i), label: stepTitle(step) })), stepValue(read, chosen.step));
  },
  keys: {
    step: (by) => move({ step: by }),
    layer: (by) => move({ position: by }),
  },
});

/** Lays Plotly's version over the picture once its script is here; the picture stays until then. @param {Stream} read @param {import("./residual-stream.js").Lens | null} lens @param {State} chosen @param {import("../foot.js").Shown} shown */
async function explore(read, lens, chosen, shown) {
  const [{ explorable }, { plot, plotly }] = await Promise.all([import("./residual-explore.js"), import("../draw/plotly.js")]);
  const { traces, arrangement } = explorable(read, lens, chosen, palette());
  await plotly();
  if (drawn?.state !== chosen) return;
  const { picture: exported } = await plot(stream.stage, traces, arrangement);
  if (drawn?.state === chosen) stream.show({ ...shown, picture: exported });
}

/** The state as numbers, within what there is. @param {Record<string, string>} state @param {Stream} read @returns {State} */
function choice(state, read) {
  const { position, step } = state;
  const within = (/** @type {string} */ value, /** @type {number} */ last) => Math.min(Math.max(Number(value) || 0, 0), last);
  const last = read.steps.length - 1;
  return { view: viewOf(state), position: placed(position, read.tokens), step: step === "end" ? last : within(step, last) };
}

/** The last step keeps its name, whatever the model's depth. @param {Stream} read @param {number} step */
const stepValue = (read, step) => (step === read.steps.length - 1 ? "end" : String(step));

/** From where the address is, which may not be drawn yet: keys come faster than answers. @param {{position?: number, step?: number}} by */
function move({ position = 0, step = 0 }) {
  if (!drawn) return;
  const now = choice(drawn.page.state, drawn.stream);
  select({ position: now.position + position, step: now.step + step });
}

/** @param {{position?: number, step?: number}} wanted */
function select({ position, step }) {
  if (!drawn) return;
  const { stream: read, page } = drawn;
  const state = choice(page.state, read);
  const clamp = (/** @type {number} */ value, /** @type {number} */ length) => Math.min(Math.max(value, 0), length - 1);
  page.set({
    position: String(clamp(position ?? state.position, read.tokens.length)),
    step: stepValue(read, clamp(step ?? state.step, read.steps.length)),
  });
}

/** What belongs to the view shown: its title, its words and its formula; and why there may be no lens. @param {State} chosen @param {string} placement @param {boolean} lens */
function words({ view }, placement, lens) {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-placement]"))) part.hidden = !part.dataset.placement?.split(" ").includes(placement);
  for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-view]"))) {
    section.hidden = section.dataset.view !== view;
    if (!section.hidden) /** @type {HTMLElement} */ (document.getElementById("stream-title")).textContent = section.dataset.title ?? "";
  }
  const radio = /** @type {HTMLInputElement} */ (document.querySelector("input[name=view][value=lens]"));
  radio.disabled = !lens;
  const label = /** @type {HTMLElement} */ (radio.closest("label"));
  label.title = lens ? "" : (label.dataset.why ?? "");
}
