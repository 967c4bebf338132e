// What is drawn of a training: every head's map at one step, the loss of each letter, and loss or head roles over all steps.

import { lines } from "../draw/chart.js";
import { headColour, probability } from "../draw/colours.js";
import { panels } from "../draw/panels.js";
import { path, rect, scene } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number, visible, weight } from "../draw/text.js";

/** @typedef {{width: number, height: number, colours: import("../draw/colours.js").Palette}} Space */
/** @typedef {{layer: number, head: number}} Head its layer counted through both models */
/** @typedef {{row: number, column: number}} Cell */

const NARROW = 420;
const ROOM = 32; // for the number of a step

/** induction-2.1 is layer 1 of the model of two, induction-1.0 the only one of the other. @param {any} answer @param {number} layer */
function place(answer, layer) {
  const [model, own] = answer.axes.layer.labels[layer].split(".");
  const alone = !answer.axes.layer.labels.includes(`${model}.1`);
  return { own: Number(own), alone, name: alone ? "one layer" : `layer ${own}` };
}

/** @param {any} answer @param {Head} which */
export const headName = (answer, { layer, head }) => `${place(answer, layer).name}, head ${head}`;

/** @param {any} answer @param {Head} which */
const shortName = (answer, { layer, head }) => (place(answer, layer).alone ? headName(answer, { layer, head }) : `head ${place(answer, layer).own}.${head}`);

/** Every head, layer by layer, the control's last. @param {any} answer @returns {Head[]} */
export const heads = (answer) => answer.axes.layer.labels.flatMap((/** @type {string} */ _, /** @type {number} */ layer) => Array.from({ length: answer.axes.head.size }, (__, head) => ({ layer, head })));

/** The role a layer is outlined for: the first of two tells each letter what stands before it, the others look for what followed. @param {any} answer @param {number} layer */
const roleOf = (answer, layer) => (place(answer, layer).own === 0 && !place(answer, layer).alone ? "previous" : "induction");

/** @type {Record<string, string>} */
export const ROLE = { previous: "the letter before", induction: "what followed" };

/** A map with what the mask hides as null. @param {any} moment @param {Head} which @returns {(number | null)[][]} */
export function mapOf({ tensors: { pattern, mask } }, { layer, head }) {
  return pattern.data[0][layer][head].map((/** @type {number[]} */ row, /** @type {number} */ q) => row.map((value, k) => (mask.data[q][k] ? value : null)));
}

/** How much of a head's weight lies where its layer is outlined, or null where nothing is. @param {any} moment @param {Head} which @returns {number | null} */
const held = (moment, { layer, head }) => moment.tensors[roleOf(moment, layer)].data[0][layer][head];

/** @param {any} moment @param {Head} which */
export const note = (moment, which) => {
  const share = held(moment, which);
  return share === null ? "" : `${roleOf(moment, which.layer) === "previous" ? "before" : "followed"} ${weight(share)}`;
};

/** In the head's colour, which no weight has. @param {any} moment @param {Head} which @param {(q: number, k: number) => import("../draw/heatmap.js").Box} box @param {import("../draw/colours.js").Palette} colours @param {number} line */
export const outlines = (moment, { layer, head }, box, colours, line) =>
  moment.tensors[`${roleOf(moment, layer)}.keys`].data.flatMap((/** @type {number[]} */ row, /** @type {number} */ q) =>
    row.flatMap((looked, k) => {
      const { x, y, width, height } = box(q, k);
      return looked ? [rect(x + line / 2, y + line / 2, width - line, height - line, { stroke: headColour(colours, head), line })] : [];
    }));

/** @param {any} moment @param {Head} which @param {number} q @param {number} k */
export function sayCell(moment, which, q, k) {
  const letters = moment.axes.text.labels.map(visible);
  const value = mapOf(moment, which)[q][k];
  const role = roleOf(moment, which.layer);
  const looked = !moment.tensors[`${role}.keys`].data[q][k] ? "" : role === "previous" ? ", the letter before" : `, which followed an earlier ${letters[q]}`;
  const found = value === null ? "hidden" : weight(value, 3);
  return `${shortName(moment, which)}: ${found} from ${letters[q]} (${q}) to ${letters[k]} (${k})${looked}`;
}

