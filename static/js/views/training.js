// The training page: one slider over the kept steps of two small models; maps, losses and roles follow it.

import { palette } from "../draw/colours.js";
import { number } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { start } from "../page.js";
import { headName, heads, loss, maps, saying, time } from "./training-figures.js";

/** @typedef {Record<string, string>} State */

const BEAT = 700;
const WHOLE = "loss,held_out.repeat_loss,held_out.induction,held_out.previous";
const MOMENT = "pattern,mask,induction,previous,induction.keys,previous.keys";
const frames = { maps: figure("maps"), loss: figure("loss"), time: figure("time") };
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {{whole: any, index: number, page: import("../page.js").Page} | undefined} what is drawn or about to be, for keys and buttons */ let drawn;
/** @type {ReturnType<typeof setInterval> | undefined} */ let playing;

/** The letters stand in the bar where its model reads them, else among the controls. @param {State} state */
const text = ({ letters, text }) => letters ?? text;

/** @param {State} state @returns {[string, State]} */
const wholeCall = (state) => ["training", { text: text(state), names: WHOLE }];

/** @param {State} state @param {number} step @returns {[string, State]} */
const momentCall = (state, step) => ["training", { text: text(state), step: String(step), names: MOMENT }];

/** The step of the address; without one, that at which the induction head has formed. @param {State} state @param {any} whole */
const stepOf = ({ step }, whole) => (step === "" ? whole.formed.step : Number(step));

start({
  async load(state, ask) {
    const whole = await ask(...wholeCall(state));
    const moment = await ask(...momentCall(state, stepOf(state, whole)));
    return { whole, moment, large: state.head ? (await import("./training-head.js")).oneMap : null };
  },
  draw({ whole, moment, large }, state, page) {
    const index = whole.steps.indexOf(stepOf(state, whole));
    drawn = { whole, index, page };
    const colours = palette();
    const space = (/** @type {keyof typeof frames} */ id) => ({ ...frames[id].size(), colours });
    const all = heads(moment);
    page.options("head", [{ value: "", label: "all" }, ...all.map((which) => ({ value: valueOf(which), label: headName(moment, which) }))]);
    const chosen = all.find((which) => valueOf(which) === state.head);
    const of = { maps: chosen ? large(moment, chosen, space("maps")) : maps(moment, space("maps")), loss: loss(whole, moment, index, space("loss")), time: time(whole, index, { ...space("time"), show: state.show }) };
    const moments = momentCall(state, whole.steps[index]);
    show("maps", of.maps, moments, moment, "pattern");
    show("loss", of.loss, wholeCall(state), whole, "loss");
    show("time", of.time, wholeCall(state), whole, state.show === "loss" ? "held_out.repeat_loss" : "held_out.induction");
    const said = saying(whole, index);
    walk("maps", of.maps, said, (cell) => page.set({ head: chosen ? "" : valueOf(of.maps.head(cell)) }));
    walk("loss", of.loss, said);
    walk("time", of.time, said, ({ column }) => go(column));
    by("readout").textContent = said;
    controls(whole, index);
    tell(whole);
  },
  keys: {
    step: (way) => go(here() + way), play: () => toggle(), end: (way) => go(way < 0 ? 0 : Infinity),
    up: () => (pause() || drawn?.page.state.head === "" ? undefined : drawn?.page.set({ head: "" })),
  },
});

/** @param {import("./training-figures.js").Head} which */
const valueOf = ({ layer, head }) => `${layer}.${head}`;

/** @param {keyof typeof frames} id @param {any} picture @param {[string, State]} call @param {any} answer @param {string} tensor */
function show(id, { scene, table }, call, answer, tensor) {
  frames[id].show({ scene, table, call, answer, shape: `[${answer.tensors[tensor].shape.join(", ")}]` });
}

/** @param {keyof typeof frames} id @param {any} picture @param {string} said @param {(cell: {row: number, column: number}) => void} [onPick] */
function walk(id, { rows, columns, box, at, say }, said, onPick) {
  walkable(frames[id].canvas(), { rows, columns, box, at, say, onPick, onPeek: (cell) => (by("readout").textContent = cell ? say(cell) : said) });
}

const here = () => drawn?.index ?? 0;

/** @param {number} index @param {{push?: boolean}} [how] */
function go(index, how = {}) {
  if (!drawn) return;
  if (how.push !== false) pause();
  const { whole: { steps, formed }, page } = drawn;
  drawn.index = Math.min(Math.max(index, 0), steps.length - 1);
  const step = steps[drawn.index];
  page.set({ step: step === formed.step ? "" : String(step) }, how);
}

/** Stops what plays; says whether anything did. */
function pause() {
  const was = playing !== undefined;
  clearInterval(playing);
  playing = undefined;
  sayPlaying(false);
  return was;
}

/** From here to the last step, from the first where this is the last. */
function toggle() {
  if (pause() || !drawn) return;
  const last = drawn.whole.steps.length - 1;
  if (here() === last) go(0, { push: false });
  playing = setInterval(() => (here() === last ? void pause() : document.body.dataset.state === "drawn" && go(here() + 1, { push: false })), BEAT);
  sayPlaying(true);
}

/** @param {boolean} on */
function sayPlaying(on) {
  by("play").setAttribute("aria-pressed", String(on));
  by("play").setAttribute("aria-label", on ? "Pause" : "Play");
}

/** @param {any} whole @param {number} index */
function controls({ steps }, index) {
  Object.assign(by("place"), { min: "0", max: String(steps.length - 1), value: String(index) });
  by("place").setAttribute("aria-valuetext", `step ${steps[index]}`);
  by("count").textContent = `step ${steps[index]}`;
  /** @type {HTMLButtonElement} */ (by("back")).disabled = index === 0;
  /** @type {HTMLButtonElement} */ (by("forward")).disabled = index === steps.length - 1;
}

/** The numbers of the sentence that says what to look for. @param {any} whole */
function tell({ steps, formed, tensors }) {
  const [two, one] = tensors["held_out.repeat_loss"].data;
  const [before, after] = [steps.indexOf(formed.before), steps.indexOf(formed.step)];
  const facts = { before: formed.before, step: formed.step, "two-before": number(two[before], 2), two: number(two[after], 2), "one-before": number(one[before], 2), one: number(one[after], 2) };
  for (const [name, value] of Object.entries(facts)) /** @type {HTMLElement} */ (document.querySelector(`[data-fact="${name}"]`)).textContent = String(value);
}

for (const [id, act] of /** @type {[string, () => void][]} */ ([["play", toggle], ["back", () => go(here() - 1)], ["forward", () => go(here() + 1)]])) by(id).addEventListener("click", act);
document.addEventListener("input", (event) => /** @type {HTMLElement} */ (event.target).matches("#input *, #controls *") && pause());
by("place").addEventListener("input", (event) => go(Number(/** @type {HTMLInputElement} */ (event.target).value)));
