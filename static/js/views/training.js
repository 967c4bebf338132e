// The training page: one slider over the kept steps of two small models; maps, losses and roles follow it.

import { number } from "../draw/text.js";
import { showFigure } from "../figures/figure.js";
import { start } from "../page.js";

/** @typedef {Record<string, string>} State */

const BEAT = 700;
const LOSSES = "held_out.repeat_loss";
const WHOLE = `${LOSSES},held_out.induction`; // with the layers and heads of both models
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** One visit of the page. @param {AbortSignal} signal ends with it */
export default function visit(signal) {
  /** @type {{whole: any, index: number, page: import("../page.js").Page} | undefined} what is drawn or about to be, for keys and buttons */ let drawn;
  /** @type {ReturnType<typeof setInterval> | undefined} */ let playing;

  /** The letters stand in the bar where its model reads them, else among the controls. @param {State} state */
  const text = ({ letters, text }) => letters ?? text;

  /** Each figure, and the tensors whose numbers it shows. @param {State} state @returns {Record<string, [string, string]>} by the figure's id */
  const figuresOf = ({ show }) => ({ maps: ["maps", "pattern"], loss: ["loss", "loss"], time: [`time.${show}`, `${WHOLE},held_out.previous`] });

  /** What figures are asked with: the step of the address; without one they show that at which the induction head has formed. @param {State} state @returns {State} */
  const question = (state) => ({ text: text(state), ...(state.step && { at: state.step }), ...(state.head && { head: state.head }) });

  /** The step of the address; without one, that at which the induction head has formed. @param {State} state @param {any} whole */
  const stepOf = ({ step }, whole) => (step === "" ? whole.formed.step : Number(step));

  start({
    async load(state, ask) {
      const names = Object.values(figuresOf(state)).map(([name]) => name).join(",");
      const [whole, { figures }] = await Promise.all([
        ask("training", { text: text(state), names: WHOLE }),
        ask("training/figures", { ...question(state), figures: names, encoding: "base64" }),
      ]);
      return { whole, figures };
    },
    draw({ whole, figures }, state, page) {
      const index = whole.steps.indexOf(stepOf(state, whole));
      drawn = { whole, index, page };
      const all = headsOf(whole);
      page.options("head", [{ value: "", label: "all" }, ...all.map(({ value, name }) => ({ value, label: name }))]);
      for (const [id, [name, tensors]] of Object.entries(figuresOf(state))) {
        showFigure(by(id), figures[name], {
          answer: whole,
          call: ["training", { text: text(state), ...(id === "maps" && { step: String(whole.steps[index]) }), names: tensors }],
          drawn: [`training/figures/${name}`, question(state)],
          pick: ({ step }) => go(whole.steps.indexOf(Number(step))),
          ...(id === "maps" && { enter: (place) => page.set({ head: state.head ? "" : headAt(figures.maps, all, place) }) }),
        });
      }
      by("readout").textContent = saying(whole, index);
      controls(whole, index);
      tell(whole);
    },
    keys: {
      step: (way) => go(here() + way), play: () => toggle(), end: (way) => go(way < 0 ? 0 : Infinity),
      up: () => (pause() || drawn?.page.state.head === "" ? undefined : drawn?.page.set({ head: "" })),
    },
  });

  /** Every head, layer by layer through both models: induction-2.1 is layer 1 of the model of two, induction-1.0 the only one of the other. @param {any} whole */
  function headsOf({ axes }) {
    /** @type {string[]} */
    const layers = axes.layer.labels;
    return layers.flatMap((label, layer) => {
      const [model, own] = label.split(".");
      const name = layers.includes(`${model}.1`) ? `layer ${own}` : "one layer";
      return Array.from({ length: axes.head.size }, (_, head) => ({ value: `${layer}.${head}`, name: `${name}, head ${head}` }));
    });
  }

  /** The head whose small map was pointed at: in each direction a gap follows or precedes the cells of a map. @param {import("../figures/arrange.js").Figure} figure @param {{value: string}[]} all @param {{row: number, at: number}} place */
  function headAt({ data: [{ meta: { size: [height, width], tiles } }] }, all, { row, at }) {
    const found = tiles.findIndex((/** @type {[string, number, number]} */ [, top, left]) => row >= top && row < top + height && at >= left && at < left + width);
    return all[found]?.value ?? "";
  }

  /** The number to read off. @param {any} whole @param {number} i the step's place */
  function saying({ axes, tensors }, i) {
    const said = axes.model.labels.map((/** @type {string} */ id, /** @type {number} */ model) => {
      const layers = axes.layer.labels.filter((/** @type {string} */ label) => label.startsWith(`${id}.`)).length;
      return `${layers} layer${layers > 1 ? "s" : ""} ${number(tensors[LOSSES].data[model][i], 2)}`;
    });
    return `in the repetition: ${said[0]} nats, ${said[1]}`;
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
  document.addEventListener("input", (event) => /** @type {HTMLElement} */ (event.target).matches("#input *, #controls *") && pause(), { signal });
  signal.addEventListener("abort", pause);
  by("place").addEventListener("input", (event) => go(Number(/** @type {HTMLInputElement} */ (event.target).value)));
}