/** All maps of a step, the control's in the last row. @param {any} moment @param {Space} space */
export function maps(moment, { width, height, colours }) {
  const all = heads(moment);
  const across = width < NARROW ? Math.ceil(moment.axes.head.size / 2) : moment.axes.head.size;
  const size = moment.axes.text.size;
  const picture = panels({
    panels: all.map((which) => ({ title: `${place(moment, which.layer).name}, ${which.head}`, note: note(moment, which), colour: headColour(colours, which.head), values: mapOf(moment, which) })),
    across, scale: probability(colours, "weight"), label: `${all.length} attention maps at step ${moment.axes.step.labels[0]}, one a head; brighter is more`, colours, width, height,
  });
  const at = (/** @type {Cell} */ { row, column }) => ({ which: all[Math.floor(row / size) * across + Math.floor(column / size)], q: row % size, k: column % size });
  const framed = all.flatMap((which, i) => outlines(moment, which, (q, k) => picture.box(Math.floor(i / across) * size + q, (i % across) * size + k), colours, 1));
  return {
    ...picture, scene: scene(width, height, picture.scene.label, [...picture.scene.shapes, ...framed]), table: mapsTable(moment),
    say: (/** @type {Cell} */ cell) => sayCell(moment, at(cell).which, at(cell).q, at(cell).k), head: (/** @type {Cell} */ cell) => at(cell).which,
  };
}

/** What every head scores on the text. @param {any} moment */
function mapsTable(moment) {
  const { previous, induction } = moment.tensors;
  const rows = heads(moment).map((which) => [headName(moment, which), ...[previous, induction].map(({ data }) => data[0][which.layer][which.head])]);
  return { caption: `Weight on each role’s keys at step ${moment.axes.step.labels[0]}`, head: ["head", ROLE.previous, ROLE.induction], rows: [...rows, ["by chance", moment.by_chance.previous, moment.by_chance.induction]] };
}

/** How many layers each model has. @param {any} whole @returns {string[]} */
const names = ({ axes }) => axes.model.labels.map((/** @type {string} */ id) => {
  const layers = axes.layer.labels.filter((/** @type {string} */ label) => label.startsWith(`${id}.`)).length;
  return `${layers} layer${layers > 1 ? "s" : ""}`;
});

/** What is paid for a letter that can be any: ln 26. @param {any} whole @param {number} count @param {import("../draw/colours.js").Palette} colours */
const guessing = (whole, count, colours) => ({ name: `ln ${Math.round(Math.exp(whole.guessing))}`, colour: colours.inkSoft, values: Array(count).fill(whole.guessing), dash: [1, 4] });

/** A line for each model, the control's dashed. @param {any} whole @param {number[][]} values @param {import("../draw/colours.js").Palette} colours */
const modelLines = (whole, values, colours) => names(whole).map((name, i) => ({ name, values: values[i], ...(i ? control(colours) : { colour: colours.ink, dots: true }) }));

/** @param {import("../draw/colours.js").Palette} colours */
const control = (colours) => ({ colour: colours.inkSoft, dash: [7, 4] });

/** The loss of each letter at a step, on the scale of all steps. @param {any} whole @param {any} moment @param {number} step its place @param {Space} space */
export function loss(whole, moment, step, { width, height, colours }) {
  const { data } = whole.tensors.loss;
  const letters = whole.axes.expected.labels;
  const [two, one] = [data[0][step], data[1][step]];
  const picture = lines({
    series: [...modelLines(whole, [two, one], colours), guessing(whole, letters.length, colours)],
    names: letters, x: "letter that came", y: { title: "loss, nats", low: 0, high: Math.max(...data.flat(2), whole.guessing) },
    label: `Loss of each letter at step ${whole.axes.step.labels[step]}, with two layers and with one`, width, height, colours,
  });
  const { area } = picture;
  const wide = area.width / letters.length;
  const known = letters.flatMap((/** @type {string} */ _, /** @type {number} */ i) => (moment.tensors["induction.keys"].data[i].includes(1) ? [rect(area.x + i * wide, area.y, wide, area.height, { fill: colours.select })] : []));
  return {
    ...picture, scene: scene(width, height, picture.scene.label, [...known, ...picture.scene.shapes]), rows: 1, columns: letters.length,
    table: matrixTable(`Loss at step ${whole.axes.step.labels[step]}, nats`, "model \\ letter", names(whole), letters, [two, one]),
    say: (/** @type {Cell} */ { column }) => `${visible(letters[column])}, letter ${column + 1}: ${number(two[column], 2)} nats with two layers, ${number(one[column], 2)} with one`,
  };
}

