// Training: the maps, the losses and the curves say the numbers of the answers, and the control stands beside.
import assert from "node:assert/strict";
import { test } from "node:test";
import { intent } from "../../static/js/keys.js";
import { heads, loss, maps, saying, time } from "../../static/js/views/training-figures.js";
import { oneMap } from "../../static/js/views/training-head.js";
import { gives, has, holds, inOrder, numbers, wording } from "./said.js";

const colours = { tick: 13, ink: "#000", inkSoft: "#333", rule: "#ccc", ruleStrong: "#888", select: "#eee", hatch: "#777", attention: "#1768a8", cross: "#b05", heads: ["#0072b2", "#e69f00"], cividis: ["#00224e", "#fee838"] };
const LAYERS = { size: 3, labels: ["induction-2.0", "induction-2.1", "induction-1.0"] };
const TEXT = { size: 4, labels: ["<s>", "a", "b", "a"] };
const map = (a, b) => [[1, 0, 0, 0], [a, 1 - a, 0, 0], [0, a, 1 - a, 0], [0, 0, b, 1 - b]];
const moment = {
  axes: { layer: LAYERS, head: { size: 2 }, text: TEXT, step: { size: 1, labels: ["50"] } },
  by_chance: { induction: 0.25, previous: 0.4 },
  tensors: {
    pattern: { data: [[[map(0.9, 0.8), map(0.1, 0.2)], [map(0.3, 0.75), map(0.4, 0.5)], [map(0.2, 0.1), map(0.2, 0.3)]]] },
    mask: { data: [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]] },
    induction: { data: [[[0.8, 0.2], [0.75, 0.5], [0.1, 0.3]]] },
    previous: { data: [[[0.87, 0.13], [0.45, 0.43], [0.17, 0.23]]] },
    "induction.keys": { data: [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]] },
    "previous.keys": { data: [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]] },
  },
};
const whole = {
  axes: { model: { size: 2, labels: ["induction-2", "induction-1"] }, layer: LAYERS, head: { size: 2 }, step: { size: 3, labels: ["0", "50", "100"] }, expected: { size: 3, labels: ["a", "b", "a"] } },
  steps: [0, 50, 100], guessing: 3.26, held_out: { by_chance: { induction: 0.09, previous: 0.07 } },
  tensors: {
    loss: { data: [[[4, 4, 4], [3, 3, 1], [3.3, 3.3, 0.1]], [[4, 4, 5], [3, 3, 2.5], [3.3, 3.3, 2.4]]] },
    "held_out.repeat_loss": { data: [[4, 1.3, 0.1], [3.9, 2.5, 2.4]] },
    "held_out.induction": { data: [[[0.1, 0.1], [0.09, 0.08], [0.09, 0.1]], [[0.05, 0.06], [0.44, 0.4], [0.1, 0.12]], [[0.05, 0.05], [0.8, 0.7], [0.1, 0.09]]] },
    "held_out.previous": { data: [[[0.07, 0.08], [0.07, 0.07], [0.07, 0.07]], [[0.2, 0.5], [0.02, 0.02], [0.02, 0.02]], [[0.1, 0.99], [0.02, 0.02], [0.02, 0.02]]] },
  },
};
const space = { width: 620, height: 560, colours };
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
/** The weights that are printed, those of the scale's ends left out. */
const shares = (drawn) =>
  texts(drawn).flatMap((content) => numbers(content)).filter((said) => said.startsWith("."));
const framed = ({ scene }) => scene.shapes.filter(({ shape, stroke }) => shape === "rect" && colours.heads.includes(stroke)).length;

test("every head of both models has its map, under its name and what it holds of its layer's role", () => {
  const drawn = maps(moment, space);
  assert.equal(heads(moment).length, 6);
  const bold = drawn.scene.shapes.filter(({ weight }) => weight === 700);
  const named = bold.map(({ content }) => content);
  assert.equal(new Set(named).size, 6);
  ["00", "01", "10", "11"].forEach((head, i) => holds(named[i], ...head));
  ["0", "1"].forEach((head, i) => holds(named[4 + i], head));
  assert.deepEqual(shares(drawn), [".87", ".13", ".75", ".50", ".10", ".30"]);
  assert.deepEqual([drawn.rows, drawn.columns], [3 * 4, 2 * 4]);
  assert.deepEqual(drawn.table.rows.at(-1).slice(1), [0.4, 0.25]);
  const [name, ...values] = drawn.table.rows[2];
  gives(name, { layer: "1", head: "0" });
  assert.deepEqual(values, [0.45, 0.75]);
});

test("what the mask hides is hatched in every map, and framed is where a head of the role looks", () => {
  const drawn = maps(moment, space);
  assert.equal(drawn.scene.shapes.filter(({ shape }) => shape === "hatch").length, 6 * 6);
  assert.equal(framed(drawn), 2 * 3 + 2 * 1 + 2 * 1);
});

