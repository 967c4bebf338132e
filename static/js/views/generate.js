// The generate page: a text is written token by token; one step, the tree of a beam search, or teacher forcing beside it.

import { reads } from "../address.js";
import { ApiError } from "../api.js";
import { palette } from "../draw/palette.js";
import { number } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { pause, play, streamed } from "./generate-play.js";
import { call, greedyCall, layers, look, lookName, memoryAxis, shown, stepCount, stepIndex, stepValue } from "./generate-question.js";

/** @typedef {import("./generate-question.js").Step} Step */
/** @typedef {Record<string, string>} State */

const SILENT = `${card.id} writes nothing: ${card.family === "encoder-only" ? "it is an encoder alone, which tells of what it has read and not of what comes next" : "its queries are read all at once, and no token comes next"}.`;
const writing = figure("writing");
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {{answer: any, steps: Step[], index: number, count: number, page: any} | undefined} what is drawn, for keys and buttons */
let drawn;

start({
  async load(state, ask) {
    if (card.family === "encoder-only" || reads(card) === "image") throw new ApiError({ status: 422, detail: SILENT, errors: [{ hint: card.family === "encoder-only" ? "Choose a model that has a decoder." : "Choose a model that writes a text." }] });
    const own = state.show === "forcing" && !state.target && state.source;
    const [answer, greedy, asked] = own ? await compared(state, ask) : [...(await Promise.all([ask(...call(state)), ask(...greedyCall(state))])), call(state)];
    const show = shown(answer, state.show);
    return { answer, greedy, asked, show, pictures: await PICTURES[show]() };
  },
  draw({ answer, greedy, asked, show, pictures }, state, page) {
    const steps = streamed()?.length ? /** @type {Step[]} */ (streamed()) : answer.steps;
    const count = stepCount(answer, show);
    const index = Math.min(stepIndex(state.step, count), show === "tree" ? count - 1 : steps.length - 1);
    drawn = { answer, steps, index, count, page };
    const picture = SHOWN[show]({ answer, greedy, steps, index, state, pictures });
    const said = show === "tree" ? picture.say({ row: 0, column: index - picture.first }) : summary(steps, index);
    writing.show({ scene: picture.scene, table: picture.table, call: asked, answer, shape: picture.shape });
    walkable(writing.canvas(), { rows: picture.rows, columns: picture.columns, box: picture.box, at: picture.at, say: picture.say, onPeek: (cell) => (by("readout").textContent = cell ? picture.say(cell) : said), onPick: picture.onPick });
    by("readout").textContent = said;
    controls(answer, state, show, page, index, count);
    beside(answer, greedy, state, show);
  },
  keys: { step: (way) => go((drawn?.index ?? 0) + way), play: () => toggle(), up: () => void pause() },
});

/** Without a reference of the reader's, the text that greedy decoding writes is one. @param {State} state @param {import("../page.js").Ask} ask */
async function compared(state, ask) {
  const greedy = await ask(...greedyCall(state));
  const asked = call(greedy.text ? { ...state, target: greedy.text } : state);
  return [await ask(...asked), greedy, asked];
}

/** @typedef {{answer: any, greedy: any, steps: Step[], index: number, state: State, pictures: any}} Shown */

/** The modules that draw, each loaded when it is first needed. @type {Record<string, () => Promise<any>>} */
const PICTURES = { step: () => import("./generate-step.js"), tree: () => import("./generate-tree.js"), forcing: () => import("./generate-forcing.js") };

/** @type {Record<string, (shown: Shown) => any>} */
const SHOWN = {
  step({ answer, steps, index, state, pictures }) {
    const axis = memoryAxis(answer);
    const layer = String(Math.min(Number(state.layer), layers(answer) - 1));
    const head = state.head === "mean" ? "mean" : String(Math.min(Number(state.head), answer.axes.head.size - 1));
    const memory = answer.axes[axis].labels;
    const weights = look(answer, steps[index], layer, head);
    const looking = `${axis}: what layer ${layer}, ${head === "mean" ? "mean of the heads," : `head ${head},`} looks at when the last token is read`;
    const picture = pictures.stepPicture({ steps, index, memory, weights, prompt: prompt(answer), looking, colours: palette(), ...writing.size() });
    const { shape, axes } = answer.tensors[lookName(answer, layer, head)];
    return { ...picture, table: pictures.stepsTable(steps), shape: `[${shape.join(", ")}] ${axes.join(", ")}`, say: (/** @type {any} */ { row }) => pictures.sayCandidate(picture.listed[row]) };
  },
  tree({ answer, greedy, index, pictures }) {
    const ids = greedy.steps.map((/** @type {Step} */ step) => step.token.id);
    const picture = pictures.treePicture({ tree: answer.tree, index, greedy: ids, colours: palette(), ...writing.size() });
    return {
      ...picture, table: pictures.treeTable(answer.tree), shape: `${answer.tree.nodes.length - 1} hypotheses`,
      say: (/** @type {any} */ { row, column }) => pictures.sayNode(answer.tree, picture.entry(row, column)),
      onPick: (/** @type {any} */ { column }) => go(picture.first + column),
    };
  },
  forcing({ answer, steps, index, pictures }) {
    const forcing = answer.teacher_forcing;
    const picture = pictures.forcingPicture({ forcing, steps, index, prompt: prompt(answer), colours: palette(), ...writing.size() });
    return {
      ...picture, table: pictures.forcingTable(forcing), shape: `${forcing.rows.length} rows`,
      say: (/** @type {any} */ { column }) => pictures.sayRow(forcing, picture.first + column),
      onPick: (/** @type {any} */ { column }) => go(picture.first + column),
    };
  },
};