/** The curves of the held-out texts: roles, or the loss of the repetition. @param {any} whole @param {number} step its place @param {Space & {show: string}} space */
export function time(whole, step, { width, height, colours, show }) {
  const steps = whole.axes.step.labels;
  const { series, thin, y, say } = show === "loss" ? lossSeries(whole, colours) : roleSeries(whole, colours);
  const marked = steps.map((/** @type {string} */ one, /** @type {number} */ i) => (i % 2 && width < steps.length * ROOM ? "" : one));
  const title = `Over training: ${y.title}, texts held out`;
  const picture = lines({ series, names: marked, x: "step", y, label: `${title}; now step ${steps[step]}`, width, height, colours, selected: step });
  const { area } = picture;
  const wide = area.width / steps.length;
  const others = thin.map(({ values, colour, dash }) => path(values.map((value, i) => [area.x + (i + 0.5) * wide, area.y + area.height * (1 - value)]), { stroke: colour, dash, opacity: 0.6 }));
  const curves = [...series, ...thin];
  return {
    ...picture, scene: scene(width, height, picture.scene.label, [...others, ...picture.scene.shapes]), rows: 1, columns: steps.length,
    table: matrixTable(title, "curve \\ step", curves.map(({ name }) => name), steps, curves.map(({ values }) => values)),
    say: (/** @type {Cell} */ { column }) => `step ${steps[column]}: ${say(column)}`,
  };
}

/** @param {any} whole @param {import("../draw/colours.js").Palette} colours */
function lossSeries(whole, colours) {
  const { data } = whole.tensors["held_out.repeat_loss"];
  const series = [...modelLines(whole, data, colours), guessing(whole, data[0].length, colours)];
  return { series, thin: [], y: { title: "nats a letter of the repetition", low: 0 }, say: (/** @type {number} */ i) => saying(whole, i) };
}

/** A curve a head, thick where it is its layer's best at the end; the best of the control; and what an even look gives. @param {any} whole @param {import("../draw/colours.js").Palette} colours */
function roleSeries(whole, colours) {
  const curve = (/** @type {Head} */ which) => {
    const role = place(whole, which.layer).alone ? "induction" : roleOf(whole, which.layer);
    const values = /** @type {number[]} */ (whole.tensors[`held_out.${role}`].data.map((/** @type {number[][]} */ at) => at[which.layer][which.head]));
    return { layer: which.layer, name: shortName(whole, which), values, colour: headColour(colours, which.head), dash: role === "previous" ? [3, 2] : undefined };
  };
  const all = heads(whole).map(curve);
  const chance = (/** @type {string} */ role) => ({ name: "chance", values: all[0].values.map(() => whole.held_out.by_chance[role]), colour: colours.inkSoft, dash: [1, 4] });
  const best = (/** @type {number} */ layer) => all.filter((one) => one.layer === layer).reduce((most, one) => (last(one) > last(most) ? one : most));
  const layers = whole.axes.layer.labels.map((/** @type {string} */ _, /** @type {number} */ layer) => best(layer));
  const alone = layers.findIndex((/** @type {any} */ one) => place(whole, one.layer).alone);
  const told = /** @type {(typeof all)[]} */ (layers.filter((/** @type {any} */ _, /** @type {number} */ layer) => layer !== alone));
  const series = [...told, { ...layers[alone], name: names(whole)[1], ...control(colours) }, chance("induction")];
  const thin = [...all.filter((one) => one.layer !== alone && !told.includes(one)), chance("previous")];
  return {
    series, thin, y: { title: "weight on outlined letters", low: 0, high: 1 },
    say: (/** @type {number} */ i) => told.map(({ layer, name, values }) => `${name} ${weight(values[i])} on ${ROLE[roleOf(whole, layer)]}`).join(", "),
  };
}

/** @param {{values: number[]}} curve */
const last = ({ values }) => values[values.length - 1];

/** The number to read off. @param {any} whole @param {number} i the step's place */
export function saying(whole, i) {
  const [two, one] = whole.tensors["held_out.repeat_loss"].data;
  const [many, few] = names(whole);
  return `in the repetition: ${many} ${number(two[i], 2)} nats, ${few} ${number(one[i], 2)}`;
}