for (const [width, across] of [[620, 2], [330, 1]]) {
  test(`at ${width} px, ${across} abreast, a cell is found where its box is, and says its head, its letters and its weight`, () => {
    const drawn = maps(moment, { ...space, width });
    const panel = heads(moment).findIndex(({ layer, head }) => layer === 1 && head === 0);
    const cell = { row: Math.floor(panel / across) * 4 + 3, column: (panel % across) * 4 + 2 };
    const { x, y, width: w, height: h } = drawn.box(cell.row, cell.column);
    assert.deepEqual(drawn.at(x + w / 2, y + h / 2), cell);
    assert.deepEqual(drawn.head(cell), { layer: 1, head: 0 });
    holds(drawn.say(cell), "1.0", ".750");
    inOrder(drawn.say(cell), "a", "3", "b", "2");
    const other = drawn.say({ ...cell, column: cell.column + 1 });
    holds(other, "1.0", ".250");
    const [told, plain] = [drawn.say(cell), other].map((said) => wording(said, "a", "b"));
    assert.notEqual(told, plain, "the key of the role is told");
  });
}

test("one head is drawn with its letters", () => {
  const drawn = oneMap(moment, { layer: 2, head: 1 }, space);
  assert.equal(texts(drawn).filter((content) => content === "b").length, 2);
  assert.equal(framed(drawn), 1);
  assert.equal(drawn.table.rows[0][2], null);
  const [hidden, seen] = [drawn.say({ row: 1, column: 2 }), drawn.say({ row: 2, column: 1 })];
  inOrder(hidden, "1", "a", "1", "b", "2");
  inOrder(seen, "b", "2", "a", "1");
  holds(seen, ".200");
  assert.ok(!numbers(hidden).some((said) => said.includes(".")), "what is hidden has no weight");
});

test("a head without a key to look at has no score", () => {
  const once = { ...moment, tensors: { ...moment.tensors, induction: { data: [[[null, null], [null, null], [null, null]]] } } };
  assert.deepEqual(shares(maps(once, space)), [".87", ".13"]);
});

test("the loss is told by letter for both models, on the scale of all steps, and shaded where the letter read was met before", () => {
  const drawn = loss(whole, moment, 1, { ...space, height: 240 });
  const names = drawn.table.rows.map(([name]) => name);
  ["2", "1"].forEach((layers, i) => holds(names[i], layers));
  for (const word of [...names, "ln 26"]) assert.ok(texts(drawn).includes(word), word);
  assert.ok(texts(drawn).some((content) => has(content, "nats")));
  assert.deepEqual(drawn.table.rows.map(([, ...values]) => values), [[3, 3, 1], [3, 3, 2.5]]);
  holds(drawn.say({ column: 2 }), "a", "3", "nats");
  inOrder(drawn.say({ column: 2 }), "1.00", "2.50");
  const shaded = (given) => loss(whole, given, 1, space).scene.shapes.filter(({ shape, fill }) => shape === "rect" && fill === colours.select).length;
  assert.equal(shaded(moment), 0);
  assert.equal(shaded({ tensors: { "induction.keys": { data: [[0], [0], [1]] } } }), 1);
  const level = (step) => loss(whole, moment, step, space).scene.shapes.find(({ shape, dash }) => shape === "path" && dash?.[0] === 1).points[0][1];
  assert.equal(level(0), level(2), "ln 26 stays where it is");
});

test("roles: what followed in layer 1, the letter before in layer 0, the control's best head, and both chances", () => {
  const drawn = time(whole, 1, { ...space, height: 260, show: "roles" });
  const names = drawn.table.rows.map(([name]) => name);
  assert.deepEqual(drawn.table.rows.map(([, ...values]) => values), [
    [0.08, 0.5, 0.99], [0.09, 0.44, 0.8], [0.09, 0.1, 0.1], [0.09, 0.09, 0.09],
    [0.07, 0.2, 0.1], [0.08, 0.4, 0.7], [0.07, 0.07, 0.07],
  ]);
  ["0.1", "1.0"].forEach((head, i) => holds(names[i], head));
  ["0.0", "1.1"].forEach((head, i) => holds(names[4 + i], head));
  assert.equal(names[3], names[6]);
  assert.equal(new Set(names).size, 6);
  for (const name of names.slice(0, 4)) assert.ok(texts(drawn).includes(name), name);
  holds(drawn.say({ column: 1 }), "50");
  gives(drawn.say({ column: 1 }), { "0.1": ".50", "1.0": ".44" });
  const curves = drawn.scene.shapes.filter(({ shape, stroke }) => shape === "path" && colours.heads.includes(stroke));
  assert.deepEqual(curves.map(({ dash, opacity }) => [dash?.[0], opacity]), [[3, 0.6], [undefined, 0.6], [3, undefined], [undefined, undefined]]);
  const level = (value) => drawn.area.y + drawn.area.height * (1 - value);
  assert.deepEqual(curves.map(({ points }) => points[2][1]).map(Math.round), [0.1, 0.7, 0.99, 0.8].map(level).map(Math.round), "all on one scale");
});

test("the loss of the repetition over training has both models", () => {
  const drawn = time(whole, 2, { ...space, height: 260, show: "loss" });
  const values = [[4, 1.3, 0.1], [3.9, 2.5, 2.4], [3.26, 3.26, 3.26]];
  assert.deepEqual(drawn.table.rows.map(([, ...row]) => row), values);
  holds(drawn.say({ column: 1 }), "50");
  inOrder(drawn.say({ column: 1 }), "1.30", "2.50");
  inOrder(saying(whole, 2), "0.10", "2.40");
});

test("Home and End are the first and the last step", () => assert.deepEqual([intent("Home"), intent("End")], [["end", -1], ["end", 1]]));