/** What the model had read before it wrote anything. @param {any} answer */
const prompt = (answer) => (answer.input.source ? "<s>" : "…");

/** @param {Step[]} steps @param {number} index */
const summary = (steps, index) => `${steps[index].text || "(nothing yet)"} · ${steps[index].token.text === "</s>" ? "ended · " : ""}sum of ln p ${number(steps[index].sum)}`;

/** @param {number} index */
function go(index) {
  if (!drawn) return;
  pause();
  const { count, page } = drawn;
  page.set({ step: stepValue(Math.min(Math.max(index, 0), count - 1), count) });
}

function toggle() {
  if (pause() || !drawn) return;
  const { index, count, page } = drawn;
  play(call(page.state), {
    from: index >= count - 1 ? 0 : index,
    onBeat: (tokens, last) => page.set({ step: stepValue(last ? count - 1 : tokens - 1, count) }, { push: false }),
    onStop: () => (sayPlaying(false), page.render()),
    onProblem: (error) => page.announce(error.message),
  });
  sayPlaying(true);
}

/** @param {boolean} on */
function sayPlaying(on) {
  by("play").setAttribute("aria-pressed", String(on));
  by("play").setAttribute("aria-label", on ? "Pause" : "Play");
}

for (const [id, act] of /** @type {[string, () => void][]} */ ([["play", toggle], ["back", () => go((drawn?.index ?? 0) - 1)], ["forward", () => go((drawn?.index ?? 0) + 1)]])) by(id).addEventListener("click", act);
document.addEventListener("input", (event) => /** @type {HTMLElement} */ (event.target).matches("#input *, #controls *") && pause());
by("place").addEventListener("input", (event) => go(Number(/** @type {HTMLInputElement} */ (event.target).value) - 1));

/** @param {any} answer @param {State} state @param {string} show @param {any} page @param {number} index @param {number} count */
function controls(answer, state, show, page, index, count) {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-for]"))) part.hidden = !(part.dataset.for ?? "").split(" ").some((name) => name === state.strategy || name === show);
  for (const [view, there] of /** @type {[string, boolean][]} */ ([["tree", Boolean(answer.tree)], ["forcing", Boolean(answer.input.source)]])) {
    const radio = /** @type {HTMLInputElement} */ (document.querySelector(`input[name=show][value=${view}]`));
    const label = /** @type {HTMLElement} */ (radio.closest("label"));
    radio.disabled = !there;
    label.title = there ? "" : (label.dataset.why ?? "");
  }
  /** @type {HTMLInputElement} */ (document.querySelector(`input[name=show][value=${show}]`)).checked = true;
  const n = layers(answer);
  page.options("layer", Array.from({ length: n }, (_, i) => ({ value: i, label: `${i}` })));
  page.options("head", [{ value: "mean", label: "mean" }, ...Array.from({ length: answer.axes.head.size }, (_, i) => ({ value: i, label: `${i}` }))]);
  const place = /** @type {HTMLInputElement} */ (by("place"));
  Object.assign(place, { max: String(count), value: String(index + 1) });
  by("count").textContent = `${index + 1} / ${count}`;
  /** @type {HTMLButtonElement} */ (by("back")).disabled = index === 0;
  /** @type {HTMLButtonElement} */ (by("forward")).disabled = index >= count - 1;
  by("writing-title").textContent = TITLES[show];
}

/** @type {Record<string, string>} */
const TITLES = { step: "One token", tree: "Every text considered", forcing: "Teacher forcing beside generation" };

/** @param {any} answer @param {any} greedy @param {State} state @param {string} show */
function beside(answer, greedy, state, show) {
  const found = answer.text === greedy.text ? "same" : "better";
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-show]"))) part.hidden = part.dataset.show !== show || (part.dataset.found ?? found) !== found;
  const forcing = answer.teacher_forcing;
  const facts = [
    [state.strategy === "greedy" ? "greedy" : `${state.strategy === "beam" ? `beam, ${state.beams}` : "sampled"}`, answer.text, answer.log_probability],
    ...(state.strategy === "greedy" ? [] : [["greedy", greedy.text, greedy.log_probability]]),
    ...(forcing ? [[state.target ? "reference" : "reference: greedy’s own", answer.input.target, forcing.log_probability]] : []),
  ];
  by("texts").replaceChildren(...facts.flatMap(([name, text, score]) => {
    const term = Object.assign(document.createElement("dt"), { textContent: name });
    const words = Object.assign(document.createElement("dd"), { textContent: text || "(nothing)" });
    const sum = Object.assign(document.createElement("span"), { className: "number soft", textContent: number(score) });
    words.append(" ", sum);
    return [term, words];
  }));
  by("stopped").textContent = answer.stopped === "end" ? "" : `Stopped at the limit of ${answer.settings.max_new_tokens} tokens.`;
  const first = forcing?.first_difference;
  by("differs").textContent = !forcing ? "" : first === null ? "No row differs: parallel and one by one, the same words come out." : `Row ${first + 1} is the first that differs: the reference goes on with ${forcing.rows[first].expected.text}.`;
}
